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
    bare = _DIRECTIVE.sub(_as_marks, blanked(text))
    for start, end in _functions(bare):
        block = bare[start:end]
        if _is_for_host(block):
            kept = _without_code(text[start:end], block)
            text = text[:start] + kept + text[end:]
    return text


def _as_marks(directive: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "#", directive[0])


def _without_code(text: str, bare: str) -> str:
    """Spaces for everything but directives, which `bare` marks, and ends of lines."""
    signs = zip(text, bare, strict=True)
    return "".join(sign if mark in "#\n" else " " for sign, mark in signs)


def _is_for_host(block: str) -> bool:
    if _DEVICE.search(block):
        return False
    head = block.partition("{")[0]
    return "<<<" in block or _MAIN.search(head) is not None


def _functions(bare: str) -> list[tuple[int, int]]:
    """Where the top-level blocks of a text without comments begin, with what names them, and end."""
    spans: list[tuple[int, int]] = []
    start = 0
    depth = 0
    # Depth of namespaces and `extern "C"`, in which a block is still a top-level one.
    outer = 0
    for at, sign in enumerate(bare):
        if sign == "{":
            if depth == outer and _SCOPE.search(bare[start:at]):
                outer += 1
            depth += 1
            if depth == outer:
                start = at + 1
        elif sign == "}":
            depth -= 1
            if depth == outer:
                spans.append((start, at + 1))
            outer = min(outer, depth)
            if depth <= outer:
                start = at + 1
        elif depth == outer and sign == ";":
            start = at + 1
    return spans
