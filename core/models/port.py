"""The frozen generator G as a port: one request in, one text out.

Providers live beside this file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.errors import SageError
from core.models.pieces import Piece

# Last line of a reply that ended at the token limit: part of the text, so that records
# and replays know it.
TRUNCATED = "[[the reply was cut off at the token limit]]"


class Purpose(StrEnum):
    """What a model call is for; also the key of a session row."""

    CANDIDATE = "candidate"  # first candidate of an episode
    DIAGNOSE = "diagnose"  # read the feedback, name the cause; its text feeds the retrieval query
    REPAIR = "repair"  # every later candidate
    EXAMINED = (
        "examined"  # the candidate again, after a diagnostic it asked for was answered
    )
    CORRECTION = "correction"  # a reply was malformed or left items unresolved
    ABSTRACT = "abstract"  # rule from a validated item
    DISTIL = "distil"  # new experience from a trajectory
    MERGE = "merge"
    MINE = "mine"  # patterns from an expert solution beside a generated kernel


# What is asked outside the rounds of an operator.
LEARNING = frozenset({Purpose.ABSTRACT, Purpose.DISTIL, Purpose.MERGE, Purpose.MINE})


class ModelOrigin(StrEnum):
    """Who wrote the reply; shown on every round."""

    LIVE = "live"
    RECORDED = "recorded"
    SCRIPTED = "scripted"
    STAND_IN = "stand-in"  # answers by stated rules, for runs without a model
    MANUAL = "manual"
    AGENT = "agent"  # a coding agent that sees its candidate's folder and its model, and nothing else
    OPEN_AGENT = "agent-unconfined"  # one that could look at anything: no result of it is compared


# Played back: no model is asked.
RECORDINGS = frozenset({ModelOrigin.RECORDED, ModelOrigin.SCRIPTED})


@dataclass(frozen=True)
class Message:
    """One chat message; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class ModelRequest:
    """One call of the generator, with the coordinates a recording is keyed by.

    Attributes:
        subject: Operator name, or the item uid for `abstract` and `merge`.
        objective: corr or opt, empty outside an episode.
        round: Round number within the trajectory, 0 outside.
        retrieved: uids of R_t in rank order.
        previous_verdict: Verdict class of the round before, empty at the first.
        attempt: 0, or the number of the correction request or diagnostic within the
            round.
        files: k_{t-1}, which a reply changes; empty where there is no candidate yet or
            none is asked for.
        residents: uids of the resident rules whose use a candidate has to state.
    """

    purpose: Purpose
    subject: str
    objective: str
    round: int
    messages: tuple[Message, ...]
    retrieved: tuple[str, ...] = ()
    previous_verdict: str = ""
    attempt: int = 0
    files: Mapping[str, str] = field(default_factory=dict)
    residents: Collection[str] = ()


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; None where the provider does not tell."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True)
class ModelReply:
    """What the generator said."""

    text: str
    reasoning: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0


Stream = Callable[[Piece], None]


class NoReply(SageError):
    """The provider has no reply to a request and never will."""


class ModelProvider(ABC):
    """A source of replies."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Model name as shown and stored, e.g. `qwen3-coder`."""

    @property
    @abstractmethod
    def origin(self) -> ModelOrigin:
        """Who writes the replies."""

    @abstractmethod
    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        """Answer `request`. Cancelling the task cancels the call.

        Raises:
            NoReply: There is none.
            SageError: The call failed.
        """

    def answers(self, request: ModelRequest) -> bool:  # noqa: ARG002
        """Whether it has an answer to this; a model always has."""
        return True

    async def close(self) -> None:  # noqa: B027 - some have nothing to release
        """Release connections."""
