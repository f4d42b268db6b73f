"""`sage preflight`: what can be told of a kernel in a moment, without compiling it: language and integrity rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.integrity.rules import load_rules, shipped_text
from core.evaluation.records import Finding
from core.operators.catalogue import resolve_operator
from core.records_json import to_json
from sage_desktop.services.wiring import integrity_file, language_lint

if TYPE_CHECKING:
    from core.evaluation.records import Candidate
    from core.operators.spec import OperatorSpec
    from remote.toolchains.preflight.report import LintReport

FINE, REFUSED, NOT_CHECKED = 0, 1, 2


@click.command()
@click.option(
    "--candidate",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder with op_host/ and op_kernel/.",
)
@click.option(
    "--operator",
    metavar="NAME|FOLDER",
    help="Catalogue name or operator folder; without it only the language is checked.",
)
@click.option("--rules", is_flag=True, help="Print the integrity rules in force.")
@click.option(
    "--own-rules",
    is_flag=True,
    help="Put a copy of the shipped integrity rules where it replaces them, to be edited.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def preflight(
    folder: Path | None,
    operator: str | None,
    rules: bool,
    own_rules: bool,
    as_json: bool,
) -> None:
    """Check a kernel's language and the integrity rules without compiling it.

    Exit code 0: fine. 1: the compiler would refuse it, or it breaks a rule. 2: it could not be checked.
    """
    if (folder is not None) + rules + own_rules != 1:
        raise click.UsageError("Name one of --candidate FOLDER, --rules, --own-rules.")
    if rules:
        click.echo(_rules_text(), nl=False)
        return
    if own_rules:
        click.echo(str(_copied_rules()))
        return
    assert folder is not None
    candidate = read_candidate(folder)
    spec = resolve_operator(operator) if operator else None
    report = asyncio.run(_linted(candidate, spec))
    broken = _broken_rules(spec, candidate, report) if spec else []
    if as_json:
        findings = (*report.findings, *broken)
        click.echo(to_json(replace(report, findings=findings, facts=())))
    else:
        for line in _lines(report, broken):
            click.echo(line)
        click.echo(_summary(report, broken), err=True)
    if report.note:
        raise SystemExit(NOT_CHECKED)
    raise SystemExit(REFUSED if report.errors or broken else FINE)


def _rules_text() -> str:
    """The rule file in force, after it was read without a fault."""
    path = integrity_file()
    load_rules(path)
    return path.read_text(encoding="utf-8") if path.exists() else shipped_text()


def _copied_rules() -> Path:
    """Where the copy of the shipped rules is now.

    Raises:
        SageError: There is one already.
    """
    path = integrity_file()
    if path.exists():
        raise SageError(
            "{path} exists already.",
            "Edit it, or remove it to return to the shipped rules.",
            path=path,
        )
    path.write_text(shipped_text(), encoding="utf-8")
    return path


async def _linted(candidate: Candidate, spec: OperatorSpec | None) -> LintReport:
    from remote.toolchains.preflight.project import declared_operator
    from remote.toolchains.twin.toolchain import describe_operator

    interface = describe_operator(spec) if spec else declared_operator(candidate)
    return await language_lint().lint(interface, candidate)


def _broken_rules(
    spec: OperatorSpec, candidate: Candidate, report: LintReport
) -> list[Finding]:
    """Integrity rules the candidate breaks, by its text and by its syntax tree, each place once."""
    from core.evaluation.integrity.tree import violations_on_tree
    from core.evaluation.integrity.verdict import violations

    rules = load_rules(integrity_file())
    broken = list(violations(candidate, rules))
    # The text and the syntax tree may both show one violation: one line is enough.
    places = {(finding.rule, finding.file, finding.line) for finding in broken}
    on_tree = violations_on_tree(spec, report.facts, rules)
    return broken + [
        finding
        for finding in on_tree
        if (finding.rule, finding.file, finding.line) not in places
    ]


def _lines(report: LintReport, broken: list[Finding]) -> Iterator[str]:
    for finding in report.findings:
        rule = finding.rule.removeprefix("preflight/")
        place = f"{finding.file}:{finding.line}: " if finding.file else ""
        source = f"[{rule}; {finding.link}]"
        yield f"{place}{finding.severity.value}: {finding.message} {source}"
    for message in report.messages:
        yield f"{message.file}:{message.line}: note: {message.text}"
    for finding in broken:
        rule = finding.rule.removeprefix("integrity/")
        place = f"{finding.file}:{finding.line}"
        yield f"{place}: {rule}: {finding.message} ({finding.limit})"


def _summary(report: LintReport, broken: list[Finding]) -> str:
    if report.note:
        return report.note
    counts = [f"{len(report.errors)} errors", f"{len(report.findings)} findings"]
    if broken:
        counts.append(f"{len(broken)} integrity rules broken")
    return f"{', '.join(counts)} ({report.seconds:.2f} s, {report.version})"
