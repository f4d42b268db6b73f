"""Stand-in for torch_npu: the "device" is this computer's memory, its stream does everything at once."""

from __future__ import annotations

import ctypes
import os
import sys
import time
import types
from pathlib import Path
from typing import Self

import torch

__version__ = "2.9.0"

_acl = ctypes.CDLL("libnnopbase.so", mode=ctypes.RTLD_GLOBAL)
_acl.aclGetRecentErrMsg.restype = ctypes.c_char_p


class Event:
    """A point in time."""

    def __init__(self, *, enable_timing: bool = False) -> None:
        self._at = 0.0

    def record(self) -> None:
        self._at = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        return 1000.0 * (end._at - self._at)


def synchronize() -> None:
    """Raise what the kernels of this process left behind."""
    fault = _acl.aclGetRecentErrMsg().decode()
    if fault:
        sys.stderr.write(fault)
        raise RuntimeError(
            "NPU function error: AclrtSynchronizeDeviceWithTimeout, error code is 507035"
        )


def set_device(_number: int) -> None:
    """Fail once for each line of the file STAND_IN_SICK names: a card that recovers, or does not."""
    sick = Path(os.environ.get("STAND_IN_SICK", "/nonexistent"))
    faults = sick.read_text().splitlines() if sick.exists() else []
    if faults:
        sick.write_text("\n".join(faults[1:]))
        raise RuntimeError(
            f"SetDevice: NPU function error: aclrtSetDevice, error code is {faults[0]}"
        )


_DETAILS = """\
Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim
1,0,aclnnAbsMath_AbsMath_AbsMath,AbsMath,AI_VECTOR_CORE,1784177144514943.513\t,6.250,0,2
"""


class _Profile:
    """Writes what the profiler would write when it is left."""

    def __init__(self, *, on_trace_ready: Path, **_options: object) -> None:
        self._folder = on_trace_ready

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_what: object) -> None:
        place = self._folder / "host_1_20260310_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        place.mkdir(parents=True)
        (place / "kernel_details.csv").write_text(_DETAILS)


profiler = types.SimpleNamespace(
    _ExperimentalConfig=lambda **options: options,
    ProfilerLevel=types.SimpleNamespace(Level1=1),
    AiCMetrics=types.SimpleNamespace(PipeUtilization=1),
    ProfilerActivity=types.SimpleNamespace(CPU=0, NPU=1),
    tensorboard_trace_handler=Path,
    profile=_Profile,
)
npu = types.ModuleType("torch.npu")
npu.Event = Event
npu.synchronize = synchronize
npu.set_device = set_device
npu.get_device_name = lambda number: "Ascend910B1"
npu.current_stream = lambda: types.SimpleNamespace(npu_stream=0)
npu.is_available = lambda: True
npu.device_count = lambda: 1
torch.npu = npu
torch.Tensor.npu = lambda self: self.clone()
sys.modules["torch.npu"] = npu
