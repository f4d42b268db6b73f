"""Undo and redo of curation: compensating events, never deletions.

An undo puts back the columns an event changed; what came with it is archived and comes
again when it is added again. What one command wrote, an import of a thousand items for
instance, is one step. Evidence earned since then is kept: where episodes have passed,
the item's residency and eligibility continue from now instead of being set back in
time.
"""

from __future__ import annotations

import sqlite3

from core.errors import SageError
from core.memory import residency
from core.memory.evidence import (
    counts,
    fold,
    foreign_episodes,
    merged_into,
    own_episodes,
)
from core.memory.ledger import (
    ARRIVED_ARCHIVED,
    OPERATORS,
    TAKEN_BACK,
    Changes,
    Value,
    columns_of,
    episodes_applied,
    next_seq,
    payload_changes,
    payload_new,
    payload_note,
    set_columns,
    stored_changes,
    write_change,
)
from core.memory.views.queries import EVENTS
from core.memory.views.rows import EventRow
from core.method.parameters import MethodParameters
from core.records_json import decode
from core.workspace.rows import row_as

# What the engine writes (demotions too, where the time model changed), what only
# belongs to a step, and undo itself. `add` counts when a person did it.
_STEP = (
    "((kind NOT IN ('add', 'fork', 'import', 'merge', 'recount-evidence', 'redo', 'replay-credit', "
    "'reselect', 'rule', 'undo') OR (kind = 'add' AND actor <> 'engine')) "
    "AND NOT (kind = 'demote' AND actor = 'engine'))"
)
_EVIDENCE = frozenset({"u_m", "n_ret", "n_ado", OPERATORS})
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
        "demoted_seq",
    }
)


class CannotUndo(SageError):
    """There is nothing to undo, or a later change must be undone first."""


def next_undo(db: sqlite3.Connection) -> EventRow | None:
    """Return the latest step of curation that still holds."""
    return _event(
        db, f"WHERE e.undone_by IS NULL AND {_STEP} ORDER BY e.seq DESC LIMIT 1"
    )


def next_redo(db: sqlite3.Connection) -> EventRow | None:
    """Return the latest undo, unless it was redone or something was curated since."""
    latest = _event(
        db,
        f"WHERE e.undone_by IS NULL AND (kind = 'undo' OR {_STEP}) ORDER BY e.seq DESC LIMIT 1",
    )
    return latest if latest is not None and latest.kind == "undo" else None


def taken_back(db: sqlite3.Connection, seq: int) -> EventRow:
    """Return the event that the undo, or redo, at `seq` took back."""
    of = "SELECT json_extract(payload, '$.note.of') FROM memory_event WHERE seq = ?"
    event = _event(db, f"WHERE e.seq = ({of})", (seq,))
    assert event is not None  # every undo and redo names one
    return event


def items_of_step(db: sqlite3.Connection, seq: int) -> int:
    """Return how many items the step that ends at `seq` changed at once.

    0 for a change of a single one.
    """
    row = db.execute(
        "SELECT json_extract(payload, '$.note.items') FROM memory_event WHERE seq = ?",
        (seq,),
    ).fetchone()
    return int(row[0] or 0) if row is not None else 0


def _event(
    db: sqlite3.Connection, rest: str, values: tuple[int, ...] = ()
) -> EventRow | None:
    return row_as(db.execute(f"{EVENTS} {rest}", values), EventRow)


def undo_last(
    db: sqlite3.Connection, parameters: MethodParameters, *, actor: str, reason: str
) -> int:
    """Undo the latest step of curation that still holds.

    Returns the seq of the undo.
    """
    latest = next_undo(db)
    if latest is None:
        raise CannotUndo("There is nothing to undo.")
    return undo_event(db, latest.seq, parameters, actor=actor, reason=reason)


def undo_event(
    db: sqlite3.Connection,
    seq: int,
    parameters: MethodParameters,
    *,
    actor: str,
    reason: str,
) -> int:
    """Undo one step of curation; returns the seq of the undo.

    Raises:
        CannotUndo: When it does not exist, was undone, belongs to a greater step, or
            its fields were changed since.
    """
    row = db.execute(
        f"SELECT * FROM memory_event WHERE seq = ? AND undone_by IS NULL AND {_STEP}",
        (seq,),
    ).fetchone()
    if row is None:
        raise CannotUndo("Event {seq} cannot be undone.", seq=seq)
    whole = db.execute(
        "SELECT seq FROM memory_event WHERE seq > ?1 AND json_extract(payload, '$.note.first') <= ?1 LIMIT 1",
        (seq,),
    ).fetchone()
    if whole is not None:
        raise CannotUndo(
            "Event {seq} is a part of event {whole}.",
            "Undo event {whole}.",
            seq=seq,
            whole=whole[0],
        )
    members = db.execute(
        "SELECT * FROM memory_event WHERE seq BETWEEN ? AND ? ORDER BY seq DESC",
        (payload_note(row["payload"], "first", seq), seq),
    ).fetchall()
    undo = next_seq(db)
    # Marked first: credit that came with the step must not count in what is folded
    # again.
    db.executemany(
        "UPDATE memory_event SET undone_by = ? WHERE seq = ?",
        [(undo, m["seq"]) for m in members],
    )
    _compensate(
        db, row, members, parameters, undo, kind="undo", actor=actor, reason=reason
    )
    return undo


def redo_last(
    db: sqlite3.Connection, parameters: MethodParameters, *, actor: str, reason: str
) -> int:
    """Take back the latest undo, unless something was curated after it."""
    latest = next_redo(db)
    if latest is None:
        raise CannotUndo("There is nothing to redo.")
    row = db.execute(
        "SELECT * FROM memory_event WHERE seq = ?", (latest.seq,)
    ).fetchone()
    redo = next_seq(db)
    db.execute(
        "UPDATE memory_event SET undone_by = ? WHERE seq = ?", (redo, row["seq"])
    )
    db.execute(
        "UPDATE memory_event SET undone_by = NULL WHERE undone_by = ?", (row["seq"],)
    )
    _compensate(
        db, row, [row], parameters, redo, kind="redo", actor=actor, reason=reason
    )
    return redo


def _compensate(
    db: sqlite3.Connection,
    event: sqlite3.Row,
    members: list[sqlite3.Row],
    parameters: MethodParameters,
    seq: int,
    *,
    kind: str,
    actor: str,
    reason: str,
) -> None:
    """Put back what `members`, latest first, changed, and write it as one event."""
    applied = episodes_applied(db)
    changes: Changes = {}
    inverse: Changes = {}

    def put(columns_by_item: Changes) -> None:
        changed_columns = {
            item: columns for item, columns in columns_by_item.items() if columns
        }
        for item, old in set_columns(db, changed_columns).items():
            inverse[item] = old | inverse.get(item, {})
            changes[item] = changes.get(item, {}) | changed_columns[item]

    for member in members:
        new_item = payload_new(member["payload"])
        if new_item is not None:
            put({new_item: _withdrawn(db, new_item, parameters, seq)})
            continue
        undone, former = (
            payload_changes(member["payload"]),
            stored_changes(member["inverse"]),
        )
        exact = payload_note(member["payload"], "applied", -1) == applied
        put(
            {
                item: _restored(
                    db,
                    item,
                    columns,
                    undone[item],
                    exact=exact,
                    seq=seq,
                    kind=member["kind"],
                )
                for item, columns in former.items()
            }
        )
    if residency.over_budget(db, parameters):
        put(residency.select(db, parameters, seq=seq, applied=applied))
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


def _withdrawn(
    db: sqlite3.Connection, item: int, parameters: MethodParameters, seq: int
) -> dict[str, Value]:
    """Return the columns that archive an item whose coming is undone.

    Its text and evidence stay readable.
    """
    whole, applied = residency.item_row(db, item), episodes_applied(db)
    if whole["state"] == "archived":
        arrived = whole["state_reason"] == ARRIVED_ARCHIVED
        return {"state_reason": TAKEN_BACK, "superseded_by": None} if arrived else {}
    columns = (
        residency.demotion(whole, seq, applied, parameters)
        if whole["hot_region"]
        else {}
    )
    columns |= {"state": "archived", "state_reason": TAKEN_BACK, "pinned": 0}
    return columns | {
        "elig_acc": residency.eligible_episodes(whole, applied),
        "elig_mark": None,
    }


def _restored(
    db: sqlite3.Connection,
    item: int,
    former: dict[str, Value],
    undone: dict[str, Value],
    *,
    exact: bool,
    seq: int,
    kind: str,
) -> dict[str, Value]:
    """Return the columns to put back for one item."""
    present = columns_of(db, item, former)
    changed = {name for name in former if present[name] != undone[name]}
    conflicts = changed - _RESIDENCY
    folded: dict[str, Value] = {}
    # Episodes since: count without the merge.
    if kind == "merge" and conflicts and conflicts <= _EVIDENCE:
        folded, conflicts = _folded_again(db, item), set()
    if conflicts:
        uid = db.execute("SELECT uid FROM item WHERE id = ?", (item,)).fetchone()[0]
        fields = ", ".join(sorted(conflicts))
        raise CannotUndo(
            "{uid} was changed since ({fields}).",
            "Undo the later change first.",
            uid=uid,
            fields=fields,
        )
    if exact and not changed:
        return dict(former)
    restored = {
        name: value for name, value in former.items() if name not in _RESIDENCY
    } | folded
    # What was counted elsewhere goes, what was counted here since stays.
    if "elig_foreign" in former:
        eligible = int(columns_of(db, item, ("elig_acc",))["elig_acc"] or 0)
        restored["elig_acc"] = (
            eligible - _foreign_count(undone) + _foreign_count(former)
        )
    if {"sigma", "hot_region"} & changed:
        return restored  # consolidation has decided again since
    for name in ("sigma", "hot_region", "hot_admitted_seq", "demoted_seq"):
        if name in former:
            restored[name] = former[name]
    if "elig_mark" in former:
        whole = residency.item_row(db, item)
        applied = episodes_applied(db)
        restored["elig_acc"] = residency.eligible_episodes(whole, applied)
        restored["elig_mark"] = None if former["elig_mark"] is None else applied
        restored["elig_since_seq"] = seq
    return restored


def _folded_again(db: sqlite3.Connection, item: int) -> dict[str, Value]:
    uid = db.execute("SELECT uid FROM item WHERE id = ?", (item,)).fetchone()[0]
    names = (uid, *merged_into(db, (item,)))
    return counts(fold(names, [*own_episodes(db), *foreign_episodes(db)]))


def _foreign_count(columns: dict[str, Value]) -> int:
    return sum(decode(str(columns["elig_foreign"]), dict[str, int]).values())
