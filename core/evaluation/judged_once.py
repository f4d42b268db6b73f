"""A judge that is asked once about a kernel: for runs in which the same kernels come back again and again."""

from __future__ import annotations

from collections.abc import Hashable, MutableMapping

from core.evaluation.port import Evaluator, Middleware, Progress
from core.evaluation.records import (
    Candidate,
    DiagnosticResult,
    Evaluation,
    VerdictClass,
)
from core.operators.spec import OperatorSpec

Verdicts = MutableMapping[Hashable, Evaluation]


class JudgedOnce(Middleware):
    """Hands a kernel on the first time; answers from memory when it has the same inputs again, or does not build.

    Only for a judge whose verdicts and latencies are the same every time, as the CPU twin's are.

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
        kernel = (operator.digest, operator.rule, candidate.digest)
        seeds = tuple(case.seed for case in operator.cases)
        known = self._verdicts.get((*kernel, seeds)) or self._verdicts.get(kernel)
        if known is None:
            known = await self._inner.evaluate(operator, candidate, progress, ticket)
            # What does not build meets no input: the same in every repeat.
            unbuilt = known.verdict is VerdictClass.FAIL_BUILD
            if known.verdict is not VerdictClass.VOID:
                self._verdicts[kernel if unbuilt else (*kernel, seeds)] = known
        return known

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
