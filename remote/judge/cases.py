"""One test case of a candidate: run it, compare what it wrote with the reference, make its row."""

from __future__ import annotations

import math
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from .acceptance import OwnCheck, accept, untouched, unwritten
from .case_data import SECOND_POISON, CaseData, TensorFile
from .error_statistics import Comparison
from .faults import UnexplainedEnd
from .inputs import DTYPES
from .launch_request import is_open
from .launch_run import IMPOSSIBLE, Programs, RunSettings, finding_of_judge, launch, output_path
from .launcher import Launcher
from .mismatch import HINTS
from .task import strided_view
from .tensor_memory import tensor_from

_WIDTHS = {"float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "int64": 8, "complex64": 8}
_INFERENCE = ("infer-shape", "infer-type", "kernel-shape")
_SMALL, _LARGE = 10_000, 1_000_000
USUAL_ORDERS = 2  # everything as late as allowed, and one by chance
MOST_WATCHED = 256 << 20  # bytes of an output up to which the runner notes which of them were written


@dataclass
class CaseOutcome:
    """What one case gave: the row of the result, findings, and the launch for the profile."""

    row: dict[str, Any]
    findings: list[dict[str, Any]] = field(default_factory=list)
    launch: dict[str, Any] | None = None
    log: str = ""
    trace: bytes = b""
    orders: int = 0
    orders_s: float = 0.0

    @property
    def hit_time_limit(self) -> bool:
        """Whether the kernel did not end: it computed or slept beyond a limit of time."""
        return any(
            finding["rule"] == "time-limit" or (finding["rule"] == "deadlock" and finding["limit"])
            for finding in self.findings
        )


@dataclass(frozen=True)
class CaseTask:
    """A case with everything needed to judge it: operator, its own checker, expected data, settings.

    `fresh` is the same case with inputs of another seed, tried after the case was timed; None when it is not.
    """

    operator: Mapping[str, Any]
    case: Mapping[str, Any]
    data: CaseData
    own_check: OwnCheck
    settings: RunSettings
    fresh: CaseData | None = None


def shape_class(case: Mapping[str, Any]) -> str:
    """What may be said about a hidden case: rank, tail and size class of its first input, never values."""
    first = next(iter(case["inputs"].values()), None)
    if first is None:
        return "no input"
    shape = tuple((first.get("shapes") or [first["shape"]])[0])
    row_bytes = (shape[-1] if shape else 1) * _WIDTHS.get(first["dtype"], 1)
    tail = "a last dimension that is no multiple of 32 bytes" if row_bytes % 32 else "whole 32-byte blocks"
    total = math.prod(shape)
    size = "10 thousand to 1 million"
    if total < _SMALL or total > _LARGE:
        size = "under 10 thousand" if total < _SMALL else "over 1 million"
    parts = [first["dtype"], f"{len(shape)}-D", tail, f"{size} elements"]
    parts += [first["layout"]] if first.get("layout", "contiguous") != "contiguous" else []
    parts += ["special values"] if first.get("fill") == "special" else []
    return ", ".join(parts)


def skipped(case: Mapping[str, Any], why: str) -> CaseOutcome:
    """Row of a case that was not run."""
    return CaseOutcome(make_row(case, "skipped", why))


def failed(case: Mapping[str, Any], rule: str, why: str) -> CaseOutcome:
    """Outcome of a case whose run counts as failed, whatever it left."""
    finding = {**finding_of_judge(rule, why), "case": case["name"]}
    hidden = f"hidden case ({shape_class(case)})"
    return CaseOutcome(make_row(case, "run-error", hidden if case.get("hidden") else why), [finding])


def run_case(task: CaseTask, programs: Programs, launcher: Launcher, seen: str = "") -> CaseOutcome:
    """Run `programs` on a case and compare what it wrote with the reference.

    Args:
        task: The case.
        programs: What was built for its dtypes.
        launcher: Starts it.
        seen: As `launch` takes it.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        UnavailableCase: The case cannot be run.
        UnexplainedEnd: It is not known who ended the run, and `seen` is empty.
        Cancelled: The job was cancelled.
    """
    folder = task.settings.scratch / uuid.uuid4().hex
    try:
        report, outcome = _run(task, programs, folder, launcher, seen)
        _judge(outcome, task, report, folder)
        if outcome.row["status"] == "pass":
            again = replace(task, settings=replace(task.settings, trace=False))
            _judge_again(outcome, again, programs, folder, launcher)
        return outcome
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(
    task: CaseTask, programs: Programs, folder: Path, launcher: Launcher, seen: str = ""
) -> tuple[Mapping[str, Any], CaseOutcome]:
    """Run `programs` in a new folder; the report, and an outcome of which nothing is decided yet."""
    folder.mkdir(parents=True)
    operator, case = task.operator, task.case
    report, seconds = launch(operator, case, task.data, programs, task.settings, folder, launcher, seen)
    findings = [{**f, "kernel": operator["snake"], "case": case["name"]} for f in report["findings"]]
    row = make_row(case, "pass", "")
    outcome = CaseOutcome(row, findings, report["launch"], report["log"], report["trace"])
    outcome.row["seconds"] = seconds
    return report, outcome


def _run_once_more(
    task: CaseTask, programs: Programs, folder: Path, launcher: Launcher
) -> tuple[Mapping[str, Any], CaseOutcome, Path]:
    """Run a program that ran before; an end that nothing explains is tried again at once.

    Returns:
        As `_run`, and the folder with the outputs.
    """
    try:
        return *_run(task, programs, folder, launcher), folder
    except UnexplainedEnd as end:
        again = folder.with_name(f"{folder.name}-again")
        return *_run(task, programs, again, launcher, end.how), again


def make_row(case: Mapping[str, Any], status: str, detail: str) -> dict[str, Any]:
    """The row of a case in the result, as `core.evaluation.records.CaseResult`."""
    dtypes = list(dict.fromkeys(spec["dtype"] for spec in case["inputs"].values()))
    return {
        "case": case["name"], "hidden": bool(case.get("hidden")), "timed": bool(case.get("timed", True)),
        "status": status, "detail": detail, "dtype": "/".join(dtypes[:2]), "verdicts": None,
        "statistics": [], "latency": None, "seconds": 0.0,
    }  # fmt: skip


def _judge(outcome: CaseOutcome, task: CaseTask, report: Mapping[str, Any], folder: Path) -> None:
    """Decide the status: a wrong shape or dtype comes before everything, then the run, then the values."""
    row, run = outcome.row, outcome.launch
    status, detail, rule = _inferred_mismatch(report["inferred"], task)
    if task.case.get("row"):
        # A benchmark hands over its output tensors, so nothing depends on what is inferred.
        _make_inference_a_warning(outcome, rule, detail, task)
        status, detail = "", ""
    errors = [finding for finding in outcome.findings if finding["severity"] == "error"]
    completed = run is not None and run["completed"]
    if not status and _beyond_the_task(task, errors):
        # The benchmark lists a case that its own definition of the operator cannot take.
        outcome.findings = [finding for finding in outcome.findings if finding not in errors]
        status, detail = "skipped", f"the task's own interface has no such signature ({errors[0]['message']})"
    if not status and (errors or not completed):
        status = "run-error"
        detail = describe_finding(errors[0]) if errors else "the kernel did not complete"
    if run is not None and completed and not run["unmodelled"]:
        row["latency"] = {
            "value": run["modelled_us"], "unit": "us", "origin": "modelled", "clock": "twin cycle model",
            "n": 0, "spread": None, "device": f"{task.settings.soc} model", "launch": run["launch_us"],
        }  # fmt: skip
    if not status:
        files = [output_path(folder, index) for index in range(len(task.data.outputs))]
        status, detail = compare_outputs(outcome, task, report["changed_inputs"], files)
    if not status:
        status, detail = _changed_clock(outcome)
    if status and task.case.get("hidden"):
        detail = f"hidden case ({shape_class(task.case)})"
    row["status"], row["detail"] = status or "pass", detail


def _changed_clock(outcome: CaseOutcome) -> tuple[str, str]:
    """Status and detail of a right result in less time than it can have taken; else empty."""
    for finding in outcome.findings:
        if finding["rule"] == IMPOSSIBLE:
            finding["severity"] = "error"
            return "run-error", describe_finding(finding)
    return "", ""


def _judge_again(
    outcome: CaseOutcome, task: CaseTask, programs: Programs, folder: Path, launcher: Launcher
) -> None:
    """What one run cannot tell of a right result: that it was written, and not only for these inputs."""
    status, detail = "wrong-result", _unwritten(outcome, task, programs, folder, launcher)
    if not detail and task.fresh is not None:
        case = {**task.case, "attributes": dict(task.fresh.attributes)}  # a task may draw them as well
        fast = replace(task.settings, fast=True)
        again = replace(task, case=case, data=task.fresh, settings=fast, fresh=None)
        report, other, place = _run_once_more(again, programs, folder / "fresh", launcher)
        _judge(other, again, report, place)
        if other.row["status"] != "pass":
            outcome.findings += other.findings
            status, detail = other.row["status"], f"after timing, with fresh inputs: {other.row['detail']}"
    status, detail = (status, detail) if detail else _other_orders(outcome, task, programs, folder, launcher)
    if detail:
        hidden = f"hidden case ({shape_class(task.case)})"
        outcome.row.update(status=status, detail=hidden if task.case.get("hidden") else detail)
        outcome.row["verdicts"]["passed"] = False


def _other_orders(
    outcome: CaseOutcome, task: CaseTask, programs: Programs, folder: Path, launcher: Launcher
) -> tuple[str, str]:
    """Status and complaint of a result that depends on the order of cores and pipes; empty when it does not.

    A kernel whose cores work together is tried in a few orders with one case of each program, any other when
    the person asks.
    """
    count = task.settings.schedules
    if count is None:
        together = outcome.launch is not None and outcome.launch["together"]
        count = USUAL_ORDERS if together and task.fresh is not None else 0
    for number in range(1, count + 1):
        settings = replace(task.settings, schedule=number, fast=False)
        again = replace(task, settings=settings, fresh=None)
        report, other, place = _run_once_more(again, programs, folder / f"order-{number}", launcher)
        _judge(other, again, report, place)
        outcome.orders += 1
        outcome.orders_s += other.row["seconds"]
        stuck = any(finding["rule"] == "deadlock" for finding in other.findings)
        if other.row["status"].startswith("wrong") or (other.row["status"] == "run-error" and stuck):
            complaint = (
                "right in one order of cores and pipes, not in another that the synchronisation allows "
                f"(order {number}): {other.row['detail']}. A flag, queue or barrier is missing"
            )
            finding = finding_of_judge("order-dependent", complaint)
            outcome.findings.append({**finding, "kernel": task.operator["snake"], "case": task.case["name"]})
            return other.row["status"], complaint
    return "", ""


def _unwritten(
    outcome: CaseOutcome, task: CaseTask, programs: Programs, folder: Path, launcher: Launcher
) -> str:
    """Complaint about elements of a right result that nobody wrote, "" when there are none.

    A run tells by its coverage which outputs have such bytes; where it keeps none, those that hold the
    pattern are suspected. A second run with another pattern decides, as a core may have written the very
    same bytes.
    """
    gaps = [finding for finding in outcome.findings if finding["rule"] == "gm-unwritten"]
    named = {finding["tensor"] for finding in gaps}
    places = range(len(task.data.outputs))
    suspected = any(
        (file.name in named or task.settings.fast or _room_bytes(file) > MOST_WATCHED)
        and _starts_as_pattern(task, at)
        and bool(untouched(_result(output_path(folder, at), file), file.dtype).any())
        for at, file in enumerate(task.data.outputs)
    )
    if not suspected:
        return ""
    second = replace(task, settings=replace(task.settings, second_pattern=True))
    _, _, other = _run_once_more(second, programs, folder / "second", launcher)
    complaint = unwritten_outputs(
        task, [output_path(folder, at) for at in places], [output_path(other, at) for at in places]
    )
    for finding in gaps:
        finding["severity"] = "error" if complaint else finding["severity"]
    return complaint


def unwritten_outputs(task: CaseTask, first: Sequence[Path], second: Sequence[Path]) -> str:
    """Complaint about elements that two runs, begun with different patterns, left as they were.

    Args:
        task: The case.
        first: What the first run left in each output.
        second: What the second left; a file that is missing counts as untouched.
    """
    labels = _labels(task.data.outputs)
    for at, (file, label) in enumerate(zip(task.data.outputs, labels, strict=True)):
        if not _starts_as_pattern(task, at):
            continue
        before = _result(first[at], file)
        after = _result(second[at], file) if second[at].exists() else bytes([SECOND_POISON]) * len(before)
        complaint = unwritten(label, file.dtype, before, after)
        if complaint:
            return complaint
    return ""


def _starts_as_pattern(task: CaseTask, at: int) -> bool:
    """Whether output `at` has to be written: it is not left open, changed in place or zero at the start."""
    file = task.data.outputs[at]
    filled = file.name in task.data.inputs or bool(file.room and file.room.zero)
    return task.data.expected[at] is not None and not filled


def _beyond_the_task(task: CaseTask, errors: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a run failed only for dtypes that no signature of the imported task's own interface has.

    An interface that leaves a dtype open asks for every one its cases have.
    """
    if not task.case.get("row") or [finding["rule"] for finding in errors] != ["dtype-support"]:
        return False
    given = {name: files[0].dtype for name, files in task.data.inputs.items() if files}
    declared = [tensor for tensor in task.operator["inputs"] if tensor["name"] in given and tensor["dtypes"]]
    columns = max((len(tensor["dtypes"]) for tensor in declared), default=0)
    return columns > 0 and not any(
        all(
            given[tensor["name"]] == tensor["dtypes"][column if len(tensor["dtypes"]) > 1 else 0]
            for tensor in declared
        )
        for column in range(columns)
    )


def _make_inference_a_warning(outcome: CaseOutcome, rule: str, mismatch: str, task: CaseTask) -> None:
    """Tell of faults of InferShape, InferDataType and shapes the kernel wrote without failing the case."""
    for finding in outcome.findings:
        if finding["rule"] in _INFERENCE and finding["severity"] == "error":
            finding["severity"] = "warning"
    if mismatch:
        warning = finding_of_judge(rule, mismatch, severity="warning")
        outcome.findings.append({**warning, "kernel": task.operator["snake"], "case": task.case["name"]})


def _is_decided_by_data(operator: Mapping[str, Any], output: str) -> bool:
    """Whether values decide the shape of an output: InferShape then gives -1, as in CANN, or the most."""
    return any(one["name"] == output and one.get("shape_from_data") for one in operator["outputs"])


def _inferred_mismatch(inferred: Sequence[Mapping[str, Any]], task: CaseTask) -> tuple[str, str, str]:
    """Status, detail and rule of the first output with another shape or dtype than it has; else empty."""
    for index, (got, wanted) in enumerate(zip(inferred, task.data.outputs, strict=False)):
        if is_open(task.case, task.data, index):
            continue
        free = not got["by_kernel"] and _is_decided_by_data(task.operator, wanted.name)
        if free and len(got["shape"]) == len(wanted.shape):
            pairs = zip(got["shape"], wanted.shape, strict=True)
            fits = all(told == -1 or told >= size for told, size in pairs)
        else:
            fits = tuple(got["shape"]) == wanted.shape
        if got["has_shape"] and not fits:
            who, rule = ("the kernel", "kernel-shape") if got["by_kernel"] else ("InferShape", "infer-shape")
            shapes = f"{got['shape']}, it is {list(wanted.shape)}"
            return "wrong-shape", f"{who} gives {wanted.name} the shape {shapes}", rule
        if got["dtype"] and got["dtype"] != wanted.dtype:
            types = f"{got['dtype']}, it is {wanted.dtype}"
            return "wrong-dtype", f"InferDataType gives {wanted.name} the type {types}", "infer-type"
    return "", "", ""


def compare_outputs(
    outcome: CaseOutcome, task: CaseTask, changed: Sequence[str], files: Sequence[Path]
) -> tuple[str, str]:
    """Compare all outputs; note statistics, verdicts and how they are wrong. Texts stay empty when right.

    Args:
        outcome: What the case gave so far; takes the findings.
        task: The case with its reference.
        changed: Inputs that the kernel changed.
        files: What it wrote, one file for each output.
    """
    row, outputs = outcome.row, task.data.outputs
    actual = [
        tensor_from(b"" if is_open(task.case, task.data, at) else _result(path, file), file.dtype, file.shape)
        for at, (path, file) in enumerate(zip(files, outputs, strict=True))
    ]
    rule = task.settings.rule
    asked = rule == "checker" and not task.case.get("row")  # only a checker of the catalogue sees the inputs
    found = accept(
        task.own_check, task.case, rule, _labels(outputs), _inputs(task.data) if asked else {},
        task.data.expected, task.data.returned, actual,
    )  # fmt: skip
    comparisons = [comparison for comparison in found.comparisons if comparison is not None]
    row["statistics"] = [asdict(comparison.errors) for comparison in comparisons]
    if task.case.get("hidden"):
        row["statistics"] = [entry | {"map": None} for entry in row["statistics"]]
    row["verdicts"] = {
        "paper": all(c.paper for c in comparisons), "benchmark": all(c.benchmark for c in comparisons),
        "ulp": all(c.ulp for c in comparisons), "deciding": found.deciding, "passed": found.passed,
    }  # fmt: skip
    if changed:
        return "wrong-result", f"the kernel changed its input {', '.join(changed)}"
    if found.passed:
        return "", ""
    outcome.findings += [_mismatch(c, task) for c in comparisons if not c.passed and c.rule]
    for comparison, file in zip(found.comparisons, outputs, strict=True):
        if found.deciding != "checker" and comparison is not None and not comparison.passed:
            return "wrong-result", _describe(comparison, file)
    return "wrong-result", found.objection


def _result(path: Path, file: TensorFile) -> bytes:
    """What a kernel wrote into an output: the leading part of it where the caller made more room."""
    return path.read_bytes()[: math.prod(file.shape) * DTYPES[file.dtype].itemsize]


def _room_bytes(file: TensorFile) -> int:
    """Bytes of what the caller makes for an output."""
    shape = file.room.shape if file.room else file.shape
    return math.prod(shape) * DTYPES[file.dtype].itemsize


def _mismatch(comparison: Comparison, task: CaseTask) -> dict[str, Any]:
    """How an output is wrong, as a finding."""
    output, shift = comparison.errors.output, comparison.shift
    side = "later" if shift > 0 else "earlier"
    moved = f"; they hold the values {abs(shift)} elements {side}" if shift else ""
    text = f"{output}: {comparison.pattern}{moved}. {HINTS[comparison.rule]}"
    place = {"tensor": output, "kernel": task.operator["snake"], "case": task.case["name"]}
    return {**finding_of_judge(comparison.rule, text), **place}


def _labels(outputs: Sequence[TensorFile]) -> list[str]:
    """Names of the outputs as shown: the tensors of a list are numbered."""
    names = [file.name for file in outputs]
    return [
        f"{name}[{names[:place].count(name)}]" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _inputs(data: CaseData) -> dict[str, torch.Tensor | list[torch.Tensor]]:
    """The inputs of a case as tensors again, a list of tensors as a list."""
    tensors = {name: [_as_given(file) for file in files] for name, files in data.inputs.items()}
    return {name: given if len(given) > 1 else given[0] for name, given in tensors.items()}


def _as_given(file: TensorFile) -> torch.Tensor:
    elements = file.bytes // DTYPES[file.dtype].itemsize
    return strided_view(
        tensor_from(file.path.read_bytes(), file.dtype, (elements,)), file.shape, file.strides
    )


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


def describe_finding(finding: Mapping[str, Any]) -> str:
    """One line with place, kernel, core and limit, for causes and case details."""
    place = f"{finding['file']}:{finding['line']}: " if finding["file"] else ""
    facts = [f"kernel {finding['kernel']}"] if finding["core"] >= 0 else []
    facts += [finding["call"]] if finding["call"] else []
    facts += [f"core {finding['core']}"] if finding["core"] >= 0 else []
    facts += [f"limit {finding['limit']}"] if finding["limit"] else []
    suffix = f" [{', '.join(facts)}]" if facts else ""
    return f"{place}{finding['rule']}: {finding['message']}{suffix}"
