"""Paired statistics over seeds, and agreement of utility with the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_EXACT = 20  # largest number of pairs of which every change of sign is tried
_DRAWS = 20_000
_BOOTSTRAPS = 1000
_SLACK = 1e-9  # equal sums may differ by rounding


def sign_flip_p(differences: Sequence[float]) -> float:
    """One-sided p of a paired permutation test: how often a mean as large comes out of random signs.

    Exact for up to 20 pairs, from 20 000 draws beyond. 1.0 without pairs.

    Args:
        differences: One per pair, positive where the hypothesis says.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not len(values):
        return 1.0
    reached = values.sum() - _SLACK
    if len(values) <= _EXACT:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums - value, sums + value])
        return float((sums >= reached).mean())
    bits = np.random.default_rng(0).integers(0, 2, size=(_DRAWS, len(values)), dtype=np.int8)
    hits = int((2 * (bits @ values) - values.sum() >= reached).sum())
    return (hits + 1) / (_DRAWS + 1)


def ranks(values: Sequence[float]) -> Floats:
    """Ranks from 1, ties with the mean of their places, (n,)."""
    _, place, count = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    mean: Floats = (last - (count - 1) / 2)[place]
    return mean


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho; None where one side has no two different values."""
    if len(one) < 2:
        return None
    first, second = ranks(one), ranks(other)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def auc(good: Sequence[float], others: Sequence[float]) -> float | None:
    """How often a good one has the larger value, ties half; None where a side is empty."""
    if not len(good) or not len(others):
        return None
    one, other = np.asarray(good)[:, None], np.asarray(others)[None]
    return float(((one > other) + 0.5 * (one == other)).mean())


def mean_interval(values: Floats, seed: int = 0) -> tuple[float, float] | None:
    """95 % percentile interval of a mean, values (n,) drawn again; None for fewer than two."""
    if len(values) < 2:
        return None
    drawn = np.random.default_rng(seed).integers(0, len(values), size=(_BOOTSTRAPS, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def bootstrap_interval(
    statistic: Callable[[NDArray[np.int64]], float | None], size: int, seed: int = 0
) -> tuple[float, float] | None:
    """95 % percentile interval of a statistic over rows drawn again with replacement.

    Args:
        statistic: From the indices of the drawn rows; None where it is undefined, which is left out.
        size: Number of rows.
        seed: Of the draws.

    Returns:
        None when fewer than half of the draws define it.
    """
    rng = np.random.default_rng(seed)
    found = [statistic(rng.integers(0, size, size=size)) for _ in range(_BOOTSTRAPS)] if size else []
    known = [value for value in found if value is not None]
    if not known or len(known) < _BOOTSTRAPS / 2:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)
