"""Undo and redo of curation: compensating events, never deletions.

An undo puts back the columns an event changed. Evidence earned since then is kept: where episodes have
passed, the item's residency and eligibility continue from now instead of being set back in time.
"""

from __future__ import annotations

import sqlite3

import msgspec

from core.errors import SageError
from core.memory import residency
from core.memory.ledger import (
    Changes,
    Value,
    columns_of,
    episodes_applied,
    next_seq,
    payload_changes,
    set_columns,
    stored_changes,
    write_change,
)
from core.memory.parameters import MethodParameters

# `add` and `import` are undone by archiving, `rule` by editing it; a merge with another memory is rehearsed
NEVER_UNDONE = ("add", "import", "merge", "redo", "reselect", "rule", "undo")
_MARKS = ", ".join("?" * len(NEVER_UNDONE))
_RESIDENCY = frozenset(
    {
        "sigma",
        "hot_region",
        "hot_admitted_seq",
        "ever_hot",
        "p_hat_ema",
        "elig_acc",
        "elig_mark",
        "elig_since_seq",
    }
)


class CannotUndo(SageError):
    """There is nothing to undo, or a later change of the same fields must be undone first."""


def undo_last(db: sqlite3.Connection, parameters: MethodParameters, *, actor: str, reason: str) -> int:
    """Undo the latest event of curation that still holds; returns the seq of the undo."""
    row = db.execute(
        f"SELECT seq FROM memory_event WHERE undone_by IS NULL AND kind NOT IN ({_MARKS}) "  # noqa: S608
        "ORDER BY seq DESC LIMIT 1",
        NEVER_UNDONE,
    ).fetchone()
    if row is None:
        raise CannotUndo("There is nothing to undo.")
    return undo_event(db, row[0], parameters, actor=actor, reason=reason)


def undo_event(
    db: sqlite3.Connection, seq: int, parameters: MethodParameters, *, actor: str, reason: str
) -> int:
    """Undo one event of curation; returns the seq of the undo.

    Raises:
        CannotUndo: When it does not exist, was undone, or its fields were changed since.
    """
    row = db.execute("SELECT * FROM memory_event WHERE seq = ?", (seq,)).fetchone()
    if row is None or row["kind"] in NEVER_UNDONE or row["undone_by"] is not None:
        raise CannotUndo(f"Event {seq} cannot be undone.")
    undo = _compensate(db, row, parameters, kind="undo", actor=actor, reason=reason)
    db.execute("UPDATE memory_event SET undone_by = ? WHERE seq = ?", (undo, seq))
    return undo


def redo_last(db: sqlite3.Connection, parameters: MethodParameters, *, actor: str, reason: str) -> int:
    """Take back the latest undo, unless something was curated after it."""
    fixed = tuple(kind for kind in NEVER_UNDONE if kind != "undo")
    marks = ", ".join("?" * len(fixed))
    row = db.execute(
        f"SELECT * FROM memory_event WHERE undone_by IS NULL AND kind NOT IN ({marks}) "  # noqa: S608
        "ORDER BY seq DESC LIMIT 1",
        fixed,
    ).fetchone()
    if row is None or row["kind"] != "undo":
        raise CannotUndo("There is nothing to redo.")
    redo = _compensate(db, row, parameters, kind="redo", actor=actor, reason=reason)
    db.execute("UPDATE memory_event SET undone_by = ? WHERE seq = ?", (redo, row["seq"]))
    db.execute("UPDATE memory_event SET undone_by = NULL WHERE undone_by = ?", (row["seq"],))
    return redo


def _compensate(
    db: sqlite3.Connection,
    event: sqlite3.Row,
    parameters: MethodParameters,
    *,
    kind: str,
    actor: str,
    reason: str,
) -> int:
    written, former = payload_changes(event["payload"]), stored_changes(event["inverse"])
    seq, applied = next_seq(db), episodes_applied(db)
    unchanged_clock = _applied_at(event["payload"]) == applied
    changes: Changes = {}
    for item, columns in former.items():
        changes[item] = _restored(db, item, columns, written[item], exact=unchanged_clock, seq=seq)
    inverse = set_columns(db, {item: columns for item, columns in changes.items() if columns})
    changes = {item: columns for item, columns in changes.items() if columns}
    if residency.over_budget(db, parameters):
        follow = residency.select(db, parameters, seq=seq, applied=applied).changes
        for item, old in set_columns(db, follow).items():
            inverse[item] = old | inverse.get(item, {})
            changes[item] = changes.get(item, {}) | follow[item]
    write_change(
        db,
        seq,
        kind,
        event["item_id"],
        changes,
        inverse,
        actor=actor,
        reason=reason,
        note={"of": event["seq"], "applied": applied},
    )
    return seq


def _restored(
    db: sqlite3.Connection,
    item: int,
    former: dict[str, Value],
    written: dict[str, Value],
    *,
    exact: bool,
    seq: int,
) -> dict[str, Value]:
    """Return the columns to put back for one item."""
    present = columns_of(db, item, former)
    changed = [name for name in former if present[name] != written[name]]
    conflicts = [name for name in changed if name not in _RESIDENCY]
    if conflicts:
        uid = db.execute("SELECT uid FROM item WHERE id = ?", (item,)).fetchone()[0]
        raise CannotUndo(f"{uid} was changed since ({', '.join(conflicts)}).", "Undo the later change first.")
    if exact and not changed:
        return dict(former)
    restored = {name: value for name, value in former.items() if name not in _RESIDENCY}
    if {"sigma", "hot_region"} & set(changed):
        return restored  # consolidation has decided anew since
    for name in ("sigma", "hot_region", "hot_admitted_seq"):
        if name in former:
            restored[name] = former[name]
    if "elig_mark" in former:
        whole = residency.item_row(db, item)
        applied = episodes_applied(db)
        restored["elig_acc"] = residency.eligible_episodes(whole, applied)
        restored["elig_mark"] = None if former["elig_mark"] is None else applied
        restored["elig_since_seq"] = seq
    return restored


def _applied_at(payload: str) -> int:
    note = msgspec.json.decode(payload, type=dict[str, dict[str, object]]).get("note", {})
    applied = note.get("applied", -1)
    return applied if isinstance(applied, int) else -1
