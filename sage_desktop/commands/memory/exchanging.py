"""`sage memory snapshot | snapshots | diff | export | merge | verify | replay`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from tabulate import tabulate

from core.memory import queries
from core.memory.reading import newest_snapshot, read_snapshot
from core.memory.records import ItemState
from core.memory.store import MemoryStore
from sage_desktop.commands.memory.common import (
    JSON,
    WORKSPACE,
    as_text,
    memory,
    reader,
    tell_rest,
    tell_table,
    writer,
)


@memory.command()
@WORKSPACE
@click.option(
    "--at", "seq", type=int, help="The snapshot of this event; the newest by default."
)
def snapshot(path: Path | None, seq: int | None) -> None:
    """Print a snapshot of hot memory in the paper's schema."""
    with reader(path) as workspace:
        at = newest_snapshot(workspace.db) if seq is None else seq
        click.echo(queries.exported_snapshot(read_snapshot(workspace.db, at)))


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
    click.echo(
        tabulate(
            table, headers=("event", "at", "operators", "rules", "tokens", "budget")
        )
    )


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
@click.option(
    "--trust",
    is_flag=True,
    help="Put new items into use at once instead of into quarantine.",
)
@JSON
def merge(
    file: Path, path: Path | None, dry_run: bool, trust: bool, as_json: bool
) -> None:
    """Merge a memory into this one; new items wait in quarantine.

    FILE is what `export` wrote in any form, or a workspace: it is only read.
    """
    from core.exchange.bank_files import read_any_bank
    from core.exchange.merge import merge_bank

    bank = read_any_bank(file)
    state = ItemState.ACTIVE if trust else ItemState.QUARANTINED
    with writer(path) as workspace:
        report = merge_bank(
            MemoryStore(workspace), bank, source=file.name, state=state, dry_run=dry_run
        )
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
@click.option(
    "--repair", "fix", is_flag=True, help="Write what the log says over what is stored."
)
def verify(path: Path | None, fix: bool) -> None:
    """Check every byte, fold the whole log again and compare; exit code 1 when something differs.

    Stored texts are compared with their sha256, every item with the sum of its episodes. The log of a damaged
    file is not folded.
    """
    from core.memory import rebuild

    if fix:
        with writer(path) as workspace:
            damage = workspace.check()
            found = () if damage else rebuild.repair(workspace)
    else:
        with reader(path) as workspace:
            damage = workspace.check()
            found = () if damage else rebuild.verify(workspace)
    for line in (*found, *damage):
        click.echo(line)
    click.echo(
        "fixed" if found and fix else f"{len(found) + len(damage)} differences",
        err=True,
    )
    if damage or (found and not fix):
        raise SystemExit(1)


@memory.command()
@WORKSPACE
@click.option(
    "--credit",
    type=click.Choice(["atu", "uniform", "relevance"]),
    help="How an episode's score becomes credit: as in the paper (atu); the same for every retrieved item "
    "(uniform); not at all, so that relevance alone ranks. With --into it must be named.  [default: uniform]",
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
    help="Write a copy of the memory whose cold items have these utilities; hot memory stays as it is.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@JSON
def replay(
    path: Path | None,
    credit: str | None,
    gamma: float | None,
    beta: float | None,
    delta: float | None,
    into: Path | None,
    limit: int,
    as_json: bool,
) -> None:
    """Recompute utilities from the same traces under another credit rule; the memory is not touched.

    With --into they are written to a copy, for `sage run --memory FILE --frozen`: the paper's control under
    one bank, of which only the ranking of cold items differs.
    """
    from core.memory.fixed_bank import write_fixed_bank
    from core.memory.rebuild import replay_credit, replay_retrievals

    if credit is None and into is not None:
        raise click.UsageError(
            "Name the rule of the copy with --credit, e.g. --credit uniform."
        )
    credit = credit or "uniform"
    others = {
        name: value
        for name, value in (("beta", beta), ("delta", delta))
        if value is not None
    }
    if into is not None:
        with reader(path) as workspace:
            bank = write_fixed_bank(workspace, into, credit, **others)
        if as_json:
            click.echo(as_text({**asdict(bank), "path": str(bank.path)}))
            return
        click.echo(
            f"{bank.path}: {credit}, {bank.changed} of {bank.cold} cold items have another utility, "
            f"{bank.residents} residents as they were\nsha256 {bank.sha256}"
        )
        return
    changes: dict[str, bool | float | str] = {
        "credit_rule": "none" if credit == "relevance" else credit
    }
    with reader(path) as workspace:
        rows = replay_credit(workspace, **(changes | others))
        ranked = None if gamma is None else replay_retrievals(workspace, rows, gamma)
    if as_json:
        utilities = [asdict(row) for row in rows]
        whole = (
            {"utilities": utilities, "retrievals": asdict(ranked)}
            if ranked
            else utilities
        )
        click.echo(as_text(whole))
        return
    table = [
        (
            r.replayed_rank,
            r.stored_rank,
            r.uid,
            f"{r.replayed:+.3f}",
            f"{r.stored:+.3f}",
            r.title[:60],
        )
        for r in rows[:limit]
    ]
    tell_table(table, (credit, "stored", "item", f"u {credit}", "u stored", "title"))
    tell_rest(len(table), len(rows))
    if ranked and not ranked.rounds:
        click.echo(
            "no retrieval is recorded with its relevance (a session prescribes them)"
        )
    elif ranked:
        click.echo(
            f"gamma {gamma}: of {ranked.rounds} recorded retrievals {ranked.reordered} get another order, "
            f"{ranked.another_first} another first item"
        )


@memory.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@click.option("--dry-run", is_flag=True, help="Only report what would happen.")
@JSON
@click.pass_context
def import_(
    context: click.Context, file: Path, path: Path | None, dry_run: bool, as_json: bool
) -> None:
    """Merge the exported memory in FILE; new items wait in quarantine."""
    context.invoke(
        merge, file=file, path=path, dry_run=dry_run, trust=False, as_json=as_json
    )
