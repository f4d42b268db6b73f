"""Where in an output the wrong elements lie: a picture of bounded size, whatever the size of the output.

An output of at least two dimensions is seen as rows of its last one; anything else as one row, cut into
lines. Each cell of the picture covers elements that lie together and tells which share of them is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

SIDE = 64  # most cells in a line and most lines
_FULL = 255


@dataclass(frozen=True)
class ErrorMap:
    """Fields as in `core.evaluation.records.ErrorMap`."""

    shape: tuple[int, ...]
    rows: int
    columns: int
    flat: bool
    cells: str


def error_map(wrong: torch.Tensor, shape: Sequence[int]) -> ErrorMap:
    """Draw the picture of an output with wrong elements.

    Args:
        wrong: Flat mask of the wrong elements; at least one element.
        shape: Shape of the output.
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
        every = torch.outer(_sizes(height, rows, rows), _sizes(width, columns, columns)).flatten()
        index = (where // width) * rows // height * columns + (where % width) * columns // width
    bad = torch.bincount(index, minlength=rows * columns)
    share = (bad * _FULL + every - 1).div(every.clamp(min=1), rounding_mode="floor").clamp(min=0, max=_FULL)
    return ErrorMap(tuple(shape), rows, columns, flat, bytes(share.tolist()).hex())


def _sizes(total: int, cells: int, padded: int) -> torch.Tensor:
    """How many of the places 0..total-1 fall into each of `cells` cells, which are filled up to `padded`."""
    starts = (torch.arange(cells + 1) * total + cells - 1) // cells
    return torch.nn.functional.pad(starts.diff(), (0, padded - cells))
