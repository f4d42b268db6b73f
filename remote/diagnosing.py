"""One diagnostic as an evaluation of one visible case, on whatever host the evaluator has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace

from core.evaluation.port import Evaluator, Progress
from core.evaluation.records import Candidate, DiagnosticResult, Evaluation
from core.operators.spec import OperatorSpec, TestCase
from remote.toolchains.port import NO_PROBE, Probe, Tool


class Diagnosing(Evaluator):
    """An evaluator of judges: one that can also look into a kernel, with the tools of its toolchain."""

    @property
    @abstractmethod
    def toolchain_tools(self) -> Mapping[str, Tool]:
        """Diagnostics of the toolchain."""

    @property
    def tools(self) -> Mapping[str, str]:
        """What the diagnostics show, by name."""
        return {
            name: tool.what
            for name, tool in self.toolchain_tools.items()
            if tool.offered
        }

    @abstractmethod
    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
        probe: Probe = NO_PROBE,
    ) -> Evaluation:
        """Judge `candidate`; with a `probe` the answer is no verdict on it, see `diagnose`."""

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """Run a tool on the case called `case`, the first timed visible one when it is empty.

        Hidden cases are never run: what a probe prints would tell their values.
        """
        tools = self.toolchain_tools
        probed = tools.get(tool)
        if probed is None:
            names = ", ".join(tools)
            missing = f"there is no such tool; there are {names}"
            return DiagnosticResult(tool, ok=False, summary=missing)
        visible = [
            entry for entry in operator.cases if not entry.hidden and not entry.big
        ]
        test_case = _case_called(case, visible)
        if test_case is None:
            names = ", ".join(entry.name for entry in visible)
            missing = f"there is no visible case {case}; there are {names}"
            return DiagnosticResult(tool, ok=False, summary=missing)
        cases = (
            tuple(visible)
            if probed.probe.build_only
            else (replace(test_case, timed=True),)
        )
        alone = replace(operator, cases=cases)
        return probed.read(
            tool, await self.evaluate(alone, candidate, progress, ticket, probed.probe)
        )


def _case_called(name: str, visible: list[TestCase]) -> TestCase | None:
    if not name:
        return next(
            (case for case in visible if case.timed), visible[0] if visible else None
        )
    return next((case for case in visible if case.name == name), None)
