"""Methods are declared differences from SAGE, and each has the effect on the memory that it declares."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from core.agent.retrieval.value_ranking import LearntValues, most_valuable
from core.errors import InvalidInput
from core.memory.records import Lifecycle, Retrieved
from core.memory.store import MemoryStore
from core.method.methods import (
    FROZEN,
    METHODS,
    method,
    method_of,
    with_frozen_memory,
)
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.models.port import Purpose
from core.workspace import Workspace
from tests.core.agent.scripted import Model
from tests.scenario import PlayedOperator, add_items, play_episode


@pytest.mark.parametrize("name", list(METHODS))
def test_a_method_is_recognised_whatever_the_budgets(name: str) -> None:
    assert method_of(method(name).parameters(MethodParameters(T=7, B=500))) == name


def test_sage_is_the_defaults_and_strange_settings_are_custom() -> None:
    assert method("sage").parameters() == MethodParameters()
    strange = MethodParameters(credit_rule="uniform", consolidation="random")
    assert method_of(strange) == "custom"
    with pytest.raises(InvalidInput, match="static-rag"):
        method("nothing")


@pytest.mark.parametrize(
    "name", ["value-memory", "uniform-credit", "no-ugc", "random-ugc", "refinement"]
)
def test_a_method_that_only_learns_differently_is_refused_for_a_frozen_memory(
    name: str,
) -> None:
    with pytest.raises(InvalidInput, match=r"has no effect|is not read"):
        with_frozen_memory(method(name).parameters())


def test_methods_that_read_differently_may_read_a_frozen_memory() -> None:
    read = {
        name: with_frozen_memory(method(name).parameters())
        for name in ("sage", "static-rag")
    }
    assert {method_of(parameters) for parameters in read.values()} == {FROZEN}
    assert (read["sage"].gamma, read["static-rag"].gamma) == (0.3, 0.0)


def played(workspace: Workspace, name: str) -> tuple[PlayedOperator, Model]:
    """One operator under a method: a failure, a correct kernel, a faster one; seed-0001 adopted."""
    operator = PlayedOperator(workspace, method(name).parameters())
    verdicts = {1: "fail-build", 2: "pass 20.0", 3: "pass 10.0"}
    traced = operator.parameters.traces_adoption
    _, model = operator.play(verdicts, adopted={"seed-0001"}, traced=traced)
    return operator, model


@pytest.mark.parametrize(
    ("name", "retrieves", "learns", "unused_gain"),
    [
        ("sage", True, True, [(0,)]),
        ("refinement", False, False, []),
        ("static-rag", True, False, []),
        ("value-memory", True, True, [(1,)]),
        ("uniform-credit", True, True, [(1,)]),
    ],
)
def test_only_the_memory_mechanism_differs(
    workspace: Workspace,
    name: str,
    retrieves: bool,
    learns: bool,
    unused_gain: list[tuple[int]],
) -> None:
    operator, model = played(workspace, name)
    candidates = [
        r for r in model.requests if r.purpose in {Purpose.CANDIDATE, Purpose.REPAIR}
    ]
    assert len(candidates) == 4, "the same rounds under every method"
    assert any(request.retrieved for request in candidates) is retrieves
    gained = operator.rows(
        "SELECT DISTINCT xi > 0 FROM credit_event c JOIN episode e ON e.uid = c.episode_uid "
        "JOIN item i ON i.id = c.item_id WHERE e.objective = 'corr' AND i.uid <> 'seed-0001'"
    )
    assert gained == unused_gain
    assert operator.rows("SELECT count(*) FROM item") == [(5 if learns else 4,)]
    if not learns:
        assert operator.rows("SELECT DISTINCT u_m FROM item") == [(0.0,)]


def learnt(workspace: Workspace, name: str) -> MemoryStore:
    """Three operators under a method: m1 and m3 retrieved and adopted, m2 and m4 retrieved only; one more."""
    store = MemoryStore(workspace)
    parameters = method(name).parameters()
    add_items(store, 6)
    records = {"m1": True, "m2": False, "m3": True, "m4": False}
    for number, operator in enumerate("ABC"):
        play_episode(
            store, f"e{number}", records, operator=operator, parameters=parameters
        )
    opt = {"objective": Objective.OPT, "t_first": 10.0, "t_best": 8.0}
    play_episode(
        store,
        "opt",
        {"m1": True, "m2": False},
        operator="C",
        parameters=parameters,
        **opt,
    )  # type: ignore[arg-type]
    for uid in store.needs_rule():
        store.set_rule(uid, "Do it right.")
    play_episode(
        store, "last", {"m5": True}, operator="D", correct=False, parameters=parameters
    )
    return store


def credits_of(store: MemoryStore, episode: str) -> dict[str, float]:
    rows = store.workspace.db.execute(
        "SELECT item.uid, xi FROM credit_event JOIN item ON item.id = item_id WHERE episode_uid = ?",
        (episode,),
    )
    return {row[0]: row[1] for row in rows}


@pytest.mark.parametrize("name", ["value-memory", "uniform-credit"])
def test_uniform_credit_is_the_score_itself_for_whatever_was_retrieved(
    workspace: Workspace, name: str
) -> None:
    store = learnt(workspace, name)
    assert credits_of(store, "e0") == dict.fromkeys(("m1", "m2", "m3", "m4"), 1.0)
    assert credits_of(store, "opt") == dict.fromkeys(("m1", "m2"), pytest.approx(0.2))
    assert credits_of(store, "last") == {"m5": -MethodParameters().delta}
    items = {item.uid: item for item in store.items()}
    assert all(item.n_ado == item.n_ret for item in items.values()), (
        "the gates count retrievals"
    )
    assert items["m2"].u_m == items["m1"].u_m, "adopted or not"
    assert items["m2"].adopted_operators == ("A", "B", "C")
    resident = {item.uid for item in store.residents()}
    if name == "value-memory":
        assert resident == set()
    else:
        assert {"m2", "m4"} <= resident, "what was never adopted becomes a rule"


def test_sage_credits_and_promotes_only_what_was_adopted(workspace: Workspace) -> None:
    store = learnt(workspace, "sage")
    assert credits_of(store, "e0") == {"m1": 0.5, "m2": -0.2, "m3": 0.5, "m4": -0.2}
    assert {item.uid for item in store.residents()} == {"m1", "m3"}
    assert (store.item("m2").n_ret, store.item("m2").n_ado) == (4, 0)


def test_without_consolidation_credit_is_the_same_and_nothing_is_resident(
    workspace: Workspace,
) -> None:
    store = learnt(workspace, "no-ugc")
    assert credits_of(store, "e0") == {"m1": 0.5, "m2": -0.2, "m3": 0.5, "m4": -0.2}
    assert store.residents() == ()
    assert store.item("m1").sigma is not Lifecycle.CONSOLIDATED


def test_random_consolidation_draws_among_the_eligible_within_the_budget(
    tmp_path: Path,
) -> None:
    chosen = set()
    for number in range(
        12
    ):  # the draw depends on the position of the episode alone, so shift it
        store = MemoryStore(Workspace.open(tmp_path / f"{number}.sage"))
        parameters = method("random-ugc").parameters()
        add_items(store, 6 + number)
        for episode, operator in enumerate("ABC"):
            records = {"m1": True, "m2": True, "m3": False}
            play_episode(
                store, f"e{episode}", records, operator=operator, parameters=parameters
            )
        play_episode(store, "more", {"m1": True}, operator="D", parameters=parameters)
        for uid in store.needs_rule():
            store.set_rule(uid, "Do it right.")
        enough_for_one = replace(parameters, B=24 + store.item("m1").L_m * 3 // 2)
        play_episode(store, "last", {}, operator="E", parameters=enough_for_one)
        (resident,) = store.residents()
        assert resident.uid != "m3", "the gates hold"
        chosen.add(resident.uid)
        assert store.item("m1").density > store.item("m2").density
        store.workspace.close()
    assert chosen == {"m1", "m2"}, "density decides nothing"


def played_on(workspace: Workspace, name: str) -> tuple[PlayedOperator, Model]:
    """One operator under a method whose gates open at once, with failures after the faster kernel."""
    parameters = replace(method(name).parameters(), K_ado=1, K_op=1, T=5)
    operator = PlayedOperator(workspace, parameters)
    verdicts = {1: "fail-build", 2: "pass 20.0", 3: "pass 10.0"}
    _, model = operator.play(
        verdicts,
        traced=parameters.traces_adoption,
        afterwards="fail-run",
        lesson="None.\n",
    )
    return operator, model


@pytest.mark.parametrize("name", ["uniform-credit", "value-memory"])
def test_uniform_credit_does_not_ask_for_adoption(
    workspace: Workspace, name: str
) -> None:
    operator, model = played_on(workspace, name)
    assert operator.rows("SELECT DISTINCT state FROM trace") == [("unresolved",)]
    counts = operator.rows("SELECT DISTINCT n_ado = n_ret FROM item WHERE n_ret > 0")
    assert counts == [(1,)], "the gates count retrievals"
    candidates = [
        r for r in model.requests if r.purpose in {Purpose.CANDIDATE, Purpose.REPAIR}
    ]
    assert {r.attempt for r in candidates} == {0}
    assert not any(
        "adopt" in m.content.casefold() for r in candidates for m in r.messages
    )
    assert not any(
        "<!--" in r.messages[0].content.partition("<skill")[0] for r in candidates
    )


@pytest.mark.parametrize(
    ("name", "writes_rules"),
    [("sage", True), ("no-ugc", False), ("value-memory", False)],
)
def test_no_rule_is_asked_for_where_none_can_be_resident(
    workspace: Workspace, name: str, writes_rules: bool
) -> None:
    _, model = played_on(workspace, name)
    assert (
        any(request.purpose is Purpose.ABSTRACT for request in model.requests)
        is writes_rules
    )


def test_values_follow_the_rewards_of_the_rounds(workspace: Workspace) -> None:
    operator, _ = played_on(workspace, "value-memory")
    values = LearntValues().now(workspace, operator.parameters)
    retrievals = operator.rows(
        "SELECT t.item_id, e.objective, r.verdict FROM trace t JOIN episode e ON e.uid = t.episode_uid "
        "JOIN round r ON r.episode_uid = t.episode_uid AND r.round = t.round ORDER BY r.round"
    )
    expected: dict[int, float] = {}
    for item, objective, verdict in retrievals:
        assert isinstance(item, int)
        if objective == "corr":
            reward = 1.0 if verdict == "pass" else -1.0
            expected[item] = 0.9 * expected.get(item, 0.0) + 0.1 * reward
    assert values[Objective.CORR] == pytest.approx(expected)
    rewards = [math.tanh(math.log(2)), -1.0, -1.0]  # 20 -> 10 us, then two failures
    rounds = [row[0] for row in retrievals if row[1] == "opt"]
    everywhere = next(item for item in rounds if rounds.count(item) == len(rewards))
    value = 0.0
    for number, reward in enumerate(rewards, start=1):
        seen = rewards[:number]
        spread = statistics.pstdev(seen)
        normal = (reward - statistics.mean(seen)) / spread if spread else 0.0
        value += 0.1 * (normal - value)
    assert values[Objective.OPT][everywhere] == pytest.approx(value)  # type: ignore[index]


def test_values_are_those_of_rounds_that_hold_however_often_they_are_asked_for(
    tmp_path: Path,
) -> None:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        played_on(workspace, "value-memory")
        parameters = MethodParameters()
        learnt = LearntValues()
        whole = learnt.now(workspace, parameters)
        assert whole[Objective.OPT]
        workspace.db.execute(
            "UPDATE episode SET status = 'open' WHERE objective = 'opt'"
        )
        again = LearntValues()
        assert again.now(workspace, parameters) == whole, "the running episode teaches"
        workspace.db.execute(
            "UPDATE episode SET status = 'void' WHERE objective = 'opt'"
        )
        assert again.now(workspace, parameters)[Objective.OPT] == {}, (
            "one that was given up does not"
        )
        assert again.now(workspace, parameters)[Objective.CORR] == whole[Objective.CORR]
        workspace.db.execute(
            "UPDATE episode SET status = 'applied' WHERE objective = 'opt'"
        )
        assert (
            again.now(workspace, parameters)
            == LearntValues().now(workspace, parameters)
            == whole
        )
        workspace.db.execute("DELETE FROM round WHERE round = 1")
        assert (
            again.now(workspace, parameters)
            == LearntValues().now(workspace, parameters)
            != whole
        )


def test_the_most_valuable_of_the_relevant_are_retrieved_and_sometimes_any() -> None:
    pool = [Retrieved(f"m{number}", number, 0.0, id=number) for number in range(1, 7)]
    values = {5: 0.4, 2: -0.3}
    found = most_valuable(pool, values, 2, random.Random(0), exploration=0.0)
    assert [hit.uid for hit in found] == ["m5", "m1"], "then by relevance"
    assert [hit.rank for hit in found] == [1, 2]
    drawn = {
        hit.uid
        for seed in range(40)
        for hit in most_valuable(pool, values, 2, random.Random(seed), exploration=1.0)
    }
    assert drawn == {hit.uid for hit in pool}
