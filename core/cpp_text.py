"""C++ text without what the compiler does not read as code: the one stripper that everything uses, on hosts too.

It knows numbers, character literals, strings and raw strings, so that `"//"` begins no comment, the quote in
`1'000` no character and the one in `nameR"(` no raw string. A stripper that is wrong there hides code from
whoever judges it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

_TOKENS = re.compile(
    r"(?P<kept>(?<!\w)\.?\d(?:'?\w|[eEpP][+-]|\.)*|#[ \t]*include[ \t]*<[^>\n]*>)"
    r"|(?P<comment>//(?:[^\n\\]|\\.)*|/\*.*?(?:\*/|\Z))"  # a line comment goes on after a backslash
    r'|(?P<raw>(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)+'"
    # A quote without its partner takes the rest of the line with it, where `#if 0` makes it no error.
    r"|(?P<open>[\"'](?:[^\n\\]|\\.)*)",
    re.DOTALL,
)
_CONDITION = re.compile(
    r"\s*(?:#|%:)\s*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?P<of>.*)",
    re.DOTALL,
)
_CONSTANT = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:el)?if\b[ \t(]*[01]\b", re.MULTILINE)
# Compilers differ in what these join or end, so such a text is left as it is.
_UNSURE = re.compile(r"\?\?[=/]|\\[ \t\f\v]+\r?\n|\r(?!\n)")
_SPLICE = re.compile(r"\\\n\0?")
_INNER_BREAK = "\v"  # a line break in a comment or a string, which ends no directive


def without_comments(
    text: str, string: Callable[[re.Match[str]], str] | None = None
) -> str:
    """`text` with every comment turned into a blank; it keeps its lines.

    Args:
        text: C++ source; half a file will do, what is open at its end is closed there.
        string: What to write for a string, a raw string or a character; they stay by default.
    """

    def replaced(match: re.Match[str]) -> str:
        if match["kept"] or match["open"]:
            return match[0]
        if match["comment"]:
            return " " + "\n" * match[0].count("\n")
        return string(match) if string else match[0]

    return _TOKENS.sub(replaced, text)


def code_of(text: str, string: Callable[[re.Match[str]], str] | None = None) -> str:
    """As `without_comments`, and what the preprocessor skips for certain is blanked out."""
    return without_comments(_active(text), string)


@lru_cache(maxsize=32)  # every reader of a candidate asks for the same few files
def code_in_place(text: str) -> str:
    """`text` with comments and skipped branches blanked out; everything else stays at its place."""

    def replaced(match: re.Match[str]) -> str:
        return _blanks(match[0]) if match["comment"] else match[0]

    return _TOKENS.sub(replaced, _active(text))


def blanked(text: str) -> str:
    """As `code_in_place`, with strings and characters blanked out, too."""

    def replaced(match: re.Match[str]) -> str:
        return match[0] if match["kept"] else _blanks(match[0])

    return _TOKENS.sub(replaced, _active(text))


def _blanks(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _active(text: str) -> str:
    """`text` without the branches of `#if 0` and `#if 1` that no compiler reads; positions stay.

    Conditions with names are not decided: all their branches stay. So does everything in a text whose
    conditions do not match up, or of which compilers may think otherwise.
    """
    if not _CONSTANT.search(text) or _UNSURE.search(text):
        return text
    skipped = list(_skipped(text))
    for start, end in skipped:
        text = text[:start] + _blanks(text[start:end]) + text[end:]
    return text


def _skipped(text: str) -> Iterator[tuple[int, int]]:
    """Where the skipped branches of a text begin and end; none when its conditions do not match up."""
    spans: list[tuple[int, int]] = []
    # Of each open condition: whether the text around it is read, whether an earlier branch certainly was.
    open_ones: list[tuple[bool, bool]] = []
    read, began = True, 0
    for start, end, line in _logical_lines(text):
        directive = _CONDITION.match(line)
        if directive is None:
            continue
        word, holds = directive["word"], _constant(directive["of"])
        opens = word.startswith("if")
        if not opens and not open_ones:
            return iter(())
        if not read:
            spans.append((began, start))
        if opens:
            open_ones.append((read, False))
        around, taken = open_ones.pop()
        if word == "endif":
            read = around
        else:
            decided = word in ("if", "elif") and holds is not None
            branch = holds if decided else True
            read = around and not taken and branch is True
            open_ones.append((around, taken or (decided and holds is True)))
        began = end
    return iter(()) if open_ones else iter(spans)


def _constant(condition: str) -> bool | None:
    """What a condition that is nothing but 0 or 1 says; None of any other."""
    plain = re.sub(r"[\s()]", "", condition)
    return {"0": False, "1": True}.get(plain)


def _logical_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each line begins and ends as the preprocessor counts them, and its text without comments."""

    def replaced(match: re.Match[str]) -> str:
        if match["kept"]:
            return match[0]
        return re.sub(r"[^\n]", " ", match[0]).replace("\n", _INNER_BREAK)

    # A carriage return must not stand between a backslash and its line break; every place is kept.
    plain = text.replace("\v", " ").replace("\\\r\n", "\\\n\0")
    bare = _TOKENS.sub(replaced, plain.replace("\r\n", " \n"))
    start = 0
    while start < len(bare):
        end = start
        while True:
            end = bare.find("\n", end) + 1 or len(bare)
            if not bare.endswith("\\\n", start, end) or end == len(bare):
                break
        yield start, end, _SPLICE.sub("", bare[start:end])
        start = end
