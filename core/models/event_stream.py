"""Server-sent events of a chat completion, as servers and the proxies before them write them.

Comments, events without data, line ends of any kind, and a whole completion in place of
a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html).
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

_LINE_END = re.compile(rb"\r\n|\n|\r")
_END = b"[DONE]"
END = object()


async def completion_chunks(
    body: AsyncIterator[bytes], content_type: str
) -> AsyncIterator[Any]:
    """Give the JSON values of an answer, a whole completion as its only chunk.

    A stream that says it has ended gives `END` last.

    Raises:
        ValueError: What stands in an event is no JSON.
    """
    # A proxy may answer a request for a stream with the whole completion.
    if content_type.partition(";")[0].strip().lower() == "application/json":
        whole = json.loads(b"".join([piece async for piece in body]))
        yield _as_chunk(whole)
        return
    async for data in _events(body):
        if data.startswith(_END):
            yield END
            return
        yield json.loads(data)


def _as_chunk(completion: Any) -> Any:
    """Return a completion in the form of a chunk; what is none stays as it is."""
    if not isinstance(completion, dict) or not isinstance(
        completion.get("choices"), list
    ):
        return completion
    choices = [
        {**choice, "delta": choice.get("message")}
        for choice in completion["choices"]
        if isinstance(choice, dict)
    ]
    return {**completion, "choices": choices}


async def _events(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Give the data of each event; those without any, which keep a connection, are left out."""
    data: list[bytes] = []
    async for line in _lines(body):
        name, _, value = line.partition(b":")
        if not line and data:
            yield b"\n".join(data)
            data = []
        elif name == b"data" and value.strip():
            data.append(value.removeprefix(b" "))
    if data:
        yield b"\n".join(data)


async def _lines(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Whole lines without their ends, however the pieces are cut."""
    parts: list[bytes] = []  # of the line that is not at its end
    carriage_return = b""
    async for piece in body:
        text = carriage_return + piece
        # Held back: a line feed may follow in the next piece.
        carriage_return = b"\r" if text.endswith(b"\r") else b""
        first, *lines = _LINE_END.split(text.removesuffix(carriage_return))
        parts.append(first)
        for line in lines:
            yield b"".join(parts)
            parts = [line]
    yield b"".join(parts)
    if carriage_return:
        yield b""
