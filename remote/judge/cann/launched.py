"""Kernels that are launched directly: their tiling, their call on a device, the program of the other modes.

The plan comes from `remote.toolchains.cann.direct`, which also has the texts of the two programs called here.
How a case is launched is the `launch` of that case.
"""

from __future__ import annotations

import ctypes
import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from ..acceptance import untouched
from ..case_data import ACL_TYPES, poison
from ..file_memory import mapped
from ..inputs import DTYPES
from ..job import LaunchPlan, Operator
from ..result import Latency
from ..run import ChildGroup, Finished, Limits
from ..task import tensor_of
from ..tensor_memory import tensor_bytes, tensor_from
from .confined import CannSandbox, keep_plain
from .device_case import DeviceCase, DeviceLaunch, DeviceRow, DeviceTensor
from .device_run import DeviceRows, how_it_ended, inputs_of

FIRST, SECOND = (
    "out",
    "second",
)  # names of the files that two runs leave their outputs in
HEAD = 64  # bytes before the tiling data; they begin with the tiling key
_TILING = Limits(wall_s=60, cpu_s=60, memory_mb=0)
_TRACER = "msprof"
_WORD = 8  # bytes
SIMULATOR_CLOCK = "CANN's simulator (trace of msprof op simulator)"


class LaunchFault(Exception):  # the kernel's fault, in words for its author
    """A case cannot be launched: the tiling function fails, or the dtypes fit no signature."""


class Launches:
    """Everything one job needs to launch its cases.

    Args:
        plan: `mode`, `pointers`, `signatures` and `on_host` of the job.
        operator: The interface.
        folder: Work folder of the build.
        sandbox: Runs the programs, which are made of the candidate's code, with CANN's environment.
        children: Their group.
    """

    def __init__(
        self,
        plan: LaunchPlan,
        operator: Operator,
        folder: Path,
        sandbox: CannSandbox,
        children: ChildGroup,
    ) -> None:
        self._plan = plan
        self._operator = operator
        self._folder = folder
        self._sandbox = sandbox
        self._environment = sandbox.environment
        self._children = children
        tensors = (*operator.inputs, *operator.outputs)
        self._lists = frozenset(tensor.name for tensor in tensors if tensor.is_list)
        self.log = ""

    def prepare(self, case: DeviceCase) -> DeviceLaunch:
        """Run the tiling function for a case as `CannJudge` describes it; the case's `launch`.

        Raises:
            LaunchFault: It fails; the message is that of op_host.
        """
        number = self._signature(case)
        folder = Path(case.folder)
        description, answer, data = (
            folder / name for name in ("tiling.txt", "answer.txt", "tiling.bin")
        )
        description.write_text(
            "\n".join(self._described(case)) + "\n", encoding="utf-8"
        )
        command = [
            str(self._folder / "sage_tiling"),
            str(description),
            str(answer),
            str(data),
        ]
        finished = self._run(command, case, folder, _TILING)
        if finished.code or not (answer.exists() and data.exists()):
            self.log += finished.output
            said = " ".join(finished.output.split())[-400:] or how_it_ended(finished)
            raise LaunchFault(f"The tiling function failed: {said}")
        try:
            blocks, key, workspace = (
                int(word) for word in answer.read_text(encoding="utf-8").split()
            )
            head = key.to_bytes(8, "little").ljust(HEAD, b"\0")
        except (ValueError, OverflowError) as error:
            raise LaunchFault(
                f"The tiling function's answer cannot be read: {error}"
            ) from error
        data.write_bytes(head + data.read_bytes())
        built = self._folder / "direct" / "built"
        name = f"launch_{number}"
        target = str(built / (f"lib{name}.so" if self._plan.mode == "npu" else name))
        return DeviceLaunch(target, blocks, workspace, str(data), self._plan.pointers)

    def _run(
        self, command: Sequence[str], case: DeviceCase, folder: Path, limits: Limits
    ) -> Finished:
        """Run a program made of the candidate's code; what it leaves can be read."""
        finished = self._sandbox.run(
            command,
            folder,
            limits,
            self._children,
            self._environment.variables,
            read=(self._folder, *inputs_of([case])),
        )
        keep_plain(folder)
        return finished

    def run_programs(
        self, cases: Sequence[DeviceCase], limit_s: float, device: str
    ) -> DeviceRows:
        """Run prepared cases in CANN's CPU or simulator mode; after one that does not end, none."""
        rows = DeviceRows(device=device)
        for case in cases:
            assert case.launch is not None
            rows.rows[case.name] = self._run_program(case, case.launch, limit_s, rows)
            if rows.hit_time_limit:
                break
        rows.log = self.log
        return rows

    def _run_program(
        self,
        case: DeviceCase,
        launch: DeviceLaunch,
        limit_s: float,
        rows: DeviceRows,
        stem: str = FIRST,
    ) -> DeviceRow:
        """The row that a process on a device would say; outputs are left in files `<stem>-<index>.bin`.

        Where the outputs of a first run still hold the pattern they started as, a second one follows.
        """
        folder = Path(case.folder)
        lines, inputs = self._run_lines(case, launch, folder, stem)
        description = folder / "run.txt"
        description.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [launch.target, str(description)]
        variables = self._environment.variables
        if case.timed and shutil.which(_TRACER, path=variables.get("PATH", "")):
            soc = f"--soc-version={variables.get('SAGE_SOC', '')}"
            command = [
                _TRACER,
                "op",
                "simulator",
                soc,
                f"--output={folder / 'simulated'}",
                *command,
            ]
        limits = Limits(wall_s=limit_s, cpu_s=int(64 * limit_s), memory_mb=0)
        finished = self._run(command, case, folder, limits)
        self.log += finished.output
        rows.hit_time_limit = finished.timed_out
        if finished.timed_out or finished.code:
            return DeviceRow(case=case.name, error=how_it_ended(finished))
        if stem == FIRST and holds_pattern(case):
            again = self._run_program(
                replace(case, timed=False), launch, limit_s, rows, SECOND
            )
            if again.error:
                return again
        changed = [
            name
            for name, path in inputs
            if path.with_name(f"{path.name}.after").read_bytes() != path.read_bytes()
        ]
        latency = (
            simulated_latency(folder / "simulated", rows.device) if case.timed else None
        )
        return DeviceRow(case=case.name, changed=tuple(changed), modelled=latency)

    def _signature(self, case: DeviceCase) -> int:
        outputs = {file.name: file.dtype for file in case.outputs}
        given = []
        for pointer in self._plan.pointers:
            side, _, name = pointer.partition(":")
            files = case.inputs.get(name) if side == "input" else None
            given.append(
                outputs.get(name, "")
                if side == "output"
                else files[0].dtype
                if files
                else ""
            )
        for number, signature in enumerate(self._plan.signatures):
            if all(
                not dtype or dtype == wanted
                for dtype, wanted in zip(given, signature, strict=True)
            ):
                return number
        raise LaunchFault(
            f"No signature of the interface has the dtypes ({', '.join(given)})."
        )

    def _described(self, case: DeviceCase) -> list[str]:
        """The description of the tiling program."""
        lines = [
            f"library {self._folder / 'libsage_tiling.so'}",
            f"operator {self._operator.name}",
            f"soc {self._environment.variables.get('SAGE_SOC', '')}",
        ]
        for tensor in self._operator.inputs:
            files = case.inputs.get(tensor.name) or ()
            by_value = tensor.name in self._plan.on_host
            given = [
                f"input {_typed(file)}" + (f" {file.path}" if by_value else "")
                for file in files
            ]
            lines += (
                [f"list {len(given)}", *given]
                if tensor.is_list
                else given or ["absent"]
            )
        lines += [f"output {_typed(file)}" for file in case.outputs]
        kinds = {
            attribute.name: attribute.type for attribute in self._operator.attributes
        }
        for name, kind in kinds.items():
            value = case.attributes.get(name)
            if value is not None:
                lines.append(f"attribute {name} {kind} {_text(value)}")
        return lines

    def _run_lines(
        self, case: DeviceCase, launch: DeviceLaunch, folder: Path, stem: str
    ) -> tuple[list[str], list[tuple[str, Path]]]:
        """The description of the program, and the files of inputs that must not change."""
        lines = [
            f"{what} {getattr(launch, what)}"
            for what in ("blocks", "workspace", "tiling")
        ]
        places: dict[str, int] = {}
        kept: list[tuple[str, Path]] = []
        for place, pointer in enumerate(launch.pointers):
            side, _, name = pointer.partition(":")
            if name in places:
                lines.append(f"same {places[name]}")
                continue
            files = case.inputs.get(name) or ()
            given = self._write_outputs(case, name, files, folder / stem)
            shapes = [file.shape for file in case.outputs if file.name == name]
            if not given and side == "input":
                paths = [folder / f"in-{place}-{at}.bin" for at in range(len(files))]
                for path, file in zip(paths, files, strict=True):
                    path.write_bytes(_contiguous(file))
                given, shapes = (
                    [f"input {path}" for path in paths],
                    [file.shape for file in files],
                )
                kept += [(name, path) for path in paths]
            if name in self._lists:
                head = folder / f"list-{place}.bin"
                head.write_bytes(
                    b"".join(
                        word.to_bytes(_WORD, "little") for word in list_head(shapes)
                    )
                )
                lines += [f"list {len(given)} {head}", *given]
            elif given:
                lines += given
            else:
                lines.append("none")
                continue
            places[name] = place
        return lines, kept

    def _write_outputs(
        self, case: DeviceCase, name: str, files: Sequence[DeviceTensor], stem: Path
    ) -> list[str]:
        """Fill the files of an output with what it holds as an input, or with poison; their lines."""
        lines: list[str] = []
        for index, file in enumerate(case.outputs):
            if file.name == name:
                path = stem.with_name(f"{stem.name}-{index}.bin")
                second = stem.name == SECOND
                path.write_bytes(
                    _contiguous(files[len(lines)])
                    if files
                    else pattern_of(file, second=second)
                )
                lines.append(f"output {path}")
        return lines


def simulated_latency(folder: Path, device: str) -> Latency | None:
    """Modelled microseconds from the traces of a simulated launch: from the first instruction to the last.

    None when there is no trace that can be read, e.g. without msprof.
    """
    spans = []
    for path in folder.rglob("trace.json"):
        try:
            trace = json.loads(path.read_text(encoding="utf-8"))
            events = trace["traceEvents"] if isinstance(trace, dict) else trace
            timed = [
                (float(e["ts"]), float(e["dur"])) for e in events if e.get("ph") == "X"
            ]
            spans += [(start, start + duration) for start, duration in timed]
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
        ):  # a trace of another form
            continue
    if not spans:
        return None
    value = max(end for _, end in spans) - min(start for start, _ in spans)
    return Latency(value, "us", "modelled", SIMULATOR_CLOCK, 0, None, device)


def _typed(file: DeviceTensor) -> str:
    dims = ",".join(str(dim) for dim in file.shape) or "-"
    return f"{ACL_TYPES[file.dtype]} {dims}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item) for item in value) or "-"
    return repr(value) if isinstance(value, float) else str(value)


def _contiguous(file: DeviceTensor) -> bytes:
    return tensor_bytes(tensor_of(file, Path(file.path).read_bytes()))


def pattern_of(file: DeviceTensor, *, second: bool) -> bytes:
    """Bytes no right answer could be taken from, NaN where the dtype has it; or the zeros it starts as."""
    start = 0 if file.zero else poison(str(file.dtype), second=second)
    size: int = math.prod(file.shape) * DTYPES[file.dtype].itemsize
    return bytes([start]) * size


def list_head(shapes: Sequence[Sequence[int]]) -> list[int]:
    """The words that come before the table of addresses where a kernel gets a list of tensors.

    It gets the address of a descriptor in global memory, made of 64-bit words: the byte offset of the table
    of addresses; for every tensor one word with its number of dimensions (low half) and its place in the list
    (high half), then its dimensions; the table. A package's aclnn function makes it inside CANN; a launch has
    to bring its own. Source: Ascend C guide, "dynamic input operators", kernel launch; API `ListTensorDesc`.
    """
    words = [0]
    for place, shape in enumerate(shapes):
        words += [place << 32 | len(shape), *shape]
    words[0] = _WORD * len(words)
    return words


def holds_pattern(case: DeviceCase) -> bool:
    """Whether a first run left an element of an output that is not changed in place as it started."""
    folder = Path(case.folder)
    return any(
        bool(untouched(mapped(folder / f"{FIRST}-{index}.bin"), file.dtype).any())
        for index, file in enumerate(case.outputs)
        if file.name not in case.inputs and not file.zero
    )


class LaunchedKernel:
    """One case's kernel on a device, with the calls of `aclnn.Operator`.

    Args:
        launch: As `Launches.prepare` gives it.
        put: Copies a tensor to the device.
    """

    def __init__(
        self, launch: DeviceLaunch, put: Callable[[torch.Tensor], torch.Tensor]
    ) -> None:
        self._launch = ctypes.CDLL(str(launch.target)).sage_launch
        self._launch.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p]
        self._launch.restype = None
        self._blocks, self._workspace = int(launch.blocks), int(launch.workspace)
        self._sources: Sequence[str] = launch.pointers
        tiling = Path(launch.tiling).read_bytes()
        self._tiling = put(tensor_from(tiling, "uint8", (len(tiling),)))
        self._put = put
        self._tensors: list[torch.Tensor] = []  # held while their addresses are in use
        self._pointers: Any = None

    def bind(self, values: Mapping[str, Any]) -> None:
        """Fix the arguments; views become contiguous copies, as a package's aclnn function makes them."""
        self._tensors = []
        addresses = [self._address(values.get(source)) for source in self._sources]
        self._pointers = (ctypes.c_void_p * (len(addresses) + 2))(*addresses, 0, 0)

    def _address(self, value: torch.Tensor | Sequence[torch.Tensor] | None) -> int:
        """What the kernel gets for one parameter: a tensor's memory, a list's descriptor, or nothing."""
        if value is None:
            return 0
        if isinstance(value, torch.Tensor):
            self._tensors.append(value.contiguous())
            return self._tensors[-1].data_ptr()
        words = list_head([tensor.shape for tensor in value]) + [
            self._address(tensor) for tensor in value
        ]
        self._tensors.append(self._put(torch.tensor(words, dtype=torch.int64)))
        return self._tensors[-1].data_ptr()

    def workspace_size(self) -> tuple[int, ctypes.c_void_p]:
        """Bytes of workspace the tiling function asked for; there is no executor."""
        return self._workspace, ctypes.c_void_p()

    def run(
        self, workspace: int, _size: int, _executor: ctypes.c_void_p, stream: int
    ) -> None:
        """Launch on `stream`; it returns before the kernel ends."""
        self._pointers[len(self._sources)] = workspace
        self._pointers[len(self._sources) + 1] = self._tiling.data_ptr() + HEAD
        self._launch(self._blocks, stream or None, ctypes.byref(self._pointers))
