"""`sage memory accept | reject | promote | pin | block | archive …`, and `undo`."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from core.curation.curator import Curator
from core.curation.decisions import decide
from core.curation.undo import taken_back
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

_UIDS = click.argument("uids", metavar="UID...", nargs=-1, required=True)


def _command(name: str, help_text: str) -> None:
    """A command that decides about one item or several, as one step of `undo`."""

    @memory.command(name, help=help_text)
    @_UIDS
    @WORKSPACE
    @REASON
    def command(uids: tuple[str, ...], path: Path | None, reason: str) -> None:
        _decide(name, uids, path, reason)


def _switch(name: str, opposite: str, help_text: str, off_text: str) -> None:
    """A command that is taken back by its option --off."""

    @memory.command(name, help=help_text)
    @_UIDS
    @click.option("--off", is_flag=True, help=off_text)
    @WORKSPACE
    @REASON
    def command(
        uids: tuple[str, ...], off: bool, path: Path | None, reason: str
    ) -> None:
        _decide(opposite if off else name, uids, path, reason)


def _decide(action: str, uids: tuple[str, ...], path: Path | None, reason: str) -> None:
    with curated(path) as workspace:
        tell(decide(MemoryStore(workspace), action, uids, reason=reason).seq)


_command("accept", "Put items that are pending or quarantined into use.")
_command("reject", "Archive items that are pending or quarantined.")
_command("promote", "Admit items to hot memory now, without the gates.")
_command(
    "demote", "Remove rules from hot memory until newer evidence passes the gates."
)
_switch(
    "pin",
    "unpin",
    "Keep items resident whatever their density.",
    "Let consolidation decide again.",
)
_switch(
    "block",
    "unblock",
    "Keep items out of hot memory; they can still be retrieved.",
    "Let them compete for hot memory again.",
)
_command("archive", "Take items out of use; they stay readable.")
_command("restore", "Put archived items, or disabled ones, back into use.")


@memory.command()
@WORKSPACE
@click.option(
    "--join",
    "pair",
    nargs=2,
    metavar="KEPT OTHER",
    help="Make one item of two: OTHER is archived, KEPT takes over its evidence.",
)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@JSON
@REASON
def duplicates(
    path: Path | None,
    pair: tuple[str, str] | None,
    limit: int,
    as_json: bool,
    reason: str,
) -> None:
    """List pairs of items that say the same, or make one of two."""
    if pair:
        survivor, other = pair
        with curated(path) as workspace:
            tell(Curator(MemoryStore(workspace)).join(survivor, other, reason=reason))
        return
    from core.curation.duplicates import find_duplicates

    with reader(path) as workspace:
        pairs = find_duplicates(workspace.db, limit)
    if as_json:
        click.echo(as_text([asdict(one) for one in pairs]))
        return
    if not pairs:
        click.echo("No two active items of one type are alike.")
        return
    table = [
        (
            f"{one.likeness:.2f}",
            one.reason,
            one.kept,
            one.other,
            one.kept_title[:50],
        )
        for one in pairs
    ]
    tell_table(table, ("alike", "why", "keep", "join into it", "title"))


@memory.command()
@WORKSPACE
@click.option(
    "--event",
    type=int,
    help="Undo this event instead of the latest (see `sage memory show --history`).",
)
@click.option("--redo", is_flag=True, help="Redo the latest undone change instead.")
@REASON
def undo(path: Path | None, event: int | None, redo: bool, reason: str) -> None:
    """Undo the latest change a person made; repeat to go further back."""
    with curated(path) as workspace:
        curator = Curator(MemoryStore(workspace))
        change = curator.redo if redo else partial(curator.undo, event)
        seq = change(reason=reason)
        undone = taken_back(workspace.db, seq)
    why = f"({undone.reason})" if undone.reason else ""
    words = [undone.kind, undone.item_uid, why]
    what = " ".join(filter(None, words))
    click.echo(f"event {seq} takes back event {undone.seq}: {what}")
