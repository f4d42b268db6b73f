"""Paired statistics against counting by hand: every outcome of a small test is enumerated."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest

from core.experiments.statistics import (
    defined,
    holm,
    interval,
    mcnemar,
    mean_median,
    mean_rate,
    wilcoxon,
)


def row(*values: float) -> np.ndarray:
    return np.array([values], dtype=float)


def test_mcnemar_is_exact() -> None:
    first, second = row(1, 1, 1, 1, 1, 0, 1, 0), row(0, 0, 0, 0, 1, 0, 0, 1)
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second) == (5, 1)
    tosses = [sum(toss) for toss in itertools.product((0, 1), repeat=6)]
    assert found.p == pytest.approx(
        sum(heads >= 5 or heads <= 1 for heads in tosses) / len(tosses)
    )
    assert mcnemar(first, first).p == 1.0


def test_of_several_repeats_an_operator_counts_for_who_solved_it_more_often() -> None:
    first = np.array([[1, 1, 0, 1], [1, 0, 0, 1]], dtype=float)
    second = np.array([[0, 1, 0, 1], [0, 1, 0, 1]], dtype=float)
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second) == (1, 1)


def test_wilcoxon_is_that_of_the_signs_and_ranks() -> None:
    ratios = (2.0, 1.5, 4.0, 0.8, 3.0, 1.1)
    found = wilcoxon(
        row(*[10.0] * 6, 5.0), row(*[10 * ratio for ratio in ratios], math.nan)
    )
    assert (found.n, found.ratio) == (6, pytest.approx(1.75))
    ranks = {
        ratio: rank
        for rank, ratio in enumerate(
            sorted(ratios, key=lambda r: abs(math.log(r))), start=1
        )
    }
    observed = sum(rank for ratio, rank in ranks.items() if ratio > 1)
    sums = [sum(c) for c in itertools.product(*[(0, rank) for rank in ranks.values()])]
    upper = sum(total >= observed for total in sums) / len(sums)
    assert found.p == pytest.approx(2 * upper)
    assert wilcoxon(row(5.0), row(5.0)).p is None
    first = np.array([[1.0, 1.0], [10.0, math.nan]])
    second = np.array([[2.0, math.nan], [20.0, 1.0]])
    paired = wilcoxon(first, second)
    assert (paired.n, paired.ratio) == (1, 2.0), "a repeat is set against itself alone"
    assert wilcoxon(row(math.nan), row(5.0)).n == 0


def test_an_interval_holds_the_figure_and_is_the_same_for_the_same_seed() -> None:
    solved = np.array([[1] * 30 + [0] * 20, [1] * 28 + [0] * 22], dtype=float)
    found = interval(solved, mean_rate, 1)
    assert found == interval(solved, mean_rate, 1)
    assert found is not None
    assert found.low < 0.58 < found.high
    half = 1.96 * math.sqrt(0.58 * 0.42 / 50)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.1), (
        "as the normal approximation has it"
    )
    assert interval(row(1.0), mean_rate, 1) is None


def test_an_interval_over_thousands_of_operators_takes_megabytes() -> None:
    solved = np.random.default_rng(3).integers(0, 2, (1, 3_000)).astype(float)
    tracemalloc.start()
    try:
        assert interval(solved, mean_rate, 1) is not None
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6, f"{peak / 1e6:.0f} MB"


def test_figures_are_means_over_repeats_and_leave_out_what_is_not_there() -> None:
    table = np.array([[1.0, 4.0, math.nan], [2.0, math.nan, math.nan], [math.nan] * 3])
    assert defined(mean_median(table)) == pytest.approx((2.5 + 2.0) / 2)
    assert defined(mean_rate(np.array([[math.nan]]))) is None


def test_holm_corrects_what_is_read_together() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == (
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
        pytest.approx(0.06),
    )
