"""The verdict before the reward: what breaks a rule is not compiled, not timed and not credited."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from core.evaluation.candidate_in_hand import CandidateFault, candidate_in_hand
from core.evaluation.integrity.conditions import compiler_conditions
from core.evaluation.integrity.kept_state import kept_state
from core.evaluation.integrity.rules import (
    CHECKS,
    PREFIX,
    Rules,
    finding,
    shipped_rules,
    shown,
)
from core.evaluation.integrity.source import Source, read_source
from core.evaluation.port import Evaluator, Middleware, Progress
from core.evaluation.records import (
    BuildReport,
    Candidate,
    DiagnosticResult,
    Evaluation,
    Finding,
    VerdictClass,
)
from core.operators.spec import OperatorSpec

_LOG = logging.getLogger(__name__)
_TEXT_CHECKS = {
    "compiler-branch": compiler_conditions,
    "kept-state": kept_state,
}


def violations(candidate: Candidate, rules: Rules | None = None) -> tuple[Finding, ...]:
    """Every rule broken by the text, with file and line, in the order of the files.

    Args:
        candidate: What was written.
        rules: The shipped ones by default.
    """
    rules = rules or shipped_rules()
    return read_or_refused(candidate.files, lambda: _broken(candidate.files, rules))


def read_or_refused(
    files: Mapping[str, str], read: Callable[[], tuple[Finding, ...]]
) -> tuple[Finding, ...]:
    """The rules a candidate breaks; one at which our reading of it fails breaks them as a whole."""
    try:
        with candidate_in_hand(files):
            return read()
    except CandidateFault as fault:
        _LOG.warning("%s\n%s", fault, fault.trace)
        return (unreadable(fault.file, 0, str(fault)),)


def unreadable(path: str, line: int, why: str) -> Finding:
    """The finding about a candidate whose rules cannot be checked."""
    what = f"cannot be checked ({why})"
    return finding("unreadable-code", "No semantic shortcuts", path, line, what)


def _broken(files: Mapping[str, str], rules: Rules) -> tuple[Finding, ...]:
    sources = [read_source(path, files[path]) for path in sorted(files)]
    found = [hit for source in sources for hit in _patterns(source, rules)]
    for name, check in _TEXT_CHECKS.items():
        if name in rules.checks:
            hits = dict.fromkeys(check(sources))
            found += [finding(name, CHECKS[name], *hit) for hit in hits]
    return tuple(sorted(found, key=lambda entry: (entry.file, entry.line, entry.rule)))


class Guarded(Middleware):
    """Asks the rules first.

    Args:
        evaluator: Who compiles, checks and times what keeps to them.
        rules: The shipped ones by default.
    """

    def __init__(self, evaluator: Evaluator, rules: Rules | None = None) -> None:
        super().__init__(evaluator)
        self._rules = rules or shipped_rules()

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        """Judge by the rules, then by compiler and cases."""
        broken = violations(candidate, self._rules)
        if not broken:
            return await self._inner.evaluate(operator, candidate, progress, ticket)
        return refused(operator, candidate, broken)

    async def diagnose(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        tool: str,
        case: str,
        progress: Progress,
        ticket: str = "",
    ) -> DiagnosticResult:
        """Look into a kernel that keeps to the rules; what may not be judged may not be run here either."""
        broken = violations(candidate, self._rules)
        if broken:
            return DiagnosticResult(
                tool, ok=False, summary=cause_of(broken), findings=broken
            )
        return await self._inner.diagnose(
            operator, candidate, tool, case, progress, ticket
        )


def refused(
    operator: OperatorSpec, candidate: Candidate, broken: tuple[Finding, ...]
) -> Evaluation:
    """The evaluation of a candidate that broke rules: it costs its round and earns nothing."""
    return Evaluation(
        candidate=candidate.digest,
        operator=operator.name,
        verdict=VerdictClass.FAIL_INTEGRITY,
        cause=cause_of(broken),
        build=BuildReport(ok=True, stage="integrity"),
        findings=broken,
    )


def cause_of(broken: tuple[Finding, ...]) -> str:
    """The first of the broken rules in a sentence, and how many more there are."""
    first = broken[0]
    place = f" ({first.file}:{first.line})" if first.line else f" ({first.file})"
    more = f", and {len(broken) - 1} more" if len(broken) > 1 else ""
    return f"integrity rule {first.rule.removeprefix(PREFIX)}: {first.message}{place}{more}"


def _patterns(source: Source, rules: Rules) -> list[Finding]:
    """Places in a source that a rule's pattern forbids on its side, host or kernel."""
    place = "kernel" if source.in_kernel else "host"
    return [
        finding(
            rule.name,
            rule.paper,
            source.path,
            source.line_of(match.start()),
            f"{rule.message}: {shown(match[0])}",
        )
        for rule in rules.patterns
        if rule.where in {"any", place}
        for match in rule.regex.finditer(source.code)
    ]
