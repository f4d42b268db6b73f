"""Files of SQLite, read through a descriptor that stays open while they are in use here.

POSIX drops every lock a process has on a file as soon as it closes *any* descriptor of
that file (sqlite.org/howtocorrupt.html, section 2.2). One of them keeps other processes
from deleting the log of a workspace that is open here, and the work in it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_PIECE = 1 << 20  # bytes
_LOCK = threading.Lock()
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass
class _Use:
    """One file: its descriptors, the first of which is read, and how often it is held."""

    descriptors: list[int] = field(default_factory=list)
    holders: int = 0


_USES: dict[tuple[int, int], _Use] = {}


class HeldFile:
    """A hold on a file; its descriptors are closed with the last hold of this process.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        with _LOCK:
            status = path.stat()
            key = status.st_dev, status.st_ino
            if key not in _USES:
                number = os.open(path, _FLAGS)
                status = os.fstat(number)
                # Another file may have taken the place meanwhile, one that is held even.
                key = status.st_dev, status.st_ino
                _USES.setdefault(key, _Use()).descriptors.append(number)
            self._key = key
            self._use = _USES[key]
            self._use.holders += 1
        self._held = True

    def read(self, count: int, offset: int = 0) -> bytes:
        """Up to `count` bytes from `offset` on."""
        with _LOCK:
            number = self._use.descriptors[0]
            os.lseek(number, offset, os.SEEK_SET)
            return os.read(number, count)

    def pieces(self) -> Iterator[bytes]:
        """The whole file, piece by piece."""
        offset = 0
        while piece := self.read(_PIECE, offset):
            yield piece
            offset += len(piece)

    def release(self) -> None:
        """Need the file no longer; once is enough."""
        with _LOCK:
            if not self._held:
                return
            self._held = False
            self._use.holders -= 1
            if self._use.holders == 0:
                del _USES[self._key]
                for number in self._use.descriptors:
                    os.close(number)


@contextmanager
def held(path: Path) -> Iterator[HeldFile]:
    """Hold a file for a block; raises OSError where it cannot be opened."""
    file = HeldFile(path)
    try:
        yield file
    finally:
        file.release()
