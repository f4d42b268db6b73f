"""`sage memory snapshot | snapshots | diff | export | merge | verify | replay`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from tabulate import tabulate

from core.errors import SageError
from core.memory import queries
from core.memory.reading import read_snapshot
from core.memory.records import ItemState
from core.memory.store import MemoryStore
from sage_desktop.commands.memory.common import JSON, WORKSPACE, as_text, memory, reader, tell_rest, writer


@memory.command()
@WORKSPACE
@click.option("--at", "seq", type=int, help="The snapshot of this event; the newest by default.")
def snapshot(path: Path | None, seq: int | None) -> None:
    """Print a snapshot of hot memory in the paper's schema."""
    with reader(path) as workspace:
        newest = workspace.db.execute("SELECT max(seq) FROM hot_snapshot").fetchone()[0]
        if seq is None and newest is None:
            raise SageError("There is no snapshot yet.", "One is taken after every episode.")
        click.echo(queries.exported_snapshot(read_snapshot(workspace.db, seq or newest)))


@memory.command()
@click.argument("before", type=int)
@click.argument("after", type=int)
@WORKSPACE
def diff(before: int, after: int, path: Path | None) -> None:
    """Compare the snapshots of two events (see `sage memory snapshots`)."""
    from core.memory.snapshots import diff_snapshots

    with reader(path) as workspace:
        found = diff_snapshots(workspace.db, before, after)
    lines = [f"+ {entry.id} {entry.title}" for entry in found.added]
    lines += [f"- {entry.id} {entry.title}" for entry in found.removed]
    for change in found.changed:
        old, new = change.before, change.after
        lines.append(
            f"~ {new.id} {new.title}: u {old.u:+.3f} → {new.u:+.3f}, p {old.p_hat:.3f} → {new.p_hat:.3f}"
        )
    click.echo("\n".join([*lines, f"{found.unchanged} unchanged"]))


@memory.command()
@WORKSPACE
def snapshots(path: Path | None) -> None:
    """List the snapshots taken after episodes."""
    with reader(path) as workspace:
        rows = queries.snapshots(workspace.db)
    table = [
        (
            seq,
            snap.created_at,
            snap.n_ops,
            len(snap.hot_entries),
            sum(e.c_tokens for e in snap.hot_entries),
            snap.budget,
        )
        for seq, snap in rows
    ]
    click.echo(tabulate(table, headers=("event", "at", "operators", "rules", "tokens", "budget")))


@memory.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--form",
    type=click.Choice(["jsonl", "sqlite", "paper"]),
    default="jsonl",
    show_default=True,
    help="jsonl and sqlite hold everything; paper is the paper's item records, without the traces.",
)
@WORKSPACE
def export_(file: Path, form: str, path: Path | None) -> None:
    """Write the whole memory to FILE, to be merged elsewhere."""
    from core.exchange.bank_files import write_bank

    with reader(path) as workspace:
        write_bank(workspace, file, form)
    click.echo(f"{file}: {file.stat().st_size:,} bytes")


@memory.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@click.option("--dry-run", is_flag=True, help="Only report what would happen.")
@click.option("--trust", is_flag=True, help="Put new items into use at once instead of into quarantine.")
@JSON
def merge(file: Path, path: Path | None, dry_run: bool, trust: bool, as_json: bool) -> None:
    """Merge a memory into this one; new items wait in quarantine.

    FILE is what `export` wrote in any form, or a workspace: it is only read.
    """
    from core.exchange.bank_files import read_any_bank
    from core.exchange.merge import merge_bank

    bank = read_any_bank(file)
    state = ItemState.ACTIVE if trust else ItemState.QUARANTINED
    with writer(path) as workspace:
        report = merge_bank(MemoryStore(workspace), bank, source=file.name, state=state, dry_run=dry_run)
    if as_json:
        click.echo(as_text(asdict(report)))
        return
    click.echo(
        f"{'would add' if dry_run else 'added'} {len(report.added)}, content changed {len(report.updated)}, "
        f"evidence changed {len(report.credited)}, unchanged {report.unchanged}, episodes {report.episodes}"
    )
    for conflict in report.conflicts:
        click.echo(
            f"both changed {conflict.uid} {conflict.field}: kept {conflict.kept!r}, not {conflict.other!r}"
        )


@memory.command()
@WORKSPACE
@click.option("--repair", "mend", is_flag=True, help="Write what the log says over what is stored.")
def verify(path: Path | None, mend: bool) -> None:
    """Check every byte, fold the whole log again and compare; exit code 1 when something differs.

    Stored texts are compared with their sha256, every item with the sum of its episodes. The log of a damaged
    file is not folded.
    """
    from core.memory import rebuild

    if mend:
        with writer(path) as workspace:
            damage = workspace.check()
            found = () if damage else rebuild.repair(workspace)
    else:
        with reader(path) as workspace:
            damage = workspace.check()
            found = () if damage else rebuild.verify(workspace)
    for line in (*found, *damage):
        click.echo(line)
    click.echo("mended" if found and mend else f"{len(found) + len(damage)} differences", err=True)
    if damage or (found and not mend):
        raise SystemExit(1)


@memory.command()
@WORKSPACE
@click.option(
    "--credit",
    type=click.Choice(["atu", "uniform", "uniform-split", "adopted-only", "relevance"]),
    default="uniform",
)
@click.option(
    "--gamma",
    type=click.FloatRange(0, 1, max_open=True),
    help="Also rank the recorded retrievals again with this gamma.",
)
@click.option("--beta", type=float, help="Another penalty for unused retrievals.")
@click.option("--delta", type=float, help="Another penalty for failed episodes.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a copy of the memory that ranks its cold items so, for --memory FILE --frozen.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@JSON
def replay(
    path: Path | None,
    into: Path | None,
    credit: str,
    gamma: float | None,
    beta: float | None,
    delta: float | None,
    limit: int,
    as_json: bool,
) -> None:
    """Recompute utilities from the same traces under another credit rule; the memory is not touched.

    With --into the result is a memory of its own: resident rules, texts and lifecycle are the same, only the
    utilities of cold items differ. For relevance alone read the memory as it is with `--set gamma=0`.
    """
    from core.memory.ranked import ranked_copy
    from core.memory.rebuild import replay_credit, replay_retrievals

    changes: dict[str, bool | float | str] = {"credit_rule": "none" if credit == "relevance" else credit}
    changes |= {name: value for name, value in (("beta", beta), ("delta", delta)) if value is not None}
    with reader(path) as workspace:
        rows = replay_credit(workspace, **changes)
        ranked = None if gamma is None else replay_retrievals(workspace, rows, gamma)
        source = workspace.path
    if into is not None:
        changed = ranked_copy(source, into, **changes)
        click.echo(f"{into}: {changed} cold items have another utility", err=True)
    if as_json:
        utilities = [asdict(row) for row in rows]
        whole = {"utilities": utilities, "retrievals": asdict(ranked)} if ranked else utilities
        click.echo(as_text(whole))
        return
    table = [
        (r.replayed_rank, r.stored_rank, r.uid, f"{r.replayed:+.3f}", f"{r.stored:+.3f}", r.title[:60])
        for r in rows[:limit]
    ]
    click.echo(
        tabulate(
            table,
            headers=(credit, "stored", "item", f"u {credit}", "u stored", "title"),
            disable_numparse=True,
        )
    )
    tell_rest(len(table), len(rows))
    if ranked and not ranked.rounds:
        click.echo("no retrieval is recorded with its relevance (a session prescribes them)")
    elif ranked:
        click.echo(
            f"gamma {gamma}: of {ranked.rounds} recorded retrievals {ranked.reordered} get another order, "
            f"{ranked.another_first} another first item"
        )
