"""Error statistics against hand-computed values and NumPy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from remote.judge.comparing import error_statistics
from remote.judge.comparing.error_statistics import (
    RULES,
    compare,
    deciding_rule,
    ulp_distance,
)

INF, NAN = float("inf"), float("nan")


def f32(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def f16(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float16)


def test_statistics_of_a_hand_computed_case() -> None:
    found = compare("y", f32(1.0, -2.0, 0.0, 4.0), f32(1.5, -2.0, 0.25, 4.0)).errors
    assert (found.elements, found.mismatched) == (4, 2)
    assert found.max_abs == 0.5
    assert found.avg_abs == 0.1875
    assert found.max_rel == pytest.approx(0.25 / 1e-7)
    assert found.avg_rel == pytest.approx((0.5 / (1 + 1e-7) + 0.25 / 1e-7) / 4)
    assert found.average_accuracy == 0.5
    assert (found.worst_index, found.worst_expected, found.worst_actual) == (
        2,
        0.0,
        0.25,
    )


def test_an_exact_result_has_no_error_at_all() -> None:
    values = f32(1.0, -0.0, INF, -INF, NAN)
    found = compare("y", values, values.clone())
    assert found.passed
    assert (
        found.errors.max_abs,
        found.errors.max_rel,
        found.errors.max_ulp,
        found.pattern,
    ) == (0, 0, 0, "")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [(1.0, NAN), (NAN, 1.0), (INF, -INF), (INF, 65504.0), (65504.0, INF), (INF, NAN)],
)
def test_a_non_finite_difference_is_infinite_under_every_rule(
    expected: float, actual: float
) -> None:
    for rule in RULES:
        found = compare("y", f16(expected), f16(actual), rule)
        assert not found.passed
        assert (found.errors.max_abs, found.errors.max_rel, found.errors.max_ulp) == (
            INF,
            INF,
            INF,
        )


def test_the_three_verdicts_part_where_the_paper_and_the_benchmark_differ() -> None:
    # Large absolute, small relative error: the paper's text fails it, NPUKernelBench's code passes it.
    large = compare("y", f32(1000.0), f32(1000.5))
    assert (large.paper, large.benchmark, large.passed) == (False, True, False)
    # Small absolute, large relative error.
    small = compare("y", f32(1e-5), f32(2e-5))
    assert (small.paper, small.benchmark) == (False, True)
    both = compare("y", f32(1.0), f32(1.1))
    assert (both.paper, both.benchmark) == (False, False)
    # Each element passes the benchmark on another limb; the paper judges the maxima.
    mixed = compare("y", f32(1000.0, 1e-5), f32(1000.5, 2e-5))
    assert (mixed.paper, mixed.benchmark) == (False, True)


def test_limits_are_inclusive() -> None:
    reference = torch.tensor([1.0], dtype=torch.float32)
    assert compare("y", reference, f32(1.0 + 0.0009)).paper
    assert not compare("y", reference, f32(1.0 + 0.0011)).paper


def test_the_catalogue_decides_halves_by_ulp_and_float32_finer_than_the_paper() -> None:
    assert deciding_rule("catalogue", torch.bfloat16) == "ulp"
    assert deciding_rule("catalogue", torch.float16) == "ulp"
    assert deciding_rule("catalogue", torch.float32) == "catalogue"
    near = compare("y", f32(1.0), f32(1.0005))
    assert near.paper
    assert not near.passed
    one = torch.tensor([1.0], dtype=torch.bfloat16)
    one_ulp = torch.tensor([1.0 + 2**-7], dtype=torch.bfloat16)
    found = compare("y", one, one_ulp)
    assert found.passed
    assert not found.paper
    assert found.errors.max_ulp == 1.0
    assert not compare(
        "y", one, torch.tensor([1.0 + 3 * 2**-7], dtype=torch.bfloat16)
    ).passed


def test_mixed_and_quantised_forgive_what_they_say() -> None:
    assert compare("y", f32(1e-6), f32(2e-6), "mixed").passed
    assert not compare("y", f32(1.0), f32(1.01), "mixed").passed
    assert compare("y", f16(1e-4), f16(5e-4), "mixed").passed
    assert not compare("y", f16(5e-4), f16(-5e-4), "mixed").passed
    assert not compare("y", f32(5e-5), f32(6e-5), "quantised").passed
    low, high = torch.tensor([3], dtype=torch.int8), torch.tensor([4], dtype=torch.int8)
    assert not compare("y", low, high, "mixed").passed
    assert compare("y", low, high, "quantised").passed
    assert not compare("y", low, high + 1, "quantised").passed


def test_integers_must_be_equal_even_beyond_the_reach_of_float64() -> None:
    big = torch.tensor([2**60, 5], dtype=torch.int64)
    found = compare("y", big, big + torch.tensor([1, 0]))
    assert not found.passed
    assert found.errors.mismatched == 1
    assert compare("y", torch.tensor([True, False]), torch.tensor([True, False])).passed
    assert not compare("y", torch.tensor([True]), torch.tensor([False])).passed


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "dtype", [torch.int16, torch.int32, torch.int64, torch.uint8, torch.int8]
)
def test_no_rule_takes_a_neighbouring_integer_for_right(
    rule: str, dtype: torch.dtype
) -> None:
    ids = torch.full((4,), 120, dtype=dtype)
    wrong = ids + 1
    allowed = rule == "quantised" and dtype == torch.int8
    assert compare("ids", ids, wrong, rule).passed == allowed
    assert not compare("ids", ids, wrong + 1, rule).passed


def test_an_empty_output_is_right() -> None:
    found = compare("y", torch.empty(0, 3), torch.empty(0, 3))
    assert found.passed
    assert found.errors.elements == 0


def test_another_shape_or_dtype_is_refused() -> None:
    with pytest.raises(ValueError, match="one shape"):
        compare("y", torch.zeros(2), torch.zeros(1, 2))
    with pytest.raises(ValueError, match="unknown rule"):
        compare("y", torch.zeros(1), torch.zeros(1), "strictest")


NUMPY = {torch.float32: np.float32, torch.float16: np.float16}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@given(
    value=st.floats(allow_nan=False, allow_infinity=False, width=16),
    steps=st.integers(0, 40),
)
@settings(max_examples=150, deadline=None)
def test_ulp_distance_counts_numpy_nextafter_steps(
    dtype: torch.dtype, value: float, steps: int
) -> None:
    kind = NUMPY[dtype]
    start = moved = kind(value)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            moved = np.nextafter(moved, kind(-np.inf))
    if not math.isfinite(float(moved)):
        return
    distance = ulp_distance(
        torch.tensor([float(start)], dtype=dtype),
        torch.tensor([float(moved)], dtype=dtype),
    )
    assert float(distance) == steps


def test_ulp_distance_of_subnormals_and_across_zero() -> None:
    tiny = 2.0**-24  # smallest half subnormal
    assert float(ulp_distance(f16(tiny), f16(3 * tiny))) == 2
    assert float(ulp_distance(f16(tiny), f16(-tiny))) == 2
    assert float(ulp_distance(f16(0.0), f16(-0.0))) == 0
    smallest = float(np.nextafter(np.float32(0), np.float32(1)))
    assert float(ulp_distance(f32(smallest), f32(0.0))) == 1
    step = torch.tensor(
        [2.0**-133, 2.0**-132], dtype=torch.bfloat16
    )  # bfloat16 subnormals
    assert float(ulp_distance(step[:1], step[1:])) == 1


@pytest.mark.parametrize(
    ("wrong", "shape", "words"),
    [
        (range(95, 100), (100,), "the last 5 of 100 elements"),
        (range(8), (100,), "the first 8 of 100"),
        (range(100), (100,), "all 100 elements"),
        (range(0, 100, 8), (100,), "every 8th element from index 0"),
        (
            [i for i in range(100) if i % 10 >= 7],
            (10, 10),
            "only in the last 3 columns of rows of 10",
        ),
        (range(40, 60), (100,), "all between index 40 and 59"),
        ([3, 50, 51], (100,), "first at index 3, last at 51"),
    ],
)
def test_the_pattern_of_wrong_elements_is_told_in_words(
    wrong: list[int], shape: tuple[int, ...], words: str
) -> None:
    expected = torch.zeros(shape)
    actual = expected.clone()
    actual.view(-1)[list(wrong)] = 1.0
    assert words in compare("y", expected, actual).pattern


@pytest.mark.parametrize("rule", ["catalogue", "mixed", "quantised"])
def test_float32_that_passed_through_float16_is_wrong(rule: str) -> None:
    exact = torch.randn(1000, generator=torch.Generator().manual_seed(7))
    assert not compare("y", exact, exact.half().float(), rule).passed
    assert compare("y", exact, exact * (1 + 2e-7), rule).passed


@pytest.mark.parametrize("rule", RULES)
def test_the_size_of_the_portions_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    generator = torch.Generator().manual_seed(4)
    expected = torch.randn(9, 40, generator=generator)
    actual = expected * (
        1 + 2e-3 * torch.rand(9, 40, generator=generator) * (expected > 0.5)
    )
    actual[5, 7], actual[6, 1], expected[6, 1] = (
        float("inf"),
        float("nan"),
        float("nan"),
    )
    whole = compare("y", expected, actual, rule)
    monkeypatch.setattr(error_statistics, "_PORTION", 37)
    parts = compare("y", expected, actual, rule)
    assert whole.errors.mismatched > 0
    assert replace(parts.errors, avg_abs=0.0, avg_rel=0.0) == replace(
        whole.errors, avg_abs=0.0, avg_rel=0.0
    )
    assert parts.errors.worst_index == 5 * 40 + 7
    assert (parts.pattern, parts.rule, parts.passed) == (
        whole.pattern,
        whole.rule,
        whole.passed,
    )
    actual[5, 7] = expected[5, 7]
    monkeypatch.setattr(error_statistics, "_PORTION", 360)
    whole = compare("y", expected, actual, rule)
    monkeypatch.setattr(error_statistics, "_PORTION", 37)
    parts = compare("y", expected, actual, rule)
    assert parts.errors.avg_rel == pytest.approx(whole.errors.avg_rel, rel=1e-12)
    assert parts.errors.worst_index == whole.errors.worst_index
