"""Asking again when an answer outside the rounds cannot be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from core.agent.prompt import templates
from core.errors import InvalidInput
from core.models.port import Message, ModelReply, ModelRequest

LARGEST_CORRECTIONS = 3  # per question

Meaning = TypeVar("Meaning")


async def answered(
    request: ModelRequest,
    ask: Callable[[ModelRequest], Awaitable[ModelReply]],
    read: Callable[[str], Meaning],
    read_leniently: Callable[[str], Meaning] | None = None,
    can_be_asked: Callable[[ModelRequest], bool] = lambda _: True,
) -> Meaning:
    """Ask until the answer can be read.

    Args:
        request: The first question.
        ask: Puts a question.
        read: What makes sense of an answer.
        read_leniently: The same where the correction cannot be asked for.
        can_be_asked: Whether there is an answer to a question.

    Raises:
        InvalidInput: It cannot even after the last correction.
    """
    while True:
        reply = await ask(request)
        try:
            return read(reply.text)
        except InvalidInput as problem:
            request = _corrected(request, reply.text, problem)
            if read_leniently is not None and not can_be_asked(request):
                return read_leniently(reply.text)


def _corrected(
    request: ModelRequest, answer: str, problem: InvalidInput
) -> ModelRequest:
    """The question that follows an answer which could not be read.

    Raises:
        InvalidInput: `problem` itself, after the last correction.
    """
    if request.attempt == LARGEST_CORRECTIONS:
        raise problem
    remaining = LARGEST_CORRECTIONS - request.attempt - 1
    text = templates.fill(
        "ask_correction",
        complaints=f"- {problem.field}: {problem.problem}",
        left=remaining,
    )
    messages = (*request.messages, Message("assistant", answer), Message("user", text))
    return replace(request, messages=messages, attempt=request.attempt + 1)
