"""Code that was moved: runs of removed lines that were added elsewhere. Pure Python, no Qt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sage_desktop.ui.diff.engine import FileDiff, RowKind

_LINES = 3  # fewer are found everywhere: a brace, a pragma, a return
_LETTERS = 24  # letters and digits a run has at least
_TRIES = 16  # places a line that occurs often is looked for


@dataclass(frozen=True, slots=True)
class Move:
    """`length` lines that stood from the 0-based line `left` on and stand from `right` on now."""

    left: int
    right: int
    length: int


def moves(comparison: FileDiff, left: Sequence[str], right: Sequence[str]) -> tuple[Move, ...]:
    """The moved runs in the order of the older version; indentation may differ, each line counts once."""
    changed = [row for row in comparison.rows if row.kind is not RowKind.EQUAL]
    gone = {row.left: left[row.left].strip() for row in changed if row.left is not None}
    come = {row.right: right[row.right].strip() for row in changed if row.right is not None}
    places = defaultdict(list)
    for number, text in come.items():
        if text:
            places[text].append(number)
    found: list[Move] = []
    after = -1  # lines up to here are part of a run
    for start, text in sorted(gone.items()):
        if start <= after:
            continue
        tries = [place for place in places.get(text, ()) if place in come][:_TRIES]
        run = max(
            (Move(start, place, _length(gone, come, start, place)) for place in tries),
            key=_by_length,
            default=None,
        )
        if run is not None and run.length >= _LINES and _letters(gone, run) >= _LETTERS:
            found.append(run)
            after = start + run.length - 1
            for number in range(run.right, run.right + run.length):
                del come[number]
    return tuple(found)


def _by_length(move: Move) -> int:
    return move.length


def _length(gone: dict[int, str], come: dict[int, str], start: int, place: int) -> int:
    count = 0
    while (text := gone.get(start + count)) is not None and text == come.get(place + count):
        count += 1
    return count


def _letters(gone: dict[int, str], move: Move) -> int:
    lines = (gone[number] for number in range(move.left, move.left + move.length))
    return sum(character.isalnum() for line in lines for character in line)
