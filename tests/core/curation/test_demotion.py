"""A person's demotion holds until evidence newer than it passes the gates; a bar is final."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.exchange.memory_file import export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.memory.records import ItemState
from core.memory.replay.verification import verify
from core.memory.snapshots import restore_snapshot
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.memory.views.hot import Absence, hot_choice, last_out
from core.memory.views.rows import SinceDemotion
from core.workspace import Workspace
from tests.scenario import add_items, play_episode


@pytest.fixture
def curator(store: MemoryStore) -> Curator:
    """m1 is resident on the evidence of three operators."""
    add_items(store, 3)
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True}, operator=operator)
    store.set_rule("m1", "Handle the tail.")
    play_episode(store, "e3", {}, operator="D")
    assert residents(store) == ["m1"]
    return Curator(store)


def residents(store: MemoryStore) -> list[str]:
    return [item.uid for item in store.residents()]


def adopt(store: MemoryStore, uid: str, operator: str, *, correct: bool = True) -> None:
    play_episode(store, uid, {"m1": True}, operator=operator, correct=correct)


def test_a_demoted_rule_stays_out_until_newer_evidence_passes_the_gates(
    store: MemoryStore, curator: Curator
) -> None:
    curator.demote("m1")
    play_episode(store, "f1", {}, operator="E")
    assert residents(store) == []
    for number, operator in enumerate(
        "AAB"
    ):  # operators of before count again, each once
        adopt(store, f"g{number}", operator)
        assert residents(store) == []
    adopt(store, "g3", "C")
    assert residents(store) == ["m1"]
    assert store.item("m1").demoted_seq is None
    assert verify(store.workspace) == ()


def test_newer_failures_do_not_bring_it_back(
    store: MemoryStore, curator: Curator
) -> None:
    curator.demote("m1")
    for number, operator in enumerate("ABC"):
        adopt(store, f"g{number}", operator, correct=False)
    assert store.item("m1").u_m > 0  # the successes of before
    assert residents(store) == []
    adopt(store, "h", "D")  # -0.2, -0.2, -0.2, 1.0
    assert residents(store) == ["m1"]
    assert verify(store.workspace) == ()


def test_the_item_and_hot_memory_say_why_it_is_out(
    store: MemoryStore, curator: Curator
) -> None:
    seq = curator.demote("m1", reason="wrong on 310P")
    adopt(store, "g0", "A")
    db = store.workspace.db
    demotion = queries.item_page(db, "m1").demotion
    assert demotion == SinceDemotion(seq, 1.0, 1, 1, 3, 3)
    assert [(gone.row.uid, gone.reason) for gone in last_out(db)] == [
        ("m1", Absence.DEMOTED)
    ]
    assert queries.hot_view(db).waiting == ()
    assert hot_choice(db, 10_000).entering == ()
    assert queries.item_page(db, "m2").demotion is None


@pytest.mark.parametrize("bring_back", ["promote", "pin"])
def test_a_person_may_change_their_mind(
    store: MemoryStore, curator: Curator, bring_back: str
) -> None:
    curator.demote("m1")
    getattr(curator, bring_back)("m1")
    if bring_back == "pin":
        curator.unpin("m1")
    play_episode(store, "f1", {}, operator="E", used=("m1",))
    assert residents(store) == ["m1"]
    assert verify(store.workspace) == ()


def test_undo_takes_the_hold_back_before_and_after_an_episode(
    store: MemoryStore, curator: Curator
) -> None:
    seq = curator.demote("m1")
    curator.undo()
    play_episode(store, "f1", {}, operator="E")
    assert residents(store) == ["m1"]
    curator.demote("m1")
    play_episode(store, "f2", {}, operator="E")
    curator.undo()
    play_episode(store, "f3", {}, operator="E")
    assert residents(store) == ["m1"]
    assert seq
    assert verify(store.workspace) == ()


def test_a_block_has_no_end(store: MemoryStore, curator: Curator) -> None:
    curator.block("m1")
    for number, operator in enumerate("ABCD"):
        adopt(store, f"g{number}", operator)
    assert residents(store) == []


def test_a_restored_snapshot_is_not_overruled_by_the_next_episode(
    store: MemoryStore, curator: Curator
) -> None:
    first, _ = queries.snapshots(store.workspace.db)[0]
    assert restore_snapshot(store.workspace, first)
    play_episode(store, "f1", {}, operator="E")
    assert residents(store) == []
    curator.undo()
    play_episode(store, "f2", {}, operator="E")
    assert residents(store) == ["m1"]
    assert verify(store.workspace) == ()


def test_credit_that_came_by_a_merge_does_not_bring_it_back(
    store: MemoryStore, curator: Curator, tmp_path: Path
) -> None:
    curator.demote("m1")
    with Workspace.open(tmp_path / "theirs.sage") as workspace:
        theirs = MemoryStore(workspace)
        add_items(theirs, 3)
        for number, operator in enumerate("XYZ"):
            play_episode(theirs, f"x{number}", {"m1": True}, operator=operator)
        theirs.set_rule("m1", "Handle the tail.")
        play_episode(theirs, "x3", {}, operator="D")
        bank = parse_bank("theirs", export_bank(workspace.db))
        merge_bank(store, bank, source="theirs", state=ItemState.ACTIVE)
        play_episode(store, "f1", {}, operator="E")
        assert store.item("m1").n_ado == 6
        assert residents(store) == []
        merge_bank(
            theirs, parse_bank("ours", export_bank(store.workspace.db)), source="ours"
        )
        play_episode(theirs, "x4", {}, operator="D", used=("m1",))
        assert residents(theirs) == ["m1"]  # a demotion stays where it was made
        assert verify(workspace) == ()
    assert verify(store.workspace) == ()


def test_evidence_of_an_item_joined_after_the_demotion_counts(
    store: MemoryStore, curator: Curator
) -> None:
    curator.demote("m1")
    play_episode(store, "g0", {"m2": True}, operator="A")
    play_episode(store, "g1", {"m1": True}, operator="B")
    curator.join("m1", "m2")
    play_episode(store, "g2", {"m1": True}, operator="C")
    assert residents(store) == ["m1"]
    assert verify(store.workspace) == ()
