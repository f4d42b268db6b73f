"""A toolchain: how a candidate becomes a job of the judge, and the judge's result an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import msgspec

from core.errors import InvalidInput
from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
from core.operators.spec import OperatorSpec
from core.records_json import prepare
from remote.hosts.port import JobRequest
from remote.judge.job import Probe
from remote.judge.result import Answer

JOB_FORMAT = 2  # of what the judge is sent
NO_PROBE = Probe()

__all__ = ["JOB_FORMAT", "NO_PROBE", "Probe", "Tool", "Toolchain", "read_answer"]


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

    def for_operator(self, operator: OperatorSpec) -> Toolchain:  # noqa: ARG002
        """The toolchain that judges an operator: this one, or that of the operator's own processor.

        Raises:
            SageError: The operator's files cannot be read.
        """
        return self

    def request(
        self, operator: OperatorSpec, candidate: Candidate, probe: Probe = NO_PROBE
    ) -> JobRequest:
        """The job that judges `candidate`, or looks into it.

        Raises:
            SageError: The operator's files cannot be read.
        """
        ...

    def read(self, candidate: Candidate, host: str, answer: Answer) -> Evaluation:
        """The evaluation in an answer of the judge, of the candidate and host that were asked."""
        return replace(
            answer.evaluation,
            candidate=candidate.digest,
            host=host,
            toolchain=self.name,
            device=self.device,
        )

    def device_fault(self, answer: Answer) -> str:  # noqa: ARG002 - most have no device
        """What an answer says of the health of the device it was made on; empty when that did its work."""
        return ""


def read_answer(result: Mapping[str, Any]) -> Answer:
    """The answer in what came from a judge.

    Raises:
        InvalidInput: It does not have the agreed form (a judge of another version); names the field.
    """
    try:
        prepare(Answer)
        return msgspec.convert(result, Answer)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at ")
        field = path.strip("`").removeprefix("$.") or "answer"
        raise InvalidInput("result of the judge", field, problem) from error
