"""An evaluator that asks the lint first: what the device's compiler refuses is a failed build everywhere.

What the syntax tree says about the integrity rules is judged here too, before that: see
`core.evaluation.integrity.tree`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from core.errors import SageError
from core.evaluation.integrity.fresh_shapes import fresh_cases, verdict_on_fresh
from core.evaluation.integrity.rules import Rules, shipped_rules
from core.evaluation.integrity.tree import tuned_places, violations_on_tree
from core.evaluation.integrity.verdict import cause_of, read_or_refused, unreadable
from core.evaluation.integrity.verdict import refused as refused_by_rules
from core.evaluation.port import Evaluator, Middleware, Progress
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
from remote.judge.building.glue import kernel_source
from remote.toolchains.twin.toolchain import describe_operator

from .client import Preflight
from .report import LintReport
from .rules import PREFIX


class Preflighted(Middleware):
    """Puts the lint, which takes milliseconds on this computer, before an evaluator.

    Args:
        evaluator: Who compiles, checks and times what the lint lets pass.
        preflight: The lint.
        rules: The integrity rules that hold for what it finds; the shipped ones by default.
        lent: Whether the caller owns the lint and ends its process.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        preflight: Preflight,
        rules: Rules | None = None,
        *,
        lent: bool = False,
    ) -> None:
        super().__init__(evaluator)
        self._lent = lent
        self._preflight = preflight
        self._rules = rules or shipped_rules()

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        """Judge by integrity and language, then by compiler and cases. Warnings join the findings."""
        report = await self._report(operator, candidate)
        if report.starved:
            return _without_verdict(operator, candidate, report)
        broken = self._broken(operator, candidate, report)
        if broken:
            return refused_by_rules(operator, candidate, broken)
        if report.errors:
            return refused(operator, candidate, report)
        evaluation = await self._inner.evaluate(operator, candidate, progress, ticket)
        if evaluation.correct:
            broken = _misread(operator, report)
            broken = broken or await self._tuned(
                operator, candidate, report, evaluation, progress
            )
            if broken:
                return refused_by_rules(operator, candidate, broken)
        return replace(
            evaluation,
            findings=(*evaluation.findings, *report.findings),
            notes=(*evaluation.notes, report.note) if report.note else evaluation.notes,
        )

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
        if report.starved:
            return DiagnosticResult(tool, ok=False, summary=report.note)
        broken = self._broken(operator, candidate, report)
        if broken:
            return DiagnosticResult(
                tool, ok=False, summary=cause_of(broken), findings=broken
            )
        if report.errors:
            summary = (
                f"the kernel does not compile (preflight): {_cause(report.errors)}"
            )
            return DiagnosticResult(
                tool, ok=False, summary=summary, findings=report.findings
            )
        result = await self._inner.diagnose(
            operator, candidate, tool, case, progress, ticket
        )
        return replace(result, findings=(*result.findings, *report.findings))

    async def close(self) -> None:
        """Close the evaluator and end the lint's process."""
        await super().close()
        if not self._lent:
            await asyncio.to_thread(self._preflight.close)

    def _broken(
        self, operator: OperatorSpec, candidate: Candidate, report: LintReport
    ) -> tuple[Finding, ...]:
        """Integrity rules broken on the syntax tree; one that cannot be read breaks them as a whole."""
        if report.unreadable:
            path = kernel_source(candidate.files, operator.snake_name) or "op_kernel"
            return (unreadable(path, 0, report.note),)
        return read_or_refused(
            candidate.files,
            lambda: violations_on_tree(operator, report.facts, self._rules),
        )

    async def _tuned(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        report: LintReport,
        evaluation: Evaluation,
        progress: Progress,
    ) -> tuple[Finding, ...]:
        """Judge a candidate that singles out sizes of test cases on other sizes too."""
        places = (
            tuned_places(operator, report.facts)
            if "shape-detection" in self._rules.checks
            else []
        )
        fresh = fresh_cases(operator) if places else ()
        # Each alone: the reference may not take one of them.
        for case in fresh:
            progress(
                f"evaluating an unseen shape, {case.name}: the kernel {places[0][0]}"
            )
            unseen = replace(operator, cases=(case,))
            judged = await self._inner.evaluate(unseen, candidate, progress)
            broken = verdict_on_fresh(evaluation, judged, places[0])
            if broken is not None:
                return (broken,)
        return ()

    async def _report(self, operator: OperatorSpec, candidate: Candidate) -> LintReport:
        try:
            described = describe_operator(operator)
        except SageError:
            # The evaluator says what is wrong with the operator.
            return LintReport()
        return await self._preflight.lint(described, candidate)


def _misread(operator: OperatorSpec, report: LintReport) -> tuple[Finding, ...]:
    """A kernel that passed although clang could not read it: what its tree would have shown is unknown.

    What is built for other dtypes than those of the cases was not judged, and need not be readable.
    """

    def is_tested(signature: Mapping[str, str]) -> bool:
        for case in operator.cases:
            dtypes = {name: tensor.dtype for name, tensor in case.inputs.items()}
            if all(
                signature.get(name, dtype) == dtype for name, dtype in dtypes.items()
            ):
                return True
        return False

    for signature, message in report.misread:
        if is_tested(signature):
            return (unreadable(message.file, message.line, f"clang: {message.text}"),)
    return ()


def _without_verdict(
    operator: OperatorSpec, candidate: Candidate, report: LintReport
) -> Evaluation:
    """The evaluation of a candidate whose rules on the syntax tree could not be checked."""
    cause = f"This computer is too busy to judge. {report.note}"
    return Evaluation(
        candidate=candidate.digest,
        operator=operator.name,
        verdict=VerdictClass.VOID,
        cause=cause,
        build=BuildReport(ok=False, stage="preflight", cause=cause),
    )


def refused(
    operator: OperatorSpec, candidate: Candidate, report: LintReport
) -> Evaluation:
    """The evaluation of a candidate the device's compiler would refuse.

    Further messages of clang come along, so that one round shows everything there is to fix.
    """
    errors = tuple(
        CompilerMessage(
            "error", f"{error.message} [{error.rule}]", error.file, error.line
        )
        for error in report.errors
    )
    build = BuildReport(
        ok=False,
        stage="preflight",
        cause=_cause(report.errors),
        seconds=report.seconds,
        compiler=report.version,
        messages=(*errors, *report.messages),
    )
    return Evaluation(
        candidate=candidate.digest,
        operator=operator.name,
        verdict=VerdictClass.FAIL_BUILD,
        cause=build.cause,
        build=build,
        findings=report.findings,
        seconds=report.seconds,
    )


def _cause(errors: tuple[Finding, ...]) -> str:
    first = errors[0]
    place = (
        f"{first.file}:{first.line}: "
        if first.line
        else f"{first.file}: "
        if first.file
        else ""
    )
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{place}error: {first.message} [{first.rule.removeprefix(PREFIX)}]{more}"
