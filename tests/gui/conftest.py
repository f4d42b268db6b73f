"""Windows are driven off screen; a test that leaves a widget, thread or timer behind fails."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from core.workspace import Workspace
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.panels.queue.panel import QueuePanel
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.ui import theme, translation
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from tests.gui import sample_workspace


@pytest.fixture(autouse=True)
def look(qapp: QApplication, tmp_path: Path) -> theme.Theme:
    """The light theme and English, with preferences of their own."""
    preferences = Preferences(tmp_path / "window.ini")
    preferences.set("appearance/theme", theme.ThemeMode.LIGHT.value)
    preferences.set("appearance/language", translation.ENGLISH)
    translation.install(qapp, preferences)
    return theme.install(qapp, preferences)


@pytest.fixture(autouse=True, scope="module")
def _what_other_files_left() -> None:
    """Looked through once a file; each of its tests then looks through its own objects only."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left_behind(
    qapp: QApplication, request: pytest.FixtureRequest
) -> Iterator[None]:
    """No window stays on screen and no thread goes on after a test.

    What outlives it is set aside: a closed application gives back all that was, and without it each later
    test would look through everything that was ever imported, for 0.1 s and more.
    """
    threads = set(threading.enumerate())
    yield
    for window in qapp.topLevelWidgets():
        if isinstance(window, QMainWindow) and not window.isVisible():
            window.deleteLater()  # a closed window is kept by its parts; each would slow the tests after it
    for _round in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        qapp.processEvents()
    request.node.funcargs.clear()  # it holds the test's windows until the next one begins
    gc.collect()
    gc.freeze()
    shown = [widget for widget in qapp.topLevelWidgets() if widget.isVisible()]
    assert not shown, f"still on screen: {shown}"
    for thread in set(threading.enumerate()) - threads:
        thread.join(5)
        assert not thread.is_alive(), f"still running: {thread}"


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Remembered settings in a file of this test."""
    return Preferences(tmp_path / "window.ini")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one finished, one running and two waiting operators."""
    return sample_workspace.build(tmp_path / "sample.sage")


@pytest.fixture
def operations(workspace: Path, qtbot: QtBot) -> Iterator[Operations]:
    """Background reads of the sample workspace; a failure fails the test."""
    made = Operations(workspace)
    problems: list[object] = []
    made.failed.connect(problems.append)
    made.crashed.connect(problems.append)
    yield made
    qtbot.waitUntil(lambda: made.idle, timeout=60_000)
    made.close()
    assert not problems


@pytest.fixture
def settled(operations: Operations, qtbot: QtBot) -> Callable[[], None]:
    """Wait until everything asked for in the background has arrived."""
    return lambda: qtbot.waitUntil(lambda: operations.idle, timeout=60_000)


class DirectWriter:
    """Stands where the engine's writer is: the same changes, on a connection of its own, at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, change: Callable[[Workspace], object]) -> object:
        from concurrent.futures import Future

        future: Future[object] = Future()
        with Workspace.open(self._path) as workspace:
            try:
                with workspace.transaction():
                    result = change(workspace)
            except BaseException as error:  # noqa: BLE001 - handed to the caller
                future.set_exception(error)
            else:
                future.set_result(result)
        return future


@pytest.fixture
def writer(workspace: Path) -> DirectWriter:
    """A writer for the sample workspace."""
    return DirectWriter(workspace)


@pytest.fixture
def registry(qtbot: QtBot) -> ActionRegistry:
    """The commands, owned by a plain widget."""
    owner = QWidget()
    qtbot.addWidget(owner)
    made = ActionRegistry(owner)
    owner.registry = made  # type: ignore[attr-defined] - keeps the owner alive as long as the registry
    made.owner = owner  # type: ignore[attr-defined]
    return made


@pytest.fixture
def memory_panel(
    operations: Operations,
    writer: DirectWriter,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> MemoryPanel:
    """The memory page on the sample workspace, with a writer."""
    operations.set_writer(writer)
    made = MemoryPanel(operations, registry, preferences)
    operations.written.connect(lambda _topics: made.activate())
    qtbot.addWidget(made)
    made.resize(1300, 800)
    made.show()
    made.activate()
    settled()
    settled()
    return made


@pytest.fixture
def review_panel(
    operations: Operations,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> ReviewPanel:
    """The review of AbsMath, which has six rounds."""
    made = ReviewPanel(operations, registry, preferences)
    qtbot.addWidget(made)
    made.resize(1500, 800)
    made.show()
    queue = QueuePanel(operations, registry)
    qtbot.addWidget(queue)
    queue.refresh()
    settled()
    made.show_operator(queue.model.rows()[0])
    settled()
    return made
