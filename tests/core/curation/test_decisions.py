"""One decision on many items: all or nothing, and one Undo for all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.curation.decisions import Withdrawn, concerned, decide, edit
from core.errors import InvalidInput, SageError
from core.memory.records import Experience, ItemState, Origin
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.workspace import Workspace

NAMES = tuple(f"item-{number:03}" for number in range(120))


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    opened = MemoryStore(Workspace.open(tmp_path / "w.sage"))
    with opened.workspace.transaction():
        for number, uid in enumerate(NAMES):
            state = ItemState.ACTIVE if number % 10 == 0 else ItemState.PENDING
            opened.add_item(
                Experience(f"Say {uid}", "t", "c"),
                origin=Origin.IMPORT,
                state=state,
                uid=uid,
            )
    return opened


def _states(store: MemoryStore) -> list[ItemState]:
    return [store.item(uid).state for uid in NAMES]


def test_many_are_accepted_as_one_step_and_one_undo_takes_all_back(
    store: MemoryStore,
) -> None:
    before, curator = _states(store), Curator(store)
    own = curator.archive(NAMES[10])
    told: list[tuple[int, int]] = []
    done = decide(
        store,
        "accept",
        NAMES,
        reason="read",
        progress=lambda *place: told.append(place) or True,
    )
    assert done.items == 108  # the twelve that did not wait are passed over
    assert told == [(0, 120), (50, 120), (100, 120)]
    assert curator.undo() > done.seq
    before[10] = ItemState.ARCHIVED
    assert _states(store) == before
    curator.redo()
    assert _states(store).count(ItemState.ACTIVE) == 119
    assert verify(store.workspace) == ()
    curator.undo()
    assert curator.undo() > own
    assert store.item(NAMES[10]).state is ItemState.ACTIVE


def test_nothing_is_changed_when_it_is_stopped_or_one_item_refuses(
    store: MemoryStore,
) -> None:
    before = _states(store)
    with pytest.raises(Withdrawn):
        decide(store, "reject", NAMES, progress=lambda done, _total: done < 100)
    with pytest.raises(SageError, match=f"{NAMES[1]} is pending"):
        decide(store, "pin", NAMES)
    assert _states(store) == before
    assert not any(store.item(uid).pinned for uid in NAMES)
    with pytest.raises(InvalidInput, match="forget"):
        decide(store, "forget", NAMES)


def test_only_waiting_items_are_asked_about(store: MemoryStore) -> None:
    ids = [store.item(uid).id for uid in NAMES]
    assert concerned(store.workspace.db, "archive", ids) == ids
    waiting = concerned(store.workspace.db, "accept", ids)
    assert waiting == [item for number, item in enumerate(ids) if number % 10]


def test_a_decision_on_one_item_is_a_plain_event(store: MemoryStore) -> None:
    done = decide(store, "accept", NAMES[1:2])
    row = store.workspace.db.execute(
        "SELECT kind, item_id FROM memory_event WHERE seq = ?", (done.seq,)
    )
    assert tuple(row.fetchone()) == ("state-active", store.item(NAMES[1]).id)
    with pytest.raises(SageError, match="is active"):
        decide(store, "accept", NAMES[1:2])


def test_content_and_rule_are_edited_as_one_step(store: MemoryStore) -> None:
    uid = NAMES[0]
    edit(store, uid, rule="Pad the tail.", example="pad();")
    edit(store, uid, Experience("Say it better", "t", "c"), rule="Pad every tail.")
    item = store.item(uid)
    assert (item.title, item.rule_text) == ("Say it better", "Pad every tail.")
    assert item.rule_example == "pad();"
    assert edit(store, uid, item.experience) == 0
    Curator(store).undo()
    item = store.item(uid)
    assert (item.title, item.rule_text) == (f"Say {uid}", "Pad the tail.")
    assert verify(store.workspace) == ()


def test_items_accepted_together_are_indexed_with_the_decision(
    store: MemoryStore,
) -> None:
    waiting = [uid for uid in NAMES if store.item(uid).state is ItemState.PENDING]
    decide(store, "accept", waiting)
    rows = store.workspace.db.execute("SELECT count(*) FROM document").fetchone()
    assert rows[0] == len(NAMES)
