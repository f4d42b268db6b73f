"""The way an output is wrong gets a name, from tensors as they come out of real defects."""

from __future__ import annotations

import pytest
import torch

from remote.judge.comparing.error_statistics import compare

SHAPE = (40, 100)


def reference() -> torch.Tensor:
    return torch.randn(SHAPE, generator=torch.Generator().manual_seed(7))


def flat(change: str) -> torch.Tensor:
    """The reference, spoilt."""
    right = reference()
    values = right.flatten().clone()
    if change == "shifted":
        values = values.roll(8)
    elif change == "shifted-block":
        values[1000:2000] = right.flatten()[1001:2001]
    elif change == "columns":
        values.view(SHAPE)[:, 96:] = 0
    elif change == "tail":
        values[-300:] = 0
    elif change == "part":
        values[1000:2000] = 0
    elif change == "formula":
        values = values * 2 + 1
    return values.view(SHAPE)


@pytest.mark.parametrize(
    ("change", "rule", "shift"),
    [
        ("none", "", 0),
        ("shifted", "result-shifted", -8),
        ("shifted-block", "result-shifted", 1),
        ("columns", "result-columns", 0),
        ("tail", "result-tail", 0),
        ("part", "result-part", 0),
        ("formula", "result-wrong", 0),
    ],
)
def test_a_defect_is_named_by_its_effect(change: str, rule: str, shift: int) -> None:
    found = compare("y", reference(), flat(change))
    assert (found.rule, found.shift) == (rule, shift)


def test_a_round_mode_is_named_for_integers_and_halves() -> None:
    real = reference() * 100
    assert (
        compare("y", real.round().int(), real.floor().int()).rule == "result-rounding"
    )
    half = real.half()
    off = (half.view(torch.int16) + 4).view(torch.half)
    assert compare("y", half, off).rule == "result-rounding"


def test_a_wrong_answer_of_yes_and_no_is_no_rounding() -> None:
    expected = reference() > 0
    actual = expected.clone()
    actual.view(-1)[-300:] = ~actual.view(-1)[-300:]
    assert (
        compare("y", expected.view(torch.uint8), actual.view(torch.uint8)).rule
        == "result-tail"
    )


def test_equal_values_are_no_shift() -> None:
    expected = torch.ones(1000, dtype=torch.int32)
    assert compare("y", expected, torch.zeros_like(expected)).rule != "result-shifted"
