"""What a recorded run holds beside the replies: R_t, verdicts, and the order in which the memory was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class RoundOutcome:
    """How a round was judged when it was recorded; the latency in microseconds, as its judge gave it."""

    operator: str
    round: int
    verdict: str
    latency_us: float | None = None


@dataclass(frozen=True)
class MemoryStep:
    """One use of the memory in a recorded run.

    `what` is `begin` (an episode reads its snapshot), `fold` (it is applied), `distil`, `rule` or
    `consolidate`; `operator` the one whose trajectory took it, `item` the one a rule was written for, with
    `consolidate` the last before it.
    """

    what: str
    operator: str
    objective: str = ""
    item: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same step: of a rule its item, whoever has it written."""
        return (self.what, self.item or self.operator, self.objective)


class Recording(Protocol):
    """What a recorded run did beside its replies."""

    def retrieved(
        self, operator: str, objective: str, round_number: int
    ) -> Sequence[str] | None:
        """The uids of R_t of a round, or None when it holds no such round."""
        ...

    def outcome(self, operator: str, round_number: int) -> RoundOutcome | None:
        """How a round was judged then, None where that was not recorded."""
        ...

    @property
    def steps(self) -> Sequence[MemoryStep]:
        """In which order the memory was used."""
        ...
