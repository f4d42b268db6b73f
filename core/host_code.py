"""What of a kernel's file only the host runs: functions that launch kernels, and `main`. The judge uses it, too."""

from __future__ import annotations

import re

from core.cpp_text import blanked

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
_SCOPE = re.compile(r"\b(?:namespace|extern)\b[^(){};]*\Z")
_MAIN = re.compile(r"\bint(?:32_t)?\s+main\s*\(")
_DEVICE = re.compile(r"\b__(?:aicore|global)__\b")


def without_host_functions(text: str) -> str:
    """`text` with functions that launch a kernel, and `main`, blanked out; lines and columns are kept.

    The device's build compiles only what kernels call, so what these functions name need not exist there.
    """
    if "<<<" not in text and not _MAIN.search(text):
        return text
    # A brace in a macro need not have its partner there. Conditions around the functions stay.
    bare = _DIRECTIVE.sub(
        lambda directive: re.sub(r"[^\n]", "#", directive[0]), blanked(text)
    )
    for start, end in _functions(bare):
        if _is_for_host(bare[start:end]):
            marks = [
                sign if mark in "#\n" else " "
                for sign, mark in zip(text[start:end], bare[start:end], strict=True)
            ]
            text = text[:start] + "".join(marks) + text[end:]
    return text


def _is_for_host(block: str) -> bool:
    if _DEVICE.search(block):
        return False
    head = block.partition("{")[0]
    return "<<<" in block or _MAIN.search(head) is not None


def _functions(bare: str) -> list[tuple[int, int]]:
    """Where the top-level blocks of a text without comments begin, with what names them, and end."""
    spans: list[tuple[int, int]] = []
    depth, start, outer = 0, 0, 0
    for at, sign in enumerate(bare):
        if sign == "{":
            head = bare[start:at]
            outer += depth == outer and _SCOPE.search(head) is not None
            depth += 1
            start = at + 1 if depth == outer else start
        elif sign == "}":
            depth -= 1
            if depth == outer:
                spans.append((start, at + 1))
            outer = min(outer, depth)
            start = at + 1 if depth <= outer else start
        elif depth == outer and sign == ";":
            start = at + 1
    return spans
