"""Paired statistics over seeds, and agreement of utility with the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

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
    found = stats.permutation_test(
        (np.asarray(differences, dtype=np.float64),), np.mean, vectorized=True, permutation_type="samples",
        n_resamples=2**_EXACT if len(differences) <= _EXACT else _DRAWS, batch=1 << 16,
        alternative="greater", rng=np.random.default_rng(0),
    )  # fmt: skip
    return float(found.pvalue)


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho; None where one side has no two different values."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(stats.spearmanr(one, other).statistic)


def auc(good: Sequence[float], others: Sequence[float]) -> float | None:
    """How often a good one has the larger value, ties half; None where a side is empty."""
    if not len(good) or not len(others):
        return None
    return float(stats.mannwhitneyu(good, others).statistic / (len(good) * len(others)))


def mean_interval(values: Floats) -> tuple[float, float] | None:
    """95 % percentile interval of a mean, values (n,) drawn again; None for fewer than two."""
    if len(values) < 2:
        return None
    return bootstrap_interval(lambda rows: float(values[rows].mean()), len(values))


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
    found = [statistic(rng.integers(0, size, size=size)) for _ in range(_BOOTSTRAPS)] if size else []
    known = [value for value in found if value is not None]
    if not known or len(known) < _BOOTSTRAPS / 2:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)
