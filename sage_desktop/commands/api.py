"""`sage api` looks something up as the model does; `sage references` keeps the user's documentation."""

from __future__ import annotations

from pathlib import Path

import click

from core.references.builtin import builtin_references, references_with
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.services.wiring import user_folders


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--built-in", is_flag=True, help="Leave out the user's own documentation."
)
def api(words: tuple[str, ...], *, built_in: bool) -> None:
    """Look up a name, a part of one or words in the reference: `sage api DataCopyPad`, `sage api row sum`.

    Exit code 1 when nothing was found.
    """
    if not any(word.strip() for word in words):
        raise click.UsageError(
            "Name what to look up, for instance: sage api DataCopyPad"
        )
    references = builtin_references() if built_in else references_with(user_folders())
    found = references.find(" ".join(words))
    click.echo(found.text)
    raise SystemExit(0 if found.sections else 1)


@click.group(cls=CommandGroup)
def references() -> None:
    """Add, list and remove folders of documentation that `sage api` and the model can look up."""


@references.command()
@click.argument("folder", type=click.Path(path_type=Path))
def add(folder: Path) -> None:
    """Index the Markdown files below FOLDER, for instance docs/zh/api of an asc-devkit checkout."""
    done = user_folders().add(folder)
    for problem in done.left_out:
        click.echo(f"left out: {problem}", err=True)
    click.echo(
        f"{done.folder}: {done.files} files, {len(done.sections)} sections, {done.read} read"
    )


@references.command(name="list")
def list_folders() -> None:
    """List the folders with how much is in them, and the digest of everything a model can look up."""
    folders = user_folders()
    for done in folders.refresh():
        click.echo(f"{done.folder}: {done.files} files, {len(done.sections)} sections")
    click.echo(f"digest: {references_with(folders).digest}")


@references.command()
@click.argument("folder", type=click.Path(path_type=Path))
def remove(folder: Path) -> None:
    """Remove FOLDER from the list; its files stay as they are."""
    user_folders().remove(folder)
