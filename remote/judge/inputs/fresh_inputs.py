"""Inputs that a kernel which was just timed has not seen, and whose results it cannot foresee."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.operators.spec import InputSpec, TestCase
from remote.judge.inputs.case_data import WIDTHS
from remote.judge.inputs.fills import fill_apart

_FRESH_SEED = 104729  # added to the seed of the case
_FROM = 0.25  # of the range of a uniform fill: what lies above is drawn
_FROM_WHERE_UNREAD = 0.875
_UNIFORM = re.compile(r"uniform\(([^,]+),([^)]+)\)")
_NARROW = 64  # times a range reaches where it lies
# Fills without arguments that are drawn, see `fills`.
_DRAWN = {"normal": (-6.0, 6.0), "special": (-math.inf, math.inf)}
# Inside the normal fill's range, with another mean and variance.
_FOR_NORMAL = "uniform(-0.5,1.5)"
_FOR_NORMAL_WHERE_UNREAD = "uniform(2,3)"


def fresh_case(case: TestCase) -> TestCase:
    """The case with another seed and other distributions: shapes, dtypes and attributes stay as they are.

    The mean of ten million numbers is the same for every seed, so that a kernel could return it as a
    constant. A narrower range also has another mean and variance, and lies within what the operator takes.
    """
    inputs = {
        name: replace(entry, fill=_narrower(entry, _FROM, _FOR_NORMAL))
        for name, entry in case.inputs.items()
    }
    return replace(case, seed=case.seed + _FRESH_SEED, inputs=inputs)


def with_far_values(
    case: TestCase, others: Sequence[TestCase]
) -> list[tuple[TestCase, TestCase]]:
    """The case with numbers of others of its operator, which lie further from zero, and whose they are; furthest first.

    Extreme values are tried in small cases alone, so that a kernel could do without what only they need where
    tensors are large. Which numbers go together the cases of the operator know: one with the same dtypes and
    attributes lends those it draws from a range; what else there is stays. Ranges that are narrow for where they
    lie are left to their own shapes: they ask for digits, and for more of them the more numbers are added.
    """
    further = [
        other
        for other in others
        if (other.attributes, _forms(other)) == (case.attributes, _forms(case))
        and _reach(other) > _reach(case)
        and not _is_narrow(other)
        and other.elements
        and not case.row
    ]
    ranked = sorted(further, key=_reach, reverse=True)
    lent = [(other, _with_numbers_of(other, case)) for other in ranked]
    made = [changed for _, changed in lent]
    return [pair for at, pair in enumerate(lent) if pair[1] not in made[:at]]


def _with_numbers_of(other: TestCase, case: TestCase) -> TestCase:
    inputs = {
        name: replace(entry, fill=other.inputs[name].fill)
        if _bounds(entry.fill) and not _is_whole(entry)
        else entry
        for name, entry in case.inputs.items()
    }
    return replace(case, inputs=inputs)


def _forms(case: TestCase) -> dict[str, tuple[str, str]]:
    """Dtype of each input, and what numbers it has unless they are whole or drawn from a range."""
    return {
        name: (
            entry.dtype,
            "" if _is_whole(entry) or _bounds(entry.fill) else entry.fill,
        )
        for name, entry in case.inputs.items()
    }


def _is_whole(entry: InputSpec) -> bool:
    return "int" in entry.dtype or entry.dtype == "bool"


def _reach(case: TestCase) -> float:
    """How far from zero numbers of a case lie that are drawn from a range; 0 where none are."""
    bounds = (_bounds(entry.fill) for entry in case.inputs.values())
    return max((max(map(abs, each)) for each in bounds if each), default=0.0)


def _is_narrow(case: TestCase) -> bool:
    bounds = (_bounds(entry.fill) for entry in case.inputs.values())
    return any(
        _NARROW * (high - low) < max(abs(low), abs(high))
        for low, high in filter(None, bounds)
    )


def _bounds(fill: str) -> tuple[float, float] | None:
    """Least and greatest of numbers drawn from a range; None for other fills."""
    bounds = _UNIFORM.fullmatch(fill)
    if bounds is not None:
        return float(bounds[1]), float(bounds[2])
    return _DRAWN.get(fill)


def cases_where_unread(
    case: TestCase, unread: Mapping[str, Sequence[tuple[int, int]]]
) -> Iterator[tuple[str, TestCase]]:
    """Names of inputs, each with the case that has larger numbers where its kernel reads nothing of it.

    A sum over many numbers is right within its tolerance when a part of them was left out. One input is
    changed at a time: what two do to a result may cancel out.

    Args:
        case: A case whose inputs are described by shape and fill.
        unread: Name of an input -> ranges of its bytes.
    """
    for name, entry in case.inputs.items():
        is_plain = entry.layout == "contiguous" and not entry.strides
        if name not in unread or not is_plain or len(entry.all_shapes) != 1:
            continue
        changed = replace(entry, fill=_changed(entry, unread[name]))
        if changed.fill != entry.fill:
            yield name, replace(case, inputs={**case.inputs, name: changed})


def _changed(entry: InputSpec, unread: Sequence[tuple[int, int]]) -> str:
    other = _narrower(entry, _FROM_WHERE_UNREAD, _FOR_NORMAL_WHERE_UNREAD)
    if other == entry.fill:
        return entry.fill
    width = WIDTHS[entry.dtype]
    places = [(first // width, end // width) for first, end in unread]
    return fill_apart(entry.fill, places, other)


def _narrower(entry: InputSpec, share: float, for_normal: str) -> str:
    """A fill with numbers from a part of the range: what lies above `share` of it; `for_normal` for normal ones."""
    if entry.fill == "normal":
        return for_normal
    bounds = _UNIFORM.fullmatch(entry.fill)
    if bounds is None:
        return entry.fill
    low, high = float(bounds[1]), float(bounds[2])
    return f"uniform({low + share * (high - low)!r},{high!r})"
