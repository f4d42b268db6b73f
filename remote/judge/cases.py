"""One test case of a candidate: manifest out, program run, report and outputs in, comparison, case result."""

from __future__ import annotations

import json
import math
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from .error_statistics import Comparison, compare
from .faults import EnvironmentFault
from .reference import CaseData, TensorFile, tensor_from
from .run import ChildGroup, Finished, Limits

GRACE_S = 10.0  # wall seconds a run may take beyond its kernel's time limit (loading, host side, writing)
LOST_LIFELINE = 71
BAD_MANIFEST = 64


@dataclass
class CaseOutcome:
    """What one case gave: the row of the result, findings, and the launch for the profile."""

    row: dict[str, Any]
    findings: list[dict[str, Any]] = field(default_factory=list)
    launch: dict[str, Any] | None = None
    log: str = ""

    @property
    def hit_time_limit(self) -> bool:
        """Whether the kernel did not end."""
        return any(finding["rule"] == "time-limit" for finding in self.findings)


@dataclass(frozen=True)
class RunSettings:
    """How runs are made: modelled SoC, kernel time limit in seconds, memory in MiB, strict checks, deciding rule."""

    soc: str
    time_limit_s: float
    memory_mb: int
    strict: bool
    rule: str
    scratch: Path


def shape_class(case: Mapping[str, Any]) -> str:
    """What may be said about a hidden case: rank, tail and size class of its first input, nothing that reveals values."""
    first = next(iter(case["inputs"].values()), None)
    if first is None:
        return "no input"
    shape = tuple((first.get("shapes") or [first["shape"]])[0])
    width = {"float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "int64": 8}.get(
        first["dtype"], 1
    )
    total = math.prod(shape)
    tail = (
        "whole 32-byte blocks"
        if (shape[-1] if shape else 1) * width % 32 == 0
        else "a last dimension that is no multiple of 32 bytes"
    )
    size = (
        "under 10 thousand"
        if total < 10_000
        else "10 thousand to 1 million"
        if total < 1_000_000
        else "over 1 million"
    )
    extra = "" if first.get("layout", "contiguous") == "contiguous" else f", {first['layout']}"
    special = ", special values" if first.get("fill") == "special" else ""
    return f"{first['dtype']}, {len(shape)}-D, {tail}, {size} elements{extra}{special}"


def skipped(case: Mapping[str, Any], why: str) -> CaseOutcome:
    """Row of a case that was not run."""
    return CaseOutcome(_row(case, "skipped", why))


def run_case(
    operator: Mapping[str, Any], case: Mapping[str, Any], data: CaseData, program: Path, settings: RunSettings,
    module: ModuleType, children: ChildGroup,
) -> CaseOutcome:  # fmt: skip
    """Run `program` on `case` and compare what it wrote with the reference.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        Cancelled: The job was cancelled.
    """
    folder = settings.scratch / uuid.uuid4().hex
    folder.mkdir(parents=True)
    try:
        outputs = [folder / f"out-{index}.bin" for index in range(len(data.outputs))]
        manifest = folder / "launch.tsv"
        manifest.write_text(_manifest(operator, case, data, outputs, settings, folder / "report.json"))
        wall = settings.time_limit_s + GRACE_S
        limits = Limits(wall_s=wall, cpu_s=math.ceil(4 * wall), memory_mb=settings.memory_mb)
        finished = children.run([str(program), str(manifest)], folder, limits)
        report = _report(finished, folder / "report.json", operator, settings)
        outcome = CaseOutcome(
            _row(case, "pass", ""), _findings(report, operator, case), report["launch"], report["log"]
        )
        _judge(outcome, operator, case, data, outputs, report, settings, module)
        outcome.row["seconds"] = finished.seconds
        return outcome
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _row(case: Mapping[str, Any], status: str, detail: str) -> dict[str, Any]:
    dtypes = list(dict.fromkeys(spec["dtype"] for spec in case["inputs"].values()))
    return {
        "case": case["name"], "hidden": bool(case.get("hidden")), "timed": bool(case.get("timed", True)), "status": status,
        "detail": detail, "dtype": "/".join(dtypes[:2]), "verdicts": None, "statistics": [], "latency": None, "seconds": 0.0,
    }  # fmt: skip


def _encode(text: str) -> str:
    return text.replace("%", "%25").replace("\t", "%09").replace("\n", "%0A").replace("\r", "%0D")


def _numbers(values: Sequence[int]) -> str:
    return ",".join(str(value) for value in values) or "-"


def _attribute_text(value: Any) -> tuple[str, str]:
    """Type and text of an attribute in the manifest."""
    if isinstance(value, bool):
        return "bool", str(int(value))
    if isinstance(value, int):
        return "int", str(value)
    if isinstance(value, float):
        return "float", repr(value)
    if isinstance(value, str):
        return "str", _encode(value)
    kinds = [_attribute_text(entry) for entry in value]
    kind = "float" if any(k == "float" for k, _ in kinds) else kinds[0][0] if kinds else "int"
    return f"{kind}_list", ",".join(text for _, text in kinds)


def _manifest(
    operator: Mapping[str, Any], case: Mapping[str, Any], data: CaseData, outputs: Sequence[Path], settings: RunSettings,
    report: Path,
) -> str:  # fmt: skip
    """The launch manifest; its format is documented in the runner's `manifest.h`."""
    lines = [
        "sage-twin-launch\t1", f"operator\t{operator['name']}", f"kernel\t{operator['snake']}", f"soc\t{settings.soc}",
        f"time_limit\t{settings.time_limit_s:g}", f"strict\t{int(settings.strict)}", f"report\t{_encode(str(report))}",
    ]  # fmt: skip
    for index, tensor in enumerate(operator["inputs"]):
        name = tensor["name"]
        if name not in data.inputs:
            lines.append(f"absent\t{index}\t{name}")
        for file in data.inputs.get(name, ()):
            lines.append(
                "\t".join(
                    [
                        "input",
                        str(index),
                        name,
                        file.dtype,
                        _numbers(file.shape),
                        _numbers(file.strides),
                        _encode(str(file.path)),
                    ]
                )
            )
    for file, path in zip(data.outputs, outputs, strict=True):
        lines.append(f"output\t{file.name}\t{file.dtype}\t{_numbers(file.shape)}\t{_encode(str(path))}")
    declared = {attribute["name"]: attribute["type"] for attribute in operator["attributes"]}
    for name, value in (case.get("attributes") or {}).items():
        kind, text = _attribute_text(value)
        lines.append(f"attribute\t{name}\t{declared.get(name, kind)}\t{text}")
    return "\n".join(lines) + "\n"


def _report(
    finished: Finished, path: Path, operator: Mapping[str, Any], settings: RunSettings
) -> dict[str, Any]:
    """The runner's report, or one made from how the process ended."""
    if finished.code == BAD_MANIFEST or finished.code == LOST_LIFELINE:
        raise EnvironmentFault(f"The runner of the twin could not work: {finished.output.strip()[-400:]}")
    try:
        report: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8", "replace"))
    except (OSError, ValueError):
        report = {
            "phase": "kernel",
            "findings": [],
            "inferred": [],
            "changed_inputs": [],
            "log": finished.output[-2000:],
            "launch": None,
        }
        report["findings"].append(_finding_of_end(finished, operator, settings))
    return report


def _finding_of_end(finished: Finished, operator: Mapping[str, Any], settings: RunSettings) -> dict[str, Any]:
    snake, signal_name = operator["snake"], finished.signal_name
    if finished.timed_out or signal_name == "SIGXCPU":
        limit = f"{settings.time_limit_s:g} s"
        return _finding(
            "time-limit",
            f"kernel {snake} or its op_host did not end within {limit} and had to be killed",
            limit,
        )
    if signal_name == "SIGKILL":
        raise EnvironmentFault(
            "The run was killed by the system, probably because the machine ran out of memory."
        )
    if "bad_alloc" in finished.output:
        limit = f"{settings.memory_mb} MiB of memory"
        return _finding("memory-limit", f"kernel {snake} or its op_host asked for more than {limit}", limit)
    tail = finished.output.strip().splitlines()[-1:] or [""]
    how = f"crashed with {signal_name}" if signal_name else f"ended with exit code {finished.code}"
    return _finding("crash", f"kernel {snake} {how}: {tail[0]}".rstrip(": "), "")


def _finding(rule: str, message: str, limit: str) -> dict[str, Any]:
    return {"rule": rule, "severity": "error", "message": message, "file": "", "line": 0, "core": -1, "call": "",
            "tensor": "", "limit": limit, "link": "", "count": 1}  # fmt: skip


def _findings(
    report: Mapping[str, Any], operator: Mapping[str, Any], case: Mapping[str, Any]
) -> list[dict[str, Any]]:
    return [{**finding, "kernel": operator["snake"], "case": case["name"]} for finding in report["findings"]]


def _judge(
    outcome: CaseOutcome, operator: Mapping[str, Any], case: Mapping[str, Any], data: CaseData, outputs: Sequence[Path],
    report: Mapping[str, Any], settings: RunSettings, module: ModuleType,
) -> None:  # fmt: skip
    """Decide the status: a wrong shape or dtype comes before everything, then the run, then the values."""
    row = outcome.row
    status, detail = _inferred_mismatch(report["inferred"], data.outputs)
    launch = outcome.launch
    errors = [finding for finding in outcome.findings if finding["severity"] == "error"]
    if not status and (errors or launch is None or not launch["completed"]):
        status, detail = "run-error", describe_finding(errors[0]) if errors else "the kernel did not complete"
    if launch is not None and launch["completed"]:
        row["latency"] = {
            "value": launch["modelled_us"], "unit": "us", "origin": "modelled", "clock": "twin cycle model", "n": 0,
            "spread": None, "device": f"{settings.soc} model",
        }  # fmt: skip
    if not status:
        status, detail = _compare(row, case, data, outputs, report, settings, module)
    row["status"] = status or "pass"
    row["detail"] = f"hidden case ({shape_class(case)})" if status and case.get("hidden") else detail


def _inferred_mismatch(
    inferred: Sequence[Mapping[str, Any]], outputs: Sequence[TensorFile]
) -> tuple[str, str]:
    for got, wanted in zip(inferred, outputs, strict=False):
        if got["has_shape"] and tuple(got["shape"]) != wanted.shape:
            return (
                "wrong-shape",
                f"InferShape gives {wanted.name} the shape {got['shape']}, it is {list(wanted.shape)}",
            )
        if got["dtype"] and got["dtype"] != wanted.dtype:
            return (
                "wrong-dtype",
                f"InferDataType gives {wanted.name} the type {got['dtype']}, it is {wanted.dtype}",
            )
    return "", ""


def _compare(
    row: dict[str, Any], case: Mapping[str, Any], data: CaseData, outputs: Sequence[Path], report: Mapping[str, Any],
    settings: RunSettings, module: ModuleType,
) -> tuple[str, str]:  # fmt: skip
    actual = [
        tensor_from(path.read_bytes(), file.dtype, file.shape)
        for path, file in zip(outputs, data.outputs, strict=True)
    ]
    rule = "benchmark" if settings.rule == "checker" else settings.rule
    comparisons = [
        compare(file.name, expected, result, rule)
        for file, expected, result in zip(data.outputs, data.expected, actual, strict=True)
    ]
    passed, deciding = (
        all(c.passed for c in comparisons),
        "+".join(dict.fromkeys(c.deciding for c in comparisons)),
    )
    if settings.rule == "checker":
        passed, deciding = _own_check(module, data, actual, case), "checker"
    row["statistics"] = [asdict(comparison.errors) for comparison in comparisons]
    row["verdicts"] = {
        "paper": all(c.paper for c in comparisons), "benchmark": all(c.benchmark for c in comparisons),
        "ulp": all(c.ulp for c in comparisons), "deciding": deciding, "passed": passed,
    }  # fmt: skip
    if report["changed_inputs"]:
        return "wrong-result", f"the kernel changed its input {', '.join(report['changed_inputs'])}"
    if passed:
        return "", ""
    worst = next((pair for pair in zip(comparisons, data.outputs, strict=True) if not pair[0].passed), None)
    return "wrong-result", _describe(*worst) if worst else "the operator's own checker rejects the result"


def _own_check(
    module: ModuleType, data: CaseData, actual: Sequence[torch.Tensor], case: Mapping[str, Any]
) -> bool:
    """Ask `check(expected, actual, attributes)` of the reference file, the rule of an imported task."""
    check = getattr(module, "check", None)
    if not callable(check):
        raise EnvironmentFault(
            "The operator asks for its own checker, but its reference file defines no function `check`."
        )
    try:
        return bool(check(tuple(data.expected), tuple(actual), dict(case.get("attributes") or {})))
    except Exception as error:
        raise EnvironmentFault(
            f"The operator's own checker fails on case {case['name']}: {error!r}."
        ) from error


def _describe(comparison: Comparison, file: TensorFile) -> str:
    errors = comparison.errors
    index, place = errors.worst_index, []
    for size in reversed(file.shape):
        place.append(index % size)
        index //= size
    measure = (
        f"max ulp {errors.max_ulp:.4g}"
        if comparison.deciding == "ulp"
        else f"max abs {errors.max_abs:.3g}, max rel {errors.max_rel:.3g}"
    )
    return (
        f"{errors.output}: {measure} ({comparison.deciding} rule); {comparison.pattern}; worst at {list(reversed(place))}: "
        f"expected {errors.worst_expected:.7g}, got {errors.worst_actual:.7g}"
    )


def describe_finding(finding: Mapping[str, Any]) -> str:
    """One line with place, core and limit, for causes and case details."""
    place = f"{finding['file']}:{finding['line']}: " if finding["file"] else ""
    facts = [finding["call"]] if finding["call"] else []
    facts += [f"core {finding['core']}"] if finding["core"] >= 0 else []
    facts += [f"limit {finding['limit']}"] if finding["limit"] else []
    suffix = f" [{', '.join(facts)}]" if facts else ""
    return f"{place}{finding['rule']}: {finding['message']}{suffix}"
