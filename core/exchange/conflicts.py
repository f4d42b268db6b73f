"""Texts that two memories changed apart, kept until a person has decided.

The later one is in use meanwhile.

They stay in this workspace: what a person decides here travels as an edit like any
other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.curation.curator import Curator
from core.errors import SageError
from core.memory.ledger import encode
from core.memory.reading import read_item
from core.memory.records import CodeDiff, MemoryItem, Scope
from core.memory.store import MemoryStore
from core.records_json import decode
from core.workspace import Workspace

_OPEN = "open_conflicts"  # in `meta`
# The newest ones, so that conflicts never looked at do not fill the workspace.
_MOST = 500
_RULE = ("rule_text", "rule_example")
_STRUCTURED = {"code_diff": CodeDiff, "scope": Scope}  # kept as JSON


@dataclass(frozen=True)
class Conflict:
    """Both memories changed the same field of an item; `kept` was written last.

    Attributes:
        uid: The item.
        field: Its column, e.g. `summary`.
        kept: What is in use.
        other: What is not.
        source: Where the other memory lies, as the user named it.
    """

    uid: str
    field: str
    kept: str
    other: str
    source: str = ""


def open_conflicts(db: sqlite3.Connection) -> tuple[Conflict, ...]:
    """Conflicts that are not decided, oldest first.

    A text that was changed since is no conflict any more.
    """
    return tuple(conflict for conflict in _noted(db) if _holds(db, conflict))


def _noted(db: sqlite3.Connection) -> list[Conflict]:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_OPEN,)).fetchone()
    return decode(row[0], list[Conflict]) if row is not None else []


def _holds(db: sqlite3.Connection, conflict: Conflict) -> bool:
    if (
        db.execute("SELECT 1 FROM item WHERE uid = ?", (conflict.uid,)).fetchone()
        is None
    ):
        return False
    return _value(read_item(db, conflict.uid), conflict.field) == conflict.kept


def _value(item: MemoryItem, field: str) -> str:
    """A field as the changes of content hold it."""
    value = getattr(item, field)
    return encode(value) if field in _STRUCTURED else str(value)


def note(workspace: Workspace, conflicts: Iterable[Conflict], source: str) -> None:
    """Remember conflicts of a merge, inside its transaction.

    A newer one of a field replaces the older.
    """
    fresh = {(one.uid, one.field): replace(one, source=source) for one in conflicts}
    if fresh:
        before = [
            one for one in _noted(workspace.db) if (one.uid, one.field) not in fresh
        ]
        _write(workspace, [*before, *fresh.values()])


def decide(
    workspace: Workspace, uid: str, field: str, *, take_other: bool, reason: str = ""
) -> int:
    """Keep what is in use, or put the other text in its place.

    Returns the seq of the edit, 0 for none.

    Raises:
        SageError: There is no such conflict any more.
    """
    with workspace.transaction():
        unresolved = open_conflicts(workspace.db)
        conflict = next(
            (one for one in unresolved if (one.uid, one.field) == (uid, field)), None
        )
        if conflict is None:
            raise SageError(
                "There is nothing to decide about {field} of {uid}.",
                "It has been decided in the meantime.",
                field=field,
                uid=uid,
            )
        _write(workspace, [one for one in unresolved if one is not conflict])
        return _take(workspace, conflict, reason) if take_other else 0


def _take(workspace: Workspace, conflict: Conflict, reason: str) -> int:
    """Put the other text in place, as an edit; returns its seq."""
    item = read_item(workspace.db, conflict.uid)
    curator = Curator(MemoryStore(workspace))
    why = reason or f"taken from {conflict.source}"
    # Rule and example are edited together: the cost of both is counted as one.
    if conflict.field in _RULE:
        texts = {
            "rule_text": item.rule_text,
            "rule_example": item.rule_example,
            conflict.field: conflict.other,
        }
        return curator.edit_rule(
            conflict.uid, texts["rule_text"], texts["rule_example"], reason=why
        )
    kind = _STRUCTURED.get(conflict.field)
    value: Any = conflict.other if kind is None else decode(conflict.other, kind)
    return curator.edit(
        conflict.uid, replace(item.experience, **{conflict.field: value}), reason=why
    )


def _write(workspace: Workspace, conflicts: Iterable[Conflict]) -> None:
    workspace.set_meta(_OPEN, encode(list(conflicts)[-_MOST:]))
