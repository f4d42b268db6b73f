"""Input of the process on a device (`manifest.json`) and its output (a row a line of `rows.jsonl`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.evaluation.records import Latency
from core.operators.spec import Baseline

# Beginnings of the names of the files a run leaves its outputs in.
FIRST = "out"
SECOND = "second"  # on outputs that held another pattern
AGAIN = "again"  # after timing, with other inputs


@dataclass(frozen=True)
class DeviceTensor:
    """A tensor on disk; of an output what the caller makes for it, which starts as zeros if `zero`."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    path: str
    bytes: int
    zero: bool = False


@dataclass(frozen=True)
class CaseTensors:
    """Inputs and outputs of a run."""

    inputs: Mapping[str, tuple[DeviceTensor, ...]]
    outputs: tuple[DeviceTensor, ...]


@dataclass(frozen=True)
class DeviceCase:
    """One case.

    Attributes:
        name: Of the case.
        folder: Where its outputs go.
        timed: Whether it is timed.
        reference: Whether the operator's reference is timed beside it.
        inputs: Name -> tensors.
        outputs: In the order of the interface.
        attributes: Name -> value.
        again: What a timed case is checked with after timing; None for others.
    """

    name: str
    folder: str
    timed: bool
    reference: bool
    inputs: Mapping[str, tuple[DeviceTensor, ...]]
    outputs: tuple[DeviceTensor, ...]
    attributes: Mapping[str, Any]
    again: CaseTensors | None = None


@dataclass(frozen=True)
class Manifest:
    """Everything the process gets.

    Attributes:
        operator: OpDef name.
        inputs: Names of its inputs.
        lists: Inputs and outputs that are lists of tensors.
        library: The package's aclnn library.
        order: Kind and source of each parameter, see `aclnn.call_order`.
        reference_file: The operator's `reference.py`.
        baseline: What its kernels are compared with; None where none is named.
        warmups: Calls before timing.
        repeats: Timed calls.
        cases: What is run.
        profile: Folder for the profiler of torch_npu; empty without it.
        folder: Where `rows.jsonl` goes.
    """

    operator: str
    inputs: tuple[str, ...]
    lists: tuple[str, ...]
    library: str
    order: tuple[tuple[str, ...], ...]
    reference_file: str
    baseline: Baseline | None
    warmups: int
    repeats: int
    cases: tuple[DeviceCase, ...]
    profile: str = ""
    folder: str = ""


@dataclass(frozen=True)
class DeviceRow:
    """A thing said: which device there is, why a package cannot be loaded, a case begun, a case done.

    Attributes:
        device: Name of the device; empty, with a `problem`, when none can be used.
        unit: The device that was leased.
        problem: Why there is no device, or no latency of the reference.
        torch: Version.
        torch_npu: Version.
        load: Why the package cannot be loaded.
        begin: Case that begins.
        case: Case that is done.
        error: Why it failed on the device.
        changed: Inputs that the kernel changed.
        latency: Measured.
        reference: Latency of the operator's reference.
    """

    device: str = ""
    unit: str = ""
    problem: str = ""
    torch: str = ""
    torch_npu: str = ""
    load: str = ""
    begin: str = ""
    case: str = ""
    error: str = ""
    changed: tuple[str, ...] = field(default_factory=tuple)
    latency: Latency | None = None
    reference: Latency | None = None
