"""What a judge is asked: an operator, the cases, a candidate, and how it is judged.

Made by a toolchain (`json_records.plain` of a job is its JSON), read by the judge (`read_job`) on its host.
Interface and cases are the records of `core.operators.spec`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.operators.spec import (
    AttributeSpec,
    Baseline,
    DecidingRule,
    TensorSpec,
    TestCase,
)
from remote.judge.json_records import Unfit, read


@dataclass(frozen=True)
class Names:
    """What an operator is called: PascalCase, and the kernel entry."""

    name: str
    snake: str


@dataclass(frozen=True)
class Interface(Names):
    """What an operator takes and gives, in call order."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]


@dataclass(frozen=True)
class Operator(Interface):
    """What travels of an `OperatorSpec`: interface, deciding rule, and the texts of its code.

    Attributes:
        attributes: In call order.
        rule: Which verdict decides.
        lacks: Kind of case -> why there is none.
        digest: sha256 of all files.
        reference_source: Text of `reference.py`.
        files: Further files its code needs: path -> text.
        baseline: What its kernels are compared with; None where none is named.
        cases: Filled where the operator itself is examined.
    """

    attributes: tuple[AttributeSpec, ...]
    rule: DecidingRule
    lacks: Mapping[str, str]
    digest: str
    reference_source: str
    files: Mapping[str, str] = field(default_factory=dict)
    baseline: Baseline | None = None
    cases: tuple[TestCase, ...] = ()


@dataclass(frozen=True)
class TwinJob:
    """Judge a candidate with the CPU twin; see `remote.toolchains.twin.TwinToolchain` for the settings.

    Attributes:
        candidate: Path -> text.
        twin_dir: Headers and sources of the twin.
        trace: Whether the first case that is run leaves a trace, as an attachment.
        cold: Whether the first launch is modelled, with nothing of the tensors in L2.
        constants: Constants of the model that were measured on a card, by their names in `processors.toml`.
        ranges: The uncertainty that their fit left, by regime; the others keep what ships.
        device: What modelled latencies are of; empty for the processor with the shipped constants.
        headers_dir: Holds the header sets of CANN that a candidate is checked against; empty for none.
    """

    format: int
    operator: Operator
    cases: tuple[TestCase, ...]
    candidate: Mapping[str, str]
    soc: str
    cache_dir: str
    twin_dir: str
    time_limit_s: float = 10.0
    memory_mb: int = 6144
    strict: bool = False
    fast: bool = False
    run_big: bool = False
    build_only: bool = False
    trace: bool = False
    cold: bool = False
    schedules: int | None = None
    constants: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    device: str = ""
    headers_dir: str = ""
    allow_unconfined: bool = False
    workers: int = 2
    id: str = ""
    toolchain: str = "twin"


@dataclass(frozen=True)
class Step:
    """One command of a build.

    Attributes:
        name: What it does, in words.
        stage: Stage a failure of it belongs to when its log does not tell, see `remote.diagnostics.families`.
        command: Shell text, run by bash in the work folder with CANN's environment.
        limit_s: Wall seconds it may take.
    """

    name: str
    stage: str
    command: str
    limit_s: float = 60.0


@dataclass(frozen=True)
class BuildPlan:
    """Files that are written and steps that are run; `package` is the folder of what is built."""

    files: Mapping[str, str]
    steps: tuple[Step, ...]
    package: str


@dataclass(frozen=True)
class Probe:
    """How a look into a kernel differs from judging it.

    Attributes:
        build_only: Compile, and run nothing.
        strict: Count as errors what only loses data on hardware.
        trace: Keep what every pipe did and when, as an attachment; only of the CPU twin.
        wrap: Words put before the command that runs the kernel; `{folder}` is a folder of the run.
        options: Compiler options the kernel is built with beside its own.
        environment: Variables of that command, with `{folder}` too.
        collect: Patterns below `{folder}` of the files that come back.
        profiler: Run under the profiler of torch_npu.
    """

    build_only: bool = False
    strict: bool = False
    trace: bool = False
    wrap: tuple[str, ...] = ()
    options: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    collect: tuple[str, ...] = ()
    profiler: bool = False


@dataclass(frozen=True)
class CannJob:
    """Judge a candidate with CANN; see `remote.toolchains.cann.toolchain.CannToolchain` for the settings.

    Attributes:
        environment: Shell text that sources `set_env.sh`.
        plan: The build.
        work_dir: Folder for builds, empty for one in the cache.
        probe: What a diagnostic asks for; None for judging.
    """

    format: int
    operator: Operator
    cases: tuple[TestCase, ...]
    candidate: Mapping[str, str]
    soc: str
    device: str
    cache_dir: str
    environment: str
    plan: BuildPlan
    work_dir: str = ""
    probe: Probe | None = None
    warmups: int = 5
    repeats: int = 100
    extra_seeds: int = 2
    case_limit_s: float = 60.0
    run_big: bool = True
    build_only: bool = False
    allow_unconfined: bool = False
    id: str = ""
    toolchain: str = "cann"


Job = TwinJob | CannJob


@dataclass(frozen=True)
class JudgeSettings:
    """What of a job decides on its judge; jobs that have it in common share one."""

    cache_dir: str
    twin_dir: str = ""
    workers: int = 2
    toolchain: str = "twin"
    headers_dir: str = ""

    @classmethod
    def of(cls, job: Job) -> JudgeSettings:
        """Those of a job."""
        if isinstance(job, TwinJob):
            return cls(
                job.cache_dir, job.twin_dir, job.workers, headers_dir=job.headers_dir
            )
        return cls(job.cache_dir, toolchain=job.toolchain)


def read_job(payload: Mapping[str, Any]) -> Job:
    """The job in what came from outside.

    Raises:
        Unfit: It has another form; the text names the field.
    """
    kinds: dict[object, type[Job]] = {"twin": TwinJob, "cann": CannJob}
    kind = kinds.get(payload.get("toolchain", "twin"))
    if kind is None:
        raise Unfit(
            f"job.toolchain: {payload['toolchain']!r} is no toolchain of this judge"
        )
    return read(kind, payload, "job")
