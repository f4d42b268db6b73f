"""A toolchain: how a candidate becomes a job of the judge, and the judge's result an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
from core.operators.spec import OperatorSpec
from remote.hosts.port import JobRequest


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


NO_PROBE = Probe()


@dataclass(frozen=True)
class Tool:
    """A diagnostic: what it shows, in one line for the model, how it is run and how its answer is read.

    One that is not `offered` answers the application alone: what it gives is no text a model reads.
    """

    what: str
    probe: Probe
    read: Callable[[str, Evaluation], DiagnosticResult]
    offered: bool = True


class Toolchain(Protocol):
    """One way to compile, run and time a candidate."""

    @property
    def name(self) -> str:
        """Short name stored with results: `twin`, `cann`."""
        ...

    @property
    def label(self) -> str:
        """What the user reads, e.g. `CPU twin (modelled Ascend910B1)`."""
        ...

    @property
    def soc(self) -> str:
        """Processor it builds for or models, e.g. `Ascend910B1`; empty when the host decides."""
        ...

    @property
    def device(self) -> str:
        """Device the latencies are of."""
        ...

    @property
    def run_big(self) -> bool:
        """Whether cases marked as too large for the twin are run."""
        ...

    @property
    def diagnostics(self) -> Mapping[str, Tool]:
        """Diagnostics by name."""
        ...

    def request(self, operator: OperatorSpec, candidate: Candidate, probe: Probe = NO_PROBE) -> JobRequest:
        """The job that judges `candidate`, or looks into it.

        Raises:
            SageError: The operator's files cannot be read.
        """
        ...

    def read(self, candidate: Candidate, host: str, result: Mapping[str, Any]) -> Evaluation:
        """The evaluation in a result of the judge.

        Raises:
            InvalidInput: The result does not have the agreed form (a judge of another version).
        """
        ...

    def device_fault(self, result: Mapping[str, Any]) -> str:
        """What a result says of the health of the device it was made on; empty when that did its work."""
        ...
