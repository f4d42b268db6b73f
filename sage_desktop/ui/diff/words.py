"""Which name of the API a place in a line of a kernel is about."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;]*>)?\s*\(")
_KEYWORDS = {
    "const",
    "for",
    "if",
    "reinterpret_cast",
    "return",
    "sizeof",
    "static_cast",
    "switch",
    "void",
    "while",
}


def word_at(text: str, index: int) -> str:
    """The name around character `index`, without keywords; empty when none is there."""
    for found in _NAME.finditer(text):
        if found.start() <= index <= found.end():
            return "" if found.group() in _KEYWORDS else found.group()
    return ""


def call_of(text: str) -> str:
    """What a line is about where nobody points: the first function it calls, else the first name in it."""
    for found in _CALL.finditer(text):
        if found.group(1) not in _KEYWORDS:
            return found.group(1)
    names = (found.group() for found in _NAME.finditer(text))
    return next((name for name in names if name not in _KEYWORDS), "")
