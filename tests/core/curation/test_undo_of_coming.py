"""What came by hand, by import, by mining or from another memory goes again with Undo, each in one step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.agent.learning.mining import Mined, store_mined
from core.curation.curator import Curator
from core.curation.undo import CannotUndo
from core.exchange.memory_file import Bank, export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.exchange.seeds import add_seeds
from core.memory.records import ItemState, Origin
from core.memory.replay.verification import verify
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.workspace import Workspace
from tests.core.curation.test_curation import projection
from tests.scenario import add_items, experience, play_episode


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[MemoryStore]:
    with Workspace.open(tmp_path / "theirs.sage") as workspace:
        store = MemoryStore(workspace)
        add_items(store, 5)
        for number, operator in enumerate("XYZ"):
            play_episode(
                store,
                f"t{number}",
                {"m1": True, "m5": True, "m3": False},
                operator=operator,
            )
        Curator(store, actor="them").edit(
            "m2", experience(2, title="their better title")
        )
        yield store


@pytest.fixture
def ours(store: MemoryStore) -> MemoryStore:
    add_items(store, 3)
    play_episode(store, "e1", {"m1": True, "m2": False}, operator="A")
    return store


def bank(of: MemoryStore) -> Bank:
    return parse_bank("theirs", export_bank(of.workspace.db))


def by_hand(store: MemoryStore) -> None:
    store.add_item(experience(8), origin=Origin.USER, actor="user")


def by_seeds(store: MemoryStore) -> None:
    add_seeds(store, tuple((f"s{number}", experience(number)) for number in (8, 9)))


def by_mining(store: MemoryStore) -> None:
    store_mined(store, Mined((experience(8), experience(9)), "mined, not reviewed"))


def uids(store: MemoryStore, *states: ItemState) -> set[str]:
    return (
        {item.uid for item in store.items(states=states)}
        if states
        else {i.uid for i in store.items()}
    )


@pytest.mark.parametrize("way", ["hand", "seeds", "mining", "merge"])
def test_one_undo_takes_everything_back_that_came_and_redo_brings_it_again(
    ours: MemoryStore, theirs: MemoryStore, way: str
) -> None:
    ways: dict[str, Callable[[], object]] = {
        "hand": lambda: by_hand(ours),
        "seeds": lambda: by_seeds(ours),
        "mining": lambda: by_mining(ours),
        "merge": lambda: merge_bank(
            ours, bank(theirs), source="theirs", state=ItemState.ACTIVE
        ),
    }
    before, known = ours.items(), uids(ours)
    ways[way]()
    after = projection(ours)
    new = uids(ours) - known
    assert new
    curator = Curator(ours)
    curator.undo()
    assert ours.items(known) == tuple(
        sorted(before, key=lambda item: [*known].index(item.uid))
    )
    assert {item.state for item in ours.items(new)} == {ItemState.ARCHIVED}
    assert not new & {
        hit.uid
        for hit in Retriever(ours.workspace).retrieve("rule number error member", k=50)
    }
    assert verify(ours.workspace) == ()
    curator.redo()
    assert projection(ours) == after
    assert verify(ours.workspace) == ()
    curator.undo()
    ways[way]()
    states = {item.uid: item.state for item in ours.items(new)}
    curator.undo()
    curator.redo()
    assert states == {item.uid: item.state for item in ours.items(new)}
    assert ItemState.ARCHIVED not in states.values(), (
        "what is brought again comes again"
    )
    assert verify(ours.workspace) == ()


def test_undo_goes_through_all_kinds_of_events_back_to_the_beginning(
    ours: MemoryStore, theirs: MemoryStore
) -> None:
    before, known = ours.items(), uids(ours)
    curator = Curator(ours)
    by_hand(ours)
    curator.archive("m2")
    by_seeds(ours)
    merge_bank(ours, bank(theirs), source="theirs")
    curator.edit_rule("m1", "Handle the tail. Then the rest.")
    curator.join("m1", "m3")
    by_mining(ours)
    after = projection(ours)
    steps = 0
    while queries.events(ours.workspace.db) and steps < 20:
        try:
            curator.undo()
        except CannotUndo:
            break
        steps += 1
        assert verify(ours.workspace) == ()
    assert steps == 7
    assert tuple(item for item in ours.items() if item.uid in known) == before
    assert uids(ours, ItemState.ACTIVE) == known
    for _ in range(steps):
        curator.redo()
    assert projection(ours) == after
    with pytest.raises(CannotUndo):
        curator.redo()


def test_a_merge_undone_later_keeps_what_was_learnt_since(
    ours: MemoryStore, theirs: MemoryStore
) -> None:
    play_episode(ours, "e2", {"m1": True}, operator="B")
    alone = ours.item("m1")
    merge_bank(ours, bank(theirs), source="theirs")
    assert ours.item("m1").n_ret == alone.n_ret + 3
    play_episode(ours, "e3", {"m1": True}, operator="C")
    Curator(ours).undo()
    item = ours.item("m1")
    assert (item.n_ret, item.n_ado) == (alone.n_ret + 1, alone.n_ado + 1)
    assert item.adopted_operators == ("A", "B", "C")
    assert item.u_m == pytest.approx(1.0)
    assert verify(ours.workspace) == ()
    report = merge_bank(ours, bank(theirs), source="theirs")
    assert report.episodes == 3, "their credit may come again"
    assert ours.item("m1").n_ret == alone.n_ret + 4
    assert set(ours.item("m1").adopted_operators) == set("ABCXYZ")
    assert verify(ours.workspace) == ()


def test_credit_of_a_merge_that_was_undone_goes_nowhere(
    ours: MemoryStore, theirs: MemoryStore
) -> None:
    merge_bank(ours, bank(theirs), source="theirs")
    curator = Curator(ours)
    curator.undo()
    curator.join("m1", "m3")
    assert ours.item("m1").n_ret == 1
    assert '"t0"' not in export_bank(ours.workspace.db)


def test_a_part_of_a_step_is_not_undone_alone(ours: MemoryStore) -> None:
    by_seeds(ours)
    part = next(
        event for event in queries.events(ours.workspace.db) if event.item_uid == "s8"
    )
    with pytest.raises(CannotUndo, match="is a part of event"):
        Curator(ours).undo(part.seq)


def test_what_the_engine_wrote_is_no_step_of_a_person(ours: MemoryStore) -> None:
    ours.add_item(experience(9), origin=Origin.DISTILLED)
    with pytest.raises(CannotUndo, match="nothing to undo"):
        Curator(ours).undo()
