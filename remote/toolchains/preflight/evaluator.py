"""An evaluator that asks the lint first: what the device's compiler refuses is a failed build everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from core.errors import SageError
from core.evaluation.port import Diagnostics, Evaluator, Progress, cann_of, soc_of
from core.evaluation.records import (
    BuildReport,
    Candidate,
    CompilerMessage,
    DiagnosticResult,
    Evaluation,
    Finding,
    VerdictClass,
)
from core.operators.spec import OperatorSpec
from remote.toolchains.twin.toolchain import describe_operator

from .client import Preflight
from .lint import LintReport
from .table import PREFIX


class Preflighted:
    """Puts the lint, which takes milliseconds on this computer, before an evaluator.

    Args:
        evaluator: Who compiles, checks and times what the lint lets pass.
        preflight: The lint.
    """

    def __init__(self, evaluator: Evaluator, preflight: Preflight) -> None:
        self._evaluator = evaluator
        self._preflight = preflight

    @property
    def label(self) -> str:
        """That of the evaluator."""
        return self._evaluator.label

    @property
    def soc(self) -> str:
        """Processor of the evaluator."""
        return soc_of(self._evaluator)

    @property
    def cann(self) -> str:
        """CANN of the evaluator."""
        return cann_of(self._evaluator)

    async def evaluate(
        self, operator: OperatorSpec, candidate: Candidate, progress: Progress, ticket: str = ""
    ) -> Evaluation:
        """Judge by the rules of the language, then by compiler and cases. Warnings join the findings."""
        report = await self._report(operator, candidate)
        if report.errors:
            return refused(operator, candidate, report)
        evaluation = await self._evaluator.evaluate(operator, candidate, progress, ticket)
        return replace(
            evaluation,
            findings=(*evaluation.findings, *report.findings),
            notes=(*evaluation.notes, report.note) if report.note else evaluation.notes,
        )

    @property
    def tools(self) -> Mapping[str, str]:
        """Diagnostics of the evaluator."""
        return self._evaluator.tools if isinstance(self._evaluator, Diagnostics) else {}

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """Look into a kernel the device's compiler would take; else say what it would refuse."""
        report = await self._report(operator, candidate)
        if report.errors:
            summary = f"the kernel does not compile (preflight): {_cause(report.errors)}"
            return DiagnosticResult(tool, ok=False, summary=summary, findings=report.findings)
        assert isinstance(self._evaluator, Diagnostics)
        found = await self._evaluator.diagnose(operator, candidate, tool, case, progress, ticket)
        return replace(found, findings=(*found.findings, *report.findings))

    async def close(self) -> None:
        """Close the evaluator and end the lint's process."""
        await self._evaluator.close()
        await asyncio.to_thread(self._preflight.close)

    async def _report(self, operator: OperatorSpec, candidate: Candidate) -> LintReport:
        try:
            described = describe_operator(operator)
        except SageError:
            return LintReport()  # the evaluator says what is wrong with the operator
        return await self._preflight.lint(described, candidate)


def refused(operator: OperatorSpec, candidate: Candidate, report: LintReport) -> Evaluation:
    """The evaluation of a candidate the device's compiler would refuse.

    Further messages of clang come along, so that one round shows everything there is to mend.
    """
    errors = tuple(
        CompilerMessage("error", f"{found.message} [{found.rule}]", found.file, found.line)
        for found in report.errors
    )
    build = BuildReport(
        ok=False, stage="preflight", cause=_cause(report.errors), seconds=report.seconds,
        compiler=report.version, messages=(*errors, *report.messages),
    )  # fmt: skip
    return Evaluation(
        candidate=candidate.digest, operator=operator.name, verdict=VerdictClass.FAIL_BUILD,
        cause=build.cause, build=build, findings=report.findings, seconds=report.seconds,
    )  # fmt: skip


def _cause(errors: tuple[Finding, ...]) -> str:
    first = errors[0]
    place = f"{first.file}:{first.line}: " if first.line else f"{first.file}: " if first.file else ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{place}error: {first.message} [{first.rule.removeprefix(PREFIX)}]{more}"
