"""`sage memory import`: experience of others, into quarantine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from core.errors import InvalidInput
from core.memory.store import MemoryStore
from sage_desktop.commands.memory.common import JSON, WORKSPACE, as_text, memory, writer
from sage_desktop.commands.memory.exchanging import merge


@memory.command("import")
@click.argument("source", metavar="PATH", type=click.Path(path_type=Path, exists=True))
@WORKSPACE
@click.option("--dry-run", is_flag=True, help="Only report what would happen.")
@JSON
@click.pass_context
def import_(
    context: click.Context,
    source: Path,
    path: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import the experience library in the folder PATH, or the exported memory in the file PATH.

    A library is a folder with reference/issues/*.json. Everything waits in quarantine until you `enable` it;
    what the screening noticed is printed and kept with each item.
    """
    if source.is_file():
        context.invoke(
            merge, file=source, path=path, dry_run=dry_run, trust=False, as_json=as_json
        )
        return
    from core.exchange.library import import_library, read_library, reasons
    from core.operators.importers import FolderKind, detect

    found = detect(source)
    if found.kind is not FolderKind.EXPERIENCES:
        remedy = "Benchmarks become operators with `sage operators import`."
        raise InvalidInput(
            str(source),
            "folder",
            "is no experience library ({kind})",
            remedy,
            kind=found.kind.value,
        )
    library = read_library(found.root)
    with writer(path) as workspace:
        report = import_library(MemoryStore(workspace), library, dry_run=dry_run)
    if as_json:
        click.echo(as_text(asdict(report)))
        return
    click.echo(
        f"experience library {report.name}: {len(library.entries)} records, "
        f"{len(report.suspicious)} noticed by the screening, {len(report.faults)} left out"
    )
    for reason, count in reasons(report).items():
        click.echo(f"{count:5}  {reason}")
    for place, reason in report.suspicious.items():
        click.echo(f"{place}: {reason}")
    for fault in report.faults:
        click.echo(f"left out {fault.file}: {fault.field}: {fault.problem}")
    done = "would go to quarantine" if dry_run else "put into quarantine"
    click.echo(f"{done}: {len(report.added)}, known already: {report.known}")
