"""`sage session`: recordings of runs, and playing them again without a model."""

from __future__ import annotations

from pathlib import Path

import click

from core.errors import SageError
from core.replay.recorder import record_session
from core.replay.session_file import read_session, write_session
from core.workspace import Workspace
from sage_desktop.commands.command_group import CommandGroup

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group(cls=CommandGroup)
def session() -> None:
    """Record a run, and replay a recording."""


@session.command()
@click.argument(
    "workspace", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.argument("target", type=_FILE)
@click.option("--title", default="", help="Short name; the workspace's by default.")
@click.option("--description", default="", help="What was run.")
@click.option(
    "--model", default="", help="Who answered; the name the run knew by default."
)
def record(
    workspace: Path, target: Path, title: str, description: str, model: str
) -> None:
    """Write all finished runs of WORKSPACE to the session file TARGET. Keys are removed from the texts."""
    if target.exists():
        raise SageError(
            "{target} exists.", "Choose another name, or remove it.", target=target
        )
    with Workspace.open_readonly(workspace) as opened:
        recorded = record_session(
            opened, title or workspace.stem, description, model=model
        )
    write_session(target, recorded)
    click.echo(
        f"{target}: {len(recorded.replies)} replies for {', '.join(recorded.header.operators)}"
    )


@session.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--workspace",
    "workspace_path",
    type=_FILE,
    help="Beside FILE, with the ending .sage, by default.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def replay(file: Path, workspace_path: Path | None, as_json: bool) -> None:
    """Replay FILE: no model runs, everything else does. Exit codes as for `sage run`.

    Every kernel is judged again; what is judged, timed or retrieved otherwise than recorded is shown. A
    recording that does not say how its rounds were judged stops as diverged at the first other verdict.
    """
    from sage_desktop.commands.run_progress import follow
    from sage_desktop.services.wiring import open_replay

    path = workspace_path or file.with_suffix(".sage")
    follow(
        lambda events: open_replay(path, read_session(file), events), as_json=as_json
    )
