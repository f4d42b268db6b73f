"""The mechanism simulation in small worlds: known truth is recovered, and only the ranking differs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from core.errors import SageError
from core.experiments.simulation.agent import Agent, fill_bank, recorded_items, uid_of
from core.experiments.simulation.studies import (
    LABEL,
    compare,
    fixed_bank,
    over_seeds,
    stream,
)
from core.experiments.simulation.world import BASE, REGIMES, World
from core.experiments.statistics import rank_correlation, sign_flip_p
from core.memory.replay.verification import verify
from core.method.parameters import MethodParameters
from core.workspace import Workspace
from sage_desktop.cli import main

DOCS = Path(__file__).parents[3] / "docs/simulation.md"
SMALL = replace(
    BASE,
    needs=8,
    per_need=5,
    levels=(8, 10, 4),
    corr_needs=(1, 2, 3),
    opt_needs=(1, 1, 1),
)
# one item per need and one round per operator: the credit of an item has a closed form
PLAIN = replace(
    BASE,
    needs=12,
    per_need=1,
    good=(1, 1),
    good_quality=(0.1, 0.9),
    item_noise=0.0,
    query_noise=0.0,
    operator_share=0.0,
    levels=(300, 0, 0),
    corr_needs=(1, 1, 1),
    opt_needs=(0, 0, 0),
    zipf=0.0,
    base_rate=(0.0, 0.0, 0.0),
    kept=1.0,
    use_good=0.6,
    use_decoy=0.6,
    method=MethodParameters(
        T=1, k=1, eta_min=1e-9, consolidation="off", encoder="none"
    ),
)


@pytest.mark.system
def test_known_utilities_are_recovered(tmp_path: Path) -> None:
    """u is the mean credit; used with a, helping with q: E[xi] = a (q - (1 - q) delta) - (1 - a) beta."""
    world = World(PLAIN, 7)
    with Workspace.open(tmp_path / "plain.sage") as workspace:
        fill_bank(world, workspace)
        agent = Agent(world, workspace, PLAIN.method)
        for place in range(len(world.operators)):
            agent.learn(place)
        rows = {
            row[0]: row[1:]
            for row in workspace.db.execute("SELECT uid, u_m, n_ret FROM item")
        }
    used, delta, beta = PLAIN.use_good, PLAIN.method.delta, PLAIN.method.beta
    errors, utilities = [], []
    for item, quality in enumerate(world.final_quality):
        u, count = rows[uid_of(item)]
        values = np.array([1.0, -delta, -beta])
        odds = np.array([used * quality, used * (1 - quality), 1 - used])
        mean = odds @ values
        spread = np.sqrt((odds @ values**2 - mean**2) / count)
        errors.append((u - mean) / spread)
        utilities.append(u)
    assert sum(count for _, count in rows.values()) == 300
    assert abs(np.mean(errors)) < 3 / np.sqrt(len(errors))
    assert (
        0.2 < np.mean(np.square(errors)) < 2.2
    )  # 12 squared standard normals: 99.8 % of the time
    found = rank_correlation(utilities, list(world.true_effects()))
    assert found is not None
    assert found > 0.7


def test_adoption_traced_credit_agrees_with_the_truth_and_uniform_credit_less(
    tmp_path: Path,
) -> None:
    without_hot = replace(
        SMALL, method=replace(SMALL.method, B=0)
    )  # else all good ones become resident
    rows = [fixed_bank(without_hot, seed, tmp_path, passes=1) for seed in (100, 101)]
    for row in rows:
        traced, uniform, relevance = (
            row.scores[name] for name in ("atu", "uniform", "relevance")
        )
        assert traced.auc is not None
        assert uniform.auc is not None
        assert traced.auc > max(0.9, uniform.auc)
        assert relevance.auc == 0.5
        assert relevance.rho is None
    with pytest.raises(SageError, match="there already"):
        fixed_bank(without_hot, 100, tmp_path, passes=1)
    with Workspace.open_readonly(tmp_path / "seed-100.sage") as learnt:
        assert verify(learnt) == ()
        assert learnt.meta("simulated") == "100"


def test_a_seed_gives_the_same_numbers_again() -> None:
    tiny = replace(SMALL, levels=(2, 2, 1))
    assert fixed_bank(tiny, 5, passes=1) == fixed_bank(tiny, 5, passes=1)
    assert fixed_bank(tiny, 5, passes=1) != fixed_bank(tiny, 6, passes=1)


@pytest.mark.slow  # quicker: `test_a_seed_gives_the_same_numbers_again`
def test_processes_change_no_number() -> None:
    tiny = replace(SMALL, needs=5, levels=(1, 1, 1))
    once = partial(fixed_bank, passes=1)
    alone = over_seeds(once, tiny, (1, 2))
    assert over_seeds(once, tiny, (1, 2), workers=2) == alone


def test_every_declared_method_learns_online() -> None:
    row = stream(replace(SMALL, levels=(4, 4, 2)), 3)
    assert set(row.scores) >= {
        "sage",
        "no-ugc",
        "random-ugc",
        "uniform-credit",
        "static-rag",
        "refinement",
    }
    assert row.scores["refinement"].auc is None
    assert row.scores["static-rag"].rho is None  # it learns nothing
    traced, uniform = row.scores["no-ugc"].auc, row.scores["uniform-credit"].auc
    assert traced is not None
    assert uniform is not None
    assert traced > uniform


def test_what_is_recorded_can_differ_from_what_is_used() -> None:
    calm = np.ones(BASE.needs * BASE.per_need)
    wrong = calm.copy()
    wrong[2] = 0.0
    world = World(replace(SMALL, companions=True, hitchhike=True), 1)
    good = int(world.neighbour.max())
    companion = int(np.flatnonzero(world.neighbour == good)[0])
    need = int(world.need_of[good])
    assert recorded_items(world, need, (good, companion), frozenset({good}), calm) == {
        good,
        companion,
    }
    plain = World(SMALL, 1)
    assert recorded_items(plain, 0, (1, 2), frozenset({1}), calm) == {1}
    flipped = World(replace(SMALL, flip=0.5), 1)
    assert recorded_items(flipped, 0, (1, 2), frozenset({1}), wrong) == {1, 2}
    modest = World(replace(SMALL, under_claim=0.5), 1)
    assert recorded_items(modest, 0, (1, 2), frozenset({1, 2}), wrong) == {1}
    proud = World(replace(SMALL, over_claim=True), 1)
    assert recorded_items(proud, 0, (1, 2, 39), frozenset(), calm) == {1, 2}


def test_drift_turns_good_items_into_decoys() -> None:
    world = World(replace(SMALL, drift=1.0), 2)
    before, after = world.quality(0), world.final_quality
    good = world.is_good(before)
    assert not (good & world.is_good(after)).any()
    assert good.sum() == world.is_good(after).sum()
    assert (world.quality(world.drift_place - 1) == before).all()
    assert (World(SMALL, 2).quality(0) == World(SMALL, 2).final_quality).all()


def test_the_permutation_test_counts_signs() -> None:
    assert sign_flip_p([1.0, 2.0, 3.0]) == 1 / 8
    assert sign_flip_p([-1.0, -2.0, -3.0]) == 1.0
    assert sign_flip_p([0.0, 0.0]) == 1.0
    assert sign_flip_p([1.0] * 14) == pytest.approx(2**-14)
    many = sign_flip_p([1.0, -1.0] * 15)
    assert many == pytest.approx(
        0.572, abs=0.005
    )  # at least as many heads as tails among 30
    assert rank_correlation([3.0, 1.0, 3.0], [2.0, 1.0, 2.5]) == pytest.approx(
        3**0.5 / 2
    )  # ties share ranks


def test_a_comparison_says_who_won() -> None:
    rows = [
        fixed_bank(replace(SMALL, levels=(1, 1, 1)), seed, passes=1) for seed in (1, 2)
    ]
    found = compare(rows, "atu", "atu")
    assert (found.mean, found.wins, found.ties, found.losses, found.p) == (
        0.0,
        0,
        2,
        0,
        1.0,
    )


def test_the_page_names_every_regime_and_no_other() -> None:
    table = DOCS.read_text(encoding="utf-8").split("## Regimes")[1].split("## ")[0]
    first = "\n".join(
        line.split("|")[1] for line in table.splitlines() if line.startswith("|")
    )
    assert set(re.findall(r"`([^`]+)`", first)) == set(REGIMES) - {"base"}


def test_the_command_labels_what_it_prints() -> None:
    unknown = CliRunner().invoke(
        main, ["simulate", "--fixed-bank", "--seeds", "1", "--regime", "rosy"]
    )
    assert unknown.exit_code == 2
    assert "rosy" in unknown.output
    assert "hitchhikers" in unknown.output
    assert LABEL.startswith("simulated: a demonstration")


@pytest.mark.slow
def test_the_declared_hypotheses_of_the_base_regime() -> None:
    told = CliRunner().invoke(main, ["simulate", "--fixed-bank", "--json"])
    assert told.exit_code == 0, told.output
    report = json.loads(told.stdout)
    assert report["label"] == LABEL
    assert len(report["regimes"][0]["seeds"]) == 20
    pairs = {
        (pair["better"], pair["worse"]): pair["p"]
        for pair in report["regimes"][0]["comparisons"]
    }
    assert pairs["atu", "uniform"] < 0.01
    assert pairs["atu", "relevance"] < 0.01
