"""The story of a trajectory: rounds, the model calls that led to them, learning afterwards. No Qt."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.agent.reply.protocol import shown_reply
from core.analysis import model_calls, queries
from core.analysis.inquiries import (
    BY_MODEL,
    Inquiry,
    LookUp,
    answer,
    inquiries_of,
    look_ups_of,
)
from core.analysis.model_calls import ModelCall
from core.analysis.queries import (
    QueueRow,
    RoundAdoption,
    RoundRow,
    unproven_gains,
)


@dataclass(frozen=True)
class RoundEntry:
    """One round with what happened in it."""

    row: RoundRow
    calls: tuple[ModelCall, ...]
    retrieved: tuple[RoundAdoption, ...]
    diagnostics: tuple[Inquiry, ...] = ()
    look_ups: tuple[LookUp, ...] = ()

    @property
    def exchange(self) -> tuple[ModelCall | Inquiry | LookUp, ...]:
        """What was written, asked and answered after the diagnosis, as it happened."""
        diagnostics = (row for row in self.diagnostics if row.by == BY_MODEL)
        calls = (call for call in self.calls if call.purpose != "diagnose")
        return tuple(
            sorted((*calls, *diagnostics, *self.look_ups), key=lambda step: step.at)
        )

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
    def shown(self) -> tuple[object, ...]:
        """What the time line is drawn from: equal ones need not be drawn again."""
        return (self.rounds, self.learning, self.queue.state == "running")

    @property
    def unproven(self) -> frozenset[int]:
        """As `unproven_gains`."""
        return unproven_gains([entry.row for entry in self.rounds])

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """All model calls."""
        return (
            tuple(call for entry in self.rounds for call in entry.calls) + self.learning
        )

    @property
    def seconds(self) -> float:
        """Time spent waiting for the generator."""
        return sum(call.seconds for call in self.calls)

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Prompt and completion tokens, None when the provider did not tell for any call."""
        calls_with_usage = [
            call for call in self.calls if call.prompt_tokens is not None
        ]
        if not calls_with_usage:
            return None
        return sum(c.prompt_tokens or 0 for c in calls_with_usage), sum(
            c.completion_tokens or 0 for c in calls_with_usage
        )

    @property
    def cached(self) -> int:
        """Prompt tokens the server had cached, as far as it says."""
        return sum(call.cached_tokens or 0 for call in self.calls)


@dataclass(frozen=True)
class CallText:
    """The texts of one model call.

    Attributes:
        prompt: Every message with its role, as one text.
        shared: How many characters of `prompt` the call before began with as well: what a prefix cache of
            the server can use again. 0 for the first call.
    """

    prompt: str
    shared: int
    reply: str
    reasoning: str


def read_story(db: sqlite3.Connection, queue: QueueRow) -> Story:
    """Read the trajectory of a queue row."""
    uid = queue.trajectory_uid
    rows = queries.rounds(db, uid)
    calls = model_calls.model_calls(db, uid)
    numbers = {row.round for row in rows}
    diagnostics, look_ups = inquiries_of(db, uid), look_ups_of(db, uid)
    entries = tuple(
        RoundEntry(
            row,
            tuple(call for call in calls if call.round == row.round),
            queries.adoptions(db, uid, row.round),
            tuple(entry for entry in diagnostics if entry.round == row.round),
            tuple(entry for entry in look_ups if entry.round == row.round),
        )
        for row in rows
    )
    return Story(
        queue, entries, tuple(call for call in calls if call.round not in numbers)
    )


def read_call(db: sqlite3.Connection, call: ModelCall) -> CallText:
    """Read what was asked and answered in one call."""
    prompt = _prompt(db, call.prompt)
    return CallText(
        prompt,
        _shared(prompt, _prompt(db, model_calls.prompt_before(db, call))),
        shown_reply(queries.blob_text(db, call.reply)),
        queries.blob_text(db, call.reasoning) if call.reasoning else "",
    )


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    pairs = zip(one, other, strict=False)
    return next(
        (n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other))
    )


def _prompt(db: sqlite3.Connection, digest: str) -> str:
    messages = model_calls.prompt_messages(db, digest)
    return "\n\n".join(f"──── {role} ────\n{content}" for role, content in messages)


def read_diagnostic(db: sqlite3.Connection, row: Inquiry) -> str:
    """The whole answer of a diagnostic as text: summary, findings, profile, log."""
    from core.evaluation.diagnostic_text import diagnostic_text

    return diagnostic_text(answer(db, row))
