"""The operator as the model reads it: interface, what its cases exercise, visible cases, tolerances."""

from __future__ import annotations

import re
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
    listed = ", ".join(f"`{name}`" for name in names)
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
    several = any(len(tensor.dtypes) > 1 for tensor in operator.inputs)
    together = " (entry i of every list of dtypes belongs together)" if several else ""
    lines = [f"Kernel entry: `{operator.snake_name}`", f"Inputs{together}:"]
    lines += [_tensor(tensor) for tensor in operator.inputs]
    lines.append("Outputs:")
    input_names = {tensor.name for tensor in operator.inputs}
    lines += [
        _tensor(tensor, in_place=tensor.name in input_names)
        for tensor in operator.outputs
    ]
    if operator.attributes:
        lines.append("Attributes:")
        lines += [_attribute(attribute) for attribute in operator.attributes]
    lines.append("What the cases exercise, hidden ones included:")
    lines += announcement(operator)
    distribution = (
        "as the task's own code draws them"
        if any(case.row for case in operator.cases)
        else "of a standard normal distribution where no others are named"
    )
    lines.append(f"Visible cases (values {distribution}):")
    lines += _amended(operator)
    runs_big = runs_big or all(
        case.big for case in operator.cases
    )  # where there are no others, they are run
    lines += [
        _case(
            case,
            operator,
            shapes_of_case.get(case.name),
            left_out=case.big and not runs_big,
        )
        for case in operator.cases
        if not case.hidden
    ]
    lines.append(_latency_of(operator))
    hidden = [case for case in operator.cases if case.hidden]
    if hidden:
        among = _class_counts(hidden, operator)
        lines.append(
            f"- and {len(hidden)} hidden cases with other shapes and values{among}"
        )
    return "\n".join(lines)


def _latency_of(operator: OperatorSpec) -> str:
    """What the latency is the sum of."""
    weights = {
        case.name: case.weight
        for case in operator.cases
        if case.timed and not case.hidden and case.weight != 1.0
    }
    line = "- the latency to lower is the sum over the timed cases that run"
    if not weights:
        return line
    listed = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    return f"{line}, each times its weight: {listed}, others 1"


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
    classes = [{entry.kind for entry in classes_of(operator, case)} for case in hidden]
    counts = {kind: sum(kind in entry for entry in classes) for kind in kinds}
    texts = [f"{count} {kind.value}" for kind, count in counts.items() if count]
    return f", among them {', '.join(texts)}" if texts else ""


def _tensor(tensor: TensorSpec, *, in_place: bool = False) -> str:
    marks = ", ".join(
        mark
        for mark, holds in (("optional", tensor.optional), (_LIST, tensor.is_list))
        if holds
    )
    dtypes = "|".join(dtype.value for dtype in tensor.dtypes)
    head = f"- {tensor.name}: {dtypes}" + (f" ({marks})" if marks else "")
    text = (
        tensor.description,
        _FROM_DATA if tensor.shape_from_data else "",
        _IN_PLACE if in_place else "",
    )
    return f"{head}. {'; '.join(filter(None, text))}" if any(text) else head


def _attribute(attribute: AttributeSpec) -> str:
    default = "" if attribute.default is None else f" = {attribute.default}"
    head = f"- {attribute.name}: {attribute.type}{default}"
    return f"{head}. {attribute.description}" if attribute.description else head


def _case(
    case: TestCase, operator: OperatorSpec, made: CaseShapes | None, *, left_out: bool
) -> str:
    mark = " (timed)" if case.timed else ""
    if left_out:
        mark = " (neither run nor timed here: too large for the CPU twin)"
    text = case_text(case, operator)
    if case.row and made:
        text += f"; {_shapes_text(made.inputs)} give {_shapes_text(made.outputs)}"
    return f"- {case.name}: {text}{mark}"


def _shapes_text(tensors: Mapping[str, Sequence[TensorShape]]) -> str:
    """`x [128, 64] float16, y [64] float16`; of a list its first tensors."""
    parts = []
    for name, listed in tensors.items():
        first_shapes = [
            f"{list(one.shape)} {one.dtype}" for one in listed[:_MOST_SHAPES]
        ]
        rest = len(listed) - len(first_shapes)
        parts.append(
            f"{name} {', '.join(first_shapes)}{f' and {rest} more' if rest else ''}"
        )
    return ", ".join(parts)


def with_dtypes(operator: OperatorSpec, shapes: Sequence[CaseShapes]) -> OperatorSpec:
    """The operator with the dtypes its cases have, where the interface of an imported task leaves them open."""
    tensors = (*operator.inputs, *operator.outputs)
    if not shapes or all(tensor.dtypes for tensor in tensors):
        return operator
    signatures: dict[tuple[DType | None, ...], None] = {}
    for row in shapes:
        if row.problem:
            continue
        listed = [
            *(row.inputs.get(tensor.name, ()) for tensor in operator.inputs),
            *(row.outputs.get(tensor.name, ()) for tensor in operator.outputs),
        ]
        signatures[tuple(each[0].dtype if each else None for each in listed)] = None
    columns: list[list[DType | None]] = [
        [signature[place] for signature in signatures] for place in range(len(tensors))
    ]
    typed = [
        tensor
        if tensor.dtypes
        else replace(tensor, dtypes=tuple(dtype for dtype in column if dtype))
        for tensor, column in zip(tensors, columns, strict=True)
    ]
    count = len(operator.inputs)
    return replace(operator, inputs=tuple(typed[:count]), outputs=tuple(typed[count:]))
