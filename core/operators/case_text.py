"""A test case in a line, as a model and a person read it."""

from __future__ import annotations

from core.operators.case_classes import shapes_of
from core.operators.spec import InputSpec, OperatorSpec, TestCase

_MOST_SHAPES = 6  # of a list of tensors
_MOST_ROW = 400  # characters of the parameters of an imported case


def case_text(case: TestCase, operator: OperatorSpec) -> str:
    """What a case hands over: `x [3, 4] float32, y [4] float32 zeros; without z; axis=1`.

    Of an imported case, its parameters: `m=128, n=64`.
    """
    if case.row:
        row = ", ".join(f"{key}={value}" for key, value in case.row.items())
        return row if len(row) <= _MOST_ROW else f"{row[:_MOST_ROW]}…"
    inputs = (f"{name} {input_text(spec)}" for name, spec in case.inputs.items())
    absent = [
        tensor.name for tensor in operator.inputs if tensor.name not in case.inputs
    ]
    attributes = (f"{name}={value}" for name, value in case.attributes.items())
    parts = [
        ", ".join(inputs),
        f"without {', '.join(absent)}" if absent else "",
        ", ".join(attributes),
        calls_text(case.calls) if case.calls and not case.hidden else "",
    ]
    return "; ".join(filter(None, parts))


def calls_text(calls: float) -> str:
    """How often a model calls an operator in a step, in words."""
    return "1 call a step" if calls == 1 else f"{calls:g} calls a step"


def input_text(spec: InputSpec) -> str:
    """An input: shape (of a list, shapes), dtype, and layout and fill where they are not the usual ones."""
    shapes = [str(list(shape)) for shape in shapes_of(spec)]
    shown = shapes[:_MOST_SHAPES]
    if len(shapes) > _MOST_SHAPES:
        shown.append(f"{len(shapes) - _MOST_SHAPES} more")
    words = [", ".join(shown), spec.dtype.value]
    if len(shapes) != 1:
        words[0] = f"[{words[0]}]"
    if spec.strides:
        words.append(f"stride {list(spec.strides)}")
    elif spec.layout != "contiguous":
        words.append(spec.layout)
    if spec.fill != "normal":
        words.append(spec.fill)
    return " ".join(words)
