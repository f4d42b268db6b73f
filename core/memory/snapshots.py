"""Snapshots of hot memory: what changed between two, and taking an old one up again."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.errors import SageError
from core.memory import residency
from core.memory.ledger import Changes, episodes_applied, next_seq, record_change
from core.memory.reading import latest_parameters, read_snapshot
from core.memory.records import HotEntry
from core.memory.tokens import block_tokens
from core.workspace import Workspace


@dataclass(frozen=True)
class ChangedEntry:
    """A resident of both snapshots whose numbers or title moved."""

    before: HotEntry
    after: HotEntry


@dataclass(frozen=True)
class SnapshotDiff:
    """What lies between two snapshots; every list by item id."""

    added: tuple[HotEntry, ...]
    removed: tuple[HotEntry, ...]
    changed: tuple[ChangedEntry, ...]
    unchanged: int


def diff_snapshots(db: sqlite3.Connection, before: int, after: int) -> SnapshotDiff:
    """Compare the snapshots taken at two events; raises SageError when one does not exist."""
    old = {entry.id: entry for entry in read_snapshot(db, before).hot_entries}
    new = {entry.id: entry for entry in read_snapshot(db, after).hot_entries}
    both = sorted(old.keys() & new.keys())
    changed = tuple(
        ChangedEntry(old[item], new[item]) for item in both if old[item] != new[item]
    )
    return SnapshotDiff(
        tuple(new[item] for item in sorted(new.keys() - old.keys())),
        tuple(old[item] for item in sorted(old.keys() - new.keys())),
        changed,
        len(both) - len(changed),
    )


def begin_session(workspace: Workspace) -> int:
    """Begin a session of memory evolution: the `session_id` of the snapshots from now on; returns it.

    A session is the work of one engine from its start to its end. One that left no snapshot leaves no gap.
    """
    with workspace.transaction() as db:
        last = db.execute("SELECT max(session_id) FROM hot_snapshot").fetchone()[0]
        session = 1 + int(last or 0)
        workspace.set_meta("session_id", str(session))
    return session


def restore_snapshot(workspace: Workspace, seq: int, *, reason: str = "") -> int:
    """Make the residents of an old snapshot resident again, as a new event that can be undone.

    Evidence stays as it is today: only membership of H is taken from the snapshot. Returns the seq of the
        event, 0
    when H is the same already.

    Raises:
        SageError: When an item of it is no longer active or has no rule, or they no longer fit the budget.
    """
    with workspace.transaction() as db:
        members = [entry.id for entry in read_snapshot(db, seq).hot_entries]
        residents = {
            row[0] for row in db.execute("SELECT id FROM item WHERE hot_region = 1")
        }
        if set(members) == residents:
            return 0
        parameters = latest_parameters(db)
        event, applied = next_seq(db), episodes_applied(db)
        changes: Changes = {}
        for item in residents - set(members):
            row = residency.item_row(db, item)
            changes[item] = residency.demotion(row, event, applied, parameters) | {
                "pinned": 0
            }
            changes[item]["demoted_seq"] = (
                event  # a person put it out: it stays out as after `demote`
            )
        for item in sorted(set(members) - residents):
            row = residency.item_row(db, item)
            if row["state"] != "active" or row["L_m"] == 0:
                raise SageError(
                    "{uid} is {state} and cannot be resident again.",
                    uid=row["uid"],
                    state=row["state"],
                )
            changes[item] = residency.promotion(row, event, applied) | {"barred": 0}
        note = {"snapshot": seq}
        record_change(
            db,
            "restore-snapshot",
            None,
            changes,
            actor="user",
            reason=reason,
            seq=event,
            note=note,
        )
        tokens = block_tokens(
            row[0] for row in db.execute("SELECT L_m FROM item WHERE hot_region = 1")
        )
        if tokens > parameters.B:
            raise SageError(
                "The rules of snapshot {seq} take {tokens} of {budget} tokens today.",
                seq=seq,
                tokens=tokens,
                budget=parameters.B,
            )
        return event
