"""The end of a run in the window: its report one click away, and a message of the desktop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from core.engine import queue
from core.engine.events import (
    EngineState,
    EngineStateChanged,
    EntryFinished,
    EntryStarted,
)
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.panels.results.panel import ResultsPanel
from sage_desktop.shell.background.reporting import RunReports
from sage_desktop.shell.crash import CrashReporter
from sage_desktop.shell.main_window import RESULTS, MainWindow
from sage_desktop.shell.run_commands import notify
from sage_desktop.shell.session import WorkspaceSession
from sage_desktop.ui.messages.toast import Toast
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.typed import expect
from tests.gui.conftest import DirectWriter

WAIT_MS = 60_000


class Browser(QObject):
    """Takes the pages the window opens."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[Path] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.pages.append(Path(url.toLocalFile()))


@pytest.fixture
def browser() -> Iterator[Browser]:
    made = Browser()
    QDesktopServices.setUrlHandler("file", made, "take")
    yield made
    QDesktopServices.unsetUrlHandler("file")


@pytest.fixture
def window(
    operations: Operations,
    preferences: Preferences,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> MainWindow:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    window = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(window)
    window.resize(1280, 720)
    window.show()
    return window


@pytest.fixture
def session(window: MainWindow) -> WorkspaceSession:
    return WorkspaceSession(window, CrashReporter(window))


@pytest.fixture
def reports(window: MainWindow, session: WorkspaceSession) -> RunReports:
    return RunReports(window, session)


def _offered(reports: RunReports) -> QToolButton:
    window = reports.parent()
    assert isinstance(window, MainWindow)
    buttons = [
        button
        for toast in window.findChildren(Toast)
        for button in toast.findChildren(QToolButton)
    ]
    return next(button for button in buttons if button.text().startswith("Open"))


def _texts(reports: RunReports) -> list[str]:
    window = reports.parent()
    assert isinstance(window, MainWindow)
    return window.toasts.texts


def test_the_report_of_the_run_that_ended_is_one_click_away(
    reports: RunReports,
    session: WorkspaceSession,
    browser: Browser,
    settled: Callable[[], None],
) -> None:
    session.worked = 1
    reports.offer()
    assert _offered(reports).text() == "Open Run Report"
    _offered(reports).click()
    settled()
    (page,) = browser.pages
    assert page.name == "sample.html"
    assert "AbsMath" in page.read_text()
    assert page.parent.stat().st_mode & 0o077 == 0, "kernels lie in it"
    assert any("is open in the browser" in text for text in _texts(reports))


@pytest.mark.qt_log_ignore("^This plugin does not support QPlatformServices")
def test_without_a_browser_the_report_is_not_said_to_be_open(
    reports: RunReports, settled: Callable[[], None], tmp_path: Path
) -> None:
    reports.open()
    settled()
    (page,) = (tmp_path / "data" / "reports").glob("*.html")
    (text,) = _texts(reports)
    assert text.startswith(f"The run report was written to {page}.")
    assert "could not be opened" in text


@pytest.mark.qt_log_ignore("^This plugin does not support QPlatformServices")
def test_a_folder_that_cannot_be_shown_is_named(
    window: MainWindow, tmp_path: Path
) -> None:
    offer = window.toasts.folder_offer(tmp_path)
    toast = window.toasts.show_message("The kernel was exported.", offer=offer)
    assert toast.offer.text() == "Open Folder"
    toast.offer.click()
    assert window.toasts.texts[-1].startswith(f"{tmp_path} could not be opened.")


def test_a_run_with_failures_does_not_end_like_one_without(
    window: MainWindow, session: WorkspaceSession, reports: RunReports, qtbot: QtBot
) -> None:
    session.finished.connect(reports.offer)
    for state in ("failed", "done"):
        window.toasts.clear()
        session.bridge.post(EngineStateChanged(EngineState.RUNNING))
        session.bridge.post(EntryStarted(1, "", "AbsMath", resumed=False))
        session.bridge.post(EntryFinished(1, "", "AbsMath", state, ""))
        session.bridge.post(EngineStateChanged(EngineState.IDLE))
        with qtbot.waitSignal(session.finished):
            pass
        ending = "; one operator failed" if state == "failed" else ""
        assert any(f"run has ended{ending}." in text for text in window.toasts.texts)


def test_a_run_that_stopped_says_why_beside_the_queue_and_goes_on_with_one_click(
    window: MainWindow,
    session: WorkspaceSession,
    reports: RunReports,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    session.finished.connect(reports.offer)
    window.queue.refresh()
    qtbot.waitUntil(lambda: window.queue.unfinished == 3)
    session.bridge.post(EngineStateChanged(EngineState.RUNNING))
    session.bridge.post(EntryStarted(1, "", "AbsMath", resumed=False))
    why = "stopped: two operators in a row got no usable reply"
    with qtbot.waitSignal(session.finished):
        session.bridge.post(EngineStateChanged(EngineState.PAUSING, why))
        session.bridge.post(EngineStateChanged(EngineState.IDLE, why))
    assert sum(why in line for line in caplog.messages) == 1, "one line of the log"
    assert not any("has ended" in text for text in window.toasts.texts)
    assert any(
        text == f"The run has stopped; 3 operators wait. {why}"
        for text in window.toasts.texts
    )
    toast = window.toasts.shown[-1]
    assert (toast.offer.text(), toast.second.text()) == ("Go On", "Set Up Run…")
    card = window.queue.stop
    assert card.isVisible()
    assert card.reason.text() == why
    went_on: list[bool] = []
    window.actions_["queue.run"].triggered.connect(lambda: went_on.append(True))
    window.actions_.enable({"queue.run": True})
    card.resume.click()
    assert went_on
    session.bridge.post(EntryStarted(2, "", "Lerp", resumed=True))
    qtbot.waitUntil(card.isHidden)


def test_run_with_an_empty_queue_says_so_and_offers_operators(
    window: MainWindow, session: WorkspaceSession, reports: RunReports, qtbot: QtBot
) -> None:
    session.finished.connect(reports.offer)
    with qtbot.waitSignal(session.finished):
        session.bridge.post(EngineStateChanged(EngineState.RUNNING))
        session.bridge.post(EngineStateChanged(EngineState.IDLE))
    (text,) = window.toasts.texts
    assert text.startswith("No operator waits: nothing was run.")
    assert window.toasts.shown[0].offer.text() == "Add Operators…"
    assert window.toasts.shown[0].second.isHidden(), "nothing has failed"


def test_run_with_nothing_but_failures_offers_to_retry_them(
    window: MainWindow,
    session: WorkspaceSession,
    reports: RunReports,
    writer: DirectWriter,
    settled: Callable[[], None],
) -> None:
    for entry in (1, 2, 3, 4):
        state = "failed" if entry == 2 else "done"
        writer(
            lambda workspace, entry=entry, state=state: workspace.db.execute(
                "UPDATE queue_entry SET state = ? WHERE id = ?", (state, entry)
            )
        ).result()
    window.operations.set_writer(writer)
    window.queue.refresh()
    settled()
    reports.offer()
    again = window.toasts.shown[0].second
    assert again.text() == "Retry Failed Operators"
    again.click()
    settled()
    states = {row.id: row.state for row in window.queue.model.rows()}
    assert states == {1: "done", 2: "queued", 3: "done", 4: "done"}


def test_results_say_where_a_run_is_whose_operator_was_retried(
    window: MainWindow,
    writer: DirectWriter,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    writer(lambda workspace: queue.retry(workspace, 1)).result()
    window.tabs.setCurrentIndex(RESULTS)
    settled()
    page = expect(window.lazy_page(RESULTS), ResultsPanel).operators
    page.choose("trajectory-1")
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    settled()
    (text,) = window.toasts.texts
    assert text.startswith("This operator was retried")
    assert "among the versions it can be compared with" in text


def test_how_a_run_ended_is_taken_back_when_the_next_one_begins(
    window: MainWindow, session: WorkspaceSession, reports: RunReports, qtbot: QtBot
) -> None:
    session.finished.connect(reports.offer)
    window.queue.refresh()
    qtbot.waitUntil(lambda: window.queue.unfinished == 3)
    with qtbot.waitSignal(session.finished):
        session.bridge.post(EngineStateChanged(EngineState.RUNNING))
        session.bridge.post(EngineStateChanged(EngineState.IDLE, "no usable reply"))
    assert any("The run has stopped" in text for text in window.toasts.texts)
    session.bridge.post(EngineStateChanged(EngineState.RUNNING))
    qtbot.waitUntil(lambda: not window.toasts.texts)


def test_a_kernel_of_the_run_that_ended_is_two_clicks_from_a_project(
    reports: RunReports,
    session: WorkspaceSession,
    settled: Callable[[], None],
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    window = reports.parent()
    assert isinstance(window, MainWindow)
    window.queue.refresh()
    settled()
    session.worked = 1
    reports.offer()
    (toast,) = window.findChildren(Toast)
    assert toast.second.text() == "Use This Kernel…"
    toast.second.click()
    buttons = {each.text(): each for each in reports.use.question.buttons()}
    buttons["For CANN…"].click()
    reports.use.dialog.fileSelected.emit(str(tmp_path))
    reports.use.dialog.close()
    assert any(text.startswith("Writing ") for text in window.toasts.texts)
    written = "The project was written to "
    qtbot.waitUntil(
        lambda: any(text.startswith(written) for text in window.toasts.texts),
        timeout=WAIT_MS,
    )
    qtbot.waitUntil(
        lambda: not any(text.startswith("Writing ") for text in window.toasts.texts),
        timeout=WAIT_MS,
    )
    (toast,) = [
        each for each in window.toasts.shown if written in each.accessibleName()
    ]
    assert toast.offer.text() == "Open Folder"
    (readme,) = tmp_path.glob("*-package/README.md")
    assert "aclnnAbsMathGetWorkspaceSize" in readme.read_text()


def test_the_best_kernel_of_the_selected_operator_is_written(
    reports: RunReports, settled: Callable[[], None]
) -> None:
    window = reports.parent()
    assert isinstance(window, MainWindow)
    window.queue.refresh()
    settled()
    for row, offered in ((0, True), (3, False)):
        window.queue.table.selectRow(row)
        assert window.actions_["queue.use"].isEnabled() is offered
    window.queue.table.selectRow(0)
    settled()
    settled()
    (use,) = [
        button
        for button in window.review.header.findChildren(QToolButton)
        if button.defaultAction() is window.actions_["queue.use"]
    ]
    assert use.isVisible(), "a finished operator is one click from its project"
    use.click()
    assert "AbsMath" in reports.use.question.text()
    reports.use.question.close()


def test_a_report_is_saved_where_one_says_and_a_fault_is_told(
    reports: RunReports, browser: Browser, settled: Callable[[], None], tmp_path: Path
) -> None:
    reports.ask_where()
    reports.dialog.fileSelected.emit(str(tmp_path / "mine.html"))
    reports.dialog.close()
    settled()
    assert "AbsMath" in (tmp_path / "mine.html").read_text()
    _offered(reports).click()
    assert browser.pages == [tmp_path / "mine.html"]


def test_desktops_without_a_tray_are_told_by_notify_send_and_others_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not notify(window, "The queue is finished", "4 done"), (
        "nothing is there to tell it with"
    )
    heard, program = tmp_path / "heard", tmp_path / "notify-send"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {heard}.part && /bin/mv {heard}.part {heard}\n'
    )
    program.chmod(0o755)
    assert notify(window, "The queue is finished", "4 done")
    qtbot.waitUntil(heard.exists, timeout=WAIT_MS)
    assert heard.read_text().splitlines()[-3:] == [
        "--",
        "The queue is finished",
        "4 done",
    ]
    heard.unlink()
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    assert not notify(window, "The queue is finished", "4 done"), "somebody looks at it"
    assert not heard.exists()
