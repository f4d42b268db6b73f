"""How much one item says what another says, by the words both are found by.

The likeness of b to a is b's BM25 score for the text of a, by a's own: 1 for a copy, and words that are rare
in the bank weigh most. It is not symmetric: a short item may say all a long one says.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from core.curation.duplicates import DuplicatePair, pair_of
from core.memory.retrieval.sparse_index import SparseIndex, index_text
from core.workspace import Workspace

ALIKE = 0.5  # from which a person is asked; three pairs of the 69 seeds reach it, one a true double
_MOST = 3


def likenesses(
    index: SparseIndex, db: sqlite3.Connection, item: int, without: Collection[int] = ()
) -> dict[int, float]:
    """Return the likeness to `item` of every other active item that shares a word, by id.

    Args:
        index: Up to date.
        db: Of the workspace.
        item: Id of an active item.
        without: Ids of items to leave out, as if they were not there.
    """
    row = db.execute("SELECT * FROM item WHERE id = ?", (item,)).fetchone()
    scores, _ = index.scores(index_text(row), without)
    found = {int(index.items[doc]): float(scores[doc]) for doc in scores.nonzero()[0]}
    own = found.pop(item, 0.0)
    return (
        {other: min(1.0, score / own) for other, score in found.items()} if own else {}
    )


def doubles(workspace: Workspace, uid: str) -> tuple[DuplicatePair, ...]:
    """Return the active items that say nearly the same as one that was just written, the most alike first."""
    index = SparseIndex(workspace)
    index.refresh()
    row = workspace.db.execute(
        "SELECT * FROM item WHERE uid = ? AND state = 'active'", (uid,)
    ).fetchone()
    if row is None:
        return ()
    found = likenesses(index, workspace.db, row["id"])
    ranked = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    pairs = []
    for other, likeness in ranked[:_MOST]:
        if likeness < ALIKE:
            break
        theirs = workspace.db.execute(
            "SELECT * FROM item WHERE id = ?", (other,)
        ).fetchone()
        pairs.append(pair_of(row, theirs, likeness, "same words"))
    return tuple(pairs)


def proposal(pairs: tuple[DuplicatePair, ...]) -> str:
    """Return the proposal to a person to join items, empty when there is none."""
    said = (
        f"{pair.other} says nearly what {pair.kept} says ({pair.likeness:.0%}): "
        f"`sage memory join {pair.kept} {pair.other}` makes them one"
        for pair in pairs
    )
    return "; ".join(said)
