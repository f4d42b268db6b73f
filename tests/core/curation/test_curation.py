"""Curation: events, undo to byte equality, residency rules; and the log folds to what is stored."""

from __future__ import annotations

import pytest

from core.curation.curator import Curator, DoesNotFit
from core.curation.undo import CannotUndo
from core.errors import InvalidInput, SageError
from core.memory.records import ItemState, Lifecycle, Origin
from core.memory.replay.credit import replay_credit
from core.memory.replay.verification import repair, verify
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.method.parameters import MethodParameters
from tests.scenario import add_items, experience, play_episode


@pytest.fixture
def curator(store: MemoryStore) -> Curator:
    add_items(store, 6)
    for number, operator in enumerate("ABC"):
        play_episode(
            store,
            f"e{number}",
            {"m1": True, "m2": True, "m3": False},
            operator=operator,
        )
    store.set_rule("m1", "Handle the tail.")
    play_episode(store, "e3", {}, operator="D")
    return Curator(store, actor="tester")


def projection(store: MemoryStore) -> list[tuple[object, ...]]:
    db = store.workspace.db
    return [tuple(row) for row in db.execute("SELECT * FROM item ORDER BY id")] + [
        tuple(row) for row in db.execute("SELECT * FROM item_operator ORDER BY 1, 2")
    ]


OPERATIONS = {
    "edit": lambda c: c.edit("m1", experience(1, title="A better title")),
    "edit_rule": lambda c: c.edit_rule("m1", "Handle the tail with DataCopyPad."),
    "pin": lambda c: c.pin("m4"),
    "pin resident": lambda c: c.pin("m1"),
    "block": lambda c: c.block("m1"),
    "promote": lambda c: c.promote("m5"),
    "demote": lambda c: c.demote("m1"),
    "archive": lambda c: c.archive("m2"),
    "archive resident": lambda c: c.archive("m1"),
    "quarantine": lambda c: c.set_state(
        "m3", ItemState.QUARANTINED, reason="evades the judge"
    ),
    "reset": lambda c: c.reset_evidence("m1"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_undo_restores_the_projection_byte_for_byte(
    store: MemoryStore, curator: Curator, name: str
) -> None:
    before = projection(store)
    seq = OPERATIONS[name](curator)
    after = projection(store)
    assert seq > 0
    assert after != before
    curator.undo()
    assert projection(store) == before
    curator.redo()
    assert projection(store) == after
    assert verify(store.workspace) == ()


def test_undo_goes_many_levels_and_stops_at_the_first(
    store: MemoryStore, curator: Curator
) -> None:
    before = projection(store)
    for operation in ("edit", "pin", "demote", "archive", "promote"):
        OPERATIONS[operation](curator)
    for _ in range(5):
        curator.undo()
    assert projection(store) == before
    with pytest.raises(CannotUndo, match="nothing to undo"):
        curator.undo()
    for _ in range(5):
        curator.redo()
    with pytest.raises(CannotUndo, match="nothing to redo"):
        curator.redo()
    assert store.item("m1").title == "A better title"
    assert verify(store.workspace) == ()


def test_undo_out_of_order_refuses_a_conflict(
    store: MemoryStore, curator: Curator
) -> None:
    first = curator.edit("m2", experience(2, title="one"))
    curator.edit("m2", experience(2, title="two"))
    with pytest.raises(CannotUndo, match="changed since"):
        curator.undo(first)
    assert store.item("m2").title == "two"


def test_undo_of_archive_keeps_later_evidence_and_does_not_count_the_absence(
    store: MemoryStore, curator: Curator
) -> None:
    curator.archive("m2")
    n_elig = store.item("m2").n_elig
    play_episode(store, "later", {"m3": False}, operator="E")
    assert store.item("m2").n_elig == n_elig
    curator.undo()
    assert store.item("m2").n_elig == n_elig
    play_episode(store, "later2", {"m3": False}, operator="E")
    assert store.item("m2").n_elig == n_elig + 1
    assert verify(store.workspace) == ()


def test_edit_keeps_evidence_reindexes_and_keeps_the_former_text(
    store: MemoryStore, curator: Curator
) -> None:
    utility = store.item("m2").u_m
    retriever = Retriever(store.workspace)
    assert retriever.retrieve("softmax") == ()
    curator.edit("m2", experience(2, title="softmax needs the row maximum"))
    assert [hit.uid for hit in retriever.retrieve("softmax")] == ["m2"]
    assert store.item("m2").u_m == utility
    curator.undo()
    assert retriever.retrieve("softmax") == ()
    curator.edit("m2", experience(2, title="relu"))
    assert retriever.retrieve("softmax") == ()
    history = queries.item_page(store.workspace.db, "m2").history
    titles = [change.fields["title"] for change in history]
    assert titles == [
        "rule number 2",
        "softmax needs the row maximum",
        "rule number 2",
        "relu",
    ]
    assert curator.edit("m2", experience(2, title="relu")) == 0
    with pytest.raises(InvalidInput, match="title"):
        curator.edit("m2", experience(2, title=""))


def test_blocked_items_leave_and_never_return(
    store: MemoryStore, curator: Curator
) -> None:
    curator.block("m1")
    effect = play_episode(store, "next", {})
    assert effect is not None
    assert effect.promoted == ()
    assert store.item("m1").sigma is Lifecycle.VALIDATED
    curator.unblock("m1")
    effect = play_episode(store, "next2", {})
    assert effect is not None
    assert effect.promoted == ("m1",)


def test_pinned_item_displaces_denser_ones_when_the_budget_is_small(
    store: MemoryStore, curator: Curator
) -> None:
    cost = store.item("m1").L_m
    small = Curator(store, parameters=MethodParameters(B=24 + cost + 2))
    small.pin("m4")
    assert [item.uid for item in store.residents()] == ["m4"]
    assert store.item("m1").sigma is Lifecycle.VALIDATED
    with pytest.raises(DoesNotFit):
        small.pin("m5")
    assert not store.item("m5").pinned
    with pytest.raises(DoesNotFit):
        small.promote("m5")


def test_a_person_cannot_promote_what_is_not_active(
    store: MemoryStore, curator: Curator
) -> None:
    curator.archive("m5")
    with pytest.raises(SageError, match="archived"):
        curator.pin("m5")


def test_item_promoted_without_evidence_goes_back_to_normal(
    store: MemoryStore, curator: Curator
) -> None:
    curator.promote("m5")
    assert store.item("m5").sigma is Lifecycle.CONSOLIDATED
    assert store.item("m5").auto_title
    play_episode(store, "next", {})  # u = 0: Algorithm 1 drops it
    assert store.item("m5").sigma is Lifecycle.NORMAL


def test_events_tell_who_why_and_what_was_undone(
    store: MemoryStore, curator: Curator
) -> None:
    seq = curator.archive("m2", reason="wrong on 310P")
    undo = curator.undo()
    events = queries.events(store.workspace.db, "m2")
    assert [(e.kind, e.actor) for e in events] == [
        ("add", "engine"),
        ("state-archived", "tester"),
        ("undo", "tester"),
    ]
    assert events[1].reason == "wrong on 310P"
    assert (events[1].seq, events[1].undone_by) == (seq, undo)


def test_verify_finds_and_repair_mends_a_tampered_counter(
    store: MemoryStore, curator: Curator
) -> None:
    assert verify(store.workspace) == ()
    store.workspace.db.execute(
        "UPDATE item SET n_ret = 7, u_m = u_m + 1e-16 WHERE uid = 'm3'"
    )
    found = verify(store.workspace)
    assert any("n_ret: stored 7, events say 3" in line for line in found)
    assert repair(store.workspace) == found
    assert verify(store.workspace) == ()
    assert store.item("m3").n_ret == 3


def test_fixed_bank_replay_under_the_same_rule_is_the_stored_utility(
    store: MemoryStore, curator: Curator
) -> None:
    before = projection(store)
    same = replay_credit(store.workspace)
    assert {row.uid: row.replayed for row in same} == {
        row.uid: row.stored for row in same
    }
    uniform = {
        row.uid: row for row in replay_credit(store.workspace, credit_rule="uniform")
    }
    assert {uid: row.replayed for uid, row in uniform.items()} == {
        "m1": 1.0,
        "m2": 1.0,
        "m3": 1.0,
    }
    none = replay_credit(store.workspace, credit_rule="none")
    assert all(row.replayed == 0.0 for row in none)
    assert projection(store) == before


def test_what_became_a_part_of_another_takes_in_nothing(
    store: MemoryStore, curator: Curator
) -> None:
    """Two items, each merged into the other, would both be gone."""
    curator.join("m1", "m2")
    with pytest.raises(SageError, match="cannot be joined"):
        curator.join("m2", "m1")
    with pytest.raises(SageError, match="m2 was joined into m1"):
        curator.restore("m2")
    assert store.item("m1").state is ItemState.ACTIVE


def test_only_what_waits_is_accepted_or_rejected(
    store: MemoryStore, curator: Curator
) -> None:
    one = store.add_item(experience(8), origin=Origin.MINED, state=ItemState.PENDING)
    two = store.add_item(
        experience(9), origin=Origin.IMPORT, state=ItemState.QUARANTINED
    )
    with pytest.raises(SageError, match="never in use"):
        curator.restore(one)
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


def test_what_an_older_release_disabled_is_out_of_use_until_restored(
    store: MemoryStore, curator: Curator
) -> None:
    curator.set_state("m2", ItemState.DISABLED, reason="doubtful")
    assert "m2" not in {
        hit.uid for hit in Retriever(store.workspace).retrieve("right thing", k=50)
    }
    curator.restore("m2")
    assert store.item("m2").state is ItemState.ACTIVE
    assert verify(store.workspace) == ()


class LetterCounter:
    """A counter that charges every character."""

    id = "letters"

    def count(self, text: str) -> int:
        return len(text)


def test_a_new_counter_recounts_every_rule_in_one_event(
    store: MemoryStore, curator: Curator
) -> None:
    store.set_rule("m2", "Second rule.")
    play_episode(store, "e4", {}, used=("m1",))
    before = store.items()
    small = MethodParameters(B=24 + 45)
    counting = MemoryStore(store.workspace, LetterCounter())
    recounting = Curator(counting, parameters=small)
    seq = recounting.recount()
    with_rule = [item for item in store.items() if item.rule_text]
    assert {item.uid: item.L_m for item in with_rule} == {
        "m1": len("- [m1] rule number 1: Handle the tail.\n"),
        "m2": len("- [m2] rule number 2: Second rule.\n"),
    }
    assert {item.tokenizer_id for item in with_rule} == {"letters"}
    assert len(store.residents()) == 1  # both no longer fit
    assert recounting.recount() == 0
    assert verify(store.workspace) == ()
    recounting.undo(seq)
    assert store.items() == before
