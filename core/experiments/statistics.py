"""Paired statistics of two arms over the same operators, and intervals of one; all of scipy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when first used
from numpy.typing import NDArray

RESAMPLES = 9_999
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
    """Signed-rank test of log(T_best of second / T_best of first) over the operators both solved.

    Attributes:
        n: Those operators.
        ratio: Median of the ratio; above 1 the first arm is faster.
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
    counted = table[:, ~np.all(np.isnan(table), axis=0)]
    if counted.shape[1] < 2:
        return None
    drawn = scipy.stats.bootstrap(
        (np.arange(counted.shape[1]),),
        lambda index, axis: figure(counted[:, index]),  # noqa: ARG005 - the axis is the last
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).bootstrap_distribution
    known = drawn[~np.isnan(drawn)]
    if not known.size:
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(float(low), float(high))


def mcnemar(first: Table, second: Table) -> McNemar:
    """Compare correctness, 1 or 0, of the same operators in the same order."""
    ahead = np.nansum(first - second, axis=0)  # a repeat counts where both arms have it
    one, two = int((ahead > 0).sum()), int((ahead < 0).sum())
    p = float(scipy.stats.binomtest(one, one + two, 0.5).pvalue) if one + two else 1.0
    return McNemar(one, two, p)


def wilcoxon(first: Table, second: Table) -> Wilcoxon:
    """Compare best latencies of the same operators in the same order; of repeats the median counts."""
    both = ~(np.all(np.isnan(first), axis=0) | np.all(np.isnan(second), axis=0))
    if not both.any():
        return Wilcoxon(0, None, None)
    ratios = np.nanmedian(second[:, both], axis=0) / np.nanmedian(
        first[:, both], axis=0
    )
    logs = np.log(ratios)
    p = float(scipy.stats.wilcoxon(logs).pvalue) if np.any(logs != 0) else None
    return Wilcoxon(int(both.sum()), float(np.median(ratios)), p)


def holm(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's correction of p values that are read together; those that are None stay and count for none."""
    known = sorted((p, index) for index, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    largest = 0.0
    for rank, (p, index) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - rank)))
        adjusted[index] = largest
    return tuple(adjusted)


def known(value: Table | float) -> float | None:
    """None for NaN."""
    return None if math.isnan(value) else float(value)


def _over(table: Table, within: Callable[..., Table]) -> Table:
    """Mean over repeats of `within` over operators; a repeat in which nothing counts is left out."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # where nothing counts the answer is NaN, as it should be
        found: Table = np.nanmean(within(table, axis=-1), axis=0)
    return found
