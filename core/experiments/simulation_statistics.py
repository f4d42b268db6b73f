"""Paired statistics over seeds, and agreement of utility with the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy  # its parts are loaded when first used
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_EXACT = 20  # largest number of pairs of which every change of sign is tried
_DRAWS = 20_000
_BOOTSTRAPS = 1000


def sign_flip_p(differences: Sequence[float]) -> float:
    """One-sided p of a paired permutation test: how often a mean as large comes out of random signs.

    Exact for up to 20 pairs, from 20 000 draws beyond. 1.0 without pairs.

    Args:
        differences: One per pair, positive where the hypothesis says.
    """
    if len(differences) < 2:  # scipy asks for two
        return 0.5 if len(differences) and differences[0] > 0 else 1.0
    found = scipy.stats.permutation_test(
        (np.asarray(differences, dtype=np.float64),),
        np.mean,
        vectorized=True,
        permutation_type="samples",
        n_resamples=2**_EXACT if len(differences) <= _EXACT else _DRAWS,
        batch=1 << 16,
        alternative="greater",
        rng=np.random.default_rng(0),
    )
    return float(found.pvalue)


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho; None where one side has no two different values."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(
        np.corrcoef(scipy.stats.rankdata(one), scipy.stats.rankdata(other))[0, 1]
    )


def auc(good: Sequence[float], others: Sequence[float]) -> float | None:
    """How often a good one has the larger value, ties half; None where a side is empty."""
    if not len(good) or not len(others):
        return None
    return float(
        scipy.stats.mannwhitneyu(good, others).statistic / (len(good) * len(others))
    )


def mean_interval(values: Floats) -> tuple[float, float] | None:
    """95 % percentile interval of a mean, values (n,) drawn again; None for fewer than two."""
    if len(values) < 2:
        return None
    rows = np.random.default_rng(0).integers(
        0, len(values), size=(_BOOTSTRAPS, len(values))
    )
    return _middle(values[rows].mean(axis=1))


def bootstrap_interval(
    statistic: Callable[[NDArray[np.int64]], float | None], size: int
) -> tuple[float, float] | None:
    """95 % percentile interval of a statistic over rows drawn again with replacement.

    Args:
        statistic: From the indices of the drawn rows; None where it is undefined, which is left out.
        size: Number of rows.

    Returns:
        None when fewer than half of the draws define it.
    """
    rng = np.random.default_rng(0)
    found = (
        [statistic(rng.integers(0, size, size=size)) for _ in range(_BOOTSTRAPS)]
        if size
        else []
    )
    known = [value for value in found if value is not None]
    if not known or len(known) < _BOOTSTRAPS / 2:
        return None
    return _middle(known)


def _middle(drawn: Floats | list[float]) -> tuple[float, float]:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)
