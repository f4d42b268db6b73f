"""Lessons with a number say what the twin charges: both ways are run, give the same, and cost what the lesson says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch

from core.exchange.seeds import cold_start_bank
from core.memory.said import is_said
from tests.twin.harness import Library, build

Tensors = list[torch.Tensor]
_LESSONS = dict(cold_start_bank())
_PASSES = 10
_NEAR = 0.1  # a lesson outlives a small change of the time model


@dataclass(frozen=True)
class Measured:
    """A lesson with the cases of `kernels/measured.cpp` it rests on, the better one first."""

    uid: str
    cases: tuple[str, ...]
    inputs: Callable[[], Tensors]
    expected: Callable[[Tensors], torch.Tensor]
    every: int = 1  # which elements of what is written are compared


def scaled() -> Tensors:
    return [torch.randn(64, 128), torch.rand(64)]


def rotated() -> Tensors:
    angles = torch.rand(64, 64)
    return [torch.randn(64, 128), angles.cos(), angles.sin()]


def by_halves(tensors: Tensors) -> torch.Tensor:
    x, cos, sin = tensors
    left, right = x[:, :64], x[:, 64:]
    return torch.cat([left * cos - right * sin, right * cos + left * sin], 1)


def chosen() -> Tensors:
    flags = torch.randint(0, 2, (4096,), dtype=torch.uint8)
    return [flags, torch.randn(4096), torch.randn(4096)]


def product() -> Tensors:
    return [
        torch.randint(-8, 8, shape, dtype=torch.int8)
        for shape in ((16, 4096), (4096, 256))
    ]


MEASURED = (
    Measured(
        "seed-0152",
        ("scale/by block", "scale/by value"),
        scaled,
        lambda given: given[0] * given[1][:, None],
    ),
    Measured(
        "seed-0159",
        ("sum/by column", "sum/by lane", "sum/by row"),
        lambda: [torch.randn(16, 512)],
        lambda given: given[0].sum(1),
    ),
    Measured("seed-0154", ("rotate/by half", "rotate/by row"), rotated, by_halves),
    Measured(
        "seed-0155",
        ("count/by mask", "count/by value"),
        lambda: [torch.randint(0, 16, (1024,), dtype=torch.int32)],
        lambda given: torch.bincount(given[0], minlength=16).int(),
    ),
    Measured(
        "seed-0156",
        ("choose/half", "choose/wide"),
        chosen,
        lambda given: torch.where(given[0].bool(), given[1], given[2]),
    ),
    Measured(
        "seed-0157",
        ("best/cut", "best/of all"),
        lambda: [torch.randn(4096), torch.arange(4096, dtype=torch.int32)],
        lambda given: given[0].sort(descending=True).values[:32].repeat_interleave(2),
        every=2,
    ),
    Measured(
        "seed-0158",
        ("thin/mdl", "thin/norm"),
        product,
        lambda given: given[0].int() @ given[1].int(),
    ),
)


@pytest.fixture(scope="module")
def library() -> Library:
    return build("measured")


def cycles(library: Library, case: str, measured: Measured) -> float:
    """Of one pass on the slowest core, whatever stands around it; its result is right."""
    torch.manual_seed(0)
    inputs = measured.inputs()
    expected = measured.expected(inputs)
    times = []
    for passes in (1, 1 + _PASSES):
        output = torch.zeros_like(expected)
        report = library.run(case, inputs, [output], [passes])
        assert report.findings == []
        times.append(max(core["total"] for core in report.cores))
        shown, right = (each[:: measured.every] for each in (output, expected))
        torch.testing.assert_close(shown, right, rtol=1e-4, atol=1e-4)
    return (times[1] - times[0]) / _PASSES


@pytest.mark.parametrize("measured", MEASURED, ids=lambda entry: entry.uid)
def test_a_lesson_costs_and_saves_what_it_says(
    library: Library, measured: Measured
) -> None:
    lesson = _LESSONS[measured.uid]
    best, *others = (cycles(library, case, measured) for case in measured.cases)
    numbers = re.findall(r"\d[\d,]*\d{2}", lesson.summary)
    told = [float(number.replace(",", "")) for number in numbers]
    for cost in (best, *others):
        assert any(number == pytest.approx(cost, rel=_NEAR) for number in told), cost
    assert best < 0.85 * max(others)
    for case in measured.cases:
        assert case in lesson.source
    assert not is_said(measured.uid, lesson.title, lesson.summary)
