"""`sage references`: the user's own documentation, which `sage api` and the model can look up."""

from __future__ import annotations

from pathlib import Path

import click

from core.references.builtin import references_with
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.wiring import user_folders


@click.group(cls=CommandGroup)
def references() -> None:
    """Add, list and remove folders of documentation that `sage api` and the model can look up."""


@references.command()
@click.argument("folder", type=click.Path(path_type=Path))
def add(folder: Path) -> None:
    """Index the Markdown files below FOLDER, for instance docs/zh/api of an asc-devkit checkout."""
    index = user_folders().add(folder)
    for problem in index.left_out:
        click.echo(f"left out: {problem}", err=True)
    click.echo(
        f"{index.folder}: {index.files} files, {len(index.sections)} sections, {index.read} read"
    )


@references.command(name="list")
def list_folders() -> None:
    """List the folders with how much is in them, and the digest of everything a model can look up."""
    folders = user_folders()
    for index in folders.refresh():
        click.echo(
            f"{index.folder}: {index.files} files, {len(index.sections)} sections"
        )
    click.echo(f"digest: {references_with(folders).digest}")


@references.command()
@click.argument("folder", type=click.Path(path_type=Path))
def remove(folder: Path) -> None:
    """Remove FOLDER from the list; its files stay as they are."""
    user_folders().remove(folder)
