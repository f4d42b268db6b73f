"""The replay provider: plays a session file and stops as *diverged* rather than inventing a decision.

A request is answered by the row of exactly its subject, objective, round, purpose and
attempt. Prompt bytes are not compared. Where the recording says how its rounds were
judged, it is played to its end whatever the judge here says of them, and the difference
is shown; one that does not is continued only after a verdict of the class it saw.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.reply.protocol import read_reply
from core.agent.run.turns import MemoryUse
from core.models.port import (
    ModelOrigin,
    ModelProvider,
    ModelReply,
    ModelRequest,
    NoReply,
    Purpose,
    Stream,
)
from core.replay.session_file import ReplyKey, RoundOutcome, Session, SessionReply

DIVERGED = "Diverged from the recording"
_FIRST = (Purpose.CANDIDATE.value, Purpose.REPAIR.value)


class ReplayDiverged(NoReply):
    """The run asks for something the recording does not hold, or met another verdict than the recording."""


class RecordingEnded(ReplayDiverged):
    """The recording holds nothing for this round or any later one of the episode."""


class ReplayProvider(ModelProvider):
    """Replies from a session, and what else the recorded run did (`core.replay.playing`).

    Stateless between calls, so a resumed run continues where it was.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows: dict[ReplyKey, SessionReply] = {
            reply.key: reply for reply in session.replies
        }
        self._outcomes = {
            (outcome.operator, outcome.round): outcome for outcome in session.outcomes
        }
        self._last_round: dict[tuple[str, str], int] = {}
        for reply in session.replies:
            episode = (reply.subject, reply.objective)
            self._last_round[episode] = max(
                self._last_round.get(episode, 0), reply.round
            )

    @property
    def label(self) -> str:
        """Model name of the recording."""
        return self._session.header.model

    @property
    def origin(self) -> ModelOrigin:
        """Recorded or scripted, as the file says."""
        return ModelOrigin(self._session.header.origin)

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        """Answer from the recording.

        Raises:
            RecordingEnded: The episode has no row of this or a later round.
            ReplayDiverged: No such row, or its guard does not hold.
        """
        row = self._rows.get(_key(request))
        if row is None:
            raise self._missing(request)
        self._check_guard(request, row)
        if stream is not None:
            stream(row.text)
        return ModelReply(text=row.text, reasoning=row.reasoning)

    @property
    def uses(self) -> Sequence[MemoryUse]:
        """In which order the memory was used; empty in a session written by hand."""
        return self._session.steps

    @property
    def items_with_rule(self) -> frozenset[str]:
        """The items a rule was asked for."""
        abstract = Purpose.ABSTRACT.value
        return frozenset(
            reply.subject
            for reply in self._session.replies
            if reply.purpose == abstract
        )

    def outcome(self, operator: str, round_number: int) -> RoundOutcome | None:
        """How a round was judged when it was recorded."""
        return self._outcomes.get((operator, round_number))

    def retrieved(
        self, operator: str, objective: str, round_number: int
    ) -> Sequence[str] | None:
        """R_t as recorded with the round's candidate or repair row.

        None when there is none.
        """
        for purpose in _FIRST:
            row = self._rows.get((operator, objective, round_number, purpose, 0))
            if row is not None:
                return row.retrieved
        return None

    def holds(self, operator: str, objective: str, round_number: int) -> bool:
        """Whether a round was played, or the model ended the task in its diagnosis."""
        diagnose = Purpose.DIAGNOSE.value
        row = self._rows.get((operator, objective, round_number, diagnose, 0))
        if row is not None and read_reply(row.text).done:
            return True
        return self.retrieved(operator, objective, round_number) is not None

    def answers(self, request: ModelRequest) -> bool:
        """Whether the recording holds a reply of these coordinates."""
        return _key(request) in self._rows

    def _missing(self, request: ModelRequest) -> ReplayDiverged:
        where = _where(request)
        if request.round > self._last_round.get(
            (request.subject, request.objective), 0
        ):
            return RecordingEnded("The recording ends before {where}.", where=where)
        return ReplayDiverged(
            "{diverged}: it has no {purpose} reply (attempt {attempt}) for {where}.",
            "The run differs from the recorded one; use a model, or a recording of this version.",
            diverged=DIVERGED,
            purpose=request.purpose.value,
            attempt=request.attempt,
            where=where,
        )

    def _check_guard(self, request: ModelRequest, row: SessionReply) -> None:
        is_answered = (request.subject, request.round - 1) in self._outcomes
        if row.previous_verdict != request.previous_verdict and not is_answered:
            raise ReplayDiverged(
                "{diverged} at {where}: the evaluation before was {previous_verdict!r}, the recording "
                "saw {recorded!r}.",
                "The kernels were judged differently here; look at that evaluation.",
                diverged=DIVERGED,
                where=_where(request),
                previous_verdict=request.previous_verdict or "none",
                recorded=row.previous_verdict or "none",
            )
        if (
            row.retrieved
            and tuple(request.retrieved)
            and row.retrieved != tuple(request.retrieved)
        ):
            raise ReplayDiverged(
                "{diverged} at {where}: retrieved {retrieved}, the recording has {recorded}.",
                diverged=DIVERGED,
                where=_where(request),
                retrieved=", ".join(request.retrieved),
                recorded=", ".join(row.retrieved),
            )


def _key(request: ModelRequest) -> ReplyKey:
    return (
        request.subject,
        request.objective,
        request.round,
        request.purpose.value,
        request.attempt,
    )


_OBJECTIVES = {"corr": "correctness", "opt": "speed"}


def _where(request: ModelRequest) -> str:
    if request.round == 0:
        return f"{request.purpose.value} of {request.subject}"
    objective = _OBJECTIVES.get(request.objective, request.objective)
    return f"{request.subject}, {objective}, round {request.round}"
