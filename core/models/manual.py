"""A person, or any program, as the backbone: the prompt is put somewhere, the reply is awaited there.

`core.models.folder_desk` puts prompts into a folder; `InboxDesk` serves a window in
which they are copied and replies pasted.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.models.port import (
    Message,
    ModelOrigin,
    ModelProvider,
    ModelReply,
    ModelRequest,
    Purpose,
    Stream,
)

_MAIN = frozenset({Purpose.CANDIDATE, Purpose.REPAIR})


class Desk(Protocol):
    """Where questions are put and answers come from."""

    async def ask(self, request: ModelRequest, prompt: str) -> str:
        """Return the answer. Cancelling the task takes the question back."""
        ...


class Manual(ModelProvider):
    """A provider whose replies a person writes, or a coding agent that `origin` names."""

    def __init__(
        self,
        desk: Desk,
        label: str = "manual",
        origin: ModelOrigin = ModelOrigin.MANUAL,
    ) -> None:
        self._desk = desk
        self._label = label
        self._origin = origin

    @property
    def label(self) -> str:
        """Who answers, as the user named them."""
        return self._label

    @property
    def origin(self) -> ModelOrigin:
        """Manual, or a coding agent."""
        return self._origin

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        """Put the question and wait, however long it takes."""
        began = time.monotonic()
        text = await self._desk.ask(request, prompt_text(request))
        if stream is not None:
            stream(text)
        return ModelReply(text, seconds=time.monotonic() - began)


def prompt_text(request: ModelRequest) -> str:
    """The messages as one Markdown text that can be pasted into any chat.

    The comment on top identifies the question: an answer lying beside it belongs to no
    other.
    """
    body = shown_messages(request.messages)
    return f"<!-- question {hashlib.sha256(body.encode()).hexdigest()[:12]} -->\n\n{body}\n"


def shown_messages(messages: Sequence[Message], first: int = 0) -> str:
    """Messages one after the other; those of the model have a heading.

    `first` is the place of the first of them.
    """
    return "\n\n".join(
        message.content
        if number == 0 or message.role == "user"
        else f"# Your reply was\n\n{message.content}"
        for number, message in enumerate(messages, start=first)
    )


def question_id(prompt: str) -> str:
    """Return the number `prompt_text` gave a question."""
    return prompt.removeprefix("<!-- question ")[:12]


def question_place(request: ModelRequest) -> str:
    """Folder of a question: the operator's, or `rules` for a rule abstracted from an item."""
    return "rules" if request.purpose is Purpose.ABSTRACT else request.subject


def question_name(request: ModelRequest) -> str:
    """The step a question belongs to: `round-003` for the candidate of a round, otherwise with its purpose.

    `round-003.diagnose`, `round-003.correction-1`, `round-003.distil` (after the corr
    episode), `distil` (at the end), `seed-0001.abstract`; a further attempt has its
    number at the end.
    """
    parts = [f"round-{request.round:03d}"] if request.round else []
    if request.purpose is Purpose.ABSTRACT:
        parts.append(request.subject)
    if request.purpose not in _MAIN:
        parts.append(
            request.purpose.value + (f"-{request.attempt}" if request.attempt else "")
        )
    return ".".join(parts)


@dataclass(frozen=True)
class WaitingPrompt:
    """A prompt that waits; `key` goes with the answer."""

    key: str
    request: ModelRequest
    prompt: str


class InboxDesk:
    """Questions for a window; `answer` may be called from any thread.

    Args:
        on_change: Called in the asking thread whenever `waiting` changed; must return
            quickly.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._lock = threading.Lock()
        self._open: dict[
            str, tuple[WaitingPrompt, asyncio.AbstractEventLoop, asyncio.Future[str]]
        ] = {}

    @property
    def waiting(self) -> tuple[WaitingPrompt, ...]:
        """Questions without an answer, oldest first."""
        with self._lock:
            return tuple(question for question, _, _ in self._open.values())

    async def ask(self, request: ModelRequest, prompt: str) -> str:
        """Show the question and wait for `answer`."""
        loop = asyncio.get_running_loop()
        question = WaitingPrompt(
            f"{request.subject}/{question_name(request)}", request, prompt
        )
        future: asyncio.Future[str] = loop.create_future()
        with self._lock:
            self._open[question.key] = (question, loop, future)
        self._on_change()
        try:
            return await future
        finally:
            with self._lock:
                self._open.pop(question.key, None)
            self._on_change()

    def answer(self, key: str, text: str) -> bool:
        """Give the reply to a question; False when it no longer waits."""
        with self._lock:
            waiting = self._open.get(key)
        if waiting is None:
            return False
        _, loop, future = waiting

        def give() -> None:
            if not future.done():
                future.set_result(text)

        loop.call_soon_threadsafe(give)
        return True
