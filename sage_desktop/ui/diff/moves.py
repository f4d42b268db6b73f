"""Code that was moved: runs of removed lines that were added elsewhere. Pure Python, no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation.moved_lines import Move, moved_runs
from sage_desktop.ui.diff.engine import FileDiff, RowKind

__all__ = ["Move", "moves"]


def moves(comparison: FileDiff, left: Sequence[str], right: Sequence[str]) -> tuple[Move, ...]:
    """The moved runs in the order of the older version; indentation may differ, each line counts once."""
    changed = [row for row in comparison.rows if row.kind is not RowKind.EQUAL]
    gone = {row.left: left[row.left].strip() for row in changed if row.left is not None}
    come = {row.right: right[row.right].strip() for row in changed if row.right is not None}
    return tuple(moved_runs(gone, come))
