"""When a trajectory may use the memory it shares with those that run beside it.

Every use is one transaction. A live run takes its turn at once; a wrapper may make it
wait for others (`core.replay.memory_order`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

BEGIN, FOLD, DISTIL, RULE, CONSOLIDATE = (
    "begin",
    "fold",
    "distil",
    "rule",
    "consolidate",
)


@dataclass(frozen=True)
class MemoryUse:
    """One use of the shared memory.

    Attributes:
        what: `begin` (an episode reads its snapshot), `fold` (it is applied), `distil`,
            `rule` or `consolidate`.
        operator: Of the trajectory that takes it.
        objective: Of the episode, where it belongs to one.
        item: The one a rule is written for; with `consolidate` the last before it.
    """

    what: str
    operator: str
    objective: str = ""
    item: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same use: of a rule its item, by any writer."""
        return (self.what, self.item or self.operator, self.objective)


class MemoryTurns:
    """Turns of a live run: each is had at once.

    Rules compete when all that are due are written.
    """

    # Whether rules are written between the episodes of a trajectory, not at its end.
    writes_rules_between = False

    def enter(self, operator: str) -> None:
        """A trajectory begins, or is continued."""

    def leave(self, operator: str) -> None:
        """A trajectory ended: the uses it has not taken are waited for no more."""

    def awaited(self, use: MemoryUse) -> str:  # noqa: ARG002
        """The operator whose use comes before this one; empty where it is had at once."""
        return ""

    @asynccontextmanager
    async def turn(self, use: MemoryUse) -> AsyncIterator[None]:  # noqa: ARG002
        """Wait for the turn of a use, and take it.

        Cancelled, it leaves the use to come.
        """
        yield

    def rules_due(self, operator: str, items: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """For which of `items` a trajectory writes rules now.

        Those only left to consolidate are among them.
        """
        return tuple(items)

    def consolidates_after(self, operator: str, rule: str) -> bool:  # noqa: ARG002
        """Whether the rules compete after that of the item `rule`.

        Empty: after all that were due.
        """
        return not rule
