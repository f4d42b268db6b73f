"""What is going on at this moment, folded from the engine's events: stage, tokens, share done. No Qt."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.engine.events import EngineEvent

STAGES = ("diagnose", "retrieve", "write", "check", "evaluate", "learn")
_AFTER = {  # the step a round reached -> the stage that works now
    "started": "diagnose",
    "diagnosed": "retrieve",
    "retrieved": "write",
    "replied": "check",
    "gated": "evaluate",
    "evaluated": "evaluate",
}
_LEARNING = ("abstract", "distil", "merge")
_SHARES = (re.compile(r"(\d+) %"), re.compile(r"\bcase (\d+) of (\d+)"))


@dataclass(frozen=True)
class Now:
    """One operator in work.

    Attributes:
        operator: Its name.
        stage: One of `STAGES`.
        round: The round in work, 0 before the first.
        objective: corr or opt, empty before the first round.
        note: The latest words of whoever works, empty at the beginning of a stage.
        share: How much of the stage is done, 0 to 1; None while nobody can say.
        tokens: Estimated tokens of the reply that is coming.
        rate: Tokens a second of it, 0 until that can be said.
        since: When that reply began, by `time.monotonic`.
    """

    operator: str
    stage: str = "diagnose"
    round: int = 0
    objective: str = ""
    note: str = ""
    share: float | None = None
    tokens: int = 0
    rate: float = 0.0
    since: float = 0.0


@dataclass
class Work:
    """Every operator in work, by queue id, in the order in which they were begun."""

    clock: Callable[[], float] = time.monotonic
    entries: dict[int, Now] = field(default_factory=dict)

    def take(self, event: EngineEvent) -> bool:
        """Fold an event; whether anything is different now."""
        from core.agent.run import records
        from core.engine import events
        from core.memory.tokens import EstimatedTokens

        if isinstance(event, events.EngineStateChanged):
            ended = event.state not in (
                events.EngineState.RUNNING,
                events.EngineState.PAUSING,
            )
            if ended:
                self.entries.clear()
            return ended
        if isinstance(event, events.EntryFinished):
            return self.entries.pop(event.queue_id, None) is not None
        if isinstance(event, events.EntryStarted):
            self.entries[event.queue_id] = Now(event.operator)
            return True
        if not isinstance(event, records.TrajectoryEvent):
            return False
        before = self.entries.get(event.queue_id, Now(event.operator))
        after = before
        if isinstance(event, records.RoundAdvanced):
            after = Now(
                event.operator,
                _AFTER[event.step.value],
                event.round,
                event.objective.value,
                share=1.0 if event.step.value == "evaluated" else None,
            )
        elif isinstance(event, records.ReplyStreamed):
            stage = "learn" if event.purpose in _LEARNING else before.stage
            since = before.since or self.clock()
            tokens = before.tokens + EstimatedTokens().count(event.text)
            spent = self.clock() - since
            after = replace(
                before,
                stage=stage,
                since=since,
                tokens=tokens,
                rate=tokens / spent if spent >= 1 else 0.0,
            )
        elif isinstance(event, records.ModelCalled):
            after = replace(before, tokens=0, rate=0.0, since=0.0)
        elif isinstance(event, records.ProgressNote):
            after = replace(before, note=event.text, share=share_of(event.text))
        elif isinstance(event, records.EpisodeApplied):
            after = replace(before, stage="learn", note="", share=None)
        self.entries[event.queue_id] = after
        return after != before


def share_of(note: str) -> float | None:
    """How much is done by the words of an evaluator (`case 3 of 15: …`, `40 %`), None without a number."""
    percent, counted = (pattern.search(note) for pattern in _SHARES)
    if percent is not None:
        return min(1.0, int(percent[1]) / 100)
    if counted is not None and int(counted[2]):
        return min(1.0, int(counted[1]) / int(counted[2]))
    return None
