"""Reading C++ sources as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from core.cpp_text import code_in_place


def code_below(files: Mapping[str, str], folder: str) -> list[str]:
    """Texts of the candidate's files below `op_host` or `op_kernel`, without comments and skipped branches."""
    return [
        code_in_place(text)
        for path, text in files.items()
        if path.startswith(f"{folder}/")
    ]


def leans_on_empty_assert(text: str) -> bool:
    """Whether some ASSERT(...) of `text` is no statement of its own.

    A release build for the device replaces it by nothing: `value ASSERT(ok);` and `ASSERT(ok) f();` compile.
    """
    code = code_in_place(text)
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


# In this order: what a comment sign or a quote inside does not begin.
_LEXEME = re.compile(
    r"(?P<kept>(?:u8|[uUL])?R\"(?P<fence>[^\s()\\]{0,16})\(.*?\)(?P=fence)\""
    r"|#[ \t]*include[ \t]*<[^>\n]*>"
    r"|(?:u8|[uUL])?\"(?:\\.|[^\"\\\n])*\""
    r"|\.?\d(?:[eEpP][+-]|['.\w])*"  # numbers, with separators that look like quotes
    r"|[A-Za-z_]\w*"
    r"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<gap>(?://[^\n]*|/\*.*?\*/|[ \t]+)+)",
    re.DOTALL,
)
_SPLICED_COMMENT = re.compile(r"//[^\n]*\\[ \t\r]*\n")


@lru_cache(maxsize=64)  # every dtype signature asks for the same files
def program_text(text: str) -> str:
    """`text` with what no compiler reads made equal: comments and the width of blanks, line numbers kept.

    Two texts with one program text compile to the same object: their tokens are the same, on the same lines.
    A text it is not sure about comes back as it is.
    """
    if _SPLICED_COMMENT.search(text):  # the comment goes on in the next line
        return text

    def ends_line(place: int) -> bool:
        return text[place : place + 1] in ("", "\n")

    def begins_line(place: int) -> bool:
        if place == 0:
            return True
        before = text[text.rfind("\n", 0, place - 1) + 1 : place]
        return before.endswith("\n") and not before.rstrip().endswith(
            "\\"
        )  # a splice may join two words

    def plain(match: re.Match[str]) -> str:
        if match["kept"] is not None:
            return match[0]
        # A comment over several lines does not end a directive, as its line breaks alone would.
        lines = "\n" * match[0].count("\n")
        if lines:
            return f"/*{lines}*/"
        return "" if ends_line(match.end()) or begins_line(match.start()) else " "

    return _LEXEME.sub(plain, text)
