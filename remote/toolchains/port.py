"""A toolchain: how a candidate becomes a job of the judge, and the judge's result an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from core.evaluation.records import Candidate, Evaluation
from core.operators.spec import OperatorSpec
from remote.hosts.port import JobRequest


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
    def device(self) -> str:
        """Device the latencies are of."""
        ...

    def request(self, operator: OperatorSpec, candidate: Candidate) -> JobRequest:
        """The job that judges `candidate`.

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
