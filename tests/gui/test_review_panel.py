"""Two versions of a kernel, with everything known about the newer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from core.engine.reviews import Decision
from core.evaluation.records import CaseResult
from sage_desktop.panels.queue.panel import QueuePanel
from sage_desktop.panels.review.adoption_list import AdoptionList
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.panels.review.versions import OtherRun, Pick
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.engine import Fold, RowKind
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from tests.gui import sample_workspace
from tests.gui.conftest import DirectWriter


@pytest.fixture
def panel(
    operations: Operations,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> ReviewPanel:
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


def _show(panel: ReviewPanel, older: Pick | int, newer: Pick | int, settled: Callable[[], None]) -> None:
    panel._choose(older, newer)
    settled()


def test_the_latest_round_is_shown_against_the_one_before(panel: ReviewPanel) -> None:
    assert panel.header.name.text() == "AbsMath"
    assert panel.header.verdict.text() == "Round 6: Correct"
    assert panel.header.latency.text() == "9.63 µs"
    assert panel.header.origin.text() == "modelled"
    assert "3 of 3 cases pass" in panel.header.facts.text()
    assert panel.header.facts.text().endswith("· twin"), "what judged it"
    trajectory, comparison = panel._trajectory, panel._comparison
    assert trajectory is not None
    assert comparison is not None
    assert comparison.evaluation is not None
    big = CaseResult("big", hidden=False, timed=False, status="skipped")
    judged = replace(comparison.evaluation, cases=(*comparison.evaluation.cases, big))
    panel.header.show_comparison(trajectory, replace(comparison, evaluation=judged))
    assert "3 of 3 cases pass · 1 not run" in panel.header.facts.text()
    assert [panel.files.tabText(i) for i in range(3)] == [
        "op_kernel/abs_math.cpp",
        "op_host/abs_math_tiling.h",
        "op_host/abs_math.cpp",
    ]


def test_first_correct_against_best_names_the_change_of_latency(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    assert panel.header.change.text() == "−55.9 % against round 3"
    document = panel.diff.document
    changed = [row for row in document.comparison.rows if row.kind is RowKind.CHANGED]
    assert "BUFFER_NUM = 1" in document.left[changed[0].left]
    assert "BUFFER_NUM = 2" in document.right[changed[0].right]


def test_versions_are_chosen_from_the_list_and_from_the_strip(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    older = panel.header.older
    older.setCurrentIndex(older.findText("Nothing"))
    older.activated.emit(older.currentIndex())
    settled()
    assert all(row.kind is RowKind.ADDED for row in panel.diff.document.comparison.rows)
    older.setCurrentIndex(older.findText("First correct"))
    older.activated.emit(older.currentIndex())
    settled()
    assert panel.header.change.text() == "−55.9 % against round 3"
    assert older.currentText() == "First correct"
    cell, row = panel.header.strip._cells()[2]
    qtbot.mouseClick(panel.header.strip, Qt.MouseButton.LeftButton, pos=cell.center().toPoint())
    settled()
    assert row.round == 3
    assert panel.header.verdict.text() == "Round 3: Correct"
    qtbot.keyClick(panel.header.strip, Qt.Key.Key_Left)
    settled()
    assert panel.header.verdict.text() == "Round 2: Fails while running"


def test_the_definition_in_pytorch_is_a_version_to_look_at(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    assert "no integrity rule broken" in panel.header.facts.text()
    older = panel.header.older
    older.setCurrentIndex(older.findText("Definition in PyTorch"))
    older.activated.emit(older.currentIndex())
    settled()
    assert panel.files.tabText(0) == "reference.py"
    panel.files.setCurrentIndex(0)
    assert "torch.abs" in "\n".join(panel.diff.document.right)
    assert not panel.diff.document.changes
    assert "reference.py" not in panel._comparison.right_files  # it is no part of what is exported


def test_a_finding_marks_its_line_and_a_click_leads_there(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.BEFORE, 2, settled)
    assert "DataCopy reads 48 bytes" in panel.header.cause.text()
    assert panel.messages.count() == 1
    place = panel.messages.visualItemRect(panel.messages.item(0)).center()
    panel.details.setCurrentWidget(panel.findings)
    qtbot.mouseClick(panel.messages.viewport(), Qt.MouseButton.LeftButton, pos=place)
    document = panel.diff.document
    position = document.position_of_right(34)
    assert [mark.severity for mark in document.marks_at(position)] == ["error"]
    assert panel.diff._current == position
    assert "DataCopy" in panel.diff.accessibleDescription()


def test_adoption_stands_beside_the_code_and_leads_to_the_item(panel: ReviewPanel, qtbot: QtBot) -> None:
    assert panel.details.tabText(0) == "Adoption 2/5"
    links = panel.adoptions.widget().findChildren(QToolButton)
    assert [link.text() for link in links][:2] == ["seed-0003", "seed-0004"]
    with qtbot.waitSignal(panel.item_opened) as opened:
        qtbot.mouseClick(links[0], Qt.MouseButton.LeftButton)
    assert opened.args == ["seed-0003"]


def test_a_reply_that_did_not_state_its_resident_rules_is_marked(qtbot: QtBot) -> None:
    records = AdoptionList()
    qtbot.addWidget(records)
    for stated in (False, True):
        records.show_records((), (), pinned=False, here=None, stated=stated, hunks={})
        words = " ".join(label.text() for label in records.widget().findChildren(QLabel))
        assert ("does not say which resident rules" in words) is not stated


def test_the_cases_table_hides_nothing_but_hidden_inputs(panel: ReviewPanel) -> None:
    names = [panel.cases.item(row, 0).text() for row in range(panel.cases.rowCount())]
    assert names == ["full", "tail", "hidden_tail (hidden)"]
    assert panel.cases.item(0, 2).text() == "2.0e-7"


def test_changes_are_walked_with_the_keyboard_and_folds_open(
    panel: ReviewPanel, registry: ActionRegistry, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    panel.resize(1500, 500)
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    assert len(panel.diff.document.changes) == 2
    registry["review.next"].trigger()
    registry["review.next"].trigger()
    assert panel.header.counter.text() == "1 / 2"
    folds = [p for p, entry in enumerate(panel.diff.document.shown) if isinstance(entry, Fold)]
    before = len(panel.diff.document.shown)
    panel.diff._go_to(folds[0])
    qtbot.keyClick(panel.diff, Qt.Key.Key_Return)
    assert len(panel.diff.document.shown) > before


def test_more_context_is_kept_around_changes_and_remembered(
    panel: ReviewPanel, registry: ActionRegistry, preferences: Preferences, settled: Callable[[], None]
) -> None:
    panel.resize(1500, 500)
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)

    def hidden() -> int:
        folds = [entry for entry in panel.diff.document.shown if isinstance(entry, Fold)]
        return sum(fold.end - fold.start for fold in folds)

    before = hidden()
    registry["review.context_more"].trigger()
    assert hidden() < before
    assert preferences.number("review/context", 0) == 6
    registry["review.context_less"].trigger()
    registry["review.context_less"].trigger()
    assert hidden() > before
    assert preferences.number("review/context", 0) == 1


def test_an_adopted_item_leads_to_the_change_that_shows_its_code(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.NOTHING, 3, settled)
    links = [link for link in panel.adoptions.widget().findChildren(QToolButton) if ":" in link.text()]
    assert [link.text() for link in links] == ["abs_math.cpp:34"]
    qtbot.mouseClick(links[0], Qt.MouseButton.LeftButton)
    assert "DataCopyExtParams" in panel.diff.document.line_text(panel.diff._current)


def test_one_column_when_narrow_or_asked(
    panel: ReviewPanel, registry: ActionRegistry, preferences: Preferences
) -> None:
    assert not panel.diff.document.inline
    registry["review.inline"].trigger()
    assert panel.diff.document.inline
    assert preferences.flag("review/inline", default=False)
    registry["review.inline"].trigger()
    panel.resize(900, 600)
    assert panel.diff.document.inline


def test_search_finds_and_says_when_there_is_nothing(panel: ReviewPanel, qtbot: QtBot) -> None:
    panel.focus_search()
    qtbot.keyClicks(panel.search, "tile of 3072")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert "tile of 3072" in panel.diff.document.line_text(panel.diff._current)
    panel.search.clear()
    qtbot.keyClicks(panel.search, "no such text")
    qtbot.keyClick(panel.search, Qt.Key.Key_Return)
    assert panel.search._count.text().startswith("0")


def test_lines_are_selected_and_copied(panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]) -> None:
    _show(panel, Pick.NOTHING, Pick.BEST, settled)
    height = panel.diff._painter.row_height
    viewport = panel.diff.viewport()
    right = viewport.width() - 100
    panel.diff.verticalScrollBar().setValue(0)
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(right, height // 2))
    qtbot.mouseClick(
        viewport,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
        pos=QPoint(right, height + height // 2),
    )
    assert panel.diff.selected_text() == '#include "kernel_operator.h"\nusing namespace AscendC;'


def test_the_code_is_coloured_without_blocking(panel: ReviewPanel, qtbot: QtBot) -> None:
    highlighter = panel.diff._highlighters["right"]
    qtbot.waitUntil(lambda: not highlighter.busy)
    line = next(n for n, text in enumerate(panel.diff.document.right) if "constexpr" in text)
    roles = {
        panel.diff.document.right[line][start : start + length]: role
        for start, length, role in highlighter.tokens(line)
    }
    assert roles["constexpr"] == "keyword"
    assert roles["int32_t"] == "type"
    assert roles["2"] == "number"


def test_an_operator_without_rounds_shows_what_to_do(panel: ReviewPanel) -> None:
    panel.show_operator(None)
    assert panel._stack.currentIndex() == 0


def test_the_picture_shows_where_the_output_is_wrong(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    assert not panel.mismatch.count
    panel.details.setCurrentIndex(2)
    alone = panel.cases.height()
    assert alone > 0.8 * panel.details.height(), "the table has all the room while there is no picture"
    _show(panel, Pick.BEFORE, 5, settled)
    qtbot.waitUntil(lambda: panel.cases.height() < alone)
    view = panel.mismatch
    assert [view.chooser.itemText(n) for n in range(view.count)] == ["full · y", "tail · y"]
    assert "1,024 of 65,536 elements of 256 × 256 differ" in view.words.text()
    assert view.picture.cell_text(63, 63) == "rows 252 to 255, columns 252 to 255: up to 100% wrong"
    assert view.picture.cell_text(0, 0) == "rows 0 to 3, columns 0 to 3: all right"
    area = view.picture.area()
    before = view.picture.grab().toImage()

    def ink(row: int, column: int) -> int:
        x = area.left() + (column + 0.5) * area.width() / 64
        y = area.top() + (row + 0.5) * area.height() / 64
        return before.pixelColor(int(x), int(y)).red() - before.pixelColor(int(x), int(y)).green()

    assert ink(60, 63) > 60 > ink(10, 10)
    view.tile_columns.setFocus()
    view.tile_columns.selectAll()
    qtbot.keyClicks(view.tile_columns, "64")
    qtbot.keyClick(view.tile_columns, Qt.Key.Key_Return)
    assert view.picture.grab().toImage() != before


def test_a_reviewer_rejects_the_best_version_with_a_comment_and_takes_it_back(
    panel: ReviewPanel,
    registry: ActionRegistry,
    operations: Operations,
    writer: DirectWriter,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    assert not registry["review.reject"].isEnabled()
    operations.set_writer(writer)
    _show(panel, Pick.FIRST_CORRECT, 6, settled)
    panel.details.setCurrentWidget(panel.opinion)
    qtbot.keyClicks(panel.opinion.comment, "skips the tail")
    with qtbot.waitSignal(operations.written) as told:
        qtbot.mouseClick(panel.opinion.reject, Qt.MouseButton.LeftButton)
    assert told.args == [frozenset({"queue", "rounds"})]
    settled()
    assert panel.opinion.decision is Decision.REJECTED
    assert panel.opinion.words.text() == "Rejected"
    assert "skips the tail" in panel.opinion.history.text()
    assert not registry["review.export"].isEnabled()
    registry["review.reject"].trigger()
    settled()
    assert panel.opinion.decision is Decision.OPEN
    assert registry["review.export"].isEnabled()


def test_another_run_of_the_operator_can_be_compared_with(
    panel: ReviewPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with sample_workspace.Workspace.open(workspace) as opened:
        entry = sample_workspace.enqueue(opened, "AbsMath")
        uid = sample_workspace.run(opened, entry, sample_workspace.STEPS[:4])
    panel.show_operator(panel._trajectory.queue)
    settled()
    older = panel.header.older
    place = next(n for n in range(older.count()) if older.itemData(n) == OtherRun(uid))
    assert panel.header.older.itemText(place).endswith(": best")
    panel.header.older.setCurrentIndex(place)
    panel.header.older.activated.emit(place)
    settled()
    assert panel._comparison.left.latency_us == 15.02
    assert panel.header.change.text().endswith("against the other run")


def test_a_version_leaves_the_window_whole(
    panel: ReviewPanel, registry: ActionRegistry, tmp_path: Path, settled: Callable[[], None]
) -> None:
    registry["review.copy_file"].trigger()
    assert QGuiApplication.clipboard().text() == panel._comparison.right_files["op_kernel/abs_math.cpp"]
    registry["review.export"].trigger()
    panel.exports.dialog.fileSelected.emit(str(tmp_path))
    panel.exports.dialog.close()
    settled()
    written = tmp_path / "AbsMath-round-6" / "op_kernel" / "abs_math.cpp"
    assert written.read_text() == panel._comparison.right_files["op_kernel/abs_math.cpp"]


def test_a_refresh_shows_what_has_become_of_the_operator(
    panel: ReviewPanel, writer: DirectWriter, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.NOTHING, Pick.BEST, settled)
    assert panel.header.verdict.text() == "Round 6: Correct"
    written = writer(lambda workspace: workspace.db.execute("UPDATE trajectory SET best_round = 3"))
    assert written.exception() is None
    panel.refresh()
    settled()
    assert panel.header.verdict.text() == "Round 3: Correct", "asked nobody else for the row of the queue"
