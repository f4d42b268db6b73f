"""`sage integrity`: the rules a candidate must keep, visible and editable."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.integrity.rules import load_rules, shipped_text
from core.evaluation.integrity.tree import violations_on_tree
from core.evaluation.integrity.verdict import violations
from core.operators.catalogue import resolve_operator
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.wiring import integrity_file, language_lint


@click.group(cls=CommandGroup)
def integrity() -> None:
    """Show, change and apply the integrity rules."""


@integrity.command()
def show() -> None:
    """Print the rule file in force."""
    path = integrity_file()
    load_rules(path)
    click.echo(
        path.read_text(encoding="utf-8") if path.exists() else shipped_text(), nl=False
    )


@integrity.command()
def copy() -> None:
    """Put a copy of the shipped rules where it replaces them, to be edited."""
    path = integrity_file()
    if path.exists():
        raise SageError(
            "{path} exists already.",
            "Edit it, or remove it to return to the shipped rules.",
            path=path,
        )
    path.write_text(shipped_text(), encoding="utf-8")
    click.echo(str(path))


@integrity.command()
@click.option(
    "--operator",
    required=True,
    metavar="NAME|FOLDER",
    help="Catalogue name or operator folder.",
)
@click.option(
    "--candidate",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    help="Kernel folder.",
)
def check(operator: str, folder: Path) -> None:
    """Apply the rules to a kernel without compiling it. Exit code 1 when one is broken."""
    from remote.toolchains.twin.toolchain import describe_operator

    spec, candidate, rules = (
        resolve_operator(operator),
        read_candidate(folder),
        load_rules(integrity_file()),
    )
    report = asyncio.run(language_lint().lint(describe_operator(spec), candidate))
    by_text, by_tree = (
        violations(spec, candidate, rules),
        violations_on_tree(spec, report.facts, rules),
    )
    known = {(entry.rule, entry.file, entry.line) for entry in by_text}
    found = [
        *by_text,
        *(
            entry
            for entry in by_tree
            if (entry.rule, entry.file, entry.line) not in known
        ),
    ]
    if report.note:
        click.echo(report.note, err=True)
    for entry in found:
        rule = entry.rule.removeprefix("integrity/")
        click.echo(
            f"{entry.file}:{entry.line}: {rule}: {entry.message} ({entry.limit})"
        )
    click.echo(
        "no rule is broken" if not found else f"{len(found)} findings", err=bool(found)
    )
    raise SystemExit(1 if found else 0)
