"""Inputs that no kernel can foresee: the text of the candidate draws them."""

from __future__ import annotations

import hashlib
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.operators.spec import InputSpec, TestCase
from remote.judge.inputs.case_data import WIDTHS
from remote.judge.inputs.fills import fill_apart, fill_by

_SEEDS = (1 << 31) - 1  # every generator of random numbers takes seeds below it
_KEY = 32  # characters of a key that a fill names
_MOST_CUT = 0.25  # of a range, at either end
_FROM_WHERE_UNREAD = 0.875  # of a range: what lies above is drawn
_UNIFORM = re.compile(r"uniform\(([^,]+),([^)]+)\)")
_NARROW = 64  # times a range reaches where it lies
_MOST_LENT = 2  # other cases whose numbers are tried
_FAR_ALONE = 64  # places with one number further from zero
_STRETCH = 8  # of so many parts of an input one has such numbers all along
# Fills without arguments that are drawn, see `fills`.
_DRAWN = {"normal": (-6.0, 6.0), "special": (-math.inf, math.inf)}
_FOR_NORMAL_WHERE_UNREAD = "uniform(2,3)"


def text_key(files: Mapping[str, str]) -> str:
    """What stands for the text of a candidate; any edit makes another one.

    Args:
        files: Path -> text.
    """
    digest = hashlib.sha256()
    for part in (part for file in sorted(files.items()) for part in file):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def drawn_case(
    case: TestCase,
    key: str,
    far: TestCase | None = None,
    *,
    is_elsewhere: bool = False,
) -> TestCase:
    """The case with inputs that `key` draws; shapes, dtypes and attributes stay as they are.

    What an earlier round was told of them is of no use to another text. The seed that the case has keeps a
    text from knowing its own inputs, where it is a secret. Beside others, whole numbers of more than a byte stay
    as they are: they may say how much is to be done, and no text should have less of it by luck.

    Args:
        case: The case.
        key: See `text_key`.
        far: Another one whose numbers lie further from zero, see `with_far_values`. They stand at a few places
            and in one stretch: where all elements are alike, a few of them tell what the rest is.
        is_elsewhere: Whether ranges are drawn as well, within those of the case. The mean of ten million numbers
            is the same for every seed, so that a kernel could return it as a constant.
    """
    draw = random.Random(f"{key}/{case.name}/{case.seed}")
    if case.row:  # only its own code knows what its inputs are
        return replace(case, seed=draw.randrange(_SEEDS))
    inputs = dict(case.inputs)
    numbers = [
        name
        for name, entry in inputs.items()
        if entry.dtype == "int8" or not _is_whole(entry)
    ]
    for name in numbers or inputs:
        entry = inputs[name]
        fill = _elsewhere(entry.fill, draw) if is_elsewhere else entry.fill
        inputs[name] = replace(entry, fill=fill_by(key[:_KEY], fill))
    if far is not None:
        places = draw.getrandbits(64)
        for name in _lendable(case):
            fill = far.inputs[name].fill
            some = _in_places(inputs[name], fill, random.Random(places))
            inputs[name] = replace(inputs[name], fill=some)
    return replace(case, inputs=inputs)


def _elsewhere(fill: str, draw: random.Random) -> str:
    """Numbers from a part of a range, normal ones with another mean and deviation; other fills as they are."""
    first, second = draw.random(), draw.random()
    if fill == "normal":
        return f"normal({first / 2 - 0.25!r},{1.1 - second / 2!r})"
    return _part(fill, first * _MOST_CUT, 1 - second * _MOST_CUT)


def _part(fill: str, first: float, last: float) -> str:
    """The fill with a part of its range, from one share of it to another; other fills as they are."""
    bounds = _range_bounds(fill)
    if bounds is None:
        return fill
    low, high = bounds
    width = high - low
    return f"uniform({low + first * width!r},{low + last * width!r})"


def _in_places(entry: InputSpec, far: str, draw: random.Random) -> str:
    """The fill of an input with another in some places.

    Inputs of one shape have them at the same places: a far number beside a near one may ask for more digits.
    """
    elements = max([1, *map(math.prod, entry.all_shapes)])
    first = draw.randrange(elements)
    alone = draw.choices(range(elements), k=min(_FAR_ALONE, elements // _STRETCH))
    places = [(first, first + elements // _STRETCH), *((at, at + 1) for at in alone)]
    return fill_apart(entry.fill, {None: places}, far)


def further_cases(case: TestCase, others: Sequence[TestCase]) -> list[TestCase]:
    """Those with numbers further from zero that the case could have, furthest first.

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
    lent: dict[tuple[str, ...], TestCase] = {}
    for other in sorted(further, key=_reach, reverse=True):
        fills = tuple(other.inputs[name].fill for name in _lendable(case))
        lent.setdefault(fills, other)
    return list(lent.values())[:_MOST_LENT]


def with_far_values(case: TestCase, other: TestCase) -> TestCase:
    """The case with all numbers of another one that lie further from zero."""
    lent = {
        name: replace(case.inputs[name], fill=other.inputs[name].fill)
        for name in _lendable(case)
    }
    return replace(case, inputs={**case.inputs, **lent})


def _lendable(case: TestCase) -> list[str]:
    """Names of the inputs whose numbers are drawn from a range."""
    return [
        name
        for name, entry in case.inputs.items()
        if _bounds(entry.fill) and not _is_whole(entry)
    ]


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
    """Least and greatest of numbers that are drawn; None for other fills."""
    return _range_bounds(fill) or _DRAWN.get(fill)


def _range_bounds(fill: str) -> tuple[float, float] | None:
    """Least and greatest of `uniform(…)`; None for other fills."""
    bounds = _UNIFORM.fullmatch(fill)
    return None if bounds is None else (float(bounds[1]), float(bounds[2]))


def cases_where_unread(
    case: TestCase,
    as_run: TestCase,
    unread: Mapping[str, Mapping[int, Sequence[tuple[int, int]]]],
    others: Sequence[TestCase],
) -> Iterator[tuple[str, TestCase]]:
    """Names of inputs, each with a case that has other numbers where its kernel reads nothing of it.

    They are larger ones, as a sum over many numbers is right within its tolerance when a part of them was left
    out, then those of other cases, which lie further from zero. One input is changed at a time: what two do to
    a result may cancel out.

    Args:
        case: A case whose inputs are described by shape and fill.
        as_run: The case as it ran, see `drawn_case`.
        unread: Name of an input -> number of the tensor in its list -> ranges of its bytes.
        others: All of the operator.
    """
    lent = [with_far_values(case, other) for other in further_cases(case, others)]
    for name, entry in case.inputs.items():
        is_plain = entry.layout == "contiguous" and not entry.strides
        if name not in unread or not is_plain:
            continue
        before = as_run.inputs[name]
        larger = _larger(entry.fill)
        for fill in dict.fromkeys([larger, *(each.inputs[name].fill for each in lent)]):
            if fill != entry.fill:
                changed = replace(before, fill=_changed(before, unread[name], fill))
                yield name, replace(as_run, inputs={**as_run.inputs, name: changed})


def _changed(
    entry: InputSpec, unread: Mapping[int, Sequence[tuple[int, int]]], fill: str
) -> str:
    width = WIDTHS[entry.dtype]
    places: dict[int | None, list[tuple[int, int]]] = {
        tensor: [(first // width, end // width) for first, end in ranges]
        for tensor, ranges in unread.items()
    }
    return fill_apart(entry.fill, places, fill)


def _larger(fill: str) -> str:
    """A fill with numbers from the upper end of a range; other fills as they are."""
    if fill == "normal":
        return _FOR_NORMAL_WHERE_UNREAD
    return _part(fill, _FROM_WHERE_UNREAD, 1.0)
