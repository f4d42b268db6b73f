"""Names in a kernel's C++: the function a line belongs to, and the name a place in a line is about.

By brackets and words: enough for a heading and a look-up, no parser; no Qt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_IGNORED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/')
_NAMED = re.compile(r"[A-Za-z_~]\w*\s*\(")
_STATEMENT = re.compile(
    r"^\s*(?:\}?\s*else\b|if\b|for\b|while\b|switch\b|do\b|return\b|catch\b|#|case\b)"
)
# Parameters of a function may take several lines.
_HEAD_LINES = 6
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


def functions(lines: Sequence[str]) -> list[int | None]:
    """[lines] 0-based line in which the innermost function around each line begins; None outside."""
    around: list[int | None] = []
    # For each open bracket the line its function begins in, None for other blocks.
    opened: list[int | None] = []
    # A line that may begin a function, until `{` or `;` decides.
    head: int | None = None
    for number, line in enumerate(lines):
        text = _IGNORED.sub("", line)
        if head is not None and number - head > _HEAD_LINES:
            head = None
        if head is None and _NAMED.search(text) and not _STATEMENT.match(text):
            head = number
        # The innermost function; blocks within it have no head.
        heads = (start for start in reversed(opened) if start is not None)
        function_head = next(heads, None)
        for character in text:
            if character == "{":
                opened.append(head)
                head = None
            elif character == "}" and opened:
                opened.pop()
            elif character == ";":
                head = None
        around.append(function_head)
    return around


def word_at(text: str, index: int) -> str:
    """The name around character `index`, without keywords; empty when none is there."""
    for name in _NAME.finditer(text):
        if name.start() <= index <= name.end():
            return "" if name.group() in _KEYWORDS else name.group()
    return ""


def call_of(text: str) -> str:
    """What a line is about by itself: the first function it calls, else the first name in it."""
    for call in _CALL.finditer(text):
        if call.group(1) not in _KEYWORDS:
            return call.group(1)
    names = (name.group() for name in _NAME.finditer(text))
    return next((name for name in names if name not in _KEYWORDS), "")
