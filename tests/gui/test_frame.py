"""What all panels share: commands, palette, toasts, crash dialog, log, background work."""

from __future__ import annotations

import gc
import logging
import re
import resource
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QEnterEvent, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.errors import SageError
from sage_desktop.panels.log.panel import LogPanel
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.services.bug_report import version
from sage_desktop.shell import help as help_pages
from sage_desktop.shell.crash import CrashDialog, CrashReporter
from sage_desktop.shell.garbage import (
    FLOOD_OBJECTS,
    OLDER_AFTER,
    GarbageCollection,
    give_back,
)
from sage_desktop.shell.session import EventBridge
from sage_desktop.ui.action_table import ACTIONS, MENUS
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.command_palette import CommandPalette, score
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.messages.report_dialog import ReportDialog
from sage_desktop.ui.messages.toast import Toasts
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.eliding_label import wrapped
from sage_desktop.ui.widgets.verdicts import latency_text, signed, small_number


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def test_commands_are_complete_and_no_key_is_given_twice() -> None:
    keys = [key for spec in ACTIONS for key in spec.keys]
    assert len(keys) == len(set(keys))
    assert len({spec.id for spec in ACTIONS}) == len(ACTIONS)
    icons = {
        entry.name[:-4] for entry in (resources.files("resources") / "icons").iterdir()
    }
    for spec in ACTIONS:
        assert spec.tip, spec.id
        assert not spec.icon or spec.icon in icons, spec.id
        assert spec.menu in MENUS, spec.id
        assert all(not QKeySequence(key).isEmpty() for key in spec.keys), spec.id


_MOST_ENTRIES = 20  # that a menu has on a screen of 720 rows


def menus_below(menu: QMenu) -> Iterator[QMenu]:
    """A menu and those in it."""
    yield menu
    for entry in menu.actions():
        inside = entry.menu()
        if isinstance(inside, QMenu):
            yield from menus_below(inside)


@pytest.mark.parametrize("key", MENUS)
def test_menus_are_short_and_each_letter_means_one_entry(
    registry: ActionRegistry, window: QWidget, key: str
) -> None:
    menu = QMenu(window)
    registry.fill_menu(menu, key)
    found = list(menus_below(menu))
    for each in found:
        entries = [entry for entry in each.actions() if not entry.isSeparator()]
        assert len(entries) <= _MOST_ENTRIES, each.title()
        letters = [entry.text().lower().partition("&")[2][:1] for entry in entries]
        assert all(letters), [entry.text() for entry in entries]
        assert len(set(letters)) == len(letters), [entry.text() for entry in entries]
    told = {
        entry.objectName()
        for each in found
        for entry in each.actions()
        if entry.objectName()
    }
    assert told == {spec.id for spec in ACTIONS if spec.menu == key}


def test_unbound_commands_are_off_and_bound_ones_act(registry: ActionRegistry) -> None:
    done: list[str] = []
    assert not registry["queue.run"].isEnabled()
    registry.bind("queue.run", lambda: done.append("run"))
    registry["queue.run"].trigger()
    assert done == ["run"]


def test_the_palette_finds_a_command_by_parts_of_its_name(
    qtbot: QtBot, window: QWidget
) -> None:
    registry = ActionRegistry(window)
    done: list[str] = []
    registry.bind("queue.pause", lambda: done.append("pause"))
    registry.bind("queue.run", lambda: done.append("run"))
    palette = CommandPalette(registry, window)
    palette.open()
    qtbot.keyClicks(palette.field, "pau cur")
    assert palette.model.rowCount() == 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert done == ["pause"]
    assert not palette.isVisible()
    palette.open()
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_buttons_offered_later_stand_below_each_other_where_they_have_no_room(
    qtbot: QtBot,
) -> None:
    offers = [QAction("A command of several words"), QAction("Another one of as many")]
    state = EmptyState("search", "Nothing yet", "", *offers)
    page = QStackedWidget()
    qtbot.addWidget(page)
    page.addWidget(state)
    state.say("Nothing yet", "", offers=())
    page.setFixedSize(theme().px(20), theme().px(30))
    page.show()
    state.say("Nothing yet", "", offers=offers)
    qtbot.waitUntil(lambda: all(map(_is_whole, state.findChildren(QToolButton))))


def _is_whole(button: QToolButton) -> bool:
    """Whether a button is within what it stands on, as wide as its words."""
    has_room = button.width() >= button.sizeHint().width()
    return has_room and button.parentWidget().rect().contains(button.geometry())


def test_buttons_of_empty_pages_keep_the_dots_of_a_command_that_asks_first(
    qtbot: QtBot,
) -> None:
    offer = QAction("&Open Trace…")
    state = EmptyState("search", "No trace yet", "“Open Trace…” takes a file.", offer)
    qtbot.addWidget(state)
    button = state.findChild(QToolButton)
    assert button.text() == "Open Trace…"
    offer.setText("Open &Another…")
    assert button.text() == "Open Another…"


def test_words_at_the_beginning_count_more() -> None:
    assert score("run", "Queue: Run") < score("run", "Queue: Rerun")
    assert score("nothing", "Queue: Run") is None


def test_errors_stay_on_screen_and_equal_ones_are_told_once(
    window: QWidget, qtbot: QtBot
) -> None:
    toasts = Toasts(window)
    error = SageError("The compiler was not found.", "Install g++.")
    toasts.show_error(error)
    toasts.show_error(error)
    assert toasts.texts == ["The compiler was not found. Install g++."]
    for number in range(6):
        toasts.show_message(f"message {number}")
    assert len(toasts.texts) == 3
    window.resize(500, 400)
    lowest = toasts.shown[-1].geometry()
    assert lowest.right() <= 500
    assert lowest.bottom() <= 400


def test_a_tip_of_a_long_line_is_no_wider_than_a_part_of_the_window() -> None:
    words = "write of 1280 bytes at offset 0 of half-full " * 20
    lines = wrapped(words + "\nRound 3").splitlines()
    assert lines[-1] == "Round 3", "lines of their own stay"
    assert max(map(len, lines)) <= 100
    assert " ".join(lines[:-1]) == words.strip(), "names are not broken"


def test_one_undo_is_offered_at_a_time_and_other_messages_stay(
    window: QWidget,
) -> None:
    toasts = Toasts(window)
    toasts.show_message("The report was written.", offer=("Open", list), brief=True)
    for words in ("Pinned one item", "Demoted one item"):
        toasts.show_message(words, offer=("Undo", list), brief=True)
    shown = [text.strip() for text in toasts.texts]
    assert shown == ["The report was written.", "Demoted one item"]


def test_a_message_leaves_though_a_dialog_took_the_mouse_away(
    window: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sage_desktop.ui.messages.toast.SHOWN_MS", 1)
    toasts = Toasts(window)
    toasts.show_message("One operator was added to the queue.")
    (toast,) = toasts.shown
    place = QPointF(toast.rect().center())
    # The mouse came in; that it left again was told to the dialog above.
    QApplication.sendEvent(toast, QEnterEvent(place, place, place))
    qtbot.waitUntil(lambda: not toasts.texts)


def test_an_error_tells_more_behind_details(window: QWidget, qtbot: QtBot) -> None:
    toasts = Toasts(window)
    toasts.show_message("Saved.", kind="success")
    assert toasts.shown[0].more.isHidden()
    error = SageError("The workspace cannot be written.", "Make room on the disk.")
    error.__cause__ = OSError(28, "No space left on device")
    toasts.show_error(error)
    qtbot.mouseClick(toasts.shown[1].more, Qt.MouseButton.LeftButton)
    dialog = window.findChildren(ReportDialog)[0]
    assert "No space left on device" in dialog.report.toPlainText()
    dialog.copy.click()
    assert (
        "SageError: The workspace cannot be written"
        in QGuiApplication.clipboard().text()
    )
    dialog.close()
    qtbot.waitUntil(lambda: len(toasts.texts) == 1)


def test_known_errors_become_toasts_and_bugs_a_report(
    qtbot: QtBot, window: QWidget
) -> None:
    reporter = CrashReporter(window)
    with qtbot.waitSignal(reporter.known):
        reporter.show_error(SageError("disk full"))

    def fail() -> None:
        raise ValueError("a bug in a thread")

    reporter.install()
    try:
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: bool(window.findChildren(CrashDialog)))
    finally:
        reporter.uninstall()
    dialog = window.findChildren(CrashDialog)[0]
    text = dialog.report.toPlainText()
    assert f"SAGE Desktop {version()}" in text
    assert "ValueError: a bug in a thread" in text
    assert str(Path.home()) not in text or str(Path.home()) == "/"
    copy = next(
        button for button in dialog.findChildren(QPushButton) if "Copy" in button.text()
    )
    copy.click()
    assert "a bug in a thread" in QGuiApplication.clipboard().text()
    dialog.close()


def test_the_log_filters_by_level_and_words(qtbot: QtBot) -> None:
    ring = LogRing()
    ring.install()
    try:
        panel = LogPanel(ring)
        qtbot.addWidget(panel)
        logging.getLogger("core.engine").info("AbsMath begins")
        logging.getLogger("core.engine").warning("the disk is nearly full")
        qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
        panel.level.setCurrentIndex(1)
        assert panel.model.rowCount() == 1
        logging.getLogger("engine").debug("AbsMath: compiling")
        panel.level.setCurrentIndex(panel.level.findData(logging.DEBUG))
        qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
        panel.level.setCurrentIndex(0)
        qtbot.keyClicks(panel.filter, "absmath")
        qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
        assert [
            panel.model.listed[row].text for row in range(panel.model.rowCount())
        ] == ["AbsMath begins"]
        panel.table.selectAll()
        qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert "AbsMath begins" in QGuiApplication.clipboard().text()
    finally:
        ring.uninstall()


def test_the_log_opens_at_what_happened_last_with_whole_times(qtbot: QtBot) -> None:
    ring = LogRing()
    panel = LogPanel(ring)
    qtbot.addWidget(panel)
    panel.resize(700, 200)
    for number in range(100):
        ring.report(logging.INFO, "engine", f"line {number}", 60.0 * number)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 100)
    panel.show()
    bar = panel.table.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    index = panel.model.index(0, 0)
    option = QStyleOptionViewItem()
    wanted = panel.table.itemDelegate().sizeHint(option, index).width()
    assert panel.table.columnWidth(0) >= wanted


def test_events_of_other_threads_arrive_in_order_and_gathered(qtbot: QtBot) -> None:
    bridge = EventBridge()
    batches: list[list[object]] = []
    bridge.arrived.connect(batches.append)
    thread = threading.Thread(
        target=lambda: [bridge.post(number) for number in range(500)]
    )
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 500)
    assert [number for batch in batches for number in batch] == list(range(500))
    assert len(batches) < 50


def test_only_the_latest_answer_of_a_topic_is_used(
    operations: Operations, qtbot: QtBot
) -> None:
    owner = QObject()
    got: list[int] = []
    gate = threading.Event()

    def slow(_connection: sqlite3.Connection) -> int:
        gate.wait(5)
        return 1

    operations.query(owner, slow, got.append, topic="t")
    operations.query(owner, lambda _connection: 2, got.append, topic="t")
    qtbot.waitUntil(lambda: got == [2])
    gate.set()
    qtbot.waitUntil(lambda: operations.idle)
    assert got == [2]


def test_failures_of_reads_and_writes_are_told(workspace: Path, qtbot: QtBot) -> None:
    operations = Operations(workspace)
    owner = QObject()
    failed: list[SageError] = []
    crashed: list[BaseException] = []
    operations.failed.connect(failed.append)
    operations.crashed.connect(crashed.append)
    operations.query(
        owner, lambda db: db.execute("DELETE FROM item"), lambda _rows: None
    )
    qtbot.waitUntil(lambda: len(crashed) == 1)
    assert isinstance(crashed[0], sqlite3.OperationalError)
    operations.write(owner, lambda _workspace: None, topics=frozenset())
    assert "only read" in str(failed[0])
    operations.workspace = workspace.with_name("gone.sage")
    operations.query(owner, lambda db: db, lambda _rows: None)
    qtbot.waitUntil(lambda: len(failed) == 2)
    operations.close()


def test_the_window_goes_on_while_a_read_takes_long(
    operations: Operations, qtbot: QtBot
) -> None:
    owner = QObject()
    edit = QPlainTextEdit()
    qtbot.addWidget(edit)
    gate = threading.Event()
    operations.query(owner, lambda _db: gate.wait(60), lambda _none: None)
    qtbot.keyClicks(edit, "still typing")
    assert edit.toPlainText() == "still typing"
    assert not operations.idle, "the read still waits"
    gate.set()


def test_cycles_are_collected_in_the_windows_thread_only_and_what_was_set_aside_stays_so(
    qapp: QApplication,
) -> None:
    class Node:
        me: Node

    def cycle() -> weakref.ref[Node]:
        node = Node()
        node.me = node
        return weakref.ref(node)

    collection = GarbageCollection()
    collection.install(qapp)
    try:
        kept = cycle()
        crowd = [[number] for number in range(3000)]
        assert kept() is not None, "nothing is searched in between"
        collection.collect_portion()
        assert kept() is None
        aged = cycle()
        gc.collect(1)
        gc.collect(1)
        for _ in range((OLDER_AFTER + 2) ** 2):
            crowd += [[number] for number in range(1000)]
            collection.collect_portion()
        assert aged() is None, "the oldest generation is searched, too"
        late = cycle()
        crowd += [[number] for number in range(2 * FLOOD_OBJECTS)]
        collection.collect_portion()
        assert late() is not None, "a flood would take too long"
        qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
        assert late() is None, "it is searched while another program is in front"
    finally:
        collection.uninstall(qapp)
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(crowd), (
        "the end of the program need not search all it has loaded"
    )


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def test_what_a_run_has_freed_goes_back_to_the_system() -> None:
    blocks = [bytearray(4000) for _number in range(20_000)]
    top = bytearray(4000)
    before = _resident_mb()
    del blocks
    give_back()
    assert _resident_mb() < before - 40
    assert len(top) == 4000


def test_tuples_that_other_threads_build_stay_whole(qapp: QApplication) -> None:
    """Listing the collector's objects would take a reference to a tuple that is still being built."""
    collection = GarbageCollection()
    faults: list[BaseException] = []
    done = threading.Event()

    def build() -> None:
        try:
            while not done.is_set():
                assert len(tuple([n] for n in range(50))) == 50
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test names it
            faults.append(error)

    builders = [threading.Thread(target=build) for _ in range(3)]
    collection.install(qapp)
    try:
        for builder in builders:
            builder.start()
        for _ in range(20_000):
            collection.collect_portion()
    finally:
        done.set()
        for builder in builders:
            builder.join()
        collection.uninstall(qapp)
    assert not faults


def test_numbers_carry_unit_sign_and_sensible_figures() -> None:
    assert [latency_text(v) for v in (None, 7.816, 1234.5, 250_000.0)] == [
        "–",
        "7.82 µs",
        "1,234.5 µs",
        "250.0 ms",
    ]
    assert [
        small_number(v) for v in (0.0, 2e-7, 0.0123, 4.9, float("inf"), float("nan"))
    ] == [
        "0",
        "2.0e-7",
        "0.012",
        "4.9",
        "inf",
        "nan",
    ]
    assert signed(-0.04) == "−0.040"


def test_the_guide_has_a_page_for_every_page_of_the_window(
    window: QWidget, qtbot: QtBot
) -> None:
    titles = set(help_pages.guide_pages())
    assert {
        "Start",
        "Queue",
        "Review",
        "Memory",
        "Trajectory",
        "Results",
        "Hosts",
        "Settings",
    } <= titles
    guide = help_pages.show_guide(window)
    assert isinstance(guide, help_pages.GuidePage)
    assert "SAGE Desktop" in guide.browser.toPlainText()
    assert "\N{OBJECT REPLACEMENT CHARACTER}" not in guide.browser.toPlainText()
    guide.list.setCurrentRow(1)
    guide.browser.anchorClicked.emit(QUrl("hosts.md"))
    assert guide.list.currentItem().text() == "Hosts"
    assert "fingerprint" in guide.browser.toPlainText()
    guide.close()


def test_every_link_and_picture_of_the_guide_leads_somewhere() -> None:
    for file in help_pages.guide_pages().values():
        for target in re.findall(r"\]\(([^):#]+)\)", file.read_text(encoding="utf-8")):
            assert (file.parent / target).exists(), f"{file.name}: {target}"
