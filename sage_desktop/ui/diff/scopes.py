"""Which function a line of C++ belongs to, by brackets: enough for a heading, no parser; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

_IGNORED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/')
_NAMED = re.compile(r"[A-Za-z_~]\w*\s*\(")
_STATEMENT = re.compile(
    r"^\s*(?:\}?\s*else\b|if\b|for\b|while\b|switch\b|do\b|return\b|catch\b|#|case\b)"
)
_HEAD_LINES = 6  # parameters of a function may take several lines


def functions(lines: Sequence[str]) -> list[int | None]:
    """[lines] 0-based line in which the innermost function around each line begins; None outside."""
    around: list[int | None] = []
    opened: list[
        int | None
    ] = []  # for each open bracket the line its function begins in, None for other blocks
    head: int | None = (
        None  # a line that may begin a function, until `{` or `;` decides
    )
    for number, line in enumerate(lines):
        text = _IGNORED.sub("", line)
        if head is not None and number - head > _HEAD_LINES:
            head = None
        if head is None and _NAMED.search(text) and not _STATEMENT.match(text):
            head = number
        begins_in = next(
            (start for start in reversed(opened) if start is not None), None
        )
        for character in text:
            if character == "{":
                opened.append(head)
                head = None
            elif character == "}" and opened:
                opened.pop()
            elif character == ";":
                head = None
        around.append(begins_in)
    return around
