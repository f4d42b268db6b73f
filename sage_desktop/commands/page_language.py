"""`--language` of the commands that write a page for people; what they print stays English."""

from __future__ import annotations

from collections.abc import Callable

import click

from sage_desktop.services.languages import CHINESE, ENGLISH, core_words, set_language
from sage_desktop.services.places import config_dir

LANGUAGE = click.option(
    "--language",
    type=click.Choice((ENGLISH, CHINESE)),
    default=None,
    help="Language of the page; by default that of the window.",
)


def words_of_page(language: str | None = None) -> Callable[[str], str]:
    """Words in the language asked for, else in the one the window is set to."""
    return core_words(language or set_language(config_dir() / "window.ini"))
