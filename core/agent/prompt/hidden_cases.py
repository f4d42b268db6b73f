"""What a failed hidden case tells: its class, how many of how many fail, and how wrong the results are.

Never a name, shape or value: shares and magnitudes are rounded to what a diagnosis
needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.evaluation.records import CaseResult, ErrorStatistics, Finding
from core.operators.case_classes import ClassKind, classes_of, shapes_of
from core.operators.spec import OperatorSpec, TestCase

SETTLED = frozenset({"pass", "skipped"})
_MOST = 8  # groups of failing cases that are listed
_BLOCK = 32  # bytes, the unit of transfers
_SMALL = 10_000  # elements of the largest input; the size classes of the judge
_LARGE = 1_000_000
# Where the wrong elements of an output lie says nothing when an input was read in
# another order.
_OF_PLACE = frozenset(
    {"result-tail", "result-columns", "result-part", "result-shifted"}
)


@dataclass(frozen=True)
class Property:
    """Something that holds of a case, and may be said of a hidden one.

    Attributes:
        kind: A `ClassKind`, `tail` or `size`.
        before: Words in front of the word `case`.
        after: Words behind it.
    """

    kind: str
    before: str = ""
    after: str = ""


def hidden_lines(operator: OperatorSpec, hidden: Sequence[CaseResult]) -> list[str]:
    """One line for every class in which hidden cases fail.

    Args:
        operator: Whose cases they are.
        hidden: Results of all its hidden cases.
    """
    groups: dict[tuple[Property, ...], list[CaseResult]] = {}
    for entry in hidden:
        if entry.status != "skipped":
            group = groups.setdefault(_class(operator, entry.case), [])
            group.append(entry)
    lines = []
    for properties, members in groups.items():
        if any(entry.status not in SETTLED for entry in members):
            lines.append(_line(properties, members))
    rest = len(lines) - _MOST
    if rest > 0:
        return [*lines[:_MOST], f"  - and {rest} more classes"]
    return lines


def without_place(operator: OperatorSpec | None, finding: Finding) -> Finding:
    """The finding, or that the result is wrong where a non-contiguous input makes its places misleading."""
    if operator is None or finding.rule not in _OF_PLACE:
        return finding
    case = _case_of(operator, finding.case)
    if case is None:
        return finding
    kinds = {entry.kind for entry in classes_of(operator, case)}
    if ClassKind.NON_CONTIGUOUS not in kinds:
        return finding
    message = "wrong elements; an input of this case is not contiguous, so that their places tell nothing"
    return replace(finding, rule="result-wrong", message=message)


def _class(operator: OperatorSpec, name: str) -> tuple[Property, ...]:
    """Properties of a case: its classes, dtypes, alignment and size class."""
    case = _case_of(operator, name)
    if case is None:
        return ()
    # The dtype stands among the properties below, in shorter words.
    untold = (ClassKind.DTYPE, ClassKind.PRESENT)
    classes = [
        Property(entry.kind.value, *entry.words)
        for entry in classes_of(operator, case)
        if entry.kind not in untold
    ]
    return (*classes, *_dtypes(operator, case), *_sizes(case))


def _case_of(operator: OperatorSpec, name: str) -> TestCase | None:
    for case in operator.cases:
        if case.name == name:
            return case
    return None


def _dtypes(operator: OperatorSpec, case: TestCase) -> list[Property]:
    """The dtype all inputs of the case share, else that of every input with a choice."""
    kind = ClassKind.DTYPE.value
    present = [tensor for tensor in operator.inputs if tensor.name in case.inputs]
    varying = [tensor for tensor in present if len(set(tensor.dtypes)) > 1]
    names = [tensor.name for tensor in varying]
    dtypes = [case.inputs[name].dtype.value for name in names]
    choices = {tensor.dtypes for tensor in varying}
    if len(choices) == 1 and len(set(dtypes)) == 1:
        return [Property(kind, before=f"{dtypes[0]} ")]
    properties = []
    for name, dtype in zip(names, dtypes, strict=True):
        properties.append(Property(kind, after=f" with `{name}` in {dtype}"))
    return properties


def _sizes(case: TestCase) -> list[Property]:
    """Whether rows of the largest input are whole blocks, and its size class."""
    tensors = [
        (math.prod(shape), shape, spec.dtype)
        for spec in case.inputs.values()
        for shape in shapes_of(spec)
    ]
    if not tensors:
        return []
    elements, shape, dtype = max(tensors, key=lambda tensor: tensor[0])
    if elements == 0:
        return []
    if elements == 1:
        return [Property("size", before="one-element ")]
    size = f"{_SMALL:,} to {_LARGE:,}"
    if elements < _SMALL:
        size = f"under {_SMALL:,}"
    elif elements > _LARGE:
        size = f"over {_LARGE:,}"
    rows = " of whole 32-byte rows"
    if shape[-1] * dtype.width % _BLOCK:
        rows = " with a last dimension that is no multiple of 32 bytes"
    return [
        Property("tail", after=rows),
        Property("size", after=f" of {size} elements"),
    ]


def _noun(properties: Sequence[Property], count: int) -> str:
    """`non-contiguous float16 cases without `bias``."""
    before = "".join(prop.before for prop in properties)
    after = "".join(prop.after for prop in properties)
    noun = "case" if count == 1 else "cases"
    return before + noun + after


def _line(properties: Sequence[Property], members: Sequence[CaseResult]) -> str:
    failed = [entry for entry in members if entry.status not in SETTLED]
    statuses = ", ".join(dict.fromkeys(entry.status for entry in failed))
    statistics = [entry for case in failed for entry in case.statistics]
    count = len(members)
    noun = _noun(properties, count)
    head = f"  - {len(failed)} of {count} {noun}: {statuses}"
    return "; ".join([head, *_wrongness(statistics)])


def _wrongness(statistics: Sequence[ErrorStatistics]) -> list[str]:
    """Share of wrong elements, NaN or not, and the magnitude of the error."""
    elements = sum(entry.elements for entry in statistics)
    wrong = sum(entry.mismatched for entry in statistics)
    if not elements or not wrong:
        return []
    share = wrong / elements
    text = f"{share:.0%} of the elements"
    if share == 1:
        text = "all elements"
    elif share < 0.01:
        text = "under 1%"
    if any(math.isnan(entry.worst_actual) for entry in statistics):
        return [f"{text} wrong, NaN among them"]
    largest = max(entry.max_abs for entry in statistics)
    if not math.isfinite(largest):
        return [f"{text} wrong, infinities or NaN among them"]
    return [
        f"{text} wrong, none of them NaN",
        f"largest absolute error about {largest:.0e}",
    ]
