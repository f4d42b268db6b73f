"""How an operator's outputs follow from its inputs: shapes and dtypes explained by one rule over all cases.

A binding has to allocate outputs before the kernel runs, for calls that are in no case. So a rule is looked for
that gives, in every case, the shape and dtype the reference gave: sizes and dtypes of inputs, attributes, small
arithmetic on them. Where none explains all cases there is no rule, and the text says why; nothing is guessed.

Rules are C++ over the helpers of `resources/templates/exported/shape_rules.h.jinja`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.exporters.dtype_rules import dtype_rule
from core.exporters.shape_search import ComputedShape, ShapeSearch
from core.operators.spec import CaseShapes, OperatorSpec, TensorShape, TensorSpec


@dataclass(frozen=True)
class OutputRule:
    """How one output is allocated.

    Attributes:
        name: Of the output.
        shape: C++ expression of its shape; of a list, of the shapes; empty when no rule explains all cases.
        shape_words: The same for people, e.g. `[x.size(0), k]`; why there is none, where there is none.
        dtype: C++ expression of its dtype, empty when no rule explains all cases.
        dtype_words: As `shape_words`.
        doubts: What the cases leave open, e.g. a dimension that is the same number in all of them.
    """

    name: str
    shape: str
    shape_words: str
    dtype: str
    dtype_words: str
    doubts: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether shape and dtype have a rule."""
        return bool(self.shape and self.dtype)


def output_rules(
    spec: OperatorSpec, cases: Sequence[CaseShapes]
) -> tuple[OutputRule, ...]:
    """A rule for each output of `spec` that is not an input changed in place.

    Args:
        spec: The operator.
        cases: Shapes of its cases; those with a problem say nothing.
    """
    inputs = {tensor.name for tensor in spec.inputs}
    new = [tensor for tensor in spec.outputs if tensor.name not in inputs]
    computed_cases = [case for case in cases if not case.problem]
    return tuple(_output(spec, output, computed_cases) for output in new)


def _output(
    spec: OperatorSpec, output: TensorSpec, cases: Sequence[CaseShapes]
) -> OutputRule:
    shape, why, doubts = _shape_rule(spec, output, cases)
    dtype, dtype_words = dtype_rule(spec, output, cases)
    words = shape.words if shape else why
    cpp = shape.cpp if shape else ""
    return OutputRule(output.name, cpp, words, dtype, dtype_words, doubts)


def _shape_rule(
    spec: OperatorSpec, output: TensorSpec, cases: Sequence[CaseShapes]
) -> tuple[ComputedShape | None, str, tuple[str, ...]]:
    """The rule; why there is none; doubts."""
    present = [case for case in cases if output.name in case.outputs]
    if output.shape_from_data:
        return None, "values decide the shape", ()
    if not present:
        return None, "no case could be computed here", ()
    if output.is_list:
        return (*_list_rule(spec, output, present), ())
    outputs = [case.outputs[output.name][0] for case in present]
    targets = tuple(result.shape for result in outputs)
    search = ShapeSearch(spec, present)
    for shape in search.shapes(targets):
        if shape.values == targets:
            return shape, "", search.doubts(shape, targets)
    ends = (present[0], present[-1])
    examples = "; ".join(_example(spec, output, case) for case in ends)
    count = len(present)
    return None, f"no rule explains all {count} cases ({examples})", ()


def _list_rule(
    spec: OperatorSpec, output: TensorSpec, cases: Sequence[CaseShapes]
) -> tuple[ComputedShape | None, str]:
    """The list of inputs that has the shapes of this list of outputs; why there is none."""
    outputs = [_shapes(case.outputs[output.name]) for case in cases]
    for tensor in spec.inputs:
        inputs = [_shapes(case.inputs.get(tensor.name, ())) for case in cases]
        if tensor.is_list and inputs == outputs:
            cpp = f"shapes_of({tensor.name})"
            return ComputedShape((), cpp, f"those of {tensor.name}"), ""
    return None, f"no list of inputs has its shapes in all {len(cases)} cases"


def _shapes(tensors: Sequence[TensorShape]) -> list[tuple[int, ...]]:
    return [tensor.shape for tensor in tensors]


def _example(spec: OperatorSpec, output: TensorSpec, case: CaseShapes) -> str:
    """A case in words, e.g. `x [4, 8], w [8] gives [4]`."""
    inputs = []
    for tensor in spec.inputs:
        tensors = case.inputs.get(tensor.name)
        if tensors:
            shape = list(tensors[0].shape)
            inputs.append(f"{tensor.name} {shape}")
    result = list(case.outputs[output.name][0].shape)
    input_list = ", ".join(inputs)
    return f"{input_list} gives {result}"
