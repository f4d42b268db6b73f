"""The window at 1280 × 720, with and without large text: who gets the room, and that nothing is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMenu,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.evaluation.records import BuildReport, CaseResult, Evaluation, VerdictClass
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.panels.memory.hot_page import HotPage
from sage_desktop.panels.memory.search_page import SearchPage
from sage_desktop.panels.memory.snapshots_page import SnapshotsPage
from sage_desktop.panels.preferences.dialog import SettingsDialog
from sage_desktop.panels.queue.model import BEST
from sage_desktop.panels.review.details import CaseTable
from sage_desktop.shell.main_window import MainWindow
from sage_desktop.ui import theme
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import FormDialog, fit_to_screen
from sage_desktop.ui.widgets.tables import fill


@pytest.fixture
def window(
    operations: Operations,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> Iterator[MainWindow]:
    made = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    made.queue.refresh()
    settled()
    made.queue.table.selectRow(0)
    settled()
    qtbot.waitUntil(lambda: made.review.header.name.text() == "AbsMath")
    yield made
    made.set_busy(busy=False)
    made.close()


def drag_border(window: MainWindow, by: int) -> None:
    """Drag the border between the queue and the kernel."""
    queue = window.queue_dock.geometry()
    start = QPoint(queue.right() + 2, queue.center().y())
    QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(window, start + QPoint(by, 0))
    QApplication.processEvents()
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=start + QPoint(by, 0))
    QApplication.processEvents()


def laid_out() -> None:
    """What is to be done once the docks are laid out has been done, and they are laid out again."""
    for _again in range(4):
        QApplication.processEvents()


def test_the_width_of_the_queue_is_kept_where_somebody_chose_it(
    window: MainWindow, operations: Operations, preferences: Preferences, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.queue_dock.width() < 0.2 * window.width())
    drag_border(window, 320)
    laid_out()
    chosen = window.queue_dock.width()
    assert chosen > 0.36 * window.width()
    window.resize(1240, 720)
    window.hide()
    window.show()
    laid_out()
    assert window.queue_dock.width() == chosen
    window.close()
    again = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(again)
    again.show()
    laid_out()
    kept = again.queue_dock.width()
    assert kept > 0.36 * again.width(), "as far as this screen has room"
    again.actions_["view.reset"].trigger()
    laid_out()
    assert again.queue_dock.width() < kept


def test_the_rounds_keep_their_room_whatever_the_tools_say(window: MainWindow) -> None:
    header = window.review.header
    window.resize(1364, 720)
    header.counter.setText("1 / 2")
    laid_out()
    assert header.strip.width() < header.width() / 2, "both are in one row"
    header.counter.setText("as many changes as one has never seen before")
    laid_out()
    assert header.strip.width() > header.width() / 2, "the tools are below the rounds"


def test_a_narrow_queue_tells_whole_counts_or_none(window: MainWindow) -> None:
    label, line = window.queue.summary, "3 of 8 done · 1 failed · about 5 min left"
    label.set_text(line)
    widths = {}
    for text in (line, "3 of 8 done · 1 failed", "3 of 8 done"):
        widths[text] = label.fontMetrics().horizontalAdvance(text)
        label.resize(widths[text] + 1, label.height())
        assert label.visible_part(line) == text
    label.resize(widths["3 of 8 done"] - 2, label.height())
    assert label.visible_part(line) == ""
    label.grab()
    assert label.toolTip() == line, "it is told under the mouse"


def test_the_kernel_has_most_of_the_room_and_the_last_round_is_there(
    window: MainWindow, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.queue_dock.width() < 0.36 * window.width())
    review = window.review
    assert review.code.diff.width() >= 500
    bar = review.details.tabBar()
    assert bar.sizeHint().width() <= bar.width(), "no tab is shortened"
    trajectory = review.versions
    assert trajectory is not None
    rounds = trajectory.rounds
    many = tuple(
        replace(
            rounds[n % len(rounds)], round=n + 1, objective="corr" if n < 9 else "opt"
        )
        for n in range(30)
    )
    review.header.show_comparison(replace(trajectory, rounds=many), review.pair)
    QApplication.processEvents()
    cells = review.header.strip.cells()
    assert len(cells) == 30
    assert cells[-1][0].right() <= review.header.strip.width()
    window.resize(1000, 720)
    QApplication.processEvents()
    assert review.header.strip.cells()[-1][0].right() <= review.header.strip.width()
    assert not review.details.adoptions.isVisible()
    window.actions_["review.details"].trigger()
    assert review.details.adoptions.isVisible()


def test_no_side_tab_is_shortened_and_titles_are_read_in_large_text(
    window: MainWindow, look: theme.Theme, settled: Callable[[], None]
) -> None:
    window.actions_["view.memory"].trigger()
    settled()
    look.set_zoom(4)
    window.resize(1280, 720)
    laid_out()
    memory, bars = window.memory, []
    for page in (memory.hot_page, memory.snapshots_page, memory.item_page):
        memory.details.setCurrentWidget(page)
        laid_out()
        bars += [memory.details.tabBar()]
        if page is memory.hot_page:
            bars += [memory.hot_page.tabs.tabBar()]
    window.actions_["view.review"].trigger()  # it was hidden while the text grew
    laid_out()
    for bar in (*bars, window.review.details.tabBar()):
        assert bar.sizeHint().width() <= bar.width(), bar.tabText(0)
    assert memory.table.columnWidth(0) >= 8 * look.em
    for box in memory.left.facets.values():
        assert (
            box.width()
            >= box.fontMetrics().horizontalAdvance(box.currentText()) + 2 * look.em
        )
    times = memory.snapshots_page.table
    assert times.columnWidth(0) >= times.fontMetrics().horizontalAdvance(
        "2026-11-22 16:21:11"
    )


def test_hovering_a_command_leaves_the_status_line_alone(window: MainWindow) -> None:
    for action in window.actions_.all():
        assert not action.statusTip(), action.objectName()
    window.status.show_activity("AbsMath · round 3")
    for menu in window.menuBar().findChildren(QMenu):
        menu.hovered.emit(menu.actions()[0])
    QApplication.sendEvent(window, QStatusTipEvent(""))
    assert window.status.currentMessage() == ""


def test_menus_show_which_switches_are_on(window: MainWindow) -> None:
    for name in (
        "review.wrap",
        "review.two_columns",
        "review.fold",
    ):  # with an icon and without
        menu = QMenu(window)
        menu.addAction(window.actions_[name])
        pictures = []
        for on in (False, True):
            window.actions_[name].setChecked(on)
            menu.ensurePolished()
            menu.resize(menu.sizeHint())
            pictures.append(menu.grab().toImage())
        assert pictures[0] != pictures[1], name
        menu.deleteLater()


def test_an_empty_page_has_the_button_it_names(window: MainWindow) -> None:
    named = {
        action.objectName()
        for state in window.findChildren(EmptyState)
        for button in state.findChildren(QToolButton)
        if (action := button.defaultAction()) is not None
    }
    assert {"queue.add", "queue.run"} <= named


@pytest.mark.parametrize("points", [0, 5])
def test_no_page_of_the_settings_is_wider_than_the_dialog(
    preferences: Preferences,
    operations: Operations,
    look: theme.Theme,
    qtbot: QtBot,
    points: int,
) -> None:
    look.set_zoom(points)
    dialog = SettingsDialog(preferences, operations, "models", None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.rows
    for number in range(dialog.pages.count()):
        dialog.pages.setCurrentRow(number)
        QApplication.processEvents()
        page = dialog.stack.currentWidget()
        assert page.widget().width() <= page.viewport().width(), number
        assert page.widget().minimumSizeHint().width() <= page.viewport().width(), (
            number
        )


def test_names_of_cases_are_whole(qtbot: QtBot) -> None:
    table = CaseTable()
    qtbot.addWidget(table)
    table.resize(260, 300)
    table.show()
    name = "a case with quite a long name, float16, tail of 17"
    case = CaseResult(name, hidden=False, timed=False, status="pass", dtype="float16")
    build = BuildReport(ok=True)
    table.show_cases(
        Evaluation("", "AbsMath", VerdictClass.PASS, "", build, cases=(case,))
    )
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance(name)


@pytest.mark.parametrize("height", [768, 740], ids=["whole", "below a title bar"])
def test_a_kernel_has_two_columns_of_24_lines_at_1366(
    window: MainWindow, height: int
) -> None:
    window.show_notice("Recorded session", "No model is running.")
    window.resize(1366, height)
    laid_out()
    assert window.review.code.diff.verticalScrollBar().pageStep() >= 24, "lines"
    assert window.review.code.narrow.isHidden(), "both versions are side by side"
    name = window.queue.table.columnWidth(0)
    assert name >= window.queue.fontMetrics().horizontalAdvance("BatchedMatmul")


def test_the_details_are_a_drawer_where_the_code_needs_the_room(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1366, 768)
    laid_out()
    details, code = window.review.details, window.review.code
    assert details.width() < 0.05 * window.width()
    closed = code.width()
    cases = details.tabBar().tabRect(2).center()
    qtbot.mouseClick(details.tabBar(), Qt.MouseButton.LeftButton, pos=cases)
    laid_out()
    assert details.cases.isVisible()
    assert details.width() > 0.2 * window.width()
    window.resize(1360, 768)
    laid_out()
    assert details.cases.isVisible(), "what the user opened stays open"
    qtbot.mouseClick(details.tabBar(), Qt.MouseButton.LeftButton, pos=cases)
    window.resize(1366, 768)
    laid_out()
    assert not details.cases.isVisible()
    assert code.width() == closed


def test_a_large_screen_shows_details_and_numbers_at_once(window: MainWindow) -> None:
    window.setMinimumSize(1920, 1000)
    laid_out()
    assert window.review.details.adoptions.isVisible()
    assert window.review.code.narrow.isHidden()
    assert window.queue.table.columnWidth(BEST) > 0


def test_a_first_window_leaves_room_for_its_borders(
    operations: Operations, preferences: Preferences, qtbot: QtBot
) -> None:
    first = MainWindow(operations, preferences, LogRing())
    qtbot.addWidget(first)
    screen = first.screen().availableGeometry()
    title, border = theme.theme().px(2), 2
    assert first.height() + title <= screen.height()
    assert first.width() + 2 * border <= screen.width()


def test_every_page_fits_half_of_a_small_screen(window: MainWindow) -> None:
    """1366 x 768 with everything twice as large, less the title bar."""
    for number in range(window.tabs.count()):
        window.tabs.setCurrentIndex(number)
        laid_out()
        window.resize(681, 355)
        laid_out()
        assert (window.width(), window.height()) == (681, 355), number


@pytest.mark.parametrize("page", ["snapshots", "hot", "search"])
def test_names_have_room_beside_their_numbers(
    operations: Operations, page: str, qtbot: QtBot
) -> None:
    """The right half of the memory page at 1366 x 768."""
    made: QWidget
    if page == "snapshots":
        made = SnapshotsPage(operations)
        table = made.difference
    elif page == "hot":
        made = HotPage(operations)
        table = made.residents
    else:
        made = SearchPage(operations)
        table = made.hits
    qtbot.addWidget(made)
    made.resize(526, 500)
    made.show()
    numbers = ["GetCoreMemSize(CoreMemType::UB)", *["+0.250 \u2192 +0.300"] * 6]
    fill(table, [numbers[: table.columnCount()]])
    laid_out()
    assert table.columnWidth(0) >= theme.theme().px(12)


def test_a_dialog_of_many_fields_keeps_its_buttons_on_the_screen(
    qtbot: QtBot,
) -> None:
    dialog = FormDialog("Many", "", "Do It", None)
    qtbot.addWidget(dialog)
    for _row in range(60):
        field = QLineEdit()
        field.setMinimumHeight(theme.theme().px(2))
        dialog.body.addWidget(field)
    fit_to_screen(dialog, 40)
    dialog.show()
    laid_out()
    screen = dialog.screen().availableGeometry()
    assert dialog.height() < screen.height()
    button = dialog.main_button
    below = button.mapTo(dialog, button.rect().bottomLeft()).y()
    assert below < dialog.height()


def test_no_choice_of_the_settings_is_cut_off(
    preferences: Preferences, operations: Operations, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(preferences, operations, "method")
    qtbot.addWidget(dialog)
    dialog.show()
    for box in dialog.findChildren(ComboBox):
        assert box.width() >= box.sizeHint().width() or not box.isVisible()
