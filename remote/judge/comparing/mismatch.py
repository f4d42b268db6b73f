"""What a wrong output looks like: the way it is wrong often names the defect.

Rules, in the order they are tried:

    result-shifted    the wrong elements hold the values of others a fixed distance away: an offset
    result-rounding   every wrong element is a rounding step or a few ulp away: a round mode or a precision
    result-columns    only the last columns of the rows are wrong: a tail or a mask
    result-tail       only the last elements are wrong: a tail
    result-part       only a part is wrong: a count, a mask, a block
    result-wrong      none of these
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

FARTHEST = 256  # elements a shift is looked for, both ways
_SAMPLE = 2048  # wrong elements that are looked at for a shift
_LEAST_VALUES = 8  # different values without which a shift is seen by chance
_AGREEING = 0.9
_FEW_ULP = 16.0

HINTS = {
    "result-shifted": "Check the offsets of the copies and of the tensors.",
    "result-rounding": "Check round modes of Cast and where precision is lost.",
    "result-columns": "Check the handling of a last dimension that does not fill its blocks.",
    "result-tail": "Check the last tile and the last core.",
    "result-part": "Check counts, masks and the split over the cores.",
    "result-wrong": "Check the formula and the attributes.",
}


def mismatch_rule(
    wrong: torch.Tensor,
    expected: torch.Tensor,
    actual: torch.Tensor,
    ulps: torch.Tensor,
    shape: Sequence[int],
) -> tuple[str, int]:
    """The rule for an output with wrong elements, and the distance of a shift (0 otherwise).

    Args:
        wrong: Flat mask of the wrong elements, at least one.
        expected: Reference, flat, float64.
        actual: Result, flat, float64.
        ulps: Distance of every wrong element in units in the last place.
        shape: Shape of the output.
    """
    where = wrong.nonzero().flatten()
    distance = _shift(where, expected, actual)
    if distance:
        return "result-shifted", distance
    difference = (actual[where] - expected[where]).abs()
    whole = bool((expected == expected.round()).all())
    near = bool((ulps <= _FEW_ULP).all()) or (whole and bool((difference <= 1).all()))
    # Of yes and no, every wrong answer is one step away.
    if near and not (whole and len(torch.unique(expected)) <= 2):
        return "result-rounding", 0
    total, first = wrong.numel(), int(where[0])
    row = shape[-1] if shape else 0
    if len(where) == total:
        return "result-wrong", 0
    if int(where[-1]) == total - 1 and total - first == len(where):
        return "result-tail", 0
    if (
        1 < row < total
        and int((where % row).min()) > 0
        and int((where % row).max()) == row - 1
    ):
        return "result-columns", 0
    return ("result-part" if _few_runs(where, total) else "result-wrong"), 0


def _shift(where: torch.Tensor, expected: torch.Tensor, actual: torch.Tensor) -> int:
    """Distance k with actual[i] = expected[i + k] for nearly all wrong i; 0 when there is none."""
    where = where[:_SAMPLE]
    got = actual[where]
    if len(torch.unique(got)) < _LEAST_VALUES:
        return 0
    for size in range(1, FARTHEST + 1):
        for distance in (size, -size):
            source = where + distance
            inside = (source >= 0) & (source < len(expected))
            if int(inside.sum()) < _LEAST_VALUES:
                continue
            agreeing = expected[source[inside]] == got[inside]
            if float(agreeing.double().mean()) >= _AGREEING:
                return distance
    return 0


def _few_runs(where: torch.Tensor, total: int) -> bool:
    """Whether the wrong elements lie together in runs, with whole runs of right ones between them."""
    runs = 1 + int((where[1:] - where[:-1] > 1).sum())
    return len(where) >= 8 * runs and total - len(where) >= 8 * runs
