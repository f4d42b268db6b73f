"""What the lint says of a candidate. Read by those who ask it, without loading what it takes to lint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.evaluation.integrity.tree import Fact
from core.evaluation.records import CompilerMessage, Finding, Severity


@dataclass(frozen=True)
class LintReport:
    """What the lint found.

    Attributes:
        findings: Broken rules, errors first, each once per line.
        messages: Further errors of clang in the candidate. They need not hold for the device's build.
        misread: Dtypes by name (none for op_host), and the first error of clang in the candidate when it is
            parsed for them.
        note: Why the lint did not run, empty when it did.
        unreadable: Whether it did not because of the candidate, which ended its process or kept it busy.
        starved: Whether it did not because the machine had no time for it.
        facts: What the candidate refers to, for the integrity rules.
        seconds: Wall time of the lint.
        version: Version of libclang.
    """

    findings: tuple[Finding, ...] = ()
    messages: tuple[CompilerMessage, ...] = ()
    misread: tuple[tuple[Mapping[str, str], CompilerMessage], ...] = ()
    note: str = ""
    unreadable: bool = False
    starved: bool = False
    facts: tuple[Fact, ...] = ()
    seconds: float = 0.0
    version: str = ""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Findings that fail the build on the device."""
        return tuple(
            finding for finding in self.findings if finding.severity is Severity.ERROR
        )
