"""Reading C++ sources as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from core.cpp_text import closing_brackets, code_in_place, tokens


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
    closing = closing_brackets(code)
    for match in re.finditer(r"\bASSERT\s*\(", code):
        start = match.start()
        line_start = code.rfind("\n", 0, start) + 1
        is_directive = code[line_start:start].lstrip().startswith("#")
        if is_directive:
            continue
        end = closing.get(match.end() - 1, len(code))
        before, behind = code[:start].rstrip(), code[end + 1 :].lstrip()
        # A backslash ends the statement in the body of a macro.
        begins_statement = before[-1:] in ";{})"
        ends_statement = behind.startswith((";", "\\"))
        if not (begins_statement and ends_statement):
            return True
    return False


_SPLICED_COMMENT = re.compile(r"//[^\n]*\\[ \t\r]*\n")
_COMMENT_SIGN, _STRING_SIGN = "\0", "x"
_GAP = re.compile(rf"[ \t{_COMMENT_SIGN}]+")


@lru_cache(maxsize=64)  # every dtype signature asks for the same files
def program_text(text: str) -> str:
    """`text` without what no compiler reads, comments and the width of blanks; line numbers are kept.

    Two texts with one program text compile to the same object: their tokens are the same, on the same lines.
    A text that may be read in two ways comes back unchanged.
    """
    # A comment that ends in a backslash swallows the next line.
    if _COMMENT_SIGN in text or _SPLICED_COMMENT.search(text):
        return text

    def ends_line(place: int) -> bool:
        return text[place : place + 1] in ("", "\n")

    def begins_line(place: int) -> bool:
        if place == 0:
            return True
        before = text[text.rfind("\n", 0, place - 1) + 1 : place]
        # After a backslash the line goes further: without the blank it could join two words.
        is_spliced = before.rstrip().endswith("\\")
        return before.endswith("\n") and not is_spliced

    # Comments become one sign and literals another, so that a gap is blanks and comments alone.
    marked = list(text)
    for token in tokens(text):
        if token.kind == "open":
            return text
        sign = _COMMENT_SIGN if token.kind == "comment" else _STRING_SIGN
        marked[token.start : token.end] = sign * (token.end - token.start)

    def plain(gap: re.Match[str]) -> str:
        # A comment over several lines does not end a directive, as its line breaks alone would.
        lines = "\n" * text.count("\n", *gap.span())
        if lines:
            return f"/*{lines}*/"
        return "" if ends_line(gap.end()) or begins_line(gap.start()) else " "

    parts, place = [], 0
    for gap in _GAP.finditer("".join(marked)):
        parts += [text[place : gap.start()], plain(gap)]
        place = gap.end()
    return "".join((*parts, text[place:]))
