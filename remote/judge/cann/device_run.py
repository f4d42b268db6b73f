"""The parent's side of a run on a device: lease, child process, rows, and what a dead child means."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from remote.judge.cann.confined import CannSandbox, keep_plain
from remote.judge.cann.device_case import DeviceCase, DeviceRow, Manifest
from remote.judge.faults import DeviceFault, EnvironmentFault
from remote.judge.job import Probe
from remote.judge.json_records import Unfit, plain, read
from remote.judge.processes.children import ChildGroup, Finished, Limits
from remote.judge.program import start_command
from remote.judge.result import Device as UsedDevice

LEASE = "SAGE_LEASE"  # a command (JSON list) to put before one that uses a device
_LOG_KEPT = 60_000
_START_S = 120.0  # until the device is ready and the package is loaded
_LEASE_S = 3600.0  # more where a device has to be waited for


@dataclass
class DeviceRows:
    """What the child processes said.

    Attributes:
        rows: Case -> its row; `error` in it when the case failed on the device.
        log: Output of the children, both streams.
        device: Name of the device, empty when none could be used.
        versions: Of torch and torch_npu.
    """

    rows: dict[str, DeviceRow] = field(default_factory=dict)
    log: str = ""
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    load_error: str = ""
    hit_time_limit: bool = False
    unit: str = ""

    @property
    def devices(self) -> tuple[UsedDevice, ...]:
        """The device that was used, as the side that leases devices wants to hear of it.

        What a log says of the device's health is read there; a unit without name was not borrowed.
        """
        return (UsedDevice(self.unit),) if self.device else ()


@dataclass(frozen=True)
class DeviceRun:
    """How the cases of a manifest are run on a device.

    Attributes:
        variables: Of the package, beside those of CANN.
        sandbox: Confines what runs.
        case_limit_s: Wall seconds of a case, timing included, under the tool of `probe`.
        probe: How a look into a kernel differs from judging it.
        folder: What runs writes there.
        built: The work folder of the build, which it sees, as the inputs of its cases.
        children: Runs it.
    """

    variables: Mapping[str, str]
    sandbox: CannSandbox
    case_limit_s: float
    probe: Probe
    folder: Path
    built: Path
    children: ChildGroup

    def rows(self, manifest: Manifest) -> DeviceRows:
        """Run all cases of `manifest`, in a new process after each one that a case broke.

        A case that breaks the device ends only itself. After one that does not end, the rest is not run.

        Raises:
            DeviceFault: The device that was given cannot be used.
            EnvironmentFault: No device was given, or the child fails where no candidate's code has run.
            Cancelled: The job was cancelled.
        """
        result = DeviceRows()
        cases = manifest.cases
        while cases:
            finished, rows = self._one_child(replace(manifest, cases=cases))
            result.log = (result.log + finished.output)[-_LOG_KEPT:]
            current_case = _take(rows, result)
            if result.load_error:
                break
            if not result.device:
                unit = next((row.unit for row in rows if row.unit), "")
                fault = _no_device(rows, finished, self.sandbox)
                raise DeviceFault(fault, unit) if rows else EnvironmentFault(fault)
            if (
                current_case and current_case not in result.rows
            ):  # it died or was killed in this case
                result.hit_time_limit = finished.timed_out
                result.rows[current_case] = DeviceRow(
                    case=current_case, error=how_it_ended(finished)
                )
            remaining = tuple(case for case in cases if case.name not in result.rows)
            if result.hit_time_limit or len(remaining) == len(cases):
                break
            cases = remaining
        return result

    def _one_child(self, manifest: Manifest) -> tuple[Finished, list[DeviceRow]]:
        place = str(self.folder)
        path, rows = self.folder / "manifest.json", self.folder / "rows.jsonl"
        values = plain(replace(manifest, folder=place))
        path.write_text(json.dumps(values), encoding="utf-8")
        rows.write_text("", encoding="utf-8")
        lease = [str(word) for word in json.loads(os.environ.get(LEASE, "[]"))]
        of_tool = self.probe.environment
        tool = {name: value.replace("{folder}", place) for name, value in of_tool}
        wrap = [word.replace("{folder}", place) for word in self.probe.wrap]
        own = self.sandbox.environment.variables
        wall = _START_S + self.case_limit_s * len(manifest.cases)
        wall += _LEASE_S if lease else 0.0
        finished = self.sandbox.run(
            [*wrap, *start_command("cann.child"), str(path)],
            self.folder,
            Limits(wall_s=wall, cpu_s=int(16 * wall), memory_mb=0),
            self.children,
            {**own, **self.variables, **tool},
            read=(self.built, *inputs_of(manifest.cases)),
            lease=lease,
        )
        keep_plain(self.folder)
        child_rows: list[DeviceRow] = []
        # Cut by the end of the process, or not written by us.
        with contextlib.suppress(OSError, ValueError, Unfit):
            lines = rows.read_text(encoding="utf-8").splitlines()
            child_rows.extend(read(DeviceRow, json.loads(line)) for line in lines)
        return finished, child_rows


def inputs_of(cases: Sequence[DeviceCase]) -> list[Path]:
    """Files of the inputs; beside them lies what is expected, so the folder stays out of sight."""
    inputs_of_cases = [case.inputs for case in cases]
    inputs_of_cases += [case.again.inputs for case in cases if case.again is not None]
    files = (
        file
        for inputs in inputs_of_cases
        for files in inputs.values()
        for file in files
    )
    return list(dict.fromkeys(Path(file.path) for file in files))


def _take(rows: Sequence[DeviceRow], result: DeviceRows) -> str:
    """Note rows in `result`; the case that was begun last."""
    current_case = ""
    for row in rows:
        if row.begin:
            current_case = row.begin
        elif row.case:
            result.rows[row.case] = row
        elif row.load:
            result.load_error = row.load
        elif row.device:
            result.device, result.unit = row.device, row.unit
            result.versions = {"torch_npu": row.torch_npu, "torch": row.torch}
    return current_case


def _no_device(
    rows: Sequence[DeviceRow], finished: Finished, sandbox: CannSandbox
) -> str:
    problem = next((row.problem for row in rows if row.problem), "")
    problem = (
        problem or " ".join(finished.output.split())[-400:] or how_it_ended(finished)
    )
    where = f" in the sandbox ({sandbox.label})" if sandbox.isolation.holds else ""
    return f"No device can be used through torch_npu{where}: {problem}"


def how_it_ended(finished: Finished) -> str:
    """Why a process did not do its work."""
    if finished.timed_out:
        return (
            f"the case did not end within {finished.seconds:.0f} s and had to be killed"
        )
    how = (
        f"with {finished.signal_name}"
        if finished.signal_name
        else f"with exit code {finished.code}"
    )
    return f"the process that ran the case ended {how}"
