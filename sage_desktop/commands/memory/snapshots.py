"""`sage memory snapshots | verify`: hot memory over time, and the check of the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import click

from core.curation.curator import Curator
from core.memory.replay import verification
from core.memory.snapshots import diff_snapshots, restore_snapshot
from core.memory.store import MemoryStore
from core.memory.views import queries
from sage_desktop.commands.memory.common import (
    REASON,
    WORKSPACE,
    curated,
    memory,
    reader,
    tell,
    tell_table,
    writer,
)


@memory.command()
@WORKSPACE
@click.option("--show", type=int, metavar="EVENT", help="Print one as the paper does.")
@click.option(
    "--compare", type=int, nargs=2, metavar="BEFORE AFTER", help="Compare two."
)
@click.option(
    "--restore",
    type=int,
    metavar="EVENT",
    help="Make the rules of one resident again; evidence stays as it is.",
)
@REASON
def snapshots(
    path: Path | None,
    show: int | None,
    compare: tuple[int, int] | None,
    restore: int | None,
    reason: str,
) -> None:
    """List the snapshots of hot memory, each named by its event."""
    if restore is not None:
        with curated(path) as workspace:
            tell(restore_snapshot(workspace, restore, reason=reason))
        return
    with reader(path) as workspace:
        if show is not None:
            click.echo(queries.exported_snapshot(workspace.db, show))
        elif compare:
            click.echo(_difference(workspace.db, *compare))
        else:
            _list(workspace.db)


def _list(db: sqlite3.Connection) -> None:
    rows = []
    for seq, snapshot in queries.snapshots(db):
        entries = snapshot.hot_entries
        tokens = sum(entry.c_tokens for entry in entries)
        at, operators = snapshot.created_at, snapshot.n_ops
        rows.append((seq, at, operators, len(entries), tokens, snapshot.budget))
    tell_table(rows, ("event", "at", "operators", "rules", "tokens", "budget"))


def _difference(db: sqlite3.Connection, before: int, after: int) -> str:
    difference = diff_snapshots(db, before, after)
    lines = [f"+ {entry.id} {entry.title}" for entry in difference.added]
    lines += [f"- {entry.id} {entry.title}" for entry in difference.removed]
    for change in difference.changed:
        old, new = change.before, change.after
        lines.append(
            f"~ {new.id} {new.title}: u {old.u:+.3f} → {new.u:+.3f}, "
            f"p {old.p_hat:.3f} → {new.p_hat:.3f}"
        )
    return "\n".join([*lines, f"{difference.unchanged} unchanged"])


@memory.command()
@WORKSPACE
@click.option(
    "--repair", "fix", is_flag=True, help="Write what the log says over what is stored."
)
@click.option(
    "--recount",
    "counter",
    metavar="COUNTER",
    help="Count the tokens of every rule again: estimate, wordpiece, file:PATH of a "
    "tokenizer.json, or served:MODEL@URL; kept for later rules.",
)
@REASON
def verify(path: Path | None, fix: bool, counter: str | None, reason: str) -> None:
    """Check every byte, fold the whole log again and compare.

    Exit code 1 when something differs.

    Stored texts are compared with their sha256, every item with the sum of its
    episodes. The log of a damaged file is not folded.
    """
    if counter is not None:
        with curated(path) as workspace:
            tell(Curator(MemoryStore(workspace)).recount(counter, reason=reason))
    elif fix:
        _repair(path)
    else:
        _verify(path)


def _verify(path: Path | None) -> None:
    """Print what differs; exit code 1 when anything does."""
    with reader(path) as workspace:
        workspace.bound_work()  # it may be a file of others
        differences = workspace.check() or verification.verify(workspace)
    _print_differences(differences)
    if differences:
        raise SystemExit(1)


def _repair(path: Path | None) -> None:
    """Print what differed, now fixed; exit code 1 when the file is damaged."""
    with writer(path) as workspace:
        damage = workspace.check()
        fixed = () if damage else verification.repair(workspace)
    if fixed:
        for line in fixed:
            click.echo(line)
        click.echo("fixed", err=True)
        return
    _print_differences(damage)
    if damage:
        raise SystemExit(1)


def _print_differences(differences: Sequence[str]) -> None:
    for line in differences:
        click.echo(line)
    click.echo(f"{len(differences)} differences", err=True)
