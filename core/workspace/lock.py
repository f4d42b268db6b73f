"""One engine owns a workspace at a time: an OS lock that dies with its process, and a row."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass

from core.workspace.errors import WorkspaceError
from core.workspace.workspace import Workspace, lock_path, now


@dataclass(frozen=True)
class EngineOwner:
    """The process that runs the queue of a workspace. `since` is ISO 8601 UTC."""

    host: str
    pid: int
    since: str


class EngineLock:
    """The right to run the queue of one workspace. Readers and enqueuers do not need it.

    Example:
        >>> lock = EngineLock(workspace)
        >>> if not lock.try_acquire():
        ...     show(f"running in process {engine_owner(workspace).pid}")
    """

    def __init__(self, workspace: Workspace) -> None:
        from filelock import FileLock  # with asyncio: windows paint first

        self._workspace = workspace
        self._lock = FileLock(lock_path(workspace.path), timeout=0, mode=0o600)

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def try_acquire(self) -> bool:
        """Take the lock if it is free. A lock left by a killed process is free; its row is replaced."""
        try:
            self._lock.acquire()
        except TimeoutError:
            return False
        with self._workspace.transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO engine_owner VALUES (1, ?, ?, ?)",
                (socket.gethostname(), os.getpid(), now()),
            )
        return True

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if not self.is_held:
            return
        try:
            with suppress(WorkspaceError), self._workspace.transaction() as db:
                # Left on a full disk: the next owner replaces it.
                db.execute("DELETE FROM engine_owner")
        finally:
            self._lock.release()


def engine_owner(workspace: Workspace) -> EngineOwner | None:
    """Return who runs the queue (or ran it and was killed), None when the last engine ended properly.

    From any connection, read-only ones too.
    """
    row = workspace.db.execute("SELECT host, pid, since FROM engine_owner").fetchone()
    return EngineOwner(row["host"], row["pid"], row["since"]) if row else None
