"""`sage memory duplicates | join | split | contradict | rule | restore`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from core.curation.curator import Curator
from core.errors import InvalidInput
from core.memory.store import MemoryStore
from sage_desktop.commands.memory.common import (
    JSON,
    REASON,
    WORKSPACE,
    as_text,
    curated,
    memory,
    reader,
    tell,
    tell_table,
)


@memory.command()
@WORKSPACE
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@JSON
def duplicates(path: Path | None, limit: int, as_json: bool) -> None:
    """List pairs of items that say the same; `join` makes one of two."""
    from core.curation.duplicates import find_duplicates

    with reader(path) as workspace:
        pairs = find_duplicates(workspace.db, limit)
        titles = {item.uid: item.title for item in MemoryStore(workspace).items()}
    if as_json:
        click.echo(as_text([asdict(pair) for pair in pairs]))
        return
    if not pairs:
        click.echo("No two active items of one type are alike.")
        return
    table = [
        (
            f"{pair.likeness:.2f}",
            pair.reason,
            pair.kept,
            pair.other,
            titles[pair.kept][:50],
        )
        for pair in pairs
    ]
    tell_table(table, ("alike", "why", "keep", "join into it", "title"))


@memory.command()
@click.argument("kept")
@click.argument("other")
@WORKSPACE
@REASON
def join(kept: str, other: str, path: Path | None, reason: str) -> None:
    """Make one item of two: OTHER is archived, KEPT takes over its evidence."""
    with curated(path) as workspace:
        tell(Curator(MemoryStore(workspace)).merge(kept, other, reason=reason))


@memory.command()
@click.argument("uid")
@WORKSPACE
@REASON
def split(uid: str, path: Path | None, reason: str) -> None:
    """Make the rule of UID an item of its own; it starts without evidence."""
    with curated(path) as workspace:
        click.echo(Curator(MemoryStore(workspace)).split_rule(uid, reason=reason))


@memory.command()
@click.argument("uid")
@click.argument("other")
@WORKSPACE
@REASON
def contradict(uid: str, other: str, path: Path | None, reason: str) -> None:
    """Record that UID and OTHER contradict each other; `show` and `search` say so from now on."""
    with curated(path) as workspace:
        tell(Curator(MemoryStore(workspace)).contradict(uid, other, reason=reason))


@memory.command()
@click.argument("uid")
@click.argument("text")
@click.option(
    "--example",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File of code.",
)
@WORKSPACE
@REASON
def rule(
    uid: str, text: str, example: Path | None, path: Path | None, reason: str
) -> None:
    """Write TEXT as the rule of UID by hand."""
    try:
        code = example.read_text(encoding="utf-8") if example else ""
    except UnicodeDecodeError as error:
        raise InvalidInput(
            str(example), f"byte {error.start}", "is not UTF-8"
        ) from error
    with curated(path) as workspace:
        tell(Curator(MemoryStore(workspace)).edit_rule(uid, text, code, reason=reason))


@memory.command()
@click.argument("event", type=int)
@WORKSPACE
@REASON
def restore(event: int, path: Path | None, reason: str) -> None:
    """Make the rules of the snapshot of EVENT resident again (see `sage memory snapshots`)."""
    from core.memory.snapshots import restore_snapshot

    with curated(path) as workspace:
        tell(restore_snapshot(workspace, event, reason=reason))
