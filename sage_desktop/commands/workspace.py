"""`sage workspace`: care for workspace files."""

from __future__ import annotations

from pathlib import Path

import click

from core.workspace import Workspace


@click.group()
def workspace() -> None:
    """Back up workspace files."""


@workspace.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
def backup(source: Path, target: Path) -> None:
    """Make a safe copy of SOURCE, even while it is in use, at TARGET (which must not exist)."""
    with Workspace.open_readonly(source) as opened:
        opened.backup(target)
    click.echo(f"{target}: {target.stat().st_size:,} bytes")
