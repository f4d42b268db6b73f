"""Which classes a test case belongs to: all that the generator learns of the hidden ones.

A class names a property without giving away shape or values: a layout, an empty tensor, special values, an
absent optional input, a dtype. Every class that a hidden case exercises is announced in the task and shown by
a visible case; failures are reported by class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.operators.spec import DType, InputSpec, OperatorSpec, TestCase

CONTIGUOUS = "contiguous"
_NUMBERS = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_SMALLEST_NORMAL = {
    DType.FLOAT32: 2.0**-126,
    DType.BFLOAT16: 2.0**-126,
    DType.FLOAT16: 2.0**-14,
}
_OF_ROWS = (
    "- The task's own code makes the inputs from the parameters of a case. They may be non-contiguous, empty "
    "or absent where that code makes them so; no case is hidden."
)
_NON_FINITE = re.compile(r"constant\(\s*[+-]?(?:inf|nan)\s*\)")


class ClassKind(StrEnum):
    """Kinds of classes, in the order in which they are announced and blamed."""

    ABSENT = "absent"  # an optional input is left out
    PRESENT = "present"
    NON_CONTIGUOUS = "non-contiguous"
    ZERO_SIZE = "zero-size"
    RANK_0 = "rank-0"
    SPECIAL = "special values"
    DTYPE = "dtype"


@dataclass(frozen=True)
class CaseClass:
    """One class of cases.

    Attributes:
        kind: What it is about.
        subject: Input concerned, for `ABSENT`, `PRESENT` and `DTYPE`.
        value: The dtype, for `DTYPE`.
    """

    kind: ClassKind
    subject: str = ""
    value: str = ""

    @property
    def words(self) -> tuple[str, str]:
        """What stands before and after the word `case`: `("zero-size ", "")`, `("", " without `bias`")`."""
        if self.kind is ClassKind.ABSENT:
            return "", f" without `{self.subject}`"
        if self.kind is ClassKind.PRESENT:
            return "", f" with `{self.subject}`"
        if self.kind is ClassKind.SPECIAL:
            return "", " with special values"
        if self.kind is ClassKind.DTYPE:
            return "", f" with `{self.subject}` in {self.value}"
        return f"{self.kind.value} ", ""


def classes_of(operator: OperatorSpec, case: TestCase) -> tuple[CaseClass, ...]:
    """Classes of `case` in the order of `ClassKind`; none where only the task's own code understands it."""
    if case.row:
        return ()
    classes: list[CaseClass] = []
    for tensor in operator.inputs:
        if tensor.optional:
            kind = ClassKind.PRESENT if tensor.name in case.inputs else ClassKind.ABSENT
            classes.append(CaseClass(kind, tensor.name))
    classes.sort(key=lambda entry: list(ClassKind).index(entry.kind))
    specs = case.inputs.values()
    for kind, holds in (
        (ClassKind.NON_CONTIGUOUS, any(spec.layout != CONTIGUOUS for spec in specs)),
        (ClassKind.ZERO_SIZE, "zero_size" in case.holds or any(map(_is_empty, specs))),
        (
            ClassKind.RANK_0,
            any(shape == () for spec in specs for shape in shapes_of(spec)),
        ),
        (
            ClassKind.SPECIAL,
            "special_values" in case.holds or any(map(has_special_values, specs)),
        ),
    ):
        if holds:
            classes.append(CaseClass(kind))
    classes += [
        CaseClass(ClassKind.DTYPE, name, spec.dtype.value)
        for name, spec in case.inputs.items()
    ]
    return tuple(classes)


def unseen_classes(operator: OperatorSpec) -> tuple[CaseClass, ...]:
    """Classes of hidden cases that no visible case shows, a case too big for the twin not counting as one."""
    visible = [case for case in operator.cases if not case.hidden and not case.big]
    visible_classes = {
        entry for case in visible for entry in classes_of(operator, case)
    }
    hidden = (
        entry
        for case in operator.cases
        if case.hidden
        for entry in classes_of(operator, case)
    )
    return tuple(
        dict.fromkeys(entry for entry in hidden if entry not in visible_classes)
    )


def shapes_of(spec: InputSpec) -> tuple[tuple[int, ...], ...]:
    """Shapes of the tensors of one input: one, or those of a list."""
    return spec.shapes or (spec.shape,) * spec.count


def has_special_values(spec: InputSpec) -> bool:
    """Whether the fill gives infinities, NaN or subnormal numbers; a tensor without elements holds none."""
    if all(math.prod(shape) == 0 for shape in shapes_of(spec)):
        return False
    smallest = _SMALLEST_NORMAL.get(spec.dtype)
    numbers = [float(number) for number in _NUMBERS.findall(_listed(spec.fill))]
    subnormal = smallest is not None and any(
        0 < abs(number) < smallest for number in numbers
    )
    return spec.fill == "special" or bool(_NON_FINITE.fullmatch(spec.fill)) or subnormal


def _listed(fill: str) -> str:
    """The numbers of a fill that gives them one by one, empty for a distribution."""
    return fill.partition("(")[2] if fill.startswith(("constant", "values")) else ""


def _is_empty(spec: InputSpec) -> bool:
    return any(0 in shape for shape in shapes_of(spec))


def announcement(operator: OperatorSpec) -> tuple[str, ...]:
    """The classes of all cases as lines of the task, hidden and visible ones alike.

    What cases of an imported task hold is known to its own code only; then one line says so.
    """
    if any(case.row for case in operator.cases):
        return (_OF_ROWS,)
    classes = {entry for case in operator.cases for entry in classes_of(operator, case)}
    only_hidden = set(unseen_classes(operator))
    lines = [
        _line(
            kind,
            [entry for entry in classes if entry.kind is kind],
            operator,
            only_hidden,
        )
        for kind in ClassKind
        if kind is not ClassKind.PRESENT
    ]
    return tuple(line for line in lines if line)


def _line(
    kind: ClassKind,
    entries: list[CaseClass],
    operator: OperatorSpec,
    only_hidden: set[CaseClass],
) -> str:
    """One line of `announcement`: what the cases of a kind exercise, and whether hidden ones alone do."""
    if not entries:
        return ""
    mark = (
        " (in hidden cases only)"
        if any(entry in only_hidden for entry in entries)
        else ""
    )
    names = [tensor.name for tensor in operator.inputs]
    if kind is ClassKind.DTYPE:
        inputs = {
            name: [e.value for e in entries if e.subject == name] for name in names
        }
        declared = {
            tensor.name: list(dict.fromkeys(map(str, tensor.dtypes)))
            for tensor in operator.inputs
        }
        texts = (
            f"`{name}` {'|'.join(dtype for dtype in declared[name] if dtype in dtypes)}"
            for name, dtypes in inputs.items()
            if dtypes
        )
        return f"- dtypes: {', '.join(texts)}{mark}"
    if kind is ClassKind.ABSENT:
        absent = [
            f"`{name}`"
            for name in names
            if any(entry.subject == name for entry in entries)
        ]
        return f"- absent optional inputs: {', '.join(absent)}{mark}"
    return f"- {_texts(operator)[kind]}{mark}"


def _texts(operator: OperatorSpec) -> dict[ClassKind, str]:
    """What the kinds that are not told input by input mean for this operator."""
    strided = _inputs_where(operator, lambda spec: spec.layout != CONTIGUOUS)
    layouts = sorted(
        {s.layout for case in operator.cases for s in case.inputs.values()}
        - {CONTIGUOUS}
    )
    empty = _inputs_where(operator, _is_empty)
    scalar = _inputs_where(operator, lambda spec: () in shapes_of(spec))
    special = _inputs_where(operator, has_special_values)
    return {
        ClassKind.NON_CONTIGUOUS: (
            f"non-contiguous inputs ({' and '.join(layouts)}): {strided}. Inputs that declare "
            "`.AutoContiguous()` in `OpDef` arrive contiguous; with no declaration the call is refused"
        ),
        ClassKind.ZERO_SIZE: f"zero-size tensors (a dimension of length 0): {empty or 'the result'}",
        ClassKind.RANK_0: f"rank-0 tensors (shape [], one element): {scalar}",
        ClassKind.SPECIAL: f"special values (infinities, NaN, both zeros, subnormal numbers): {special}",
    }


def _inputs_where(operator: OperatorSpec, holds: Callable[[InputSpec], bool]) -> str:
    """Names of the inputs of which some case's specification satisfies `holds`."""
    names = {
        name
        for case in operator.cases
        for name, spec in case.inputs.items()
        if holds(spec)
    }
    return _names(tensor.name for tensor in operator.inputs if tensor.name in names)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
