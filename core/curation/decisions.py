"""What a person decides about items, one or many: all or nothing, and one step of Undo.

The window and the command line call these functions; `Curator` does the change of a
single item.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from core.curation.curator import WAITING, Curator
from core.errors import InvalidInput, SageError
from core.memory.ledger import close_step, current_seq
from core.memory.records import Experience
from core.memory.store import MemoryStore
from core.memory.views.queries import item_tags
from core.workspace.rows import LISTED, listed

ACTIONS: dict[str, Callable[..., int]] = {
    "accept": Curator.accept,
    "reject": Curator.reject,
    "pin": Curator.pin,
    "unpin": Curator.unpin,
    "block": Curator.block,
    "unblock": Curator.unblock,
    "promote": Curator.promote,
    "demote": Curator.demote,
    "archive": Curator.archive,
    "restore": Curator.restore,
}
_ABOUT_WAITING = ("accept", "reject")
_STRIDE = 50  # items between two reports of progress

Progress = Callable[[int, int], bool]
"""(items done, of how many) -> whether to continue."""


class Withdrawn(SageError):
    """The person stopped the change before it was complete; the memory is as it was."""


@dataclass(frozen=True)
class Decided:
    """What came of it: `seq` is the step that undoes all, 0 when nothing changed.

    `items` how many did.
    """

    seq: int
    items: int


def concerned(db: sqlite3.Connection, action: str, ids: Sequence[int]) -> list[int]:
    """Return those of `ids` that `action` is about.

    `accept` and `reject` are about waiting items only.
    """
    if action not in _ABOUT_WAITING:
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
    progress: Progress | None = None,
) -> Decided:
    """Do `action` of `Curator` to every item, as one step that one Undo takes back.

    Args:
        store: Writable.
        action: One of `ACTIONS`. Of several items `accept` and `reject` leave out those
            that do not wait.
        uids: The items, in order.
        reason: Why.
        progress: Called now and then; the change is withdrawn when it answers false.

    Raises:
        InvalidInput: An unknown action.
        Withdrawn: `progress` answered false; nothing was changed.
        SageError: One of the items refuses, e.g. its rule does not fit; nothing was
            changed.
    """
    if action not in ACTIONS:
        raise InvalidInput(
            "action", action, "is not one of {actions}", actions=", ".join(ACTIONS)
        )
    act, curator = ACTIONS[action], Curator(store)
    passes_over = action in _ABOUT_WAITING and len(uids) > 1

    def change(uid: str) -> int:
        if passes_over and store.item(uid).state not in WAITING:
            return 0
        return act(curator, uid, reason=reason)

    return _each(store, f"{action}-items", uids, change, reason, progress)


def edit(
    store: MemoryStore,
    uid: str,
    experience: Experience | None = None,
    *,
    rule: str | None = None,
    example: str | None = None,
    reason: str = "",
) -> int:
    """Replace the content of an item, its rule, or both, as one step.

    Returns its seq, 0 for no change.

    Args:
        store: Writable.
        uid: The item.
        experience: The new content; None: it stays.
        rule: The new text of the rule; None: it stays.
        example: The new code of the rule; None: that of the present rule.
        reason: Why.
    """
    curator = Curator(store)
    changes: list[Callable[[], int]] = []
    if experience is not None:
        changes.append(lambda: curator.edit(uid, experience, reason=reason))
    if rule is not None:
        code = store.item(uid).rule_example if example is None else example
        changes.append(lambda: curator.edit_rule(uid, rule, code, reason=reason))
    with store.workspace.transaction() as db:
        first = current_seq(db) + 1
        events = [seq for seq in (change() for change in changes) if seq]
        if len(events) < 2:
            return events[0] if events else 0
        return close_step(db, "edit", first, actor="user", reason=reason)


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
    progress: Progress | None,
) -> Decided:
    """Do `change` to every item in one transaction.

    Several changes are closed by one event of `kind`.
    """
    report = progress or (lambda _done, _total: True)
    with store.workspace.transaction() as db:
        first, seqs = current_seq(db) + 1, list[int]()
        for number, uid in enumerate(uids):
            if number % _STRIDE == 0 and not report(number, len(uids)):
                raise Withdrawn("Stopped; nothing was changed.")
            if seq := change(uid):
                seqs.append(seq)
        if len(seqs) < 2:
            return Decided(seqs[0] if seqs else 0, len(seqs))
        step = close_step(db, kind, first, actor="user", reason=reason, items=len(seqs))
        from core.memory.retrieval.sparse_index import SparseIndex

        SparseIndex(store.workspace).refresh()  # not by each search that only reads
    return Decided(step, len(seqs))
