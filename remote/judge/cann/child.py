"""The process that runs a candidate on a device, confined: started by `program.start_command`.

One process runs the cases of one candidate, so that a device left broken by a kernel ends with it. Each case
adds one line to `rows.jsonl` before it begins and one when it is done: when the process dies, its parent
knows which case it died in. Outputs are written as files and compared by the parent, which has no code of the
candidate in it.

Its input and output: `device_case`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

from core.evaluation.records import Latency, LatencyOrigin
from remote.judge.cann.aclnn import BindingFault, Operator
from remote.judge.cann.baseline import NoBaseline, baseline_call
from remote.judge.cann.device_case import (
    AGAIN,
    FIRST,
    SECOND,
    CaseTensors,
    DeviceCase,
    DeviceRow,
    DeviceTensor,
    Manifest,
)
from remote.judge.comparing.acceptance import untouched
from remote.judge.inputs.case_data import poison
from remote.judge.inputs.file_memory import mapped
from remote.judge.inputs.fills import DTYPES
from remote.judge.inputs.reference_module import module_in, strided_view
from remote.judge.inputs.tensor_memory import tensor_bytes, tensor_from
from remote.judge.json_records import plain, read

Tensors = dict[str, list[torch.Tensor]]

BATCHES = 10  # the timed calls are split by events, which gives a spread without slowing the loop
CLOCK = "torch.npu.Event (includes launch)"
_POISON = 0xA5


class Device:
    """The NPU as torch_npu shows it. The lease makes one device visible: it is number 0 here."""

    def __init__(self) -> None:
        importlib.import_module("torch_npu")  # registers the device with torch
        self.npu: Any = torch.npu  # type: ignore[attr-defined]
        self.npu.set_device(0)
        self.name = str(self.npu.get_device_name(0))

    @property
    def stream(self) -> int:
        """The current aclrtStream."""
        return int(self.npu.current_stream().npu_stream)

    def put(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy on the device."""
        copy: torch.Tensor = tensor.npu()  # type: ignore[attr-defined]
        return copy

    def time(self, call: Callable[[], None], warmups: int, repeats: int) -> Latency:
        """Mean microseconds of `call` between events around the whole loop, and the spread of its parts."""
        for _ in range(warmups):
            call()
        self.npu.synchronize()
        size = max(1, repeats // BATCHES)
        events = [self._event()]
        events[0].record()
        for number in range(1, repeats + 1):
            call()
            if number % size == 0 or number == repeats:
                events.append(self._event())
                events[-1].record()
        self.npu.synchronize()
        parts = [
            1000.0 * start.elapsed_time(end) / size for start, end in pairwise(events)
        ]
        mean = 1000.0 * events[0].elapsed_time(events[-1]) / repeats
        spread = statistics.stdev(parts) if len(parts) > 1 else None
        return Latency(
            mean, "us", LatencyOrigin.MEASURED, CLOCK, repeats, spread, self.name
        )

    @contextmanager
    def profiled(self, folder: str) -> Iterator[None]:
        """Run the body under the profiler of torch_npu, which writes to `folder`; not when that is empty."""
        if not folder:
            yield
            return
        profiler = importlib.import_module("torch_npu").profiler
        metrics = profiler._ExperimentalConfig(  # noqa: SLF001 - there is no other way to ask for them
            profiler_level=profiler.ProfilerLevel.Level1,
            aic_metrics=profiler.AiCMetrics.PipeUtilization,
        )
        activities = [profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU]
        handler = profiler.tensorboard_trace_handler(folder)
        with profiler.profile(
            activities=activities, on_trace_ready=handler, experimental_config=metrics
        ):
            yield

    def _event(self) -> Any:
        return self.npu.Event(enable_timing=True)


class CaseRun:
    """One case on the device: tensors, the bound operator, and what was found."""

    def __init__(
        self,
        device: Device,
        operator: Operator,
        manifest: Manifest,
        case: DeviceCase,
    ) -> None:
        self._device = device
        self._operator = operator
        self._manifest = manifest
        self._case = case
        self._inputs: Tensors = {}
        self._outputs: Tensors = {}
        self._workspace = torch.empty(0, dtype=torch.uint8)

    def run(self) -> DeviceRow:
        """Run, again where outputs still hold their pattern, time, run with other inputs on other memory.

        Returns:
            The row for the parent.
        """
        self._prepare(self._case)
        with self._device.profiled(self._manifest.profile):
            self._call()
            self._device.npu.synchronize()
        row = DeviceRow(case=self._case.name, changed=tuple(self._changed()))
        self._write(FIRST, self._case)
        if holds_pattern(self._case):
            self._run_on(self._case, SECOND, second=True)
        if self._case.timed:
            latency = self._device.time(
                self._call, self._manifest.warmups, self._manifest.repeats
            )
            row = replace(row, latency=latency)
            self._run_on(self._case.again or self._case, AGAIN)
        if self._case.reference:
            row = self._with_reference(row)
        return row

    def _run_on(
        self, case: DeviceCase | CaseTensors, stem: str, *, second: bool = False
    ) -> None:
        """Run once on other memory than the last time and write the outputs."""
        former = self._inputs, self._outputs
        self._prepare(case, second=second)
        del former
        self._call()
        self._device.npu.synchronize()
        self._write(stem, case)

    def _prepare(self, case: DeviceCase | CaseTensors, *, second: bool = False) -> None:
        """Fresh copies of the inputs, and outputs that hold nothing a right answer could be taken from."""
        self._inputs = {
            name: [self._load(file) for file in files]
            for name, files in case.inputs.items()
        }
        self._outputs = {}
        for file in case.outputs:
            outputs = self._outputs.setdefault(file.name, [])
            aliased = self._inputs.get(file.name)
            outputs.append(
                aliased[len(outputs)] if aliased else self._empty(file, second=second)
            )
        self._operator.bind(self._values())

    def _load(self, file: DeviceTensor) -> torch.Tensor:
        data = Path(file.path).read_bytes()
        elements = file.bytes // DTYPES[file.dtype].itemsize
        storage = self._device.put(tensor_from(data, file.dtype, (elements,)))
        return strided_view(storage, file.shape, file.strides)

    def _empty(self, file: DeviceTensor, *, second: bool) -> torch.Tensor:
        return self._device.put(
            tensor_from(pattern_of(file, second=second), file.dtype, file.shape)
        )

    def _values(self) -> dict[str, Any]:
        lists = self._manifest.lists
        values: dict[str, Any] = {
            f"attribute:{name}": v for name, v in self._case.attributes.items()
        }
        for kind, tensors in (("input", self._inputs), ("output", self._outputs)):
            for name, group in tensors.items():
                values[f"{kind}:{name}"] = group if name in lists else group[0]
        return values

    def _call(self) -> None:
        size, executor = self._operator.workspace_size()
        if size > self._workspace.numel():
            self._workspace = self._device.put(
                torch.full((size,), _POISON, dtype=torch.uint8)
            )
        self._operator.run(
            self._workspace.data_ptr(), size, executor, self._device.stream
        )

    def _changed(self) -> list[str]:
        """Inputs whose memory is not what it was; those that are outputs too may change."""
        changed = []
        for name, files in self._case.inputs.items():
            if name in self._outputs:
                continue
            for file, tensor in zip(files, self._inputs[name], strict=True):
                storage = tensor.as_strided(
                    (file.bytes // tensor.element_size(),), (1,), 0
                )
                if tensor_bytes(storage.cpu()) != Path(file.path).read_bytes():
                    changed.append(name)
        return changed

    def _write(self, stem: str, case: DeviceCase | CaseTensors) -> None:
        places: dict[str, int] = {}
        for index, file in enumerate(case.outputs):
            place = places[file.name] = places.get(file.name, -1) + 1
            data = tensor_bytes(self._outputs[file.name][place].cpu())
            (Path(self._case.folder) / f"{stem}-{index}.bin").write_bytes(data)

    def _with_reference(self, row: DeviceRow) -> DeviceRow:
        """The row with the latency of what a user would call, else of `reference.py`, or why none."""
        arguments = {**self._values_for_reference(), **self._case.attributes}
        repeats = self._manifest.warmups, self._manifest.repeats
        baseline = self._manifest.baseline
        expression = baseline.call if baseline is not None else ""
        try:
            absent = dict.fromkeys(self._manifest.inputs)
            call = baseline_call(baseline, {**absent, **arguments})
            latency = replace(self._device.time(call, *repeats), of=expression)
            return replace(row, reference=latency)
        except NoBaseline as reason:
            why = str(reason)
        except Exception as error:  # noqa: BLE001 - this torch_npu lacks it, or takes other dtypes
            why = f"the call {expression} failed: {_first_line(error)}"
            self._prepare(self._case)  # of anything it wrote
            arguments |= self._values_for_reference()
        try:
            function = module_in(Path(self._manifest.reference_file)).reference
            timed = self._device.time(lambda: function(**arguments), *repeats)
        except Exception as error:  # noqa: BLE001 - torch_npu lacks something; the candidate is not concerned
            return replace(row, problem=f"{why}; reference.py: {_first_line(error)}")
        return replace(row, reference=replace(timed, of=f"reference.py: {why}"))

    def _values_for_reference(self) -> dict[str, Any]:
        lists = self._manifest.lists
        return {
            name: group if name in lists else group[0]
            for name, group in self._inputs.items()
        }


def pattern_of(file: DeviceTensor, *, second: bool) -> bytes:
    """Bytes no right answer could be taken from, NaN where the dtype has it; or the zeros it starts as."""
    start = 0 if file.zero else poison(str(file.dtype), second=second)
    size: int = math.prod(file.shape) * DTYPES[file.dtype].itemsize
    return bytes([start]) * size


def holds_pattern(case: DeviceCase) -> bool:
    """Whether a first run left an element of an output that is not changed in place as it started."""
    folder = Path(case.folder)
    for index, file in enumerate(case.outputs):
        if file.name in case.inputs or file.zero:
            continue
        first_output = mapped(folder / f"{FIRST}-{index}.bin")
        if bool(untouched(first_output, file.dtype).any()):
            return True
    return False


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def run_cases(manifest: Manifest, say: Callable[[DeviceRow], None]) -> None:
    """Run all cases of `manifest`; each row is said when it is known."""
    unit = os.environ.get("SAGE_DEVICE", "")
    try:
        device = Device()
    except Exception as error:  # noqa: BLE001 - whatever fails here, no code of the candidate has run
        say(DeviceRow(problem=f"{type(error).__name__}: {error}", unit=unit))
        return
    say(
        DeviceRow(
            device.name,
            unit,
            torch=str(torch.__version__),
            torch_npu=_version("torch_npu"),
        )
    )
    try:
        order = [(kind, source) for kind, source in manifest.order]
        package = Operator(Path(manifest.library), manifest.operator, order)
    except (OSError, BindingFault) as error:
        say(DeviceRow(load=str(error)))
        return
    for case in manifest.cases:
        say(DeviceRow(begin=case.name))
        try:
            row = CaseRun(device, package, manifest, case).run()
        except (RuntimeError, OSError) as error:
            say(DeviceRow(case=case.name, error=str(error)))
            return  # the device's context is not to be trusted after an error: the parent starts another process
        say(row)


def _version(module: str) -> str:
    return str(getattr(sys.modules.get(module), "__version__", ""))


def main(arguments: Sequence[str]) -> int:
    """Entry of the process."""
    manifest = read(
        Manifest, json.loads(Path(arguments[0]).read_text(encoding="utf-8")), "manifest"
    )
    with (Path(manifest.folder) / "rows.jsonl").open("a", encoding="utf-8") as rows:

        def say(row: DeviceRow) -> None:
            rows.write(json.dumps(plain(row)) + "\n")
            rows.flush()

        run_cases(manifest, say)
    ctypes.CDLL(None).fflush(
        None
    )  # what the kernel printed through C belongs to the log
    return 0
