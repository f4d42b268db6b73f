"""What was earned under an earlier time model of the twin admits no rule until it is earned again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from core.curation.curator import Curator
from core.engine.beginning import evolved_bank
from core.evaluation.records import TIME_MODEL
from core.exchange.memory_file import export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.memory.records import ItemState
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.memory.time_models import hold_for_present_model
from core.memory.views.queries import item_page
from core.method.objective import Objective
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.scenario import add_items, play_episode

PRESENT = f"modelled-{TIME_MODEL}"


def adopt(
    store: MemoryStore,
    mark: str,
    origin: str,
    objective: Objective = Objective.OPT,
    *,
    t_best: float = 5.0,
    proven: bool = True,
) -> None:
    """Adopt m1 on three operators, each twice as fast afterwards."""
    for operator in "ABC":
        uid = f"{mark}-{operator}"
        play_episode(
            store,
            uid,
            {"m1": True},
            operator=operator,
            objective=objective,
            t_first=10.0,
            t_best=t_best,
            proven=proven,
        )
        store.workspace.db.execute(
            "UPDATE trajectory SET latency_origin = ? WHERE uid = ?", (origin, uid)
        )


def residents(store: MemoryStore) -> list[str]:
    return [item.uid for item in store.residents()]


@pytest.fixture
def old(store: MemoryStore) -> MemoryStore:
    """m1 is resident on gains of the first time model."""
    add_items(store, 2)
    adopt(store, "old", "modelled")
    store.set_rule("m1", "Start one core.")
    play_episode(store, "next", {}, operator="D")
    assert residents(store) == ["m1"]
    return store


def test_a_rule_resting_on_old_times_is_not_resident_until_earned_again(
    old: MemoryStore,
) -> None:
    before = old.item("m1")
    assert hold_for_present_model(old.workspace) == ("m1",)
    assert residents(old) == []
    after = old.item("m1")
    assert (after.u_m, after.n_ado, after.rule_text) == (
        before.u_m,
        before.n_ado,
        "Start one core.",
    )
    play_episode(old, "later", {}, operator="D")
    assert residents(old) == [], "the evidence of before does not bring it back"
    adopt(old, "new", PRESENT)
    assert residents(old) == ["m1"]
    assert verify(old.workspace) == ()


def test_it_is_held_once_and_a_person_may_promote_it(old: MemoryStore) -> None:
    curator = Curator(old)
    curator.block("m2")
    hold_for_present_model(old.workspace)
    curator.undo()
    assert not old.item("m2").barred
    assert residents(old) == [], "undo takes back what a person did"
    curator.promote("m1")
    assert residents(old) == ["m1"]
    assert hold_for_present_model(old.workspace) == ()
    assert residents(old) == ["m1"]


@pytest.mark.parametrize(
    ("origin", "objective"),
    [
        (PRESENT, Objective.OPT),
        ("measured", Objective.OPT),
        ("modelled", Objective.CORR),
    ],
    ids=["of the present model", "measured", "correctness"],
)
def test_other_evidence_is_not_concerned(
    store: MemoryStore, origin: str, objective: Objective
) -> None:
    add_items(store, 1)
    adopt(store, "e", origin, objective)
    store.set_rule("m1", "Handle the tail.")
    play_episode(store, "next", {}, operator="D")
    assert hold_for_present_model(store.workspace) == ()
    assert residents(store) == ["m1"]
    assert item_page(store.workspace.db, "m1").time_model == 0


def test_the_item_says_under_which_model_it_was_earned(old: MemoryStore) -> None:
    hold_for_present_model(old.workspace)
    page = item_page(old.workspace.db, "m1")
    assert page.time_model == 1
    assert page.demotion is not None
    assert page.events[-1].reason == "earned under an earlier time model of the twin"
    shown = CliRunner().invoke(
        main, ["memory", "show", "m1", "--workspace", str(old.workspace.path)]
    )
    assert "earned under time model 1" in shown.stdout


def test_old_evidence_that_comes_by_a_merge_admits_nothing_either(
    old: MemoryStore, tmp_path: Path
) -> None:
    bank = parse_bank("old", export_bank(old.workspace.db))
    with Workspace.open(tmp_path / "other.sage") as workspace:
        store = MemoryStore(workspace)
        merge_bank(store, bank, source="old", state=ItemState.ACTIVE)
        play_episode(store, "e", {}, operator="D")
        assert store.item("m1").n_ado == 3
        assert residents(store) == []
        assert item_page(workspace.db, "m1").time_model == 1


def test_the_memory_that_ships_rests_on_the_present_time_model(
    store: MemoryStore,
) -> None:
    memory = evolved_bank().memory
    assert memory is not None
    merge_bank(store, memory, source="evolved", state=ItemState.ACTIVE)
    play_episode(store, "e", {}, operator="D")
    db = store.workspace.db
    assert not [item for item in store.items() if item_page(db, item.uid).time_model]
    assert verify(store.workspace) == ()


def test_a_rule_resting_on_gains_inside_the_range_waits_for_a_proof(
    store: MemoryStore, tmp_path: Path
) -> None:
    add_items(store, 1)
    adopt(store, "small", PRESENT, t_best=9.8, proven=False)
    store.set_rule("m1", "Swap two lines.")
    play_episode(store, "next", {}, operator="D")
    item = store.item("m1")
    assert (item.n_ado, len(item.adopted_operators)) == (3, 3), "evidence is kept"
    assert item.u_m == pytest.approx(0.02)
    assert residents(store) == []
    assert item_page(store.workspace.db, "m1").unproven
    shown = CliRunner().invoke(
        main, ["memory", "show", "m1", "--workspace", str(store.workspace.path)]
    )
    assert "rests on gains inside what the model knows" in shown.stdout
    bank = parse_bank("small", export_bank(store.workspace.db))
    with Workspace.open(tmp_path / "other.sage") as workspace:
        other = MemoryStore(workspace)
        merge_bank(other, bank, source="small", state=ItemState.ACTIVE)
        play_episode(other, "e", {}, operator="D")
        assert residents(other) == [], "nor where it comes by a merge"
    adopt(store, "clear", PRESENT)
    assert residents(store) == ["m1"]
    assert not item_page(store.workspace.db, "m1").unproven
    assert verify(store.workspace) == ()


def test_a_person_may_promote_an_unproven_rule(store: MemoryStore) -> None:
    add_items(store, 1)
    adopt(store, "small", PRESENT, t_best=9.8, proven=False)
    store.set_rule("m1", "Swap two lines.")
    Curator(store).promote("m1")
    play_episode(store, "next", {}, operator="D")
    assert residents(store) == ["m1"]
