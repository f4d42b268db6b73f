"""The synthetic agent of the mechanism simulation, working through the production store and retriever.

A workspace it writes is an ordinary one, marked as simulated: `sage memory verify` folds its log, `export --credit`
its credit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.evaluation.records import VerdictClass
from core.experiments.simulation.world import Floats, SyntheticOperator, World
from core.memory import episodes
from core.memory.reading import resident_uids
from core.memory.records import (
    AdoptionState,
    EpisodeOutcome,
    Experience,
    ItemFilter,
    Origin,
    Retrieved,
)
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.workspace import Workspace, now
from core.workspace.rows import insert

SIMULATED = (
    "simulated"  # meta key of a workspace that a simulation wrote: seed of the world
)
_T_FIRST = 100.0  # us; only ratios matter
_VERDICT = {True: VerdictClass.PASS, False: VerdictClass.FAIL_RESULT}
_STREAM, _FROZEN = 1, 2  # streams of random numbers


@dataclass(frozen=True)
class Result:
    """What became of one operator; `fast` is None while it is not solved."""

    level: int
    solved: bool
    fast: bool | None


@dataclass(frozen=True)
class Shown:
    """One round as the agent saw it.

    Attributes:
        need: The need it was about.
        retrieved: R_t, item numbers in rank order.
        residents: Resident rules that belong to the need.
        used: Which of both it used.
        recorded: Which of R_t it recorded as adopted.
    """

    need: int
    retrieved: tuple[int, ...]
    residents: tuple[int, ...]
    used: frozenset[int]
    recorded: frozenset[int]


class SyntheticVectors:
    """The dense half of the production retriever, with the world's vectors; see `retriever.DenseScores`.

    Attributes:
        query: Vector the next query stands for.
        reason: Empty, it can always answer.
    """

    def __init__(self, world: World, item_of_id: NDArray[np.int64]) -> None:
        self._vectors = world.vectors
        self._item_of_id = item_of_id
        self.query: Floats = np.zeros(world.regime.dimensions)
        self.reason = ""

    def cosines(self, query: str, items: NDArray[np.int64]) -> Floats:  # noqa: ARG002 - the vector is the query
        """Return the cosine of each item; NaN where the index has no document."""
        indexed = items >= 0
        places = self._item_of_id[np.where(indexed, items, 0)]
        return np.where(indexed, self._vectors[places] @ self.query, np.nan)


def draws(
    world: World, key: tuple[int, ...], number: int
) -> tuple[float, Floats, Floats, Floats, float]:
    """Which need, noise of the query, use by item, wrong record by item, whether the need is met.

    They depend on the episode's `key` and the round's `number`, and on nothing that was done before.
    """
    rng = np.random.default_rng([*key, number])
    count, regime = len(world.need_of), world.regime
    which = float(rng.random())
    noise = rng.normal(size=regime.dimensions) / np.sqrt(regime.dimensions)
    return which, noise, rng.random(count), rng.random(count), float(rng.random())


class Agent:
    """Works on operators with one memory.

    Args:
        world: Where it lives.
        workspace: The memory: written to by `learn`, only read by `solve`.
        parameters: Of the method.
    """

    def __init__(
        self, world: World, workspace: Workspace, parameters: MethodParameters
    ) -> None:
        self.world = world
        self.parameters = parameters
        self._store = MemoryStore(workspace)
        ids = dict(workspace.db.execute("SELECT uid, id FROM item").fetchall())
        self._number = {uid_of(item): item for item in range(len(world.need_of))}
        item_of_id = np.zeros(1 + max(ids.values(), default=0), dtype=np.int64)
        for uid, row in ids.items():
            item_of_id[row] = self._number[uid]
        self._vectors = SyntheticVectors(world, item_of_id)
        self._retriever = Retriever(workspace, self._vectors)

    # ---- working on an operator

    def learn(self, place: int) -> Result:
        """Work on the operator at `place` of the stream and let the memory learn from it."""
        workspace, operator = self._store.workspace, self.world.operators[place]
        uid = f"simulated-{place}"
        with (
            workspace.transaction() as db
        ):  # one for the trajectory: a simulation has nothing to resume
            insert(
                db,
                "trajectory",
                uid=uid,
                operator=operator.name,
                operator_digest="",
                parameters=self.parameters.to_json(),
                provider="simulation",
                provider_origin="scripted",
                evaluator="simulation",
                started_at=now(),
            )
            rounds, solved, latency = self._learn_episode(uid, place, Objective.CORR, 0)
            if solved and operator.opt and rounds < self.parameters.T:
                _, _, latency = self._learn_episode(uid, place, Objective.OPT, rounds)
        return _result(operator, solved=solved, latency=latency)

    def solve(self, place: int, run: int = 0) -> Result:
        """Work on the operator at `place` with the memory as it is; nothing is written.

        Args:
            place: In the stream; the world is that after the stream.
            run: Number of the pass.
        """
        operator = self.world.operators[place]
        residents = self._numbers(resident_uids(self._store.workspace.db))
        quality, key = self.world.final_quality, (self.world.seed, _FROZEN, run, place)
        played, solved, latency = self._play(
            operator, Objective.CORR, self.parameters.T, residents, quality, (*key, 0)
        )
        rounds_left = self.parameters.T - len(played)
        if solved and operator.opt and rounds_left:
            _, _, latency = self._play(
                operator, Objective.OPT, rounds_left, residents, quality, (*key, 1)
            )
        return _result(operator, solved=solved, latency=latency)

    def _learn_episode(
        self, trajectory: str, place: int, objective: Objective, before: int
    ) -> tuple[int, bool, float]:
        operator, db = self.world.operators[place], self._store.workspace.db
        uid = f"{trajectory}-{objective.value}"
        start = self._store.begin_episode(
            uid, trajectory, operator.name, objective, self.parameters
        )
        key = (self.world.seed, _STREAM, 0, place, int(objective is Objective.OPT))
        played, solved, latency = self._play(
            operator,
            objective,
            self.parameters.T - before,
            self._numbers(start.residents),
            self.world.quality(place),
            key,
            start.memory_seq,
        )
        for number, (round_view, hits) in enumerate(played, start=before + 1):
            self._store.record_retrieval(uid, number, hits)
            self._store.record_adoption(uid, number, _records(round_view))
            used = round_view.used & set(round_view.residents)
            self._store.record_hot_use(
                uid, number, {uid_of(item): "used" for item in sorted(used)}
            )
            passed = objective is Objective.OPT or (
                solved and number == before + len(played)
            )
            insert(
                db,
                "round",
                trajectory_uid=trajectory,
                round=number,
                episode_uid=uid,
                step="evaluated",
                diagnosis=f"need {round_view.need}",
                verdict=_VERDICT[passed].value,
                residents_stated=1 if start.residents else None,
                started_at=now(),
            )
        rounds = before + len(played)
        last = (
            objective is Objective.OPT
            or not solved
            or not operator.opt
            or rounds >= self.parameters.T
        )
        timed = objective is Objective.OPT
        self._store.apply_episode(
            EpisodeOutcome(
                uid,
                solved,
                _T_FIRST if timed else None,
                _T_FIRST * latency if timed else None,
                completes_trajectory=last,
            )
        )
        if self.parameters.consolidation != "off":
            for item in self._store.needs_rule():
                words = int(self.world.words[self._number[item]])
                self._store.set_rule(item, " ".join(["word"] * words))
            episodes.consolidate(db, at=now())
        return rounds, solved, latency

    # ---- one episode

    def _play(
        self,
        operator: SyntheticOperator,
        objective: Objective,
        rounds: int,
        residents: Sequence[int],
        quality: Floats,
        key: tuple[int, ...],
        until_seq: int | None = None,
    ) -> tuple[list[tuple[Shown, tuple[Retrieved, ...]]], bool, float]:
        """Play an episode; returns its rounds, whether every need was met, and T_best / T_first."""
        unmet = list(operator.corr if objective is Objective.CORR else operator.opt)
        latency = 1.0
        played: list[tuple[Shown, tuple[Retrieved, ...]]] = []
        while unmet and len(played) < rounds:
            which, noise, use, wrong, luck = draws(self.world, key, len(played) + 1)
            need = unmet[int(which * len(unmet))]
            hits = self._retrieve(self._query(operator, need, noise), until_seq)
            retrieved = tuple(self._number[hit.uid] for hit in hits)
            own = tuple(item for item in residents if self.world.need_of[item] == need)
            used = used_items(self.world, need, (*retrieved, *own), quality, use)
            met = luck < chance(self.world, operator.level, need, used, quality)
            recorded = recorded_items(self.world, need, retrieved, used, wrong)
            played.append((Shown(need, retrieved, own, used, recorded), hits))
            if met:
                unmet.remove(need)
                latency *= (
                    operator.gains.get(need, 1.0) if objective is Objective.OPT else 1.0
                )
        return played, not unmet, latency

    def _query(self, operator: SyntheticOperator, need: int, noise: Floats) -> Floats:
        regime = self.world.regime
        vector = self.world.need_vectors[need] + regime.operator_share * operator.vector
        vector = vector + regime.query_noise * noise
        unit: Floats = vector / np.linalg.norm(vector)
        return unit

    def _retrieve(self, vector: Floats, until_seq: int | None) -> tuple[Retrieved, ...]:
        if self.parameters.memory == "none":
            return ()
        self._vectors.query = vector
        return self._retriever.retrieve(
            "", None, self.parameters, ItemFilter(until_seq=until_seq)
        )

    def _numbers(self, uids: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._number[uid] for uid in uids)


def used_items(
    world: World, need: int, visible_items: Sequence[int], quality: Floats, use: Floats
) -> frozenset[int]:
    """What the agent uses of what it sees; `use` are draws by item, (items,)."""
    regime, good = world.regime, world.is_good(quality)
    used = set()
    for item in visible_items:
        of_need = regime.use_good if good[item] else regime.use_decoy
        if use[item] < (of_need if world.need_of[item] == need else regime.use_off):
            used.add(item)
    return frozenset(used)


def recorded_items(
    world: World,
    need: int,
    retrieved: Sequence[int],
    used: frozenset[int],
    wrong: Floats,
) -> frozenset[int]:
    """What the agent records as adopted; `wrong` are draws by item, (items,)."""
    regime = world.regime
    declared = {
        item
        for item in retrieved
        if item in used and not wrong[item] < regime.under_claim
    }
    if regime.over_claim:
        declared |= {item for item in retrieved if world.need_of[item] == need}
    if regime.hitchhike:
        declared |= {
            item for item in retrieved if int(world.neighbour[item]) in declared
        }
    return frozenset(
        item for item in retrieved if (item in declared) != (wrong[item] < regime.flip)
    )


def chance(
    world: World, level: int, need: int, used: frozenset[int], quality: Floats
) -> float:
    """The chance that a round meets its need with what was used."""
    regime, good = world.regime, world.is_good(quality)
    best = max(
        (float(quality[item]) for item in used if world.need_of[item] == need),
        default=0.0,
    )
    useless = sum(not good[item] or world.need_of[item] != need for item in used)
    return float(
        (1 - (1 - best) * (1 - regime.base_rate[level])) * regime.kept**useless
    )


def fill_bank(world: World, workspace: Workspace) -> None:
    """Write the world's experiences to an empty memory, without evidence."""
    store = MemoryStore(workspace)
    with workspace.transaction():
        workspace.set_meta(SIMULATED, str(world.seed))
        for item in range(len(world.need_of)):
            text = f"Synthetic experience {item}"
            experience = Experience(
                text, "simulated", "Simulation", source="mechanism simulation"
            )
            store.add_item(experience, origin=Origin.SEED, uid=uid_of(item))


def uid_of(item: int) -> str:
    """The uid of an item of the world in a simulated memory."""
    return f"sim-{item:04d}"


def _records(round_view: Shown) -> dict[str, tuple[AdoptionState, str]]:
    states = {True: AdoptionState.ADOPTED, False: AdoptionState.NOT_ADOPTED}
    return {
        uid_of(item): (states[item in round_view.recorded], "simulated")
        for item in round_view.retrieved
    }


def _result(operator: SyntheticOperator, *, solved: bool, latency: float) -> Result:
    return Result(operator.level, solved, latency < operator.torch if solved else None)
