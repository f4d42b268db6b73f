"""`sage report`: one page that says what the runs of a workspace did, to be sent to others."""

from __future__ import annotations

import webbrowser
from datetime import UTC, datetime
from pathlib import Path

import click

from sage_desktop.commands.memory.common import WORKSPACE, chosen_workspace


@click.command()
@WORKSPACE
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("run-report.html"),
    show_default=True,
    help="The page; one that is there is replaced.",
)
@click.option(
    "--since",
    default="",
    metavar="TIME",
    help="Only operators worked on since then, e.g. 2026-11-22 or 2026-11-22T16:00.",
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def report(path: Path | None, out: Path, since: str, show: bool) -> None:
    """Write what the runs of a workspace did as one HTML page.

    The page needs no network and runs no script: operators, correctness, speed-ups, where every latency comes
    from, tokens and cost, failures by class, what the memory learnt, and the best kernels' changes.
    """
    from core.models.profiles import read_profiles
    from sage_desktop.services.models.choice import profiles_file
    from sage_desktop.services.run_report import write_run_report

    moment = _moment(since) if since else ""
    source = chosen_workspace(path)
    page = write_run_report(source, out, read_profiles(profiles_file()), moment)
    click.echo(f"{page}: {page.stat().st_size:,} bytes")
    if show:
        webbrowser.open(page.absolute().as_uri())


def _moment(text: str) -> str:
    """An ISO time of the person's own clock as the workspace writes it, in UTC."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat()
    except ValueError as error:
        raise click.BadParameter(
            f"{text} is no time like 2026-11-22T16:00", param_hint="--since"
        ) from error
