"""Is this place fit for a workspace? Looks before SQLite touches anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.held_file import HeldFile, held
from core.outside import require_regular
from core.whole_file import DATABASE
from core.workspace.errors import (
    CorruptWorkspace,
    NotAWorkspace,
    ReadOnlyWorkspace,
    UnsafeFileSystem,
    WorkspaceError,
)

_HEADER_BYTES = 100
_JOURNAL_END = bytes.fromhex("d9d505f920a163d7")  # behind the name of another file
# WAL needs memory shared between processes, which these do not give (https://www.sqlite.org/wal.html)
_NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb2",
        "smb3",
        "smbfs",
        "afs",
        "ncpfs",
        "fuse.sshfs",
        "fuse.rclone",
        "davfs",
    }
)


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file that lies at `path` now; None when none does."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def holding(path: Path) -> Iterator[HeldFile]:
    """Hold a workspace file from the block on, see `core.held_file`.

    Raises:
        WorkspaceError: It cannot be opened.
    """
    try:
        file = HeldFile(path)
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        yield file
    except BaseException:
        file.release()
        raise


def _unreadable(path: Path, error: OSError) -> WorkspaceError:
    return WorkspaceError(
        "{path} cannot be read ({error}).",
        "Check the file.",
        path=path,
        error=error.strerror,
    )


def file_system(path: Path, mounts: str | None = None) -> str:
    """Return the type of the file system `path` lies on, as Linux names it; empty where it cannot be told.

    Args:
        path: A file that may not exist yet.
        mounts: Text of `/proc/self/mountinfo`; read from the system when None.
    """
    if mounts is None:
        if os.name == "nt":
            return "cifs" if str(path.resolve()).startswith("\\\\") else ""
        table = Path("/proc/self/mountinfo")
        if not table.exists():
            return ""
        mounts = table.read_text(encoding="utf-8", errors="replace")
    best, kind = "", ""
    for line in mounts.splitlines():
        mount, _, right = line.partition(" - ")
        point = mount.split()[4].replace("\\040", " ")
        if len(point) >= len(best) and path.resolve().is_relative_to(point):
            best, kind = point, right.split()[0]
    return kind


def require_local(path: Path) -> None:
    """Raise `UnsafeFileSystem` when `path` is on a network file system."""
    kind = file_system(path)
    if kind in _NETWORK:
        raise UnsafeFileSystem(
            "{path} lies on a network file system ({kind}), where a workspace could be damaged.",
            "Choose a folder on a local disk.",
            path=path,
            kind=kind,
        )


def require_writable(path: Path) -> None:
    """Raise `ReadOnlyWorkspace` when the file or its folder cannot be written (even by root)."""
    writable = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
    for place in (path, path.parent):
        if place.exists() and (
            not os.access(place, os.W_OK) or not place.stat().st_mode & writable
        ):
            raise ReadOnlyWorkspace(
                "{place} cannot be written.",
                "Copy the workspace to a folder of your own.",
                place=place,
            )


def require_own_journal(path: Path) -> None:
    """Raise where the journal beside a database names another file, or is none.

    SQLite names a journal of several databases at the end of each one's own, and deletes
    the file of that name when it rolls such a journal back; no release writes several
    databases at once (sqlite.org/atomiccommit.html, "multi-file commit").

    Raises:
        CorruptWorkspace: It names one.
        InvalidInput: A file beside it is a pipe or the like, which would never end.
    """
    for ending in ("-journal", "-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            require_regular(beside)
    journal = path.with_name(path.name + "-journal")
    try:
        with journal.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - len(_JOURNAL_END)))
            end = file.read()
    except FileNotFoundError:
        # Another writer removes it when its transaction ends.
        return
    if end == _JOURNAL_END:
        raise CorruptWorkspace(
            "{journal} was not written by SAGE Desktop: it names another file, which "
            "would be deleted.",
            "Nothing was changed. Remove the journal, or restore a backup.",
            journal=journal,
        )


def require_database(path: Path) -> None:
    """Raise when an existing file is not a whole SQLite database. Reads its header only.

    While a write-ahead log is there the file may rightly be shorter than its header says: a checkpoint writes
    the header first, and a reader, or the recovery after a crash, takes the missing pages from the log.

    Raises:
        NotAWorkspace: Another kind of file.
        CorruptWorkspace: The file is shorter than its header says.
    """
    if path.exists() and not path.is_file():  # a pipe would never end
        raise NotAWorkspace("{path} is not a file.", "Choose another.", path=path)
    try:
        with held(path) as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from error
    if not header.startswith(DATABASE) or len(header) < _HEADER_BYTES:
        raise NotAWorkspace(
            "{path} is not a workspace file.",
            "Choose another file; this one was not touched.",
            path=path,
        )
    page_bytes = int.from_bytes(header[16:18], "big")
    page_bytes = 65536 if page_bytes == 1 else page_bytes
    pages = int.from_bytes(header[28:32], "big")
    # "version-valid-for": https://www.sqlite.org/fileformat.html.
    size_is_valid = header[24:28] == header[92:96]
    size = path.stat().st_size
    log = path.with_name(path.name + "-wal")
    logged = log.exists() and log.stat().st_size > 0
    if size_is_valid and size < pages * page_bytes and not logged:
        raise CorruptWorkspace(
            "{path} is cut off: {size} of {pages} bytes are there.",
            "Nothing was changed. Restore a backup, or recover it with `sqlite3 FILE .recover`.",
            path=path,
            size=size,
            pages=pages * page_bytes,
        )
