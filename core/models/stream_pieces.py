"""A streamed chat completion, piece by piece.

The server is not trusted, every field is looked at first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.models.event_stream import END
from core.models.faults import UnusableReply
from core.models.port import Usage


@dataclass
class Collected:
    """What a stream has brought so far.

    Attributes:
        size: Characters of text and reasoning.
        begun: Whether any piece was one of a chat completion.
    """

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    size: int = 0
    has_piece: bool = False


def take(chunk: Any, collected: Collected) -> str:
    """Add one piece; returns the visible text in it.

    VLLM moved `reasoning_content` to `reasoning`.

    Raises:
        UnusableReply: A field has a type that no chat completion gives it.
    """
    if chunk is END:
        # Some servers say it where the last chunk did not.
        collected.finish = collected.finish or ("stop" if collected.has_piece else "")
        return ""
    if chunk is None:
        # `data: null` carries nothing; some gateways send it to keep the connection.
        return ""
    if _get(chunk, "usage") is not None:
        collected.usage = usage_in(chunk)
    choices = _get(chunk, "choices")
    if choices is None or choices == []:
        return ""
    if not isinstance(choices, list):
        raise _unusable("choices", choices)
    choice = choices[0]
    collected.has_piece = True
    collected.finish = (
        _text(_get(choice, "finish_reason"), "finish_reason") or collected.finish
    )
    delta = _get(choice, "delta")
    if delta is None:
        return ""
    name = "reasoning" if _get(delta, "reasoning") else "reasoning_content"
    thought, text = (
        _text(_get(delta, name), name),
        _text(_get(delta, "content"), "content"),
    )
    collected.reasoning.append(thought)
    collected.text.append(text)
    collected.size += len(thought) + len(text)
    return whole(text)


def whole(text: str) -> str:
    """`text` with lone surrogates replaced, which JSON can spell and nothing can store."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def usage_in(chunk: Any) -> Usage:
    """The tokens an answer, or a piece of one, tells; each None where it does not.

    Raises:
        UnusableReply: A number is none.
    """
    usage = _get(chunk, "usage")
    cached = _get(_get(usage, "prompt_tokens_details"), "cached_tokens")
    return Usage(
        _count(_get(usage, "prompt_tokens"), "usage.prompt_tokens"),
        _count(_get(usage, "completion_tokens"), "usage.completion_tokens"),
        _count(cached, "usage.cached_tokens"),
    )


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _text(value: Any, name: str) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise _unusable(name, value)


def _count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not 0 <= value < 1 << 53
    ):
        raise _unusable(name, value)
    return value


def _unusable(name: str, value: Any) -> UnusableReply:
    return UnusableReply(
        "The server's answer is not a chat completion: {name} is {value}.",
        "Check the address, and the version of the server.",
        name=name,
        value=repr(value)[:100],
    )
