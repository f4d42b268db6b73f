"""Items that say the same: proposed here, joined only by a person."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from itertools import combinations

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
    # Of several reasons the one with the largest likeness.
    alike: dict[_Two, tuple[float, str]] = {}
    for pair, likeness in _alike_words(rows).items():
        alike[pair] = (likeness, "same words")
    for pair, likeness in _alike_vectors(db, by_id).items():
        by_words = alike.get(pair, (0.0, ""))
        alike[pair] = max(by_words, (likeness, "same meaning"))
    titles: dict[tuple[str, str], int] = {}
    for row in rows:
        title = " ".join(tokenize(row["title"]))
        first = titles.setdefault((row["type"], title), row["id"])
        if first != row["id"]:
            alike[first, row["id"]] = (1.0, "same title")
    pairs = []
    most_alike_first = sorted(alike, key=lambda pair: (-alike[pair][0], pair))
    for one, two in most_alike_first[:limit]:
        likeness, reason = alike[one, two]
        pairs.append(_pair(by_id[one], by_id[two], likeness, reason))
    return tuple(pairs)


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
    most_alike_first = sorted(by_item, key=lambda item: (-by_item[item], item))
    pairs = []
    for other in most_alike_first[:_MOST_PROPOSED]:
        likeness = by_item[other]
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
    sentences = []
    for pair in pairs:
        kept, other = pair.kept, pair.other
        sentences.append(
            f"{other} says nearly what {kept} says ({pair.likeness:.0%}): "
            f"`sage memory duplicates --join {kept} {other}` makes them one"
        )
    return "; ".join(sentences)


def _pair(
    one: sqlite3.Row, two: sqlite3.Row, likeness: float, reason: str
) -> DuplicatePair:
    """Propose to keep the one with more evidence."""
    stronger, other = sorted((one, two), key=_strongest_first)
    return DuplicatePair(
        stronger["uid"],
        other["uid"],
        likeness,
        reason,
        stronger["title"],
        other["title"],
    )


def _strongest_first(row: sqlite3.Row) -> tuple[int, int, int]:
    return -row["n_ado"], -row["n_ret"], row["id"]


# Two items by number, the lower first.
_Two = tuple[int, int]


def _alike_words(rows: list[sqlite3.Row]) -> dict[_Two, float]:
    """Pairs whose word sets overlap by four fifths.

    Only those sharing a rare word are compared.
    """
    words: dict[int, frozenset[str]] = {}
    types: dict[int, str] = {}
    for row in rows:
        words[row["id"]] = frozenset(tokenize(index_text(row)))
        types[row["id"]] = row["type"]
    holders: dict[str, list[int]] = {}
    for item, terms in words.items():
        for term in terms:
            holders.setdefault(term, []).append(item)
    rare = max(4, len(rows) // 50)
    compared: set[_Two] = set()
    for items in holders.values():
        if len(items) <= rare:
            compared.update(combinations(items, 2))
    alike = {}
    for one, two in compared:
        if types[one] != types[two]:
            continue
        # Jaccard's index; two that are compared share a word, so that the union is not empty.
        shared = words[one] & words[two]
        union = words[one] | words[two]
        likeness = len(shared) / len(union)
        if likeness >= _SHARED_WORDS_LIMIT:
            alike[one, two] = likeness
    return alike


def _alike_vectors(
    db: sqlite3.Connection, by_id: dict[int, sqlite3.Row]
) -> dict[_Two, float]:
    """Pairs of one type whose stored vectors, of the model that most items have one of, are nearly parallel."""
    model = db.execute(
        "SELECT model_id FROM embedding GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
    ).fetchone()
    if model is None:
        return {}
    rows = db.execute(
        "SELECT item_id, text_hash, vec FROM embedding WHERE model_id = ? ORDER BY item_id",
        (model[0],),
    )
    ids: list[int] = []
    vectors = []
    for row in rows:
        item = by_id.get(row["item_id"])
        # A vector of an earlier text of the item says nothing of it.
        if item is not None and item["content_hash"] == row["text_hash"]:
            ids.append(item["id"])
            vectors.append(np.frombuffer(row["vec"], dtype="<f4"))
    matrix = np.array(vectors)
    alike = {}
    for position, one in enumerate(ids):
        following = position + 1
        cosines = matrix[following:] @ matrix[position]
        for offset in np.flatnonzero(cosines >= COSINE_LIMIT).tolist():
            two = ids[following + offset]
            if by_id[one]["type"] == by_id[two]["type"]:
                # Vectors of length 1, but for roundings.
                alike[one, two] = min(1.0, float(cosines[offset]))
    return alike
