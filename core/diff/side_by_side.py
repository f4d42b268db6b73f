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
_PAIR_WINDOW = (
    4  # how far a replaced line may move and still be shown beside its partner
)
_PAIR_SIMILARITY = 0.55
_MARK_SIMILARITY = (
    0.35  # below it nearly the whole line would be marked: better no marks at all
)
_MAX_BLOCK = (
    400  # lines of one replaced block that are paired by likeness; beyond: by order
)
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
        return sum(row.kind in (RowKind.ADDED, RowKind.CHANGED) for row in self.rows)

    @property
    def removed(self) -> int:
        """Lines that exist on the left only, changed ones included."""
        return sum(row.kind in (RowKind.REMOVED, RowKind.CHANGED) for row in self.rows)


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
            pairs = zip(old_lines, new_lines, strict=True)
            rows.extend(Row(RowKind.EQUAL, i, j) for i, j in pairs)
        else:
            partners = _pair_block(
                old[block.old_start : block.old_end],
                new[block.new_start : block.new_end],
            )
            rows.extend(
                _block_rows(partners, left, right, block.old_start, block.new_start)
            )
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
    removed = {
        row.left: left[row.left].strip() for row in changed if row.left is not None
    }
    come = {
        row.right: right[row.right].strip() for row in changed if row.right is not None
    }
    return tuple(moved_runs(removed, come))


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
    pinned_rows = [
        (row, row + 1) for row in keep if comparison.rows[row].kind is RowKind.EQUAL
    ]
    for start, end in (*sorted((*comparison.changes, *pinned_rows)), (total, total)):
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


def _pair_block(
    old: Sequence[str], new: Sequence[str]
) -> list[tuple[int | None, int | None]]:
    """Which old line stands beside which new line, in an order that keeps both sides in order."""
    same_length = len(old) == len(new)
    if same_length or not old or not new or max(len(old), len(new)) > _MAX_BLOCK:
        return list(itertools.zip_longest(range(len(old)), range(len(new))))
    pairs: list[tuple[int | None, int | None]] = []
    next_new = 0
    for i, line in enumerate(old):
        partner = _best_partner(line, new, next_new)
        if partner is None:
            pairs.append((i, None))
            continue
        pairs.extend((None, j) for j in range(next_new, partner))
        pairs.append((i, partner))
        next_new = partner + 1
    pairs.extend((None, j) for j in range(next_new, len(new)))
    return pairs


def _best_partner(line: str, new: Sequence[str], start: int) -> int | None:
    best, best_ratio = None, _PAIR_SIMILARITY
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(line.strip()[:_MAX_LINE])
    for j in range(start, min(len(new), start + _PAIR_WINDOW)):
        matcher.set_seq1(new[j].strip()[:_MAX_LINE])
        if (
            matcher.real_quick_ratio() > best_ratio
            and matcher.quick_ratio() > best_ratio
        ):
            ratio = matcher.ratio()
            if ratio > best_ratio:
                best, best_ratio = j, ratio
    return best


def _block_rows(
    pairs: list[tuple[int | None, int | None]],
    left: Sequence[str],
    right: Sequence[str],
    left_start: int,
    right_start: int,
) -> Iterator[Row]:
    for i, j in pairs:
        if i is not None and j is not None:
            old, new = left[left_start + i], right[right_start + j]
            marks = word_marks(old, new)
            yield Row(RowKind.CHANGED, left_start + i, right_start + j, *marks)
        elif i is not None:
            yield Row(RowKind.REMOVED, left_start + i, None)
        elif j is not None:
            yield Row(RowKind.ADDED, None, right_start + j)


def word_marks(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The words that differ between two lines; nothing where the lines have too little in common."""
    if len(old) > _MAX_LINE or len(new) > _MAX_LINE:
        return (), ()
    old_words, new_words = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    common = 0
    for block in matcher.get_matching_blocks():
        words = old_words[block.a : block.a + block.size]
        common += sum(len(word.strip()) for word in words)
    longest = max(len(_squeezed(old)), len(_squeezed(new)))
    if longest == 0 or common / longest < _MARK_SIMILARITY:
        return (), ()
    old_at, new_at = _offsets(old_words), _offsets(new_words)
    old_marks, new_marks = [], []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        if b > a:
            old_marks.append(Span(old_at[a], old_at[b]))
        if d > c:
            new_marks.append(Span(new_at[c], new_at[d]))
    return tuple(old_marks), tuple(new_marks)


def _offsets(words: Sequence[str]) -> list[int]:
    total, offsets = 0, [0]
    for word in words:
        total += len(word)
        offsets.append(total)
    return offsets
