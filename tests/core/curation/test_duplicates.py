"""Items that say the same: proposed to a person, joined and parted again."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.run.records import JobFinished
from core.curation.curator import Curator
from core.curation.duplicates import doubles, find_duplicates, proposal
from core.errors import SageError
from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.records import Experience, ItemState, Origin
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.models.port import ModelRequest, Purpose
from core.workspace import Workspace
from tests.core.agent.scripted import Model, files, reply_text
from tests.scenario import PlayedOperator, add_items, experience, play_episode

BANKS = Experience(
    title="Put the operands of one instruction into different banks to avoid conflicts",
    type="performance",
    category="Pipeline",
    error_message="vector pipe busy without work",
    summary="Operands whose addresses fall into the same bank group are read one after the other: shift a buffer.",
)


@pytest.fixture
def seeded(store: MemoryStore) -> MemoryStore:
    add_seeds(store, cold_start_bank())
    return store


def test_a_paraphrase_is_proposed_for_joining_and_can_be_joined(
    seeded: MemoryStore,
) -> None:
    uid = seeded.add_item(BANKS, origin=Origin.DISTILLED)

    pairs = doubles(seeded.workspace, uid)

    assert [(pair.kept, pair.other) for pair in pairs] == [("seed-0137", uid)]
    assert f"`sage memory duplicates --join seed-0137 {uid}`" in proposal(pairs)
    Curator(seeded).join(pairs[0].kept, pairs[0].other)
    assert doubles(seeded.workspace, uid) == ()


def test_a_new_thought_is_not_proposed(seeded: MemoryStore) -> None:
    summary = "CAST_ROUND goes away from zero, CAST_RINT to the even neighbour."
    fresh = Experience(
        "Halves are rounded by the mode of Cast", "api_misuse", "Cast", summary=summary
    )

    assert (
        doubles(seeded.workspace, seeded.add_item(fresh, origin=Origin.DISTILLED)) == ()
    )


def test_what_a_run_writes_twice_waits_for_a_person(workspace: Workspace) -> None:
    bench = PlayedOperator(workspace)
    bench.store.add_item(BANKS, origin=Origin.SEED, uid="there")

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DISTIL:
            return (
                f"## Experience\ntitle: {BANKS.title}, always\ntype: performance\ncategory: Pipeline\n"
                f"error_message: {BANKS.error_message}\nsummary: {BANKS.summary}\n"
            )
        records = dict.fromkeys(request.retrieved, "adopted")
        if request.round > 1:
            return reply_text(records, {}).replace("## Files", "## Done\nno")
        return reply_text(records, files("AbsMath", "pass 20.0"))

    asyncio.run(bench.run(Model(answer)))

    (told,) = [
        e
        for e in bench.events
        if isinstance(e, JobFinished) and e.purpose == Purpose.DISTIL.value
    ]
    assert "in quarantine, for they add nothing: exp-" in told.detail
    assert bench.rows("SELECT detail FROM job WHERE purpose = 'distil'") == [
        (told.detail,)
    ]
    written = "SELECT state, state_reason FROM item WHERE origin = 'distilled'"
    assert bench.rows(written) == [("quarantined", "says what there says")]


def test_duplicates_are_proposed_with_the_better_proven_one_first(
    store: MemoryStore,
) -> None:
    add_items(store, 3)
    store.add_item(
        experience(20, title="Rule number 2!"),
        origin=Origin.DISTILLED,
        uid="same-title",
    )
    store.add_item(
        experience(3, title="rule number 3 again", source="x"),
        origin=Origin.DISTILLED,
        uid="same-words",
    )
    play_episode(store, "e1", {"same-words": True})
    pairs = {
        (pair.kept, pair.other): pair.reason
        for pair in find_duplicates(store.workspace.db)
    }
    assert pairs[("m2", "same-title")] == "same title"
    assert pairs[("same-words", "m3")] == "same words"
    assert len(store.items(states=(ItemState.ACTIVE,))) == 5  # nothing was merged


def test_joining_two_items_joins_their_evidence_and_can_be_undone(
    store: MemoryStore,
) -> None:
    add_items(store, 3)
    play_episode(store, "e1", {"m1": True, "m2": False}, operator="A")
    play_episode(store, "e2", {"m2": True}, operator="B")
    play_episode(store, "e3", {"m1": False, "m3": True}, operator="C")
    before = store.items()
    curator = Curator(store)
    curator.join("m1", "m2")
    kept, other = store.item("m1"), store.item("m2")
    assert (kept.n_ret, kept.n_ado, kept.adopted_operators) == (3, 2, ("A", "B"))
    assert kept.u_m == pytest.approx((1.0 + 1.0 - 0.2) / 3)
    assert other.state is ItemState.ARCHIVED
    assert other.state_reason == "merged into m1"
    assert verify(store.workspace) == ()
    with pytest.raises(SageError, match="cannot be joined"):
        curator.join("m3", "m2")
    curator.join("m3", "m1")
    assert store.item("m3").n_ado == 3  # what was merged into m1 comes along
    curator.undo()
    curator.undo()
    assert store.items() == before
    assert verify(store.workspace) == ()
