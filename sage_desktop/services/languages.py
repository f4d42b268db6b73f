"""The languages of the window: English, Chinese, or the desktop's; what reports need of them, without Qt."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Callable
from configparser import Error, RawConfigParser
from importlib import resources
from pathlib import Path

ENGLISH, CHINESE = "en", "zh_CN"
SYSTEM = "system"
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


def set_language(settings: Path) -> str:
    """The language that the window's settings name, for those who have no Qt to read them.

    Args:
        settings: `window.ini`. Where it is not there, cannot be read or says "system", the locale decides.
    """
    store = RawConfigParser(strict=False)
    try:
        store.read(settings, encoding="utf-8")
    except (
        Error,
        UnicodeDecodeError,
    ):  # the window reads more than this; a report needs only the language
        store.clear()
    chosen = store.get("appearance", "language", fallback=SYSTEM)
    if chosen in (ENGLISH, CHINESE):
        return chosen
    spoken = next(filter(None, map(os.environ.get, _LOCALES)), "")
    return CHINESE if spoken.startswith("zh") else ENGLISH


def core_words(language: str) -> Callable[[str], str]:
    """What `core` and `remote` say in a language, template by template; what has no translation stays."""
    if language == ENGLISH:
        return str
    file = resources.files("resources") / "translations" / f"sage_{language}.ts"
    contexts = ET.fromstring(file.read_text(encoding="utf-8")).iter("context")  # noqa: S314 - our own file
    known = {
        message.findtext("source", ""): message.findtext("translation", "")
        for context in contexts
        if context.findtext("name") == "Core"
        for message in context.iter("message")
    }
    return lambda text: known.get(text) or text
