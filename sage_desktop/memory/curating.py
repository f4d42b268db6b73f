"""Changes to experiences: small named functions that run on the engine's writer; what Undo would undo."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from core.memory import queries
from core.memory.curation import Curator
from core.memory.records import Experience
from core.memory.store import MemoryStore
from core.memory.undo import NEVER_UNDONE
from core.workspace import Workspace

Change = Callable[[Workspace], int]
_WORDS = {
    "pin": "Pin",
    "unpin": "Unpin",
    "bar": "Bar",
    "unbar": "Unbar",
    "promote": "Promote",
    "demote": "Demote",
    "edit": "Edit",
    "edit-rule": "Edit Rule",
    "state-disabled": "Disable",
    "state-active": "Enable",
    "state-archived": "Archive",
    "merge-items": "Join",
    "split-rule": "Split Rule",
    "contradict": "Mark Contradiction",
    "recount": "Recount Tokens",
    "reset-evidence": "Reset Evidence",
    "restore-snapshot": "Restore Snapshot",
}


@dataclass(frozen=True)
class UndoState:
    """What Undo and Redo would do: words for the menu, empty when there is nothing."""

    undo: str
    redo: str


def _curator(workspace: Workspace) -> Curator:
    return Curator(MemoryStore(workspace))


def command(name: str, uid: str) -> Change:
    """One of pin, unpin, bar, unbar, promote, demote, enable, disable for the item `uid`."""
    return lambda workspace: getattr(_curator(workspace), name)(uid)


def edit(uid: str, experience: Experience, rule: str | None, reason: str) -> Change:
    """New content, and a new rule when `rule` is given."""

    def change(workspace: Workspace) -> int:
        curator = _curator(workspace)
        seq = curator.edit(uid, experience, reason=reason)
        return curator.edit_rule(uid, rule, reason=reason) if rule is not None else seq

    return change


def undo(workspace: Workspace) -> int:
    """Take back the latest change that still holds."""
    return _curator(workspace).undo()


def redo(workspace: Workspace) -> int:
    """Do the latest undone change again."""
    return _curator(workspace).redo()


def undo_state(db: sqlite3.Connection) -> UndoState:
    """Read what Undo and Redo would do now."""
    holding = [event for event in queries.events(db, limit=200) if event.undone_by is None]
    undoable = [event for event in holding if event.kind not in NEVER_UNDONE]
    undo_words = _words(undoable[-1]) if undoable else ""
    undone = [event for event in holding if event.kind == "undo" or event.kind not in NEVER_UNDONE]
    redo_words = _words(undone[-1]) if undone and undone[-1].kind == "undo" else ""
    return UndoState(undo_words, redo_words)


def _words(event: queries.EventRow) -> str:
    return f"{_WORDS.get(event.kind, event.kind)} {event.item_uid}".strip()
