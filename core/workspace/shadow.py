"""A second copy of an open workspace: it notices and survives that others write over the file.

`cp` and `rsync --inplace` write into the file that is open. SQLite looks at no more than
its log and would fold pages of one memory into another. A run therefore keeps a copy in
a file without a name, which goes with its process, and follows its own commits through
the write-ahead log (sqlite.org/fileformat.html, section 4). The file itself changes only
when pages of the log are folded into it: what else it holds was written by another program.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.held_file import HeldFile

_LOG_HEADER = 32  # bytes
_SALT = slice(16, 24)  # of that header; a log that begins again has another
_FRAME = struct.Struct(">2I8s8x")  # page, pages after a commit or 0, salt
_INDEX_HEADER = 136  # bytes of the log's index that say what is in the log
_PIECE = 1 << 20  # bytes


class Shadow:
    """The copy of one workspace. What reads or follows the log is called inside a transaction.

    Args:
        path: The workspace, in WAL mode.
        file: The same.
        db: The connection that writes; it has the write lock.

    Raises:
        OSError: There is no room for a copy.
    """

    def __init__(self, path: Path, file: HeldFile, db: sqlite3.Connection) -> None:
        self._path = path
        self._file = file
        self._db = db
        self._log = path.with_name(path.name + "-wal")
        # Not on the disk of the workspace: what is free there is for the work.
        self._copy = tempfile.TemporaryFile()  # noqa: SIM115
        self._page = 0  # bytes
        self._salt = b""
        self._followed = 0  # frames of the log that are in the copy
        # Of pages in the log, what the file may hold of them until all is folded.
        self._versions: dict[int, set[int]] = {}
        self._others = 0  # changes when another connection commits
        self._stamp: tuple[int, int] = (0, 0)
        self._take()

    def close(self) -> None:
        """Give the copy up."""
        self._copy.close()

    def is_overwritten(self) -> bool:
        """Whether the file holds what neither was there nor came from the log.

        The file is read only when it was written since the last look.
        """
        if self._stamp_now() == self._stamp:
            return False
        # A page that is just being folded in may be read by halves: look twice.
        return self._is_foreign() and self._is_foreign()

    def _is_foreign(self) -> bool:
        with self._open_log() as (log, salt):
            began_again = not salt or salt != self._salt
            if began_again and self._others_now() != self._others:
                # What another connection committed is folded in, and in no log any more.
                return not self._holds_together()
            versions = {} if began_again else self._versions
            news = self._unfollowed(log)
        for page, content in self._differing_pages():
            allowed = versions.get(page, set()) | news.get(page, set())
            if hash(content) not in allowed:
                return True
        return False

    def _unfollowed(self, log: BinaryIO) -> dict[int, set[int]]:
        """What other connections committed of each page since the copy was taken."""
        versions: dict[int, set[int]] = {}
        for _, page, _ in self._frames(log, self._followed):
            versions.setdefault(page, set()).add(hash(log.read(self._page)))
        return versions

    def catch_up(self) -> None:
        """Take over what other connections committed since the last transaction."""
        if self._others_now() != self._others:
            self._take()
        else:
            self._stamp = self._stamp_now()

    def follow_commit(self) -> None:
        """Take over the transaction that this connection committed last.

        All before it is in the copy, so it is the first in the log that is not.
        """
        with self._open_log() as (log, salt):
            if salt != self._salt:
                self._begin_log(salt)
            for number, _, pages_after in self._frames(log, self._followed):
                if pages_after:
                    self._apply(log, number + 1, pages_after)
                    break
        self._stamp = self._stamp_now()

    def write_to(self, target: Path) -> None:
        """Write the copy to a new file; it is on disk when this returns.

        Raises:
            OSError: It cannot be written.
        """
        with target.open("xb") as file:
            target.chmod(0o600)
            self._copy.seek(0)
            while piece := self._copy.read(_PIECE):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())

    def forget_log(self) -> None:
        """Empty the log beside the path, which is not that of the file there now.

        The header of its index is zeroed: every connection rebuilds the index from the
        empty log, as after a crash.
        """
        os.truncate(self._log, 0)
        # Closing it would give the write lock away, see `core.held_file`.
        index = os.open(self._path.with_name(self._path.name + "-shm"), os.O_RDWR)
        os.write(index, bytes(_INDEX_HEADER))

    def _take(self) -> None:
        """Copy the file, and all of the log that is committed."""
        self._copy.seek(0)
        self._copy.truncate()
        for piece in self._file.pieces():
            self._copy.write(piece)
        page = int.from_bytes(self._file.read(2, 16), "big")
        self._page = 65536 if page == 1 else page
        with self._open_log() as (log, salt):
            self._begin_log(salt)
            frames = self._frames(log, 0)
            commits = [(number, after) for number, _, after in frames if after]
            if commits:
                last, pages_after = commits[-1]
                self._apply(log, last + 1, pages_after)
        self._others = self._others_now()
        self._stamp = self._stamp_now()

    def _begin_log(self, salt: bytes) -> None:
        """The log begins: all it held before is in the file."""
        self._salt, self._followed, self._versions = salt, 0, {}

    def _apply(self, log: BinaryIO, end: int, pages_after: int) -> None:
        """Write frames up to `end` into the copy, which has `pages_after` pages then."""
        for number, page, _ in self._frames(log, self._followed):
            if number == end:
                break
            content = log.read(self._page)
            at = (page - 1) * self._page
            if page not in self._versions:
                self._copy.seek(at)
                self._versions[page] = {hash(self._copy.read(self._page))}
            self._versions[page].add(hash(content))
            self._copy.seek(at)
            self._copy.write(content)
        self._copy.truncate(pages_after * self._page)
        self._copy.flush()
        self._followed = end

    def _frames(self, log: BinaryIO, start: int) -> Iterator[tuple[int, int, int]]:
        """Number, page and pages after a commit (or 0) of each frame from `start` on.

        The page itself is what is read from `log` next.
        """
        number = start
        while True:
            log.seek(_LOG_HEADER + number * (_FRAME.size + self._page))
            head = log.read(_FRAME.size)
            if len(head) < _FRAME.size:
                return
            page, pages_after, salt = _FRAME.unpack(head)
            if salt != self._salt:
                return
            yield number, page, pages_after
            number += 1

    def _differing_pages(self) -> Iterator[tuple[int, bytes]]:
        """Pages, from 1 on, that the file and the copy have not alike, as in the file."""
        each = _PIECE // self._page * self._page
        offset = 0
        while True:
            there = self._file.read(each, offset)
            self._copy.seek(offset)
            here = self._copy.read(each)
            if not there and not here:
                return
            if there != here:
                for at in range(0, max(len(there), len(here)), self._page):
                    end = at + self._page
                    if there[at:end] != here[at:end]:
                        yield (offset + at) // self._page + 1, there[at:end]
            offset += each

    @contextmanager
    def _open_log(self) -> Iterator[tuple[BinaryIO, bytes]]:
        """Give the log and its salt for a block."""
        with self._log.open("rb") as log:
            salt = log.read(_LOG_HEADER)[_SALT]
            yield log, salt

    def _holds_together(self) -> bool:
        try:
            answer = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.DatabaseError:
            return False
        return bool(answer == "ok")

    def _others_now(self) -> int:
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _stamp_now(self) -> tuple[int, int]:
        """When the file was written last, and its bytes; zeros where there is none."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return (0, 0)
        return status.st_mtime_ns, status.st_size
