"""The costs that stand as text on the prompt's page of numbers are those the twin charges."""

from __future__ import annotations

import pytest

from core.agent.prompt.machine_text import machine_text
from tests.twin.harness import Library, build

PAGE = " ".join(machine_text("Ascend910B1").split())


@pytest.fixture(scope="module")
def library() -> Library:
    return build("machine_page")


def busy(library: Library, pipe: str, case: str, *parameters: float) -> float:
    """Cycles a pipe works."""
    report = library.run(case, parameters=parameters)
    assert report.rules("error") == []
    return report.cores[0][pipe]


@pytest.mark.parametrize(
    ("words", "calls", "cycles"),
    [
        ("1 cycle a repeat of 256 bytes (Abs, Relu, Muls)", "Abs Relu Muls", (1, 1)),
        ("1 to 2 for Cast", "Cast", (2, 1)),
        ("2 for two sources (Add, Mul)", "Add Mul", (2, 2)),
        ("Exp, Ln, Sqrt 2 to 4", "Exp Ln Sqrt", (4, 2)),
        ("reductions about 7", "WholeReduceSum", (7, 7)),
    ],
)
def test_a_repeat_takes_the_cycles_of_the_page(
    library: Library, words: str, calls: str, cycles: tuple[int, int]
) -> None:
    """`cycles` are those of half and of float."""
    assert words in PAGE
    for call in calls.split():
        for dtype, expected in zip(("half", "float"), cycles, strict=True):
            few, more = (
                busy(library, "vector", f"{call}/{dtype}", repeats)
                for repeats in (8, 40)
            )
            assert (more - few) / 32 == pytest.approx(expected), (call, dtype)


def test_issuing_and_flags_take_the_cycles_of_the_page(library: Library) -> None:
    assert "takes 4 cycles of the scalar unit, setting or waiting for a flag 4" in PAGE
    few, more, flags = (
        busy(library, "scalar", "issued", calls, pairs)
        for calls, pairs in ((8, 0), (40, 0), (40, 1))
    )
    assert (more - few) / 32 == pytest.approx(4)
    assert (flags - more) / 40 == pytest.approx(2 * 4), "one set, one waited for"
