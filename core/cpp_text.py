"""C++ text without what the compiler does not read as code: the one stripper that everything uses, on hosts too.

It knows numbers, character literals, strings and raw strings, so that `"//"` begins no comment, the quote in
`1'000` no character and the one in `nameR"(` no raw string. A stripper that is wrong there hides code from
every judge.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

# Of text whose lines that a backslash joins are one. Only the beginning of a raw string: its end is
# looked for in the text as written, where such a backslash is part of it.
_TOKENS = re.compile(
    r"(?P<number>(?<!\w)\.?\d(?:'?\w|[eEpP][+-]|\.)*)"
    r"|(?P<comment>//[^\r\n]*|/\*.*?(?:\*/|\Z))"
    r'|(?P<raw>(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\()'
    r"|(?P<string>\"(?:[^\"\\\r\n]|\\[^\r\n])*\"|'(?:[^'\\\r\n]|\\[^\r\n])+')"
    # A quote without its partner takes the rest of the line with it, where `#if 0` makes it no error.
    r"|(?P<open>[\"'][^\r\n]*)",
    re.DOTALL,
)
# Blanks behind the backslash do not matter to g++ and clang, and a carriage return alone ends a line.
JOINT = re.compile(r"\\[ \t\f\v]*(?:\r\n?|\n)")
# A name of a header in which a comment or a string would begin where it is no name, as in a skipped branch.
_GAP = r"(?:\s|/\*(?:[^*]|\*(?!/)){0,2000}+\*/)*+"
_ODD_HEADER = re.compile(
    rf"(?:(?:#|%:){_GAP}(?:include|import)\w*|\b__has_include\w*{_GAP}\()"
    rf"{_GAP}<[^>\n]{{0,400}}(?:[\"']|/[/*])"
)
_CONDITION = re.compile(
    r"\s*(?:#|%:)\s*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?P<of>.*)",
    re.DOTALL,
)
_CONSTANT = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:el)?if\b[ \t(]*[01]\b", re.MULTILINE)
# Compilers differ in what these join or end, so such a text is left as it is.
_UNSURE = re.compile(r"\?\?[=/]|\\[ \t\f\v]+\r?\n|\r(?!\n)")
_BRACKET = re.compile(r"[()]")
_SPLICE = re.compile(r"\\\n\0?")
_INNER_BREAK = "\v"  # a line break in a comment or a string, which ends no directive


@dataclass(frozen=True)
class Token:
    """A comment, string or number of a text.

    Attributes:
        kind: `comment`, `string` (raw ones and characters, too), `number`, or `open` for a quote without
            its partner and the rest of its line.
        start, end: Where it stands.
    """

    kind: str
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """Comments, strings and numbers of C++ source, in order.

    A text that compilers may read otherwise is one `open` token.
    """
    joined = _Joined(text)
    if _ODD_HEADER.search(joined.text):
        yield Token("open", 0, len(text))
        return
    place = 0
    while match := _TOKENS.search(joined.text, place):
        kind, place = str(match.lastgroup), match.end()
        start, end = (
            joined.original_place(match.start()),
            joined.original_place(place - 1) + 1,
        )
        if match["raw"] is not None:
            kind, closing = "string", f'){match["mark"]}"'
            close = text.find(closing, end)
            end = close + len(closing) if close >= 0 else end
            place = joined.place(end)
        yield Token(kind, start, end)


class _Joined:
    """A text whose lines that a backslash joins are one, and where its characters were written."""

    def __init__(self, text: str) -> None:
        self.text = JOINT.sub("", text)
        joints = list(JOINT.finditer(text))
        lengths = (len(joint[0]) for joint in joints)
        self._removed = [0, *accumulate(lengths)]  # before and behind each joint
        self._written = [joint.start() for joint in joints]
        self._places = [
            start - removed
            for start, removed in zip(self._written, self._removed, strict=False)
        ]

    def original_place(self, place: int) -> int:
        """Where a character of the joined text was written."""
        return place + self._removed[bisect_right(self._places, place)]

    def place(self, original: int) -> int:
        """The place in the joined text of what was written there."""
        return original - self._removed[bisect_left(self._written, original)]


def without_comments(text: str, string: Callable[[str, int], str] | None = None) -> str:
    """`text` with every comment turned into a blank; it keeps its lines.

    Args:
        text: C++ source; half a file will do, what is open at its end is closed there.
        string: What to write for a string, a raw string or a character, by what it is and where it begins;
            they stay by default.
    """

    def replaced(token: Token) -> str:
        part = text[token.start : token.end]
        if token.kind == "comment":
            return " " + "\n" * part.count("\n")
        return string(part, token.start) if string and token.kind == "string" else part

    return _rewritten(text, replaced)


def _rewritten(text: str, replaced: Callable[[Token], str]) -> str:
    parts, place = [], 0
    for token in tokens(text):
        parts += [text[place : token.start], replaced(token)]
        place = token.end
    return "".join((*parts, text[place:]))


def code_of(text: str, string: Callable[[str, int], str] | None = None) -> str:
    """As `without_comments`, and what the preprocessor skips for certain is blanked out."""
    return without_comments(_active(text), string)


@lru_cache(maxsize=32)  # every reader of a candidate asks for the same few files
def code_in_place(text: str) -> str:
    """`text` with comments and skipped branches blanked out; everything else stays at its place."""
    active = _active(text)

    def replaced(token: Token) -> str:
        part = active[token.start : token.end]
        return _blanks(part) if token.kind == "comment" else part

    return _rewritten(active, replaced)


def blanked(text: str) -> str:
    """As `code_in_place`, with strings and characters blanked out, too."""
    active = _active(text)

    def replaced(token: Token) -> str:
        part = active[token.start : token.end]
        return part if token.kind == "number" else _blanks(part)

    return _rewritten(active, replaced)


def closing_brackets(code: str) -> dict[int, int]:
    """Where each round bracket closes that does, by where it opens; of text without comments and strings."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for bracket in _BRACKET.finditer(code):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            closing[opened.pop()] = bracket.start()
    return closing


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
        around, has_branch = open_ones.pop()
        if word == "endif":
            read = around
        else:
            decided = word in ("if", "elif") and holds is not None
            branch = holds if decided else True
            read = around and not has_branch and branch is True
            open_ones.append((around, has_branch or (decided and holds is True)))
        began = end
    return iter(()) if open_ones else iter(spans)


def _constant(condition: str) -> bool | None:
    """What a condition that is nothing but 0 or 1 says; None of any other."""
    plain = re.sub(r"[\s()]", "", condition)
    return {"0": False, "1": True}.get(plain)


def _logical_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each line begins and ends as the preprocessor counts them, and its text without comments."""
    plain = text.replace(_INNER_BREAK, " ")

    def replaced(token: Token) -> str:
        part = plain[token.start : token.end]
        if token.kind == "number":
            return part
        return _blanks(part).replace("\n", _INNER_BREAK)

    bare = _rewritten(plain, replaced)
    # A carriage return must not stand between a backslash and its line break; every place is kept.
    bare = bare.replace("\\\r\n", "\\\n\0").replace("\r\n", " \n")
    start = 0
    while start < len(bare):
        end = start
        while True:
            end = bare.find("\n", end) + 1 or len(bare)
            if not bare.endswith("\\\n", start, end) or end == len(bare):
                break
        yield start, end, _SPLICE.sub("", bare[start:end])
        start = end
