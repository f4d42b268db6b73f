"""Reading and writing a workspace without ever making the window wait.

A read runs in a small thread pool on a read-only connection of its own. A write goes to the engine's single
writer. Both come back to the window's thread; a failure is always told to the person who asked.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal, Slot

from core.errors import SageError

T = TypeVar("T")
READERS = 2


class _Job(QRunnable):
    """One read; plain data in, plain data out."""

    def __init__(
        self, work: Callable[[], object], finish: Callable[[object, BaseException | None], None]
    ) -> None:
        super().__init__()
        self.setAutoDelete(True)
        self._work = work
        self._finish = finish

    def run(self) -> None:
        try:
            result = self._work()
        except BaseException as error:  # noqa: BLE001 - carried to the window's thread and told there
            self._finish(None, error)
        else:
            self._finish(result, None)


class Operations(QObject):
    """Background reads and writes of one workspace.

    Signals:
        failed: A `SageError` the person should see.
        crashed: Any other exception: a bug.
        written: Topics (`queue`, `memory`, `rounds`) that a finished write changed.
    """

    failed = Signal(object)
    crashed = Signal(object)
    written = Signal(frozenset)
    _back = Signal(object)

    def __init__(self, workspace: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self._submit: Callable[[Callable[[Any], object]], Future[Any]] | None = None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(READERS)
        self._tokens: dict[tuple[int, str], int] = {}
        self._pending = 0
        self._lock = threading.Lock()
        self._back.connect(self._arrive, Qt.ConnectionType.QueuedConnection)

    def set_writer(self, submit: Callable[[Callable[[Any], object]], Future[Any]] | None) -> None:
        """Tell where writes go: the engine's `submit`; None while this window only reads."""
        self._submit = submit

    @property
    def can_write(self) -> bool:
        """Whether this window may change the workspace."""
        return self._submit is not None

    @property
    def idle(self) -> bool:
        """Whether nothing asked for is still on its way."""
        return self._pending == 0

    def query(
        self,
        owner: QObject,
        read: Callable[[sqlite3.Connection], T],
        success: Callable[[T], object],
        *,
        topic: str = "",
    ) -> None:
        """Run `read` in the background, then `success(result)` in the window's thread.

        Args:
            owner: Who asks; the answer is dropped when it is gone by then.
            read: Gets a read-only connection; must not touch any QObject.
            success: Gets what `read` returned.
            topic: A later query of the same owner and topic makes this one's answer worthless.
        """
        key = (id(owner), topic)
        token = self._tokens.get(key, 0) + 1
        self._tokens[key] = token

        def current() -> bool:
            return shiboken6.isValid(owner) and (not topic or self._tokens.get(key) == token)

        self._pending += 1
        self._pool.start(_Job(lambda: self._read(read), self._carrier(success, current)))

    def write(
        self,
        owner: QObject,
        change: Callable[[Any], T],
        success: Callable[[T], object] | None = None,
        *,
        topics: frozenset[str],
    ) -> None:
        """Run `change` on the engine's writer, then `success(result)` here; all panels hear the `topics`."""
        if self._submit is None:
            self.failed.emit(
                SageError(
                    self.tr("This workspace is in use by another SAGE process; this window can only read."),
                    self.tr("Close the other process to make changes here."),
                )
            )
            return

        def finish(result: Any) -> None:
            if success is not None:
                success(result)
            self.written.emit(topics)

        carry = self._carrier(finish, lambda: shiboken6.isValid(owner))
        self._pending += 1

        def done(future: Future[Any]) -> None:
            error = None if future.cancelled() else future.exception()
            carry(None if error or future.cancelled() else future.result(), error)

        self._submit(change).add_done_callback(done)

    def report(self, future: Future[Any]) -> None:
        """Tell the person when a command given to the engine directly failed; callable from any thread."""
        error = None if future.cancelled() else future.exception()
        self._pending += 1
        self._carrier(lambda _result: None, lambda: True)(None, error)

    def close(self) -> None:
        """Wait for reads under way; answers not delivered yet are dropped."""
        self._tokens.clear()
        self._pool.clear()
        self._pool.waitForDone()

    def _read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        from core.workspace import Workspace

        workspace = Workspace.open_readonly(self.workspace)
        try:
            return read(workspace.db)
        finally:
            workspace.close()

    def _carrier(
        self, success: Callable[[Any], object], current: Callable[[], bool]
    ) -> Callable[[object, BaseException | None], None]:
        def carry(result: object, error: BaseException | None) -> None:
            self._back.emit((result, error, success, current))

        return carry

    @Slot(object)
    def _arrive(
        self, answer: tuple[Any, BaseException | None, Callable[[Any], object], Callable[[], bool]]
    ) -> None:
        result, error, success, current = answer
        self._pending -= 1
        if isinstance(error, SageError):
            self.failed.emit(error)
        elif error is not None:
            self.crashed.emit(error)
        elif current():
            success(result)
