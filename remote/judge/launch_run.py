"""One run of a built program: manifest out, process under limits, report in."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .acceptance import SECOND_POISON
from .faults import EnvironmentFault
from .reference import CaseData, Room
from .run import ChildGroup, Finished, Limits

GRACE_S = 10.0  # wall seconds a run may take beyond its kernel's time limit (loading, host side, writing)
_BYTES_PER_S = 4e6  # a kernel gets a second more for this many bytes of inputs and outputs, on a busy machine
_LOST_LIFELINE = 71
_BAD_MANIFEST = 64
_LOG_KEPT = 2000


@dataclass(frozen=True)
class RunSettings:
    """How runs are made.

    Attributes:
        soc: Modelled processor.
        time_limit_s: Wall seconds one kernel launch may take.
        memory_mb: Address space of a run in MiB, besides that of its tensors.
        strict: Whether warnings that lose data on hardware fail the run.
        rule: Deciding rule of the operator.
        scratch: Folder for the files of runs.
        fast: Whether races and unwritten bytes are left unchecked.
        second_pattern: Whether outputs start as the pattern of a second run.
    """

    soc: str
    time_limit_s: float
    memory_mb: int
    strict: bool
    rule: str
    scratch: Path
    fast: bool = False
    second_pattern: bool = False


def launch(
    operator: Mapping[str, Any], case: Mapping[str, Any], data: CaseData, program: Path,
    settings: RunSettings, folder: Path, children: ChildGroup,
) -> tuple[dict[str, Any], float]:  # fmt: skip
    """Run `program` on `case`; outputs are left in `folder` as `out-<index>.bin`.

    Returns:
        The runner's report (or one made from how the process ended) and the seconds it took.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        Cancelled: The job was cancelled.
    """
    path, manifest = folder / "report.json", folder / "launch.tsv"
    limit = settings.time_limit_s + _bytes_of(data) / _BYTES_PER_S
    settings = replace(settings, time_limit_s=round(limit, 2))
    manifest.write_text(_manifest(operator, case, data, settings, folder))
    wall = settings.time_limit_s + GRACE_S
    # The tensors themselves are no fault of the kernel.
    memory_mb = settings.memory_mb + (3 * _bytes_of(data) >> 20)
    settings = replace(settings, memory_mb=memory_mb)
    limits = Limits(wall_s=wall, cpu_s=math.ceil(4 * wall), memory_mb=memory_mb)
    finished = children.run([str(program), str(manifest)], folder, limits)
    if finished.code in (_BAD_MANIFEST, _LOST_LIFELINE):
        raise EnvironmentFault(f"The runner of the twin could not work: {finished.output.strip()[-400:]}")
    try:
        report: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8", "replace"))
    except (OSError, ValueError):
        if not program.exists():
            raise EnvironmentFault("The built program vanished: was the cache folder emptied?") from None
        report = {
            "phase": "kernel", "findings": [_finding_of_end(finished, operator["snake"], settings)],
            "inferred": [], "changed_inputs": [], "log": finished.output[-_LOG_KEPT:], "launch": None,
        }  # fmt: skip
    return report, finished.seconds


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
        *([("poison", SECOND_POISON)] if settings.second_pattern else []),
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
        kind, text = _attribute_text(value)
        rows.append(("attribute", name, declared.get(name, kind), text))
    return "".join("\t".join(_encode(str(entry)) for entry in row) + "\n" for row in rows)


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
        return "str", value
    kinds = [_attribute_text(entry) for entry in value]
    kind = "float" if any(k == "float" for k, _ in kinds) else kinds[0][0] if kinds else "int"
    return f"{kind}_list", ",".join(text for _, text in kinds)


def _finding_of_end(finished: Finished, kernel: str, settings: RunSettings) -> dict[str, Any]:
    """The finding that explains a run which left no report."""
    signal_name = finished.signal_name
    if finished.timed_out or signal_name == "SIGXCPU":
        limit = f"{settings.time_limit_s:g} s"
        message = f"kernel {kernel} or its op_host did not end within {limit} and had to be killed"
        return finding_of_judge("time-limit", message, limit)
    if signal_name == "SIGKILL":
        raise EnvironmentFault(
            "The run was killed by the system, probably because the machine ran out of memory."
        )
    if "bad_alloc" in finished.output:
        limit = f"{settings.memory_mb} MiB of memory"
        message = f"kernel {kernel} or its op_host asked for more than {limit}"
        return finding_of_judge("memory-limit", message, limit)
    words = finished.output.strip().splitlines()[-1:]
    how = f"crashed with {signal_name}" if signal_name else f"ended with exit code {finished.code}"
    return finding_of_judge("crash", ": ".join([f"kernel {kernel} {how}", *words]))


def finding_of_judge(rule: str, message: str, limit: str = "", severity: str = "error") -> dict[str, Any]:
    """A finding about a whole run, in the form the runner reports its own."""
    return {
        "rule": rule, "severity": severity, "message": message, "file": "", "line": 0, "core": -1, "call": "",
        "tensor": "", "limit": limit, "link": "", "count": 1,
    }  # fmt: skip
