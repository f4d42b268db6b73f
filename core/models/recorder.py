"""Recording of any provider into session rows, so that a live run can be replayed without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.models.port import ModelOrigin, ModelProvider, ModelReply, ModelRequest, Stream
from core.models.session_file import (
    Session,
    SessionHeader,
    SessionItem,
    SessionReply,
    bank_digest,
)

# Key shapes of the common services and of authorization headers; a recording is meant to be shared.
_SECRET = re.compile(r"(?i)\b(?:sk-[A-Za-z0-9_-]{16,}|(?:bearer|api[_-]?key)[\s:=\"']+[A-Za-z0-9._-]{12,})")


def scrub(text: str) -> str:
    """`text` with everything that looks like a key replaced."""
    return _SECRET.sub("[removed]", text)


class Recorder:
    """A provider that answers as the wrapped one does and remembers every reply."""

    def __init__(self, provider: ModelProvider) -> None:
        self._provider = provider
        self._replies: list[SessionReply] = []

    @property
    def label(self) -> str:
        """Label of the wrapped provider."""
        return self._provider.label

    @property
    def origin(self) -> ModelOrigin:
        """Origin of the wrapped provider."""
        return self._provider.origin

    async def complete(self, request: ModelRequest, stream: Stream | None = None) -> ModelReply:
        """Ask the wrapped provider and keep its reply."""
        reply = await self._provider.complete(request, stream)
        self._replies.append(
            SessionReply(
                subject=request.subject,
                objective=request.objective,
                round=request.round,
                purpose=request.purpose.value,
                attempt=request.attempt,
                retrieved=request.retrieved,
                previous_verdict=request.previous_verdict,
                text=scrub(reply.text),
                reasoning=scrub(reply.reasoning),
            )
        )
        return reply

    def pinned_retrieval(self, subject: str, objective: str, round_number: int) -> Sequence[str] | None:
        """What the wrapped provider prescribes."""
        return self._provider.pinned_retrieval(subject, objective, round_number)

    async def close(self) -> None:
        """Close the wrapped provider."""
        await self._provider.close()

    def session(self, title: str, description: str, bank: Sequence[SessionItem]) -> Session:
        """The recording so far. Scripted replies stay scripted: only what a model said is `recorded`.

        Args:
            title: Short name shown to the user.
            description: What was run.
            bank: Items of the memory as they were before the first recorded call.
        """
        origin = ModelOrigin.SCRIPTED if self.origin is ModelOrigin.SCRIPTED else ModelOrigin.RECORDED
        operators = tuple(dict.fromkeys(reply.subject for reply in self._replies if reply.round > 0))
        header = SessionHeader(origin.value, self.label, title, description, bank_digest(bank), operators)
        return Session(header, tuple(bank), tuple(self._replies))
