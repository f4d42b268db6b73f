"""Jobs for the judge's CPU twin."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.operators.measured_kernels import profiled_processors
from core.operators.spec import OperatorSpec
from remote.hosts.port import JobRequest
from remote.judge.building.processors import processors
from remote.judge.job import Operator, TwinJob
from remote.judge.json_records import plain
from remote.toolchains.port import JOB_FORMAT, NO_PROBE, Probe, Tool, Toolchain
from remote.toolchains.twin.tools import TRACE, TRACE_TOOL, TWIN_TOOLS


def modelled_processors(twin_dir: Path) -> tuple[str, ...]:
    """Names of the processors the twin has numbers of."""
    return tuple(processors(twin_dir / "processors.toml").modelled)


@dataclass(frozen=True)
class TwinToolchain(Toolchain):
    """Compiles with the C++ compiler of the host and runs on a modelled processor.

    Attributes:
        cache_dir: Where builds and references are kept on the host.
        twin_dir: Headers and sources of the twin on the host.
        soc: Processor that is modelled, e.g. `Ascend910B1`.
        kernel_time_limit_s: CPU seconds one kernel launch may use, and seconds it may sleep.
        memory_mb: Address space of one run in MiB.
        strict: Whether warnings that lose data on hardware fail the run.
        fast: Whether races and unwritten bytes are left unchecked; probes are always checked.
        run_big: Whether cases marked big are run too.
        cold: Whether the first launch is modelled, with nothing in L2; else one of many on the same buffers.
        schedules: Other orders of cores and pipes every case is run in; None leaves it to the kernel.
        job_time_limit_s: Wall seconds of a whole evaluation; beyond it the evaluation is void.
        allow_unconfined: Whether candidates run on a host that has no sandbox; the result says so.
        constants: Constants of the model that were measured on a card, by their names in `processors.toml`.
        ranges: The uncertainty that their fit left, by regime; the others keep what ships.
        headers_dir: Header sets of CANN that candidates are checked against; None for none.
        calibrated: Where and when they were, e.g. `lab7 2026-11-24`; empty for the shipped ones.
        of_processor: Makes the twin of another processor, for the tasks that were made of its profile;
            None where a person named the processor of all.
    """

    cache_dir: Path
    twin_dir: Path
    soc: str = "Ascend910B1"
    kernel_time_limit_s: float = 10.0
    memory_mb: int = 6144
    strict: bool = False
    fast: bool = False
    run_big: bool = False
    cold: bool = False
    schedules: int | None = None
    job_time_limit_s: float = 1800.0
    allow_unconfined: bool = False
    constants: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    calibrated: str = ""
    headers_dir: Path | None = None
    of_processor: Callable[[str], TwinToolchain] | None = None

    def __post_init__(self) -> None:
        modelled = modelled_processors(self.twin_dir)
        # Said here, or every kernel would be blamed for it.
        if self.soc not in modelled:
            raise InvalidInput(
                "CPU twin",
                "soc",
                "{soc!r} is not modelled",
                "Available: {known}.",
                soc=self.soc,
                known=", ".join(modelled),
            )
        table = processors(self.twin_dir / "processors.toml")
        names = table.modelled[self.soc].constants
        for name in self.constants:
            if name not in names:
                raise InvalidInput(
                    "CPU twin",
                    "constants",
                    "{name!r} is no constant of the model",
                    "Available: {known}.",
                    name=name,
                    known=", ".join(names),
                )

    @property
    def name(self) -> str:
        """Name stored with results."""
        return "twin"

    @property
    def label(self) -> str:
        """What the user reads."""
        calibrated = f", calibrated {self.calibrated}" if self.calibrated else ""
        return f"CPU twin (modelled {self.soc}{calibrated})"

    @property
    def device(self) -> str:
        """Device the latencies are of."""
        calibrated = f" calibrated {self.calibrated}" if self.calibrated else ""
        return f"{self.soc} model{calibrated}"

    @property
    def diagnostics(self) -> Mapping[str, Tool]:
        """Build, sanitizer, profile and output, and the trace for the application."""
        return {**TWIN_TOOLS, TRACE: TRACE_TOOL}

    def for_operator(self, operator: OperatorSpec) -> Toolchain:
        """The twin of the processor whose profile the operator was made of.

        Only there can a latency be held against what CANN's own kernel took. This one for
        any other operator, and where the profile leaves the processor open.

        Raises:
            InvalidInput: The record of the task is damaged.
        """
        if self.of_processor is None:
            return self
        table = processors(self.twin_dir / "processors.toml")
        name = table.one_of(profiled_processors(operator))
        return self if name in ("", self.soc) else self.of_processor(name)

    def request(
        self, operator: OperatorSpec, candidate: Candidate, probe: Probe = NO_PROBE
    ) -> JobRequest:
        """The job that judges `candidate`, or looks into it.

        Raises:
            InvalidInput: The operator's reference file cannot be read.
        """
        job = TwinJob(
            format=JOB_FORMAT,
            operator=describe_operator(operator),
            cases=operator.cases,
            candidate=candidate.files,
            soc=self.soc,
            cache_dir=str(self.cache_dir),
            twin_dir=str(self.twin_dir),
            time_limit_s=self.kernel_time_limit_s,
            memory_mb=self.memory_mb,
            strict=self.strict or probe.strict,
            fast=self.fast and probe is NO_PROBE,
            run_big=self.run_big,
            cold=self.cold,
            build_only=probe.build_only,
            trace=probe.trace,
            schedules=0 if probe is not NO_PROBE else self.schedules,
            allow_unconfined=self.allow_unconfined,
            constants=self.constants,
            ranges=self.ranges,
            device=self.device,
            headers_dir=str(self.headers_dir or ""),
        )
        folders = {"twin_dir": self.twin_dir}
        if self.headers_dir is not None:
            folders["headers_dir"] = self.headers_dir
        return JobRequest(uuid.uuid4().hex, plain(job), self.job_time_limit_s, folders)


def describe_operator(operator: OperatorSpec) -> Operator:
    """An operator as the judge takes it: interface, rule and the text of its reference file.

    Raises:
        InvalidInput: A file of the operator cannot be read.
    """
    return Operator(
        name=operator.name,
        snake=operator.snake_name,
        inputs=operator.inputs,
        outputs=operator.outputs,
        attributes=operator.attributes,
        rule=operator.rule,
        lacks=operator.lacks,
        digest=operator.digest,
        reference_source=_text(operator.folder / "reference.py"),
        files={name: _text(operator.folder / name) for name in operator.files},
        baseline=operator.baseline,
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            str(path), "file", "cannot be read: {error}", error=error
        ) from error
