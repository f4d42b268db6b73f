"""Options several commands take: who judges and who writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from sage_desktop.services.wiring import SOC_HELP, TOOLCHAINS

Decorator = Callable[[Any], Any]


def together(*options: Decorator) -> Decorator:
    """One decorator for several options, which `--help` lists in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def named_values(texts: Sequence[str], option: str) -> dict[str, str]:
    """What was given as NAME=VALUE; raises UsageError for anything else."""
    if unclear := [text for text in texts if "=" not in text]:
        raise click.UsageError(f"{option} wants NAME=VALUE, not {unclear[0]!r}.")
    return dict(text.split("=", 1) for text in texts)


JUDGE = together(
    click.option(
        "--host", default="local", show_default=True, help="Where to compile and run."
    ),
    click.option(
        "--toolchain", type=click.Choice(TOOLCHAINS), default="twin", show_default=True
    ),
    click.option("--soc", default="", help=SOC_HELP),
)
SERVER = together(
    click.option(
        "--endpoint",
        default="",
        help="Base URL of an OpenAI-compatible server, or its short name (docs/models.md); or SAGE_ENDPOINT.",
    ),
    click.option(
        "--key-env",
        default="",
        help="Variable or keyring entry; the usual one of the server, else SAGE_API_KEY.",
    ),
)
