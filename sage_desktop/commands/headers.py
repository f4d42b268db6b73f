"""`sage headers`: CANN's own headers, against which every candidate of the CPU twin is compiled as well."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from core.errors import SageError
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.wiring import (
    data_dir,
    headers_fault,
    kept_headers,
    registry,
)

if TYPE_CHECKING:
    from remote.headers.kept import Added


@click.group(cls=CommandGroup)
def headers() -> None:
    """CANN's own headers: what they refuse does not pass, though the CPU twin may take it."""


@headers.command()
@click.argument("place")
def add(place: str) -> None:
    """Copy the headers of the CANN installed at PLACE: a folder, HOST, or HOST:FOLDER.

    A host is searched where its set-up leads and where CANN usually is. Some 15 MB are kept in the data folder, once;
    candidates are compiled against every version that was added.
    """
    folder = Path(place).expanduser()
    host_name, _, below = place.partition(":")
    if folder.is_dir() or "/" in host_name:
        added = kept_headers().add_from_folder(folder, _tell)
    else:
        added = asyncio.run(_added_from(host_name, below))
    label, copy = added.headers.label, added.headers.folder
    what = "added" if added.is_new else "here already, unchanged"
    click.echo(f"headers of {label}: {what} ({copy})")
    _tell("compiling them once")
    if fault := headers_fault(added.headers):
        raise SageError(
            "The headers of {label} do not compile on this computer: {fault}.",
            "Candidates judged here are not checked against them.",
            label=label,
            fault=fault,
        )


async def _added_from(host_name: str, below: str) -> Added:
    from remote.headers.from_host import add_from_host

    host = registry(data_dir()).host(host_name)
    try:
        return await add_from_host(host, below, kept_headers(), _tell)
    finally:
        await host.close()


def _tell(text: str) -> None:
    click.echo(text, err=True)


@headers.command("list")
def list_headers() -> None:
    """Show the versions of CANN whose headers were added."""
    rows = [(one.version, one.digest[:12], one.folder) for one in kept_headers().sets()]
    none = "no headers yet: candidates are not checked against CANN"
    click.echo(tabulate(rows, ("CANN", "content", "folder")) if rows else none)


@headers.command()
@click.argument("version")
def remove(version: str) -> None:
    """Remove the headers of CANN VERSION."""
    kept_headers().remove(version)
    click.echo(f"headers of CANN {version} removed")
