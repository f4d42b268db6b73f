"""What the commands of `sage memory` share: group, options, opening, printing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec
from tabulate import tabulate

from core.errors import SageError
from core.memory.reading import resident_uids
from core.records_json import plain_text
from core.workspace import Workspace
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.places import demo_workspace, own_workspace

WORKSPACE = click.option(
    "--workspace",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Workspace file; by default that of `sage run`, else that of the demo.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
REASON = click.option("--reason", default="", help="Why; kept with the event.")


@click.group(cls=CommandGroup)
def memory() -> None:
    """Read, search, correct, check and exchange a memory."""


def reader(path: Path | None) -> Workspace:
    """Open the chosen workspace for reading."""
    return Workspace.open_readonly(chosen_workspace(path))


def writer(path: Path | None, *, create: bool = False) -> Workspace:
    """Open the chosen workspace for writing.

    It must exist unless it is named and may be created.
    """
    workspace_path = chosen_workspace(path)
    if not create and not workspace_path.exists():
        raise SageError(
            "There is no workspace {path}.",
            "Check the path, or create one: `sage memory import --workspace {path}`.",
            path=workspace_path,
        )
    return Workspace.open(workspace_path, create=create and path is not None)


@contextmanager
def curated(path: Path | None) -> Iterator[Workspace]:
    """Open the workspace for a change; print which rules became resident or left."""
    with writer(path) as workspace:
        before = resident_uids(workspace.db)
        yield workspace
        after = resident_uids(workspace.db)
    for words, uids in (
        ("resident now", [uid for uid in after if uid not in before]),
        ("no longer resident", [uid for uid in before if uid not in after]),
    ):
        if uids:
            click.echo(f"{words}: {', '.join(uids)}", err=True)


def as_text(value: object) -> str:
    """Return a value as readable JSON."""
    return json.dumps(
        msgspec.to_builtins(value, enc_hook=plain_text), indent=1, ensure_ascii=False
    )


def tell(seq: int) -> None:
    """Say which event was written."""
    click.echo(f"event {seq}" if seq else "nothing to change")


def tell_table(rows: Sequence[Sequence[object]], headers: Sequence[str]) -> None:
    """Print a table, its cells as they are."""
    click.echo(tabulate(rows, headers, disable_numparse=True))


def tell_rest(count: int, total: int) -> None:
    """Say that a table is not all there is."""
    if count < total:
        click.echo(f"{count} of {total} shown; --limit shows more", err=True)


def chosen_workspace(path: Path | None) -> Path:
    """The workspace that was named, else that of `sage run`, else that of the demo."""
    if path is not None:
        return path
    for place in (own_workspace(), demo_workspace()):
        if place.exists():
            click.echo(f"workspace {place}", err=True)
            return place
    raise SageError(
        "There is no workspace yet, neither {own} nor {default}.",
        "`sage run` makes them; or name one with --workspace.",
        own=own_workspace(),
        default=demo_workspace(),
    )
