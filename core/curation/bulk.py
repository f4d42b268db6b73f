"""One decision on many items: one transaction, one step of Undo, progress while it goes, all or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from core.curation.curator import Curator
from core.errors import InvalidInput, SageError
from core.memory.ledger import close_step, current_seq
from core.memory.queries import item_tags
from core.memory.records import ItemState
from core.memory.store import MemoryStore
from core.workspace.rows import LISTED, listed

ACTIONS = (
    "accept",
    "reject",
    "pin",
    "unpin",
    "bar",
    "unbar",
    "promote",
    "demote",
    "disable",
    "enable",
    "archive",
)
WAITING = (ItemState.PENDING, ItemState.QUARANTINED)
_STRIDE = 50  # items between two words on the progress
_BATCH = 500

Going = Callable[[int, int], bool]  # (items looked at, of how many) -> whether to go on


class Withdrawn(SageError):
    """The person stopped the change before it was complete; the memory is as it was."""


@dataclass(frozen=True)
class Decided:
    """What came of it: `seq` is the step that undoes all, 0 when nothing changed; `items` how many did."""

    seq: int
    items: int


def meant(db: sqlite3.Connection, action: str, ids: Sequence[int]) -> list[int]:
    """Return those of `ids` that `action` is about: `accept` and `reject` only ask about waiting items."""
    if action not in ("accept", "reject"):
        return list(ids)
    query = f"SELECT id FROM item WHERE id IN {LISTED} AND state IN {LISTED}"
    waiting = {row[0] for row in db.execute(query, (listed(ids), listed(WAITING)))}
    return [item for item in ids if item in waiting]


def decide(
    store: MemoryStore,
    action: str,
    uids: Sequence[str],
    *,
    reason: str = "",
    going: Going | None = None,
) -> Decided:
    """Do `action` of `Curator` to every item, as one step that one Undo takes back.

    Args:
        store: Writable.
        action: One of `ACTIONS`; `accept` and `reject` pass over items nobody is asked about.
        uids: The items, in order.
        reason: Why.
        going: Told of the progress now and then; answers whether to go on.

    Raises:
        InvalidInput: An unknown action.
        Withdrawn: `going` said no; nothing was changed.
        SageError: One of the items refuses, e.g. its rule does not fit; nothing was changed.
    """
    if action not in ACTIONS:
        raise InvalidInput(
            "action", action, "is not one of {known}", known=", ".join(ACTIONS)
        )
    act = getattr(Curator(store), action)

    def change(uid: str) -> int:
        if action in ("accept", "reject") and store.item(uid).state not in WAITING:
            return 0
        return int(act(uid, reason=reason))

    return _each(store, f"{action}-items", uids, change, reason, going)


def tag(
    store: MemoryStore,
    uids: Sequence[str],
    add: Collection[str],
    remove: Collection[str] = (),
) -> Decided:
    """Add tags to items, and take others away, as one step."""
    curator = Curator(store)

    def change(uid: str) -> int:
        item = store.item(uid).id
        present = item_tags(store.workspace.db, [item]).get(item, ())
        return curator.tag(uid, {*present, *add} - set(remove))

    return _each(store, "tag-items", uids, change, "", None)


def _each(
    store: MemoryStore,
    kind: str,
    uids: Sequence[str],
    change: Callable[[str], int],
    reason: str,
    going: Going | None,
) -> Decided:
    """Do `change` to every item in one transaction; several changes are closed by one event of `kind`."""
    with store.workspace.transaction() as db:
        first, seqs = current_seq(db) + 1, list[int]()
        for number, uid in enumerate(uids):
            if (
                going is not None
                and number % _STRIDE == 0
                and not going(number, len(uids))
            ):
                raise Withdrawn("Stopped; nothing was changed.")
            if seq := change(uid):
                seqs.append(seq)
        if len(seqs) < 2:
            return Decided(seqs[0] if seqs else 0, len(seqs))
        step = close_step(db, kind, first, actor="user", reason=reason, items=len(seqs))
    return Decided(step, len(seqs))
