"""The mechanism simulation: one bank under three rankings, and methods that learn online.

A demonstration of the mechanism with a synthetic agent, driving the production store, retriever, ATU and UGC;
docs/simulation.md has the model and the results. It is no evidence about kernels.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import SageError
from core.experiments.simulation.agent import Agent, Result, fill_bank, uid_of
from core.experiments.simulation.world import Regime, World
from core.experiments.statistics import auc, rank_correlation, sign_flip_p
from core.memory.replay.fixed_bank import RELEVANCE, write_fixed_bank
from core.method.methods import METHODS
from core.method.parameters import MethodParameters
from core.workspace import Workspace

LABEL = "simulated: a demonstration of the mechanism, not evidence about kernels"
NOT_REPRODUCED = (
    "adoption is a coin with known bias; no model states it",
    "needs are independent, experiences do not combine, nothing is distilled or abstracted by a model",
    "relevance is a cosine in 24 dimensions, without words",
    "latency is a product of factors, without noise of measurement",
    "sizes of effects follow from the parameters of the world; only directions say something",
)
RANKINGS = ("atu", "uniform", RELEVANCE)
STREAM_METHODS = tuple(METHODS)
PASSES = 2


@dataclass(frozen=True)
class Scores:
    """What one seed gave under one ranking or method; rates in percent.

    Attributes:
        er: Solved operators.
        er_l3: Solved operators of level 3.
        fast: Fast1.0: share of the solved ones faster than torch; None when none is solved.
        auc: How often a good item has more utility than a decoy; None where it is not defined.
        rho: Rank correlation of utility with the true effect of an item; None where it is not defined.
    """

    er: float
    er_l3: float
    fast: float | None
    auc: float | None = None
    rho: float | None = None


@dataclass(frozen=True)
class SeedScores:
    """The scores of one seed by ranking or method."""

    seed: int
    scores: dict[str, Scores]


@dataclass(frozen=True)
class Comparison:
    """Paired differences of ER over seeds, in points of percent.

    Attributes:
        better: Expected to have the higher ER.
        worse: The other.
        mean: Mean difference.
        wins: Seeds where `better` has the higher ER.
        ties: Seeds with the same ER.
        losses: The rest.
        p: One-sided p of the paired permutation test.
    """

    better: str
    worse: str
    mean: float
    wins: int
    ties: int
    losses: int
    p: float


def fixed_bank(
    regime: Regime, seed: int, folder: Path | None = None, passes: int = PASSES
) -> SeedScores:
    """Let SAGE learn once, freeze the bank, and judge it under the three rankings.

    Args:
        regime: The world's.
        seed: Of the world and all draws.
        folder: Where the memories stay; a temporary one when None.
        passes: How often the operators are worked through again.
    """
    world = World(regime, seed)
    with _folder(folder) as place:
        source = place / f"seed-{seed}.sage"
        retrieved = _learnt(world, source, METHODS["sage"].parameters(regime.method))[1]
        scores = {}
        for ranking in RANKINGS:
            target = place / f"seed-{seed}-{ranking}.sage"
            with Workspace.open_readonly(source) as learnt:
                write_fixed_bank(learnt, target, ranking)
            with Workspace.open_frozen(target) as bank:
                agent = Agent(world, bank, regime.method)
                results = [
                    agent.solve(number, run)
                    for run in range(passes)
                    for number in range(len(world.operators))
                ]
                cold = "SELECT uid, u_m FROM item WHERE hot_region = 0"
                utility = {
                    uid: u for uid, u in bank.db.execute(cold) if uid in retrieved
                }
            scores[ranking] = _scores(results, *_agreement(world, utility))
    return SeedScores(seed, scores)


def stream(regime: Regime, seed: int, folder: Path | None = None) -> SeedScores:
    """Let every declared method learn online; each operator's result is from before its updates."""
    world = World(regime, seed)
    scores = {}
    with _folder(folder) as place:
        for name in STREAM_METHODS:
            path = place / f"seed-{seed}-{name}.sage"
            results, retrieved = _learnt(
                world, path, METHODS[name].parameters(regime.method)
            )
            with Workspace.open_readonly(path) as memory:
                rows = memory.db.execute("SELECT uid, u_m FROM item").fetchall()
            utility = {uid: u for uid, u in rows if uid in retrieved}
            scores[name] = _scores(results, *_agreement(world, utility))
    return SeedScores(seed, scores)


Simulated = Callable[[Regime, int, Path | None], SeedScores]


def over_seeds(
    simulated: Simulated,
    regime: Regime,
    seeds: Sequence[int],
    *,
    workers: int = 1,
    folder: Path | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> tuple[SeedScores, ...]:
    """Run `fixed_bank` or `stream` for every seed; the outcome does not depend on `workers`."""
    scores = []
    if workers <= 1:
        for seed in seeds:
            scores.append(simulated(regime, seed, folder))
            on_progress(len(scores))
        return tuple(scores)
    # Forked threads of the caller could hold locks.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        number = len(seeds)
        each = ([regime] * number, seeds, [folder] * number)
        for row in pool.map(simulated, *each):
            scores.append(row)
            on_progress(len(scores))
    return tuple(scores)


def compare(rows: Sequence[SeedScores], better: str, worse: str) -> Comparison:
    """Paired differences of ER between two rankings or methods."""
    differences = [row.scores[better].er - row.scores[worse].er for row in rows]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return Comparison(
        better,
        worse,
        float(np.mean(differences)),
        wins,
        len(differences) - wins - losses,
        losses,
        sign_flip_p(differences),
    )


def fixed_bank_comparisons(rows: Sequence[SeedScores]) -> tuple[Comparison, ...]:
    """The two declared hypotheses, then uniform credit against relevance."""
    pairs = (("atu", "uniform"), ("atu", RELEVANCE), ("uniform", RELEVANCE))
    return tuple(compare(rows, *pair) for pair in pairs)


def stream_comparisons(rows: Sequence[SeedScores]) -> tuple[Comparison, ...]:
    """SAGE against every other method."""
    return tuple(
        compare(rows, "sage", name) for name in STREAM_METHODS if name != "sage"
    )


def mean_scores(rows: Sequence[SeedScores], name: str) -> Scores:
    """Means over seeds; of `fast`, `auc` and `rho` over those that define them."""
    values = [row.scores[name] for row in rows]
    return Scores(
        float(np.mean([scores.er for scores in values])),
        float(np.mean([scores.er_l3 for scores in values])),
        *(
            _mean([getattr(scores, field) for scores in values])
            for field in ("fast", "auc", "rho")
        ),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None


def _learnt(
    world: World, path: Path, parameters: MethodParameters
) -> tuple[list[Result], set[str]]:
    """Work through the stream with a new memory; returns the results and the items ever retrieved.

    Raises:
        SageError: There is a memory already.
    """
    if path.exists():
        raise SageError(
            "{path} is there already.", "Name an empty folder with --keep.", path=path
        )
    with Workspace.open(path) as workspace:
        # A simulation is run again, not recovered.
        workspace.db.execute("PRAGMA synchronous = OFF")
        fill_bank(world, workspace)
        agent = Agent(world, workspace, parameters)
        results = [agent.learn(place) for place in range(len(world.operators))]
        rows = workspace.db.execute(
            "SELECT DISTINCT uid FROM trace JOIN item ON item.id = item_id WHERE counted = 1"
        ).fetchall()
    return results, {row[0] for row in rows}


def _agreement(
    world: World, utility: dict[str, float]
) -> tuple[float | None, float | None]:
    """AUC of utility for the good items, and its rank correlation with the true effect."""
    good, effects = world.is_good(world.final_quality), world.true_effects()
    items = [item for item in range(len(good)) if uid_of(item) in utility]
    values = [utility[uid_of(item)] for item in items]
    return (
        auc(
            [value for item, value in zip(items, values, strict=True) if good[item]],
            [
                value
                for item, value in zip(items, values, strict=True)
                if not good[item]
            ],
        ),
        rank_correlation(values, [float(effects[item]) for item in items]),
    )


def _scores(
    results: Sequence[Result], separation: float | None, rho: float | None
) -> Scores:
    hardest = [result.solved for result in results if result.level == 2]
    fast = [result.fast for result in results if result.fast is not None]
    return Scores(
        100 * float(np.mean([result.solved for result in results])),
        100 * float(np.mean(hardest)) if hardest else 0.0,
        100 * float(np.mean(fast)) if fast else None,
        separation,
        rho,
    )


@contextmanager
def _folder(folder: Path | None) -> Iterator[Path]:
    """The given folder, made when missing, or a temporary one that is removed."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="sage-simulation-") as temporary:
        yield Path(temporary)
