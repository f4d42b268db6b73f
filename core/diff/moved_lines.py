"""Lines that were moved: runs of lines that are gone in one place and stand in another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

_LINES = 3  # fewer are found everywhere: a brace, a pragma, a return
_LETTERS = 24  # letters and digits a run has at least
_TRIES = 16  # places a line that occurs often is looked for


@dataclass(frozen=True, slots=True)
class Move:
    """`length` lines that stood from the 0-based line `left` on and stand from `right` on now."""

    left: int
    right: int
    length: int


def moved_runs(removed: Mapping[int, str], come: Mapping[int, str]) -> list[Move]:
    """The moved runs in the order of the older version; each line counts once.

    Args:
        removed: Number -> text of lines the newer version has no longer where they were; blanks around them cut.
        come: The same of lines the newer version has and the older one had not there.
    """
    free = dict(come)  # lines of the newer version in no run yet
    places = defaultdict(list)
    for number, text in come.items():
        if text:
            places[text].append(number)
    runs: list[Move] = []
    after = -1  # lines of the older version up to here are part of a run
    for start, text in sorted(removed.items()):
        if start <= after or text not in places:
            continue
        tries = [place for place in places[text] if place in free][:_TRIES]
        moves = [Move(start, at, _length(removed, free, start, at)) for at in tries]
        run = max(moves, key=attrgetter("length"), default=None)
        if (
            run is not None
            and run.length >= _LINES
            and _letters(removed, run) >= _LETTERS
        ):
            runs.append(run)
            after = start + run.length - 1
            for number in range(run.right, run.right + run.length):
                del free[number]
    return runs


def _length(
    removed: Mapping[int, str], come: Mapping[int, str], start: int, place: int
) -> int:
    """How many lines from `start` on come again, in the same order, from `place` on."""
    count = 0
    while (text := removed.get(start + count)) is not None and text == come.get(
        place + count
    ):
        count += 1
    return count


def _letters(removed: Mapping[int, str], move: Move) -> int:
    lines = (removed[number] for number in range(move.left, move.left + move.length))
    return sum(character.isalnum() for line in lines for character in line)
