"""The terms a text is found by: words, identifiers and their parts, bigrams of CJK."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

TOKENIZER_VERSION = "lex-1"

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|(?![{_CJK}])[^\W\d_](?:(?![{_CJK}])\w)*|\d+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "for",
        "and",
        "or",
        "is",
        "are",
        "be",
        "with",
        "by",
        "as",
        "on",
        "from",
        "that",
        "this",
        "it",
        "if",
        "not",
        "at",
        "can",
        "will",
    ]
)


def tokenize(text: str) -> list[str]:
    """Split text into lower-case terms.

    A camelCase or snake_case identifier gives itself and its parts, so that both `DataCopyPad` and `copy`
    find it; a run of CJK characters gives its bigrams; very common English words are left out.
    """
    return list(chain.from_iterable(map(_terms, _WORD.findall(text))))


@lru_cache(maxsize=65_536)
def _terms(word: str) -> tuple[str, ...]:
    if _IS_CJK.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)
    whole = word.lower().rstrip("_")
    if whole in _STOP:
        return ()
    parts = _PART.findall(word)
    return (whole, *(part.lower() for part in parts)) if len(parts) > 1 else (whole,)
