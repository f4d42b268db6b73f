"""Values of experiences as EvoKernel learns them (arXiv 2603.10846, Sections 3.2 to 3.4).

Each experience has a value for correctness and one for optimization. After every round all that were
retrieved get the same reward, and Q <- Q + alpha (r - Q). The Value Memory baseline retrieves by them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from core.method.objective import Objective

# The text of their paper prints neither alpha nor epsilon; lambda is where they began (docs/method.md, AD).
STEP = 0.1  # alpha
EXPLORATION = 0.1  # epsilon, probability of a random candidate in the place of the most valuable one
POOL = 2  # lambda: the candidates are the POOL times k most relevant ones


def round_reward(
    *, feasible: bool, best: float | None, latency: float | None
) -> float | None:
    """Return the reward of a round (their Eq. 5 and 6).

    +1 or -1 for a draft; while refining tanh(log b - log l), or -1 for a kernel that is not correct.

    Args:
        feasible: Whether it is correct and honest.
        best: b, the best latency of the trajectory before the round; None in the correctness episode.
        latency: l, that of the round; any unit, the same for both.

    Returns:
        None where a correct kernel was not timed: nothing is known then.
    """
    if not feasible:
        return -1.0
    if best is None:
        return 1.0
    if latency is None or not latency > 0.0:
        return None
    return math.tanh(math.log(best) - math.log(latency))


@dataclass
class Values:
    """Q of both objectives, folded over rounds in their order.

    Attributes:
        of: Objective -> item -> value; an item that was never retrieved has 0.
    """

    of: dict[Objective, dict[int, float]] = field(
        default_factory=lambda: {each: {} for each in Objective}
    )
    _count: int = 0
    _mean: float = 0.0
    _squares: float = 0.0

    def learn(
        self, objective: Objective, retrieved: tuple[int, ...], reward: float
    ) -> None:
        """Take a round in: every retrieved item moves towards the same reward.

        Rewards of optimization are first normalized by their running mean and deviation, as PopArt does.
        """
        target = self._normalized(reward) if objective is Objective.OPT else reward
        values = self.of[objective]
        for item in retrieved:
            before = values.get(item, 0.0)
            values[item] = before + STEP * (target - before)

    def _normalized(self, reward: float) -> float:
        # Welford's sums: stable, and no reward has to be kept.
        self._count += 1
        distance = reward - self._mean
        self._mean += distance / self._count
        self._squares += distance * (reward - self._mean)
        deviation = math.sqrt(self._squares / self._count)
        return (reward - self._mean) / deviation if deviation > 0.0 else 0.0
