"""The order in which a recorded run read and wrote its memory, kept when the recording is played.

Trajectories that ran side by side saw what the others had learnt until then. A replay is faster or slower in
other places, so that each use of the memory waits until those before it in the recording are done.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from core.replay.recording import MemoryStep

StepKey = tuple[str, str, str]


class MemoryOrder:
    """Gives turns in the order of `steps`; what is no step of them has its turn at once.

    Nothing waits for ever: a step is skipped when its trajectory has ended without it, or when all that run
    wait for steps nobody is going to take. Belongs to one event loop.

    Args:
        steps: As recorded; none for a live run.
        taken: Those an earlier run of the same workspace has taken.
        patience: Seconds all may wait before a step is skipped: others may be about to begin.
    """

    def __init__(
        self,
        steps: Sequence[MemoryStep] = (),
        taken: Sequence[MemoryStep] = (),
        patience: float = 1.0,
    ) -> None:
        self._patience = patience
        done = {step.key for step in taken}
        self._left = {step.key: step for step in steps if step.key not in done}
        self._running: set[str] = set()
        self._waiting: dict[StepKey, asyncio.Event] = {}
        self.given = bool(steps)

    def holds(self, step: MemoryStep) -> bool:
        """Whether the step is still to come."""
        return step.key in self._left

    def due(self, operator: str, items: Sequence[str]) -> tuple[str, ...]:
        """For which of `items` a trajectory may write rules now, and its own rules left to consolidate.

        All of them in a live run. At replay not those written after another step of this trajectory: resumed
        in an episode that has ended, it would wait for a turn that comes after a step of its own.
        """
        later = {step.item for step in self._left.values() if step.what == "rule"}
        rules = [item for item in items if item not in later]
        for key, step in self._left.items():
            if step.what == "rule":
                rules += [step.item] if step.item in items else []
            elif step.operator != operator:
                continue
            elif step.what != "consolidate":
                break
            elif step.item not in later and key not in self._waiting:
                rules.append(step.item)
        return tuple(dict.fromkeys(rules))

    def enter(self, operator: str) -> None:
        """A trajectory began, or goes on."""
        self._running.add(operator)

    def leave(self, operator: str) -> None:
        """A trajectory ended: the steps it has not taken are waited for no more."""
        self._running.discard(operator)
        self._left = {
            key: step
            for key, step in self._left.items()
            if step.operator != operator or key in self._waiting
        }
        self._wake()

    @asynccontextmanager
    async def turn(self, step: MemoryStep) -> AsyncIterator[None]:
        """Wait for the turn of a step, and take it. Cancelled, it leaves the step to come."""
        if step.key in self._left:
            turn = self._waiting[step.key] = asyncio.Event()
            try:
                self._wake()
                while not turn.is_set():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(turn.wait(), self._patience)
                        break
                    self._skip()
            finally:
                del self._waiting[step.key]
        yield
        self._left.pop(step.key, None)
        self._wake()

    def _wake(self) -> None:
        """Let the next step go."""
        first = next(iter(self._left), None)
        if first in self._waiting:
            self._waiting[first].set()

    def _skip(self) -> None:
        """Where everybody waits in vain, go on with the first step somebody waits for."""
        if len(self._waiting) < len(self._running):
            return
        for key in list(self._left):
            if key in self._waiting:
                break
            del self._left[key]
        self._wake()
