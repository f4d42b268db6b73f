"""Calls of a kernel that no visible case made: branches that were not tried.

The simulator notes the lines that made a call. Instructions that stand elsewhere in the code of
the candidate were made by no case. Hidden cases are left out: which lines they run would tell
their shapes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.cpp_text import blanked, closing_brackets
from core.evaluation.records import NOT_RUN, Finding, Severity
from remote.judge.cases.outcome import CaseOutcome

_FOLDER = "op_kernel/"
_MOST = 8  # places that are named, those of most calls
_MOST_NAMES = 4
# Instructions whose line the simulator always sees. Other names of the API may make no call of
# their own, so that they say nothing.
_INSTRUCTIONS = (
    "Abs|Add|Adds|And|ArithProgression|Axpy|BlockReduce(?:Max|Min|Sum)|Brcb|Cast|Compare"
    "|CompareScalar|Copy|CreateVecIndex|CumSum|DataCopy|DataCopyPad|Div|Duplicate|Exp|Fixpipe"
    "|Gather|GatherMask|LeakyRelu|Ln|LoadData|LoadDataWithTranspose|Maxs?|Mins?|Mmad|MrgSort"
    "|Mul|Muls|MulAddDst|Not|Or|PairReduceSum|Reciprocal|ReduceMax|ReduceMin|ReduceSum|Relu"
    "|RepeatReduceSum|Rsqrt|Select|ShiftLeft|ShiftRight|Sort32|Sqrt|Sub|SubRelu|TransDataTo5HD"
    "|Transpose|WholeReduce(?:Max|Min|Sum)"
)
# Not a method of the candidate's own objects.
_CALL = re.compile(
    rf"(?<![\w.>])(?P<name>{_INSTRUCTIONS})\s*(?:<[^;(){{}}]{{0,400}}>)?\s*(?P<open>\()"
)
_OWN = re.compile(rf"\bvoid\s+(?P<name>{_INSTRUCTIONS})\s*\(")
_DIRECTIVE = re.compile(
    r"^[ \t]*#(?:[^\n\\]|\\[^\n]|\\\n)*", re.MULTILINE
)  # a macro's calls stand where it is used


@dataclass(frozen=True)
class _Call:
    """A call in the text, from its name to its closing bracket, by lines from 1 on."""

    name: str
    first: int
    last: int


def unrun_calls(
    files: Mapping[str, str], outcomes: Sequence[CaseOutcome]
) -> tuple[Finding, ...]:
    """Where instructions stand that no visible case ran, the places of most calls first.

    Empty where a visible case did not come to its end: what follows is unrun anyway.

    Args:
        files: The candidate, path -> text.
        outcomes: Of all cases.
    """
    visible = [
        one for one in outcomes if not one.row.hidden and one.row.status != "skipped"
    ]
    launches = [one.launch for one in visible if one.launch is not None]
    is_whole = len(launches) == len(visible) and all(one.completed for one in launches)
    if not launches or not is_whole:
        return ()
    places: list[tuple[str, list[_Call]]] = []
    for path, text in sorted(files.items()):
        if not path.startswith(_FOLDER):
            continue
        ran = frozenset[int]().union(*(one.ran.get(path, ()) for one in launches))
        places += [(path, block) for block in _blocks(_calls(text), ran)]
    places.sort(key=lambda place: -len(place[1]))
    who = "no visible case runs"
    if len(visible) == 1:
        who = f"{visible[0].row.case} does not run"
    return tuple(_finding(path, block, who) for path, block in places[:_MOST])


def _calls(text: str) -> Iterator[_Call]:
    """The instructions in a file, in order."""
    code = _DIRECTIVE.sub(_blank, blanked(text))
    own = {match["name"] for match in _OWN.finditer(code)}
    breaks = [match.start() for match in re.finditer("\n", code)]
    closing = closing_brackets(code)
    for match in _CALL.finditer(code):
        if match["name"] in own:
            continue
        end = closing.get(match.start("open"), len(code))
        first, last = (1 + bisect_right(breaks, at) for at in (match.start(), end))
        yield _Call(match["name"], first, last)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _blocks(calls: Iterator[_Call], ran: frozenset[int]) -> list[list[_Call]]:
    """Calls that follow each other in the text without one between them that ran."""
    blocks: list[list[_Call]] = [[]]
    for call in calls:
        if any(line in ran for line in range(call.first, call.last + 1)):
            blocks.append([])
        else:
            blocks[-1].append(call)
    return [block for block in blocks if block]


def _finding(path: str, block: Sequence[_Call], who: str) -> Finding:
    names = list(dict.fromkeys(call.name for call in block))
    listed = ", ".join(names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        listed += f" and {len(names) - _MOST_NAMES} other instructions"
    first, last = block[0].first, block[-1].last
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    return Finding(
        NOT_RUN,
        Severity.NOTE,
        f"{who} {listed} in {lines}",
        file=path,
        line=first,
    )
