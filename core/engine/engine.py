"""The engine: one background thread with an asyncio loop that owns a workspace and works through its queue.

All writes of the workspace happen in this thread, on one connection; other threads hand
small writes in through `submit`. Events leave through one callback, called in this
thread. Stopping cancels what is in work and leaves it resumable; a later `start`
continues in the step it was in.
"""

from __future__ import annotations

import asyncio
import threading
import time
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from core.agent.run.run_context import RunContext
from core.engine import queue
from core.engine.events import (
    EngineFault,
    EngineState,
    EngineStateChanged,
    OnEvent,
    QueueChanged,
    WorkspaceWritten,
)
from core.engine.run_config import RunConfig
from core.engine.worker import EnvironmentWatch, FindOperator, Worker
from core.errors import SageError
from core.evaluation.port import STOPPING
from core.memory.snapshots import begin_session
from core.memory.time_models import hold_for_present_model
from core.text import Text
from core.workspace import EngineLock, Workspace, engine_owner
from core.workspace.errors import ReplacedWorkspace

STOP_SECONDS = 3.0
_TELL_SECONDS = 30.0
_OTHERS_SECONDS = 300.0  # how long another program may hold the workspace's write lock
_POLL_SECONDS = 1.0  # how often requests of other processes are looked for while entries are in work

Result = TypeVar("Result")


class EngineBusy(SageError):
    """The queue is running, here or in another process."""


class EngineStopped(SageError):
    """The engine has been stopped; make a new one to continue."""


class Engine:
    """Runs the queue of one workspace. Methods may be called from any thread.

    The thread starts with the first `open`, `start` or `submit`, takes the workspace's
    lock if it is free, and otherwise becomes a reader: it then refuses to run and to
    write (see `queue.enqueue` for adding work from there).

    Args:
        workspace_path: The workspace file.
        config: Model, evaluator and parameters of new trajectories; `configure`
            exchanges them.
        operators: Finds the operator of a queue row by source and name.
        on_event: Gets every event, in the engine's thread; must return quickly and not
            raise.

    Attributes:
        replaced: Once stopped: that another file lies at the path, and where the work is.
    """

    def __init__(
        self,
        workspace_path: Path,
        config: RunConfig,
        operators: FindOperator,
        on_event: OnEvent,
    ) -> None:
        self._path = workspace_path
        self._config = config
        self._operators = operators
        self._on_event = on_event
        self._state = EngineState.IDLE
        self.replaced: ReplacedWorkspace | None = None
        self._idle = threading.Event()
        self._idle.set()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starts = 0  # `start` calls the loop has not seen yet
        self._running: dict[int, tuple[Worker, asyncio.Task[None]]] = {}
        self._cancelled: set[int] = set()
        self._halted: set[int] = set()
        # By a limit, since the last start: entry -> its reason.
        self._interrupted: dict[int, str | Text] = {}
        self._pump: asyncio.Task[None] | None = None
        self._configuring: asyncio.Task[None] | None = None
        self._run: RunContext | None = None
        self._watch = EnvironmentWatch()
        self._owned = False
        self._tell_wait_after = 0.0

    # ---- commands, from any thread

    @property
    def state(self) -> EngineState:
        """What the engine does now."""
        return self._state

    def open(self) -> bool:
        """Start the thread without working.

        Whether this engine owns the workspace and may write.

        Raises:
            WorkspaceError: The file cannot be used.
            EngineStopped: `stop` was called.
        """
        self._ensure_thread()
        return self._owned

    def start(self) -> None:
        """Work through the queue until it is empty, interrupted entries first.

        Raises:
            EngineBusy: Another process owns the workspace.
            WorkspaceError: The file cannot be used.
            EngineStopped: `stop` was called.
        """
        if not self.open():
            raise _busy(self._path)
        with self._starting:
            self._starts += 1
            self._idle.clear()
        self._call(self._begin)

    def pause_after_current(self) -> None:
        """Finish the entries in work and take no further one."""
        if self._loop is not None:
            self._call(self._pause)

    def halt(self) -> None:
        """End the run now: entries in work wait, and are continued in the step they were in at the next `start`."""
        if self._loop is not None:
            self._call(self._halt)

    def cancel(self, queue_id: int) -> Future[None]:
        """Cancel one entry: a waiting one leaves the queue, a running one ends within a second."""
        return self._submit(
            lambda workspace: queue.request_cancel(workspace, queue_id),
            self._apply_cancel_requests,
        )

    def submit(self, change: Callable[[Workspace], Result]) -> Future[Result]:
        """Run a small write on the engine's connection.

        Its result or exception comes through the future.

        The change runs in a transaction of its own and must not wait for anything.
        """
        return self._submit(change, lambda: None)

    def _submit(
        self, change: Callable[[Workspace], Result], after: Callable[[], None]
    ) -> Future[Result]:
        """`submit`, with something to do in the engine's thread once the change is committed."""
        return self._handed_in(lambda future: self._write(change, after, future))

    def configure(self, config: RunConfig) -> Future[None]:
        """Use another model, evaluator and parameters from the next `start` on.

        The future fails with `EngineBusy` while an entry is in work or another process
        owns the workspace.
        """
        return self._handed_in(lambda future: self._begin_configuring(config, future))

    def _handed_in(self, step: Callable[[Future[Result]], None]) -> Future[Result]:
        """Run `step` in the engine's thread, which settles the future.

        Refusals come through it as well.
        """
        future: Future[Result] = Future()
        try:
            if not self.open():
                raise _busy(self._path)
            self._call(lambda: step(future))
        except SageError as error:
            future.set_exception(error)
        return future

    def wait_idle(self, timeout: float | None = None) -> bool:
        """Block until no entry is in work and none will be taken.

        False after `timeout` seconds.
        """
        return self._idle.wait(timeout)

    def stop(self, timeout: float = STOP_SECONDS) -> bool:
        """Cancel what is in work, leaving it resumable, and close the workspace.

        Returns:
            Whether the thread ended within `timeout` seconds.
        """
        with self._starting:
            thread, loop = self._thread, self._loop
            self._state = EngineState.STOPPED
        if thread is None or loop is None:
            return True
        if thread.is_alive() and not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout)
        return not thread.is_alive()

    # ---- the thread

    def _ensure_thread(self) -> None:
        """Start the engine's thread with the first thing that is asked of it.

        Raises:
            EngineStopped: It was stopped before; and what its thread raises before it is ready.
        """
        with self._starting:
            if self._state is EngineState.STOPPED:
                raise EngineStopped("The engine has been stopped.")
            if self._thread is not None:
                return
            ready: Future[bool] = Future()
            self._thread = threading.Thread(
                target=self._main, args=(ready,), name="sage-engine", daemon=True
            )
            self._thread.start()
            try:
                self._owned = ready.result()
            except BaseException:
                self._thread.join()
                self._thread = None
                raise

    def _main(self, ready: Future[bool]) -> None:
        """Open the workspace, serve the loop until it is stopped, then undo everything in reverse order."""
        try:
            workspace = Workspace.open(self._path)
            lock = EngineLock(workspace)
            owned = lock.try_acquire()
            if owned:
                workspace.keep_shadow()
                queue.interrupt_abandoned(workspace)
        except BaseException as error:  # noqa: BLE001 - belongs to the caller, who waits for it
            ready.set_exception(error)
            return
        self._workspace = workspace
        workspace.wait_for_writers(_OTHERS_SECONDS, self._may_wait)
        loop = self._loop = asyncio.new_event_loop()
        try:
            if not owned:
                self._set_state(EngineState.READER, _owner_text(workspace))
            ready.set_result(owned)
            loop.run_forever()
            loop.run_until_complete(self._wind_up())
        finally:
            loop.close()
            lock.release()
            workspace.close()
            self.replaced = workspace.replaced
            self._idle.set()
        self._on_event(EngineStateChanged(EngineState.STOPPED))

    def _may_wait(self) -> bool:
        """Say that another program writes, now and then.

        Wait for it until the engine is stopped.
        """
        if self._state is EngineState.STOPPED:
            return False
        at_work = self._state in (EngineState.RUNNING, EngineState.PAUSING)
        if at_work and time.monotonic() > self._tell_wait_after:
            self._tell_wait_after = time.monotonic() + _TELL_SECONDS
            self._on_event(
                EngineStateChanged(
                    self._state, "Waiting for another program that writes the file."
                )
            )
        return True

    async def _wind_up(self) -> None:
        """Cancel all work and release provider and evaluator."""
        work = (
            self._pump,
            self._configuring,
            *(task for _, task in self._running.values()),
        )
        tasks = [task for task in work if task is not None and not task.done()]
        for task in tasks:
            task.cancel(STOPPING)
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._release()

    def _begin_configuring(self, config: RunConfig, future: Future[None]) -> None:
        """Take another configuration, in the engine's thread; refused through `future` while the queue runs."""
        if self._pump is not None and not self._pump.done():
            future.set_exception(
                EngineBusy(
                    "The queue is running.", "Pause it first, then choose again."
                )
            )
            return

        async def configure() -> None:
            await self._release()
            self._config = config
            future.set_result(None)

        # Kept, and waited for by a start meanwhile.
        self._configuring = self._spawn(configure())

    async def _release(self) -> None:
        if self._run is None:
            return
        run, self._run = self._run, None
        await run.close()

    # ---- inside the loop

    def _begin(self) -> None:
        with self._starting:
            self._starts -= 1
        self._set_state(EngineState.RUNNING)  # while pausing: work again
        if self._pump is None or self._pump.done():
            self._pump = self._spawn(self._work())

    def _pause(self) -> None:
        if self._state is EngineState.RUNNING:
            self._set_state(EngineState.PAUSING)

    def _halt(self) -> None:
        if self._state is EngineState.RUNNING:
            self._set_state(EngineState.PAUSING)
        for entry_id, (_worker, task) in self._running.items():
            if entry_id not in self._cancelled | self._halted:
                self._halted.add(entry_id)
                task.cancel(STOPPING)

    async def _work(self) -> None:
        """Keep `workers` entries in work until the queue is empty or the engine pauses."""
        reason: str | Text = ""
        self._watch, self._interrupted = EnvironmentWatch(), {}
        try:
            if self._configuring is not None:
                await self._configuring
            if self._run is None:
                begin_session(self._workspace)
                hold_for_present_model(self._workspace)
                self._run = self._config.open(self._workspace, self._on_event)
            else:
                self._run.evaluator.retry()
            while True:
                self._apply_cancel_requests()
                self._fill()
                if not self._running:
                    break
                tasks = [task for _, task in self._running.values()]
                await asyncio.wait(
                    tasks, timeout=_POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                self._collect()
            reason = (
                self._watch.reason
                or self._run_over()
                or next(iter(self._interrupted.values()), "")
            )
        except SageError as error:
            # No compiler, no session file: said once, the queue stays as it is.
            reason = error.message
        except Exception:  # noqa: BLE001 - reported to the crash dialog through the event
            self._on_event(EngineFault(None, traceback.format_exc()))
            reason = "stopped by a fault of the program"
        self._set_state(EngineState.IDLE, reason)
        with self._starting:
            if not self._starts:
                self._idle.set()

    def _run_over(self) -> str | Text:
        """Which limit of the run is reached, empty while none is."""
        assert self._run is not None
        return self._run.meter.run_over() if self._run.meter is not None else ""

    def _fill(self) -> None:
        """Start waiting entries up to the number of workers."""
        workers = self._config.parameters.workers
        sequential = workers == 1
        assert self._run is not None
        while self._state is EngineState.RUNNING and len(self._running) < workers:
            busy = (*self._running, *self._interrupted)
            entry = queue.next_entry(self._workspace, busy, self._config.batch)
            if entry is None or (sequential and self._interrupted) or self._run_over():
                return
            worker = self._worker(entry)
            self._running[entry.id] = (worker, self._spawn(worker.run()))

    def _collect(self) -> None:
        """Forget finished entries.

        A bug in one of them ends the work and is reported.
        """
        cancel_requests = queue.cancel_requests(self._workspace)
        for entry_id, (worker, task) in list(self._running.items()):
            if not task.done():
                continue
            del self._running[entry_id]
            self._cancelled.discard(entry_id)
            if (
                task.cancelled()
                and entry_id in self._halted
                and entry_id not in cancel_requests
            ):
                worker.interrupt()
            elif task.cancelled():
                worker.cancel()
            elif (error := task.exception()) is not None:
                queue.mark(
                    self._workspace,
                    entry_id,
                    "failed",
                    f"stopped by a fault of the program: {error!r}",
                )
                self._on_event(
                    EngineFault(entry_id, "".join(traceback.format_exception(error)))
                )
                self._set_state(
                    EngineState.PAUSING, "a fault of the program was reported"
                )
            elif worker.interruption:
                self._interrupted[entry_id] = worker.interruption
            elif reason := self._watch.record(
                worker.environment_fault, of_all=worker.fails_all
            ):
                self._set_state(EngineState.PAUSING, reason)
            self._halted.discard(entry_id)
            self._on_event(QueueChanged())

    def _apply_cancel_requests(self) -> None:
        """Cancel entries a person, here or in another process, asked to end, interrupted ones too."""
        for entry_id in queue.cancel_requests(self._workspace):
            if entry_id in self._cancelled | self._halted:
                continue
            if entry_id in self._running:
                self._cancelled.add(entry_id)
                self._running[entry_id][1].cancel()
            elif self._run is not None:
                entry = queue.entry(self._workspace, entry_id)
                self._worker(entry).cancel()

    def _worker(self, entry: queue.QueueEntry) -> Worker:
        assert self._run is not None
        return Worker(
            self._run, self._config.parameters, self._operators, self._on_event, entry
        )

    def _write(
        self,
        change: Callable[[Workspace], Result],
        after: Callable[[], None],
        future: Future[Result],
    ) -> None:
        """Make a change in a transaction, in the engine's thread, and hand its result to `future`.

        Args:
            change: Of the workspace.
            after: Called once it is written.
            future: What the caller waits for, unless it gave up.
        """
        if not future.set_running_or_notify_cancel():
            return
        try:
            with self._workspace.transaction():
                result = change(self._workspace)
            after()
        except BaseException as error:  # noqa: BLE001 - belongs to the caller, who gets it from the future
            future.set_exception(error)
            return
        future.set_result(result)
        self._on_event(WorkspaceWritten())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        assert self._loop is not None
        return self._loop.create_task(work)

    def _call(self, step: Callable[[], None]) -> None:
        """Run `step` in the engine's thread."""
        loop = self._loop
        if self._state is EngineState.STOPPED or loop is None or loop.is_closed():
            raise EngineStopped("The engine has been stopped.")
        loop.call_soon_threadsafe(step)

    def _set_state(self, state: EngineState, reason: str | Text = "") -> None:
        if self._state is EngineState.STOPPED:
            return
        self._state = state
        self._on_event(EngineStateChanged(state, reason))


def _busy(path: Path) -> EngineBusy:
    """The refusal of a workspace another process owns."""
    with Workspace.open_readonly(path) as workspace:
        text = _owner_text(workspace)
    return EngineBusy(
        "The queue of {path} is run by another process{text}.",
        "Operators can be added from here; close the other program to run them here.",
        path=path.name,
        text=Text(" ({owner})", owner=text) if text else "",
    )


def _owner_text(workspace: Workspace) -> str:
    """The process that runs the queue, in words; empty when none does."""
    owner = engine_owner(workspace)
    return f"process {owner.pid} on {owner.host} since {owner.since}" if owner else ""
