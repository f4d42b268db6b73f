"""A person, or any program, as the backbone: the prompt is put somewhere, the reply is awaited there.

`FolderDesk` writes `<subject>/round-NNN.prompt.md` and waits for `<subject>/round-NNN.reply.md`; `InboxDesk`
serves a window in which prompts are copied and replies pasted.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.errors import SageError
from core.models.port import ModelOrigin, ModelReply, ModelRequest, Purpose, Stream

POLL_SECONDS = 0.2
_MAIN = frozenset({Purpose.CANDIDATE, Purpose.REPAIR})


class Desk(Protocol):
    """Where questions are put and answers come from."""

    async def ask(self, request: ModelRequest, prompt: str) -> str:
        """Return the answer. Cancelling the task takes the question back."""
        ...


class Manual:
    """A provider whose replies somebody else writes."""

    def __init__(self, desk: Desk, label: str = "manual") -> None:
        self._desk = desk
        self._label = label

    @property
    def label(self) -> str:
        """Who answers, as the user named them."""
        return self._label

    @property
    def origin(self) -> ModelOrigin:
        """Manual."""
        return ModelOrigin.MANUAL

    async def complete(self, request: ModelRequest, stream: Stream | None = None) -> ModelReply:
        """Put the question and wait, however long it takes."""
        began = time.monotonic()
        text = await self._desk.ask(request, prompt_text(request))
        if stream is not None:
            stream(text)
        return ModelReply(text, seconds=time.monotonic() - began)

    def pinned_retrieval(self, subject: str, objective: str, round_number: int) -> Sequence[str] | None:  # noqa: ARG002
        """None: retrieval is live."""
        return None

    def answers(self, request: ModelRequest) -> bool:  # noqa: ARG002
        """True: it can be asked anything."""
        return True

    async def close(self) -> None:
        """Nothing to release."""


def prompt_text(request: ModelRequest) -> str:
    """The messages as one Markdown text that can be pasted into any chat.

    The comment on top identifies the question: an answer lying beside it belongs to no other.
    """
    parts = [
        message.content if number == 0 or message.role == "user" else f"# Your reply was\n\n{message.content}"
        for number, message in enumerate(request.messages)
    ]
    body = "\n\n".join(parts)
    return f"<!-- question {hashlib.sha256(body.encode()).hexdigest()[:12]} -->\n\n{body}\n"


def question_name(request: ModelRequest) -> str:
    """`round-003` for the candidate of a round, `round-003.diagnose`, `distil`, … for other questions."""
    parts = [f"round-{request.round:03d}"] if request.round else []
    if request.purpose not in _MAIN:
        parts.append(request.purpose.value + (f"-{request.attempt}" if request.attempt else ""))
    return ".".join(parts)


class FolderDesk:
    """Questions and answers as files. The same question finds the same answer, so a resumed run goes on.

    A question that differs from the one lying there moves that and its answer aside (`.old-…`), so that no
    answer is ever given to another question.

    Args:
        folder: Made when missing.
        on_question: Hears the path of a prompt that waits for its reply.
        poll_seconds: How often the folder is looked at.
    """

    def __init__(
        self,
        folder: Path,
        on_question: Callable[[Path], None] | None = None,
        *,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._folder = folder
        self._on_question = on_question
        self._poll = poll_seconds

    async def ask(self, request: ModelRequest, prompt: str) -> str:
        """Write the prompt and wait for the reply file to be there and to stop growing.

        Raises:
            SageError: The folder cannot be written, or the reply is no UTF-8 text.
        """
        place = self._folder / request.subject
        name = question_name(request)
        question, answer = place / f"{name}.prompt.md", place / f"{name}.reply.md"
        try:
            self._put(question, answer, prompt)
            if self._on_question is not None and not answer.exists():
                self._on_question(question)
            return await self._wait(answer)
        except (OSError, UnicodeDecodeError) as error:
            raise SageError(f"{place}: {error}.", "Check the folder of the manual model.") from error

    def _put(self, question: Path, answer: Path, prompt: str) -> None:
        question.parent.mkdir(parents=True, exist_ok=True)
        if question.exists():
            old = question.read_text(encoding="utf-8")
            if old == prompt:
                return
            mark = hashlib.sha256(old.encode()).hexdigest()[:8]
            for path in (question, answer):
                if path.exists():
                    path.replace(path.with_name(f"{path.name}.old-{mark}"))
        draft = question.with_name(f"{question.name}.part")
        draft.write_text(prompt, encoding="utf-8", newline="\n")
        draft.replace(question)

    async def _wait(self, answer: Path) -> str:
        seen: tuple[int, int] | None = None
        while True:
            state = _state(answer)
            if state[0] and state == seen:
                return await asyncio.to_thread(answer.read_text, encoding="utf-8-sig")  # editors may mark it
            seen = state
            await asyncio.sleep(self._poll)


def _state(path: Path) -> tuple[int, int]:
    """Size and time of change, zeros when there is no such file."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return (0, 0)
    return (stat.st_size, stat.st_mtime_ns)


@dataclass(frozen=True)
class Question:
    """A prompt that waits; `key` goes with the answer."""

    key: str
    request: ModelRequest
    prompt: str


class InboxDesk:
    """Questions for a window; `answer` may be called from any thread.

    Args:
        on_change: Called in the asking thread whenever `waiting` changed; must return quickly.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Question, asyncio.AbstractEventLoop, asyncio.Future[str]]] = {}

    @property
    def waiting(self) -> tuple[Question, ...]:
        """Questions without an answer, oldest first."""
        with self._lock:
            return tuple(question for question, _, _ in self._open.values())

    async def ask(self, request: ModelRequest, prompt: str) -> str:
        """Show the question and wait for `answer`."""
        loop = asyncio.get_running_loop()
        question = Question(f"{request.subject}/{question_name(request)}", request, prompt)
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
            found = self._open.get(key)
        if found is None:
            return False
        _, loop, future = found

        def give() -> None:
            if not future.done():
                future.set_result(text)

        loop.call_soon_threadsafe(give)
        return True
