"""What comes through a pipe, read by the one who waits for its writer, or by a thread meanwhile."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Iterator

_AT_ONCE = 1 << 16  # bytes; a pipe holds no more
_MOST_LEFT = 64  # pieces that are read when the writer is gone: another one may hold the pipe and write on


class Stream:
    """The reading end of a pipe and the bytes that came so far.

    Args:
        number: Its descriptor, which is closed at the end, and once too much came.
        most: Bytes that are kept.
        is_endless: Whether more is read and forgotten; else the writer finds the pipe broken.
    """

    def __init__(self, number: int, most: int, *, is_endless: bool = False) -> None:
        os.set_blocking(number, False)
        self.number = number
        self.is_open = True
        self._most, self._is_endless = most, is_endless
        self._chunks: list[bytes] = []
        self._size = 0

    def take(self) -> bool:
        """Read what is there; false when there is nothing now."""
        try:
            chunk = os.read(self.number, _AT_ONCE)
        except BlockingIOError:
            return False
        if self._size <= self._most:
            self._chunks.append(chunk)
        self._size += len(chunk)
        if not chunk or (self._size > self._most and not self._is_endless):
            self.close()
        return bool(chunk)

    def rest(self) -> bytes:
        """All that came, now that the writer is gone."""
        for _ in range(_MOST_LEFT):
            if not self.is_open or not self.take():
                break
        self.close()
        return b"".join(self._chunks)

    def close(self) -> None:
        """Read no more."""
        if self.is_open:
            self.is_open = False
            os.close(self.number)

    @contextlib.contextmanager
    def followed(self) -> Iterator[None]:
        """Read in a thread of its own meanwhile."""
        process_end, end = os.pipe()

        def follow() -> None:
            wait = select.poll()
            wait.register(self.number, select.POLLIN)
            wait.register(process_end, select.POLLIN)
            while self.is_open:
                ready = {number for number, _ in wait.poll()}
                if not (self.number in ready and self.take()) and process_end in ready:
                    break

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        try:
            yield
        finally:
            os.close(end)
            thread.join()
            os.close(process_end)
