"""Inputs that a kernel which was just timed has not seen, and whose results it cannot foresee."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.operators.spec import InputSpec, TestCase
from remote.judge.inputs.case_data import WIDTHS
from remote.judge.inputs.fills import fill_apart

_FRESH_SEED = 104729  # added to the seed of the case
_FROM = 0.25  # of the range of a uniform fill: what lies above is drawn
_FROM_WHERE_UNREAD = 0.875
_UNIFORM = re.compile(r"uniform\(([^,]+),([^)]+)\)")
_NARROW = 64  # times a range reaches where it lies
_MOST_LENT = 2  # other cases whose numbers are put where nothing is read
_FAR_ALONE = 64  # places with one number further from zero
_STRETCH = 8  # of so many parts of an input one has such numbers all along
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


@dataclass(frozen=True)
class FarValues:
    """`fresh_case` with numbers of another case of its operator, which lie further from zero.

    Attributes:
        lender: Whose they are.
        everywhere: All numbers are such.
        in_places: Some are, at a few places and in one stretch: where all elements are alike, a few of them
            tell what the rest is.
    """

    lender: TestCase
    everywhere: TestCase
    in_places: TestCase


def with_far_values(case: TestCase, others: Sequence[TestCase]) -> list[FarValues]:
    """The case with numbers of each other one that lie further from zero; furthest first.

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
    lent = [_with_numbers_of(other, case) for other in ranked]
    made = [values.everywhere for values in lent]
    return [values for at, values in enumerate(lent) if made[at] not in made[:at]]


def _with_numbers_of(other: TestCase, case: TestCase) -> FarValues:
    fresh, far = fresh_case(case), fresh_case(other)
    lent = {
        name: replace(entry, fill=far.inputs[name].fill)
        for name, entry in fresh.inputs.items()
        if _bounds(case.inputs[name].fill) and not _is_whole(entry)
    }
    some = {
        name: replace(entry, fill=_some_of(case, fresh.inputs[name], entry.fill))
        for name, entry in lent.items()
    }
    everywhere = replace(fresh, inputs={**fresh.inputs, **lent})
    return FarValues(other, everywhere, replace(fresh, inputs={**fresh.inputs, **some}))


def _some_of(case: TestCase, entry: InputSpec, far: str) -> str:
    """The fill of an input with another in some places, which the seed of its case draws.

    Inputs of one shape have them at the same places: a far number beside a near one may ask for more digits.
    """
    draw = random.Random(f"{case.name}/{case.seed}")
    elements = max([1, *map(math.prod, entry.all_shapes)])
    first = draw.randrange(elements)
    alone = draw.choices(range(elements), k=min(_FAR_ALONE, elements // _STRETCH))
    places = [(first, first + elements // _STRETCH), *((at, at + 1) for at in alone)]
    return fill_apart(entry.fill, {None: places}, far)


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
    case: TestCase,
    unread: Mapping[str, Mapping[int, Sequence[tuple[int, int]]]],
    others: Sequence[TestCase],
) -> Iterator[tuple[str, TestCase]]:
    """Names of inputs, each with a case that has other numbers where its kernel reads nothing of it.

    They are larger ones, as a sum over many numbers is right within its tolerance when a part of them was left
    out, then those of other cases, which lie further from zero. One input is changed at a time: what two do to
    a result may cancel out.

    Args:
        case: A case whose inputs are described by shape and fill.
        unread: Name of an input -> number of the tensor in its list -> ranges of its bytes.
        others: All of the operator.
    """
    lent = [values.everywhere for values in with_far_values(case, others)[:_MOST_LENT]]
    for name, entry in case.inputs.items():
        is_plain = entry.layout == "contiguous" and not entry.strides
        if name not in unread or not is_plain:
            continue
        larger = _narrower(entry, _FROM_WHERE_UNREAD, _FOR_NORMAL_WHERE_UNREAD)
        for fill in dict.fromkeys([larger, *(each.inputs[name].fill for each in lent)]):
            if fill != entry.fill:
                changed = replace(entry, fill=_changed(entry, unread[name], fill))
                yield name, replace(case, inputs={**case.inputs, name: changed})


def _changed(
    entry: InputSpec, unread: Mapping[int, Sequence[tuple[int, int]]], fill: str
) -> str:
    width = WIDTHS[entry.dtype]
    places: dict[int | None, list[tuple[int, int]]] = {
        tensor: [(first // width, end // width) for first, end in ranges]
        for tensor, ranges in unread.items()
    }
    return fill_apart(entry.fill, places, fill)


def _narrower(entry: InputSpec, share: float, for_normal: str) -> str:
    """A fill with numbers from a part of the range: what lies above `share` of it; `for_normal` for normal ones."""
    if entry.fill == "normal":
        return for_normal
    bounds = _UNIFORM.fullmatch(entry.fill)
    if bounds is None:
        return entry.fill
    low, high = float(bounds[1]), float(bounds[2])
    return f"uniform({low + share * (high - low)!r},{high!r})"
