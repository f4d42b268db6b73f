"""`sage diagnose`: ask one diagnostic tool about one case of a kernel, as the agent can, or read a log."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path

import click

from core.analysis.queries import candidate_of_round
from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate_for
from core.evaluation.diagnostic_text import diagnostic_text
from core.evaluation.records import Candidate, DiagnosticResult
from core.operators.catalogue import resolve_operator
from core.records_json import to_json
from core.workspace import Workspace
from sage_desktop.commands.shared_options import JUDGE
from sage_desktop.services.wiring import judge


@click.command()
@click.argument("tool", default="")
@click.option("--operator", "operator_name", default="", metavar="NAME|FOLDER")
@click.option(
    "--candidate",
    "candidate_folder",
    type=click.Path(path_type=Path),
    help="The kernel's folder.",
)
@click.option(
    "--workspace",
    "workspace_path",
    type=click.Path(path_type=Path),
    help="Workspace that holds the kernel of --round.",
)
@click.option(
    "--round",
    "number",
    type=int,
    help="Instead of --candidate: the kernel of this round.",
)
@click.option(
    "--case", default="", help="A visible case; the first timed one when left out."
)
@JUDGE
@click.option(
    "--whole", "with_log", is_flag=True, help="Show the whole output of the tool too."
)
@click.option(
    "--log",
    "log_file",
    metavar="FILE",
    help="Read the log of a build or run; - is stdin.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def diagnose(
    tool: str,
    operator_name: str,
    candidate_folder: Path | None,
    workspace_path: Path | None,
    number: int | None,
    case: str,
    host: str,
    toolchain: str,
    soc: str,
    with_log: bool,
    log_file: str | None,
    as_json: bool,
) -> None:
    """Run TOOL on the kernel in a folder or of a round; without TOOL, list the tools there are.

    Exit code 0 when the tool finds nothing wrong, 1 when it does or could not answer.

    With --log FILE, name the cause of a failed build or run instead: its line, stage, whose fault it is
    and the remedy. --operator then tells the candidate's operator apart from those of CANN. Exit code 0
    when the log names a cause, 1 when it names none.
    """
    if log_file:
        if tool:
            raise click.UsageError(
                "--log reads a file and asks no TOOL: leave one of the two out."
            )
        raise SystemExit(_tell_log(log_file, operator_name, as_json=as_json))
    if not operator_name:
        raise click.UsageError(
            "Name --operator NAME|FOLDER, or --log FILE to read a log."
        )
    operator = resolve_operator(operator_name)
    if candidate_folder is not None:
        candidate = read_candidate_for(operator, candidate_folder)
    else:
        candidate = candidate_of(workspace_path, operator.name, number)

    async def ask() -> DiagnosticResult | None:
        async with judge(host, toolchain, soc) as evaluator:
            if not evaluator.tools:
                raise SageError(
                    "{evaluator} has no diagnostics.",
                    "Use another toolchain.",
                    evaluator=evaluator.label,
                )
            if not tool:
                for name, what in evaluator.tools.items():
                    click.echo(f"{name:<12} {what}")
                return None

            def progress(text: str) -> None:
                # With --json nothing but the JSON is printed.
                if not as_json:
                    click.echo(text, err=True)

            return await evaluator.diagnose(operator, candidate, tool, case, progress)

    answer = asyncio.run(ask())
    if answer is not None:
        text = diagnostic_text(answer, with_log=with_log)
        click.echo(to_json(answer) if as_json else text)
        raise SystemExit(0 if answer.ok else 1)


def _tell_log(name: str, operator: str, *, as_json: bool) -> int:
    """Print what the log of that name says; 0 when it names a cause."""
    from remote.diagnostics.log_report import (
        read_log,
        report_log,
        report_text,
    )

    if name == "-":
        log, source = _piped_log(), "standard input"
    else:
        log, source = read_log(Path(name)), Path(name).name
    report = report_log(log, source, Path(operator).name)
    click.echo(to_json(report) if as_json else report_text(report))
    return 0 if report.explained else 1


def _piped_log() -> str:
    """The log that standard input brings, whatever bytes are in it."""
    from remote.diagnostics.log_report import shortened

    text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    try:
        return shortened(text, "standard input")
    finally:
        text.detach()  # standard input stays open


def candidate_of(path: Path | None, operator: str, number: int | None) -> Candidate:
    """The kernel of a round in a workspace.

    Raises:
        SageError: No workspace or round is named, or the workspace has no kernel of that round.
    """
    if path is None or number is None:
        raise SageError(
            "No kernel is named.",
            "Name --candidate FOLDER, or --workspace FILE and --round N.",
        )
    with Workspace.open_readonly(path) as workspace:
        files = candidate_of_round(workspace.db, operator, number)
    if not files:
        raise SageError(
            "{path} has no kernel of {operator} in round {number}.",
            path=path,
            operator=operator,
            number=number,
        )
    return Candidate(files)
