"""Where in an output the wrong elements lie: a picture of bounded size, whatever the size of the output.

An output of at least two dimensions is seen as rows of its last one; anything else as one row, cut into
lines. Each cell of the picture covers elements that lie together and tells which share of them is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from core.evaluation.records import ErrorMap, WrongElement

SIDE = 64  # most cells in a line and most lines
MOST_RUNS = 512  # runs of wrong elements that are reported exactly
MOST_VALUES = 128  # wrong elements whose values are reported: half of them the first ones, the others spread evenly
_FULL = 255


def error_map(
    wrong: torch.Tensor,
    shape: Sequence[int],
    expected: torch.Tensor | None = None,
    actual: torch.Tensor | None = None,
) -> ErrorMap:
    """Draw the picture of an output with wrong elements.

    Args:
        wrong: Flat mask of the wrong elements; at least one element.
        shape: Shape of the output.
        expected: Reference, flat, for the values of some wrong elements.
        actual: Result, flat; given when `expected` is.
    """
    total = wrong.numel()
    width = shape[-1] if shape else 1
    height = total // max(1, width)
    where = wrong.nonzero().flatten()
    flat = width == 1 or height == 1
    if flat:
        columns = min(total, SIDE)
        cells = min(total, SIDE * SIDE)
        rows = -(-cells // columns)
        every = _sizes(total, cells, rows * columns)
        index = where * cells // total
    else:
        rows, columns = min(height, SIDE), min(width, SIDE)
        every = torch.outer(
            _sizes(height, rows, rows), _sizes(width, columns, columns)
        ).flatten()
        index = (where // width) * rows // height * columns + (
            where % width
        ) * columns // width
    bad = torch.bincount(index, minlength=rows * columns)
    share = (
        (bad * _FULL + every - 1)
        .div(every.clamp(min=1), rounding_mode="floor")
        .clamp(min=0, max=_FULL)
    )
    runs, complete = _runs(where)
    values = (
        () if expected is None or actual is None else _values(where, expected, actual)
    )
    return ErrorMap(
        tuple(shape),
        rows,
        columns,
        flat,
        bytes(share.tolist()).hex(),
        runs,
        complete,
        values,
        actual.element_size() if actual is not None else 0,
    )


def _runs(where: torch.Tensor) -> tuple[tuple[int, ...], bool]:
    """First element and length of each run, in turn, and whether these are all runs."""
    starts = (
        torch.cat([torch.ones(1, dtype=torch.bool), where.diff() != 1])
        .nonzero()
        .flatten()
    )
    lengths = torch.cat([starts, torch.tensor([len(where)])]).diff()
    pairs = torch.stack([where[starts], lengths], dim=1)[:MOST_RUNS]
    return tuple(pairs.flatten().tolist()), len(starts) <= MOST_RUNS


def _values(
    where: torch.Tensor, expected: torch.Tensor, actual: torch.Tensor
) -> tuple[WrongElement, ...]:
    """Values of the first wrong elements, and of others spread evenly over the rest."""
    first = where[: MOST_VALUES // 2]
    rest = where[MOST_VALUES // 2 :]
    step = max(1, -(-len(rest) // (MOST_VALUES // 2)))
    return tuple(
        WrongElement(int(at), _text(expected[at]), _text(actual[at]))
        for at in torch.cat([first, rest[::step]])
    )


def _text(value: torch.Tensor) -> str:
    """A value so that no digit of its type is lost: integers whole, float32 with nine digits."""
    number = value.item()
    return f"{number:.9g}" if isinstance(number, float) else str(int(number))


def _sizes(total: int, cells: int, padded: int) -> torch.Tensor:
    """How many of the places 0..total-1 fall into each of `cells` cells, which are filled up to `padded`."""
    starts = (torch.arange(cells + 1) * total + cells - 1) // cells
    return torch.nn.functional.pad(starts.diff(), (0, padded - cells))
