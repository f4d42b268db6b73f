"""Paired statistics of two arms over the same operators or seeds, and intervals of one; all of scipy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when first used
from numpy.typing import NDArray

RESAMPLES = 9_999
_DRAWN_AT_ONCE = 2_000_000  # operators
CONFIDENCE = 0.95

Table = NDArray[np.float64]
"""Repeats by operators; NaN where an operator has no such number."""


@dataclass(frozen=True)
class Interval:
    """A percentile bootstrap interval over operators: what another draw of operators would have given."""

    low: float
    high: float


@dataclass(frozen=True)
class McNemar:
    """Exact test of who solves more; with several repeats an operator counts for who solved it more often.

    Attributes:
        only_first: Operators that count for the first arm.
        only_second: For the second.
        p: Two-sided; 1 where there is none of either.
    """

    only_first: int
    only_second: int
    p: float


@dataclass(frozen=True)
class Wilcoxon:
    """Signed-rank test of log(T_best of second / T_best of first) over the operators both solved in one repeat.

    Attributes:
        n: Those operators.
        ratio: Median of their ratios; above 1 the first arm is faster.
        p: Two-sided, None with fewer than one difference.
    """

    n: int
    ratio: float | None
    p: float | None


def mean_rate(table: Table) -> Table:
    """Mean over repeats of the share over operators; NaN where nothing counts.

    Args:
        table: Repeats, then whatever is drawn, then operators.
    """
    return _over(table, np.nanmean)


def mean_median(table: Table) -> Table:
    """Mean over repeats of the median over operators; as `mean_rate`."""
    return _over(table, np.nanmedian)


def interval(
    table: Table, figure: Callable[[Table], Table], seed: int
) -> Interval | None:
    """Bootstrap a figure by drawing operators, all repeats of one together; None with fewer than two.

    Args:
        table: Repeats by operators.
        figure: `mean_rate`, `mean_median`, or another of a table.
        seed: Equal seeds give equal intervals.
    """
    has_none = np.all(np.isnan(table), axis=0)
    defined = table[:, ~has_none]
    operators = defined.shape[1]
    if operators < 2:
        return None
    resamples = scipy.stats.bootstrap(
        (np.arange(operators),),
        lambda index, axis: figure(defined[:, index]),  # noqa: ARG005 - the axis is the last
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        # The draws are the same in one batch or many; thousands of operators in one
        # take gigabytes.
        batch=max(1, _DRAWN_AT_ONCE // operators),
        rng=np.random.default_rng(seed),
    ).bootstrap_distribution
    defined_draws = resamples[~np.isnan(resamples)]
    if not defined_draws.size:
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined_draws, [tail, 1 - tail])
    return Interval(float(low), float(high))


def mcnemar(first: Table, second: Table) -> McNemar:
    """Compare correctness, 1 or 0, of the same operators in the same order."""
    ahead = np.nansum(first - second, axis=0)  # a repeat counts where both arms have it
    one = int((ahead > 0).sum())
    two = int((ahead < 0).sum())
    p = 1.0
    if one + two:
        p = float(scipy.stats.binomtest(one, one + two, 0.5).pvalue)
    return McNemar(one, two, p)


def wilcoxon(first: Table, second: Table) -> Wilcoxon:
    """Compare best latencies of the same operators in the same order, repeat by repeat.

    Of an operator that both arms solved in several repeats the median ratio counts.
    """
    by_repeat = second / first
    both = ~np.all(np.isnan(by_repeat), axis=0)
    if not both.any():
        return Wilcoxon(0, None, None)
    ratios = np.nanmedian(by_repeat[:, both], axis=0)
    logs = np.log(ratios)
    # scipy's test refuses differences of which none is one.
    p = None
    if np.any(logs != 0):
        p = float(scipy.stats.wilcoxon(logs).pvalue)
    n = int(both.sum())
    return Wilcoxon(n, float(np.median(ratios)), p)


def holm(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's correction of p values that are read together; those that are None stay and count for none."""
    ps = [(p, index) for index, p in enumerate(values) if p is not None]
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    # The k-th smallest of m is multiplied by m - k + 1, and none falls below a smaller one.
    for rank, (p, index) in enumerate(sorted(ps)):
        corrected = min(1.0, p * (len(ps) - rank))
        largest = max(largest, corrected)
        adjusted[index] = largest
    return tuple(adjusted)


def defined(value: Table | float) -> float | None:
    """None for NaN."""
    return None if math.isnan(value) else float(value)


def _over(table: Table, within: Callable[..., Table]) -> Table:
    """Mean over repeats of `within` over operators; a repeat in which nothing counts is left out."""
    with warnings.catch_warnings():
        # Where nothing counts the answer is NaN, as it should be.
        warnings.simplefilter("ignore", RuntimeWarning)
        by_repeat = within(table, axis=-1)
        mean: Table = np.nanmean(by_repeat, axis=0)
    return mean


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
        # Of one pair half of the signs give as large a mean, if it is what the hypothesis says.
        is_for_it = len(differences) == 1 and differences[0] > 0
        return 0.5 if is_for_it else 1.0
    test = scipy.stats.permutation_test(
        (np.asarray(differences, dtype=np.float64),),
        np.mean,
        vectorized=True,
        permutation_type="samples",
        n_resamples=2**_EXACT if len(differences) <= _EXACT else _DRAWS,
        batch=1 << 16,
        alternative="greater",
        rng=np.random.default_rng(0),
    )
    return float(test.pvalue)


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho; None where one side has no two different values."""
    if len(one) < 2:
        return None
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    # Pearson's correlation of the ranks.
    ranks = scipy.stats.rankdata(one)
    other_ranks = scipy.stats.rankdata(other)
    return float(np.corrcoef(ranks, other_ranks)[0, 1])


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """How often a good one has the larger value, ties half; None where a side is empty."""
    if not len(positives) or not len(negatives):
        return None
    # U counts the pairs in which the positive is larger.
    test = scipy.stats.mannwhitneyu(positives, negatives)
    pairs = len(positives) * len(negatives)
    return float(test.statistic / pairs)


def mean_interval(values: Floats) -> tuple[float, float] | None:
    """95 % percentile interval of a mean, values (n,) drawn again; None for fewer than two."""
    count = len(values)
    if count < 2:
        return None
    rng = np.random.default_rng(0)
    rows = rng.integers(0, count, size=(_BOOTSTRAPS, count))
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
    if not size:
        return None
    rng = np.random.default_rng(0)
    defined = []
    for _ in range(_BOOTSTRAPS):
        rows = rng.integers(0, size, size=size)
        value = statistic(rows)
        if value is not None:
            defined.append(value)
    if len(defined) < _BOOTSTRAPS / 2:
        return None
    return _middle(defined)


def _middle(values: Floats | list[float]) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
