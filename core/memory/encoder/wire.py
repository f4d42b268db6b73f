"""Messages between the application and the encoder process: MessagePack behind a length of four bytes."""

from __future__ import annotations

from typing import IO

import msgspec


class Hello(msgspec.Struct, tag=True):
    """The process is ready, or says why it cannot be."""

    model_id: str = ""
    dimension: int = 0
    problem: str = ""


class Request(msgspec.Struct, tag=True):
    """Texts to encode."""

    texts: list[str]


class Answer(msgspec.Struct, tag=True):
    """float32 vectors row by row, and the share of unknown tokens per text."""

    vectors: bytes
    unknown: list[float]
    problem: str = ""


def send(stream: IO[bytes], message: Hello | Request | Answer) -> None:
    """Write one message."""
    body = msgspec.msgpack.encode(message)
    stream.write(len(body).to_bytes(4, "little") + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Hello | Request | Answer | None:
    """Read one message; None when the other side is gone."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    length = int.from_bytes(head, "little")
    body = stream.read(length)
    if len(body) < length:
        return None
    return msgspec.msgpack.decode(body, type=Hello | Request | Answer)
