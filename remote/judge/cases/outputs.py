"""The outputs of one case beside the reference: what is wrong with them, and what no core wrote."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from core.evaluation.records import Finding, RuleVerdicts
from remote.judge.cases.outcome import CaseOutcome, ComparedCase
from remote.judge.comparing.acceptance import Acceptance, accept, unwritten
from remote.judge.comparing.error_statistics import Comparison
from remote.judge.comparing.mismatch import HINTS
from remote.judge.inputs.case_data import SECOND_POISON, TensorFile
from remote.judge.inputs.file_memory import Memory, mapped
from remote.judge.inputs.fills import DTYPES
from remote.judge.inputs.reference_module import as_called, tensor_of
from remote.judge.inputs.tensor_memory import tensor_from


def compare_outputs(
    outcome: CaseOutcome,
    task: ComparedCase,
    changed: Sequence[str],
    results: Sequence[Memory],
) -> tuple[str, str]:
    """Compare all outputs; note statistics, verdicts and how they are wrong. Texts stay empty when right.

    Args:
        outcome: What the case gave so far; takes the findings.
        task: The case with its reference.
        changed: Inputs that the kernel changed.
        results: What it wrote into each output.
    """
    outputs = task.data.outputs
    rule = task.operator.rule
    # Only a checker of the catalogue sees the inputs.
    has_own_check = rule == "checker" and not task.case.row
    acceptance = accept(
        task.own_check,
        task.case,
        rule,
        _labels(outputs),
        _inputs(task) if has_own_check else {},
        task.data.expected,
        task.data.returned,
        [_written_output(task, at, memory) for at, memory in enumerate(results)],
    )
    comparisons = [each for each in acceptance.comparisons if each is not None]
    statistics = tuple(comparison.errors for comparison in comparisons)
    if task.case.hidden:
        statistics = tuple(replace(entry, map=None) for entry in statistics)
    verdicts = RuleVerdicts(
        paper=all(comparison.paper for comparison in comparisons),
        benchmark=all(comparison.benchmark for comparison in comparisons),
        ulp=all(comparison.ulp for comparison in comparisons),
        deciding=acceptance.deciding,
        passed=acceptance.passed,
    )
    outcome.row = replace(outcome.row, statistics=statistics, verdicts=verdicts)
    if changed:
        return "wrong-result", f"the kernel changed its input {', '.join(changed)}"
    if acceptance.passed:
        return "", ""
    wrong = [comparison for comparison in comparisons if not comparison.passed]
    outcome.findings += [
        _mismatch(comparison, task) for comparison in wrong if comparison.rule
    ]
    return "wrong-result", _complaint(acceptance, outputs)


def _written_output(task: ComparedCase, at: int, memory: Memory) -> torch.Tensor:
    """What the kernel wrote into output `at`; empty where that output is not looked at."""
    file = task.data.outputs[at]
    is_unchecked = task.data.is_unchecked(task.case, at)
    values = b"" if is_unchecked else result_of(memory, file)
    return tensor_from(values, file.dtype, file.shape)


def _complaint(acceptance: Acceptance, outputs: Sequence[TensorFile]) -> str:
    """The first wrong output in words, or what the operator's own checker says."""
    if acceptance.deciding != "checker":
        for comparison, file in zip(acceptance.comparisons, outputs, strict=True):
            if comparison is not None and not comparison.passed:
                return _describe(comparison, file)
    return acceptance.objection


def unwritten_outputs(
    task: ComparedCase, first: Sequence[Memory], second: Sequence[Memory | None]
) -> str:
    """Complaint about elements that two runs, begun with different patterns, left as they were.

    Args:
        task: The case.
        first: What the first run left in each output.
        second: What the second left; what is missing counts as untouched.
    """
    labels = _labels(task.data.outputs)
    for at, (file, label) in enumerate(zip(task.data.outputs, labels, strict=True)):
        if not starts_as_pattern(task, at):
            continue
        before = result_of(first[at], file)
        remains = second[at] if second else None
        after = (
            bytearray([SECOND_POISON]) * len(before)
            if remains is None
            else result_of(remains, file)
        )
        complaint = unwritten(label, file.dtype, before, after)
        if complaint:
            return complaint
    return ""


def starts_as_pattern(task: ComparedCase, at: int) -> bool:
    """Whether output `at` has to be written: it is not left open, changed in place or zero at the start."""
    file = task.data.outputs[at]
    filled = file.name in task.data.inputs or file.allocation.zero
    return task.data.expected[at] is not None and not filled


def result_of(memory: Memory, file: TensorFile) -> Memory:
    """What a kernel wrote into an output: the leading part of it where the caller made more room."""
    return memory[: math.prod(file.shape) * DTYPES[file.dtype].itemsize]


def _mismatch(comparison: Comparison, task: ComparedCase) -> Finding:
    """How an output is wrong, as a finding."""
    output, shift = comparison.errors.output, comparison.shift
    side = "later" if shift > 0 else "earlier"
    moved = f"; they hold the values {abs(shift)} elements {side}" if shift else ""
    text = f"{output}: {comparison.pattern}{moved}. {HINTS[comparison.rule]}"
    return replace(task.finding(comparison.rule, text), tensor=output)


def _labels(outputs: Sequence[TensorFile]) -> list[str]:
    """Names of the outputs as shown: the tensors of a list are numbered."""
    names = [file.name for file in outputs]
    return [
        f"{name}[{names[:place].count(name)}]" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _inputs(task: ComparedCase) -> dict[str, Any]:
    """The inputs of a case as tensors again."""
    files = task.data.inputs.items()
    tensors = {
        name: [tensor_of(file, mapped(file.path)) for file in of_input]
        for name, of_input in files
    }
    return as_called(task.operator, tensors)


def _describe(comparison: Comparison, file: TensorFile) -> str:
    """What is wrong with an output, where, and by how much."""
    errors = comparison.errors
    index, place = errors.worst_index, []
    parts = (2,) if file.dtype == "complex64" else ()  # real and imaginary part
    for size in reversed((*file.shape, *parts)):
        place.append(index % size)
        index //= size
    measure = f"max abs {errors.max_abs:.3g}, max rel {errors.max_rel:.3g}"
    if comparison.deciding == "ulp":
        measure = f"max ulp {errors.max_ulp:.4g}"
    return (
        f"{errors.output}: {measure} ({comparison.deciding} rule); {comparison.pattern}; "
        f"worst at {list(reversed(place))}: expected {errors.worst_expected:.7g}, "
        f"got {errors.worst_actual:.7g}"
    )
