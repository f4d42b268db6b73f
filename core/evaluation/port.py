"""The port through which the method reaches compilers and devices; `remote` implements it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from core.evaluation.records import Candidate, Evaluation
from core.operators.spec import OperatorSpec

Progress = Callable[[str], None]


class Evaluator(Protocol):
    """Compiles, checks and times candidates on one host with one toolchain."""

    @property
    def label(self) -> str:
        """What the user reads, e.g. `this computer · CPU twin (modelled Ascend910B1)`."""
        ...

    async def evaluate(self, operator: OperatorSpec, candidate: Candidate, progress: Progress) -> Evaluation:
        """Judge `candidate`. Cancelling the task ends every child process within a second.

        A fault of the environment (no compiler, disk full, host gone) gives verdict `VOID`, never an
        exception that could be mistaken for the kernel's fault.
        """
        ...

    async def close(self) -> None:
        """Release workers and connections."""
        ...
