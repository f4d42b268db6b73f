"""The story of a trajectory: rounds, the model calls that led to them, learning afterwards. No Qt."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.engine import queries
from core.engine.queries import AdoptionRow, ModelCall, QueueRow, RoundRow


@dataclass(frozen=True)
class RoundEntry:
    """One round with what happened in it."""

    row: RoundRow
    calls: tuple[ModelCall, ...]
    retrieved: tuple[AdoptionRow, ...]

    @property
    def adopted(self) -> int:
        """How many of the retrieved items were adopted."""
        return sum(record.state == "adopted" for record in self.retrieved)


@dataclass(frozen=True)
class Story:
    """A trajectory from its first round to what was learnt from it."""

    queue: QueueRow
    rounds: tuple[RoundEntry, ...]
    learning: tuple[ModelCall, ...]

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """All model calls."""
        return tuple(call for entry in self.rounds for call in entry.calls) + self.learning

    @property
    def seconds(self) -> float:
        """Time spent waiting for the generator."""
        return sum(call.seconds for call in self.calls)

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Prompt and completion tokens, None when the provider did not tell for any call."""
        known = [call for call in self.calls if call.prompt_tokens is not None]
        if not known:
            return None
        return sum(c.prompt_tokens or 0 for c in known), sum(c.completion_tokens or 0 for c in known)


@dataclass(frozen=True)
class CallText:
    """The texts of one model call."""

    messages: tuple[tuple[str, str], ...]
    reply: str
    reasoning: str


def read_story(db: sqlite3.Connection, queue: QueueRow) -> Story:
    """Read the trajectory of a queue row."""
    uid = queue.trajectory_uid
    rows = queries.rounds(db, uid)
    calls = queries.model_calls(db, uid)
    numbers = {row.round for row in rows}
    entries = tuple(
        RoundEntry(
            row,
            tuple(call for call in calls if call.round == row.round),
            queries.adoptions(db, uid, row.round),
        )
        for row in rows
    )
    return Story(queue, entries, tuple(call for call in calls if call.round not in numbers))


def read_call(db: sqlite3.Connection, call: ModelCall) -> CallText:
    """Read what was asked and answered in one call."""
    return CallText(
        queries.prompt_messages(db, call.prompt),
        queries.blob_text(db, call.reply),
        queries.blob_text(db, call.reasoning) if call.reasoning else "",
    )
