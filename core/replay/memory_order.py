"""The order in which a recorded run used its memory, kept in a replay.

Trajectories that ran side by side saw what the others had learnt until then. A replay
is faster or slower in other places, so that each use of the memory waits until those
before it in the recording are done.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress

from core.agent.run.turns import CONSOLIDATE, RULE, MemoryTurns, MemoryUse

UseKey = tuple[str, str, str]


class MemoryOrder(MemoryTurns):
    """Gives turns in the order of `uses`.

    One that is not among them has its turn at once.

    Nothing waits for ever: a use is skipped when its trajectory has ended without it,
    or when all that run wait for uses that none of them takes. Belongs to one event
    loop.

    Args:
        uses: As recorded.
        taken: Those an earlier run of the same workspace has taken.
        patience: Seconds all may wait before a use is skipped: others may be about to
            begin.
        rules: The items the recording holds a rule of; None: of any.
    """

    # Recordings of before hold rules there; `rules_due` says which are due.
    writes_rules_between = True

    def __init__(
        self,
        uses: Sequence[MemoryUse],
        past_uses: Sequence[MemoryUse] = (),
        patience: float = 1.0,
        rules: Collection[str] | None = None,
    ) -> None:
        self._patience = patience
        self._rules = rules
        past_keys = {use.key for use in past_uses}
        self._left = {use.key: use for use in uses if use.key not in past_keys}
        self._running: set[str] = set()
        self._waiting: dict[UseKey, asyncio.Event] = {}

    def rules_due(self, operator: str, items: Sequence[str]) -> tuple[str, ...]:
        """The rules a trajectory writes now, and its own left to consolidate.

        Not those without a recorded rule, nor those written after another use of this
        trajectory: resumed in an episode that has ended, it would wait for a turn that
        comes after a use of its own.
        """
        later = {use.item for use in self._left.values() if use.what == RULE}
        rules = [item for item in items if item not in later and self._has_rule(item)]
        for key, use in self._left.items():
            if use.what == RULE:
                rules += [use.item] if use.item in items else []
            elif use.operator != operator:
                continue
            elif use.what != CONSOLIDATE:
                break
            elif use.item not in later and key not in self._waiting:
                rules.append(use.item)
        return tuple(dict.fromkeys(rules))

    def consolidates_after(self, operator: str, rule: str) -> bool:
        """Whether rules competed after this one in the recording, and not yet here."""
        return bool(rule) and self.holds(MemoryUse(CONSOLIDATE, operator, item=rule))

    def holds(self, use: MemoryUse) -> bool:
        """Whether the use is still to come."""
        return use.key in self._left

    def _has_rule(self, item: str) -> bool:
        return self._rules is None or item in self._rules

    def enter(self, operator: str) -> None:
        """A trajectory begins, or is continued."""
        self._running.add(operator)

    def leave(self, operator: str) -> None:
        """A trajectory ended: the uses it has not taken are waited for no more."""
        self._running.discard(operator)
        self._left = {
            key: use
            for key, use in self._left.items()
            if use.operator != operator or key in self._waiting
        }
        self._wake()

    def awaited(self, use: MemoryUse) -> str:
        """The operator whose use comes before this one; empty where it is had at once."""
        first = next(iter(self._left.values()), use)
        if use.key not in self._left or first.key == use.key:
            return ""
        return first.operator

    @asynccontextmanager
    async def turn(self, use: MemoryUse) -> AsyncIterator[None]:
        """Wait for the turn of a use, and take it.

        Cancelled, it leaves the use to come.
        """
        if use.key in self._left:
            turn = self._waiting[use.key] = asyncio.Event()
            try:
                self._wake()
                while not turn.is_set():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(turn.wait(), self._patience)
                        break
                    self._skip()
            finally:
                del self._waiting[use.key]
        yield
        self._left.pop(use.key, None)
        self._wake()

    def _wake(self) -> None:
        """Give the next use its turn."""
        first = next(iter(self._left), None)
        if first in self._waiting:
            self._waiting[first].set()

    def _skip(self) -> None:
        """Where all wait in vain, drop what comes before the first awaited use."""
        if len(self._waiting) < len(self._running):
            return
        for key in list(self._left):
            if key in self._waiting:
                break
            del self._left[key]
        self._wake()
