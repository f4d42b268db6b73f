"""Snapshots of hot memory: compared, restored, numbered by session."""

from __future__ import annotations

import pytest

from core.curation.curator import Curator
from core.errors import SageError
from core.memory.reading import read_effect
from core.memory.replay.verification import verify
from core.memory.snapshots import begin_session, diff_snapshots, restore_snapshot
from core.memory.store import MemoryStore
from core.memory.views import queries
from tests.scenario import add_items, play_episode


@pytest.fixture
def two_residents(store: MemoryStore) -> MemoryStore:
    add_items(store, 3)
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True, "m2": True}, operator=operator)
    store.set_rule("m1", "First rule.")
    play_episode(store, "one", {})
    store.set_rule("m2", "Second rule.")
    play_episode(store, "two", {}, used=("m1",))
    return store


def test_snapshots_can_be_compared_and_restored_as_a_new_state(
    two_residents: MemoryStore,
) -> None:
    store = two_residents
    one, two = (read_effect(store.workspace.db, uid).seq for uid in ("one", "two"))
    diff = diff_snapshots(store.workspace.db, one, two)
    assert [entry.title for entry in diff.added] == ["rule number 2"]
    assert [change.after.id for change in diff.changed] == [1]
    assert diff.removed == ()
    assert diff.changed[0].after.p_hat > diff.changed[0].before.p_hat
    before = store.items()
    restore_snapshot(store.workspace, one)
    assert [item.uid for item in store.residents()] == ["m1"]
    assert restore_snapshot(store.workspace, one) == 0
    assert verify(store.workspace) == ()
    Curator(store).undo()
    assert store.items() == before
    Curator(store).archive("m2")
    with pytest.raises(SageError, match="m2 is archived"):
        restore_snapshot(store.workspace, two)


def test_each_session_of_evolution_has_its_number_and_an_idle_one_leaves_no_gap(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    for session in range(4):
        begin_session(store.workspace)
        if session != 1:
            play_episode(store, f"e{session}", {"m1": True})
    assert sorted(
        {snap.session_id for _, snap in queries.snapshots(store.workspace.db)}
    ) == [1, 2, 3]
    assert verify(store.workspace) == ()
