"""The port through which the method reaches compilers and devices; `remote` implements it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
from core.operators.spec import OperatorSpec

Progress = Callable[[str], None]

STOPPING = "stopping"  # message of a cancellation that ends the application, not the work


class Evaluator(Protocol):
    """Compiles, checks and times candidates on one host with one toolchain."""

    @property
    def label(self) -> str:
        """What the user reads, e.g. `this computer · CPU twin (modelled Ascend910B1)`."""
        ...

    async def evaluate(
        self, operator: OperatorSpec, candidate: Candidate, progress: Progress, ticket: str = ""
    ) -> Evaluation:
        """Judge `candidate`. Cancelling the task ends every child process within a second.

        `ticket` names this evaluation for good, e.g. trajectory and round. On a host whose jobs outlive the
        application, an evaluation begun earlier under the same ticket is continued, not begun again; there, a
        task cancelled with the message `STOPPING` leaves its job running for that.

        A fault of the environment (no compiler, disk full, host gone) gives verdict `VOID`, never an
        exception that could be mistaken for the kernel's fault.
        """
        ...

    async def close(self) -> None:
        """Release workers and connections."""
        ...


@runtime_checkable
class ForProcessor(Protocol):
    """An evaluator that knows which processor it judges for."""

    @property
    def soc(self) -> str:
        """The SoC version, e.g. `Ascend910B1`; empty while it is not known."""
        ...


@runtime_checkable
class ForCann(Protocol):
    """An evaluator that knows which CANN it builds with."""

    @property
    def cann(self) -> str:
        """The version, e.g. `8.5.1`; empty while it is not known, or when CANN has no part in it."""
        ...


def cann_of(evaluator: Evaluator) -> str:
    """The version of CANN `evaluator` builds with; empty when it does not say."""
    return evaluator.cann if isinstance(evaluator, ForCann) else ""


def soc_of(evaluator: Evaluator) -> str:
    """The processor `evaluator` judges for; empty when it does not say."""
    return evaluator.soc if isinstance(evaluator, ForProcessor) else ""


@runtime_checkable
class Diagnostics(Protocol):
    """Tools that look into a kernel without judging it.

    An evaluator whose toolchain has some implements this port as well.
    """

    @property
    def tools(self) -> Mapping[str, str]:
        """Name -> what it shows, in one line for the model; empty when there are none."""
        ...

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """Run `tool` on `candidate` with one visible case; an empty `case` leaves the choice to the tool.

        Ticket and cancellation are as for `Evaluator.evaluate`. A fault of the environment gives a result
        that is not ok and says so.
        """
        ...
