"""Messages between the judge and a process of foreign Python: a JSON header, then the bytes of tensors.

Nothing is unpickled and no file is opened: what comes is numbers and text, of which only so much is taken.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_LENGTH = struct.Struct(">Q")
_PIECE = 1 << 20
MOST_HEADER = 8 << 20  # bytes
_MOST_BLOBS = 20_000


class Unreadable(Exception):
    """The other side did not say what was agreed on."""


def send(
    line: socket.socket, header: Mapping[str, Any], blobs: Sequence[bytes] = ()
) -> None:
    """Send one message.

    Raises:
        OSError: The other end is gone or does not read.
    """
    text = json.dumps({**header, "blobs": [len(blob) for blob in blobs]}).encode()
    line.sendall(_LENGTH.pack(len(text)) + text)
    for blob in blobs:
        line.sendall(blob)


def receive(
    read: Callable[[memoryview], int], most_bytes: int
) -> tuple[dict[str, Any], list[bytearray]] | None:
    """Take one message; None when the other end closed the line instead.

    Args:
        read: Fills the beginning of a buffer and says with how many bytes, 0 at the end.
        most_bytes: Bytes of tensors that are taken at most.

    Raises:
        Unreadable: It is no message, or a larger one.
    """
    start = _exactly(read, _LENGTH.size)
    if start is None:
        return None
    (length,) = _LENGTH.unpack(start)
    text = _exactly(read, length) if length <= MOST_HEADER else None
    if text is None:
        raise Unreadable(f"a header of {length} bytes")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("a header that is no JSON") from None
    sizes = header.pop("blobs", None) if isinstance(header, dict) else None
    if (
        not isinstance(sizes, list)
        or len(sizes) > _MOST_BLOBS
        or not all(map(is_size, sizes))
    ):
        raise Unreadable("a header without sizes")
    if sum(sizes) > most_bytes:
        raise Unreadable(
            f"{sum(sizes)} bytes, more than the {most_bytes} that are taken"
        )
    blobs = [_exactly(read, size) for size in sizes]
    if any(blob is None for blob in blobs):
        raise Unreadable("tensors that break off")
    return header, [blob for blob in blobs if blob is not None]


def is_size(value: object) -> bool:
    """Whether a value is a whole number, not negative, that a size of memory can be."""
    return (
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 48
    )


def _exactly(read: Callable[[memoryview], int], size: int) -> bytearray | None:
    """The next `size` bytes, None when the line ends before."""
    data = bytearray(size)
    view, at = memoryview(data), 0
    while at < size:
        count = read(view[at : at + _PIECE])
        if not count:
            return None
        at += count
    return data
