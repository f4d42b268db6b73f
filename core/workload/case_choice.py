"""Which signatures of an operator become cases, and in which sizes.

Real shapes are visible, timed and weighted by their calls. Hidden are neighbours of
them: fewer rows, more rows, three, and rows that end within a block. No profile has
strides, so every input is contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.workload.records import Group, Tensor

COVERED = 0.9  # of an operator's time
_MOST_CASES = 12
# Elements of all inputs of a case that the twin runs; more is left to a card. Vector
# cores take a second for the most, cube cores multiply element by element.
BIG, BIG_PRODUCT = 1 << 25, 1 << 21
_MOST_TIMED = 1 << 26  # elements of all of them
_AIM = 1 << 17  # elements of a neighbour, and of what stands for a big product
# Of what stands for any other: data, not the launch, take its time.
_AIM_TIMED = 1 << 20
_CUBE = ("AI_CORE", "MIX_AIC")
_LEAST_ROWS = 2
_LEAST_WIDTH = 8


@dataclass(frozen=True)
class CaseShape:
    """A case to be: inputs in call order.

    Attributes:
        calls: In a step; 0 for a neighbour.
        median_us: What CANN's operator takes; 0 for a neighbour.
        big: Whether it is left to a card.
        derived: Whether it stands for a big one.
    """

    name: str
    inputs: tuple[Tensor, ...]
    calls: float = 0.0
    median_us: float = 0.0
    hidden: bool = False
    big: bool = False
    derived: bool = False


def cases_of(groups: Sequence[Group]) -> list[CaseShape]:
    """Visible and hidden cases of an operator, from its signatures with shapes.

    Taken are signatures by falling time until most of it is covered, and of every data
    type at least one.
    """
    covering = _covering_groups(groups)
    cases: list[CaseShape] = []
    room = _MOST_TIMED
    for index, group in enumerate(covering):
        name = f"profile-{index + 1}"
        is_product = group.core in _CUBE
        elements = sum(tensor.elements for tensor in group.inputs)
        most = BIG_PRODUCT if is_product else BIG
        big = elements > min(room, most)
        whole = CaseShape(name, group.inputs, group.calls, group.median_us, big=big)
        cases.append(whole)
        if not big:
            room -= elements
            continue
        # The twin runs a smaller one in its place, with the same calls.
        aim = _AIM if is_product else _AIM_TIMED
        rows = _rows_for(group.inputs, aim)
        stand_in = replace(
            whole,
            name=f"{name}-small",
            inputs=_with_rows(group.inputs, rows),
            big=False,
            derived=True,
        )
        cases.append(stand_in)
    return [*cases, *_neighbours(covering, cases)]


def _neighbours(
    groups: Sequence[Group], visible: Sequence[CaseShape]
) -> list[CaseShape]:
    """Hidden cases near the real ones, each of a size class that no other case has."""
    classes = {_size_class(case.inputs) for case in visible}
    hidden = []
    for index, group in enumerate(groups):
        rows = min(_rows(group.inputs), _rows_for(group.inputs))
        # Odd numbers of rows, which do not divide among cores.
        fewer_rows = max(1, rows // 2 - 1)
        more_rows = 2 * rows + 1
        near = {
            "less": _with_rows(group.inputs, fewer_rows),
            "more": _with_rows(group.inputs, more_rows),
            "few": _with_rows(group.inputs, 3),
            "tail": _with_width(_with_rows(group.inputs, rows)),
        }
        for word, inputs in near.items():
            size_class = _size_class(inputs)
            if size_class not in classes:
                classes.add(size_class)
                name = f"hidden-{index + 1}-{word}"
                hidden.append(CaseShape(name, inputs, hidden=True))
    return hidden


def _size_class(inputs: Sequence[Tensor]) -> tuple[object, ...]:
    """Types and orders of magnitude, and whether rows end on a block of 32 bytes."""
    classes = []
    for tensor in inputs:
        magnitudes = tuple(size.bit_length() for size in tensor.shape)
        rows = math.prod(tensor.shape[:-1])
        row_bytes = (tensor.bytes or 0.0) / max(1, rows)
        ends_on_block = row_bytes % 32 == 0
        classes.append((tensor.dtype, magnitudes, ends_on_block))
    return tuple(classes)


def _with_width(inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Rows two elements shorter, so that they end within a block; halves stay whole."""
    widths = (tensor.shape[-1] for tensor in inputs if tensor.shape)
    width = next(widths, 0)
    if width < _LEAST_WIDTH:
        return tuple(inputs)
    return _with_length(inputs, width, width - 2)


def _covering_groups(groups: Sequence[Group]) -> list[Group]:
    """Signatures by falling time up to `COVERED` of all of it, and one at least of every data type."""
    total = sum(group.step_us for group in groups)
    covering: list[Group] = []
    reached = 0.0
    dtypes: set[tuple[str, ...]] = set()
    for group in sorted(groups, key=lambda one: -one.step_us):
        kinds = tuple(tensor.dtype for tensor in group.inputs)
        is_covered = reached >= COVERED * total
        is_full = is_covered or len(covering) >= _MOST_CASES
        if not is_full or kinds not in dtypes:
            covering.append(group)
        reached += group.step_us
        dtypes.add(kinds)
    return covering


def _rows(inputs: Sequence[Tensor]) -> int:
    """The first length of the first input that has one, of more than a single row."""
    for tensor in inputs:
        for size in tensor.shape[:-1] or tensor.shape:
            if size > 1:
                return size
    return 1


def _rows_for(inputs: Sequence[Tensor], aim: int = _AIM) -> int:
    """So many rows that all inputs have about `aim` elements."""
    rows = _rows(inputs)
    total = sum(tensor.elements for tensor in inputs)
    if total <= aim:
        return rows
    fitting = math.ceil(rows * aim / total)
    return min(rows, max(_LEAST_ROWS, fitting))


def _with_rows(inputs: Sequence[Tensor], count: int) -> tuple[Tensor, ...]:
    """The inputs with another number of rows: every length equal to it changes.

    That keeps what shapes share, as long as no other axis has the same length.
    """
    rows = _rows(inputs)
    if rows <= 1:
        return tuple(inputs)
    return _with_length(inputs, rows, count)


def _with_length(
    inputs: Sequence[Tensor], length: int, other: int
) -> tuple[Tensor, ...]:
    """The inputs with another length wherever they have this one."""
    changed = []
    for tensor in inputs:
        shape = tuple(other if size == length else size for size in tensor.shape)
        changed.append(replace(tensor, shape=shape))
    return tuple(changed)
