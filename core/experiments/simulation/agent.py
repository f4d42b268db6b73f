"""The synthetic agent of the mechanism simulation, working through the production store and retriever.

A workspace it writes is an ordinary one, marked as simulated: `sage memory verify` folds its log, `export --credit`
its credit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

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

# Meta key of a workspace that a simulation wrote; its value is the seed of the world.
SIMULATED = "simulated"
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


class _Played(NamedTuple):
    """An episode: its rounds with what was retrieved, whether every need was met, T_best / T_first."""

    rounds: list[tuple[Shown, tuple[Retrieved, ...]]]
    solved: bool
    latency: float


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
        is_indexed = items >= 0
        places = self._item_of_id[np.where(is_indexed, items, 0)]
        cosines = self._vectors[places] @ self.query
        return np.where(is_indexed, cosines, np.nan)


class Draws(NamedTuple):
    """The random numbers of a round, each in [0, 1) but for the noise.

    Attributes:
        which: Which of the unmet needs it is about.
        noise: Of the query, (dimensions,), of expected length 1.
        use: Whether an item that is seen is used, (items,).
        wrong: Whether its record of adoption is wrong, (items,).
        luck: Whether the need is met.
    """

    which: float
    noise: Floats
    use: Floats
    wrong: Floats
    luck: float


def draws(world: World, key: tuple[int, ...], number: int) -> Draws:
    """The random numbers of a round.

    They depend on the episode's `key` and the round's `number`, and on nothing that was done before: two
    methods meet the same luck, whatever else they do.
    """
    rng = np.random.default_rng([*key, number])
    items = len(world.need_of)
    dimensions = world.regime.dimensions
    # The order of the draws is part of the world: another one gives other numbers.
    which = float(rng.random())
    noise = rng.normal(size=dimensions) / np.sqrt(dimensions)
    use = rng.random(items)
    wrong = rng.random(items)
    luck = float(rng.random())
    return Draws(which, noise, use, wrong, luck)


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
        items = range(len(world.need_of))
        self._number = {uid_of(item): item for item in items}
        last_id = max(ids.values(), default=0)
        item_of_id = np.zeros(last_id + 1, dtype=np.int64)
        for uid, row in ids.items():
            item_of_id[row] = self._number[uid]
        self._vectors = SyntheticVectors(world, item_of_id)
        self._retriever = Retriever(workspace, self._vectors)

    # ---- working on an operator

    def learn(self, place: int) -> Result:
        """Work on the operator at `place` of the stream and let the memory learn from it."""
        workspace = self._store.workspace
        operator = self.world.operators[place]
        uid = f"simulated-{place}"
        # One transaction for the trajectory: a simulation has nothing to resume.
        with workspace.transaction() as db:
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
        quality = self.world.final_quality
        key = (self.world.seed, _FROZEN, run, place)
        corr = self._play(
            operator, Objective.CORR, self.parameters.T, residents, quality, (*key, 0)
        )
        latency = corr.latency
        rounds_left = self.parameters.T - len(corr.rounds)
        if corr.solved and operator.opt and rounds_left:
            opt = self._play(
                operator, Objective.OPT, rounds_left, residents, quality, (*key, 1)
            )
            latency = opt.latency
        return _result(operator, solved=corr.solved, latency=latency)

    def _learn_episode(
        self, trajectory: str, place: int, objective: Objective, before: int
    ) -> tuple[int, bool, float]:
        """Play an episode of a trajectory and apply it to the memory; within the caller's transaction.

        Args:
            trajectory: Its uid.
            place: Of the operator in the stream.
            objective: corr or opt.
            before: Rounds of the trajectory so far.

        Returns:
            Rounds of the trajectory by now, whether every need was met, T_best / T_first.
        """
        operator = self.world.operators[place]
        db = self._store.workspace.db
        is_opt = objective is Objective.OPT
        uid = f"{trajectory}-{objective.value}"
        start = self._store.begin_episode(
            uid, trajectory, operator.name, objective, self.parameters
        )
        key = (self.world.seed, _STREAM, 0, place, int(is_opt))
        episode = self._play(
            operator,
            objective,
            self.parameters.T - before,
            self._numbers(start.residents),
            self.world.quality(place),
            key,
            start.memory_seq,
        )
        rounds = before + len(episode.rounds)
        for number, (shown, hits) in enumerate(episode.rounds, start=before + 1):
            self._store.record_retrieval(uid, number, hits)
            self._store.record_adoption(uid, number, _records(shown))
            used_rules = sorted(shown.used.intersection(shown.residents))
            uses = {uid_of(item): "used" for item in used_rules}
            self._store.record_hot_use(uid, number, uses)
            # In opt the kernel is correct from the start, in corr from the last round of a solved episode.
            is_correct = is_opt or (episode.solved and number == rounds)
            insert(
                db,
                "round",
                trajectory_uid=trajectory,
                round=number,
                episode_uid=uid,
                step="evaluated",
                diagnosis=f"need {shown.need}",
                verdict=_VERDICT[is_correct].value,
                residents_stated=1 if start.residents else None,
                started_at=now(),
            )
        opt_follows = (
            not is_opt
            and episode.solved
            and bool(operator.opt)
            and rounds < self.parameters.T
        )
        outcome = EpisodeOutcome(
            uid,
            episode.solved,
            _T_FIRST if is_opt else None,
            _T_FIRST * episode.latency if is_opt else None,
            completes_trajectory=not opt_follows,
        )
        self._store.apply_episode(outcome)
        if self.parameters.consolidation != "off":
            self._write_rules()
            episodes.consolidate(db, at=now())
        return rounds, episode.solved, episode.latency

    def _write_rules(self) -> None:
        """Give every item that may be consolidated a rule of the length its world drew."""
        for uid in self._store.needs_rule():
            length = int(self.world.words[self._number[uid]])
            words = ["word"] * length
            self._store.set_rule(uid, " ".join(words))

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
    ) -> _Played:
        """Play an episode.

        Args:
            operator: What is worked on.
            objective: corr or opt.
            rounds: The most.
            residents: Items whose rules are in every prompt.
            quality: Of every item now, (items,).
            key: Of the episode's random numbers.
            until_seq: Position of the memory it reads; None for its end.
        """
        world = self.world
        is_opt = objective is Objective.OPT
        unmet = list(operator.opt if is_opt else operator.corr)
        latency = 1.0
        played: list[tuple[Shown, tuple[Retrieved, ...]]] = []
        while unmet and len(played) < rounds:
            drawn = draws(world, key, len(played) + 1)
            need = unmet[int(drawn.which * len(unmet))]
            query = self._query(operator, need, drawn.noise)
            hits = self._retrieve(query, until_seq)
            retrieved = tuple(self._number[hit.uid] for hit in hits)
            rules = tuple(item for item in residents if world.need_of[item] == need)
            seen = (*retrieved, *rules)
            used = used_items(world, need, seen, quality, drawn.use)
            met = drawn.luck < chance(world, operator.level, need, used, quality)
            recorded = recorded_items(world, need, retrieved, used, drawn.wrong)
            shown = Shown(need, retrieved, rules, used, recorded)
            played.append((shown, hits))
            if met:
                unmet.remove(need)
                if is_opt:
                    latency *= operator.gains.get(need, 1.0)
        return _Played(played, not unmet, latency)

    def _query(self, operator: SyntheticOperator, need: int, noise: Floats) -> Floats:
        """The vector of a question: its need, a share of what is the operator's own, and noise; of length 1."""
        regime = self.world.regime
        of_operator = regime.operator_share * operator.vector
        vector = self.world.need_vectors[need] + of_operator
        vector = vector + regime.query_noise * noise
        unit: Floats = vector / np.linalg.norm(vector)
        return unit

    def _retrieve(self, vector: Floats, until_seq: int | None) -> tuple[Retrieved, ...]:
        """R_t by the production retriever, whose query text is empty: the vector stands in its place."""
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
    regime = world.regime
    good = world.is_good(quality)
    used = set()
    for item in visible_items:
        probability = regime.use_off
        if world.need_of[item] == need:
            probability = regime.use_good if good[item] else regime.use_decoy
        if use[item] < probability:
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
    used_hits = [item for item in retrieved if item in used]
    declared = {item for item in used_hits if not wrong[item] < regime.under_claim}
    if regime.over_claim:
        declared |= {item for item in retrieved if world.need_of[item] == need}
    if regime.hitchhike:
        companions = [item for item in retrieved if world.neighbour[item] in declared]
        declared.update(companions)
    recorded = set()
    for item in retrieved:
        is_flipped = wrong[item] < regime.flip
        if (item in declared) != is_flipped:
            recorded.add(item)
    return frozenset(recorded)


def chance(
    world: World, level: int, need: int, used: frozenset[int], quality: Floats
) -> float:
    """The chance that a round meets its need with what was used (docs/simulation.md).

    The best item that fits helps as an independent second try beside the agent's own; every useless item that is
    used takes the share 1 - `kept` away.
    """
    regime = world.regime
    good = world.is_good(quality)
    of_need = [item for item in used if world.need_of[item] == need]
    best = max((float(quality[item]) for item in of_need), default=0.0)
    useful = [item for item in of_need if good[item]]
    useless_count = len(used) - len(useful)
    missed_by_both = (1 - best) * (1 - regime.base_rate[level])
    return float((1 - missed_by_both) * regime.kept**useless_count)


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
    fast = latency < operator.torch if solved else None
    return Result(operator.level, solved, fast)
