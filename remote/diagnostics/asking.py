"""One diagnostic as an evaluation of one visible case, on whatever host the evaluator has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from core.evaluation.port import Progress
from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
from core.operators.spec import OperatorSpec, TestCase
from core.sentence import Sentence
from remote.toolchains.port import Probe, Tool


class Evaluate(Protocol):
    """How the evaluators of this package are asked."""

    async def __call__(
        self, operator: OperatorSpec, candidate: Candidate, progress: Progress, ticket: str, probe: Probe
    ) -> Evaluation:
        """Run the judge as `probe` says."""
        ...


async def ask_tool(
    tools: Mapping[str, Tool],
    evaluate: Evaluate,
    operator: OperatorSpec,
    candidate: Candidate,
    tool: str,
    case: str,
    progress: Progress,
    ticket: str,
) -> DiagnosticResult:
    """Run a tool on the case called `case`, the first timed visible one when it is empty.

    Hidden cases are never run: what a probe prints would tell their values.
    """
    chosen = tools.get(tool)
    if chosen is None:
        names = ", ".join(tools)
        return DiagnosticResult(
            tool, ok=False, summary=Sentence("there is no such tool; there are {names}", names=names)
        )
    visible = [entry for entry in operator.cases if not entry.hidden and not entry.big]
    found = _case_called(case, visible)
    if found is None:
        names = ", ".join(entry.name for entry in visible)
        return DiagnosticResult(
            tool,
            ok=False,
            summary=Sentence("there is no visible case {case}; there are {names}", case=case, names=names),
        )
    cases = tuple(visible) if chosen.probe.build_only else (replace(found, timed=True),)
    alone = replace(operator, cases=cases)
    return chosen.read(tool, await evaluate(alone, candidate, progress, ticket, chosen.probe))


def _case_called(name: str, visible: list[TestCase]) -> TestCase | None:
    if not name:
        return next((case for case in visible if case.timed), visible[0] if visible else None)
    return next((case for case in visible if case.name == name), None)
