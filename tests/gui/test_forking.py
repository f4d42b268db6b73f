"""Fork from here: a person edits a round in the window, has it judged and goes on from it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from core.analysis.queries import queue_ids, queue_rows, rounds
from core.analysis.results import read_runs
from core.evaluation.records import (
    BuildReport,
    CaseResult,
    CompilerMessage,
    Evaluation,
    Finding,
    Severity,
    VerdictClass,
)
from core.memory.records import Origin
from core.memory.store import MemoryStore
from core.references.builtin import builtin_references
from core.references.completion import completions
from core.workspace import Workspace
from sage_desktop.app import Desktop
from sage_desktop.panels.forking.dialog import Beginning, ForkDialog
from sage_desktop.services.stoppable import STOP_SECONDS
from tests.gui.test_diagnosing import WAIT_MS, desktop  # noqa: F401 - a fixture
from tests.remote.helpers import KERNEL

BEFORE = Beginning(
    "AbsMath",
    "t1",
    3,
    {KERNEL: "int a;\nint b;\n", "op_host/x.cpp": "int h;\n"},
    "fail-run",
    "it hangs",
    None,
    "",
    12,
)


@pytest.fixture
def dialog(qtbot: QtBot) -> ForkDialog:
    made = ForkDialog(BEFORE, may_write=True)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_names_of_the_reference_are_completed_and_their_signature_told(
    dialog: ForkDialog, qtbot: QtBot
) -> None:
    editor = dialog.editor
    assert dialog.focusWidget() is editor, "one types at once"
    editor.set_names(completions(builtin_references().sections))
    assert dialog.files.tabText(0) == KERNEL, "the kernel comes first"
    editor.go_to(2)
    QTest.keyClicks(editor, "DataCopyPa")
    names = editor.completer.popup()
    assert names.isVisible()
    QTest.keyClick(names, Qt.Key.Key_Return)
    assert editor.toPlainText() == "int a;\nDataCopyPadint b;\n"
    assert "DataCopyPad(" in dialog.hint.text()
    assert dialog.files.tabText(0).endswith("•")
    with qtbot.waitSignal(dialog.looked_up) as asked:
        QTest.keyClick(editor, Qt.Key.Key_F1)
    assert asked.args[0].startswith("DataCopyPad")


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_words_are_found_in_the_file_in_front(dialog: ForkDialog, qtbot: QtBot) -> None:
    editor, bar = dialog.editor, dialog.find_bar
    assert not bar.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert bar.isVisible()
    bar.field.setText("INT")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.count.text() == "1 of 2"
    assert editor.textCursor().selectedText() == "int"
    QTest.keyClick(dialog, Qt.Key.Key_F3)
    assert (bar.count.text(), editor.textCursor().blockNumber()) == ("2 of 2", 1)
    QTest.keyClick(dialog, Qt.Key.Key_F3)
    assert bar.count.text() == "1 of 2", "around the end"
    QTest.keyClick(dialog, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == "2 of 2"
    assert len(editor.extraSelections()) == 3
    dialog.show_file("op_host/x.cpp")
    assert bar.count.text() == "0 of 1"
    bar.case.setChecked(True)
    assert bar.count.text() == "No matches"
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert not bar.isVisible()
    assert len(editor.extraSelections()) == 1


def test_undo_ends_at_the_kernel_of_the_round(dialog: ForkDialog) -> None:
    before = dialog.editor.toPlainText()
    assert before
    assert not dialog.editor.document().isUndoAvailable()
    QTest.keyClicks(dialog.editor, "int y;")
    for _press in range(9):
        dialog.editor.undo()
    assert dialog.editor.toPlainText() == before


def test_tab_moves_the_lines_selected_and_does_not_replace_them(
    dialog: ForkDialog,
) -> None:
    editor = dialog.editor
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.toPlainText() == "    int a;\n    int b;\n"
    QTest.keyClick(editor, Qt.Key.Key_Backtab)
    assert editor.toPlainText() == BEFORE.files[KERNEL]
    editor.undo()
    editor.undo()
    assert editor.toPlainText() == BEFORE.files[KERNEL]
    editor.go_to(2)
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.toPlainText() == "int a;\n    int b;\n"


def test_only_what_can_be_done_can_be_pressed_and_errors_lead_to_their_line(
    dialog: ForkDialog, qtbot: QtBot
) -> None:
    assert not any(
        button.isEnabled()
        for button in (
            dialog.evaluate_button,
            dialog.continue_button,
            dialog.lesson_button,
        )
    )
    dialog.editor.insertPlainText("x")
    assert dialog.evaluate_button.isEnabled()
    assert dialog.continue_button.isEnabled()
    assert not dialog.lesson_button.isEnabled(), "nothing is known of it yet"
    message = CompilerMessage("error", "no x here", KERNEL, 2)
    failed = Evaluation(
        "d",
        "AbsMath",
        VerdictClass.FAIL_BUILD,
        "it does not build",
        BuildReport(ok=False, stage="kernel", messages=(message,)),
    )
    dialog.show_file("op_host/x.cpp")
    dialog.show_verdict(dialog.version(), failed)
    assert "Does not build" in dialog.message.words.text()
    assert dialog.files.tabData(dialog.files.currentIndex()) == KERNEL
    assert dialog.editor.textCursor().blockNumber() == 1
    assert dialog.lesson_button.isEnabled()
    dialog.editor.insertPlainText("y")
    assert not dialog.lesson_button.isEnabled(), "another version is not judged"
    dialog.close()
    assert dialog.isVisible(), "what is kept nowhere is not lost without a question"


def test_what_made_a_result_wrong_is_named_listed_first_and_marked_in_the_code(
    dialog: ForkDialog,
) -> None:
    dialog.editor.insertPlainText("x")
    whole = Finding("result-part", Severity.ERROR, "y: 7 elements are wrong")
    written = Finding(
        "tensor-overwrite", Severity.HAZARD, "write of 8 bytes", KERNEL, 2, call="Adds"
    )
    unseen = Finding("not-run", Severity.NOTE, "no case runs Adds", KERNEL, 1)
    wrong = Evaluation(
        "d",
        "AbsMath",
        VerdictClass.FAIL_RESULT,
        "y: max abs 69.1",
        BuildReport(ok=True),
        cases=(
            CaseResult("bulk", hidden=False, timed=True, status="wrong-result"),
            CaseResult("large", hidden=False, timed=False, status="skipped"),
        ),
        findings=(whole, written, unseen),
    )
    dialog.show_verdict(dialog.version(), wrong)
    name = KERNEL.rpartition("/")[2]
    assert f"{name}:2 Adds: write of 8 bytes" in dialog.message.words.text()
    rows = [dialog.findings.item(row).text() for row in range(dialog.findings.count())]
    assert rows[0] == f"{KERNEL}:2: tensor-overwrite: write of 8 bytes"
    assert not [row for row in rows if "skipped" in row], "no case failed there"
    assert dialog.editor.textCursor().blockNumber() == 1
    assert dialog.editor.fault_lines == {2}
    QTest.keyClick(dialog.editor, Qt.Key.Key_Return)
    assert dialog.editor.fault_lines == {3}, "the mark moves with its line"
    dialog.show_file("op_host/x.cpp")
    assert not dialog.editor.fault_lines
    dialog.set_busy("evaluating")
    dialog.show_file(KERNEL)
    assert not dialog.editor.fault_lines, "another version is being judged"


def test_a_changed_version_is_discarded_only_when_asked(qtbot: QtBot) -> None:
    dialog = ForkDialog(BEFORE, may_write=True)
    dialog.show()
    dialog.editor.insertPlainText("x")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    question = dialog.findChild(QMessageBox)
    assert isinstance(question, QMessageBox)
    (discard,) = [button for button in question.buttons() if button.text() == "Discard"]
    with qtbot.waitSignal(dialog.finished):
        QTest.mouseClick(discard, Qt.MouseButton.LeftButton)


def test_an_unchanged_kernel_closes_by_escape_and_by_the_title_bar(
    qtbot: QtBot,
) -> None:
    for leave in (
        lambda made: QTest.keyClick(made, Qt.Key.Key_Escape),
        ForkDialog.close,
    ):
        made = ForkDialog(BEFORE, may_write=True)
        made.show()
        with qtbot.waitSignal(made.finished):
            leave(made)


def test_an_open_editor_rests_once_its_text_is_coloured(
    dialog: ForkDialog, qtbot: QtBot
) -> None:
    dialog.editor.insertPlainText("int x = 1;\n")
    document = dialog.editor.document()
    qtbot.waitUntil(lambda: bool(document.firstBlock().layout().formats()))
    with qtbot.assertNotEmitted(document.contentsChanged, wait=500):
        pass


@pytest.mark.system
def test_a_version_is_judged_taught_and_gone_on_from(
    desktop: Desktop,  # noqa: F811
    workspace: Path,
    qtbot: QtBot,
) -> None:
    desktop.window.review.show_round(6)
    qtbot.waitUntil(lambda: desktop.window.review.subject.round == 6, timeout=WAIT_MS)
    desktop.window.actions_["review.fork"].trigger()
    qtbot.waitUntil(lambda: desktop.forking.dialog is not None, timeout=WAIT_MS)
    dialog = desktop.forking.dialog
    assert dialog is not None
    ahead = [one for one in threading.enumerate() if one.name == "fork-ahead"]
    assert ahead, "the judge gets ready while a person edits"
    text = dialog.editor.toPlainText()
    dialog.editor.setPlainText("#error no kernel\n" + text)
    dialog.note.setText("It never delivered its result.")
    dialog.evaluate_button.click()
    qtbot.waitUntil(
        lambda: dialog.evaluate_button.text() == "Evaluate", timeout=WAIT_MS
    )
    assert "no kernel" in dialog.findings.item(0).text() or dialog.message.words.text()
    dialog.lesson_button.click()
    assert "teaches nothing" in dialog.message.words.text(), (
        "neither correct nor faster"
    )
    dialog.continue_button.click()
    qtbot.waitUntil(lambda: desktop.forking.dialog is None, timeout=WAIT_MS)
    for preparing in ahead:
        preparing.join(STOP_SECONDS)
    assert not any(preparing.is_alive() for preparing in ahead)
    with Workspace.open_readonly(workspace) as opened:
        rows = queue_rows(opened.db, queue_ids(opened.db)).values()
        (fork,) = [row for row in rows if row.forked_from]
        assert (fork.state, fork.forked_from) == ("queued", "trajectory-1")
        assert [row.author for row in rounds(opened.db, fork.trajectory_uid)][
            -1
        ] == "person"
        number = rounds(opened.db, fork.trajectory_uid)[-1].round
        assert not [
            item for item in MemoryStore(opened).items() if item.origin is Origin.USER
        ]
        (edited,) = [run for run in read_runs(opened.db) if run.kind.edited]
        assert not edited.results, "what a person wrote is in no metric"
    window = desktop.window
    window.queue.reveal(fork.id)
    qtbot.waitUntil(lambda: window.review.versions.queue.id == fork.id, timeout=WAIT_MS)
    assert "edited by a person" in window.queue.model.subtitle(fork)
    window.review.show_round(number)
    qtbot.waitUntil(lambda: window.review.subject.round == number, timeout=WAIT_MS)
    assert "edited by a person" in window.review.header.strip.accessibleDescription()
    window.actions_["view.trajectory"].trigger()
    tree = window.trajectory.tree
    qtbot.waitUntil(lambda: tree.topLevelItemCount() == number, timeout=WAIT_MS)
    told = [
        "edited by a person" in tree.topLevelItem(row).text(1) for row in range(number)
    ]
    assert told == [False] * (number - 1) + [True]
