"""`sage queue`: what the next run works through; no model is asked."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from tabulate import tabulate

from core.engine.demo import is_demo
from core.engine.queue import QueueEntry, enqueue_all, entries, waiting
from core.errors import SageError
from core.experiments.plans.operator_sets import all_chosen
from core.operators.catalogue import CATALOGUE
from core.text import count_text
from core.workspace import Workspace
from sage_desktop.services.places import own_workspace


@click.command()
@click.argument("operators", metavar="[OPERATOR]...", nargs=-1)
@click.option(
    "--again", is_flag=True, help="Also what was run in this workspace before."
)
@click.option(
    "--workspace",
    "workspace_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Workspace file; that of `sage run` by default.",
)
def queue(operators: tuple[str, ...], again: bool, workspace_path: Path | None) -> None:
    """Add operators to the queue of a workspace, or list it; which model writes them, `sage run` asks.

    OPERATOR is what `sage run --operators` takes: a name of the catalogue, a folder with
    operator.toml, a level or a set.
    """
    path = workspace_path or own_workspace()
    if not operators:
        _list(path)
        return
    if path.exists() and is_demo(path):
        raise SageError(
            "{path} plays a recording, which has replies for no other operator.",
            "Name another file with --workspace.",
            path=path,
        )
    selection = all_chosen(operators)
    with Workspace.open(path) as workspace:
        added = enqueue_all(workspace, selection, again=again)
        total = waiting(workspace)
    click.echo(f"{path}: {count_text(len(added), 'operator')} added, {total} waiting.")
    if len(added) < len(selection):
        present = ", ".join(name for _source, name in selection if name not in added)
        click.echo(f"There already: {present}.")
    if total:
        place = f" --workspace {shlex.quote(str(path))}" if workspace_path else ""
        click.echo(f"Next: sage run --model NAME --endpoint URL{place}")


def _list(path: Path) -> None:
    if not path.exists():
        click.echo(f"{path} is not there yet: nothing is queued.")
        return
    with Workspace.open_readonly(path) as workspace:
        listed = entries(workspace)
    if not listed:
        click.echo(f"{path}: nothing is queued.")
        return
    rows = [(one.operator, one.state, one.label, _source(one)) for one in listed]
    click.echo(tabulate(rows, ("operator", "state", "batch", "from")))


def _source(entry: QueueEntry) -> str:
    return "the catalogue" if entry.source == CATALOGUE else entry.source
