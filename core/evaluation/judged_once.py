"""A judge that is asked once about a kernel: for runs in which the same kernels come back again and again."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import NamedTuple

from core.evaluation.port import Evaluator, Middleware, Progress
from core.evaluation.records import (
    Candidate,
    DiagnosticResult,
    Evaluation,
    VerdictClass,
)
from core.operators.spec import OperatorSpec


class _Kernel(NamedTuple):
    operator: str  # digest
    rule: str
    candidate: str  # digest


Seeds = tuple[int, ...]


class Verdicts:
    """The evaluations so far of equal judges, which may work in several threads and event loops."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_inputs: dict[tuple[_Kernel, Seeds], Evaluation] = {}
        self._unbuilt: dict[_Kernel, Evaluation] = {}
        self._in_work: dict[_Kernel, Future[None]] = {}

    def known_or_claimed(
        self, kernel: _Kernel, seeds: Seeds
    ) -> Evaluation | Future[None] | None:
        """Its evaluation; or what ends when another judge is done with the kernel; or None: the caller's to judge.

        A claim is ended by `settle`.
        """
        with self._lock:
            verdict = self._by_inputs.get((kernel, seeds)) or self._unbuilt.get(kernel)
            if verdict is not None:
                return verdict
            if (busy := self._in_work.get(kernel)) is not None:
                return busy
            claim = self._in_work[kernel] = Future()
            claim.set_running_or_notify_cancel()  # who waits and is cancelled leaves it
            return None

    def settle(
        self, kernel: _Kernel, seeds: Seeds, evaluation: Evaluation | None
    ) -> None:
        """End a claim; None or a fault of the environment: the next one judges."""
        with self._lock:
            if evaluation is not None and evaluation.verdict is not VerdictClass.VOID:
                # What does not build meets no input: the same in every repeat.
                if evaluation.verdict is VerdictClass.FAIL_BUILD:
                    self._unbuilt[kernel] = evaluation
                else:
                    self._by_inputs[kernel, seeds] = evaluation
            in_work = self._in_work.pop(kernel)
        in_work.set_result(None)


class JudgedOnce(Middleware):
    """Hands a kernel on the first time; answers from memory when it has the same inputs again, or does not build.

    Only for a judge whose verdicts and latencies are the same every time, as the CPU twin's are. A kernel that
    another judge works on is waited for: with the same inputs its evaluation is this one's too, and with others
    its build is there already.

    Args:
        inner: Who judges.
        verdicts: Those so far; may be shared by several of these with equal judges.
    """

    def __init__(self, inner: Evaluator, verdicts: Verdicts) -> None:
        super().__init__(inner)
        self._verdicts = verdicts

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        """The verdict of the judge; faults of the environment are asked about again."""
        kernel = _Kernel(operator.digest, operator.rule, candidate.digest)
        seeds = tuple(case.seed for case in operator.cases)
        while True:
            verdict = self._verdicts.known_or_claimed(kernel, seeds)
            if isinstance(verdict, Evaluation):
                return verdict
            if verdict is None:
                break
            await asyncio.wrap_future(verdict)
        evaluation = None
        try:
            evaluation = await self._inner.evaluate(
                operator, candidate, progress, ticket
            )
        finally:
            self._verdicts.settle(kernel, seeds, evaluation)
        return evaluation

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """As the judge."""
        return await self._inner.diagnose(
            operator, candidate, tool, case, progress, ticket
        )
