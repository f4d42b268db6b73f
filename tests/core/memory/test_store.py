"""The store: evidence of an episode, exactly once, with the paper's numbers."""

from __future__ import annotations

import pytest

from core.errors import InvalidInput, SageError
from core.memory.episodes import IncompleteTrace
from core.memory.reading import read_snapshot
from core.memory.records import (
    AdoptionState,
    EpisodeOutcome,
    Lifecycle,
    Origin,
    Retrieved,
)
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from tests.scenario import (
    add_items,
    evaluated_round,
    experience,
    open_trajectory,
    play_episode,
    unresolved,
)


def test_credit_is_shared_among_adopted_and_charged_to_unused(
    store: MemoryStore,
) -> None:
    add_items(store, 5)
    effect = play_episode(
        store, "e1", {"m1": True, "m2": True, "m3": False, "m4": False, "m5": False}
    )
    assert effect is not None
    assert effect.z == 1.0
    assert {c.item: c.xi for c in effect.credits} == {
        "m1": 0.5,
        "m2": 0.5,
        "m3": -0.2,
        "m4": -0.2,
        "m5": -0.2,
    }
    item = store.item("m1")
    assert (item.u_m, item.n_ret, item.n_ado, item.adopted_operators) == (
        0.5,
        1,
        1,
        ("AbsMath",),
    )
    assert (store.item("m3").u_m, store.item("m3").n_ret, store.item("m3").n_ado) == (
        -0.2,
        1,
        0,
    )


def test_utility_is_the_running_mean_of_credits(store: MemoryStore) -> None:
    add_items(store, 1)
    for number, correct in enumerate((True, False, True)):
        play_episode(store, f"e{number}", {"m1": True}, correct=correct)
    assert store.item("m1").u_m == pytest.approx((1 - 0.2 + 1) / 3)


def test_optimisation_episode_scores_the_latency_reduction(store: MemoryStore) -> None:
    add_items(store, 1)
    effect = play_episode(
        store, "e1", {"m1": True}, objective=Objective.OPT, t_first=20.0, t_best=15.0
    )
    assert effect is not None
    assert effect.z == pytest.approx(0.25)
    effect = play_episode(
        store, "e2", {"m1": True}, objective=Objective.OPT, t_first=20.0, t_best=20.0
    )
    assert effect is not None
    assert effect.z == -0.2


def test_applying_twice_changes_nothing(store: MemoryStore) -> None:
    add_items(store, 2)
    first = play_episode(store, "e1", {"m1": True, "m2": False})
    before = store.items()
    again = store.apply_episode(EpisodeOutcome("e1", correct=False))
    assert first is not None
    assert again == first
    assert store.items() == before


def test_items_counted_once_per_episode_and_adopted_if_adopted_in_any_round(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    play_episode(store, "e1", {"m1": False}, apply=False)
    store.record_retrieval("e1", 2, [Retrieved("m1", 1, 0.0)])
    store.record_adoption("e1", 2, {"m1": (AdoptionState.ADOPTED, "now it helps")})
    evaluated_round(store.workspace, "e1", "e1", 2)
    store.apply_episode(EpisodeOutcome("e1", correct=True))
    item = store.item("m1")
    assert (item.n_ret, item.n_ado, item.u_m) == (1, 1, 1.0)


@pytest.mark.parametrize("verdict", ["void", None])
def test_records_of_rounds_without_evaluation_earn_nothing(
    store: MemoryStore, verdict: str | None
) -> None:
    add_items(store, 2)
    play_episode(store, "e1", {"m1": True}, apply=False)
    store.record_retrieval("e1", 2, [Retrieved("m2", 1, 0.0)])
    store.record_adoption("e1", 2, {"m2": (AdoptionState.ADOPTED, "tried")})
    if verdict:
        evaluated_round(store.workspace, "e1", "e1", 2, verdict)
    effect = store.apply_episode(EpisodeOutcome("e1", correct=True))
    assert [c.item for c in effect.credits] == ["m1"]
    left = "SELECT count(*) FROM trace WHERE episode_uid = 'e1' AND counted = 0"
    assert store.workspace.db.execute(left).fetchone()[0] == 1
    assert store.item("m2").n_ret == 0


def test_an_evaluated_round_with_unresolved_items_is_refused(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    open_trajectory(store.workspace, "e1", "Lerp")
    store.begin_episode("e1", "e1", "Lerp", Objective.CORR, MethodParameters())
    store.record_retrieval("e1", 1, [Retrieved("m1", 1, 0.0)])
    assert unresolved(store, "e1", 1) == ("m1",)
    evaluated_round(store.workspace, "e1", "e1", 1)
    with pytest.raises(IncompleteTrace, match="m1"):
        store.apply_episode(EpisodeOutcome("e1", correct=True))
    assert store.item("m1").n_ret == 0


def test_void_episode_earns_nothing_and_cannot_be_applied(store: MemoryStore) -> None:
    add_items(store, 1)
    play_episode(store, "e1", {"m1": True}, apply=False)
    store.void_episode("e1", "device lost")
    with pytest.raises(SageError, match="void"):
        store.apply_episode(EpisodeOutcome("e1", correct=True))
    assert (store.item("m1").n_ret, store.item("m1").n_elig) == (0, 0)


def test_same_experience_is_written_once_and_a_uid_never_changes_meaning(
    store: MemoryStore,
) -> None:
    uid = store.add_item(experience(1), origin=Origin.DISTILLED)
    assert uid.startswith("exp-")
    assert (
        store.add_item(experience(1, source="elsewhere"), origin=Origin.DISTILLED)
        == uid
    )
    assert len(store.items()) == 1
    with pytest.raises(InvalidInput, match="another experience"):
        store.add_item(experience(2), origin=Origin.SEED, uid=uid)
    with pytest.raises(InvalidInput, match="title"):
        store.add_item(experience(3, title=" "), origin=Origin.USER)


def test_adoption_of_an_item_that_was_not_retrieved_is_refused(
    store: MemoryStore,
) -> None:
    add_items(store, 2)
    play_episode(store, "e1", {"m1": True}, apply=False)
    with pytest.raises(InvalidInput, match="m2"):
        store.record_adoption("e1", 1, {"m2": (AdoptionState.ADOPTED, "")})


def test_promotion_needs_utility_three_adoptions_three_operators_and_a_rule(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    play_episode(store, "e1", {"m1": True}, operator="AbsMath")
    play_episode(store, "e2", {"m1": True}, operator="absmath")
    play_episode(store, "e3", {"m1": True}, operator="Lerp")
    assert store.item("m1").sigma is Lifecycle.NORMAL  # two operators only
    effect = play_episode(store, "e4", {"m1": True}, operator="RmsNorm")
    assert effect is not None
    assert effect.validated == ("m1",)
    assert effect.promoted == ()
    assert store.needs_rule() == ("m1",)
    assert store.set_rule("m1", "Handle the tail tile.", "DataCopyPad(...);")
    assert not store.set_rule("m1", "Something else.")
    assert store.needs_rule() == ()
    assert not store.item("m1").hot_region  # competes from the next UGC on
    effect = play_episode(store, "e5", {})
    assert effect is not None
    assert effect.promoted == ("m1",)
    item = store.item("m1")
    assert (item.sigma, item.hot_region) == (Lifecycle.CONSOLIDATED, True)
    assert item.p_hat == 4 / 5
    assert item.density == item.u_m * item.p_hat / item.L_m
    snapshot = read_snapshot(store.workspace.db, effect.seq)
    assert [entry.id for entry in snapshot.hot_entries] == [item.id]
    assert snapshot.n_ops == 5
    assert "[m1] rule number 1: Handle the tail tile." in store.hot_block()


def test_hot_block_is_frozen_for_an_episode(store: MemoryStore) -> None:
    add_items(store, 1)
    open_trajectory(store.workspace, "long", "Tril")
    start = store.begin_episode(
        "long", "long", "Tril", Objective.CORR, MethodParameters()
    )
    for number, operator in enumerate(("A", "B", "C")):
        play_episode(store, f"e{number}", {"m1": True}, operator=operator)
    store.set_rule("m1", "A rule.")
    play_episode(store, "e4", {})
    assert store.hot_block() != ""
    assert (
        store.begin_episode("long", "long", "Tril", Objective.CORR, MethodParameters())
        == start
    )
    assert start.hot_block == ""
    with pytest.raises(InvalidInput, match="m1"):
        store.record_hot_use("long", 1, {"m1": "used"})
