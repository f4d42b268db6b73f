"""Opening a workspace beside the window's thread: loading the method takes a second one would feel."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import SageError
from sage_desktop.services.places import demo_workspace
from sage_desktop.ui.diff.highlight import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.engine.events import EngineEvent

_FIRST = "sage_desktop.panels.review.panel"
_NEXT_PANELS = (
    "trajectory.panel",
    "results.panel",
    "start.panel",
    "preferences.dialog",
    "run.dialog",
    "adding.catalogue_dialog",
    "adding.custom_dialog",
    "adding.import_dialog",
    "hosts.panel",
    "hosts.summary",
    "timeline.panel",
    "workload.panel",
    "diagnosing.dialog",
    "forking.dialog",
)
_NEXT = (
    *(f"sage_desktop.panels.{name}" for name in _NEXT_PANELS),
    "sage_desktop.services.wiring",
    "remote.toolchains.twin.tools",
)
"""What somebody is likely to want next; read here, so that no click waits for files to be read."""
# Nobody works on it any more where its process was killed; its engine puts that right.
_RUNNING = "SELECT 1 FROM queue_entry WHERE state = 'running' LIMIT 1"


def _load_the_rest() -> None:
    for module in _NEXT:
        importlib.import_module(module)
    warm_up()


class Opening(QObject):
    """Opens one workspace; exactly one of opened, foreign, failed and crashed follows `start`.

    Signals:
        readable: Path of the workspace: it is there, of this release, and at rest. Its
            engine follows.
        opened: The `EngineSession`.
        loaded: Everything likely to be needed next is in memory; follows `opened`.
        foreign: Path of a workspace that can only be read here: another demonstration, or a file that may not
            be written.
        failed: A `SageError` with the reason.
        crashed: Any other exception.
    """

    readable = Signal(object)
    opened = Signal(object)
    loaded = Signal()
    foreign = Signal(object)
    failed = Signal(object)
    crashed = Signal(object)

    def __init__(
        self,
        path: Path | None,
        on_event: Callable[[EngineEvent], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._path = path
        self._on_event = on_event
        self._thread = threading.Thread(
            target=self._run, name="open-workspace", daemon=True
        )

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self) -> None:
        """Let it come to its end: before the objects it reports to go."""
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            importlib.import_module(_FIRST)
            from core.workspace import ReadOnlyWorkspace, Workspace

            path = self._path or demo_workspace()
            try:
                if path.exists():
                    # One of an older release is brought up to date.
                    with Workspace.open(path) as workspace:
                        rests = not workspace.db.execute(_RUNNING).fetchone()
                    if rests:
                        self.readable.emit(path)
                self._open(path)
            except ReadOnlyWorkspace:  # a run that came as a bundle, a backup on a medium that cannot be written
                if not path.exists():
                    raise
                self.foreign.emit(path)
            _load_the_rest()
            self.loaded.emit()
        except SageError as error:
            self.failed.emit(error)
        except BaseException as error:  # noqa: BLE001 - told in the window's thread
            self.crashed.emit(error)

    def _open(self, path: Path) -> None:
        from core.engine.demo import NotThisDemo, is_demo
        from sage_desktop.services import wiring

        open_it = wiring.open_demo if is_demo(path) else wiring.open_own
        try:
            session = open_it(path, self._on_event)
        except NotThisDemo:
            self.foreign.emit(path)
        else:
            self.opened.emit(session)
