"""Changes to experiences: small named functions that run on the engine's writer; what Undo would undo."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.curation.curator import Curator
from core.curation.undo import next_redo, next_undo
from core.exchange import conflicts
from core.memory import queries
from core.memory.queries import EventRow
from core.memory.reading import read_items
from core.memory.records import Experience, ItemState
from core.memory.snapshots import restore_snapshot
from core.memory.store import MemoryStore
from core.workspace import Workspace

Change = Callable[[Workspace], int]
Targets = Sequence[str | int]  # items by uid or by id
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
    "add": "Add",
    "add-again": "Add",
    "add-seeds": "Add Seeds",
    "add-mined": "Add Mined Patterns",
    "import-library": "Import Library",
    "merge-memory": "Merge Memory",
}


@dataclass(frozen=True)
class UndoState:
    """What Undo and Redo would do: words for the menu, empty when there is nothing."""

    undo: str
    redo: str
    undo_seq: int = 0  # of the event each would take back
    redo_seq: int = 0


def _curator(workspace: Workspace) -> Curator:
    return Curator(MemoryStore(workspace))


def command(name: str, targets: Targets) -> Callable[[Workspace], tuple[int, ...]]:
    """A method of `Curator` for every target, in one transaction; answers the seqs of the events it wrote.

    `accept` and `reject` pass over items nobody is asked about, so that a mixed selection does what is meant.

    Args:
        name: pin, unpin, bar, unbar, promote, demote, accept, reject, disable, enable or archive.
        targets: Items as uids or as ids.
    """

    def change(workspace: Workspace) -> tuple[int, ...]:
        curator = _curator(workspace)
        act = getattr(curator, name)
        meant = uids(workspace.db, targets)
        if name in ("accept", "reject"):
            meant = _waiting(workspace.db, meant)
        return tuple(seq for uid in meant if (seq := act(uid)))

    return change


def uids(db: sqlite3.Connection, targets: Targets) -> list[str]:
    """The uids of items given as uids or ids, in order."""
    numbers = [target for target in targets if isinstance(target, int)]
    names = {row.id: row.uid for row in queries.item_rows(db, numbers).values()}
    return [names[target] if isinstance(target, int) else target for target in targets]


def _waiting(db: sqlite3.Connection, meant: list[str]) -> list[str]:
    waiting = {
        item.uid for item in read_items(db, meant) if item.state in {ItemState.PENDING, ItemState.QUARANTINED}
    }
    return [uid for uid in meant if uid in waiting]


def split(uid: str, reason: str) -> Callable[[Workspace], str]:
    """Give the rule of an item a life of its own; answers the uid of the new item."""
    return lambda workspace: _curator(workspace).split_rule(uid, reason=reason)


def reset(uid: str, reason: str) -> Change:
    """Forget utility and counts of an item."""
    return lambda workspace: _curator(workspace).reset_evidence(uid, reason=reason)


def merge(kept: str, other: str, reason: str) -> Change:
    """Make one item of two."""
    return lambda workspace: _curator(workspace).merge(kept, other, reason=reason)


def contradict(uid: str, other: str, reason: str) -> Change:
    """Say that two items cannot both be right."""
    return lambda workspace: _curator(workspace).contradict(uid, other, reason=reason)


def recount(counter: str, reason: str) -> Change:
    """Count the tokens of every rule again, with another counter when one is named."""
    return lambda workspace: _curator(workspace).recount(counter, reason=reason)


def restore(snapshot: int, reason: str) -> Change:
    """Make the residents of an old snapshot resident again."""
    return lambda workspace: restore_snapshot(workspace, snapshot, reason=reason)


def edit(uid: str, experience: Experience, rule: str | None, reason: str) -> Change:
    """New content, and a new rule when `rule` is given."""

    def change(workspace: Workspace) -> int:
        curator = _curator(workspace)
        seq = curator.edit(uid, experience, reason=reason)
        return curator.edit_rule(uid, rule, reason=reason) if rule is not None else seq

    return change


def decide(uid: str, field: str, *, take_other: bool) -> Change:
    """Settle what two memories changed apart."""
    return lambda workspace: conflicts.decide(workspace, uid, field, take_other=take_other)


def undo(times: int = 1) -> Callable[[Workspace], tuple[int, ...]]:
    """Take back the latest changes that still hold; answers the seqs of the events that do."""

    def change(workspace: Workspace) -> tuple[int, ...]:
        curator = _curator(workspace)
        return tuple(curator.undo() for _time in range(times))

    return change


def redo(times: int = 1) -> Callable[[Workspace], tuple[int, ...]]:
    """Do the latest undone changes again."""

    def change(workspace: Workspace) -> tuple[int, ...]:
        curator = _curator(workspace)
        return tuple(curator.redo() for _time in range(times))

    return change


def undo_state(db: sqlite3.Connection) -> UndoState:
    """Read what Undo and Redo would do now."""
    taken, again = next_undo(db), next_redo(db)
    return UndoState(_words(taken), _words(again), taken.seq if taken else 0, again.seq if again else 0)


def _words(event: EventRow | None) -> str:
    if event is None:
        return ""
    words = QCoreApplication.translate("Undo", _WORDS.get(event.kind, event.kind))
    return f"{words} {event.item_uid}".rstrip()
