"""Ways through two versions of a kernel: changes, words, lines, and the versions worth comparing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication, QLabel
from pytestqt.qtbot import QtBot

from core.analysis import queries
from core.diff.side_by_side import Fold
from sage_desktop.panels.review.navigation import line_there
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.panels.review.versions import Pick
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from tests.gui import sample_workspace
from tests.gui.conftest import DirectWriter


@pytest.fixture
def panel(review_panel: ReviewPanel) -> ReviewPanel:
    return review_panel


def _show(
    panel: ReviewPanel,
    older: Pick | int,
    newer: Pick | int,
    settled: Callable[[], None],
) -> None:
    panel.choose(older, newer)
    settled()


def test_changes_are_walked_with_the_keyboard_and_folds_open(
    panel: ReviewPanel,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    panel.resize(1500, 500)
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    assert len(panel.code.diff.document.changes) == 2
    registry["review.next"].trigger()
    registry["review.next"].trigger()
    assert panel.header.counter.text() == "1 / 2"
    document = panel.code.diff.document
    before = len(document.shown)
    qtbot.keyClick(
        panel.code.diff, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier
    )
    while not isinstance(document.entry(panel.code.diff.current_row), Fold):
        qtbot.keyClick(panel.code.diff, Qt.Key.Key_Down)
    qtbot.keyClick(panel.code.diff, Qt.Key.Key_Return)
    assert len(panel.code.diff.document.shown) > before


def test_the_search_bar_counts_steps_and_closes(
    panel: ReviewPanel, registry: ActionRegistry, qtbot: QtBot
) -> None:
    panel.code.navigation.focus_search()
    bar = panel.code.navigation.find_bar
    qtbot.keyClicks(bar.field, "tile of 3072")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert "tile of 3072" in panel.code.diff.document.line_text(
        panel.code.diff.current_row
    )
    assert bar.count.text() == "1 of 1"
    bar.field.clear()
    qtbot.keyClicks(bar.field, "GetBlock")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == "1 of 3"
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.keyClick(panel.code.diff, Qt.Key.Key_F3)
    assert bar.count.text() == "3 of 3"
    qtbot.keyClick(panel.code.diff, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == "2 of 3"
    qtbot.mouseClick(bar.case, Qt.MouseButton.LeftButton)
    bar.field.setText("getblock")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == "No matches"
    assert not bar.next.isEnabled()
    bar.field.setText("(")
    qtbot.mouseClick(bar.regex, Qt.MouseButton.LeftButton)
    assert bar.count.text().startswith("Invalid expression")
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert panel.code.diff.find_state.total == 0


def test_a_line_is_reached_by_its_number(
    panel: ReviewPanel, registry: ActionRegistry
) -> None:
    panel.code.diff.go_to_line(3)
    registry["review.line"].trigger()
    assert panel.code.navigation.line_dialog is not None
    assert panel.code.navigation.line_dialog.intValue() == 4
    panel.code.navigation.line_dialog.setIntValue(20)
    panel.code.navigation.line_dialog.accept()
    assert panel.code.diff.place == ("right", 19)


def test_no_command_is_about_the_operator_left_behind(
    panel: ReviewPanel,
    registry: ActionRegistry,
    operations: Operations,
    writer: DirectWriter,
    workspace: Path,
    settled: Callable[[], None],
) -> None:
    operations.set_writer(writer)
    with sample_workspace.Workspace.open(workspace) as opened:
        sample_workspace.run(opened, 3, ())  # begun, no round yet
        rows = queries.queue_rows(opened.db, [1, 3])
    about = (
        "next_finding",
        "line",
        "export",
    )
    panel.show_operator(rows[1])
    _show(panel, Pick.BEFORE, 2, settled)
    assert {name for name in about if registry[f"review.{name}"].isEnabled()} == set(
        about
    )
    panel.show_operator(rows[3])
    registry["review.next_finding"].trigger()  # the answer is on its way
    settled()
    for _again in range(2):
        assert panel.isVisible()
        assert panel.subject is None
        assert not {name for name in about if registry[f"review.{name}"].isEnabled()}
        registry["review.next_finding"].triggered.emit()
        panel.show_operator(None)
    panel.show_operator(rows[1])
    settled()
    panel.show_operator(rows[3])
    panel.show_operator(rows[1])  # back before the other one was read
    settled()
    assert panel.subject.operator == "AbsMath"
    assert registry["review.line"].isEnabled()


def test_a_line_of_a_round_that_never_comes_is_not_jumped_to_later(
    panel: ReviewPanel,
    writer: DirectWriter,
    settled: Callable[[], None],
) -> None:
    path, entry = "op_kernel/abs_math.cpp", panel.versions.queue.id
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    panel.code.navigation.jump(path, 3)
    panel.show_line(entry, 3, path, 9)
    settled()
    assert panel.code.diff.place == ("right", 8)
    panel.show_line(entry, 99, path, 12)  # the latest round is shown in its place
    settled()
    _show(panel, Pick.BEFORE, 3, settled)
    panel.code.navigation.jump(path, 5)

    def renumber(opened: sample_workspace.Workspace) -> None:
        opened.db.execute("UPDATE round SET round = 99 WHERE round = 6")

    assert writer(renumber).exception() is None
    panel.show_round(99)
    settled()
    assert panel.pair.newer.round == 99
    assert panel.code.diff.place != ("right", 11)


def test_a_line_of_an_operator_that_was_left_is_not_jumped_to_later(
    panel: ReviewPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with sample_workspace.Workspace.open(workspace) as opened:
        rows = queries.queue_rows(opened.db, [1, 2])
    panel.show_line(1, 3, "op_kernel/abs_math.cpp", 12)
    panel.show_operator(rows[2])  # before the round was read
    settled()
    panel.show_operator(rows[1])
    settled()
    assert panel.subject.round == 6
    assert panel.code.diff.place != ("right", 11)


def test_first_correct_best_and_this_are_compared_in_turn_at_the_line_one_reads(
    panel: ReviewPanel,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    button = panel.header.pairs
    assert button.text() == "Compare"
    assert not registry["review.best_this"].isEnabled(), (
        "the latest round is the best one"
    )
    panel.show_round(4)
    settled()
    registry["review.first_this"].trigger()
    settled()
    assert panel.header.change.text().endswith("against round 3")
    assert panel.pair.newer.round == 4
    assert button.text() == "First \N{RIGHTWARDS ARROW} this"
    line = next(
        n
        for n, text in enumerate(panel.code.diff.document.right)
        if "FreeTensor(xLocal)" in text
    )
    panel.code.diff.go_to_line(line)
    seen = []
    for _again in range(3):
        button.click()
        settled()
        pair = panel.pair
        seen.append((button.text(), pair.older.round, pair.newer.round))
        assert (
            "FreeTensor(xLocal)"
            in panel.code.diff.document.right[panel.code.diff.place[1]]
        )
    assert seen == [
        ("Best \N{RIGHTWARDS ARROW} this", 6, 4),
        ("First \N{RIGHTWARDS ARROW} best", 3, 6),
        ("First \N{RIGHTWARDS ARROW} this", 3, 4),
    ]
    registry["review.best_this"].trigger()
    settled()
    assert (panel.header.older.currentText(), panel.pair.older.round) == (
        "Best",
        6,
    )
    panel.show_operator(None)
    assert not button.isEnabled()


def _click(panel: ReviewPanel, qtbot: QtBot) -> None:
    view = panel.code.diff.viewport()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())


def _scroll(panel: ReviewPanel, _qtbot: QtBot) -> None:
    bar = panel.code.diff.verticalScrollBar()
    bar.triggerAction(QAbstractSlider.SliderAction.SliderSingleStepAdd)


def _walk(panel: ReviewPanel, qtbot: QtBot) -> None:
    qtbot.keyClick(panel.code.diff, Qt.Key.Key_Down)


def _click_in_a_tab(panel: ReviewPanel, qtbot: QtBot) -> None:
    panel.details.reveal(panel.details.diagnosis)
    page = panel.details.diagnosis.viewport()
    qtbot.mouseClick(page, Qt.MouseButton.LeftButton, pos=page.rect().center())


def _click_on_a_card(panel: ReviewPanel, qtbot: QtBot) -> None:
    words = panel.details.adoptions.widget().findChildren(QLabel)
    qtbot.mouseClick(words[-1], Qt.MouseButton.LeftButton)


def _turn_the_wheel_in_a_tab(panel: ReviewPanel, qtbot: QtBot) -> None:
    page = panel.details.adoptions.viewport()
    place = QPointF(page.rect().center())
    turned = QWheelEvent(
        place,
        page.mapToGlobal(place),
        QPoint(),
        QPoint(0, -120),  # one notch
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's signature
    )
    QApplication.sendEvent(page, turned)


def _select_in_a_tab(panel: ReviewPanel, qtbot: QtBot) -> None:
    select_all = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(panel.details.diagnosis, Qt.Key.Key_A, select_all)


def _open_a_tab(panel: ReviewPanel, qtbot: QtBot) -> None:
    bar = panel.details.tabBar()
    place = bar.tabRect(1).center()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert panel.details.currentIndex() == 1


_READ_IN_CODE = [_click, _scroll, _walk]
_READ_IN_DETAILS = [
    _click_in_a_tab,
    _click_on_a_card,
    _turn_the_wheel_in_a_tab,
    _select_in_a_tab,
    _open_a_tab,
]


@pytest.mark.parametrize("read", [*_READ_IN_CODE, *_READ_IN_DETAILS])
def test_a_round_that_is_read_stays_while_later_ones_come(
    panel: ReviewPanel,
    writer: DirectWriter,
    workspace: Path,
    settled: Callable[[], None],
    qtbot: QtBot,
    read: Callable[[ReviewPanel, QtBot], None],
) -> None:
    def latest_after(number: int) -> int:
        """The round in front after round `number` came, which is like round 4."""

        def add(opened: sample_workspace.Workspace) -> None:
            cursor = opened.db.execute("SELECT * FROM round LIMIT 0")
            names = [name for name, *_rest in cursor.description]
            values = [str(number) if name == "round" else name for name in names]
            opened.db.execute(
                f"INSERT INTO round({', '.join(names)}) SELECT {', '.join(values)} "
                "FROM round WHERE trajectory_uid = 'trajectory-2' AND round = 4"
            )

        assert writer(add).exception() is None
        panel.refresh()
        settled()
        return panel.pair.newer.round

    with sample_workspace.Workspace.open(workspace) as opened:
        rows = queries.queue_rows(opened.db, [2])
    panel.show_operator(rows[2])
    settled()
    assert rows[2].state == "running"
    assert panel.pair.newer.round == 4
    assert latest_after(5) == 5, "nothing was read yet"
    with qtbot.waitSignal(panel.held):
        read(panel, qtbot)
    settled()
    assert panel.header.newer.currentText() == "Round 5"
    assert latest_after(6) == 5
    panel.choose(Pick.BEFORE, Pick.LATEST)
    settled()
    assert panel.pair.newer.round == 6
    assert latest_after(7) == 7


def test_a_line_is_found_again_in_another_version() -> None:
    before, after = "a\nb\nc\nd\n", "a\nnew\nc\nd\nend\n"
    assert [line_there(before, after, line) for line in range(4)] == [0, 1, 2, 3]
    assert line_there("x\na\n", "a\n", 0) == 0, "what follows a line that is gone"
    assert line_there("a\nx\n", "a\n", 1) == 0, "nothing follows it"
    assert line_there(None, "a\n", 0) == 0
