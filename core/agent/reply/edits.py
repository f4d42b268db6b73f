"""Exact search/replace edits: applied only where the old text stands exactly once.

Nothing is guessed.

Form, inside the fenced block of a file: one or more of
`<<<<<<< SEARCH`, old lines, `=======`, new lines, `>>>>>>> REPLACE`.
"""

from __future__ import annotations

import difflib
import itertools
import operator
from collections.abc import Mapping
from dataclasses import dataclass

_MOST_EDITS = 500  # of one file
_MOST_STARTS = 200  # places where a searched text may begin that are compared
# Lines among which the closest one is looked for, and characters of each: the time of a comparison grows with
# the square of its length.
_MOST_LINES, _LINE = 2000, 100
_SEARCH, _DIVIDE, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"


@dataclass(frozen=True)
class Edit:
    """Replace `old` by `new`.

    Both are whole lines with their newlines, `new` may be empty.
    """

    old: str
    new: str


class EditRefused(Exception):
    """An edit cannot be read or applied; the text is worded for the model."""


def is_edit(text: str) -> bool:
    """Whether the body of a fenced block is a list of edits, not a file."""
    return text.lstrip().startswith(_SEARCH)


def read_edits(text: str) -> tuple[Edit, ...]:
    """Read a block of edits.

    Raises:
        EditRefused: A marker is missing or out of order, or there is nothing to search
            for.
    """
    edits: list[Edit] = []
    parts: list[list[str]] = []  # lines to search for, then lines to put there
    for line in text.splitlines(keepends=True):
        mark = line.rstrip()
        if mark == _SEARCH and not parts:
            parts = [[]]
        elif mark == _DIVIDE and len(parts) == 1:
            parts.append([])
        elif mark == _REPLACE and len(parts) == 2:
            edits.append(_edit("".join(parts[0]), "".join(parts[1])))
            parts = []
        elif parts and mark != _SEARCH:
            # Also a marker out of turn, which a text under edit may contain.
            parts[-1].append(line)
        elif mark:
            raise EditRefused(
                f"an edit block has {mark[:60]!r} where `{_SEARCH}` must stand."
            )
    if parts:
        raise EditRefused(
            f"an edit ends without `{_DIVIDE if len(parts) == 1 else _REPLACE}`."
        )
    return tuple(edits)


def _edit(old: str, new: str) -> Edit:
    if not old.strip():
        raise EditRefused(
            "an edit searches for nothing; give at least one line that stands in the file."
        )
    return Edit(old, new)


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """`text` with the edits applied one after the other.

    Raises:
        EditRefused: What is searched for does not stand there exactly once.
    """
    if len(edits) > _MOST_EDITS:
        raise EditRefused(
            f"{len(edits)} edits of one file, more than {_MOST_EDITS}; send it whole."
        )
    for edit in edits:
        places = _places(text, edit.old)
        if len(places) != 1:
            raise EditRefused(
                _missing(text, edit.old)
                if not places
                else _ambiguous(edit.old, len(places))
            )
        at = places[0]
        text = text[:at] + edit.new + text[at + len(edit.old) :]
    return text


def _places(text: str, old: str) -> list[int]:
    """Offsets in `text` of every `old` that begins at the start of a line."""
    lines, sought = f"\n{text}", f"\n{old}"
    places = []
    at = lines.find(sought)
    while at >= 0:
        places.append(at)
        at = lines.find(sought, at + 1)
    return places


def _missing(text: str, old: str) -> str:
    """Words for the model on a search that no place fits: how far it fits, or what comes close."""
    old_lines, lines = old.rstrip("\n").split("\n"), text.split("\n")
    first = next(line for line in old_lines if line.strip())
    problem = f"the searched text beginning {first.strip()[:100]!r} does not stand in the file exactly."
    start, equal_lines = _longest_start(old_lines, lines)
    if equal_lines:
        expected = f"line {equal_lines + 1} of it, {old_lines[equal_lines][:100]!r}"
        number = start + equal_lines
        if number >= len(lines):
            return f"{problem} The file ends where {expected}, should stand."
        return (
            f"{problem} The first line that differs is {expected}: line {number + 1} of the file is "
            f"{lines[number][:100]!r}."
        )
    candidates = [line[:_LINE] for line in lines[:_MOST_LINES]]
    close = difflib.get_close_matches(first[:_LINE], candidates, n=1, cutoff=0.6)
    if not close:
        return problem
    closest = close[0]
    # Where nothing but the indentation differs, it is what the model has to see.
    if closest.strip() != first[:_LINE].strip():
        closest = closest.strip()
    return f"{problem} The closest line there is {closest!r}."


def _longest_start(searched: list[str], lines: list[str]) -> tuple[int, int]:
    """Where in `lines` most of `searched` fits, counted from its first line.

    Only the first `_MOST_STARTS` lines equal to its first one are compared: a file of
    equal lines would take minutes.

    Returns:
        Index of the line where it begins, and how many lines are equal; (0, 0) when
        its first line does not occur.
    """
    best = (0, 0)
    starts = (start for start, line in enumerate(lines) if line == searched[0])
    for start in itertools.islice(starts, _MOST_STARTS):
        equal = map(operator.eq, searched, lines[start:])
        equal_lines = sum(itertools.takewhile(operator.truth, equal))
        if equal_lines > best[1]:
            best = start, equal_lines
    return best


def _ambiguous(old: str, times: int) -> str:
    first = old.strip("\n").split("\n")[0].strip()
    return f"the searched text beginning {first[:100]!r} stands in the file {times} times; add lines around it."


def with_edits(
    base: Mapping[str, str],
    files: Mapping[str, str],
    edits: Mapping[str, tuple[Edit, ...]],
) -> dict[str, str]:
    """Files of the candidate: `base`, replaced by whole `files`, then edited.

    Raises:
        EditRefused: An edit does not apply; the text begins with the path.
    """
    result = {**base, **files}
    for path, changes in edits.items():
        if path not in result:
            raise EditRefused(f"{path}: there is no such file to edit; send it whole.")
        try:
            result[path] = apply_edits(result[path], changes)
        except EditRefused as refused:
            raise EditRefused(f"{path}: {refused}") from refused
    return result
