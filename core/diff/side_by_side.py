"""Two texts side by side: aligned rows with filler, marks inside changed lines, folding. Pure Python, no Qt.

Only blocks of replaced lines are paired up and compared word by word, within limits, so that the worst file
still takes milliseconds.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

from core.diff.lines import blocks
from core.diff.moved_lines import Move, moved_runs

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
# How far a replaced line may move and still be shown beside its partner.
_PAIR_WINDOW = 4
_PAIR_SIMILARITY = 0.55
# Below it nearly the whole line would be marked: better no marks at all.
_MARK_SIMILARITY = 0.35
# Lines of one replaced block that are paired by likeness; beyond: by order.
_MAX_BLOCK = 400
_MAX_LINE = 600  # characters of a line compared word by word


class RowKind(Enum):
    """What a row of the comparison shows."""

    EQUAL = "equal"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` (included) to `end` (excluded) of a line, in Python's counting."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """One row: 0-based line numbers of both sides, None where the other side has no partner (filler)."""

    kind: RowKind
    left: int | None
    right: int | None
    left_marks: tuple[Span, ...] = ()
    right_marks: tuple[Span, ...] = ()

    def line(self, side: str) -> int | None:
        """Line number of `side`, `left` or `right`."""
        return self.left if side == "left" else self.right


@dataclass(frozen=True, slots=True)
class Fold:
    """A hidden run of equal rows: indices `start` (included) to `end` (excluded) into `FileDiff.rows`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FileDiff:
    """All rows of two texts and the runs of rows that changed, as (first, last + 1) row indices."""

    rows: tuple[Row, ...]
    changes: tuple[tuple[int, int], ...]

    @property
    def added(self) -> int:
        """Lines that exist on the right only, changed ones included."""
        kinds = (RowKind.ADDED, RowKind.CHANGED)
        return sum(row.kind in kinds for row in self.rows)

    @property
    def removed(self) -> int:
        """Lines that exist on the left only, changed ones included."""
        kinds = (RowKind.REMOVED, RowKind.CHANGED)
        return sum(row.kind in kinds for row in self.rows)


def compare(
    left: Sequence[str], right: Sequence[str], *, ignore_space: bool = False
) -> FileDiff:
    """Align two files.

    Args:
        left: Lines of the older version, without line ends.
        right: Lines of the newer version.
        ignore_space: Whether lines that differ only in blanks count as equal.
    """
    old = [_squeezed(line) for line in left] if ignore_space else left
    new = [_squeezed(line) for line in right] if ignore_space else right
    rows: list[Row] = []
    for block in blocks(old, new):
        old_lines = range(block.old_start, block.old_end)
        new_lines = range(block.new_start, block.new_end)
        if block.equal:
            for i, j in zip(old_lines, new_lines, strict=True):
                rows.append(Row(RowKind.EQUAL, i, j))
            continue
        partners = _pair_block(
            old[block.old_start : block.old_end],
            new[block.new_start : block.new_end],
        )
        rows += _block_rows(partners, left, right, block.old_start, block.new_start)
    return FileDiff(tuple(rows), tuple(_runs(rows)))


def inline_rows(comparison: FileDiff) -> FileDiff:
    """The same comparison for one column: within each change all removed lines, then all added ones."""
    rows: list[Row] = []
    position = 0
    for start, end in comparison.changes:
        rows.extend(comparison.rows[position:start])
        run = comparison.rows[start:end]
        rows.extend(
            Row(RowKind.REMOVED, row.left, None, row.left_marks)
            for row in run
            if row.left is not None
        )
        rows.extend(
            Row(RowKind.ADDED, None, row.right, (), row.right_marks)
            for row in run
            if row.right is not None
        )
        position = end
    rows.extend(comparison.rows[position:])
    return FileDiff(tuple(rows), tuple(_runs(rows)))


def moves(
    comparison: FileDiff, left: Sequence[str], right: Sequence[str]
) -> tuple[Move, ...]:
    """The moved runs in the order of the older version; indentation may differ, each line counts once."""
    changed = [row for row in comparison.rows if row.kind is not RowKind.EQUAL]
    removed: dict[int, str] = {}
    added: dict[int, str] = {}
    for row in changed:
        if row.left is not None:
            removed[row.left] = left[row.left].strip()
        if row.right is not None:
            added[row.right] = right[row.right].strip()
    return tuple(moved_runs(removed, added))


def folded(
    comparison: FileDiff,
    *,
    context: int = 3,
    minimum: int = 6,
    opened: frozenset[int] = frozenset(),
    keep: frozenset[int] = frozenset(),
) -> tuple[int | Fold, ...]:
    """What to show when unchanged lines are hidden: row indices and folds, in order.

    Args:
        comparison: The comparison.
        context: Unchanged rows kept visible before and after each change.
        minimum: Shortest run worth hiding.
        opened: `start` of folds the user has opened.
        keep: Rows that stay visible with their context although they are unchanged.
    """
    visible_rows: list[int | Fold] = []
    total = len(comparison.rows)
    position = 0
    pinned = [row for row in keep if comparison.rows[row].kind is RowKind.EQUAL]
    runs = [*comparison.changes, *((row, row + 1) for row in pinned)]
    runs.sort()
    # An empty run at the end: what lies behind the last change is hidden up to there.
    for start, end in (*runs, (total, total)):
        hide_from = position + context if position else 0
        hide_to = start - context if start < total else total
        if hide_to - hide_from >= minimum and hide_from not in opened:
            visible_rows.extend(range(position, hide_from))
            visible_rows.append(Fold(hide_from, hide_to))
            visible_rows.extend(range(hide_to, start))
        else:
            visible_rows.extend(range(position, start))
        visible_rows.extend(range(start, end))
        position = end
    return tuple(visible_rows)


def _squeezed(line: str) -> str:
    return re.sub(r"\s+", "", line)


def _runs(rows: Iterable[Row]) -> Iterator[tuple[int, int]]:
    """First and last + 1 index of every run of rows that changed."""
    start: int | None = None
    index = -1
    for index, row in enumerate(rows):
        if row.kind is RowKind.EQUAL:
            if start is not None:
                yield start, index
            start = None
        elif start is None:
            start = index
    if start is not None:
        yield start, index + 1


# An old line beside a new one; None where one side has no partner.
_Pair = tuple[int | None, int | None]


def _pair_block(old: Sequence[str], new: Sequence[str]) -> list[_Pair]:
    """Which old line stands beside which new line, in an order that keeps both sides in order."""
    old_count, new_count = len(old), len(new)
    is_long = max(old_count, new_count) > _MAX_BLOCK
    if old_count == new_count or not old or not new or is_long:
        return list(itertools.zip_longest(range(old_count), range(new_count)))
    pairs: list[_Pair] = []
    next_new = 0
    for i, line in enumerate(old):
        partner = _best_partner(line, new, next_new)
        if partner is None:
            pairs.append((i, None))
            continue
        pairs += [(None, j) for j in range(next_new, partner)]
        pairs.append((i, partner))
        next_new = partner + 1
    pairs += [(None, j) for j in range(next_new, new_count)]
    return pairs


def _best_partner(line: str, new: Sequence[str], start: int) -> int | None:
    """The new line, of the next few from `start` on, that is most like an old one; None where none is."""
    best = None
    best_ratio = _PAIR_SIMILARITY
    matcher = SequenceMatcher(None, autojunk=False)
    # The matcher prepares its second sequence once for many first ones.
    matcher.set_seq2(line.strip()[:_MAX_LINE])
    end = min(len(new), start + _PAIR_WINDOW)
    for j in range(start, end):
        matcher.set_seq1(new[j].strip()[:_MAX_LINE])
        # Upper bounds of the ratio, the cheapest first.
        if matcher.real_quick_ratio() <= best_ratio:
            continue
        if matcher.quick_ratio() <= best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio:
            best = j
            best_ratio = ratio
    return best


def _block_rows(
    pairs: list[_Pair],
    left: Sequence[str],
    right: Sequence[str],
    left_start: int,
    right_start: int,
) -> Iterator[Row]:
    """The rows of a replaced block: `pairs` count from its beginning on both sides."""
    for i, j in pairs:
        left_line = None if i is None else left_start + i
        right_line = None if j is None else right_start + j
        if left_line is None:
            yield Row(RowKind.ADDED, None, right_line)
        elif right_line is None:
            yield Row(RowKind.REMOVED, left_line, None)
        else:
            marks = word_marks(left[left_line], right[right_line])
            yield Row(RowKind.CHANGED, left_line, right_line, *marks)


# Of the old line and of the new one.
_Marks = tuple[tuple[Span, ...], tuple[Span, ...]]


def word_marks(old: str, new: str) -> _Marks:
    """The words that differ between two lines; nothing where the lines have too little in common."""
    if len(old) > _MAX_LINE or len(new) > _MAX_LINE:
        return (), ()
    old_words = _WORD.findall(old)
    new_words = _WORD.findall(new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    common = 0
    for block in matcher.get_matching_blocks():
        words = old_words[block.a : block.a + block.size]
        common += sum(len(word.strip()) for word in words)
    # Blanks count nowhere: two lines are not alike because both are indented.
    longest = max(len(_squeezed(line)) for line in (old, new))
    if longest == 0 or common / longest < _MARK_SIMILARITY:
        return (), ()
    old_at = _offsets(old_words)
    new_at = _offsets(new_words)
    old_marks: list[Span] = []
    new_marks: list[Span] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if b > a:
            old_marks.append(Span(old_at[a], old_at[b]))
        if d > c:
            new_marks.append(Span(new_at[c], new_at[d]))
    return tuple(old_marks), tuple(new_marks)


def _offsets(words: Sequence[str]) -> list[int]:
    """[words + 1] where each word begins in its line, and where the last one ends."""
    total = 0
    offsets = [0]
    for word in words:
        total += len(word)
        offsets.append(total)
    return offsets
