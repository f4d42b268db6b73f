"""One fold of episodes into counters: what is stored, merged, replayed and rebuilt is the same number."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core.curation.curator import Curator
from core.exchange.memory_file import export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.memory import residency
from core.memory.evidence import fold, own_episodes
from core.memory.ledger import episodes_applied, record_change
from core.memory.records import AdoptionState, EpisodeOutcome, Retrieved
from core.memory.replay.credit import replay_credit
from core.memory.replay.verification import repair, verify
from core.memory.store import MemoryStore
from core.memory.views.queries import item_page
from core.method.objective import Objective
from core.method.parameters import CHOICES, RANGES, MethodParameters
from core.workspace import Workspace
from tests.scenario import add_items, evaluated_round, open_trajectory, play_episode

SMALL = {
    "T": 9,
    "k": 9,
    "K_ado": 3,
    "K_op": 3,
    "workers": 9,
    "patience": 9,
}


def _values(name: str, kind: object) -> st.SearchStrategy[object]:
    if name in CHOICES:
        return st.sampled_from(CHOICES[name])
    if name in RANGES:
        low, high = RANGES[name]
        if kind == "int":
            return st.integers(int(low), int(min(high, SMALL.get(name, 200))))
        return st.floats(low, high)
    return st.booleans() if kind == "bool" else st.just("none")


PARAMETERS = st.builds(
    MethodParameters,
    **{
        field.name: _values(field.name, field.type)
        for field in fields(MethodParameters)
    },
)


@dataclass(frozen=True)
class Played:
    """One episode: which of the items it retrieves (and adopts), whether it uses the residents."""

    records: dict[int, bool]
    used: bool
    correct: bool
    best: float


EPISODE = st.builds(
    Played,
    st.dictionaries(st.integers(1, 4), st.booleans(), max_size=4),
    st.booleans(),
    st.booleans(),
    st.sampled_from((5.0, 9.9, 10.0)),
)
TRAJECTORY = st.tuples(
    st.sampled_from(("Abs", "abs", "Lerp")),
    PARAMETERS,
    st.lists(EPISODE, min_size=1, max_size=2),
)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of five items with rules, one of them resident."""
    path = tmp_path_factory.mktemp("fold") / "begun.sage"
    with Workspace.open(path) as workspace:
        store = MemoryStore(workspace)
        for uid in add_items(store, 5):
            store.set_rule(uid, f"Rule of {uid}.")
        Curator(store).promote("m5")
    return path


def play_all(
    store: MemoryStore, trajectories: list[tuple[str, MethodParameters, list[Played]]]
) -> None:
    states = {True: AdoptionState.ADOPTED, False: AdoptionState.NOT_ADOPTED}
    for number, (operator, parameters, episodes) in enumerate(trajectories):
        trajectory = f"t{number}"
        open_trajectory(store.workspace, trajectory, operator)
        for turn, (objective, episode) in enumerate(
            zip(Objective, episodes, strict=False), start=1
        ):
            uid = f"{trajectory}-{objective}"
            residents = store.begin_episode(
                uid, trajectory, operator, objective, parameters
            ).residents
            records = {
                f"m{m}": a
                for m, a in episode.records.items()
                if f"m{m}" not in residents
            }
            hits = [
                Retrieved(name, rank, 0.0) for rank, name in enumerate(records, start=1)
            ]
            store.record_retrieval(uid, turn, hits)
            store.record_adoption(
                uid, turn, {name: (states[a], "because") for name, a in records.items()}
            )
            store.record_hot_use(
                uid, turn, dict.fromkeys(residents if episode.used else (), "applied")
            )
            evaluated_round(store.workspace, trajectory, uid, turn)
            store.apply_episode(
                EpisodeOutcome(uid, episode.correct, 10.0, episode.best)
            )


# no shrinking: a history is a pile of parameters, to make it smaller takes minutes
@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(trajectories=st.lists(TRAJECTORY, min_size=1, max_size=4))
def test_stored_folded_replayed_rebuilt_and_merged_evidence_are_the_same_under_all_parameters(
    begun: Path,
    tmp_path: Path,
    trajectories: list[tuple[str, MethodParameters, list[Played]]],
) -> None:
    path, other = tmp_path / "w.sage", tmp_path / "other.sage"
    for file in (path, other):
        shutil.copy(begun, file)
    with Workspace.open(path) as workspace, Workspace.open(other) as elsewhere:
        store, target = MemoryStore(workspace), MemoryStore(elsewhere)
        play_all(store, trajectories)
        db = workspace.db
        merge_bank(target, parse_bank("bank", export_bank(db)), source="bank")
        applied = episodes_applied(db)
        replayed = {row.uid: row for row in replay_credit(workspace)}
        for item in store.items():
            stored = (item.u_m, item.n_ret, item.n_ado, sorted(item.adopted_operators))
            folded = fold((item.uid,), own_episodes(db))
            assert (
                folded.u,
                folded.n_ret,
                folded.n_ado,
                sorted(folded.operators),
            ) == stored
            merged = target.item(item.uid)
            assert (
                merged.u_m,
                merged.n_ret,
                merged.n_ado,
                sorted(merged.adopted_operators),
            ) == stored
            if item.uid in replayed:
                assert replayed[item.uid].replayed == item.u_m
            else:
                assert item.u_m == 0.0
            row = residency.item_row(db, item.id)
            assert item.p_hat == residency.frequency(row, applied)
            curve = item_page(db, item.uid).credits
            assert (curve[-1].u_after if curve else 0.0) == item.u_m
        assert verify(workspace) == ()
        assert verify(elsewhere) == ()


def test_verify_and_repair_know_what_a_merge_of_an_earlier_release_folded_otherwise(
    store: MemoryStore,
) -> None:
    """The event is replayed faithfully, so the log alone cannot tell that its number is wrong."""
    add_items(store, 2)
    Curator(store).pin("m1")
    play_episode(store, "e0", {"m2": True}, used=("m1",))
    item = store.item("m2")
    lost = {item.id: {"u_m": 0.0}}
    record_change(
        store.workspace.db, "merge", item.id, lost, actor="user", reason="merged"
    )
    found = verify(store.workspace)
    assert found == ("item m2 u_m: stored 0.0, its episodes say 1.0",)
    assert repair(store.workspace) == found
    assert store.item("m2").u_m == 1.0
    assert verify(store.workspace) == ()
    play_episode(store, "e1", {"m2": True}, used=("m1",))
    assert verify(store.workspace) == ()
