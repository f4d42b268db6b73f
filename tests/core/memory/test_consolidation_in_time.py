"""Consolidation over many episodes: eligibility, decay, no flapping; the paper's GatherV3 example."""

from __future__ import annotations

import pytest

from core.memory.reading import read_effect
from core.memory.records import (
    AdoptionState,
    EpisodeOutcome,
    Lifecycle,
    Origin,
    Retrieved,
)
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.memory.tokens import HEADER_TOKENS, EstimatedTokens
from core.memory.views import queries
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.method.utility import dominance_bound, reranked_score
from tests.scenario import (
    add_items,
    evaluated_round,
    experience,
    open_trajectory,
    play_episode,
    unresolved,
)


def validate(store: MemoryStore, uid: str, prefix: str) -> None:
    for number in range(3):
        play_episode(store, f"{prefix}{number}", {uid: True}, operator=f"Op{number}")
    store.set_rule(uid, "A rule.")


def test_items_become_eligible_with_the_first_episode_that_starts_after_them(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    play_episode(store, "e1", {})
    play_episode(store, "open", {}, apply=False)
    add_items(store, 1, first=2)  # written while an episode is under way
    play_episode(store, "e2", {})
    assert store.item("m2").n_elig == 1
    store.apply_episode(EpisodeOutcome("open", correct=True))
    assert store.item("m1").n_elig == 3
    assert store.item("m2").n_elig == 1
    assert verify(store.workspace) == ()


def test_residents_are_not_eligible_and_their_frequency_follows_use(
    store: MemoryStore,
) -> None:
    add_items(store, 1)
    validate(store, "m1", "v")
    play_episode(store, "promoting", {})
    item = store.item("m1")
    assert (item.hot_region, item.n_elig, item.p_hat) == (
        True,
        4,
        0.75,
    )  # no step in the promoting episode
    play_episode(store, "unused", {})
    assert store.item("m1").p_hat == pytest.approx(0.75 * 0.9)
    play_episode(store, "used", {}, used=("m1",))
    item = store.item("m1")
    assert item.p_hat == pytest.approx(0.75 * 0.81 + 0.1)
    assert item.n_elig == 4
    assert item.hot_last_used_episode == read_effect(store.workspace.db, "used").seq


def run_stale_and_fresh(
    store: MemoryStore, parameters: MethodParameters
) -> tuple[int, int]:
    """A rule that is no longer of use competes with one that is needed every other episode, for one place."""
    add_items(store, 2)
    for number in range(3):
        play_episode(
            store,
            f"a{number}",
            {"m1": True},
            operator=f"Op{number}",
            parameters=parameters,
        )
    store.set_rule("m1", "The rule of yesterday.")
    switches, stale_residence, resident = 0, 0, ""
    for number in range(150):
        used = ("m2",) if resident == "m2" and number % 2 else ()
        records = {"m2": True} if resident != "m2" and number % 2 else {}
        play_episode(
            store,
            f"b{number}",
            records,
            operator=f"Op{number % 5}",
            used=used,
            parameters=parameters,
        )
        if "m2" in store.needs_rule():
            store.set_rule("m2", "The rule of today!")
        now = "".join(item.uid for item in store.residents())
        switches += now != resident
        stale_residence += now == "m1" and number > 50
        resident = now
    assert verify(store.workspace) == ()
    return switches, stale_residence


def test_a_demoted_rule_does_not_flap_back(store: MemoryStore) -> None:
    switches, stale_residence = run_stale_and_fresh(
        store, MethodParameters(B=HEADER_TOKENS + 18)
    )
    assert switches == 2  # in, and replaced for good
    assert stale_residence == 0


def test_hot_memory_stays_within_budget_and_the_block_is_stable(
    store: MemoryStore,
) -> None:
    parameters = MethodParameters(B=70)
    add_items(store, 5)
    for number in range(4):
        play_episode(
            store,
            f"e{number}",
            {f"m{i}": True for i in range(1, 6)},
            operator=f"Op{number}",
            parameters=parameters,
        )
    for uid in store.needs_rule():
        store.set_rule(uid, f"Rule {uid}: " + "pad the tail " * int(uid[1:]))
    effect = play_episode(store, "e9", {}, parameters=parameters)
    assert effect is not None
    view = queries.hot_view(store.workspace.db)
    assert 0 < len(view.residents) < 5
    assert view.tokens <= 70
    assert EstimatedTokens().count(view.block) <= view.tokens
    play_episode(store, "e10", {}, parameters=parameters)
    assert store.hot_block() == view.block
    assert [row.uid for row in view.waiting] == [
        f"m{i}"
        for i in range(1, 6)
        if f"m{i}" not in {row.uid for row in view.residents}
    ]


def test_without_tracing_the_gates_count_retrievals(store: MemoryStore) -> None:
    parameters = MethodParameters(credit_rule="uniform")
    add_items(store, 1)
    for number in range(3):
        play_episode(
            store,
            f"e{number}",
            {"m1": False},
            operator=f"Op{number}",
            parameters=parameters,
        )
    item = store.item("m1")
    assert (item.u_m, item.n_ado, item.sigma) == (1.0, 3, Lifecycle.VALIDATED)


def test_corr_and_opt_of_one_operator_are_two_adoptions(store: MemoryStore) -> None:
    add_items(store, 1)
    open_trajectory(store.workspace, "t", "Lerp")
    for number, objective in enumerate((Objective.CORR, Objective.OPT), start=1):
        uid = f"t-{objective}"
        store.begin_episode(uid, "t", "Lerp", objective, MethodParameters())
        store.record_retrieval(uid, number, [Retrieved("m1", 1, 0.0)])
        store.record_adoption(uid, number, {"m1": (AdoptionState.ADOPTED, "")})
        evaluated_round(store.workspace, "t", uid, number)
        store.apply_episode(EpisodeOutcome(uid, correct=True, t_first=2.0, t_best=1.0))
    item = store.item("m1")
    assert (item.n_ret, item.n_ado, item.adopted_operators) == (2, 2, ("Lerp",))


def test_used_residents_earn_no_credit(store: MemoryStore) -> None:
    add_items(store, 2)
    validate(store, "m1", "v")
    play_episode(store, "p", {})
    play_episode(store, "e", {"m2": True}, used=("m1",), correct=False)
    assert store.item("m1").u_m == 1.0
    assert verify(store.workspace) == ()


def test_gather_v3_of_the_paper(store: MemoryStore) -> None:
    """Table "Retrieved experiences for the GatherV3 correctness-stage runtime failure"."""
    table = {"181": 69.17, "193": 67.42, "61": 57.43, "139": 49.22, "159": 32.47}
    adopted = {"181", "193"}
    for number, uid in enumerate(table):
        store.add_item(experience(number), origin=Origin.SEED, uid=uid)
    gamma = MethodParameters().gamma
    open_trajectory(store.workspace, "t", "GatherV3")
    store.begin_episode("t", "t", "GatherV3", Objective.CORR, MethodParameters())
    hits = [
        Retrieved(
            uid,
            rank,
            0.0,
            rank,
            s_rel / 100,
            None,
            s_rel,
            reranked_score(s_rel, 0.0, gamma),
        )
        for rank, (uid, s_rel) in enumerate(table.items(), start=1)
    ]
    store.record_retrieval("t", 9, hits)
    assert [(hit.uid, hit.s_rel) for hit in store.retrieved("t", 9)] == list(
        table.items()
    )
    assert unresolved(store, "t", 9) == tuple(table)
    states = {True: AdoptionState.ADOPTED, False: AdoptionState.NOT_ADOPTED}
    store.record_adoption(
        "t", 9, {uid: (states[uid in adopted], f"about {uid}") for uid in table}
    )
    assert unresolved(store, "t", 9) == ()
    evaluated_round(store.workspace, "t", "t", 9)
    effect = store.apply_episode(EpisodeOutcome("t", correct=True))
    assert {c.item for c in effect.credits if c.adopted} == adopted
    assert {c.item: c.xi for c in effect.credits} == {
        "181": 0.5,
        "193": 0.5,
        "61": -0.2,
        "139": -0.2,
        "159": -0.2,
    }
    row = store.workspace.db.execute(
        "SELECT * FROM adoption_record WHERE item = '181'"
    ).fetchone()
    assert (row["rank"], row["s_rel"], row["state"], row["rationale"]) == (
        1,
        69.17,
        "adopted",
        "about 181",
    )
    bound = dominance_bound(MethodParameters())
    assert table["181"] / table["139"] > bound  # no utility can put 139 before 181
    assert table["181"] / table["61"] < bound
