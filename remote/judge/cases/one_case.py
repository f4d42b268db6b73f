"""One test case of a candidate: run it, compare what it wrote with the reference, make its row."""

from __future__ import annotations

import math
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.evaluation.records import Finding, Latency, LatencyOrigin, Severity
from core.operators.spec import dtype_columns
from remote.judge.building.processors import BEYOND_L2
from remote.judge.cases.outcome import (
    CaseOutcome,
    CaseTask,
    describe_finding,
    make_row,
    row_detail,
)
from remote.judge.cases.outputs import (
    compare_outputs,
    result_of,
    starts_as_pattern,
    unwritten_outputs,
)
from remote.judge.comparing.acceptance import untouched
from remote.judge.faults import UnexplainedEnd
from remote.judge.inputs.case_data import TensorFile
from remote.judge.inputs.fills import DTYPES
from remote.judge.job import Operator
from remote.judge.running.answers import Inferred, Launch
from remote.judge.running.launch import RunReport, RunSettings, launch

_INFERRED = ("infer-shape", "infer-type")
_INFERENCE = (*_INFERRED, "kernel-shape")
# Bytes of an output up to which the runner notes which of them were written.
MOST_WATCHED = 256 << 20


def run_case(task: CaseTask) -> CaseOutcome:
    """Run a case, as `launch` does, and compare what it wrote with the reference."""
    with _new_folder(task.settings) as folder:
        report, outcome = _run(task, folder)
        judge_run(outcome, task, report)
        if outcome.row.status == "pass":
            again = replace(task, settings=replace(task.settings, trace=False))
            _judge_again(outcome, again, report, folder)
        return outcome


def run_again(task: CaseTask) -> CaseOutcome:
    """Run a case whose program ran before, and compare what it wrote; nothing else is asked of it."""
    with _new_folder(task.settings) as folder:
        report, outcome = _run_once_more(task, folder)
        judge_run(outcome, task, report)
        return outcome


def launched_again(task: CaseTask) -> Launch | None:
    """Launch a case whose program ran before; what it wrote is not compared. None where it did not end."""
    with _new_folder(task.settings) as folder:
        return _run_once_more(task, folder)[1].launch


@contextmanager
def _new_folder(settings: RunSettings) -> Iterator[Path]:
    """A name for the folder of a run, which is removed in the end."""
    folder = settings.scratch / uuid.uuid4().hex
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(task: CaseTask, folder: Path) -> tuple[RunReport, CaseOutcome]:
    """The report of a run, and an outcome of which nothing is decided yet."""
    operator, case, data = task.operator, task.case, task.data
    programs, settings, launcher = task.programs, task.settings, task.launcher
    report, seconds = launch(operator, case, data, programs, settings, folder, launcher)
    findings = [
        replace(f, kernel=operator.snake, case=case.name) for f in report.findings
    ]
    row = replace(make_row(case, "pass", ""), seconds=seconds)
    outcome = CaseOutcome(
        row, findings, report.launch, report.log, report.trace, report.tiling_key
    )
    return report, outcome


def _run_once_more(task: CaseTask, folder: Path) -> tuple[RunReport, CaseOutcome]:
    """As `_run`; an end that nothing explains is tried again at once."""
    try:
        return _run(task, folder)
    except UnexplainedEnd:
        return _run(task, folder.with_name(f"{folder.name}-again"))


def judge_run(outcome: CaseOutcome, task: CaseTask, report: RunReport) -> None:
    """Decide the status: a wrong shape or dtype comes before everything, then the run, then the values."""
    run = outcome.launch
    status, detail, rule = _inferred_mismatch(report.inferred, task)
    if task.case.row:
        # A benchmark hands over its output tensors, so nothing depends on what is inferred.
        _make_inference_a_warning(outcome, rule, detail, task)
        status, detail, rule = "", "", ""
    errors = [finding for finding in outcome.findings if finding.severity == "error"]
    completed = run is not None and run.completed
    if not status and _beyond_the_task(task, errors):
        # The benchmark lists a case that its own definition of the operator cannot take.
        outcome.findings = [
            finding for finding in outcome.findings if finding not in errors
        ]
        status = "skipped"
        detail = f"the task's own interface has no such signature ({errors[0].message})"
    if not status and (errors or not completed):
        status = "run-error"
        detail = (
            describe_finding(errors[0]) if errors else "the kernel did not complete"
        )
    if run is not None and completed and not run.unmodelled:
        device = task.settings.device or f"{task.settings.soc} model"
        regime = "cold" if task.settings.cold else "warm"
        low, high = _uncertainty(task, run)
        latency = Latency(
            run.modelled_us,
            "us",
            LatencyOrigin.MODELLED,
            f"twin cycle model, {regime} L2",
            0,
            None,
            device,
            run.launch_us,
            time_model=task.settings.processor.time_model,
            low=low * run.modelled_us,
            high=high * run.modelled_us,
            calibration=task.settings.processor.calibration,
        )
        outcome.row = replace(outcome.row, latency=latency)
    if not status:
        status, detail = compare_outputs(
            outcome, task, report.changed_inputs, report.outputs
        )
    elif rule in _INFERRED:
        # A call of a single operator brings its outputs along: the run is worth knowing, too.
        detail += f"; apart from that {_run_in_words(outcome, task, report, errors)}"
        outcome.fail(task.case, status, detail)
    detail_in_row = row_detail(task.case, detail) if status else detail
    outcome.row = replace(outcome.row, status=status or "pass", detail=detail_in_row)


def _run_in_words(
    outcome: CaseOutcome, task: CaseTask, report: RunReport, errors: Sequence[Finding]
) -> str:
    """How the run went and the values are, with the outputs that the interface wants."""
    if errors:
        return describe_finding(errors[0])
    if outcome.launch is None or not outcome.launch.completed:
        return "the kernel did not complete"
    wrong, how = compare_outputs(outcome, task, report.changed_inputs, report.outputs)
    return how if wrong else "the values are right"


def _uncertainty(task: CaseTask, run: Launch) -> tuple[float, float]:
    """Lowest and highest factor between the modelled time of a launch and what a device would take."""
    processor = task.settings.processor
    tensors = (*task.data.input_files, *task.data.outputs)
    beyond_l2 = sum(one.bytes for one in tensors) > BEYOND_L2 * processor.l2_bytes
    return processor.uncertainty.factors(
        run.modelled_us,
        from_hbm=task.settings.cold or beyond_l2,
        is_product=any(core.cube > 0 for core in run.cores),
    )


def _judge_again(
    outcome: CaseOutcome, task: CaseTask, report: RunReport, folder: Path
) -> None:
    """What one run cannot tell of a right result: that it was written, and whatever outputs hold before."""
    status, detail = "wrong-result", _unwritten(outcome, task, report, folder)
    if not detail and task.again is not None:
        how = replace(task.settings, fast=True, unforeseen=True)
        other = run_again(replace(task, data=task.again, settings=how, again=None))
        if other.row.status != "pass":
            outcome.findings += other.findings
            status = other.row.status
            what = "outputs that hold anything before"
            if task.again is not task.data:
                what = "numbers further from zero"
            detail = f"with {what}: {other.row.detail}"
    if detail:
        outcome.fail(task.case, status, detail)


def _unwritten(
    outcome: CaseOutcome, task: CaseTask, report: RunReport, folder: Path
) -> str:
    """Complaint about elements of a right result that no core wrote, "" when there are none.

    A run tells by its coverage which outputs have such bytes; where it keeps none, those that hold the
    pattern are suspected. A second run with another pattern decides, as a core may have written the very
    same bytes.
    """
    gaps = [finding for finding in outcome.findings if finding.rule == "gm-unwritten"]
    named = {finding.tensor for finding in gaps}
    suspected = any(
        (file.name in named or task.settings.fast or _room_bytes(file) > MOST_WATCHED)
        and starts_as_pattern(task, at)
        and bool(untouched(result_of(report.outputs[at], file), file.dtype).any())
        for at, file in enumerate(task.data.outputs)
    )
    if not suspected:
        return ""
    second = replace(task, settings=replace(task.settings, second_pattern=True))
    other, _ = _run_once_more(second, folder / "second")
    complaint = unwritten_outputs(task, report.outputs, other.outputs)
    for finding in gaps if complaint else ():
        outcome.weigh(finding, Severity.ERROR)
    return complaint


def _room_bytes(file: TensorFile) -> int:
    """Bytes of what the caller makes for an output."""
    return math.prod(file.allocation.shape) * DTYPES[file.dtype].itemsize


def _beyond_the_task(task: CaseTask, errors: Sequence[Finding]) -> bool:
    """Whether a run failed only for dtypes that no signature of the imported task's own interface has.

    An interface that leaves a dtype open asks for every one its cases have.
    """
    if not task.case.row or [finding.rule for finding in errors] != ["dtype-support"]:
        return False
    dtypes = {name: files[0].dtype for name, files in task.data.inputs.items() if files}
    inputs = task.operator.inputs
    declared = {
        tensor.name: tensor.dtypes
        for tensor in inputs
        if tensor.name in dtypes and tensor.dtypes
    }
    return bool(declared) and {
        name: dtypes[name] for name in declared
    } not in dtype_columns(declared)


def _make_inference_a_warning(
    outcome: CaseOutcome, rule: str, mismatch: str, task: CaseTask
) -> None:
    """Tell of faults of InferShape, InferDataType and shapes the kernel wrote without failing the case."""
    for finding in outcome.findings:
        if finding.rule in _INFERENCE and finding.severity == "error":
            outcome.weigh(finding, Severity.WARNING)
    if mismatch:
        outcome.findings.append(task.finding(rule, mismatch, Severity.WARNING))


def _is_decided_by_data(operator: Operator, output: str) -> bool:
    """Whether values decide the shape of an output: InferShape then gives -1, as in CANN, or the most."""
    return any(one.name == output and one.shape_from_data for one in operator.outputs)


def _inferred_mismatch(
    inferred: Sequence[Inferred], task: CaseTask
) -> tuple[str, str, str]:
    """Status, detail and rule of the first output with another shape or dtype than it has; else empty."""
    for index, (got, expected) in enumerate(
        zip(inferred, task.data.outputs, strict=False)
    ):
        if task.data.is_unchecked(task.case, index):
            continue
        free = not got.by_kernel and _is_decided_by_data(task.operator, expected.name)
        if free and len(got.shape) == len(expected.shape):
            pairs = zip(got.shape, expected.shape, strict=True)
            # The data decide the size: InferShape says -1, or a size that is large enough.
            fits = all(most == -1 or most >= size for most, size in pairs)
        else:
            fits = tuple(got.shape) == expected.shape
        if got.has_shape and not fits:
            who, rule = (
                ("the kernel", "kernel-shape")
                if got.by_kernel
                else ("InferShape", "infer-shape")
            )
            shapes = f"{list(got.shape)}, it is {list(expected.shape)}"
            return (
                "wrong-shape",
                f"{who} gives {expected.name} the shape {shapes}",
                rule,
            )
        if got.dtype and got.dtype != expected.dtype:
            types = f"{got.dtype}, it is {expected.dtype}"
            return (
                "wrong-dtype",
                f"InferDataType gives {expected.name} the type {types}",
                "infer-type",
            )
    return "", "", ""
