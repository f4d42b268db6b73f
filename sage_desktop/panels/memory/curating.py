"""Changes to experiences: small named functions that run on the engine's writer; what Undo would undo."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from PySide6.QtCore import QCoreApplication

from core.curation import decisions
from core.curation.curator import Curator
from core.curation.decisions import Decided, Progress, decide, tag
from core.curation.undo import items_of_step, next_redo, next_undo, taken_back
from core.memory.reading import read_items
from core.memory.records import Experience
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.memory.views.rows import EventRow
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.curation.duplicates import DuplicatePair

P = ParamSpec("P")
T = TypeVar("T")
Targets = Sequence[str | int]  # items by uid or by id
_WORDS = {
    "pin": "Pin",
    "unpin": "Unpin",
    "block": "Block",
    "unblock": "Unblock",
    "promote": "Promote",
    "demote": "Demote",
    "edit": "Edit",
    "edit-rule": "Edit Rule",
    "state-active": "Put into Use",
    "state-archived": "Archive",
    "merge-items": "Join",
    "recount": "Recount Tokens",
    "reset-evidence": "Reset Evidence",
    "restore-snapshot": "Restore Snapshot",
    "add": "Add",
    "add-again": "Add",
    "add-seeds": "Add Seeds",
    "add-mined": "Add Mined Patterns",
    "merge-memory": "Merge Memory",
    "redo": "Redo",
    "accept-items": "Accept {0} items",
    "reject-items": "Reject {0} items",
    "pin-items": "Pin {0} items",
    "unpin-items": "Unpin {0} items",
    "block-items": "Block {0} items",
    "unblock-items": "Unblock {0} items",
    "promote-items": "Promote {0} items",
    "demote-items": "Demote {0} items",
    "tag": "Tag",
    "tag-items": "Tag {0} items",
    "archive-items": "Archive {0} items",
    "restore-items": "Restore {0} items",
    # What older releases wrote.
    "bar": "Block",
    "unbar": "Unblock",
    "bar-items": "Block {0} items",
    "unbar-items": "Unblock {0} items",
    "disable-items": "Disable {0} items",
    "enable-items": "Enable {0} items",
    "state-disabled": "Disable",
    "split-rule": "Split Rule",
    "contradict": "Mark Contradiction",
    "import-library": "Import Library",
}


@dataclass(frozen=True)
class UndoState:
    """What Undo and Redo would do: words for the menu, empty when there is nothing."""

    undo: str
    redo: str
    undo_seq: int = 0  # of the event Undo would take back


def _curator(workspace: Workspace) -> Curator:
    return Curator(MemoryStore(workspace))


def command(
    name: str, targets: Targets, progress: Progress | None = None
) -> Callable[[Workspace], Decided]:
    """One decision on every target, as one step of Undo; see `core.curation.decisions.decide`.

    Args:
        name: One of `core.curation.decisions.ACTIONS`.
        targets: Items as uids or as ids.
        progress: Called in the engine's thread.
    """
    return lambda workspace: decide(
        MemoryStore(workspace), name, uids(workspace.db, targets), progress=progress
    )


def tagged(
    targets: Targets, add: Collection[str], remove: Collection[str]
) -> Callable[[Workspace], Decided]:
    """Give tags to every target and take others away, as one step of Undo."""
    return lambda workspace: tag(
        MemoryStore(workspace), uids(workspace.db, targets), add, remove
    )


def uids(db: sqlite3.Connection, targets: Targets) -> list[str]:
    """The uids of items given as uids or ids, in order."""
    numbers = [target for target in targets if isinstance(target, int)]
    names = queries.item_uids(db, numbers)
    return [names[target] if isinstance(target, int) else target for target in targets]


def tags_of(db: sqlite3.Connection, targets: Targets) -> tuple[list[str], list[str]]:
    """Tags that all targets share, and all tags in use, the most frequent first."""
    ids = queries.ids_of(db, uids(db, targets))
    found = queries.item_tags(db, ids)
    shared = (
        set.intersection(*(set(found.get(item, ())) for item in ids)) if ids else set()
    )
    return sorted(shared), list(queries.tag_counts(db))


def near_duplicates(
    db: sqlite3.Connection,
) -> tuple[tuple[DuplicatePair, ...], dict[str, str]]:
    """Pairs of items that say nearly the same, and the titles of all of them by uid."""
    from core.curation.duplicates import find_duplicates

    pairs = find_duplicates(db)
    named = read_items(
        db, sorted({uid for pair in pairs for uid in (pair.kept, pair.other)})
    )
    return pairs, {item.uid: item.title for item in named}


def curated(
    method: Callable[Concatenate[Curator, P], T], *args: P.args, **options: P.kwargs
) -> Callable[[Workspace], T]:
    """The change that a method of the curator makes with these arguments."""
    return lambda workspace: method(_curator(workspace), *args, **options)


def edit(
    uid: str, experience: Experience, rule: str | None, reason: str
) -> Callable[[Workspace], int]:
    """New content, and a new rule when `rule` is given."""
    return lambda workspace: decisions.edit(
        MemoryStore(workspace), uid, experience, rule=rule, reason=reason
    )


def undo_state(db: sqlite3.Connection) -> UndoState:
    """Read what Undo and Redo would do now."""
    taken, again = next_undo(db), next_redo(db)
    undone = taken_back(db, again.seq) if again is not None else None
    return UndoState(_words(db, taken), _words(db, undone), taken.seq if taken else 0)


def _words(db: sqlite3.Connection, event: EventRow | None) -> str:
    """`Pin seed-0003`, `Accept 5,000 items`."""
    if event is None:
        return ""
    items = items_of_step(db, event.seq)
    return (
        step_words(event.kind, items)
        if items
        else f"{step_words(event.kind)} {event.item_uid}".rstrip()
    )


def step_words(kind: str, items: int = 0) -> str:
    """Words for a kind of event, and how many items a step of that kind changes."""
    return QCoreApplication.translate("Undo", _WORDS.get(kind, kind)).format(
        f"{items:,}"
    )
