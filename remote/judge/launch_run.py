"""One run of a built program: manifest out, process under limits, report in."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .faults import EnvironmentFault, UnavailableCase, UnexplainedEnd
from .machine_faults import MachineState, machine_state
from .reference import CaseData, Room
from .run import ChildGroup, Finished, Limits

GRACE_S = 10.0  # seconds a run may take beyond its kernel's time limit (loading, host side, writing)
_BYTES_PER_S = 4e6  # a kernel gets a second more for this many bytes of inputs and outputs
# Exit codes of the runner for an unusable file and a judge that is gone. A kernel can leave with them, too.
_OF_THE_RUNNER = (64, 71)
_FROM_OUTSIDE = frozenset({"SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"})  # or from the candidate itself
_IDLE_SHARE = 0.1  # of a CPU: a run that used less slept
_PROGRAM = "program"  # name of the program in the folder of its run
_FILE_MB = 2048  # besides outputs
_LOG_KEPT = 2000


@dataclass(frozen=True)
class RunSettings:
    """How runs are made.

    Attributes:
        soc: Modelled processor.
        time_limit_s: CPU seconds one kernel launch may use, and seconds it may sleep at a stretch.
        memory_mb: Address space of a run in MiB, besides that of its tensors.
        strict: Whether warnings that lose data on hardware fail the run.
        rule: Deciding rule of the operator.
        scratch: Folder for the files of runs.
        fast: Whether races and unwritten bytes are left unchecked.
    """

    soc: str
    time_limit_s: float
    memory_mb: int
    strict: bool
    rule: str
    scratch: Path
    fast: bool = False


def launch(
    operator: Mapping[str, Any], case: Mapping[str, Any], data: CaseData, program: Path,
    settings: RunSettings, folder: Path, children: ChildGroup, seen: str = "",
) -> tuple[dict[str, Any], float]:  # fmt: skip
    """Run `program` on `case`; outputs are left in `folder` as `out-<index>.bin`.

    `seen` says how this run ended before, when nothing explained it; the same end again is the candidate's.

    Returns:
        The runner's report (or one made from how the process ended) and the seconds it took.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        UnavailableCase: The case cannot be described to the runner.
        UnexplainedEnd: It is not known whose fault the end was, and `seen` is empty.
        Cancelled: The job was cancelled.
    """
    path, manifest = folder / "report.json", folder / "launch.tsv"
    limit = settings.time_limit_s + _bytes_of(data) / _BYTES_PER_S
    settings = replace(settings, time_limit_s=round(limit, 2))
    manifest.write_text(_manifest(operator, case, data, settings, folder))
    allowed = settings.time_limit_s + GRACE_S
    # The tensors themselves are no fault of the kernel.
    memory_mb = settings.memory_mb + (3 * _bytes_of(data) >> 20)
    settings = replace(settings, memory_mb=memory_mb)
    file_mb = _FILE_MB + (sum(file.bytes for file in data.outputs) >> 20)
    limits = Limits(wall_s=allowed, cpu_s=math.ceil(allowed), memory_mb=memory_mb, file_mb=file_mb)
    own = _linked(program, folder / _PROGRAM)
    before = machine_state()
    finished = children.run([str(own), str(manifest)], folder, limits)
    how = _decided(finished, before, folder, seen)
    report = None if how else _read(path)  # whoever left like this may have written anything
    if report is None:
        report = {
            "phase": "kernel", "findings": [_finding_of_end(finished, operator["snake"], settings)],
            "inferred": [], "changed_inputs": [], "log": finished.output[-_LOG_KEPT:], "launch": None,
        }  # fmt: skip
    return report, finished.seconds


def _read(path: Path) -> dict[str, Any] | None:
    """A runner's report; None when there is none or it breaks off."""
    try:
        report: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8", "replace"))
    except (OSError, ValueError):
        return None
    return report


def _linked(program: Path, own: Path) -> Path:
    """The program under a name in the folder of its run: what a run does to its own file ends there.

    Raises:
        EnvironmentFault: There is no such program.
    """
    try:
        try:
            own.hardlink_to(program)
        except FileNotFoundError:
            raise
        except OSError:  # another file system, or one without links
            shutil.copy2(program, own)
    except FileNotFoundError as error:
        raise EnvironmentFault("The built program vanished: was the cache folder emptied?") from error
    return own


def _decided(finished: Finished, before: MachineState, folder: Path, seen: str) -> str:
    """How a run ended where only its repetition tells whose fault that was; empty for any other end.

    Raises:
        EnvironmentFault: It was the machine's.
        UnexplainedEnd: It has not been repeated yet.
    """
    how = ""
    if finished.used is not None:
        if finished.used.overloaded:
            raise EnvironmentFault(
                f"The machine is too busy to judge: a run had {finished.used.cpu_s:.1f} s of CPU time in "
                f"{finished.seconds:.0f} s. Close other programs, or evaluate on another machine."
            )
    elif finished.signal_name in _FROM_OUTSIDE:
        how = f"was ended by {finished.signal_name}"
    elif finished.code in _OF_THE_RUNNER:
        how = f"ended with exit code {finished.code}"
    if how and (cause := before.cause_of_end(folder, was_killed=finished.signal_name == "SIGKILL")):
        raise EnvironmentFault(cause)
    if how and not seen:
        raise UnexplainedEnd(how)
    if seen and how != seen:
        raise EnvironmentFault(
            f"A run {seen}; when it was repeated alone it {how or 'did not'}. Something else on this machine "
            "ends processes."
        )
    return how


def _bytes_of(data: CaseData) -> int:
    """Bytes of all inputs and outputs of a case."""
    inputs = sum(file.bytes for files in data.inputs.values() for file in files)
    return inputs + sum(file.bytes for file in data.outputs)


def is_open(case: Mapping[str, Any], data: CaseData, index: int) -> bool:
    """Whether a benchmark does not look at output `index`."""
    return bool(case.get("row")) and data.expected[index] is None


def output_path(folder: Path, index: int) -> Path:
    """Where the runner writes output `index`."""
    return folder / f"out-{index}.bin"


def _manifest(
    operator: Mapping[str, Any], case: Mapping[str, Any], data: CaseData, settings: RunSettings, folder: Path
) -> str:
    """The launch manifest; its format is documented in the runner's `manifest.h`."""
    rows: list[tuple[Any, ...]] = [
        ("sage-twin-launch", 1),
        ("operator", operator["name"]),
        ("kernel", operator["snake"]),
        ("soc", settings.soc),
        ("time_limit", f"{settings.time_limit_s:g}"),
        ("strict", int(settings.strict)),
        ("fast", int(settings.fast)),
        ("source_root", "./"),  # how clang names files found beside the including one
        ("report", folder / "report.json"),
    ]
    for index, tensor in enumerate(operator["inputs"]):
        name = tensor["name"]
        if name not in data.inputs:
            rows.append(("absent", index, name))
        rows.extend(
            ("input", index, name, file.dtype, _numbers(file.shape), _numbers(file.strides), file.path)
            for file in data.inputs.get(name, ())
        )
    for index, file in enumerate(data.outputs):
        given = file.room or Room(file.shape, zero=False)
        made = (file.name, file.dtype, _numbers(given.shape))
        # Of an output nobody looks at, and whose room is not known, the candidate knows the shape best.
        free = is_open(case, data, index) and file.room is None
        kept = math.prod(file.shape)
        rows.append(("output", *made, output_path(folder, index), int(free), kept, int(given.zero)))
    declared = {attribute["name"]: attribute["type"] for attribute in operator["attributes"]}
    for name, value in (case.get("attributes") or {}).items():
        kind, text = _attribute_text(name, value)
        rows.append(("attribute", name, kind if kind == "none" else declared.get(name, kind), text))
    return "".join("\t".join(_encode(str(entry)) for entry in row) + "\n" for row in rows)


def _encode(text: str) -> str:
    return text.replace("%", "%25").replace("\t", "%09").replace("\n", "%0A").replace("\r", "%0D")


def _numbers(values: Sequence[int]) -> str:
    return ",".join(str(value) for value in values) or "-"


def _attribute_text(name: str, value: Any) -> tuple[str, str]:
    """Type and text of an attribute in the manifest.

    Raises:
        UnavailableCase: No attribute of an operator has such a value.
    """
    if value is None:
        return "none", ""
    if isinstance(value, bool):
        return "bool", str(int(value))
    if isinstance(value, int):
        return "int", str(value)
    if isinstance(value, float):
        return "float", repr(value)
    if isinstance(value, str):
        return "str", value
    kinds = [_attribute_text(name, entry) for entry in value] if isinstance(value, list | tuple) else []
    if not isinstance(value, list | tuple) or not {kind for kind, _ in kinds} <= {"bool", "int", "float"}:
        raise UnavailableCase(f"the attribute {name} is {value!r}, a value no attribute of an operator has")
    kind = "float" if any(k == "float" for k, _ in kinds) else kinds[0][0] if kinds else "int"
    return f"{kind}_list", ",".join(text for _, text in kinds)


def _finding_of_end(finished: Finished, kernel: str, settings: RunSettings) -> dict[str, Any]:
    """The finding that explains a run which left no report."""
    signal_name = finished.signal_name
    limit = f"{settings.time_limit_s:g} s"
    who = f"kernel {kernel} or its op_host"
    if finished.used is not None and finished.used.cpu_s < _IDLE_SHARE * finished.seconds:
        message = (
            f"{who} slept for {finished.seconds:.0f} s, of which it computed {finished.used.cpu_s:.1f} s, "
            "and had to be killed: it waits for something that does not come"
        )
        return finding_of_judge("deadlock", message, limit)
    if finished.timed_out or signal_name == "SIGXCPU":
        return finding_of_judge("time-limit", f"{who} did not end within {limit} and had to be killed", limit)
    if "bad_alloc" in finished.output:
        limit = f"{settings.memory_mb} MiB of memory"
        return finding_of_judge("memory-limit", f"{who} asked for more than {limit}", limit)
    words = finished.output.strip().splitlines()[-1:]
    how = f"ended with exit code {finished.code}"
    if signal_name:
        how = f"{'ended itself' if signal_name in _FROM_OUTSIDE else 'crashed'} with {signal_name}"
    return finding_of_judge("crash", ": ".join([f"kernel {kernel} {how}", *words]))


def finding_of_judge(rule: str, message: str, limit: str = "", severity: str = "error") -> dict[str, Any]:
    """A finding about a whole run, in the form the runner reports its own."""
    return {
        "rule": rule, "severity": severity, "message": message, "file": "", "line": 0, "core": -1, "call": "",
        "tensor": "", "limit": limit, "link": "", "count": 1,
    }  # fmt: skip
