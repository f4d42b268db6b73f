"""R_t by learnt value among the most relevant experiences: the Value Memory baseline.

Values (`core.method.values`) are no state of their own: they are folded from the stored rounds each time,
those of the running episode included, so that an interrupted run goes on with the same ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.agent.journal import UNCONFINED_ROUND
from core.agent.records import counts_as_correct
from core.memory.records import Retrieved
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.method.values import Values, round_reward
from core.workspace import Workspace

# A round without a verdict teaches nothing; a broken rule is EvoKernel's closed gate, a failure.
_ROUNDS = f"""
SELECT r.trajectory_uid, e.objective, r.verdict, r.latency_us,
  (SELECT group_concat(item_id) FROM trace t WHERE t.episode_uid = r.episode_uid AND t.round = r.round)
FROM round r JOIN episode e ON e.uid = r.episode_uid
WHERE r.step = 'evaluated' AND r.verdict <> 'void' AND NOT {UNCONFINED_ROUND}
ORDER BY r.finished_at, r.trajectory_uid, r.round
"""  # noqa: S608


def retrieved_by_value(
    workspace: Workspace,
    retrieve: Callable[[int, MethodParameters], Sequence[Retrieved]],
    parameters: MethodParameters,
    objective: Objective,
    place: tuple[str, int, int],
) -> tuple[Retrieved, ...]:
    """Return R_t, the same for the same memory at the same place.

    Args:
        workspace: Holds the rounds that were played.
        retrieve: (how many, parameters) -> the most relevant experiences.
        parameters: Uses k, value_pool, value_step and value_explore.
        objective: Whose values decide.
        place: Operator, round and memory sequence, which the random choices are drawn from.
    """
    pool = retrieve(parameters.value_pool * parameters.k, replace(parameters, gamma=0.0))
    values = learnt_values(workspace, parameters)[objective]
    return most_valuable(pool, values, parameters, random.Random(repr((objective.value, *place))))


def learnt_values(
    workspace: Workspace, parameters: MethodParameters
) -> Mapping[Objective, Mapping[int, float]]:
    """Return the value of every item that was retrieved, by objective, from all rounds so far."""
    values, best = Values(parameters.value_step), dict[str, float]()
    for trajectory, objective, verdict, latency, retrieved in workspace.db.execute(_ROUNDS).fetchall():
        feasible, refining = counts_as_correct(verdict, parameters), objective == Objective.OPT.value
        reward = round_reward(
            feasible=feasible, best=best.get(trajectory) if refining else None, latency=latency
        )
        if retrieved and reward is not None:
            items = tuple(sorted(map(int, str(retrieved).split(","))))
            values.learn(Objective(objective), items, reward)
        if feasible and latency is not None:
            best[trajectory] = min(latency, best.get(trajectory, latency))
    return values.of


def most_valuable(
    pool: Sequence[Retrieved], values: Mapping[int, float], parameters: MethodParameters, rng: random.Random
) -> tuple[Retrieved, ...]:
    """Return k of the pool, each the most valuable left or, with the probability of exploring, any.

    Args:
        pool: Candidates, most relevant first, which decides between equal values.
        values: Item -> value; 0 for the others.
        parameters: Uses k and value_explore.
        rng: For exploring.
    """
    left, chosen = list(pool), list[Retrieved]()
    while left and len(chosen) < parameters.k:
        if rng.random() < parameters.value_explore:
            hit = rng.choice(left)
        else:
            hit = max(left, key=lambda candidate: values.get(candidate.id, 0.0))
        left.remove(hit)
        chosen.append(replace(hit, rank=len(chosen) + 1, u=values.get(hit.id, 0.0), s=None))
    return tuple(chosen)
