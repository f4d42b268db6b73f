"""`sage api`: look something up as the model does."""

from __future__ import annotations

import click

from core.references.builtin import references_with
from sage_desktop.services.wiring import user_folders


@click.command()
@click.argument("words", nargs=-1, required=True)
def api(words: tuple[str, ...]) -> None:
    """Look up a name, a part of one or words in the reference: `sage api DataCopyPad`, `sage api row sum`.

    Exit code 1 when nothing was found.
    """
    if not any(word.strip() for word in words):
        raise click.UsageError(
            "Name what to look up, for instance: sage api DataCopyPad"
        )
    answer = references_with(user_folders()).find(" ".join(words))
    click.echo(answer.text)
    raise SystemExit(0 if answer.sections else 1)
