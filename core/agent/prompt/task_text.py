"""The operator as the model reads it: interface, what its cases exercise, visible cases, tolerances."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.agent.prompt import templates
from core.evaluation.integrity.core_work import denied_to
from core.operators.case_classes import ClassKind, announcement, classes_of
from core.operators.case_text import case_text
from core.operators.spec import (
    AttributeSpec,
    CaseShapes,
    DType,
    OperatorSpec,
    TensorShape,
    TensorSpec,
    TestCase,
)
from core.operators.tolerance import tolerance_lines

_FROM_DATA = (
    "the data decide this shape and the caller has allocated it: `InferShape` gives -1 or the most possible; "
    "a kernel that tells the shape itself declares `.OutputShapeDependOnCompute()` (skeleton_until_negative)"
)
_MOST_SHAPES = 6  # of a list of tensors
_LIST = "list: `ParamType(DYNAMIC)`, `ListTensorDesc` in the kernel"
_IN_PLACE = (
    "the input of this name, changed in place: `OpDef` declares both under the one name, the kernel entry "
    "gets two addresses, which are the same memory"
)


def task_text(
    operator: OperatorSpec,
    rounds: int,
    soc: str,
    evaluator: str,
    *,
    runs_big: bool = True,
    shapes: Sequence[CaseShapes] = (),
) -> str:
    """The task instruction with everything said of the operator.

    Args:
        operator: What is asked.
        rounds: T.
        soc: Processor the judge works for, empty when it is not known.
        evaluator: Label of the judge.
        runs_big: Whether it runs the cases marked as too large for the twin.
        shapes: Of an imported task, what its own code made of the cases.
    """
    interface = interface_text(operator, runs_big=runs_big, shapes=shapes)
    return templates.fill(
        "task",
        category=operator.category,
        operator=operator.name,
        rounds=rounds,
        processor=templates.processor(soc),
        evaluator=evaluator,
        summary=operator.summary.strip(),
        interface="\n".join([interface, *_denied(operator)]),
        rule=operator.rule.value,
        tolerance="\n".join(tolerance_lines(operator)),
    )


def _denied(operator: OperatorSpec) -> list[str]:
    """What a candidate may not call, where there is anything."""
    names = denied_to(operator)
    if not names:
        return []
    quoted = [f"`{name}`" for name in names]
    listed = ", ".join(quoted)
    what = f"Not to be called, for it would be the operator's core work: {listed}."
    return [f"{what} A candidate that does costs its round (fail-integrity)."]


def interface_text(
    operator: OperatorSpec,
    *,
    runs_big: bool = True,
    shapes: Sequence[CaseShapes] = (),
) -> str:
    """Interface, classes of all cases, visible cases.

    Of hidden ones only how many there are of a class.
    """
    operator = with_dtypes(operator, shapes)
    shapes_of_case = {row.case: row for row in shapes if not row.problem}
    dtype_counts = [len(tensor.dtypes) for tensor in operator.inputs]
    together = ""
    if max(dtype_counts, default=0) > 1:
        together = " (entry i of every list of dtypes belongs together)"
    lines = [f"Kernel entry: `{operator.snake_name}`", f"Inputs{together}:"]
    lines += [_tensor(tensor) for tensor in operator.inputs]
    lines.append("Outputs:")
    input_names = {tensor.name for tensor in operator.inputs}
    for output in operator.outputs:
        is_in_place = output.name in input_names
        lines.append(_tensor(output, in_place=is_in_place))
    if operator.attributes:
        lines.append("Attributes:")
        lines += [_attribute(attribute) for attribute in operator.attributes]
    lines.append("What the cases exercise, hidden ones included:")
    lines += announcement(operator)
    distribution = "of a standard normal distribution where no others are named"
    if any(case.row for case in operator.cases):
        distribution = "as the task's own code draws them"
    lines.append(f"Visible cases (values {distribution}):")
    lines += _amended(operator)
    # Where all are big, they are run.
    runs_big = runs_big or all(case.big for case in operator.cases)
    hidden: list[TestCase] = []
    for case in operator.cases:
        if case.hidden:
            hidden.append(case)
            continue
        made = shapes_of_case.get(case.name)
        is_left_out = case.big and not runs_big
        lines.append(_case(case, operator, made, left_out=is_left_out))
    lines.append(_latency_of(operator))
    if hidden:
        count = len(hidden)
        among = _class_counts(hidden, operator)
        lines.append(f"- and {count} hidden cases with other shapes and values{among}")
    return "\n".join(lines)


def _latency_of(operator: OperatorSpec) -> str:
    """What the latency is the sum of."""
    timed = [case for case in operator.cases if case.timed and not case.hidden]
    weighted = [case for case in timed if case.weight != 1.0]
    line = "- the latency to lower is the sum over the timed cases that run"
    if not weighted:
        return line
    weights = ", ".join(f"{case.name} {case.weight:g}" for case in weighted)
    return f"{line}, each times its weight: {weights}, others 1"


def _amended(operator: OperatorSpec) -> list[str]:
    """What stands in the place of drawn values; nothing where its words name a hidden case."""
    if not operator.amended:
        return []
    named = re.findall(r"`([^`]+)`", operator.amended)
    for name in named:
        cases = [case for case in operator.cases if case.name.startswith(name)]
        if any(case.hidden for case in cases):
            return []
    return [f"- in the place of what the fills draw: {operator.amended}"]


def _class_counts(hidden: list[TestCase], operator: OperatorSpec) -> str:
    """How many hidden cases are of each class; a case may be of several."""
    kinds = (
        ClassKind.NON_CONTIGUOUS,
        ClassKind.ZERO_SIZE,
        ClassKind.RANK_0,
        ClassKind.SPECIAL,
    )
    counts: Counter[ClassKind] = Counter()
    for case in hidden:
        counts.update({entry.kind for entry in classes_of(operator, case)})
    texts = [f"{counts[kind]} {kind.value}" for kind in kinds if counts[kind]]
    if not texts:
        return ""
    return ", among them " + ", ".join(texts)


def _tensor(tensor: TensorSpec, *, in_place: bool = False) -> str:
    """`- name: dtypes (marks). Explanations`."""
    dtypes = "|".join(dtype.value for dtype in tensor.dtypes)
    line = f"- {tensor.name}: {dtypes}"
    marks = []
    if tensor.optional:
        marks.append("optional")
    if tensor.is_list:
        marks.append(_LIST)
    if marks:
        line += f" ({', '.join(marks)})"
    explanations = [tensor.description] if tensor.description else []
    if tensor.shape_from_data:
        explanations.append(_FROM_DATA)
    if in_place:
        explanations.append(_IN_PLACE)
    if explanations:
        line += ". " + "; ".join(explanations)
    return line


def _attribute(attribute: AttributeSpec) -> str:
    line = f"- {attribute.name}: {attribute.type}"
    if attribute.default is not None:
        line += f" = {attribute.default}"
    if attribute.description:
        line += f". {attribute.description}"
    return line


def _case(
    case: TestCase, operator: OperatorSpec, made: CaseShapes | None, *, left_out: bool
) -> str:
    """A visible case; `made`: what the code of an imported task made of its parameters."""
    mark = " (timed)" if case.timed else ""
    if left_out:
        mark = " (neither run nor timed here: too large for the CPU twin)"
    text = case_text(case, operator)
    if case.row and made:
        inputs = _shapes_text(made.inputs)
        outputs = _shapes_text(made.outputs)
        text += f"; {inputs} give {outputs}"
    return f"- {case.name}: {text}{mark}"


def _shapes_text(tensors: Mapping[str, Sequence[TensorShape]]) -> str:
    """`x [128, 64] float16, y [64] float16`; of a list its first tensors."""
    parts = []
    for name, listed in tensors.items():
        shown = listed[:_MOST_SHAPES]
        shapes = [f"{list(tensor.shape)} {tensor.dtype}" for tensor in shown]
        part = f"{name} {', '.join(shapes)}"
        rest = len(listed) - len(shown)
        if rest:
            part += f" and {rest} more"
        parts.append(part)
    return ", ".join(parts)


# The dtype of every input, then of every output; None for one that the case has not.
_Signature = tuple[DType | None, ...]


def with_dtypes(operator: OperatorSpec, shapes: Sequence[CaseShapes]) -> OperatorSpec:
    """The operator with the dtypes its cases have, where the interface of an imported task leaves them open."""
    tensors = (*operator.inputs, *operator.outputs)
    if not shapes or all(tensor.dtypes for tensor in tensors):
        return operator
    # Each combination once, in the order of the cases: a dict, since a set has no order.
    signatures: dict[_Signature, None] = {}
    for row in shapes:
        if not row.problem:
            signatures[_signature(row, operator)] = None
    typed = []
    for place, tensor in enumerate(tensors):
        if tensor.dtypes:
            typed.append(tensor)
            continue
        column = [signature[place] for signature in signatures]
        dtypes = tuple(dtype for dtype in column if dtype is not None)
        typed.append(replace(tensor, dtypes=dtypes))
    count = len(operator.inputs)
    inputs = tuple(typed[:count])
    outputs = tuple(typed[count:])
    return replace(operator, inputs=inputs, outputs=outputs)


def _signature(case: CaseShapes, operator: OperatorSpec) -> _Signature:
    tensors = [case.inputs.get(tensor.name, ()) for tensor in operator.inputs]
    tensors += [case.outputs.get(tensor.name, ()) for tensor in operator.outputs]
    return tuple(listed[0].dtype if listed else None for listed in tensors)
