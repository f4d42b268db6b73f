"""What tells the failing cases of an evaluation from the passing ones, in one sentence.

Properties are those that may be said of a hidden case: its classes, its dtypes, the size class, whether rows
fill whole 32-byte blocks, and attribute values that a visible case has too. Shapes and values are none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evaluation.records import CaseResult
from core.operators.case_classes import ClassKind, classes_of, shapes_of
from core.operators.spec import OperatorSpec, TestCase

SETTLED = frozenset({"pass", "skipped"})
_BLOCK = 32  # bytes, the unit of transfers
_SMALL, _LARGE = (
    10_000,
    1_000_000,
)  # elements of the largest input; the classes the judge uses
_MOST_OTHERS = (
    0.25  # share of the other cases that may fail where all cases of a property do
)
_LEAST_HIT = 0.5  # share of a property's cases that must fail where only they do
_ORDER = [*(kind.value for kind in ClassKind), "attribute", "tail", "size"]


@dataclass(frozen=True)
class Property:
    """Something that holds of a case. `before` and `after` stand around the word `case` in a sentence."""

    kind: str
    before: str = ""
    after: str = ""


def properties_of(operator: OperatorSpec, case: TestCase) -> tuple[Property, ...]:
    """Properties of a case, those first that explain a failure most often."""
    classes = classes_of(operator, case)
    found = [
        Property(c.kind.value, *c.words)
        for c in classes
        if c.kind is not ClassKind.DTYPE
    ]
    found += _dtypes(operator, case)
    known = _visible_values(operator)
    found += [
        Property("attribute", after=f" with `{name}` = {value}")
        for name, value in case.attributes.items()
        if repr(value) in known.get(name, ())
    ]
    return (*found, *_sizes(case))


def separation(operator: OperatorSpec, cases: Sequence[CaseResult]) -> str:
    """The sentence that names what failing cases have and passing ones have not; empty when nothing does.

    Args:
        operator: Whose cases they are; results of cases it does not have are left out.
        cases: Results; skipped ones say nothing.
    """
    known = {case.name: case for case in operator.cases}
    judged = [
        entry for entry in cases if entry.status != "skipped" and entry.case in known
    ]
    failing = frozenset(entry.case for entry in judged if entry.status not in SETTLED)
    if not failing:
        return ""
    if len(failing) == len(judged):
        return f"All {len(judged)} cases fail." if len(judged) > 1 else ""
    holders: dict[Property, set[str]] = {}
    for entry in judged:
        for prop in properties_of(operator, known[entry.case]):
            holders.setdefault(prop, set()).add(entry.case)
    ranked = sorted(holders, key=_rank)
    others = len(judged) - len(failing)
    same = [prop for prop in ranked if holders[prop] == failing]
    if same:
        twin = next((p for p in same[1:] if p.kind != same[0].kind), None)
        also = (
            f" (they are also exactly the {cases_with([twin], len(failing))})"
            if twin
            else ""
        )
        return f"{_all(same[:1], len(failing))}{also}, {_rest(others, 'pass')}."
    everything = {entry.case for entry in judged}
    but = next((prop for prop in ranked if everything - holders[prop] == failing), None)
    if but is not None:
        passing = f"Exactly the {cases_with([but], others)} {_verb(others, 'pass')}"
        return f"{passing}, {_rest(len(failing), 'fail')}."
    if len(failing) > 1:
        for pair in itertools.combinations(ranked, 2):
            if (
                pair[0].kind != pair[1].kind
                and holders[pair[0]] & holders[pair[1]] == failing
            ):
                return f"{_all(pair, len(failing))}, {_rest(others, 'pass')}."
    return _nearly(ranked, holders, failing, len(judged))


def _nearly(
    ranked: Sequence[Property],
    holders: Mapping[Property, set[str]],
    failing: frozenset[str],
    judged: int,
) -> str:
    """A property whose cases all fail, few others beside them; or one without which no case fails."""
    whole = [
        prop for prop in ranked if len(holders[prop]) > 1 and holders[prop] < failing
    ]
    whole.sort(key=lambda prop: -len(holders[prop]))
    for prop in whole:
        size = len(holders[prop])
        rest = len(failing) - size
        if rest <= _MOST_OTHERS * (judged - size):
            return f"{_all([prop], size)}, and {rest} of the {judged - size} others."
    within = [
        prop
        for prop in ranked
        if holders[prop] > failing and len(holders[prop]) < judged
    ]
    within = [
        prop for prop in within if len(failing) >= _LEAST_HIT * len(holders[prop])
    ]
    if len(failing) > 1 and within:
        prop = min(within, key=lambda entry: len(holders[entry]))
        size = len(holders[prop])
        only = f"Only {_noun([prop], 2)} fail, {len(failing)} of {size}"
        return f"{only}; {_rest(judged - size, 'pass')}."
    return ""


def _rank(prop: Property) -> tuple[int, str, str]:
    """Layout and absent inputs explain more than sizes; among equals the order of the alphabet."""
    return _ORDER.index(prop.kind), prop.before, prop.after


def _dtypes(operator: OperatorSpec, case: TestCase) -> list[Property]:
    """The dtype of the case where all its inputs have one, else that of every input that may have several."""
    varying = [
        t.name
        for t in operator.inputs
        if len(set(t.dtypes)) > 1 and t.name in case.inputs
    ]
    given = {case.inputs[name].dtype.value for name in varying}
    if (
        len(given) == 1
        and len({tensor.dtypes for tensor in operator.inputs if tensor.name in varying})
        == 1
    ):
        return [Property(ClassKind.DTYPE.value, before=f"{given.pop()} ")]
    return [
        Property(
            ClassKind.DTYPE.value,
            after=f" with `{name}` in {case.inputs[name].dtype.value}",
        )
        for name in varying
    ]


def _sizes(case: TestCase) -> list[Property]:
    """Size class of the largest input, and whether its rows are whole blocks."""
    tensors = [
        (shape, spec.dtype)
        for spec in case.inputs.values()
        for shape in shapes_of(spec)
    ]
    if not tensors:
        return []
    shape, dtype = max(tensors, key=lambda tensor: math.prod(tensor[0]))
    largest = math.prod(shape)
    if largest < 2:
        return [Property("size", before="one-element ")] if largest else []
    tail = shape[-1] * dtype.width % _BLOCK
    words = "with a last dimension that is no multiple of 32 bytes"
    size = f"{_SMALL:,} to {_LARGE:,}"
    if largest < _SMALL or largest > _LARGE:
        size = f"under {_SMALL:,}" if largest < _SMALL else f"over {_LARGE:,}"
    return [
        Property("tail", after=f" {words if tail else 'of whole 32-byte rows'}"),
        Property("size", after=f" of {size} elements"),
    ]


def _visible_values(operator: OperatorSpec) -> dict[str, set[str]]:
    """Attribute values of visible cases, by name: only these may be named."""
    values: dict[str, set[str]] = {}
    for case in operator.cases:
        if not case.hidden:
            for name, value in case.attributes.items():
                values.setdefault(name, set()).add(repr(value))
    return values


def _all(properties: Sequence[Property], count: int) -> str:
    if count == 1:
        return f"Exactly the one {_noun(properties, 1)} fails"
    return f"All {count} {_noun(properties, count)} fail"


def cases_with(properties: Sequence[Property], count: int) -> str:
    """`count` cases with all of `properties` in words: `2 non-contiguous float16 cases without `bias``."""
    return f"{count} {_noun(properties, count)}"


def _noun(properties: Sequence[Property], count: int) -> str:
    before = "".join(prop.before for prop in properties)
    after = "".join(prop.after for prop in properties)
    return f"{before}{'case' if count == 1 else 'cases'}{after}"


def _rest(count: int, verb: str) -> str:
    return (
        f"the one other {_verb(1, verb)}"
        if count == 1
        else f"all {count} others {verb}"
    )


def _verb(count: int, verb: str) -> str:
    return (f"{verb}es" if verb.endswith("s") else f"{verb}s") if count == 1 else verb
