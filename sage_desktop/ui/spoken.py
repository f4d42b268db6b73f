"""Sentences of `core` and `remote` in the language of the window.

The method and the hosts speak English, as logs, files and the command line do, and their sentences arrive
with names and numbers already filled in. `resources/translations/core_<language>.ts` (a Linguist file, read
as it is) has them as templates with gaps; a sentence that fits one is said in its translation with the same
fillings. What fits none is shown as it came: an English reason is better than none.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from core.errors import InvalidInput, SageError
from sage_desktop.services.languages import ENGLISH
from sage_desktop.ui import translation

_GAP = re.compile(r"\{(\d+)\}")
_LEAST_LETTERS = 5
_SEPARATORS = re.compile(r"( · |, )")


@cache
def templates(language: str) -> tuple[tuple[str, str], ...]:
    """(source, translation) of every finished template, those that say most first.

    One of little more than gaps (`{0} is {1}.`) would fit sentences it was not made of; it is left out.
    """
    found = finished(translation.folder() / f"core_{language}.ts")
    said = {source: sum(map(str.isalpha, _GAP.sub("", source))) for source in found}
    usable = [source for source in found if said[source] >= _LEAST_LETTERS or not _GAP.search(source)]
    return tuple((source, found[source]) for source in sorted(usable, key=lambda source: -said[source]))


def finished(file: Path) -> dict[str, str]:
    """Source -> translation of the finished messages of a Linguist file; none without the file."""
    from xml.etree import ElementTree as ET

    if not file.is_file():
        return {}
    found = {}
    for message in ET.parse(file).getroot().iter("message"):  # noqa: S314 - a file of this package
        words = message.find("translation")
        if words is not None and words.text and not words.get("type"):
            found[message.findtext("source", "")] = words.text
    return found


@cache
def _pattern(source: str) -> re.Pattern[str]:
    parts = _GAP.split(source)
    literals, gaps = parts[::2], parts[1::2]
    whole = re.escape(literals[0])
    for gap, literal in zip(gaps, literals[1:], strict=True):
        whole += f"(?P<g{gap}>.+?){re.escape(literal)}"
    return re.compile(whole, re.DOTALL)


def spoken(text: str) -> str:
    """`text` in the language of the window, as it is when no template fits."""
    language = translation.current()
    return text if not text or language == ENGLISH else _translated(text, language)


@lru_cache(maxsize=512)
def _translated(text: str, language: str) -> str:
    for stop in re.finditer(r"(?<=[.!?:]) ", text):  # what happened, then what to do about it
        first, second = _fitted(text[: stop.start()], language), _fitted(text[stop.end() :], language)
        if first is not None and second is not None:
            return first + second
    return _fitted(text, language) or text


def _filled(words: str, fit: re.Match[str]) -> str:
    return _GAP.sub(lambda gap: fit[f"g{gap[1]}"], words)


def _fitted(text: str, language: str) -> str | None:
    for source, words in templates(language):
        if not text.startswith(source.partition("{")[0]):
            continue
        fit = _pattern(source).fullmatch(text)
        if fit is not None:
            return _filled(words, fit)
    return None


def spoken_parts(text: str) -> str:
    """A label made of parts, each in the language of the window: `this computer · CPU twin (modelled …)`."""
    return "".join(map(spoken, _SEPARATORS.split(text)))


def spoken_error(error: SageError) -> tuple[str, str]:
    """What happened and what to do, in the language of the window."""
    if isinstance(error, InvalidInput):
        return f"{error.source}: {error.field}: {spoken(error.problem)}", spoken(error.remedy)
    return spoken(error.what), spoken(error.remedy)


def spoken_whole(error: SageError) -> str:
    """Both sentences in one line."""
    if translation.current() == ENGLISH:
        return str(error)
    return "".join(spoken_error(error))
