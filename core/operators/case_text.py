"""A test case in a line, as a model and a person read it."""

from __future__ import annotations

from collections.abc import Mapping

from core.operators.case_classes import shapes_of
from core.operators.spec import InputSpec, OperatorSpec, TestCase

_MOST_SHAPES = 6  # of a list of tensors
_MOST_ROW = 400  # characters of the parameters of an imported case


def case_text(case: TestCase, operator: OperatorSpec) -> str:
    """What a case hands over: `x [3, 4] float32, y [4] float32 zeros; without z; axis=1`.

    Of an imported case, its parameters: `m=128, n=64`.
    """
    if case.row:
        return _row_text(case)
    parts = [_inputs_text(case)]
    absent = _absent_inputs(case, operator)
    if absent:
        parts.append(f"without {', '.join(absent)}")
    parts.append(_assignments(case.attributes))
    if case.calls and not case.hidden:
        parts.append(calls_text(case.calls))
    return "; ".join(filter(None, parts))


def _row_text(case: TestCase) -> str:
    text = _assignments(case.row)
    if len(text) > _MOST_ROW:
        return text[:_MOST_ROW] + "…"
    return text


def _assignments(values: Mapping[str, object]) -> str:
    parts = [f"{name}={value}" for name, value in values.items()]
    return ", ".join(parts)


def _inputs_text(case: TestCase) -> str:
    parts = [f"{name} {input_text(spec)}" for name, spec in case.inputs.items()]
    return ", ".join(parts)


def _absent_inputs(case: TestCase, operator: OperatorSpec) -> list[str]:
    names = [tensor.name for tensor in operator.inputs]
    return [name for name in names if name not in case.inputs]


def calls_text(calls: float) -> str:
    """How often a model calls an operator in a step, in words."""
    return "1 call a step" if calls == 1 else f"{calls:g} calls a step"


def input_text(spec: InputSpec) -> str:
    """Shape, or shapes of a list, and dtype; layout and fill where they are not the usual ones."""
    words = [_shapes_text(spec), spec.dtype.value]
    if spec.strides:
        words.append(f"stride {list(spec.strides)}")
    elif spec.layout != "contiguous":
        words.append(spec.layout)
    if spec.fill != "normal":
        words.append(spec.fill)
    return " ".join(words)


def _shapes_text(spec: InputSpec) -> str:
    """`[3, 4]`, of a list `[[3, 4], [5], 2 more]`."""
    shapes = [str(list(shape)) for shape in shapes_of(spec)]
    if len(shapes) == 1:
        return shapes[0]
    listed = shapes[:_MOST_SHAPES]
    rest = len(shapes) - len(listed)
    if rest:
        listed.append(f"{rest} more")
    return f"[{', '.join(listed)}]"
