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
        diagnostics = [row for row in self.diagnostics if row.by == BY_MODEL]
        calls = [call for call in self.calls if call.purpose != "diagnose"]
        steps: list[ModelCall | Inquiry | LookUp] = [*calls, *diagnostics]
        steps += self.look_ups
        return tuple(sorted(steps, key=lambda step: step.at))

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
    def time_line(self) -> tuple[object, ...]:
        """What the time line is drawn from: equal ones need not be drawn again."""
        return (self.rounds, self.learning, self.queue.state == "running")

    @property
    def unproven(self) -> frozenset[int]:
        """As `unproven_gains`."""
        return unproven_gains([entry.row for entry in self.rounds])

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """All model calls."""
        of_rounds = tuple(call for entry in self.rounds for call in entry.calls)
        return of_rounds + self.learning

    @property
    def seconds(self) -> float:
        """Time spent waiting for the generator."""
        return sum(call.seconds for call in self.calls)

    @property
    def tokens(self) -> tuple[int, int] | None:
        """Prompt and completion tokens, None when the provider did not tell for any call."""
        with_usage = [call for call in self.calls if call.prompt_tokens is not None]
        if not with_usage:
            return None
        prompt_tokens = sum(call.prompt_tokens or 0 for call in with_usage)
        completion_tokens = sum(call.completion_tokens or 0 for call in with_usage)
        return prompt_tokens, completion_tokens

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
    diagnostics = inquiries_of(db, uid)
    look_ups = look_ups_of(db, uid)
    entries = []
    for row in rows:
        number = row.round
        entry = RoundEntry(
            row,
            calls=tuple(call for call in calls if call.round == number),
            retrieved=queries.adoptions(db, uid, number),
            diagnostics=tuple(each for each in diagnostics if each.round == number),
            look_ups=tuple(each for each in look_ups if each.round == number),
        )
        entries.append(entry)
    # Calls of no round come after the last one: they distil what was learnt.
    numbers = {row.round for row in rows}
    learning = tuple(call for call in calls if call.round not in numbers)
    return Story(queue, tuple(entries), learning)


def read_call(db: sqlite3.Connection, call: ModelCall) -> CallText:
    """Read what was asked and answered in one call."""
    prompt = _prompt(db, call.prompt)
    prompt_before = _prompt(db, model_calls.prompt_before(db, call))
    reply = shown_reply(queries.blob_text(db, call.reply))
    reasoning = ""
    if call.reasoning:
        reasoning = queries.blob_text(db, call.reasoning)
    return CallText(prompt, _shared(prompt, prompt_before), reply, reasoning)


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    pairs = zip(one, other, strict=False)
    for number, (letter, other_letter) in enumerate(pairs):
        if letter != other_letter:
            return number
    return min(len(one), len(other))


def _prompt(db: sqlite3.Connection, digest: str) -> str:
    """All messages of a prompt as one text."""
    messages = model_calls.prompt_messages(db, digest)
    parts = [f"──── {role} ────\n{content}" for role, content in messages]
    return "\n\n".join(parts)


def read_diagnostic(db: sqlite3.Connection, row: Inquiry) -> str:
    """The whole answer of a diagnostic as text: summary, findings, profile, log."""
    from core.evaluation.diagnostic_text import diagnostic_text

    return diagnostic_text(answer(db, row))
