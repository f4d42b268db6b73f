"""Reading C++ sources as text."""

from __future__ import annotations

import re
from functools import lru_cache

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)


@lru_cache(maxsize=32)  # every reader of a candidate asks for the same few files
def strip_comments(text: str) -> str:
    """Blank out comments, keeping strings and the position of every line."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return _COMMENT.sub(blank, text)


def leans_on_empty_assert(text: str) -> bool:
    """Whether some ASSERT(...) of `text` is no statement of its own.

    A release build for the device replaces it by nothing: `value ASSERT(ok);` and `ASSERT(ok) f();` compile.
    """
    code = strip_comments(text)
    for match in re.finditer(r"\bASSERT\s*\(", code):
        before, end, depth = code[: match.start()].rstrip(), match.end(), 1
        while end < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith("#"):
            continue
        if before[-1:] not in ";{})" or not code[end:].lstrip().startswith((";", "\\")):
            return True
    return False
