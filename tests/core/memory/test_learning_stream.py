"""A learning stream in miniature, through the real store: traced credit tells good experience from decoys.

Every need has one good item and several that are just as relevant but useless. The agent adopts good ones
often and decoys seldom; an episode succeeds when its needs were met. Nothing here is about kernels: it shows
the mechanism.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.memory.records import AdoptionState, EpisodeOutcome, Origin, Retrieved
from core.memory.replay.credit import replay_credit
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.method.utility import reranked_score
from core.workspace import Workspace
from tests.scenario import evaluated_round, experience, open_trajectory

NEEDS, PER_NEED, OPERATORS, SHOWN = 12, 5, 40, 3
ROUNDS, ADOPTS_GOOD, ADOPTS_DECOY, LUCK = 5, 0.7, 0.15, 0.05
PARAMETERS = MethodParameters(B=24 + 60)


def is_good(uid: str) -> bool:
    return uid.endswith("-0")


def play_stream(store: MemoryStore, seed: int) -> None:
    chance = random.Random(seed)
    for need in range(NEEDS):
        for number in range(PER_NEED):
            store.add_item(
                experience(need), origin=Origin.SEED, uid=f"n{need}-{number}"
            )
    for number in range(OPERATORS):
        uid = f"t{number}"
        open_trajectory(store.workspace, uid, f"Op{number}")
        residents = store.begin_episode(
            uid, uid, f"Op{number}", Objective.CORR, PARAMETERS
        ).residents
        unmet = chance.sample(range(NEEDS), 3)
        for round_number in range(1, ROUNDS + 1):
            if not unmet:
                break
            need = chance.choice(unmet)
            met = play_round(store, uid, round_number, need, residents, chance)
            if met:
                unmet.remove(need)
        store.apply_episode(
            EpisodeOutcome(uid, correct=not unmet, completes_trajectory=True)
        )
        for name in store.needs_rule():
            store.set_rule(name, f"The rule of {name}.")


def play_round(
    store: MemoryStore,
    uid: str,
    number: int,
    need: int,
    residents: tuple[str, ...],
    chance: random.Random,
) -> bool:
    names = [f"n{need}-{i}" for i in range(PER_NEED) if f"n{need}-{i}" not in residents]
    utility = {name: store.item(name).u_m for name in names}
    score = {
        name: reranked_score(chance.uniform(40, 60), utility[name], PARAMETERS.gamma)
        for name in names
    }
    shown = sorted(names, key=lambda name: -score[name])[:SHOWN]
    store.record_retrieval(
        uid,
        number,
        [Retrieved(name, rank, utility[name]) for rank, name in enumerate(shown, 1)],
    )
    adopted = {
        name
        for name in shown
        if chance.random() < (ADOPTS_GOOD if is_good(name) else ADOPTS_DECOY)
    }
    states = {True: AdoptionState.ADOPTED, False: AdoptionState.NOT_ADOPTED}
    store.record_adoption(
        uid, number, {name: (states[name in adopted], "") for name in shown}
    )
    used = [name for name in residents if name == f"n{need}-0"]
    store.record_hot_use(uid, number, dict.fromkeys(used, "it fits"))
    evaluated_round(store.workspace, uid, uid, number)
    return any(is_good(name) for name in (*adopted, *used)) or chance.random() < LUCK


def separation(store: MemoryStore, rule: str) -> float:
    """Return how often a good item has more utility than a decoy (area under the curve), 0.5 is chance."""
    rows = replay_credit(store.workspace, credit_rule=rule)
    good = [row.replayed for row in rows if is_good(row.uid)]
    decoys = [row.replayed for row in rows if not is_good(row.uid)]
    wins = sum((one > other) + 0.5 * (one == other) for one in good for other in decoys)
    return wins / (len(good) * len(decoys))


@pytest.mark.parametrize("seed", range(4))
def test_adoption_aware_credit_separates_what_uniform_credit_cannot(
    tmp_path: Path, seed: int
) -> None:
    with Workspace.open(tmp_path / "stream.sage") as workspace:
        store = MemoryStore(workspace)
        play_stream(store, seed)
        traced, uniform, none = (
            separation(store, rule) for rule in ("atu", "uniform", "none")
        )
        assert none == 0.5
        assert traced > 0.9
        assert traced > uniform + 0.1
        view = queries.hot_view(workspace.db)
        assert view.residents
        assert all(is_good(row.uid) for row in view.residents)
        assert view.tokens <= PARAMETERS.B
        assert verify(workspace) == ()
