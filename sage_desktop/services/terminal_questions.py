"""Questions of SSH servers, put to a person at a terminal; declined where there is none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from remote.connection.ssh.asking import LoginQuestion


def ask_at_terminal(question: LoginQuestion) -> Sequence[str] | None:
    """Ask on standard error; hidden where the server wants it so."""
    if not sys.stdin.isatty():
        return None
    click.echo(f"{question.host}: {question.title}", err=True)
    try:
        return [
            click.prompt(text.rstrip(": "), hide_input=not is_visible, err=True)
            for text, is_visible in question.prompts
        ]
    except click.Abort:
        return None
