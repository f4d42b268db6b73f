"""Two versions of a kernel, with everything known about the newer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolButton, QToolTip
from pytestqt.qtbot import QtBot

from core.analysis.reviews import Decision
from core.diff.side_by_side import RowKind
from core.evaluation.records import (
    CANN_HEADERS,
    NOT_CHECKED,
    BuildReport,
    CaseResult,
    CompilerMessage,
    Evaluation,
    VerdictClass,
)
from core.operators.catalogue import catalogue_operator
from core.operators.measured_kernels import measured_kernels
from sage_desktop.panels.review.adoption import AdoptionList
from sage_desktop.panels.review.findings import MessageList, marks_of, messages
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.panels.review.versions import OtherRun, Pick
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
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


def _evaluation(panel: ReviewPanel) -> Evaluation:
    """Of the newer version, which was judged."""
    assert panel.pair is not None
    assert panel.pair.evaluation is not None
    return panel.pair.evaluation


def test_the_latest_round_is_shown_against_the_one_before(panel: ReviewPanel) -> None:
    assert panel.header.name.text() == "AbsMath"
    assert panel.header.verdict.text() == "Round 6: Correct"
    assert panel.header.latency.text() == "9.63 µs"
    assert panel.header.origin.text() == "modelled"
    assert "3 of 3 cases pass" in panel.header.facts.text()
    assert panel.header.facts.text().endswith("· twin"), "what judged it"
    trajectory, comparison = panel.versions, panel.pair
    assert trajectory is not None
    assert comparison is not None
    assert comparison.evaluation is not None
    big = CaseResult("big", hidden=False, timed=False, status="skipped")
    judged = replace(comparison.evaluation, cases=(*comparison.evaluation.cases, big))
    panel.header.show_comparison(trajectory, replace(comparison, evaluation=judged))
    assert "3 of 3 cases pass · 1 skipped" in panel.header.facts.text()
    assert [panel.code.files.tabText(i) for i in range(3)] == [
        "op_kernel/abs_math.cpp",
        "op_host/abs_math_tiling.h",
        "op_host/abs_math.cpp",
    ]


def test_a_round_without_a_verdict_runs_only_while_its_operator_does(
    panel: ReviewPanel,
) -> None:
    trajectory, comparison = panel.versions, panel.pair
    assert trajectory is not None
    assert comparison is not None
    begun = replace(comparison.newer, verdict="", latency_us=None)
    pair = replace(comparison, newer=begun, evaluation=None)
    for state, words in (
        ("running", "Running"),
        ("queued", "Waiting"),
        ("failed", "Not finished"),
    ):
        queue = replace(trajectory.queue, state=state)
        panel.header.show_comparison(replace(trajectory, queue=queue), pair)
        assert panel.header.verdict.text() == f"Round 6: {words}"


def test_while_the_workspace_opens_nobody_is_sent_to_run_the_queue(
    operations: Operations,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
) -> None:
    panel = ReviewPanel(operations, registry, preferences)
    qtbot.addWidget(panel)
    (empty,) = panel.findChildren(EmptyState)
    assert empty.title.text() == "Opening the workspace…"
    assert empty.hint.text() == ""
    panel.show_opened()
    assert empty.title.text() == "No operator yet"


def test_what_cann_s_headers_say_is_read_before_other_facts(panel: ReviewPanel) -> None:
    trajectory, comparison = panel.versions, panel.pair
    assert trajectory is not None
    assert comparison is not None
    assert comparison.evaluation is not None
    facts = {CANN_HEADERS: NOT_CHECKED}
    judged = replace(comparison.evaluation, facts=facts)
    panel.header.show_comparison(trajectory, replace(comparison, evaluation=judged))
    assert panel.header.facts.text().startswith(NOT_CHECKED)


def test_cann_s_own_time_stands_beside_a_latency(panel: ReviewPanel) -> None:
    trajectory, comparison = panel.versions, panel.pair
    assert trajectory is not None
    assert comparison is not None
    baselines = measured_kernels(catalogue_operator("CastMath"))
    assert baselines
    header = panel.header
    header.show_comparison(trajectory, replace(comparison, baselines=baselines))
    assert "CANN's Cast: " in header.facts.text()
    assert f"(profile {baselines[0].profile})" in header.facts.text()
    wrong = replace(comparison.newer, latency_us=None, verdict="fail-result")
    pair = replace(comparison, newer=wrong, baselines=baselines)
    header.show_comparison(trajectory, pair)
    assert "CANN's Cast: " not in header.facts.text()


def test_times_of_an_earlier_time_model_say_so_and_are_not_compared(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    trajectory, comparison = panel.versions, panel.pair
    assert trajectory is not None
    assert comparison is not None
    assert comparison.latency_change is not None
    replayed = replace(
        comparison.newer,
        recorded_verdict="pass",
        recorded_us=20.0,
        recorded_origin="modelled",
    )
    header = panel.header
    header.show_comparison(trajectory, replace(comparison, newer=replayed))
    assert header.origin.text() == "modelled"
    assert "20.00" not in header.facts.text(), "what compares with nothing is left out"
    older = replace(comparison.newer, latency_origin="modelled")
    header.show_comparison(trajectory, replace(comparison, newer=older))
    assert header.origin.text() == "modelled by time model 1, not comparable"
    assert header.change.isHidden()


def test_a_gain_inside_the_range_of_the_time_model_is_marked(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    trajectory, comparison = panel.versions, panel.pair
    assert trajectory is not None
    assert comparison is not None
    us = comparison.newer.latency_us
    assert us is not None
    for factor, marked in ((1.1, False), (100.0, True)):
        right = replace(comparison.newer, latency_low=us / 2, latency_high=factor * us)
        rounds = tuple(
            right if row.round == right.round else row for row in trajectory.rounds
        )
        panel.header.show_comparison(
            replace(trajectory, rounds=rounds), replace(comparison, newer=right)
        )
        facts = panel.header.facts.text()
        assert f"modelled range {us / 2:.2f} to " in facts
        assert ("gain inside what the time model knows" in facts) is marked


def test_first_correct_against_best_names_the_change_of_latency(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.FIRST_CORRECT, Pick.BEST, settled)
    assert panel.header.change.text() == "−55.9 % against round 3"
    document = panel.code.diff.document
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
    assert all(
        row.kind is RowKind.ADDED for row in panel.code.diff.document.comparison.rows
    )
    older.setCurrentIndex(older.findText("First correct"))
    older.activated.emit(older.currentIndex())
    settled()
    assert panel.header.change.text() == "−55.9 % against round 3"
    assert older.currentText() == "First correct"
    cell, row = panel.header.strip.cells()[2]
    qtbot.mouseClick(
        panel.header.strip, Qt.MouseButton.LeftButton, pos=cell.center().toPoint()
    )
    settled()
    assert row.round == 3
    assert panel.header.verdict.text() == "Round 3: Correct"
    qtbot.keyClick(panel.header.strip, Qt.Key.Key_Left)
    settled()
    assert panel.header.verdict.text() == "Round 2: Fails while running"


def test_an_operator_opens_at_what_its_row_says_the_best_once_its_work_is_over(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    assert panel.versions is not None
    row = panel.versions.queue
    assert row.best_round is not None
    for state, choice in (("running", Pick.LATEST), ("done", Pick.BEST)):
        panel.show_operator(None)
        panel.show_operator(replace(row, state=state))
        settled()
        assert panel.header.newer.currentData() == choice
    panel.show_operator(None)
    panel.show_operator(replace(row, state="failed", best_round=None))
    settled()
    assert panel.header.newer.currentData() == Pick.LATEST


def test_an_operator_comes_back_with_the_versions_that_were_compared(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    assert panel.versions is not None
    row = replace(panel.versions.queue, state="done")
    panel.show_operator(row)
    settled()
    panel.header.picked.emit(Pick.FIRST_CORRECT, Pick.BEST)
    settled()
    panel.show_operator(None)
    panel.show_operator(row)
    settled()
    assert panel.header.older.currentData() == Pick.FIRST_CORRECT
    panel.show_operator(None)
    panel.show_operator(replace(row, state="running"))
    settled()
    assert panel.header.older.currentData() == Pick.BEFORE, "its rounds go on"
    assert panel.header.newer.currentData() == Pick.LATEST


def test_the_strip_tells_adoptions_and_why_a_round_has_no_kernel(
    panel: ReviewPanel, qtbot: QtBot
) -> None:
    assert panel.versions is not None
    strip = panel.header.strip
    assert any(row.adopted for row in panel.versions.rounds)
    rounds = list(panel.versions.rounds)
    rounds[0] = replace(rounds[0], adopted=2)
    rounds[-1] = replace(
        rounds[-1], candidate="", verdict="no-kernel", cause="given up"
    )
    strip.show_rounds(replace(panel.versions, rounds=tuple(rounds)), 0, 1)
    assert "2 experiences adopted" in strip.accessibleDescription()
    cell, _row = strip.cells()[-1]
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=cell.center().toPoint())
    assert "given up" in QToolTip.text()
    QToolTip.hideText()


def test_the_definition_in_pytorch_is_a_version_to_look_at(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    assert "no integrity rule broken" in panel.header.facts.text()
    older = panel.header.older
    older.setCurrentIndex(older.findText("Definition in PyTorch"))
    older.activated.emit(older.currentIndex())
    settled()
    assert panel.code.files.tabText(0) == "reference.py"
    panel.code.files.setCurrentIndex(0)
    assert "torch.abs" in "\n".join(panel.code.diff.document.right)
    assert not panel.code.diff.document.changes
    assert (
        "reference.py" not in panel.pair.newer_files
    )  # it is no part of what is exported


def test_a_finding_marks_its_line_and_a_click_leads_there(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.BEFORE, 2, settled)
    assert "DataCopy reads 48 bytes" in panel.header.cause.text()
    assert panel.details.messages.count() == 1
    place = panel.details.messages.visualItemRect(
        panel.details.messages.item(0)
    ).center()
    panel.details.setCurrentWidget(panel.details.findings)
    qtbot.mouseClick(
        panel.details.messages.viewport(), Qt.MouseButton.LeftButton, pos=place
    )
    document = panel.code.diff.document
    position = document.position_of("right", 34)
    assert [mark.severity for mark in document.marks_at(position)] == ["error"]
    assert panel.code.diff.current_row == position
    assert "DataCopy" in panel.code.diff.accessibleDescription()


def test_a_failed_round_opens_at_its_fault_and_the_cause_leads_there_again(
    panel: ReviewPanel,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    assert not registry["review.next_finding"].isEnabled()
    _show(panel, Pick.BEFORE, 2, settled)
    fault = panel.code.diff.document.position_of("right", 34)
    assert panel.code.diff.current_row == fault, "not at the first change"
    for back in (
        lambda: qtbot.mouseClick(panel.header.cause, Qt.MouseButton.LeftButton),
        lambda: qtbot.keyClick(panel.header.cause, Qt.Key.Key_Return),
        registry["review.next_finding"].trigger,
    ):
        panel.code.files.setCurrentIndex(2)
        panel.code.diff.go_to_line(0)
        back()
        assert panel.code.files.currentIndex() == 0
        assert panel.code.diff.place == ("right", 34)


def test_notes_of_the_compiler_are_folded_under_their_error(qtbot: QtBot) -> None:
    told = (
        CompilerMessage("note", "in instantiation of", "k.cpp", 3),
        CompilerMessage("error", "no matching function", "k.cpp", 7),
        CompilerMessage("note", "candidate", "k.h", 70),
        CompilerMessage("warning", "unused", "k.cpp", 9),
        CompilerMessage("error", "expected ;", "k.cpp", 12),
    )
    build = BuildReport(ok=False, messages=told)
    evaluation = Evaluation("", "AbsMath", VerdictClass.FAIL_BUILD, "", build)
    shown = MessageList()
    qtbot.addWidget(shown)
    shown.resize(400, 400)
    shown.show()
    shown.show_messages(messages(evaluation))

    def words() -> list[str]:
        return [
            shown.item(row).text().split("\n")[0].strip()
            for row in range(shown.count())
        ]

    folded = ["no matching function", "2 compiler notes", "expected ;", "unused"]
    assert words() == folded
    for opened in (["in instantiation of", "candidate"], []):
        place = shown.visualItemRect(shown.item(1)).center()
        qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert words() == [*folded[:2], *opened, *folded[2:]]
        if opened:
            with qtbot.waitSignal(shown.jumped) as jumped:
                shown.itemClicked.emit(shown.item(3))
            assert jumped.args == ["k.h", 70]
    assert sorted(marks_of("op_kernel/k.cpp", messages(evaluation))) == [2, 6, 8, 11]


def test_adoption_stands_beside_the_code_and_leads_to_the_item(
    panel: ReviewPanel, qtbot: QtBot
) -> None:
    assert panel.details.tabText(0) == "Adoption 2/5"
    links = panel.details.adoptions.widget().findChildren(QToolButton)
    assert [link.text() for link in links][:2] == ["seed-0003", "seed-0004"]
    with qtbot.waitSignal(panel.item_opened) as opened:
        qtbot.mouseClick(links[0], Qt.MouseButton.LeftButton)
    assert opened.args == ["seed-0003"]


def test_a_record_the_change_speaks_against_is_marked(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    for number, doubts in ((3, set()), (4, {"seed-0003"})):
        _show(panel, Pick.BEFORE, number, settled)
        assert panel.pair.doubts & {"seed-0001", "seed-0003"} == doubts
        labels = panel.details.adoptions.widget().findChildren(QLabel)
        marks = [label for label in labels if label.text().startswith("Doubtful")]
        assert len(marks) == len(panel.pair.doubts)


def test_a_reply_that_did_not_state_its_resident_rules_is_marked(qtbot: QtBot) -> None:
    records = AdoptionList()
    qtbot.addWidget(records)
    for stated in (False, True):
        records.show_records((), (), pinned=False, here=None, stated=stated, hunks={})
        words = " ".join(
            label.text() for label in records.widget().findChildren(QLabel)
        )
        assert ("does not say which resident rules" in words) is not stated


def test_the_cases_table_hides_nothing_but_hidden_inputs(panel: ReviewPanel) -> None:
    names = [
        panel.details.cases.item(row, 0).text()
        for row in range(panel.details.cases.rowCount())
    ]
    assert names == ["full", "tail", "hidden_tail"]
    assert panel.details.cases.item(0, 3).text() == "2.0e-7"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_case_stays_in_front_by_its_name_and_its_menu_says_what_can_be_done(
    panel: ReviewPanel, qtbot: QtBot
) -> None:
    cases = panel.details.cases
    evaluation = _evaluation(panel)
    full, tail, hidden = evaluation.cases
    cases.setCurrentCell(0, 0)
    cases.show_cases(replace(evaluation, cases=(tail, full)))
    assert cases.currentRow() == 1, "another row, the same case"
    place = cases.visualItemRect(cases.item(1, 0)).center()
    asking = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, cases.viewport().mapToGlobal(place)
    )
    QApplication.sendEvent(cases.viewport(), asking)
    (action,) = cases.findChild(QMenu).actions()
    with qtbot.waitSignal(cases.opened) as opened:
        action.trigger()
    assert opened.args == ["full"]
    cases.show_cases(replace(evaluation, cases=(tail, hidden)))
    assert not cases.selectedItems(), "a case of another name is not the one chosen"


def test_a_case_is_traced_by_a_double_click_and_heads_sort_by_number(
    panel: ReviewPanel, qtbot: QtBot
) -> None:
    cases = panel.details.cases
    evaluation = _evaluation(panel)
    assert evaluation.latency is not None
    times = iter((9.0, 10.0, 2.0))
    cases.show_cases(
        replace(
            evaluation,
            cases=tuple(
                replace(case, latency=replace(evaluation.latency, value=next(times)))
                for case in evaluation.cases
            ),
        )
    )
    cases.sortItems(1, Qt.SortOrder.DescendingOrder)
    shown = [cases.item(row, 1).text() for row in range(cases.rowCount())]
    assert shown == ["10.00 µs", "9.00 µs", "2.00 µs"]
    with qtbot.waitSignal(panel.code.times.trace_wanted) as wanted:
        cases.itemActivated.emit(cases.item(0, 0))
    assert wanted.args[1] == evaluation.cases[1].case


def test_an_adopted_item_leads_to_the_change_that_shows_its_code(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.NOTHING, 3, settled)
    links = [
        link
        for link in panel.details.adoptions.widget().findChildren(QToolButton)
        if ":" in link.text()
    ]
    assert [link.text() for link in links] == ["abs_math.cpp:34"]
    qtbot.mouseClick(links[0], Qt.MouseButton.LeftButton)
    assert "DataCopyExtParams" in panel.code.diff.document.line_text(
        panel.code.diff.current_row
    )


def test_one_column_when_narrow_or_asked(
    panel: ReviewPanel, registry: ActionRegistry, preferences: Preferences
) -> None:
    assert not panel.code.diff.document.inline
    registry["review.inline"].trigger()
    assert panel.code.diff.document.inline
    assert preferences.flag("review/inline", default=False)
    assert not panel.code.narrow.isVisible(), "one column was asked for"
    registry["review.inline"].trigger()
    panel.resize(700, 600)
    assert panel.code.diff.document.inline
    assert panel.code.narrow.isVisible()
    panel.code.narrow.button.click()
    assert not panel.code.diff.document.inline
    assert not panel.code.narrow.isVisible()
    assert preferences.flag("review/two_columns", default=False)
    registry["review.two_columns"].trigger()
    panel.resize(1500, 600)
    assert not panel.code.diff.document.inline
    assert not panel.code.narrow.isVisible()


def test_the_code_is_coloured_without_blocking(
    panel: ReviewPanel, qtbot: QtBot
) -> None:
    diff = panel.code.diff
    lines = diff.document.right
    line = next(n for n, text in enumerate(lines) if "constexpr" in text)
    qtbot.waitUntil(lambda: bool(diff.tokens("right", line)))
    roles = {
        lines[line][start : start + length]: role
        for start, length, role in diff.tokens("right", line)
    }
    assert roles["constexpr"] == "keyword"
    assert roles["int32_t"] == "type"
    assert roles["2"] == "number"


def test_an_operator_without_rounds_shows_what_to_do(panel: ReviewPanel) -> None:
    panel.show_operator(None)
    assert not panel.header.isVisible()
    assert panel.findChild(EmptyState).isVisible()


def _offered(panel: ReviewPanel) -> list[str]:
    buttons = panel.findChild(EmptyState).findChildren(QToolButton)
    return [button.text() for button in buttons if not button.isHidden()]


@pytest.mark.parametrize(
    ("state", "title", "offers"),
    [
        ("queued", "No kernel yet", ["Run"]),
        ("running", "AbsMath: the first kernel is being written", []),
        ("failed", "AbsMath failed before it had a kernel", ["Retry Operator"]),
        (
            "cancelled",
            "AbsMath was cancelled before it had a kernel",
            ["Retry Operator"],
        ),
    ],
)
def test_an_operator_without_a_kernel_says_why_and_offers_what_helps(
    panel: ReviewPanel, state: str, title: str, offers: list[str]
) -> None:
    assert panel.versions is not None
    panel.show_opened()
    why = "the model read 3000 tokens of a prompt of 9000" if state == "failed" else ""
    row = panel.versions.queue
    panel.show_operator(replace(row, state=state, reason=why, trajectory_uid=""))
    empty = panel.findChild(EmptyState)
    assert empty.title.text() == title
    assert why in empty.hint.text()
    assert _offered(panel) == offers
    panel.show_operator(None)
    assert _offered(panel) == ["Add Operators…"]


def test_the_picture_shows_where_the_output_is_wrong(
    panel: ReviewPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    assert not panel.details.mismatch.count
    panel.details.set_open(on=True)
    panel.details.setCurrentIndex(2)
    alone = panel.details.cases.height()
    assert alone > 0.8 * panel.details.height(), (
        "the table has all the room while there is no picture"
    )
    _show(panel, Pick.BEFORE, 5, settled)
    qtbot.waitUntil(lambda: panel.details.cases.height() < alone)
    view = panel.details.mismatch
    assert [view.chooser.itemText(n) for n in range(view.count)] == [
        "full · y",
        "tail · y",
    ]
    assert "1,024 of 65,536 elements of 256 × 256 differ" in view.words.text()
    assert (
        view.picture.cell_text(63, 63)
        == "rows 252 to 255, columns 252 to 255: up to 100% wrong"
    )
    assert view.picture.cell_text(0, 0) == "rows 0 to 3, columns 0 to 3: all correct"
    area = view.picture.area()
    before = view.picture.grab().toImage()

    def ink(row: int, column: int) -> int:
        x = area.left() + (column + 0.5) * area.width() / 64
        y = area.top() + (row + 0.5) * area.height() / 64
        return (
            before.pixelColor(int(x), int(y)).red()
            - before.pixelColor(int(x), int(y)).green()
        )

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
    assert not panel.details.notes.reject.isEnabled()
    operations.set_writer(writer)
    _show(panel, Pick.FIRST_CORRECT, 6, settled)
    panel.details.setCurrentWidget(panel.details.notes)
    qtbot.keyClicks(panel.details.notes.comment, "skips the tail")
    with qtbot.waitSignal(operations.written) as told:
        qtbot.mouseClick(panel.details.notes.reject, Qt.MouseButton.LeftButton)
    assert told.args == [frozenset({"queue", "rounds"})]
    settled()
    assert panel.details.notes.decision is Decision.REJECTED
    assert panel.details.notes.words.text() == "Rejected"
    assert "skips the tail" in panel.details.notes.history.text()
    assert not registry["review.export"].isEnabled()
    panel.details.notes.reject.click()
    settled()
    assert panel.details.notes.decision is Decision.OPEN
    assert registry["review.export"].isEnabled()


def test_a_half_typed_comment_outlives_another_theme_and_a_refresh(
    panel: ReviewPanel,
    operations: Operations,
    writer: DirectWriter,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    operations.set_writer(writer)
    _show(panel, Pick.FIRST_CORRECT, 6, settled)
    comment = panel.details.notes.comment
    panel.details.setCurrentWidget(panel.details.notes)
    qtbot.keyClicks(comment, "skips the")
    theme().changed.emit()
    panel.refresh()
    settled()
    qtbot.keyClicks(comment, " tail")
    assert comment.toPlainText() == "skips the tail"


def test_another_run_of_the_operator_can_be_compared_with(
    panel: ReviewPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with sample_workspace.Workspace.open(workspace) as opened:
        entry = sample_workspace.enqueue(opened, "AbsMath")
        uid = sample_workspace.run(opened, entry, sample_workspace.STEPS[:4])
    panel.show_operator(panel.versions.queue)
    settled()
    older = panel.header.older
    place = next(n for n in range(older.count()) if older.itemData(n) == OtherRun(uid))
    assert panel.header.older.itemText(place).endswith(": best")
    panel.header.older.setCurrentIndex(place)
    panel.header.older.activated.emit(place)
    settled()
    assert panel.pair.older.latency_us == 15.02
    assert panel.header.change.text().endswith("against the other run")


def test_a_version_leaves_the_window_whole(
    panel: ReviewPanel,
    registry: ActionRegistry,
    tmp_path: Path,
    settled: Callable[[], None],
) -> None:
    registry["review.export"].trigger()
    forms = panel.exports.question.comboBoxItems()
    panel.exports.question.textValueSelected.emit(forms[0])
    panel.exports.question.close()
    panel.exports.dialog.fileSelected.emit(str(tmp_path))
    panel.exports.dialog.close()
    settled()
    written = tmp_path / "AbsMath-round-6" / "op_kernel" / "abs_math.cpp"
    assert written.read_text() == panel.pair.newer_files["op_kernel/abs_math.cpp"]


def test_a_refresh_shows_what_has_become_of_the_operator(
    panel: ReviewPanel, writer: DirectWriter, settled: Callable[[], None]
) -> None:
    _show(panel, Pick.NOTHING, Pick.BEST, settled)
    assert panel.header.verdict.text() == "Round 6: Correct"
    written = writer(
        lambda workspace: workspace.db.execute("UPDATE trajectory SET best_round = 3")
    )
    assert written.exception() is None
    panel.refresh()
    settled()
    assert panel.header.verdict.text() == "Round 3: Correct", (
        "asked nobody else for the row of the queue"
    )


def test_a_line_tells_who_wrote_it_and_what_taught_it_where_asked(
    panel: ReviewPanel, registry: ActionRegistry, settled: Callable[[], None]
) -> None:
    path = "op_kernel/abs_math.cpp"
    assert not panel.code.origins.bar.isVisible()
    registry["review.origins"].setChecked(True)
    settled()
    panel.show_line(panel.versions.queue.id, 6, path, _line_of(panel, "DataCopyPad("))
    settled()
    told = panel.code.origins.bar.accessibleDescription()
    assert "round 3" in told
    assert "seed-0001" in told
    assert "first correct kernel in round 3: 21.84 µs, modelled" in told
    opened: list[str] = []
    panel.item_opened.connect(opened.append)
    buttons = panel.code.origins.bar.findChildren(QToolButton)
    next(button for button in buttons if button.text() == "seed-0001").click()
    assert opened == ["seed-0001"]
    panel.show_line(panel.versions.queue.id, 6, path, _line_of(panel, "BUFFER_NUM = 2"))
    settled()
    told = panel.code.origins.bar.accessibleDescription()
    assert "−6.82 µs, modelled (round 3: 21.84 µs, round 4: 15.02 µs)" in told
    assert "seed-0003" not in told  # declared, but no line of the round shows its code
    assert (
        panel.code.origins.note(*panel.code.diff.place) == "round 4 · −6.82 µs modelled"
    )
    buttons = panel.code.origins.bar.findChildren(QToolButton)
    next(button for button in buttons if button.text() == "round 4").click()
    settled()
    assert panel.header.verdict.text() == "Round 4: Correct"


def _line_of(panel: ReviewPanel, words: str) -> int:
    lines = panel.pair.newer_files["op_kernel/abs_math.cpp"].splitlines()
    return next(number for number, line in enumerate(lines, start=1) if words in line)
