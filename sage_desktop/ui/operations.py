"""Reading and writing a workspace without ever making the window wait.

A read runs in one of two threads, each with a read-only connection. A write goes to the engine's single
writer. Both come back to the window's thread; a failure is always told to the person who asked.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

from core.errors import SageError

if TYPE_CHECKING:
    from core.workspace import Workspace

T = TypeVar("T")
READERS = 2

Read = Callable[["Workspace"], object]
# Takes a result, or the error in its place, to the window's thread.
Carry = Callable[[object, BaseException | None], None]
# Which workspace to read, the read, whether its answer is still wanted, who takes it.
Job = tuple[Path, Read, Callable[[], bool], Carry]


class _Reader(threading.Thread):
    """Serves reads one after another on a read-only connection it keeps open."""

    def __init__(self, jobs: SimpleQueue[Job | None]) -> None:
        super().__init__(name="reader", daemon=True)
        self._jobs = jobs
        self._workspace: Workspace | None = None

    def run(self) -> None:
        while (job := self._jobs.get()) is not None:
            path, read, is_current, carry = job
            try:
                if not is_current():
                    carry(None, None)
                    continue
                carry(read(self._open(path)), None)
            except BaseException as error:  # noqa: BLE001 - carried to the window's thread and told there
                carry(None, self._explained(error))
        self._close()

    def _open(self, path: Path) -> Workspace:
        """The workspace at `path`, which stays open for the next read."""
        if self._workspace is not None and self._workspace.path != path:
            self._close()
        if self._workspace is None:
            self._workspace = _opened(path)
        return self._workspace

    def _close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
        self._workspace = None

    def _explained(self, error: BaseException) -> BaseException:
        """What the workspace knows about an error, else the error itself."""
        if self._workspace is None:
            return error
        return self._workspace.explained(error) or error


def _opened(path: Path) -> Workspace:
    """The workspace, to be read only; its modules are loaded by the first read."""
    from core.workspace import Workspace

    return Workspace.open_readonly(path)


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

    def __init__(self, workspace: Path) -> None:
        super().__init__()
        self.workspace = workspace
        self._submit: Callable[[Callable[[Any], object]], Future[Any]] | None = None
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._readers: list[_Reader] = []
        # By owner and topic the number of the last query: earlier answers are dropped.
        self._tokens: dict[tuple[int, str], int] = {}
        self._pending = 0
        self._closed = False
        self._back.connect(self._arrive, Qt.ConnectionType.QueuedConnection)

    def set_writer(
        self, submit: Callable[[Callable[[Any], object]], Future[Any]] | None
    ) -> None:
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
        self.ask(owner, lambda workspace: read(workspace.db), success, topic=topic)

    def ask(
        self,
        owner: QObject,
        read: Callable[[Workspace], T],
        success: Callable[[T], object],
        *,
        topic: str = "",
    ) -> None:
        """Like `query` for what needs a whole workspace opened for reading, as the retriever does."""
        key = (id(owner), topic)
        token = self._tokens.get(key, 0) + 1
        self._tokens[key] = token

        def is_current() -> bool:
            if not shiboken6.isValid(owner):
                return False
            return not topic or self._tokens.get(key) == token

        if self._closed:
            return
        self._pending += 1
        self._start_readers()
        carry = self._carrier(success, is_current)
        self._jobs.put((self.workspace, read, is_current, carry))

    def _start_readers(self) -> None:
        """Start the threads, unless they run: a window that reads nothing needs none."""
        if self._readers:
            return
        self._readers = [_Reader(self._jobs) for _number in range(READERS)]
        for reader in self._readers:
            reader.start()

    def write(
        self,
        owner: QObject,
        change: Callable[[Any], T],
        success: Callable[[T], object] | None = None,
        *,
        topics: frozenset[str],
        failure: Callable[[], object] | None = None,
    ) -> None:
        """Run `change` on the engine's writer, then `success(result)` here; all panels hear the `topics`.

        `failure` is called where it was not done; why is shown to the person as always.
        """
        if self._submit is None:
            if failure is not None:
                failure()
            what = self.tr(
                "This workspace is in use by another SAGE process; this window can only read."
            )
            remedy = self.tr("Close the other process to make changes here.")
            self.failed.emit(SageError(what, remedy))
            return

        def finish(result: Any) -> None:
            if success is not None:
                success(result)
            self.written.emit(topics)

        carry = self._carrier(finish, lambda: shiboken6.isValid(owner), failure)
        self._pending += 1

        def carry_result(future: Future[Any]) -> None:
            error = _error_of(future)
            has_result = error is None and not future.cancelled()
            carry(future.result() if has_result else None, error)

        self._submit(change).add_done_callback(carry_result)

    def run_in_background(
        self,
        owner: QObject,
        work: Callable[[], T],
        success: Callable[[T], object],
        failure: Callable[[SageError], object] | None = None,
    ) -> None:
        """Do `work` that has nothing to do with the workspace (network, files) in a thread of its own.

        Args:
            owner: Who asks; the answer is dropped when it is gone by then.
            work: Must not touch any QObject.
            success: Gets what `work` returned, in the window's thread.
            failure: Gets a `SageError` instead of everybody hearing it through `failed`.
        """
        self._pending += 1
        carry = self._carrier(
            success, lambda: shiboken6.isValid(owner), on_refusal=failure
        )

        def run() -> None:
            try:
                carry(work(), None)
            except BaseException as error:  # noqa: BLE001 - told in the window's thread
                carry(None, error)

        threading.Thread(target=run, name="outside", daemon=True).start()

    def report(self, future: Future[Any]) -> None:
        """Tell the person when a command given to the engine directly failed; callable from any thread."""
        self._pending += 1
        carry = self._carrier(lambda _result: None, lambda: True)
        carry(None, _error_of(future))

    def close(self) -> None:
        """End reading: waits for reads under way, drops their answers, and lets go of the file.

        Must come before the engine closes the workspace, which then folds its log into the one file.
        """
        self._closed = True
        self._submit = None
        self._tokens.clear()
        for _reader in self._readers:
            self._jobs.put(None)
        for reader in self._readers:
            reader.join()
        self._readers = []

    def _carrier(
        self,
        success: Callable[[Any], object],
        is_current: Callable[[], bool],
        failure: Callable[[], object] | None = None,
        on_refusal: Callable[[SageError], object] | None = None,
    ) -> Carry:
        """What takes the outcome of background work to the window's thread.

        Args:
            success: Gets the result.
            is_current: Whether who asked still waits for the answer.
            failure: Called where it was not done.
            on_refusal: Gets a `SageError` instead of all hearing it through `failed`.
        """

        def arrive(result: object, error: BaseException | None) -> None:
            if on_refusal is not None and isinstance(error, SageError):
                if is_current():
                    on_refusal(error)
            elif error is not None:
                if failure is not None and is_current():
                    failure()
                signal = self.failed if isinstance(error, SageError) else self.crashed
                signal.emit(error)
            elif is_current():
                success(result)

        return lambda result, error: self._back.emit(partial(arrive, result, error))

    @Slot(object)
    def _arrive(self, answer: Callable[[], None]) -> None:
        self._pending -= 1
        answer()


def _error_of(future: Future[Any]) -> BaseException | None:
    """Why a command failed; None where it did not, or was called off."""
    return None if future.cancelled() else future.exception()
