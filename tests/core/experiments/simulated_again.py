"""Rounds of the mechanism simulation played again: the study of faithfulness where the truth is known."""

from __future__ import annotations

import hashlib

import numpy as np

from core.experiments.faithfulness.analysis import Condition, Outcome, Trial
from core.experiments.simulation.agent import (
    SIMULATED,
    chance,
    recorded_items,
    uid_of,
    used_items,
)
from core.experiments.simulation.world import Floats, World
from core.memory.store import MemoryStore
from core.workspace import Workspace

_SHUFFLED_KEEPS = 0.5  # share of a quality that is left when its text is shuffled


class SimulatedAgain:
    """Plays rounds of a simulated memory again.

    Shuffling halves the quality of what is shown, corrupting takes it away, irrelevant items are of other
    needs; the agent keeps its habits of use and record.

    Args:
        world: The one the memory was learnt in.
        workspace: That memory, only read.
        seed: Of all draws.
    """

    def __init__(self, world: World, workspace: Workspace, seed: int = 0) -> None:
        if workspace.meta(SIMULATED) != str(world.seed):
            raise ValueError(f"{workspace.path} was not learnt in world {world.seed}")
        self._world = world
        self._store = MemoryStore(workspace)
        self._seed = seed
        self._number = {uid_of(item): item for item in range(len(world.need_of))}

    async def __call__(self, trial: Trial) -> Outcome:
        """Play one trial."""
        world, of = self._world, trial.of
        need = self._need(of.trajectory, of.round)
        level = next(
            entry.level for entry in world.operators if entry.name == of.operator
        )
        rng = np.random.default_rng(self._draws(trial))
        retrieved = self._shown(trial, need, rng)
        residents = tuple(
            self._number[uid]
            for uid in self._store.episode_start(of.episode).residents
            if world.need_of[self._number[uid]] == need
        )
        place = int(of.trajectory.rpartition("-")[2])
        before = world.quality(place)
        quality = self._altered(trial.condition, retrieved, before)
        count = len(world.need_of)
        # habits follow what an experience looks like, not what it is worth: use is drawn by the old quality
        used = used_items(
            world, need, (*retrieved, *residents), before, rng.random(count)
        )
        recorded = recorded_items(world, need, retrieved, used, rng.random(count))
        success = bool(rng.random() < chance(world, level, need, used, quality))
        return Outcome(
            of.trajectory,
            of.round,
            trial.condition,
            trial.item,
            trial.repeat,
            success,
            tuple(uid_of(item) for item in retrieved),
            tuple(uid_of(item) for item in sorted(recorded)),
        )

    def _shown(
        self, trial: Trial, need: int, rng: np.random.Generator
    ) -> tuple[int, ...]:
        items = tuple(self._number[uid] for uid in trial.of.retrieved)
        if trial.condition is Condition.REMOVED:
            return ()
        if trial.condition is Condition.MASKED:
            return tuple(item for item in items if uid_of(item) != trial.item)
        if trial.condition is Condition.IRRELEVANT:
            others = np.flatnonzero(self._world.need_of != need)
            return tuple(
                int(item) for item in rng.choice(others, len(items), replace=False)
            )
        return items

    def _altered(
        self, condition: Condition, shown: tuple[int, ...], quality: Floats
    ) -> Floats:
        factor = {Condition.SHUFFLED: _SHUFFLED_KEEPS, Condition.CORRUPTED: 0.0}.get(
            condition, 1.0
        )
        altered = quality.copy()
        altered[list(shown)] *= factor
        return altered

    def _need(self, trajectory: str, number: int) -> int:
        row = self._store.workspace.db.execute(
            "SELECT diagnosis FROM round WHERE trajectory_uid = ? AND round = ?",
            (trajectory, number),
        ).fetchone()
        return int(row[0].removeprefix("need "))

    def _draws(self, trial: Trial) -> list[int]:
        """Seeds of a trial; a repeat draws the same for the original and for a masked item."""
        of = trial.of
        text = f"{of.trajectory}\0{of.round}\0{trial.repeat}".encode()
        return [self._seed, int.from_bytes(hashlib.sha256(text).digest()[:6], "big")]
