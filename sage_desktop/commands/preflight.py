"""`sage preflight`: what the device's compiler would refuse, told in a moment, without a device."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import click

from core.evaluation.candidate_folder import read_candidate
from core.operators.catalogue import resolve_operator
from core.records_json import to_json


@click.command()
@click.option(
    "--candidate",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder with op_host/ and op_kernel/.",
)
@click.option(
    "--operator",
    metavar="NAME|FOLDER",
    help="Catalogue name or operator folder; by default what the candidate's OpDef says.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def preflight(folder: Path, operator: str | None, as_json: bool) -> None:
    """Check a kernel's language without compiling it. Exit code 0: fine, 1: refused, 2: could not check."""
    from remote.toolchains.preflight.interface import declared_operator
    from remote.toolchains.twin.toolchain import describe_operator
    from sage_desktop.services.wiring import language_lint

    candidate = read_candidate(folder)
    described = (
        describe_operator(resolve_operator(operator))
        if operator
        else declared_operator(candidate)
    )
    report = asyncio.run(language_lint().lint(described, candidate))
    if as_json:
        click.echo(to_json(replace(report, facts=())))
    else:
        for found in report.findings:
            rule = found.rule.removeprefix("preflight/")
            place = f"{found.file}:{found.line}: " if found.file else ""
            click.echo(
                f"{place}{found.severity.value}: {found.message} [{rule}; {found.link}]"
            )
        for said in report.messages:
            click.echo(f"{said.file}:{said.line}: note: {said.text}")
        end = (
            report.note
            or f"{len(report.errors)} errors, {len(report.findings)} findings"
        )
        click.echo(
            f"{end} ({report.seconds:.2f} s, {report.version})"
            if not report.note
            else end,
            err=True,
        )
    raise SystemExit(2 if report.note else 1 if report.errors else 0)
