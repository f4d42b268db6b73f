"""Options several commands take: who judges, who writes, and the language of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from sage_desktop.services.host_choice import SOC_HELP, TOOLCHAINS
from sage_desktop.services.languages import CHINESE, ENGLISH, core_words, set_language
from sage_desktop.services.places import config_dir

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
        help="Base URL of an OpenAI-compatible server; or SAGE_ENDPOINT.",
    ),
    click.option(
        "--key-env",
        default="SAGE_API_KEY",
        show_default=True,
        help="Variable or keyring entry.",
    ),
)
LANGUAGE = click.option(
    "--language",
    type=click.Choice((ENGLISH, CHINESE)),
    default=None,
    help="Language of the page; by default that of the window.",
)


def words_of_page(language: str | None = None) -> Callable[[str], str]:
    """Words in the language asked for, else in the one the window is set to."""
    return core_words(language or set_language(config_dir() / "window.ini"))
