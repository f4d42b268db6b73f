"""One workspace in one window: commands go to the engine, its events come to the window."""

from __future__ import annotations

import importlib
import logging
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from core.errors import SageError
from sage_desktop.shell.crash import CrashReporter
from sage_desktop.shell.garbage import give_back
from sage_desktop.shell.main_window import MainWindow
from sage_desktop.ui.translation import translated

if TYPE_CHECKING:
    from core.engine.engine import Engine
    from core.engine.events import EngineEvent, EngineStateChanged
    from core.replay.session_file import SessionHeader
    from sage_desktop.services.wiring import EngineSession

logger = logging.getLogger("engine")
STOP_SECONDS = 3.0
_SETTLE_MS = 100
PRELOAD_MS = 1200


@dataclass(frozen=True)
class Stopped:
    """Why a run ended while operators wait.

    Attributes:
        by_hand: Whether the person in front of the window ended it.
        reason: In one sentence.
    """

    by_hand: bool
    reason: str


class WorkspaceSession(QObject):
    """Connects window, engine and workspace.

    Signals:
        begun: Work on the queue begins.
        finished: The queue ran until nothing was left to do, and the panels show the result.
        writable: Whether this window may change the workspace, when that becomes known or changes.
    """

    begun = Signal()
    finished = Signal()
    writable = Signal(bool)
    _stopped = Signal()

    def __init__(self, window: MainWindow, crash: CrashReporter) -> None:
        super().__init__()
        self._window = window
        operations = self._operations = window.operations
        self._crash = crash
        self.engine: Engine | None = None  # until a workspace was opened
        self._ran = False
        self.began = ""  # ISO time of the run under way, else of the last one; empty before the first
        self.failures = 0  # entries of that run that failed
        self.worked = 0  # entries of that run that were begun or continued
        self.stopped: Stopped | None = None  # why that run ended before its queue did
        self._frozen = ""
        # The session that is played; None for a live model.
        self._replayed: SessionHeader | None = None
        self._halting = False
        self.bridge = EventBridge(self)
        self.bridge.arrived.connect(self._arrived)
        self._settle = QTimer(self, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        # the memory page is made ahead of its first use
        self._preload = QTimer(self, singleShot=True, interval=PRELOAD_MS)
        self._preload.timeout.connect(self._load_memory)
        window.leaving.connect(self.leave)
        self._stopped.connect(self._left)
        operations.failed.connect(window.toasts.show_error)
        operations.crashed.connect(crash.show_error)
        operations.written.connect(window.refresh)
        crash.known.connect(window.toasts.show_error)
        window.queue.cancelled.connect(self._cancel)
        window.queue.counted.connect(window.status.show_counts)
        window.actions_.bind("queue.run", self.run)
        window.actions_.bind("queue.pause", self._pause)
        window.actions_.bind("queue.stop", self._halt)
        window.actions_.enable(
            {"queue.run": False, "queue.pause": False, "queue.stop": False}
        )

    def open(self, engine_session: EngineSession) -> None:
        """Take over a workspace with its engine, and show it."""
        self.engine = engine_session.engine
        self._operations.workspace = engine_session.workspace_path
        self._operations.set_writer(engine_session.engine.submit)
        self._window.setWindowTitle(
            f"{engine_session.workspace_path.name} \N{EM DASH} SAGE Desktop"
        )
        self._window.setWindowFilePath(str(engine_session.workspace_path))
        self._replayed = (
            engine_session.session.header
            if engine_session.session is not None
            else None
        )
        self._show_notice()
        from core.memory.frozen import claimed

        self._operations.ask(
            self._window, claimed, lambda claim: self._set_frozen(claim[0])
        )
        provider = engine_session.session.header.model if engine_session.session else ""
        self._window.status.show_parties(provider, engine_session.workspace_path.name)
        self._window.open_last_page()
        if engine_session.queued_again:
            self._window.toasts.show_message(
                self.tr("Waiting again: {0}").format(
                    ", ".join(engine_session.queued_again)
                ),
                self.tr(
                    "A fault of the machine had stopped the recorded run there; it goes "
                    "on in its order."
                ),
            )
        self._operations.write(
            self._window,  # gone before the answer comes: then there is nothing to tell
            lambda _workspace: None,
            lambda _none: self._ready(),
            topics=frozenset({"queue", "memory"}),
        )

    def equipped(
        self, provider: str, frozen: str, replayed: SessionHeader | None = None
    ) -> None:
        """Show what the engine works with from now on.

        Args:
            provider: Who writes the kernels, for the status line.
            frozen: Name of the frozen memory it reads, empty for the workspace's own.
            replayed: The session it replays, None for a live model.
        """
        self._window.status.show_parties(provider, self._operations.workspace.name)
        self._replayed, self._frozen = replayed, frozen
        self._show_notice()

    @property
    def recorded(self) -> tuple[str, ...] | None:
        """Operators of the catalogue that the session played has replies for; None for a live model."""
        return None if self._replayed is None else self._replayed.operators

    def _set_frozen(self, name: str) -> None:
        self._frozen = name
        self._show_notice()

    def _show_notice(self) -> None:
        """Say across the window what is true as long as the engine works with this."""
        titles, texts = [], []
        origin = "" if self._replayed is None else self._replayed.origin
        if origin == "recorded":
            titles.append(self.tr("Recorded session \N{EN DASH} no model is running"))
            texts.append(
                self.tr(
                    "Language models wrote these replies from the prompts alone, unedited. Each kernel "
                    "is compiled, checked and timed again; latencies are modelled by the CPU twin."
                )
            )
        elif origin:
            titles.append(
                self.tr("Scripted demonstration \N{EN DASH} no model is running")
            )
            texts.append(
                self.tr(
                    "The replies were written by hand and are played back. Compiling, checking, credit and "
                    "memory are real; latencies are modelled by the CPU twin."
                )
            )
        if self._frozen:
            titles.append(self.tr("Frozen memory"))
            words = self.tr(
                "Retrieval and resident rules come from {0}, which is only read. Results are kept here; "
                "nothing is learnt."
            )
            texts.append(words.format(self._frozen))
        self._window.show_notice(" · ".join(titles), " ".join(texts))

    def view(self, path: Path) -> None:
        """Show a workspace without an engine: reading only."""
        self._operations.workspace = path
        self._window.setWindowTitle(f"{path.name} \N{EM DASH} SAGE Desktop")
        self._window.status.show_parties("", path.name)
        self._window.status.show_state("viewer")
        self._window.toasts.show_message(
            self.tr("{0} is open read-only.").format(path.name),
            self.tr(
                "It belongs to another recording or may not be written; this window follows it."
            ),
        )
        self._window.queue.refresh()
        self._window.open_last_page()

    def _ready(self) -> None:
        """The engine owns the workspace: commands may be given."""
        if self._window.status.state == "starting":
            self._window.status.show_state("idle")
        self._window.actions_.enable({"queue.run": True})
        self.writable.emit(True)  # noqa: FBT003 - a signal
        self._window.refresh(frozenset({"queue", "memory"}))
        self._preload.start()

    def _load_memory(self) -> None:
        """Make the page; its modules are read beside the window, which goes on meanwhile."""
        self._operations.run_in_background(
            self._window,
            _read_memory_page,
            lambda _none: self._window.memory.activate(),
        )

    def run(self) -> None:
        """Work through the queue."""
        if self.engine is None:
            return
        try:
            self.engine.start()
        except SageError as error:
            self._window.toasts.show_error(error)

    def _pause(self) -> None:
        if self.engine is not None:
            self.stopped = Stopped(by_hand=True, reason=self.tr("You paused it."))
            self.engine.pause_after_current()

    def _halt(self) -> None:
        if self.engine is not None:
            self._halting = True
            self.stopped = Stopped(by_hand=True, reason=self.tr("You stopped it."))
            self._window.actions_.enable({"queue.stop": False})
            self._window.status.show_state("stopping")
            self.engine.halt()

    def _cancel(self, ids: list[int]) -> None:
        if self.engine is not None:
            for entry in ids:
                self.engine.cancel(entry).add_done_callback(self._operations.report)

    def _arrived(self, events: list[EngineEvent]) -> None:
        from sage_desktop.shell.event_words import topics_of, words_of

        topics: set[str] = set()
        for event in events:
            topics |= topics_of(event)
            line = None if self._is_told(event) else words_of(event)
            if line is not None:
                logger.log(line.level, "%s", line.text)
                if line.activity:
                    self._window.status.show_activity(line.activity)
                if line.toast:
                    self._window.toasts.show_message(line.text, line.hint, line.toast)
            self._window.queue.take_event(event)
            self._obey(event)
        if topics:
            self._window.refresh(frozenset(topics))

    def _is_told(self, event: EngineEvent) -> bool:
        """The engine says why it stops when it begins to, and again when it has."""
        from core.engine.events import EngineStateChanged

        reason = event.reason if isinstance(event, EngineStateChanged) else ""
        stop_reason = self.stopped.reason if self.stopped is not None else ""
        return bool(reason) and translated(reason) == stop_reason

    def _obey(self, event: EngineEvent) -> None:
        from core.agent.run.records import ReplyStreamed
        from core.engine.events import (
            EngineFault,
            EngineStateChanged,
            EntryFinished,
            EntryStarted,
        )

        if isinstance(event, ReplyStreamed):
            self._window.trajectory.stream(
                event.trajectory,
                event.purpose,
                event.round,
                *event.pieces,
                attempt=event.attempt,
            )
        elif isinstance(event, EngineFault):
            self._crash.show_error(RuntimeError(f"the engine stopped:\n{event.report}"))
        elif isinstance(event, EntryStarted):
            self.worked += 1
        elif isinstance(event, EntryFinished):
            self.failures += event.state == "failed"
        elif isinstance(event, EngineStateChanged):
            self._take_state(event)

    def _take_state(self, event: EngineStateChanged) -> None:
        """Show what the engine does now, and which commands that leaves."""
        from core.engine.events import EngineState
        from core.workspace import now

        state = event.state
        if event.reason:
            self.stopped = Stopped(by_hand=False, reason=translated(event.reason))
        working = state in (EngineState.RUNNING, EngineState.PAUSING)
        self._halting = self._halting and state is EngineState.PAUSING
        still = state in (EngineState.IDLE, EngineState.STOPPED)
        state_name = state.value
        if still:
            state_name = "idle" if self.stopped is None else "stopped"
        self._window.status.show_state("stopping" if self._halting else state_name)
        reader = state is EngineState.READER
        self._window.set_busy(busy=working)
        self._window.actions_.enable(
            {
                "queue.run": not reader and state is not EngineState.RUNNING,
                "queue.pause": state is EngineState.RUNNING,
                "queue.stop": working and not self._halting,
            }
        )
        if reader:
            self._operations.set_writer(None)
            self.writable.emit(False)  # noqa: FBT003 - a signal
            self._window.refresh(frozenset({"queue", "memory"}))
        if working:
            if not self._ran:
                self.began = now()
                self.failures = self.worked = 0
                self.stopped = None
                self.begun.emit()
            self._ran = True
        elif state is EngineState.IDLE:
            self._window.status.show_activity("")
            if self.stopped is not None:
                self._window.queue.show_stop(self.stopped.reason)
            if self._ran:
                self._ran = False
                self._settle.start()

    def _settled(self) -> None:
        if self._operations.idle:
            self._settle.stop()
            give_back()
            self.finished.emit()

    def leave(self) -> None:
        """Stop the engine without blocking the window, then close it."""
        self._window.status.show_state("stopping")
        self._preload.stop()
        self._window.setEnabled(False)
        self._operations.close()
        engine = self.engine

        def stop() -> None:
            if engine is not None:
                engine.stop(STOP_SECONDS)
            self._stopped.emit()

        threading.Thread(target=stop, name="stop-engine", daemon=True).start()

    def _left(self) -> None:
        self._window.set_busy(busy=False)
        self._window.close()

    def shut_down(self) -> None:
        """Stop the engine and wait for reads: the last thing before the program ends."""
        self._settle.stop()
        self._preload.stop()
        self.bridge.close()
        self._operations.close()
        if self.engine is not None:
            self.engine.stop(STOP_SECONDS)


def _read_memory_page() -> None:
    importlib.import_module("sage_desktop.panels.memory.panel")


GATHER_MS = 40


class EventBridge(QObject):
    """Carries events into the thread it was made in.

    Signals:
        arrived: A list of events in the order the engine sent them.
    """

    arrived = Signal(list)
    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[object] = deque()
        self._open = True
        self._timer = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._timer.timeout.connect(self.deliver)
        self._wake.connect(self._start, Qt.ConnectionType.QueuedConnection)

    def post(self, event: object) -> None:
        """Take an event from any thread; returns at once."""
        if not self._open:
            return
        self._waiting.append(event)
        self._wake.emit()

    def close(self) -> None:
        """Take and deliver nothing any more: the window goes."""
        self._open = False
        self._timer.stop()
        self._waiting.clear()

    @Slot()
    def _start(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def deliver(self) -> None:
        """Hand on everything gathered until now."""
        batch = []
        while self._waiting:
            batch.append(self._waiting.popleft())
        if batch:
            self.arrived.emit(batch)
