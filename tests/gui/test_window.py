"""The whole window on a real engine: run, pause, cancel, leave, come back."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QMessageBox,
    QPushButton,
    QToolBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.engine import queue
from core.engine.demo import prepare_demo
from core.engine.engine import Engine
from core.engine.events import EngineFault
from core.engine.run_config import RunConfig
from core.method.parameters import MethodParameters
from core.operators.catalogue import find_operator
from core.replay.provider import ReplayProvider
from core.workspace import EngineLock, Workspace, now
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.adding.catalogue_dialog import CatalogueDialog
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.panels.run.dialog import RunDialog
from sage_desktop.services import wiring
from sage_desktop.services.places import demo_workspace
from sage_desktop.services.run_setup import MANUAL
from sage_desktop.services.wiring import EngineSession
from sage_desktop.shell.crash import CrashDialog
from sage_desktop.shell.main_window import PAGES, START, TRAJECTORY
from sage_desktop.ui.messages.toast import Toast
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import ThemeMode, theme
from sage_desktop.ui.typed import present
from tests.core.agent.scripted import CommentEvaluator, session

WAIT_MS = 20_000
OpenDesktop = Callable[..., Desktop]


@pytest.fixture
def open_desktop(
    qapp: QApplication, tmp_path: Path, qtbot: QtBot
) -> Iterator[OpenDesktop]:
    """Opens windows on one workspace, each with an engine of its own; all are shut down at the end."""
    path = tmp_path / "demo.sage"
    opened: list[Desktop] = []

    def open_one(*, pause: float = 0.0) -> Desktop:
        played = session()
        again = prepare_demo(path, played)
        desktop = Desktop(
            qapp,
            arguments(["--workspace", str(path)]),
            Preferences(tmp_path / "window.ini"),
        )
        engine = Engine(
            path,
            RunConfig(
                lambda: ReplayProvider(played),
                lambda: CommentEvaluator(pause),
                MethodParameters(),
            ),
            find_operator,
            desktop.session.bridge.post,
        )
        qtbot.addWidget(desktop.window)
        desktop.window.show()
        desktop.window.activateWindow()
        qtbot.waitUntil(desktop.window.isActiveWindow, timeout=WAIT_MS)
        desktop.session.open(EngineSession(engine, path, played, queued_again=again))
        qtbot.waitUntil(
            lambda: (
                desktop.operations.idle and desktop.window.queue.model.rowCount() == 4
            ),
            timeout=WAIT_MS,
        )
        opened.append(desktop)
        return desktop

    yield open_one
    for desktop in opened:
        desktop.window.set_busy(busy=False)
        desktop.window.close()
        desktop.shut_down()


def _states(desktop: Desktop) -> list[str]:
    return [row.state for row in desktop.window.queue.model.rows()]


@pytest.mark.system
def test_run_finishes_the_queue_and_every_panel_shows_it(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    window = desktop.window
    assert window.banner.text().startswith("Scripted demonstration")
    assert window.status.state == "idle"
    with qtbot.waitSignal(desktop.session.finished, timeout=WAIT_MS):
        qtbot.keyClick(window, Qt.Key.Key_F5)
    assert _states(desktop) == ["done"] * 4
    assert window.status.counts.text() == "4 of 4 operators"
    assert window.review.header.name.text() == "RmsNorm"
    assert window.review.header.latency.text() == "10.00 µs"
    assert "−50.0 %" in window.review.header.change.text()
    window.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    assert window.memory.hot_page.residents.rowCount() >= 1
    assert any(
        "round 2" in entry.text and "20.00 µs" in entry.text
        for entry in desktop.ring.entries
    )
    assert any("Promoted to hot memory" in entry.text for entry in desktop.ring.entries)


@pytest.mark.system
def test_what_is_read_in_a_run_stays_in_front(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop(pause=0.2)
    window = desktop.window
    code = window.review.code.diff
    with qtbot.waitSignal(desktop.session.finished, timeout=WAIT_MS):
        window.actions_["queue.run"].trigger()
        qtbot.waitUntil(lambda: window.review.pair is not None, timeout=WAIT_MS)
        place = code.viewport().rect().topLeft() + QPoint(40, 40)  # some line
        with qtbot.waitSignal(window.review.held):
            qtbot.mouseClick(code.viewport(), Qt.MouseButton.LeftButton, pos=place)
        number = window.review.subject.round
    assert _states(desktop) == ["done"] * 4
    first = window.queue.model.rows()[0].operator
    assert window.queue.current_row().operator == first
    assert window.review.subject.operator == first
    assert window.review.subject.round == number


def test_the_notice_that_no_model_runs_goes_when_one_is_chosen(
    open_desktop: OpenDesktop,
) -> None:
    desktop = open_desktop()
    banner = desktop.window.banner
    assert "no model is running" in banner.text()
    desktop.session.equipped("qwen3-coder", "learnt.sage")
    assert banner.text() == "Frozen memory"
    desktop.session.equipped("qwen3-coder", "")
    assert (banner.text(), banner.isVisible()) == ("", False)
    recorded = replace(session().header, origin="recorded")
    desktop.session.equipped("demo.jsonl", "", recorded)
    assert banner.text().startswith("Recorded session")


def test_a_task_of_a_profile_is_queued_only_where_its_replies_can_come_from(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    queue = desktop.window.queue.model
    task = [("catalogue", "Gelu")]
    desktop.late.task_made.emit(task, "profile")
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    assert queue.rowCount() == 4
    (text,) = desktop.window.toasts.texts
    assert "Gelu cannot be added yet" in text
    (offer,) = [
        button
        for button in desktop.window.findChildren(QToolButton)
        if button.text() == "Set Up Run…"
    ]
    offer.click()
    dialog = desktop.run_commands.dialog
    assert isinstance(dialog, RunDialog)
    dialog.model.setCurrentIndex(dialog.model.findData(MANUAL))
    (save,) = [each for each in dialog.buttons.buttons() if each.text() == "Save"]
    save.click()
    qtbot.waitUntil(lambda: queue.rowCount() == 5, timeout=WAIT_MS)


def test_a_recording_offers_only_what_it_has_replies_for(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    desktop.window.actions_["queue.add"].trigger()
    dialog = desktop.run_commands.dialog
    assert isinstance(dialog, CatalogueDialog)
    qtbot.waitUntil(lambda: bool(dialog.model.rowCount()), timeout=WAIT_MS)
    offered = {row.name for row in dialog.model.listed}
    assert offered == set(session().header.operators)
    assert "plays a recording" in dialog.message.words.text()


def test_what_waits_again_in_a_recorded_run_is_said(
    open_desktop: OpenDesktop, tmp_path: Path
) -> None:
    path = tmp_path / "demo.sage"
    prepare_demo(path, session())
    with Workspace.open(path) as workspace, workspace.transaction() as db:
        queue.mark(workspace, 1, "failed", "environment fault: the judge was lost")
        db.execute(
            "INSERT INTO trajectory(uid, queue_id, operator, operator_digest, parameters, "
            "provider, provider_origin, evaluator, started_at) "
            "VALUES ('lost', 1, 'AbsMath', '', '{}', '', 'scripted', '', ?)",
            (now(),),
        )
        db.execute("UPDATE queue_entry SET trajectory_uid = 'lost' WHERE id = 1")
    desktop = open_desktop()
    (toast,) = desktop.window.findChildren(Toast)
    words = toast.accessibleName() + toast.accessibleDescription()
    assert f"Waiting again: {session().header.operators[0]}" in words
    assert _states(desktop)[0] == "queued"


@pytest.mark.system
def test_a_version_of_one_s_own_waits_for_a_model_in_a_recorded_run(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    window = desktop.window
    window.actions_["queue.run"].trigger()
    qtbot.waitUntil(lambda: _states(desktop) == ["done"] * 4, timeout=WAIT_MS)
    window.queue.reveal(1)
    qtbot.waitUntil(
        lambda: window.review.subject is not None and window.review.subject.entry == 1,
        timeout=WAIT_MS,
    )
    window.actions_["review.fork"].trigger()
    qtbot.waitUntil(lambda: desktop.forking.dialog is not None, timeout=WAIT_MS)
    dialog = desktop.forking.dialog
    assert dialog is not None
    dialog.editor.setPlainText(dialog.editor.toPlainText() + "// mine\n")
    dialog.continue_button.click()
    qtbot.waitUntil(lambda: desktop.forking.dialog is None, timeout=WAIT_MS)
    assert any("waits for a model" in words for words in window.toasts.texts)
    dialog = desktop.run_commands.dialog
    assert isinstance(dialog, RunDialog)
    dialog.reject()
    with qtbot.waitSignal(desktop.session.finished, timeout=WAIT_MS):
        window.actions_["queue.run"].trigger()
    assert _states(desktop)[-1] == "queued"  # Run without a model fails nothing


def test_the_start_page_opens_the_models_and_a_run_leaves_no_button_to_press(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop(pause=30.0)
    window = desktop.window
    window.tabs.setCurrentIndex(START)
    page = window.lazy_page(START)
    buttons = {button.text(): button for button in page.findChildren(QPushButton)}
    buttons["Models…"].click()
    settings = desktop.late.settings
    assert settings is not None
    assert settings.pages.currentItem().text() == "Models"
    settings.reject()
    run = buttons["Run the Queue"]
    run.setFocus()
    qtbot.keyClick(run, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not run.isEnabled(), timeout=WAIT_MS)
    assert not isinstance(window.focusWidget(), QPushButton), "Enter would press it"
    window.actions_["queue.stop"].trigger()
    qtbot.waitUntil(window.actions_["queue.run"].isEnabled, timeout=WAIT_MS)


def test_pause_finishes_the_operator_in_work_only(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop(pause=0.4)
    actions = desktop.window.actions_
    actions["queue.run"].trigger()
    qtbot.waitUntil(actions["queue.pause"].isEnabled, timeout=WAIT_MS)
    with qtbot.waitSignal(desktop.session.finished, timeout=WAIT_MS):
        actions["queue.pause"].trigger()
    assert _states(desktop) == ["done", "queued", "queued", "queued"]
    assert desktop.window.status.state == "stopped"


def test_a_waiting_operator_is_cancelled_and_retried(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    queue, actions = desktop.window.queue, desktop.window.actions_
    queue.select(queue.model.listed[2])
    actions["queue.cancel"].trigger()
    assert queue.question.text() == "Cancel SwiGlu?"
    queue.question.reject()
    actions["queue.cancel"].trigger()
    queue.question.accept()
    qtbot.waitUntil(lambda: "cancelled" in _states(desktop), timeout=WAIT_MS)
    assert _states(desktop) == ["queued", "queued", "cancelled", "queued"]
    queue.select(queue.model.listed[_states(desktop).index("cancelled")])
    qtbot.waitUntil(actions["queue.retry"].isEnabled, timeout=WAIT_MS)
    actions["queue.retry"].trigger()
    qtbot.waitUntil(lambda: _states(desktop) == ["queued"] * 4, timeout=WAIT_MS)


@pytest.mark.system
def test_leaving_while_running_asks_stops_and_resumes_next_time(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop(pause=30.0)
    window = desktop.window
    window.actions_["queue.run"].trigger()
    qtbot.waitUntil(
        lambda: "running" in _states(desktop) and window.status.state == "running",
        timeout=WAIT_MS,
    )
    window.close()
    assert window.isVisible()
    box = window.findChild(QMessageBox)
    keep, leave = sorted(box.buttons(), key=lambda button: button.text())
    assert (keep.text(), leave.text()) == ("Keep Running", "Stop and Quit")
    keep.click()
    assert window.isVisible()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None, timeout=WAIT_MS)
    window.close()
    box = window.findChild(QMessageBox)
    next(button for button in box.buttons() if button.text() == "Stop and Quit").click()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=WAIT_MS)
    assert desktop.session.engine.state.value == "stopped"
    assert not list(desktop.operations.workspace.parent.glob("*-wal")), (
        "the closed file alone is the workspace"
    )

    again = open_desktop()
    row = again.window.queue.model.rows()[0]
    assert (row.state, row.interrupted) == ("queued", True), "nothing works on it"
    with qtbot.waitSignal(again.session.finished, timeout=WAIT_MS):
        again.window.actions_["queue.run"].trigger()
    assert _states(again) == ["done"] * 4


def test_a_second_process_only_reads_and_says_so(
    open_desktop: OpenDesktop, tmp_path: Path, qtbot: QtBot
) -> None:
    prepare_demo(tmp_path / "demo.sage", session())
    with Workspace.open(tmp_path / "demo.sage") as other:
        lock = EngineLock(other)
        assert lock.try_acquire()
        try:
            desktop = open_desktop()
            window = desktop.window
            qtbot.waitUntil(lambda: window.status.state == "reader", timeout=WAIT_MS)
            assert not window.actions_["queue.run"].isEnabled()
            assert not desktop.operations.can_write
            assert any("another process" in text for text in window.toasts.texts)
            assert window.queue.model.rowCount() == 4
        finally:
            lock.release()


def test_layout_page_and_theme_are_remembered(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    first = open_desktop().window
    first.actions_["view.log"].trigger()
    first.actions_["view.memory"].trigger()

    def resized() -> bool:
        first.resize(
            780, 610
        )  # again while the pages just turned to are still being laid out
        return first.height() == 610

    qtbot.waitUntil(resized)
    theme().set_mode(ThemeMode.DARK)
    first.close()
    second = open_desktop().window
    assert (
        second.height() == 610
    )  # the screen of these tests is narrower than the window may be
    assert second.log_dock.isVisible()
    assert second.tabs.currentIndex() == 1
    assert theme().mode is ThemeMode.DARK
    second.actions_["view.reset"].trigger()
    assert not second.log_dock.isVisible()


def test_pages_and_help_by_keyboard(open_desktop: OpenDesktop, qtbot: QtBot) -> None:
    window = open_desktop().window
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.pages.currentWidget() is window.memory
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is window.memory.search
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not window.queue_dock.isVisible()
    for name in ("help.guide", "help.about"):
        window.actions_[name].trigger()
    dialogs = [
        widget
        for widget in QApplication.topLevelWidgets()
        if widget.isVisible() and widget is not window
    ]
    assert {dialog.windowTitle() for dialog in dialogs} == {
        "User Guide",
        "About SAGE Desktop",
    }
    for dialog in dialogs:
        dialog.close()


def test_nothing_but_the_window_ever_comes_on_screen(
    open_desktop: OpenDesktop, qapp: QApplication
) -> None:
    seen: set[str] = set()

    class Watcher(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
            if (
                event.type() == QEvent.Type.Show
                and isinstance(watched, QWidget)
                and watched.isWindow()
            ):
                seen.add(type(watched).__name__)
            return False

    watcher = Watcher()
    qapp.installEventFilter(watcher)
    try:
        window = open_desktop().window
        window.tabs.setCurrentIndex(1)
    finally:
        qapp.removeEventFilter(watcher)
    assert seen == {"MainWindow"}


@pytest.fixture
def started(qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[Path], Desktop]]:
    """Starts the window as `sage-desktop --workspace FILE` does."""
    opened: list[Desktop] = []

    def start(path: Path) -> Desktop:
        desktop = Desktop(
            qapp,
            arguments(["--workspace", str(path)]),
            Preferences(tmp_path / "window.ini"),
        )
        opened.append(desktop)
        desktop.start()
        return desktop

    yield start
    for desktop in opened:
        desktop.window.close()
        desktop.shut_down()


@dataclass(frozen=True)
class LateEngine:
    """When an engine begins to be loaded, and whether it may be."""

    begins: threading.Event
    proceed: threading.Event


@pytest.fixture
def late_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[LateEngine]:
    """The real engine, loaded when the test says so."""
    late, open_own = LateEngine(threading.Event(), threading.Event()), wiring.open_own

    def open_late(*arguments: Any) -> EngineSession:
        late.begins.set()
        late.proceed.wait(WAIT_MS / 1000)
        return open_own(*arguments)

    monkeypatch.setattr(wiring, "open_own", open_late)
    yield late
    late.proceed.set()


def test_what_a_workspace_holds_is_shown_while_its_engine_is_still_loaded(
    started: Callable[[Path], Desktop],
    workspace: Path,
    late_engine: LateEngine,
    qtbot: QtBot,
) -> None:
    with Workspace.open(workspace) as opened, opened.transaction() as db:
        db.execute("UPDATE queue_entry SET state = 'queued' WHERE state = 'running'")
    window = started(workspace).window
    qtbot.waitUntil(lambda: window.queue.model.rowCount() == 4, timeout=WAIT_MS)
    assert window.pages.currentWidget() is window.review
    assert window.status.state == "starting"
    assert not window.actions_["queue.run"].isEnabled()
    window.tabs.setCurrentIndex(TRAJECTORY)
    late_engine.proceed.set()
    qtbot.waitUntil(window.actions_["queue.run"].isEnabled, timeout=WAIT_MS)
    assert window.tabs.currentIndex() == TRAJECTORY, "a person turned to it"


def test_what_a_killed_window_left_is_never_shown_as_running(
    started: Callable[[Path], Desktop],
    workspace: Path,
    late_engine: LateEngine,
    qtbot: QtBot,
) -> None:
    desktop = started(workspace)
    qtbot.waitUntil(late_engine.begins.is_set, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    assert "running" not in _states(desktop)
    late_engine.proceed.set()
    qtbot.waitUntil(lambda: len(_states(desktop)) == 4, timeout=WAIT_MS)
    assert "running" not in _states(desktop)


def test_the_demonstration_is_played_again_after_another_model(
    started: Callable[[Path], Desktop],
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    desktop = started(demo_workspace())
    window, session = desktop.window, desktop.session
    qtbot.waitUntil(window.actions_["queue.setup"].isEnabled, timeout=WAIT_MS)
    played = session.recorded
    assert played
    window.actions_["queue.setup"].trigger()
    dialog = desktop.run_commands.dialog
    assert isinstance(dialog, RunDialog)
    dialog.model.setCurrentIndex(dialog.model.findData(MANUAL))
    (save,) = [each for each in dialog.buttons.buttons() if each.text() == "Save"]
    save.click()
    qtbot.waitUntil(lambda: session.recorded is None, timeout=WAIT_MS)
    window.tabs.setCurrentIndex(START)
    page = present(window.lazy_page(START))
    buttons = {button.text(): button for button in page.findChildren(QPushButton)}
    assert buttons["Open the Demonstration"].isVisible()
    buttons["Open the Demonstration"].click()
    qtbot.waitUntil(lambda: session.recorded == played, timeout=WAIT_MS)
    assert window.banner.text().startswith("Recorded session")
    assert any("is played again" in text for text in window.toasts.texts)
    qtbot.waitUntil(buttons["Run the Queue"].isVisible, timeout=WAIT_MS)
    assert not buttons["Open the Demonstration"].isVisible()


def test_a_workspace_that_holds_something_else_is_not_played_as_the_demonstration(
    open_desktop: OpenDesktop,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    desktop = open_desktop()
    assert desktop.operations.workspace == demo_workspace()
    desktop.session.equipped("qwen3-coder", "")
    desktop.late.demonstration_wanted.emit()
    texts = desktop.window.toasts
    qtbot.waitUntil(lambda: bool(texts.texts), timeout=WAIT_MS)
    assert "is not a workspace of the demonstration" in texts.texts[0]
    assert desktop.session.recorded is None


def test_the_demonstration_is_opened_beside_the_window(
    started: Callable[[Path], Desktop], tmp_path: Path, qtbot: QtBot
) -> None:
    desktop = started(tmp_path / "new.sage")
    assert desktop.window.isVisible()
    assert desktop.window.status.state == "starting"
    qtbot.waitUntil(lambda: desktop.window.queue.model.rowCount() == 6, timeout=WAIT_MS)
    assert desktop.window.status.state == "idle"
    assert desktop.window.actions_["queue.run"].isEnabled()


def test_another_workspace_is_opened_for_work(
    started: Callable[[Path], Desktop], workspace: Path, qtbot: QtBot
) -> None:
    desktop = started(workspace)
    qtbot.waitUntil(lambda: desktop.window.queue.model.rowCount() == 4, timeout=WAIT_MS)
    qtbot.waitUntil(desktop.window.actions_["queue.setup"].isEnabled, timeout=WAIT_MS)
    assert desktop.window.status.state == "idle"
    assert desktop.window.banner.text() == ""


def test_a_file_that_is_no_workspace_is_refused_in_words(
    started: Callable[[Path], Desktop], tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "notes.sage").write_text(
        "not a database, only a few notes that are longer than a header" * 9
    )
    desktop = started(tmp_path / "notes.sage")
    qtbot.waitUntil(lambda: desktop.window.status.state == "failed", timeout=WAIT_MS)
    assert "is not a workspace file" in desktop.window.toasts.texts[0]


def test_the_running_operator_can_be_cancelled(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop(pause=30.0)
    actions = desktop.window.actions_
    actions["queue.run"].trigger()
    qtbot.waitUntil(lambda: _states(desktop)[0] == "running", timeout=WAIT_MS)
    qtbot.waitUntil(actions["queue.pause"].isEnabled, timeout=WAIT_MS)
    actions["queue.pause"].trigger()
    desktop.window.queue.select(desktop.window.queue.model.listed[0])
    qtbot.waitUntil(actions["queue.cancel"].isEnabled, timeout=WAIT_MS)
    queue = desktop.window.queue
    bar = desktop.window.findChild(QToolBar, "tools")
    assert actions["queue.cancel"] not in bar.actions(), "used less than once an hour"
    table = queue.table
    row = table.visualRect(queue.model.index(0, 0)).center()
    table.customContextMenuRequested.emit(row)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    queue.refresh()  # the engine tells something while the menu is open
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    assert queue.current_row().operator == "AbsMath"
    (cancel,) = [a for a in menu.actions() if a is actions["queue.cancel"]]
    menu.close()
    cancel.trigger()
    assert queue.question.text().startswith("Cancel AbsMath")
    with qtbot.waitSignal(desktop.session.finished, timeout=WAIT_MS):
        queue.question.accept()
    assert _states(desktop) == ["cancelled", "queued", "queued", "queued"]


def test_stop_run_interrupts_at_once_and_run_goes_on(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop(pause=30.0)
    actions = desktop.window.actions_
    assert not actions["queue.stop"].isEnabled()
    actions["queue.run"].trigger()
    qtbot.waitUntil(lambda: _states(desktop)[0] == "running", timeout=WAIT_MS)
    qtbot.waitUntil(actions["queue.stop"].isEnabled, timeout=WAIT_MS)
    with qtbot.waitSignal(desktop.session.finished, timeout=WAIT_MS):
        actions["queue.stop"].trigger()
        assert desktop.window.status.state == "stopping"
    assert _states(desktop) == ["queued"] * 4
    assert desktop.window.status.state == "stopped"
    assert desktop.window.queue.model.rows()[0].interrupted
    assert not actions["queue.stop"].isEnabled()
    assert actions["queue.run"].isEnabled()


def test_a_fault_of_the_engine_reaches_the_user_as_a_report(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    desktop.session.bridge.post(EngineFault(None, "Traceback: KeyError 'x'"))
    qtbot.waitUntil(
        lambda: bool(desktop.window.findChildren(CrashDialog)), timeout=WAIT_MS
    )
    dialog = desktop.window.findChildren(CrashDialog)[0]
    assert "KeyError 'x'" in dialog.report.toPlainText()
    dialog.close()


def test_the_memory_is_ready_before_anybody_looks(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    window = open_desktop().window
    qtbot.waitUntil(lambda: bool(window.findChildren(MemoryPanel)), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.memory.model.rowCount() == 4, timeout=WAIT_MS)
    assert window.pages.currentWidget() is window.review


def test_another_language_is_offered_with_a_new_start_in_words_of_both(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    desktop = open_desktop()
    desktop.window.actions_["file.settings"].trigger()
    settings = desktop.late.settings
    settings.rows["appearance/language"].set_value("zh_CN")
    settings.reject()
    assert (
        "The language changes after a restart. 语言将在重启后更改。"
        in desktop.window.toasts.texts
    )
    (toast,) = desktop.window.findChildren(Toast)
    assert toast.offer.text() == "Restart Now · 立即重启"
    qtbot.mouseClick(toast.offer, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not desktop.window.isVisible(), timeout=WAIT_MS)
    assert desktop.restarts


def test_a_panel_is_detached_and_closed_by_its_head_and_dragged_by_it(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    window = open_desktop().window
    window.actions_["view.log"].setChecked(True)
    dock, head = window.log_dock, window.log.head
    qtbot.mouseClick(head.detach, Qt.MouseButton.LeftButton)
    assert dock.isFloating()
    qtbot.mouseClick(head.detach, Qt.MouseButton.LeftButton)
    assert not dock.isFloating()
    start = head.rect().center()
    qtbot.mousePress(head, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 6):
        qtbot.mouseMove(head, start - QPoint(0, 60 * step))
    qtbot.mouseRelease(head, Qt.MouseButton.LeftButton, pos=start - QPoint(0, 300))
    assert dock.isFloating(), "it left its place with the pointer"
    window.actions_["view.reset"].trigger()
    assert not dock.isFloating()
    window.actions_["view.log"].setChecked(True)
    qtbot.mouseClick(head.close_, Qt.MouseButton.LeftButton)
    assert not dock.isVisible()
    assert not window.actions_["view.log"].isChecked()


def test_a_click_on_an_operator_shows_it_from_a_page_of_no_operator(
    open_desktop: OpenDesktop, qtbot: QtBot
) -> None:
    window = open_desktop().window
    table = window.queue.table
    place = table.visualRect(window.queue.model.index(1, 0)).center()
    for page, then in (
        ("start", "review"),
        ("hosts", "review"),
        ("results", "results"),
    ):
        window.tabs.setCurrentIndex(PAGES.index(page))
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert PAGES[window.pages.currentIndex()] == then
    window.tabs.setCurrentIndex(PAGES.index("start"))
    several = Qt.KeyboardModifier.ControlModifier
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, several, place)
    assert PAGES[window.pages.currentIndex()] == "start", "one chooses several"
