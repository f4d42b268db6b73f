"""What is kept of a profile: its operators by signature, and what the profile says of itself.

A signature is an operator of CANN with the cores it ran on and the shapes, data types and
formats of its tensors. Times are microseconds. What is "a step" is one step of every rank
together; a profile without steps is one step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.operators.spec import DType

FORMAT = 1

_WIDTHS = {"uint16": 2, "uint32": 4, "uint64": 8, "float64": 8, "int4": 0.5}


@dataclass(frozen=True)
class Tensor:
    """A tensor as the profile lists it.

    Attributes:
        shape: Its lengths; of a storage format those of the storage. `()` for a scalar.
        dtype: As PyTorch names it, or as the profile does where PyTorch has no such type.
        format: As CANN names it, e.g. `ND`; empty where the profile has none.
        absent: Whether it is an optional tensor that the call left out.
    """

    shape: tuple[int, ...]
    dtype: str
    format: str = ""
    absent: bool = False

    @property
    def elements(self) -> int:
        """How many; 1 for a scalar."""
        return 0 if self.absent else math.prod(self.shape)

    @property
    def bytes(self) -> float | None:
        """In memory; None for a type of unknown width."""
        if self.absent:
            return 0.0
        if self.dtype in _WIDTHS:
            return self.elements * _WIDTHS[self.dtype]
        if self.dtype in {dtype.value for dtype in DType}:
            return float(self.elements * DType(self.dtype).width)
        return None

    def __str__(self) -> str:
        """As `4096 × 1024 bfloat16`."""
        if self.absent:
            return "absent"
        return f"{' × '.join(map(str, self.shape)) or 'scalar'} {self.dtype}".rstrip()


@dataclass(frozen=True)
class Group:
    """All launches of one signature.

    Attributes:
        operator: CANN's type, e.g. `RmsNorm`; where the profile has none the kernel's name.
        core: What it ran on, e.g. `AI_VECTOR_CORE` or `AI_CPU`.
        inputs: In call order; empty where the profile lists none.
        outputs: In call order; empty where the profile lists none.
        launches: In the profile.
        calls: In a step.
        total_us: Of all launches.
        median_us: Of a launch.
        blocks: Cores that were started, as the profile says; 0 where it does not.
        exposed: Share of the time directly after which the device began something else;
            None where the profile has no start times.
        kernel: Name of one of the launches.
    """

    operator: str
    core: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    launches: int
    calls: float
    total_us: float
    median_us: float
    blocks: int = 0
    exposed: float | None = None
    kernel: str = ""

    @property
    def has_shapes(self) -> bool:
        """Whether the profile says what the operator was called with."""
        return bool(self.inputs or self.outputs)

    @property
    def step_us(self) -> float:
        """Of a step: calls times median."""
        return self.calls * self.median_us


@dataclass(frozen=True)
class Communication:
    """A collective or a message. It waits for other devices, so it is never ranked."""

    operator: str
    launches: int
    total_us: float


@dataclass(frozen=True)
class Source:
    """A file that was read, and the rank it is of."""

    file: str
    sha256: str
    rank: str
    rows: int


@dataclass(frozen=True)
class Check:
    """A sum of ours beside the same of the profile's own summary, in `unit`."""

    what: str
    ours: float
    profile: float
    unit: str = "us"

    @property
    def agrees(self) -> bool:
        """Whether they differ by no more than a microsecond or a part in ten thousand."""
        most = max(1.0, 1e-4 * abs(self.profile)) if self.unit == "us" else 0.0
        return abs(self.ours - self.profile) <= most


@dataclass(frozen=True)
class Workload:
    """A profile, read.

    Attributes:
        name: What a person calls it.
        steps: Steps of the rank that has most; 1 for a profile without steps.
        has_steps: Whether the profile tells its steps.
        step_us: A step of every rank together, from its first task to its last; None
            where the profile has neither start times nor a summary of its steps.
        computing_us: Tasks that compute, in a step.
        communication_us: Communication in a step, hidden behind computing or not.
        parts: Processors it can have been made on; empty where counters do not tell.
        part_is_named: Whether a person named it.
        versions: `cann`, `torch_npu` and `level` where the profile says them.
        warnings: What a person should know before believing the figures.
    """

    name: str
    sources: tuple[Source, ...]
    steps: int
    has_steps: bool
    step_us: float | None
    computing_us: float
    communication_us: float
    groups: tuple[Group, ...]
    communication: tuple[Communication, ...] = ()
    parts: tuple[str, ...] = ()
    part_is_named: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    warnings: tuple[str, ...] = ()
    format: int = FORMAT

    @property
    def ranks(self) -> tuple[str, ...]:
        """Of its sources, each once."""
        return tuple(dict.fromkeys(source.rank for source in self.sources))

    @property
    def rows(self) -> int:
        """Of all sources."""
        return sum(source.rows for source in self.sources)

    def of_operator(self, name: str) -> tuple[Group, ...]:
        """The signatures of an operator, the longest in a step first."""
        groups = [group for group in self.groups if group.operator == name]
        return tuple(sorted(groups, key=lambda group: -group.step_us))


def shape_text(tensors: Sequence[Tensor]) -> str:
    """Tensors in a line, `4096 × 1024 bfloat16, 1024 bfloat16`; absent ones left out."""
    return ", ".join(str(tensor) for tensor in tensors if not tensor.absent)
