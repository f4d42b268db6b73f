"""Frames between client and job server: a nine-byte head (length, kind, request id), then a payload.

Requests and replies are JSON; a reply may carry raw bytes behind its JSON. A request's data (a tar stream)
follows it in DATA frames and is acknowledged as it is consumed, so that a sender never has more than
`WINDOW` bytes under way and small requests overtake large uploads.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Callable, NamedTuple, Tuple

REQUEST, DATA, DATA_END, REPLY, ACK, HELLO = 1, 2, 3, 4, 5, 6
CHUNK = 128 << 10
WINDOW = 4 << 20
LONGEST = 64 << 20
HEAD = struct.Struct(">IBI")
_JSON = struct.Struct(">I")

Read = Callable[[int], bytes]


class BrokenFrame(Exception):
    """The line ended inside a frame, or carries something else than frames."""


class Frame(NamedTuple):
    """One frame as received."""

    kind: int
    request: int
    payload: bytes


def pack(kind: int, request: int, payload: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return HEAD.pack(len(payload), kind, request) + payload


def pack_json(kind: int, request: int, value: Any, body: bytes = b"") -> bytes:
    """A frame with JSON and raw bytes behind it."""
    text = json.dumps(value).encode()
    return pack(kind, request, _JSON.pack(len(text)) + text + body)


def unpack_json(payload: bytes) -> Tuple[Any, bytes]:
    """JSON value and raw bytes of a payload made by `pack_json`."""
    (length,) = _JSON.unpack_from(payload)
    start = _JSON.size
    return json.loads(payload[start : start + length]), payload[start + length :]


def read_frame(read: Read) -> Frame:
    """Read one frame; `read(n)` returns up to n bytes and nothing at the end.

    Raises:
        EOFError: The line ended between frames.
        BrokenFrame: It ended inside one, or the head makes no sense.
    """
    head = _exactly(read, HEAD.size)
    if not head:
        raise EOFError("the line was closed")
    if len(head) < HEAD.size:
        raise BrokenFrame("the line was cut inside a frame")
    length, kind, request = HEAD.unpack(head)
    if length > LONGEST or not REQUEST <= kind <= HELLO:
        raise BrokenFrame("the line carries something else than frames: %r" % head)
    payload = _exactly(read, length)
    if len(payload) < length:
        raise BrokenFrame("the line was cut inside a frame")
    return Frame(kind, request, payload)


def _exactly(read: Read, count: int) -> bytes:
    parts = []
    while count:
        part = read(min(count, 1 << 20))
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
