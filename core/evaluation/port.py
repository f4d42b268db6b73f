"""The port through which the method reaches compilers and devices; `remote` implements it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
from core.operators.spec import OperatorSpec

Progress = Callable[[str], None]

STOPPING = (
    "stopping"  # message of a cancellation that ends the application, not the work
)


class Evaluator(ABC):
    """Compiles, checks and times candidates on one host with one toolchain."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What the user reads, e.g. `this computer · CPU twin (modelled Ascend910B1)`."""

    @property
    def soc(self) -> str:
        """The SoC version it judges for, e.g. `Ascend910B1`; empty while it is not known."""
        return ""

    def label_for(self, operator: OperatorSpec) -> str:  # noqa: ARG002 - most judge all alike
        """The label of its judge of one operator: a task may be made of another processor's profile."""
        return self.label

    def soc_for(self, operator: OperatorSpec) -> str:  # noqa: ARG002
        """The SoC version it judges one operator for."""
        return self.soc

    @property
    def cann(self) -> str:
        """The version of CANN it builds with, e.g. `8.5.1`; empty while not known, or without CANN."""
        return ""

    @property
    def tools(self) -> Mapping[str, str]:
        """Diagnostics it offers: name -> what it shows, in one line for the model."""
        return {}

    @property
    def runs_big(self) -> bool:
        """Whether it runs the cases marked as too large for the twin, as every device does."""
        return True

    @abstractmethod
    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        """Judge `candidate`. Cancelling the task ends every child process within a second.

        `ticket` names this evaluation permanently, e.g. trajectory and round. On a host whose jobs outlive the
        application, an evaluation begun earlier under the same ticket is continued, not begun again; there, a
        task cancelled with the message `STOPPING` leaves its job running for that.

        A fault of the environment (no compiler, disk full, host gone) gives verdict `VOID`, never an
        exception that could be mistaken for the kernel's fault.
        """

    async def diagnose(
        self,
        operator: OperatorSpec,  # noqa: ARG002
        candidate: Candidate,  # noqa: ARG002
        tool: str,
        case: str,  # noqa: ARG002
        progress: Progress,  # noqa: ARG002
        ticket: str = "",  # noqa: ARG002
    ) -> DiagnosticResult:
        """Run `tool` on `candidate` with one visible case; an empty `case` leaves the choice to the tool.

        Ticket and cancellation are as for `evaluate`. A fault of the environment gives a result that is not
        ok and says so.
        """
        return DiagnosticResult(
            tool,
            ok=False,
            summary=f"{self.label} has no diagnostics.",
        )

    def retry(self) -> None:  # noqa: B027 - many have nothing to wait for
        """A run begins again: try what waited for the person, who may have acted since."""

    async def close(self) -> None:  # noqa: B027 - many have nothing to release
        """Release workers and connections."""


class Middleware(Evaluator):
    """An evaluator before another one: what it does not answer itself, it hands on.

    Args:
        inner: Who comes next.
    """

    def __init__(self, inner: Evaluator) -> None:
        self._inner = inner

    @property
    def label(self) -> str:
        """That of the evaluator behind it."""
        return self._inner.label

    @property
    def soc(self) -> str:
        """That of the evaluator behind it."""
        return self._inner.soc

    def label_for(self, operator: OperatorSpec) -> str:
        """That of the evaluator behind it."""
        return self._inner.label_for(operator)

    def soc_for(self, operator: OperatorSpec) -> str:
        """That of the evaluator behind it."""
        return self._inner.soc_for(operator)

    @property
    def cann(self) -> str:
        """That of the evaluator behind it."""
        return self._inner.cann

    @property
    def tools(self) -> Mapping[str, str]:
        """Those of the evaluator behind it."""
        return self._inner.tools

    @property
    def runs_big(self) -> bool:
        """As the evaluator behind it."""
        return self._inner.runs_big

    @abstractmethod
    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """As `Evaluator.diagnose`; never handed on by itself, or a tool would look past what stands here."""

    def retry(self) -> None:
        """Tell the evaluator behind it."""
        self._inner.retry()

    async def close(self) -> None:
        """Close the evaluator behind it."""
        await self._inner.close()
