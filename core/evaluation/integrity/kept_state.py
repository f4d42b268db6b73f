"""Variables of a candidate that outlive a call: cached outputs, and calls that are counted.

A kernel with such a variable is not linked for the CPU twin, where op_host starts afresh for every call. With
CANN one process serves all cases.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from core.evaluation.integrity.source import Source

# Every expression here is read in time that grows with the text alone: what repeats has
# one reading (possessive quantifiers), and what may be anything has a bound.
_INDICES = r"(?:\[(?:[^;\[\]]|\[[^;\[\]]*+\])*+\]\s*+)*+"
_STATIC = re.compile(
    r"(?P<const>\b(?:const|constexpr)[ \t]+)?\b(?:inline\s+)?(?:static|thread_local)\s+"
    r"(?!(?:const|constexpr|inline|__aicore__|__global__)\b)"
    r"(?:thread_local\s+|volatile\s+)?[\w:]+(?:\s*<[^;{}()]{0,400}>)?[\s*&]+(?P<name>\w+)\s*"
    rf"{_INDICES}(?=[=;{{])"
)
# Another variable of the same name gets its first value.
_CONSTANT = (
    r"\b(?:const|constexpr)\b(?:\w|::|[<>*&\s]){0,200}[\s*&]{name}\s*" + _INDICES + "="
)
_OTHER_WORDS = re.compile(
    r"#[ \t]*define[ \t]+(?:const|constexpr|static|thread_local)\b"
)
# What may change a variable called {name}: assignment, also of an element; stepping; taking a reference;
# calls of its members other than those that only look; handing it to what the language knows as a changer.
_CHANGE = (
    r"(?<![\w.])(?<!->){name}\s*" + _INDICES + r"(?:[-+*/%&|^]|<<|>>)?=(?!=)"
    r"|(?:\+\+|--)\s*{name}\b|\b{name}\s*(?:\+\+|--|->|\()"
    r"|(?<!&)&\s*(?:\w+\s*=\s*)?{name}\b"
    r"|\b{name}\s*\.\s*(?!(?:find|at|count|contains|size|length|empty|c?begin|c?end|c_str|front|back|load)\b)\w+"
    r"|\b(?:swap|exchange|ref|tie|forward|move|addressof)\s*(?:<[^;()]{0,200}>)?\s*\([^;]{0,400}\b{name}\b"
)
_MOST_STATICS = 64
_MOST_FUNCTIONS = 200
_LONGEST_CALLEE = 450  # characters, arguments of its template included
_CALLEE = re.compile(r"\b(\w{1,200})\s{0,40}(?:<[^;()]{0,200}>)?\s{0,40}$")

Hit = tuple[str, int, str]  # path, line, what


def kept_state(sources: Sequence[Source]) -> Iterator[Hit]:
    """Static variables that something changes; tables and numbers that are only read keep nothing."""
    statics: dict[str, list[Hit]] = {}
    for source in sources:
        for match in _STATIC.finditer(source.code):
            name = match.group("name")
            if not match.group("const"):
                line = source.line_of(match.start())
                what = f"keeps {name} from one call to the next"
                statics.setdefault(name, []).append((source.path, line, what))
    for number, (name, hits) in enumerate(statics.items()):
        # Too many to follow; each is looked for in all files.
        if number >= _MOST_STATICS or _is_changed(name, sources):
            yield from hits


def _is_changed(name: str, sources: Sequence[Source]) -> bool:
    """Whether the code may change the variable `name`, apart from where it is declared."""
    change = re.compile(_CHANGE.replace("{name}", re.escape(name)))
    for place in sources:
        first_values = sorted(_first_values(name, place, sources))
        starts = [start for start, _ in first_values]
        reached = list(accumulate((end for _, end in first_values), max))
        for hit in change.finditer(place.code):
            # Of the first values that begin before it one has to reach it.
            before = bisect_right(starts, hit.start())
            if before == 0 or reached[before - 1] < hit.start():
                return True
        functions = set(_called_with(name, place.code))
        if len(functions) > _MOST_FUNCTIONS:
            return True
        if any(_takes_reference(function, sources) for function in functions):
            return True
    return False


def _called_with(name: str, code: str) -> Iterator[str]:
    """Functions that are called with the variable `name` as an argument."""
    opened: list[int] = []
    for sign in re.finditer(rf"[();]|\b{re.escape(name)}(?=\s*[,)])", code):
        if sign[0] == "(":
            opened.append(sign.start())
        elif sign[0] == ";":
            opened.clear()
        elif sign[0] == ")":
            del opened[-1:]
        elif opened:
            callee = _CALLEE.search(
                code, max(0, opened[-1] - _LONGEST_CALLEE), opened[-1]
            )
            if callee is not None:
                yield callee[1]


def _first_values(
    name: str, place: Source, sources: Sequence[Source]
) -> list[tuple[int, int]]:
    """Where variables called `name` get their first values; each static one is asked about by itself."""
    if any(_OTHER_WORDS.search(source.code) for source in sources):
        return []
    constant = re.compile(_CONSTANT.replace("{name}", re.escape(name)))
    statics = [
        match for match in _STATIC.finditer(place.code) if match.group("name") == name
    ]
    return [match.span() for match in (*statics, *constant.finditer(place.code))]


def _takes_reference(function: str, sources: Sequence[Source]) -> bool:
    """Whether the candidate defines a function of this name that may change an argument."""
    head = re.compile(
        rf"[\w>*&]\s+{re.escape(function)}\s*\(([^;{{}}]{{0,2000}})\)\s*(?:const\s*+)?\{{"
    )
    parameters = (
        entry
        for source in sources
        for found in head.finditer(source.code)
        for entry in found[1].split(",")
    )
    return any(
        re.search(r"[&*]", entry) and not re.match(r"\s*const\b", entry)
        for entry in parameters
    )
