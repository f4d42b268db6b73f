"""Stand-in for torch_npu: the "device" is this computer's memory, its stream does everything at once."""

from __future__ import annotations

import ctypes
import sys
import time
import types

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
        raise RuntimeError("NPU function error: AclrtSynchronizeDeviceWithTimeout, error code is 507035")


npu = types.ModuleType("torch.npu")
npu.Event = Event
npu.synchronize = synchronize
npu.set_device = lambda number: None
npu.get_device_name = lambda number: "Ascend910B1"
npu.current_stream = lambda: types.SimpleNamespace(npu_stream=0)
npu.is_available = lambda: True
npu.device_count = lambda: 1
torch.npu = npu
torch.Tensor.npu = lambda self: self.clone()
sys.modules["torch.npu"] = npu
