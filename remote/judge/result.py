"""What a judge answers: the rows of `core.evaluation.records`, made where only the standard library is.

Fields have the names and meanings they have there; `plain.plain` of a result is what is sent.
A launch and its report are the judge's own and go no further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remote.judge.comparing.error_statistics import Errors


@dataclass
class Finding:
    """As `core.evaluation.records.Finding`; the judge completes and weighs it while it judges."""

    rule: str
    severity: str
    message: str
    file: str = ""
    line: int = 0
    core: int = -1
    call: str = ""
    kernel: str = ""
    tensor: str = ""
    case: str = ""
    limit: str = ""
    count: int = 1
    link: str = ""


@dataclass(frozen=True)
class Latency:
    """As `core.evaluation.records.Latency`."""

    value: float
    unit: str
    origin: str
    clock: str
    n: int
    spread: float | None
    device: str
    launch: float | None = None
    of: str = ""


@dataclass
class Verdicts:
    """As `core.evaluation.records.RuleVerdicts`."""

    paper: bool
    benchmark: bool
    ulp: bool
    deciding: str
    passed: bool


@dataclass
class CaseRow:
    """As `core.evaluation.records.CaseResult`; the judge fills it in."""

    case: str
    hidden: bool
    timed: bool
    status: str
    detail: str = ""
    dtype: str = ""
    verdicts: Verdicts | None = None
    statistics: Sequence[Errors] = ()
    latency: Latency | None = None
    seconds: float = 0.0
    reference: Latency | None = None


@dataclass(frozen=True)
class CompilerMessage:
    """As `core.evaluation.records.CompilerMessage`; says itself in a line."""

    severity: str
    text: str
    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        numbers = "".join(f":{number}" for number in (self.line, self.column) if number)
        place = f"{self.file}{numbers}: " if self.file else ""
        return f"{place}{self.severity}: {self.text}"


@dataclass
class BuildReport:
    """As `core.evaluation.records.BuildReport`; the judge fills it in."""

    ok: bool
    stage: str = ""
    cause: str = ""
    seconds: float = 0.0
    cached: bool = False
    compiler: str = ""
    messages: Sequence[CompilerMessage] = ()
    log: str = ""
    digest: str = ""


@dataclass(frozen=True)
class PipeTimes:
    """As `core.evaluation.records.PipeTimes`."""

    core: int
    unit: str
    total_cycles: float
    scalar: float
    vector: float
    mte1: float
    mte2: float
    mte3: float
    cube: float
    fixpipe: float
    gm_read: float = 0.0
    gm_written: float = 0.0
    vector_ops: float = 0.0
    cube_ops: float = 0.0
    gm_rate: float = 0.0


@dataclass(frozen=True)
class Profile:
    """As `core.evaluation.records.PipeProfile`."""

    clock_mhz: float
    cores: Sequence[PipeTimes]
    bound: str
    origin: str
    launch_us: float


@dataclass(frozen=True)
class Launch:
    """What one launch of a kernel did, as its program tells it."""

    completed: bool
    unmodelled: bool
    bound: str
    printed: str
    cores: Sequence[PipeTimes]
    clock_mhz: float
    launch_us: float
    modelled_us: float
    together: bool = False


@dataclass
class Inferred:
    """Shape and dtype of an output, as InferShape and InferDataType or the kernel itself give them."""

    has_shape: bool
    shape: Sequence[int]
    dtype: str
    by_kernel: bool = False


@dataclass
class RunReport:
    """One call of a candidate: what its programs answered, or how they ended."""

    findings: list[Finding]
    log: str = ""
    inferred: list[Inferred] = field(default_factory=list)
    changed_inputs: Sequence[str] = ()
    launch: Launch | None = None
    trace: bytes = b""
    tiling_key: int = 0
    outputs: list[memoryview] = field(default_factory=list)


@dataclass(frozen=True)
class Gates:
    """What the gates say of an operator.

    Attributes:
        name: Operator.
        cases: Cases whose reference was computed.
        skipped: Cases marked big, which were not.
        seconds: Time the reference took over all these cases, on one core.
        problems: What is wrong, in words; empty when the operator passes.
        weak: Cases that accept an answer which costs a kernel nothing, where other cases reject it.
    """

    name: str
    cases: int = 0
    skipped: int = 0
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()


@dataclass(frozen=True)
class Device:
    """A device a job used: `unit` is empty when it was not borrowed, `fault` when it did its work."""

    unit: str
    fault: str = ""


@dataclass
class Result:
    """The answer to a job, as `core.evaluation.records.Evaluation` and what only toolchains read.

    Attributes:
        logs: What `build` and `run` wrote, for the toolchain that knows how to read it.
        devices: Those that were used.
    """

    operator: str
    verdict: str
    cause: str
    build: BuildReport
    cases: Sequence[CaseRow] = ()
    findings: Sequence[Finding] = ()
    latency: Latency | None = None
    profile: Profile | None = None
    notes: Sequence[str] = ()
    seconds: float = 0.0
    facts: Mapping[str, str] = field(default_factory=dict)
    attachments: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    devices: Sequence[Device] = ()
