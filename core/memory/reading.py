"""Rows of the workspace as records. Works on any connection, read-only ones too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from core.errors import SageError
from core.memory.records import (
    CodeDiff,
    CreditEvent,
    EpisodeEffect,
    HotEntry,
    HotSnapshot,
    ItemState,
    Lifecycle,
    MemoryItem,
    Origin,
    Scope,
)
from core.memory.tokens import render_hot_block, render_rule
from core.records_json import decode

_ITEM = (
    "SELECT item.*, v.adopted_operators, v.p_hat, v.n_elig, v.density FROM item "
    "JOIN memory_item AS v ON v.id = item.id"
)
_BATCH = 500


class NoSuchItem(SageError):
    """The memory has no item of that uid."""

    def __init__(self, uid: str) -> None:
        super().__init__(f"There is no memory item {uid}.")


def item_id(db: sqlite3.Connection, uid: str) -> int:
    """Return the number of an item; raises NoSuchItem."""
    row = db.execute("SELECT id FROM item WHERE uid = ?", (uid,)).fetchone()
    if row is None:
        raise NoSuchItem(uid)
    return int(row[0])


def read_item(db: sqlite3.Connection, uid: str) -> MemoryItem:
    """Return one item; raises NoSuchItem."""
    row = db.execute(f"{_ITEM} WHERE item.uid = ?", (uid,)).fetchone()
    if row is None:
        raise NoSuchItem(uid)
    return to_item(row)


def read_items(
    db: sqlite3.Connection, uids: Iterable[str] | None, states: Sequence[ItemState] = tuple(ItemState)
) -> tuple[MemoryItem, ...]:
    """Return the named items in the given order, or all of the given states by id."""
    if uids is not None:
        wanted = list(uids)
        found: dict[str, MemoryItem] = {}
        for start in range(0, len(wanted), _BATCH):
            part = wanted[start : start + _BATCH]
            for row in db.execute(f"{_ITEM} WHERE item.uid IN ({', '.join('?' * len(part))})", part):
                found[row["uid"]] = to_item(row)
        missing = next((uid for uid in wanted if uid not in found), None)
        if missing is not None:
            raise NoSuchItem(missing)
        return tuple(found[uid] for uid in wanted)
    marks = ", ".join("?" * len(states))
    rows = db.execute(
        f"{_ITEM} WHERE item.state IN ({marks}) ORDER BY item.id", [state.value for state in states]
    )
    return tuple(to_item(row) for row in rows)


def to_item(row: sqlite3.Row) -> MemoryItem:
    """Turn a joined row of `item` and `memory_item` into a record."""
    return MemoryItem(
        id=row["id"],
        title=row["title"],
        type=row["type"],
        category=row["category"],
        error_message=row["error_message"],
        code_diff=decode(row["code_diff"], CodeDiff),
        summary=row["summary"],
        u_m=row["u_m"],
        n_ret=row["n_ret"],
        n_ado=row["n_ado"],
        adopted_operators=tuple(decode(row["adopted_operators"], list[str])),
        sigma=Lifecycle(row["sigma"]),
        L_m=row["L_m"],
        hot_region=bool(row["hot_region"]),
        hot_last_used_episode=row["hot_last_used_episode"],
        p_hat=row["p_hat"],
        n_elig=row["n_elig"],
        density=row["density"],
        uid=row["uid"],
        scope=decode(row["scope"], Scope),
        origin=Origin(row["origin"]),
        source=row["source"],
        state=ItemState(row["state"]),
        state_reason=row["state_reason"],
        rule_text=row["rule_text"],
        rule_example=row["rule_example"],
        auto_title=bool(row["auto_title"]),
        tokenizer_id=row["tokenizer_id"],
        pinned=bool(row["pinned"]),
        barred=bool(row["barred"]),
        rev=row["rev"],
        created_seq=row["created_seq"],
        created_at=row["created_at"],
        demoted_seq=row["demoted_seq"],
    )


def resident_uids(db: sqlite3.Connection) -> list[str]:
    """Return H in admission order, the order of the hot block."""
    rows = db.execute("SELECT uid FROM item WHERE hot_region = 1 ORDER BY hot_admitted_seq, id")
    return [row[0] for row in rows]


def hot_block(db: sqlite3.Connection) -> str:
    """Render H in admission order: bytes change only when H or a rule text changes."""
    rows = db.execute(
        "SELECT uid, title, rule_text, rule_example FROM item WHERE hot_region = 1 ORDER BY "
        "hot_admitted_seq, id"
    )
    return render_hot_block(render_rule(*row) for row in map(tuple, rows))


def read_effect(db: sqlite3.Connection, uid: str, *, applied: bool = False) -> EpisodeEffect:
    """Return what applying an episode changed, from the stored log.

    Args:
        db: Any connection.
        uid: The episode.
        applied: Whether it was applied just now, for the caller's information.

    Raises:
        SageError: When it has not been applied.
    """
    row = db.execute(
        "SELECT seq, z, effect FROM episode WHERE uid = ? AND status = 'applied'", (uid,)
    ).fetchone()
    if row is None:
        raise SageError(f"Episode {uid} has not been applied.")
    effect = decode(row["effect"], dict[str, tuple[str, ...]])
    credit = db.execute(
        "SELECT item.uid, adopted, xi, eta, u_before, u_after FROM credit_event AS c "
        "JOIN item ON item.id = c.item_id WHERE episode_uid = ? ORDER BY item_id",
        (uid,),
    )
    unresolved = db.execute("SELECT count(*) FROM trace WHERE episode_uid = ? AND counted = 0", (uid,))
    return EpisodeEffect(
        uid=uid,
        applied=applied,
        seq=row["seq"],
        z=row["z"],
        credits=tuple(CreditEvent(c[0], bool(c[1]), *c[2:]) for c in map(tuple, credit)),
        validated=effect["validated"],
        promoted=effect["promoted"],
        demoted=effect["demoted"],
        unresolved=unresolved.fetchone()[0],
        snapshot=read_snapshot(db, row["seq"]),
    )


def read_snapshot(db: sqlite3.Connection, seq: int) -> HotSnapshot:
    """Return the snapshot taken at an event; raises SageError when there is none."""
    row = db.execute("SELECT * FROM hot_snapshot WHERE seq = ?", (seq,)).fetchone()
    if row is None:
        raise SageError(f"There is no hot-memory snapshot {seq}.")
    return to_snapshot(row)


def to_snapshot(row: sqlite3.Row) -> HotSnapshot:
    """Turn a row of `hot_snapshot` into a record with the paper's time format."""
    return HotSnapshot(
        session_id=row["session_id"],
        created_at=datetime.fromisoformat(row["created_at"]).strftime("%Y%m%d_%H%M%S"),
        budget=row["budget"],
        n_ops=row["n_ops"],
        hot_entries=tuple(decode(row["hot_entries"], list[HotEntry])),
    )
