"""`sage memory export | import | merge`: a memory as a file that travels."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from core.exchange.bank_files import read_any_bank, write_bank
from core.exchange.merge import MergeReport, merge_bank
from core.exchange.seeds import add_seeds, cold_start_bank, read_seeds
from core.memory.records import ItemState
from core.memory.replay.fixed_bank import write_fixed_bank
from core.memory.store import MemoryStore
from sage_desktop.commands.memory.common import (
    JSON,
    WORKSPACE,
    as_text,
    memory,
    reader,
    writer,
)

_CREDIT_RULES = ("atu", "uniform", "relevance")
_FILE = click.argument(
    "file", type=click.Path(path_type=Path, exists=True, dir_okay=False)
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
@click.option(
    "--credit",
    type=click.Choice(_CREDIT_RULES),
    help="Write a copy of the workspace whose cold items have the utility this credit rule gives for the "
    "same traces, hot memory as it is: the paper's control under one bank, for `sage run --frozen FILE`.",
)
@WORKSPACE
@JSON
def export_(
    file: Path, form: str, credit: str | None, path: Path | None, as_json: bool
) -> None:
    """Write the whole memory to FILE, to be merged elsewhere."""
    with reader(path) as workspace:
        if credit is not None:
            bank = write_fixed_bank(workspace, file, credit)
            report = asdict(bank)
            words = (
                f"{file}: {credit}, {bank.changed} of {bank.cold} cold items have another utility, "
                f"{bank.residents} residents as they were\nsha256 {bank.sha256}"
            )
        else:
            write_bank(workspace, file, form)
            size = file.stat().st_size
            report = {"path": file, "bytes": size}
            words = f"{file}: {size:,} bytes"
    click.echo(as_text(report | {"path": str(file)}) if as_json else words)


@memory.command("import")
@click.argument(
    "source",
    metavar="[PATH]",
    required=False,
    type=click.Path(path_type=Path, exists=True),
)
@WORKSPACE
def import_(source: Path | None, path: Path | None) -> None:
    """Add the seeds in PATH, or merge the exported memory in the file PATH.

    Seeds are a folder of TOML files, or one. Without PATH those that ship are added.
    What is there already stays as it is, and what an exported memory brings waits in
    quarantine. A workspace named with --workspace that does not exist yet is created.
    """
    if source is not None and source.is_file() and source.suffix != ".toml":
        click.echo(_merge_text(_merge(source, path, create=True), dry_run=False))
        return
    seeds = read_seeds(source) if source else cold_start_bank()
    with writer(path, create=True) as workspace:
        added = add_seeds(MemoryStore(workspace), seeds)
    click.echo(f"{added.new} of {len(seeds)} seeds are new")
    for uid in added.differing:
        click.echo(
            f"{uid} is there with other content, which stays; `sage memory edit` changes it",
            err=True,
        )


@memory.command()
@_FILE
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
    state = ItemState.ACTIVE if trust else ItemState.QUARANTINED
    report = _merge(file, path, state, dry_run=dry_run)
    click.echo(
        as_text(asdict(report)) if as_json else _merge_text(report, dry_run=dry_run)
    )


def _merge(
    file: Path,
    path: Path | None,
    state: ItemState = ItemState.QUARANTINED,
    *,
    dry_run: bool = False,
    create: bool = False,
) -> MergeReport:
    bank = read_any_bank(file)
    with writer(path, create=create) as workspace:
        store = MemoryStore(workspace)
        return merge_bank(store, bank, source=file.name, state=state, dry_run=dry_run)


def _merge_text(report: MergeReport, *, dry_run: bool) -> str:
    summary = (
        f"{'would add' if dry_run else 'added'} {len(report.added)}, "
        f"content changed {len(report.updated)}, evidence changed {len(report.credited)}, "
        f"unchanged {report.unchanged}, episodes {report.episodes}"
    )
    conflicts = (
        f"both changed {one.uid} {one.field}: kept {one.kept!r}, not {one.other!r}"
        for one in report.conflicts
    )
    return "\n".join((summary, *conflicts))
