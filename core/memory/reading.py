"""Rows of the workspace as records. Works on any connection, read-only ones too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from core.errors import SageError
from core.memory.records import (
    CreditEvent,
    EpisodeEffect,
    HotEntry,
    HotSnapshot,
    ItemState,
    MemoryItem,
)
from core.memory.tokens import render_hot_block, render_rule
from core.method.parameters import MethodParameters
from core.records_json import decode
from core.same_fields import record_of
from core.text import Text
from core.workspace.rows import LISTED, listed, rows_as

_ITEM = (
    "SELECT item.*, v.adopted_operators, v.p_hat, v.n_elig, v.density FROM item "
    "JOIN memory_item AS v ON v.id = item.id"
)


class NoSuchItem(SageError):
    """The memory has no item of that uid."""

    def __init__(self, uid: str) -> None:
        super().__init__(Text("There is no memory item {uid}.", uid=uid))


def item_id(db: sqlite3.Connection, uid: str) -> int:
    """Return the number of an item; raises NoSuchItem."""
    row = db.execute("SELECT id FROM item WHERE uid = ?", (uid,)).fetchone()
    if row is None:
        raise NoSuchItem(uid)
    return int(row[0])


def read_item(db: sqlite3.Connection, uid: str) -> MemoryItem:
    """Return one item; raises NoSuchItem."""
    return read_items(db, [uid])[0]


def read_items(
    db: sqlite3.Connection,
    uids: Iterable[str] | None,
    states: Sequence[ItemState] = tuple(ItemState),
) -> tuple[MemoryItem, ...]:
    """Return the named items in the given order, or all of the given states by id."""
    if uids is not None:
        names = list(uids)
        rows = db.execute(f"{_ITEM} WHERE item.uid IN {LISTED}", (listed(names),))
        items = {item.uid: item for item in _items(rows)}
        missing = next((uid for uid in names if uid not in items), None)
        if missing is not None:
            raise NoSuchItem(missing)
        return tuple(items[uid] for uid in names)
    return _items(
        db.execute(
            f"{_ITEM} WHERE item.state IN {LISTED} ORDER BY item.id", (listed(states),)
        )
    )


def _items(cursor: sqlite3.Cursor) -> tuple[MemoryItem, ...]:
    return rows_as(cursor, MemoryItem, json=("code_diff", "scope", "adopted_operators"))


def resident_uids(db: sqlite3.Connection) -> list[str]:
    """Return H in admission order, the order of the hot block."""
    rows = db.execute(
        "SELECT uid FROM item WHERE hot_region = 1 ORDER BY hot_admitted_seq, id"
    )
    return [row[0] for row in rows]


def utilities(
    db: sqlite3.Connection, items: Sequence[int], until_seq: int | None = None
) -> dict[int, tuple[str, float]]:
    """Return uid and utility by id, the latter before any credit after `until_seq` (None: now)."""
    rows = db.execute(
        "SELECT id, uid, coalesce((SELECT u_before FROM credit_event AS c WHERE c.item_id = item.id "
        f"AND c.seq > ? ORDER BY c.seq LIMIT 1), u_m) FROM item WHERE id IN {LISTED}",
        (until_seq, listed(items)),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def unruled_uids(db: sqlite3.Connection) -> tuple[str, ...]:
    """Return the validated items no rule was written for yet, by id."""
    rows = db.execute(
        "SELECT uid FROM item WHERE sigma = 'validated' AND +state = 'active' AND rule_text = '' "
        "AND barred = 0 ORDER BY id"
    )
    return tuple(row[0] for row in rows)


def hot_block(db: sqlite3.Connection) -> str:
    """Render H in admission order: bytes change only when H or a rule text changes."""
    rows = db.execute(
        "SELECT uid, title, rule_text, rule_example FROM item WHERE hot_region = 1 ORDER BY "
        "hot_admitted_seq, id"
    )
    return render_hot_block(render_rule(*row) for row in map(tuple, rows))


def read_effect(db: sqlite3.Connection, uid: str) -> EpisodeEffect:
    """Return what applying an episode changed, from the stored log; raises SageError before."""
    row = db.execute(
        "SELECT seq, z, effect FROM episode WHERE uid = ? AND status = 'applied'",
        (uid,),
    ).fetchone()
    if row is None:
        raise SageError("Episode {uid} has not been applied.", uid=uid)
    effect = decode(row["effect"], dict[str, tuple[str, ...]])
    credit = db.execute(
        "SELECT item.uid AS item, adopted, xi, eta, u_before, u_after FROM credit_event AS c "
        "JOIN item ON item.id = c.item_id WHERE episode_uid = ? ORDER BY item_id",
        (uid,),
    )
    return record_of(
        EpisodeEffect,
        {**effect, **dict(row)},
        uid=uid,
        credits=rows_as(credit, CreditEvent),
    )


def read_snapshot(db: sqlite3.Connection, seq: int) -> HotSnapshot:
    """Return the snapshot taken at an event; raises SageError when there is none."""
    row = db.execute("SELECT * FROM hot_snapshot WHERE seq = ?", (seq,)).fetchone()
    if row is None:
        raise SageError("There is no hot-memory snapshot {seq}.", seq=seq)
    return to_snapshot(row)


def to_snapshot(row: sqlite3.Row) -> HotSnapshot:
    """Turn a row of `hot_snapshot` into a record with the paper's time format."""
    at = datetime.fromisoformat(row["created_at"]).strftime("%Y%m%d_%H%M%S")
    entries = decode(row["hot_entries"], tuple[HotEntry, ...])
    return record_of(HotSnapshot, dict(row), created_at=at, hot_entries=entries)


def latest_parameters(db: sqlite3.Connection) -> MethodParameters:
    """Return the parameters of the latest episode, the defaults before the first."""
    row = db.execute(
        "SELECT parameters FROM episode ORDER BY started_at DESC, rowid DESC LIMIT 1"
    ).fetchone()
    return (
        MethodParameters()
        if row is None
        else MethodParameters.from_json(row[0], "latest episode")
    )
