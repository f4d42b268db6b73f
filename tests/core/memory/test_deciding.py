"""What only a person decides: accepting, rejecting, splitting a rule off, marking contradictions."""

from __future__ import annotations

import pytest

from core.curation.curator import Curator
from core.errors import SageError
from core.memory import queries
from core.memory.rebuild import replay_credit, replay_retrievals, verify
from core.memory.records import ItemState, Lifecycle, Origin, Retrieved
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from tests.core.memory.conftest import add, experience, play


@pytest.fixture
def curator(store: MemoryStore) -> Curator:
    return Curator(store)


def test_only_what_waits_is_accepted_or_rejected(
    store: MemoryStore, curator: Curator
) -> None:
    add(store, 1)
    one = store.add_item(experience(8), origin=Origin.MINED, state=ItemState.PENDING)
    two = store.add_item(
        experience(9), origin=Origin.IMPORT, state=ItemState.QUARANTINED
    )
    curator.accept(one)
    curator.reject(two, reason="says the same as m1")
    assert store.item(one).state is ItemState.ACTIVE
    assert store.item(two).state is ItemState.ARCHIVED
    assert store.item(two).state_reason == "says the same as m1"
    for decide in (curator.accept, curator.reject):
        with pytest.raises(SageError, match="m1 is active"):
            decide("m1")
    curator.undo()
    assert store.item(two).state is ItemState.QUARANTINED


def test_a_rule_split_off_earns_its_own_place_and_can_be_given_back(
    store: MemoryStore, curator: Curator
) -> None:
    add(store, 2)
    for number, operator in enumerate("ABC"):
        play(store, f"e{number}", {"m1": True}, operator=operator)
    store.set_rule("m1", "Round every row length up. Then pad it.", "pad();")
    play(store, "e4", {}, operator="D")
    before = store.items(["m1"])
    assert before[0].hot_region
    new = curator.split_rule("m1", reason="says more than its source")
    source, rule = store.item("m1"), store.item(new)
    assert (rule.title, rule.summary) == (
        "Round every row length up.",
        "Round every row length up. Then pad it.",
    )
    assert (rule.code_diff.correct_code, rule.source) == (
        "pad();",
        "rule split from m1",
    )
    assert (rule.state, rule.u_m, rule.n_ret) == (ItemState.ACTIVE, 0.0, 0)
    assert (source.rule_text, source.L_m, source.hot_region) == ("", 0, False)
    assert (source.n_ado, source.sigma) == (3, Lifecycle.VALIDATED)
    assert "m1" in store.needs_rule()
    assert {
        hit.uid for hit in Retriever(store.workspace).retrieve("round row length up")
    } >= {new}
    assert verify(store.workspace) == ()
    curator.undo()
    assert store.items(["m1"]) == before
    assert store.item(new).state is ItemState.ARCHIVED
    with pytest.raises(SageError, match="no rule of its own"):
        curator.split_rule("m2")


def test_contradictions_are_known_from_both_sides_until_undone(
    store: MemoryStore, curator: Curator
) -> None:
    add(store, 3)
    before = store.items()
    assert curator.contradict("m1", "m3", reason="opposite advice") > 0
    assert curator.contradict("m3", "m1") == 0
    assert queries.contradictions(store.workspace.db, "m1") == ("m3",)
    assert queries.contradictions(store.workspace.db, "m3") == ("m1",)
    assert queries.contradictions(store.workspace.db, "m2") == ()
    assert store.items() == before
    assert verify(store.workspace) == ()
    curator.undo()
    assert queries.contradictions(store.workspace.db, "m1") == ()
    curator.redo()
    assert queries.contradictions(store.workspace.db, "m3") == ("m1",)
    with pytest.raises(SageError, match="itself"):
        curator.contradict("m1", "m1")


def test_replayed_retrievals_follow_gamma_and_the_credit_rule(
    store: MemoryStore,
) -> None:
    add(store, 2)
    play(store, "e1", {"m1": False, "m2": True})
    play(store, "e2", {"m1": False, "m2": True}, apply=False)
    store.workspace.db.execute("DELETE FROM trace WHERE episode_uid = 'e2'")
    hits = [Retrieved("m1", 1, 0.0, s_rel=60.0), Retrieved("m2", 2, 0.0, s_rel=50.0)]
    store.record_retrieval("e2", 1, hits)
    before = store.items()
    atu = replay_credit(store.workspace, credit_rule="atu")
    assert [row.uid for row in atu] == ["m2", "m1"]
    replayed = replay_retrievals(store.workspace, atu, gamma=0.3)
    assert (replayed.rounds, replayed.reordered, replayed.another_first) == (
        1,
        1,
        1,
    )  # 50 · 1.3 > 60 · 0.94
    assert replay_retrievals(store.workspace, atu, gamma=0.0).reordered == 0
    uniform = replay_credit(store.workspace, credit_rule="uniform")
    assert replay_retrievals(store.workspace, uniform, gamma=0.3).reordered == 0
    assert store.items() == before
