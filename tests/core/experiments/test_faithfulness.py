"""Faithfulness of adoption where the truth is known: effects, bypass and agreement are the world's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import InvalidInput, SageError
from core.experiments.faithfulness.analysis import (
    Condition,
    Faithfulness,
    Outcome,
    Trial,
    analysed,
    declared_adoption,
    planned_trials,
    recorded_rounds,
)
from core.experiments.faithfulness.outcomes import Study, play, read_outcomes
from core.experiments.faithfulness.studies import masked_credit
from core.experiments.simulation.agent import Agent, fill_bank, uid_of
from core.experiments.simulation.world import BASE, Regime, World
from core.experiments.statistics import rank_correlation
from core.workspace import Workspace
from tests.core.experiments.simulated_again import SimulatedAgain

SMALL = replace(
    BASE,
    needs=8,
    per_need=5,
    levels=(8, 14, 6),
    corr_needs=(1, 2, 3),
    opt_needs=(1, 1, 1),
    method=replace(BASE.method, consolidation="off"),
)
STUDY = Study("bank", "trials", "synthetic", "synthetic", 0, 4)


def learn(regime: Regime, path: Path, seed: int) -> World:
    world = World(regime, seed)
    with Workspace.open(path) as workspace:
        fill_bank(world, workspace)
        agent = Agent(world, workspace, regime.method)
        for place in range(len(world.operators)):
            agent.learn(place)
    return world


def studied(
    regime: Regime, folder: Path, seed: int = 11, repeats: int = 6
) -> tuple[World, Faithfulness]:
    world = learn(regime, folder / "w.sage", seed)
    with Workspace.open_readonly(folder / "w.sage") as workspace:
        trials = planned_trials(recorded_rounds(workspace), 0, repeats, 0)
        again = SimulatedAgain(world, workspace)
        outcomes = asyncio.run(play(trials, again, folder / "study.jsonl", STUDY))
        return world, analysed(outcomes, declared_adoption(workspace))


@pytest.fixture(scope="module")
def honest(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[World, Faithfulness, Path]:
    folder = tmp_path_factory.mktemp("honest")
    return (*studied(SMALL, folder), folder / "w.sage")


@pytest.mark.system
def test_effects_are_those_of_the_world(
    honest: tuple[World, Faithfulness, Path],
) -> None:
    world, study, _ = honest
    effects = {entry.condition: entry for entry in study.conditions}
    for condition in (
        Condition.REMOVED,
        Condition.SHUFFLED,
        Condition.CORRUPTED,
        Condition.IRRELEVANT,
    ):
        assert effects[condition].effect > 0.05
        assert effects[condition].p < 0.01
    assert effects[Condition.CORRUPTED].altered < effects[Condition.SHUFFLED].altered
    assert effects[Condition.REMOVED].adoption is None
    off = effects[Condition.IRRELEVANT].adoption
    assert off is not None
    assert off < 0.1  # this agent sees what does not belong
    truth = {uid_of(item): effect for item, effect in enumerate(world.true_effects())}
    often = [entry for entry in study.items if entry.occasions >= 3]
    found = rank_correlation(
        [entry.effect for entry in often],
        [truth[entry.declared.uid] for entry in often],
    )
    assert found is not None
    assert found > 0.6
    good = world.is_good(world.final_quality)
    helpful = {
        entry.declared.uid: entry
        for entry in study.items
        if entry.effect > 0.1 and entry.occasions > 3
    }
    assert helpful
    assert all(good[int(uid.removeprefix("sim-"))] for uid in helpful)


@pytest.mark.system
def test_utility_ranks_like_the_effect_where_the_word_is_true(
    honest: tuple[World, Faithfulness, Path],
) -> None:
    study = honest[1]
    by_utility, by_word = study.agreement
    assert (by_utility.of, by_word.of) == ("u", "declared adoption")
    assert by_utility.rho is not None
    assert by_utility.interval is not None
    assert by_utility.rho > 0.3
    assert by_utility.interval[0] > 0
    assert by_utility.interval[0] < by_utility.rho < by_utility.interval[1]


@pytest.mark.system
def test_a_word_without_use_is_found_out(
    honest: tuple[World, Faithfulness, Path], tmp_path: Path
) -> None:
    """An agent that claims whatever is on topic: the share it declares says nothing of the effect."""
    true, false = honest[1], studied(replace(SMALL, over_claim=True), tmp_path)[1]
    share = [
        next(entry.rho for entry in study.agreement if entry.of == "declared adoption")
        or 0.0
        for study in (true, false)
    ]
    assert share[1] < share[0] - 0.2
    idle = [
        entry
        for entry in false.items
        if entry.effect <= 0 and entry.declared.rate > 0.5
    ]
    assert len(idle) > len(
        [
            entry
            for entry in true.items
            if entry.effect <= 0 and entry.declared.rate > 0.5
        ]
    )


@pytest.mark.system
def test_masked_replays_rank_where_an_agent_claims_whatever_is_on_topic(
    tmp_path: Path,
) -> None:
    regime = replace(SMALL, over_claim=True)
    world = learn(regime, tmp_path / "w.sage", 11)
    with Workspace.open_readonly(tmp_path / "w.sage") as workspace:
        trials = planned_trials(recorded_rounds(workspace), 0, 6, 0, ())
        again = SimulatedAgain(world, workspace)
        outcomes = asyncio.run(play(trials, again, tmp_path / "study.jsonl", STUDY))
        credit = masked_credit(workspace, outcomes)
    assert credit.adoptions == credit.tested > credit.upheld > 0
    truth = {uid_of(item): effect for item, effect in enumerate(world.true_effects())}
    by_declared, by_masked = (
        rank_correlation(
            [utility(item) for item in credit.items],
            [truth[item.uid] for item in credit.items],
        )
        for utility in (lambda item: item.declared, lambda item: item.masked)
    )
    assert by_declared is not None
    assert by_masked is not None
    assert by_masked > by_declared + 0.1


@pytest.mark.system
def test_bypass_is_counted_from_the_raw_rows(
    honest: tuple[World, Faithfulness, Path],
) -> None:
    _, study, path = honest
    with Workspace.open_readonly(path) as workspace:
        rows = workspace.db.execute(
            "SELECT item_id, state = 'adopted' FROM trace WHERE counted = 1"
        ).fetchall()
    items = {row[0] for row in rows}
    adopted = {row[0] for row in rows if row[1]}
    assert (study.retrieved, study.bypassed) == (len(items), len(items - adopted))
    assert study.bypass_rate == len(items - adopted) / len(items)
    assert study.unused == pytest.approx(np.mean([not row[1] for row in rows]))


def outcome(trial: Trial, *, success: bool | None) -> Outcome:
    of = trial.of
    return Outcome(
        of.trajectory, of.round, trial.condition, trial.item, trial.repeat, success
    )


def broken_after(
    count: int, inner: Callable[[Trial], Awaitable[Outcome]]
) -> Callable[[Trial], Awaitable[Outcome]]:
    left = [count]

    async def again(trial: Trial) -> Outcome:
        if not left[0]:
            raise SageError("The machine was switched off.")
        left[0] -= 1
        return await inner(trial)

    return again


@pytest.mark.parametrize("cut", [0, 7])
def test_a_study_goes_on_where_it_was_cut_off(tmp_path: Path, cut: int) -> None:
    world = learn(replace(SMALL, levels=(2, 1, 0)), tmp_path / "w.sage", 3)
    with Workspace.open_readonly(tmp_path / "w.sage") as workspace:
        trials = planned_trials(recorded_rounds(workspace), 4, 2, 0)
        again = SimulatedAgain(world, workspace)
        whole = asyncio.run(play(trials, again, tmp_path / "whole.jsonl", STUDY))
        path = tmp_path / "cut.jsonl"
        with pytest.raises(SageError, match="switched off"):
            asyncio.run(play(trials, broken_after(5, again), path, STUDY))
        if cut:
            path.write_bytes(
                path.read_bytes()[:-cut]
            )  # the last line was being written
        assert len(read_outcomes(path)) == (4 if cut else 5)
        assert asyncio.run(play(trials, again, path, STUDY)) == whole
        assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
        with pytest.raises(SageError, match="another study"):
            asyncio.run(play(trials, again, path, replace(STUDY, seed=9)))
    path.write_text("{}\n{}\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="faithfulness study"):
        read_outcomes(path)


def test_what_the_environment_spoiled_counts_nowhere(tmp_path: Path) -> None:
    learn(replace(SMALL, levels=(2, 1, 0)), tmp_path / "w.sage", 3)
    with Workspace.open_readonly(tmp_path / "w.sage") as workspace:
        rounds = recorded_rounds(workspace)
        declared = declared_adoption(workspace)
    trials = planned_trials(rounds, 0, 1, 0)
    spoiled = {
        trials[0].of.trajectory,
    }
    outcomes = [
        outcome(
            trial,
            success=None
            if trial.of.trajectory in spoiled
            else trial.condition is Condition.ORIGINAL,
        )
        for trial in trials
    ]
    study = analysed(outcomes, declared)
    assert study.void == sum(entry.success is None for entry in outcomes) > 0
    assert {
        (entry.original, entry.altered, entry.effect) for entry in study.conditions
    } == {(1.0, 0.0, 1.0)}
    assert all(entry.effect == 1.0 for entry in study.items)
    assert study.agreement[0].rho is None  # equal effects rank nothing


def test_the_sample_is_drawn_by_its_seed(tmp_path: Path) -> None:
    learn(replace(SMALL, levels=(4, 2, 0)), tmp_path / "w.sage", 5)
    with Workspace.open_readonly(tmp_path / "w.sage") as workspace:
        rounds = recorded_rounds(workspace)
    assert planned_trials(rounds, 3, 1, 1) == planned_trials(rounds, 3, 1, 1)
    assert planned_trials(rounds, 3, 1, 1) != planned_trials(rounds, 3, 1, 2)
    trials = planned_trials(rounds, 3, 2, 1)
    assert len({trial.key for trial in trials}) == len(trials)
    masked = {
        (trial.of.round, trial.of.trajectory, trial.item)
        for trial in trials
        if trial.item
    }
    drawn = {trial.of.trajectory + str(trial.of.round): trial.of for trial in trials}
    assert len(drawn) == 3
    assert len(masked) == sum(len(of.adopted) for of in drawn.values())
