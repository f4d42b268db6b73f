"""What can be wrong with a workspace file, in words a user can act on. Nothing is ever re-created."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from core.errors import SageError


class WorkspaceError(SageError):
    """A workspace file cannot be used."""


class NotAWorkspace(WorkspaceError):
    """The file exists but is something else."""


class NewerWorkspace(WorkspaceError):
    """The file was written by a newer release."""


class CorruptWorkspace(WorkspaceError):
    """SQLite finds the file damaged."""


class ReadOnlyWorkspace(WorkspaceError):
    """The file or its folder cannot be written."""


class ReplacedWorkspace(WorkspaceError):
    """Another file lies at the path of an open workspace, or none."""


class UnsafeFileSystem(WorkspaceError):
    """The file lies on a network file system, where SQLite's write-ahead log is not safe."""


class WorkspaceBusy(WorkspaceError):
    """Another process held the write lock for too long."""


def explain(error: sqlite3.Error, path: Path) -> WorkspaceError | None:
    """Turn an SQLite error a user can fix into a `WorkspaceError`; None when it is a bug of ours."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return WorkspaceBusy(
            "{path} is being written by another program.",
            "Try again when it has finished.",
            path=path,
        )
    if "readonly" in text:
        return ReadOnlyWorkspace(
            "{path} cannot be written.",
            "Copy it to a folder of your own and open the copy.",
            path=path,
        )
    if "malformed" in text or "not a database" in text or "disk image" in text:
        return CorruptWorkspace(
            "{path} is damaged ({text}).",
            "Nothing was changed. Restore a backup, or recover it with `sqlite3 FILE .recover`.",
            path=path,
            text=text,
        )
    if "interrupted" in text or "too big" in text:
        return CorruptWorkspace(
            "{path} is damaged, or was made to do harm: reading it takes more time or "
            "memory than files of its size take ({text}).",
            "Nothing was changed. Restore a backup, or ask for another file.",
            path=path,
            text=text,
        )
    if "disk is full" in text or "disk I/O error" in text or "unable to open" in text:
        return WorkspaceError(
            "{path} cannot be read or written ({text}).",
            "Check the disk and the folder's rights.",
            path=path,
            text=text,
        )
    return None
