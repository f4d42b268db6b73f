"""Items that say the same: proposed here, joined only by a person."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np

from core.memory.ledger import Value, record_change
from core.memory.records import ItemState
from core.memory.retrieval.likeness import likenesses, same_as
from core.memory.retrieval.sparse_index import SparseIndex, index_text
from core.search_terms import tokenize
from core.workspace import Workspace

COSINE_LIMIT = 0.92
_SHARED_WORDS_LIMIT = 0.8
# From which a person is asked; three pairs of the 69 seeds reach it, one a true double
ALIKE = 0.5
_MOST_PROPOSED = 3


@dataclass(frozen=True)
class DuplicatePair:
    """Two active items that may be one; `kept` is the one with more evidence.

    Attributes:
        kept: uid proposed to stay.
        other: uid proposed to be archived into it.
        likeness: In [0, 1].
        reason: `same title`, `same meaning` or `same words`.
        kept_title: Of the one that stays.
        other_title: Of the other.
    """

    kept: str
    other: str
    likeness: float
    reason: str
    kept_title: str
    other_title: str


def find_duplicates(
    db: sqlite3.Connection, limit: int = 200
) -> tuple[DuplicatePair, ...]:
    """Return pairs of nearly equal active items of one type, the most alike first.

    Equal titles, a cosine of at least 0.92 of stored vectors, or four fifths of all
    words shared.
    """
    rows = db.execute(
        "SELECT * FROM item WHERE state = 'active' ORDER BY id"
    ).fetchall()
    by_id = {row["id"]: row for row in rows}
    alike: dict[tuple[int, int], tuple[float, str]] = {}
    for pair, likeness in _alike_words(rows).items():
        alike[pair] = (likeness, "same words")
    for pair, likeness in _alike_vectors(db, by_id).items():
        alike[pair] = max(alike.get(pair, (0.0, "")), (likeness, "same meaning"))
    titles: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row["type"], " ".join(tokenize(row["title"])))
        first = titles.setdefault(key, row["id"])
        if first != row["id"]:
            alike[first, row["id"]] = (1.0, "same title")
    ranked = sorted(alike.items(), key=lambda entry: (-entry[1][0], entry[0]))[:limit]
    return tuple(_pair(by_id[one], by_id[two], *why) for (one, two), why in ranked)


def doubles(workspace: Workspace, uid: str) -> tuple[DuplicatePair, ...]:
    """Return the active items that say nearly what `uid` says, the most alike first."""
    index = SparseIndex(workspace)
    index.refresh()
    row = workspace.db.execute(
        "SELECT * FROM item WHERE uid = ? AND state = 'active'", (uid,)
    ).fetchone()
    if row is None:
        return ()
    by_item = likenesses(index, workspace.db, row["id"])
    ranked = sorted(by_item.items(), key=lambda entry: (-entry[1], entry[0]))
    pairs = []
    for other, likeness in ranked[:_MOST_PROPOSED]:
        if likeness < ALIKE:
            break
        other_row = workspace.db.execute(
            "SELECT * FROM item WHERE id = ?", (other,)
        ).fetchone()
        pairs.append(_pair(row, other_row, likeness, "same words"))
    return tuple(pairs)


def hold_double(workspace: Workspace, uid: str) -> str:
    """Put a new item that says what another active one says into quarantine; uid of the other, or empty."""
    row = workspace.db.execute(
        "SELECT * FROM item WHERE uid = ? AND state = 'active' AND n_ret = 0", (uid,)
    ).fetchone()
    if row is None:
        return ""
    index = SparseIndex(workspace)
    index.refresh()
    double_ids = sorted(same_as(index, workspace.db, row["id"]))
    if not double_ids:
        return ""
    (other,) = workspace.db.execute(
        "SELECT uid FROM item WHERE id = ?", (double_ids[0],)
    ).fetchone()
    reason = f"says what {other} says"
    with workspace.transaction() as db:
        columns: dict[str, Value] = {
            "state": ItemState.QUARANTINED.value,
            "state_reason": reason,
            "elig_acc": 0,
            "elig_mark": None,
        }
        changes = {row["id"]: columns}
        record_change(
            db, "state-quarantined", row["id"], changes, actor="engine", reason=reason
        )
    return str(other)


def proposal(pairs: tuple[DuplicatePair, ...]) -> str:
    """Return the proposal to a person to join items, empty when there is none."""
    sentences = (
        f"{pair.other} says nearly what {pair.kept} says ({pair.likeness:.0%}): "
        f"`sage memory duplicates --join {pair.kept} {pair.other}` makes them one"
        for pair in pairs
    )
    return "; ".join(sentences)


def _pair(
    one: sqlite3.Row, two: sqlite3.Row, likeness: float, reason: str
) -> DuplicatePair:
    """Propose to keep the one with more evidence."""
    stronger, other = sorted(
        (one, two), key=lambda row: (-row["n_ado"], -row["n_ret"], row["id"])
    )
    return DuplicatePair(
        stronger["uid"],
        other["uid"],
        likeness,
        reason,
        stronger["title"],
        other["title"],
    )


def _alike_words(rows: list[sqlite3.Row]) -> dict[tuple[int, int], float]:
    """Pairs whose word sets overlap by four fifths.

    Only those sharing a rare word are compared.
    """
    words = {row["id"]: frozenset(tokenize(index_text(row))) for row in rows}
    types = {row["id"]: row["type"] for row in rows}
    holders: dict[str, list[int]] = {}
    for item, terms in words.items():
        for term in terms:
            holders.setdefault(term, []).append(item)
    rare = max(4, len(rows) // 50)
    compared: set[tuple[int, int]] = set()
    for items in holders.values():
        if 1 < len(items) <= rare:
            compared |= {
                (one, two) for i, one in enumerate(items) for two in items[i + 1 :]
            }
    alike = {}
    for one, two in compared:
        union = len(words[one] | words[two])
        shared = len(words[one] & words[two]) / union if union else 0.0
        if shared >= _SHARED_WORDS_LIMIT and types[one] == types[two]:
            alike[one, two] = shared
    return alike


def _alike_vectors(
    db: sqlite3.Connection, by_id: dict[int, sqlite3.Row]
) -> dict[tuple[int, int], float]:
    model = db.execute(
        "SELECT model_id FROM embedding GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
    ).fetchone()
    if model is None:
        return {}
    rows = db.execute(
        "SELECT item_id, text_hash, vec FROM embedding WHERE model_id = ? ORDER BY item_id",
        (model[0],),
    )
    current = [
        row
        for row in rows
        if row["item_id"] in by_id
        and by_id[row["item_id"]]["content_hash"] == row["text_hash"]
    ]
    ids = [row["item_id"] for row in current]
    matrix = np.array([np.frombuffer(row["vec"], dtype="<f4") for row in current])
    alike = {}
    for position in range(len(ids)):
        likeness = matrix[position + 1 :] @ matrix[position]
        for offset in np.flatnonzero(likeness >= COSINE_LIMIT):
            one, two = ids[position], ids[position + 1 + int(offset)]
            if by_id[one]["type"] == by_id[two]["type"]:
                alike[one, two] = min(1.0, float(likeness[offset]))
    return alike
