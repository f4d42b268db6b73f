"""The one sequence of memory events, and how an event changes item rows.

Every change of an item outside an episode is a `memory_event` whose payload holds the new column values and
whose inverse holds the old ones. Folding payloads and episodes in the order of `seq` gives the item table
again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import TypeAlias

import msgspec

from core.memory.records import Experience
from core.records_json import decode, plain_text
from core.workspace import now
from core.workspace.rows import insert

Value: TypeAlias = str | int | float | None
Changes: TypeAlias = dict[int, dict[str, Value]]


ITEM_COLUMNS = frozenset(
    {
        "uid",
        "title",
        "type",
        "category",
        "error_message",
        "code_diff",
        "summary",
        "scope",
        "origin",
        "source",
        "state",
        "sigma",
        "u_m",
        "n_ret",
        "n_ado",
        "rule_text",
        "rule_example",
        "auto_title",
        "L_m",
        "tokenizer_id",
        "hot_region",
        "hot_admitted_seq",
        "hot_last_used_episode",
        "ever_hot",
        "p_hat_ema",
        "elig_acc",
        "elig_mark",
        "elig_foreign",
        "elig_since_seq",
        "pinned",
        "barred",
        "state_reason",
        "superseded_by",
        "rev",
        "created_seq",
        "created_at",
        "content_hash",
        "demoted_seq",
    }
)

OPERATORS = "adopted_operators"
CONTENT = (
    *(entry.name for entry in fields(Experience)),
    "rule_text",
    "rule_example",
    "auto_title",
)
REPLAYED = "replay-credit"  # event that writes utilities another credit rule gives, in a fixed bank
RESELECTED = "reselect"  # event of a consolidation between episodes
RECOUNTED = (
    "recount-evidence"  # event that writes evidence counted again from the episodes
)
TAKEN_BACK = "taken back"  # why an item is archived whose coming was undone
# why one is that no memory it came from had in use
ARRIVED_ARCHIVED = "archived where it came from"
_INDEXED = frozenset(
    {"title", "category", "error_message", "code_diff", "summary", "state"}
)


class _Payload(msgspec.Struct, omit_defaults=True):
    """`new` is a whole item row; `set` maps item ids to changed columns; `note` is for readers."""

    new: dict[str, Value] = {}
    set: dict[str, dict[str, Value]] = {}
    note: dict[str, Value] = {}


@contextmanager
def one_step(
    db: sqlite3.Connection, kind: str, *, actor: str, reason: str
) -> Iterator[None]:
    """Close the events written inside with one that is undone together with them; none, no closing event.

    Inside a transaction, so that no other event comes between.
    """
    first = current_seq(db) + 1
    yield
    if has_events(db, first):
        close_step(db, kind, first, actor=actor, reason=reason)


def has_events(db: sqlite3.Connection, first: int) -> bool:
    """Return whether something was changed from the position `first` on; positions may be drawn in vain."""
    return (
        db.execute("SELECT 1 FROM memory_event WHERE seq >= ?", (first,)).fetchone()
        is not None
    )


def close_step(
    db: sqlite3.Connection,
    kind: str,
    first: int,
    *,
    actor: str,
    reason: str,
    items: int = 0,
) -> int:
    """Write the event that stands for all from `first` on, a change of `items` of them; returns its seq."""
    note = {"first": first} | ({"items": items} if items else {})
    return record_change(db, kind, None, {}, actor=actor, reason=reason, note=note)


def next_seq(db: sqlite3.Connection) -> int:
    """Draw the next position of the sequence; inside a transaction."""
    row = db.execute(
        "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'seq' RETURNING CAST(value AS "
        "INTEGER)"
    ).fetchone()
    return int(row[0])


def current_seq(db: sqlite3.Connection) -> int:
    """Return the position of the last event."""
    return int(db.execute("SELECT value FROM meta WHERE key = 'seq'").fetchone()[0])


def episodes_applied(db: sqlite3.Connection) -> int:
    """Return how many episodes have been applied, the clock of n_elig."""
    return int(
        db.execute("SELECT value FROM meta WHERE key = 'episodes_applied'").fetchone()[
            0
        ]
    )


def record_new(
    db: sqlite3.Connection, row: Mapping[str, Value], actor: str, reason: str
) -> int:
    """Write a new item as an event and return its id; `created_seq` and eligibility are filled in here."""
    item_id = create(db, row, kind="add", actor=actor, reason=reason)
    add_content_change(db, item_id, row)
    return item_id


def create(
    db: sqlite3.Connection,
    row: Mapping[str, Value],
    *,
    kind: str,
    actor: str,
    reason: str,
) -> int:
    """Write a new item without a content change of its own: its history comes from elsewhere."""
    seq = next_seq(db)
    whole = (
        {"created_at": now()}
        | dict(row)
        | {"created_seq": seq, "rev": seq, "elig_since_seq": seq}
    )
    if whole["state"] == "active":
        whole["elig_mark"] = episodes_applied(db)
    item_id = insert(db, "item", **whole)
    _write(
        db, seq, kind, item_id, _Payload(new=whole | {"id": item_id}), {}, actor, reason
    )
    db.execute("UPDATE meta SET value = ? WHERE key = 'index_seq'", (str(seq),))
    return item_id


def known_uids(db: sqlite3.Connection) -> tuple[set[str], set[str]]:
    """Return the uids of all items, and of those among them whose coming was undone."""
    rows = db.execute(
        "SELECT uid, state = 'archived' AND state_reason = ? FROM item", (TAKEN_BACK,)
    ).fetchall()
    return {row[0] for row in rows}, {row[0] for row in rows if row[1]}


def revived(db: sqlite3.Connection, state: str, reason: str) -> dict[str, Value]:
    """Return the columns of an item that comes again after its coming was undone."""
    active = state == "active"
    columns: dict[str, Value] = {
        "state": str(state),
        "state_reason": "" if active else reason,
    }
    if active:
        columns |= {
            "elig_mark": episodes_applied(db),
            "elig_since_seq": current_seq(db) + 1,
        }
    return columns


def add_content_change(
    db: sqlite3.Connection, item_id: int, columns: Mapping[str, Value]
) -> None:
    """Remember what was written to an item, and when."""
    fields = {name: columns[name] for name in CONTENT if name in columns}
    if fields:
        db.execute(
            "INSERT OR IGNORE INTO content_change VALUES (?, ?, ?)",
            (item_id, now(), encode(fields)),
        )


def record_change(
    db: sqlite3.Connection,
    kind: str,
    item_id: int | None,
    changes: Changes,
    *,
    actor: str,
    reason: str,
    seq: int = 0,
    note: Mapping[str, Value] | None = None,
) -> int:
    """Apply column changes and write them as one event with their inverse; returns its seq.

    Changes that name their event give the `seq` they drew for it.
    """
    seq = seq or next_seq(db)
    inverse = set_columns(db, changes)
    whole = {"applied": episodes_applied(db)} | dict(note or {})
    write_change(
        db, seq, kind, item_id, changes, inverse, actor=actor, reason=reason, note=whole
    )
    return seq


def write_change(
    db: sqlite3.Connection,
    seq: int,
    kind: str,
    item_id: int | None,
    changes: Changes,
    inverse: Changes,
    *,
    actor: str,
    reason: str,
    note: Mapping[str, Value] | None = None,
    history: bool = True,
) -> None:
    """Write column changes that have been applied already as an event.

    `history` is False when the content changes come from elsewhere, with times of their own.
    """
    _write(
        db,
        seq,
        kind,
        item_id,
        _Payload(set=_named(changes), note=dict(note or {})),
        inverse,
        actor,
        reason,
    )
    if any(_INDEXED & columns.keys() for columns in changes.values()):
        db.execute("UPDATE meta SET value = ? WHERE key = 'index_seq'", (str(seq),))
    if history:
        for item, columns in changes.items():
            changed = {
                name: value
                for name, value in columns.items()
                if value != inverse[item][name]
            }
            add_content_change(db, item, changed)


def set_columns(db: sqlite3.Connection, changes: Changes) -> Changes:
    """Write columns of items and return their old values.

    `adopted_operators` stands for the rows of `item_operator` as JSON, [[operator, first_seq], …].
    """
    inverse: Changes = {}
    for item_id, columns in changes.items():
        plain = {name: value for name, value in columns.items() if name != OPERATORS}
        if unknown := plain.keys() - ITEM_COLUMNS:
            raise KeyError(f"no such item columns: {unknown}")
        inverse[item_id] = columns_of(db, item_id, columns)
        if plain:
            assignments = ", ".join(f"{name} = ?" for name in plain)
            statement = f"UPDATE item SET {assignments} WHERE id = ?"
            db.execute(statement, (*plain.values(), item_id))
        if OPERATORS in columns:
            rows = decode(str(columns[OPERATORS]), list[tuple[str, int]])
            db.execute("DELETE FROM item_operator WHERE item_id = ?", (item_id,))
            db.executemany(
                "INSERT INTO item_operator VALUES (?, ?, ?)",
                [(item_id, *row) for row in rows],
            )
    return inverse


def columns_of(
    db: sqlite3.Connection, item_id: int, names: Iterable[str]
) -> dict[str, Value]:
    """Return the present values of some columns of an item, in the form `set_columns` takes."""
    row = db.execute("SELECT * FROM item WHERE id = ?", (item_id,)).fetchone()
    return {
        name: operators_of(db, item_id) if name == OPERATORS else row[name]
        for name in names
    }


def operators_of(db: sqlite3.Connection, item_id: int) -> str:
    """Return O_m as JSON, [[operator, first_seq], …]."""
    rows = db.execute(
        "SELECT operator, first_seq FROM item_operator WHERE item_id = ? ORDER BY first_seq, operator",
        (item_id,),
    )
    return encode([tuple(row) for row in rows])


def replay_event(db: sqlite3.Connection, payload: str) -> None:
    """Apply the stored payload of a memory event to an item table that is being rebuilt."""
    event = decode(payload, _Payload)
    if event.new:
        insert(db, "item", **event.new)
    set_columns(db, _numbered(event.set))


def stored_changes(text: str) -> Changes:
    """Read the column values of an event's `inverse`."""
    return _numbered(decode(text, dict[str, dict[str, Value]]))


def payload_new(text: str) -> int | None:
    """Read which item an event's payload created; None when it created none."""
    number = decode(text, _Payload).new.get("id")
    return number if isinstance(number, int) else None


def payload_note(text: str, name: str, default: int) -> int:
    """Read a number from the note of an event's payload."""
    value = decode(text, _Payload).note.get(name, default)
    return value if isinstance(value, int) else default


def payload_episode(text: str) -> str:
    """Read which episode's consolidation an event completed; empty for any other event."""
    uid = decode(text, _Payload).note.get("episode", "")
    return uid if isinstance(uid, str) else ""


def payload_changes(text: str) -> Changes:
    """Read the column values an event's payload wrote."""
    return _numbered(decode(text, _Payload).set)


def rules_at(db: sqlite3.Connection, seq: int) -> dict[int, str]:
    """Return item id -> the rule it had when an event was written; items without one are left out."""
    rows = db.execute(
        "SELECT payload FROM memory_event WHERE seq <= ? AND instr(payload, '\"rule_text\"') ORDER BY seq",
        (seq,),
    )
    rules: dict[int, str] = {}
    for (text,) in rows:
        event = decode(text, _Payload)
        changes = _numbered(event.set)
        if event.new:
            changes[int(str(event.new["id"]))] = event.new
        for item, columns in changes.items():
            if "rule_text" in columns:
                rules[item] = str(columns["rule_text"])
    return {item: rule for item, rule in rules.items() if rule}


def _write(
    db: sqlite3.Connection,
    seq: int,
    kind: str,
    item_id: int | None,
    payload: _Payload,
    inverse: Changes,
    actor: str,
    reason: str,
) -> None:
    insert(
        db,
        "memory_event",
        seq=seq,
        kind=kind,
        item_id=item_id,
        payload=encode(payload),
        inverse=encode(_named(inverse)),
        actor=actor,
        reason=reason,
        at=now(),
    )


def encode(value: object) -> str:
    """Return compact JSON with sorted keys."""
    return msgspec.json.encode(value, order="sorted", enc_hook=plain_text).decode()


def _named(changes: Changes) -> dict[str, dict[str, Value]]:
    # Sorted JSON needs string keys.
    return {str(item): columns for item, columns in changes.items()}


def _numbered(changes: Mapping[str, dict[str, Value]]) -> Changes:
    return {int(item): columns for item, columns in changes.items()}
