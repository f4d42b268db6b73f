"""`sage memory sync | clone | trust`: one memory for a team."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from core.errors import SageError
from core.exchange import shared_memory
from core.exchange.memory_file import authors
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.commands.memory.common import (
    JSON,
    WORKSPACE,
    as_text,
    memory,
    reader,
    writer,
)
from sage_desktop.services.host_choice import registry
from sage_desktop.services.wiring import data_dir


@memory.command()
@click.argument("place")
@WORKSPACE
@click.option(
    "--author",
    "name",
    help="Your name in the team, kept for the next time; else that of your login.",
)
@click.option("--dry-run", is_flag=True, help="Only report what would happen.")
@JSON
def sync(
    place: str, path: Path | None, name: str | None, dry_run: bool, as_json: bool
) -> None:
    """Exchange this memory with the team's at PLACE: a file or folder, or HOST:PATH over SSH.

    What others shared is merged into this memory, new items in quarantine unless you trust their author.
    What is in use here is merged into the team's file, which is made when there is none. Quarantine, pins and
    trust stay here.
    """
    with writer(path) as workspace, _opened(place) as where:
        if name is not None and not dry_run:
            shared_memory.set_author(workspace, name)
        report = shared_memory.sync(MemoryStore(workspace), where, dry_run=dry_run)
        by = authors(workspace.db)
    if as_json:
        click.echo(as_text({**asdict(report), "place": where.name}))
        return
    click.echo(_words(report, by, dry_run=dry_run))
    click.echo(f"{where.name}: {'written' if report.pushed else 'left as it is'}")


@memory.command()
@click.argument("place")
@click.option(
    "--workspace",
    "path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Workspace file to begin.",
)
def clone(place: str, path: Path) -> None:
    """Start a workspace with the team's memory at PLACE: a file or folder, or HOST:PATH over SSH.

    Everything is in use at once, except what the screening flags, which waits in quarantine.
    """
    begun = not path.exists()
    try:
        with _opened(place) as where, Workspace.open(path) as workspace:
            store = MemoryStore(workspace)
            report = shared_memory.clone(store, where)
            rules = sum(bool(item.rule_text) for item in store.items())
    except SageError:
        if begun:  # nobody wants the empty one
            for left in (
                path,
                *(path.with_name(path.name + end) for end in ("-wal", "-shm", ".lock")),
            ):
                left.unlink(missing_ok=True)
        raise
    click.echo(f"{path}: {len(report.added)} items, {report.episodes} episodes")
    if rules:
        again = (
            "which become resident again is decided when the first episode here ends"
        )
        click.echo(f"{rules} have rules; {again}.")


@memory.command()
@click.argument("author", default="")
@click.option(
    "--withdraw",
    is_flag=True,
    help="Trust AUTHOR no longer; what has arrived stays as it is.",
)
@WORKSPACE
def trust(author: str, withdraw: bool, path: Path | None) -> None:
    """Put what AUTHOR shares into use as soon as it arrives; without AUTHOR, show who is trusted.

    The screening still looks at every item. Names are as the file has them: whoever can write it can use any.
    """
    if author:
        with writer(path) as workspace:
            names = shared_memory.trust(workspace, author, withdraw=withdraw)
    else:
        with reader(path) as workspace:
            names = shared_memory.trusted(workspace)
    click.echo("\n".join(sorted(names)) or "nobody is trusted")


@contextmanager
def _opened(text: str) -> Iterator[shared_memory.Place]:
    from remote.hosts.shared_place import HostPlace, on_host

    far = on_host(text)
    if far is None:
        yield shared_memory.FolderPlace(text)
        return
    place = HostPlace(registry(data_dir()).host(far[0]), far[1])
    try:
        yield place
    finally:
        place.close()


def _words(
    report: shared_memory.SyncReport, by: dict[str, str], *, dry_run: bool
) -> str:
    pulled = report.pulled
    would = "would " if dry_run else ""
    received = (
        f"{would}receive: {len(pulled.added)} new, content changed {len(pulled.updated)}, "
        f"evidence changed {len(pulled.credited)}, episodes {pulled.episodes}"
    )
    lines = [
        received,
        f"{would}share: {len(report.shared)} new, changed {len(report.changed)}",
    ]
    authors = sorted({by.get(uid, "") for uid in pulled.added} - {""})
    lines += [f"new items by {', '.join(authors)}"] if authors else []
    for conflict in pulled.conflicts:
        lines.append(f"both changed {conflict.uid} {conflict.field}:")
        lines += [f"  kept   {conflict.kept!r}", f"  other  {conflict.other!r}"]
    return "\n".join(lines)
