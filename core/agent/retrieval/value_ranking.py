"""R_t by learnt value among the most relevant experiences: the Value Memory baseline.

Values (`core.method.values`) are no state of their own: they are folded from the stored
rounds, those of the running episode included, so that an interrupted run continues with
the same ones. Rounds of applied episodes do not change any more: what they gave is kept
while the engine works, what follows is read again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from core.agent.run.journal import UNCONFINED_ROUND
from core.agent.run.records import counts_as_correct
from core.memory.records import Retrieved
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.method.values import EXPLORATION, POOL, Values, round_reward
from core.workspace import Workspace

# A round without a verdict teaches nothing, nor one of an episode that was given up or
# of a trajectory that a person edited; a broken rule is EvoKernel's closed gate, a
# failure.
_JUDGED = """
FROM round r JOIN episode e ON e.uid = r.episode_uid
WHERE r.step = 'evaluated' AND r.verdict <> 'void' AND e.status IN ('open', 'applied')
  AND (SELECT forked_from FROM trajectory WHERE uid = r.trajectory_uid) = ''
  AND (r.finished_at, r.trajectory_uid, r.round)"""
_COUNT = f"SELECT count(*) {_JUDGED} <= (?, ?, ?)"
_ROUNDS = f"""
SELECT r.finished_at, r.trajectory_uid, r.round, e.status, e.objective, r.verdict, r.latency_us,
  {UNCONFINED_ROUND},
  (SELECT group_concat(item_id) FROM trace t WHERE t.episode_uid = r.episode_uid AND t.round = r.round)
{_JUDGED} > (?, ?, ?) ORDER BY r.finished_at, r.trajectory_uid, r.round
"""


@dataclass
class _Fold:
    """What rounds up to a place gave.

    Attributes:
        parameters: They were folded with.
        values: So far.
        best: Trajectory -> latency of its best kernel.
        upto: Where the last one stands in the order.
        rounds: How many there were.
    """

    parameters: MethodParameters
    values: Values
    best: dict[str, float] = field(default_factory=dict)
    upto: tuple[str, str, int] = ("", "", 0)
    rounds: int = 0

    def take(self, row: Sequence[Any]) -> None:
        """Take one round in."""
        (
            finished,
            trajectory,
            number,
            _status,
            objective,
            verdict,
            latency,
            is_unconfined,
            retrieved,
        ) = row
        self.upto, self.rounds = (finished, trajectory, number), self.rounds + 1
        if is_unconfined:
            return
        feasible, refining = (
            counts_as_correct(verdict),
            objective == Objective.OPT.value,
        )
        reward = round_reward(
            feasible=feasible,
            best=self.best.get(trajectory) if refining else None,
            latency=latency,
        )
        if retrieved and reward is not None:
            items = tuple(sorted(map(int, str(retrieved).split(","))))
            self.values.learn(Objective(objective), items, reward)
        if feasible and latency is not None:
            self.best[trajectory] = min(latency, self.best.get(trajectory, latency))


class LearntValues:
    """The values of one workspace, folded further with every round that cannot change any more."""

    def __init__(self) -> None:
        self._kept: _Fold | None = None

    def now(
        self, workspace: Workspace, parameters: MethodParameters
    ) -> Mapping[Objective, Mapping[int, float]]:
        """Return the value of every item that was retrieved, by objective, from all rounds so far."""
        fold = self._kept
        if (
            fold is None
            or fold.parameters != parameters
            or self._is_outdated(workspace, fold)
        ):
            fold = self._kept = _Fold(parameters, Values())
        rows = workspace.db.execute(_ROUNDS, fold.upto).fetchall()
        settled = next(
            (place for place, row in enumerate(rows) if row["status"] == "open"),
            len(rows),
        )
        for row in rows[:settled]:
            fold.take(row)
        if settled == len(rows):
            return fold.values.of
        fold = deepcopy(fold)
        for row in rows[settled:]:
            fold.take(row)
        return fold.values.of

    @staticmethod
    def _is_outdated(workspace: Workspace, fold: _Fold) -> bool:
        """Whether a round came in before the last one that was kept: a clock was set back."""
        return int(workspace.db.execute(_COUNT, fold.upto).fetchone()[0]) != fold.rounds


def retrieved_by_value(
    learnt: LearntValues,
    workspace: Workspace,
    retrieve: Callable[[int, MethodParameters], Sequence[Retrieved]],
    parameters: MethodParameters,
    objective: Objective,
    place: tuple[str, int, int],
) -> tuple[Retrieved, ...]:
    """Return R_t, the same for the same memory and rounds at the same place.

    The values learn after every round, those of trajectories at work beside this one
    too, as in EvoKernel.

    Args:
        learnt: Of this workspace.
        workspace: Holds the rounds that were played.
        retrieve: (how many, parameters) -> the most relevant experiences.
        parameters: Uses k.
        objective: Whose values decide.
        place: Operator, round and memory sequence, which the random choices are drawn
            from.
    """
    pool = retrieve(POOL * parameters.k, replace(parameters, gamma=0.0))
    values = learnt.now(workspace, parameters)[objective]
    rng = random.Random(repr((objective.value, *place)))
    return most_valuable(pool, values, parameters.k, rng)


def most_valuable(
    pool: Sequence[Retrieved],
    values: Mapping[int, float],
    k: int,
    rng: random.Random,
    exploration: float = EXPLORATION,
) -> tuple[Retrieved, ...]:
    """Return k of the pool, each the most valuable left or, with the probability of exploring, any.

    Args:
        pool: Candidates, most relevant first, which decides between equal values.
        values: Item -> value; 0 for the others.
        k: How many.
        rng: For exploring.
        exploration: Probability of it.
    """
    remaining, hits = list(pool), list[Retrieved]()
    while remaining and len(hits) < k:
        if rng.random() < exploration:
            hit = rng.choice(remaining)
        else:
            hit = max(remaining, key=lambda candidate: values.get(candidate.id, 0.0))
        remaining.remove(hit)
        hits.append(replace(hit, rank=len(hits) + 1, u=values.get(hit.id, 0.0), s=None))
    return tuple(hits)
