"""A person asks tools about kernels: one click, in the background, answers kept beside the code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.agent.run.journal import Journal
from core.analysis.inquiries import add_inquiry
from core.evaluation.records import DiagnosticResult, Finding, Severity
from core.workspace import Workspace
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.review.findings import MessageList
from sage_desktop.ui.preferences import Preferences
from tests.remote.helpers import KERNEL, edited

WAIT_MS = 120_000
UNDELIVERED = edited((KERNEL, "outQueue.EnQue(y);", ""))


@pytest.fixture
def desktop(
    qapp: QApplication, workspace: Path, tmp_path: Path, qtbot: QtBot
) -> Iterator[Desktop]:
    """The window on the sample workspace, with AbsMath in front; the kernel of its round 6 is real."""
    with Workspace.open(workspace) as opened, opened.transaction() as db:
        digest = (Journal(opened).store_candidate(UNDELIVERED),)
        where = "trajectory_uid = 'trajectory-1' AND round = 6"
        db.execute(f"UPDATE round SET candidate = ? WHERE {where}", digest)
    made = Desktop(
        qapp,
        arguments(["--workspace", str(workspace)]),
        Preferences(tmp_path / "window.ini"),
    )
    made.preferences.set("window/page", 0)
    made.window.resize(1500, 900)
    loaded: list[bool] = []
    made.opening.loaded.connect(lambda: loaded.append(True))
    made.start()
    qtbot.waitUntil(
        lambda: bool(loaded) and made.window.review.subject is not None, timeout=WAIT_MS
    )
    table = made.window.queue.table
    place = table.visualRect(made.window.queue.model.index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(
        lambda: made.window.review.subject.operator == "AbsMath", timeout=WAIT_MS
    )
    yield made
    made.window.set_busy(busy=False)
    made.window.close()
    made.shut_down()


def _choose_round(desktop: Desktop, qtbot: QtBot, number: int) -> None:
    desktop.window.review.show_round(number)
    qtbot.waitUntil(
        lambda: desktop.window.review.subject.round == number, timeout=WAIT_MS
    )


def _click(messages: MessageList, row: int, qtbot: QtBot) -> None:
    place = messages.visualItemRect(messages.item(row)).center()
    qtbot.mouseClick(messages.viewport(), Qt.MouseButton.LeftButton, pos=place)


def _entry(desktop: Desktop, name: str) -> object:
    return next(
        action
        for action in desktop.window.review.details.findings.bar.menu.actions()
        if action.text().startswith(name)
    )


@pytest.mark.system
def test_a_tool_is_asked_with_one_click_and_its_answer_is_kept(
    desktop: Desktop, qtbot: QtBot
) -> None:
    review = desktop.window.review
    names = [
        action.text().partition("  ")[0]
        for action in review.details.findings.bar.menu.actions()
    ]
    assert names[:4] == ["build", "sanitizer", "profile", "output"]
    desktop.preferences.set("judge/toolchain", "cann")
    review.details.findings.bar.menu.aboutToShow.emit()
    assert _entry(desktop, "racecheck"), (
        "the tools are those of the judge chosen meanwhile"
    )
    desktop.preferences.set("judge/toolchain", "twin")
    review.details.findings.bar.menu.aboutToShow.emit()
    _choose_round(desktop, qtbot, 5)
    before = review.details.messages.count()
    with qtbot.waitSignal(desktop.diagnosing.answered, timeout=WAIT_MS) as answered:
        _entry(desktop, "build").trigger()
        qtbot.waitUntil(
            lambda: not review.details.findings.bar.stop.isHidden(), timeout=WAIT_MS
        )
        assert not review.details.findings.bar.tools.isEnabled()
    (answer,) = answered.args
    assert (
        "does not compile" in answer.result.summary
    )  # the sample's host side is a sketch
    qtbot.waitUntil(lambda: review.details.messages.count() > before, timeout=WAIT_MS)
    assert review.details.findings.bar.tools.isEnabled()
    assert review.details.currentWidget() is review.details.findings
    heading = review.details.messages.item(before)
    assert heading.text().startswith("build: the kernel does not compile")
    assert "run by you" in heading.text()


@pytest.mark.system
def test_findings_of_a_tool_stand_at_their_lines_and_lead_to_its_log(
    desktop: Desktop, workspace: Path, qtbot: QtBot
) -> None:
    review = desktop.window.review
    found = Finding("queue", Severity.ERROR, "DeQue without EnQue", KERNEL, 41)
    result = DiagnosticResult(
        "sanitizer", ok=False, summary="errors: 1", findings=(found,), log="whole log"
    )
    with Workspace.open(workspace) as opened:
        add_inquiry(opened, review.subject.candidate, "", "this computer", result, 2.0)
    review.refresh()
    qtbot.waitUntil(lambda: review.details.messages.count() == 2, timeout=WAIT_MS)
    assert review.details.tabText(1) == "Messages 1"
    review.details.setCurrentWidget(review.details.findings)
    _click(review.details.messages, 1, qtbot)
    marks = review.code.diff.document.marks_at(review.code.diff.current_row)
    assert [mark.text for mark in marks] == ["DeQue without EnQue"]
    _click(review.details.messages, 0, qtbot)
    assert review.details.findings.answer.report.toPlainText().endswith("whole log")
    review.details.findings.answer.reject()


@pytest.mark.system
def test_a_diagnostic_is_called_off(desktop: Desktop, qtbot: QtBot) -> None:
    bar = desktop.window.review.details.findings.bar
    _entry(desktop, "sanitizer").trigger()
    qtbot.waitUntil(lambda: not bar.stop.isHidden(), timeout=WAIT_MS)
    qtbot.mouseClick(bar.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(bar.tools.isEnabled, timeout=WAIT_MS)
    assert bar.words.text() == "Cancelled"
    assert not desktop.window.review.pair.answers


def test_the_dialog_offers_the_cases_and_the_tools_of_each_toolchain(
    desktop: Desktop, qtbot: QtBot
) -> None:
    _choose_round(desktop, qtbot, 3)
    desktop.window.actions_["review.diagnose"].trigger()
    dialog = desktop.diagnosing.dialog
    cases = [dialog.case.itemText(n) for n in range(dialog.case.count())]
    assert cases[0] == "Chosen by the tool"
    assert len(cases) > 1
    assert not any("hidden" in case for case in cases)
    dialog.toolchain.setCurrentIndex(dialog.toolchain.findData("cann"))
    tools = [dialog.tool.itemText(n) for n in range(dialog.tool.count())]
    assert {"racecheck", "plog", "trace"} <= set(tools)
    dialog.toolchain.setCurrentIndex(dialog.toolchain.findData("twin"))
    dialog.tool.setCurrentIndex(dialog.tool.findText("profile"))
    dialog.case.setCurrentIndex(1)
    asked: list[object] = []
    dialog.submitted.disconnect(desktop.diagnosing.ask)
    dialog.submitted.connect(asked.append)
    dialog.main_button.click()
    (question,) = asked
    assert (question.tool, question.case, question.subject.round) == (
        "profile",
        cases[1],
        3,
    )


@pytest.mark.system
def test_the_trajectory_asks_about_the_round_selected_and_lists_the_answer(
    desktop: Desktop, qtbot: QtBot
) -> None:
    window = desktop.window
    window.actions_["view.trajectory"].trigger()
    tree = window.trajectory.tree
    qtbot.waitUntil(lambda: tree.topLevelItemCount() >= 6, timeout=WAIT_MS)
    tree.setCurrentItem(tree.topLevelItem(1).child(0))
    assert window.trajectory.subject.round == 2
    with qtbot.waitSignal(desktop.diagnosing.answered, timeout=WAIT_MS):
        window.trajectory.bar.asked.emit("build")
    qtbot.waitUntil(
        lambda: any(
            tree.topLevelItem(1).child(n).text(0) == "You ran build"
            for n in range(tree.topLevelItem(1).childCount())
        ),
        timeout=WAIT_MS,
    )
    tree.setCurrentItem(tree.topLevelItem(1))
    qtbot.keyClick(tree, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.review.subject.round == 2, timeout=WAIT_MS)
    assert window.tabs.currentIndex() == 0


@pytest.mark.slow
def test_the_sanitizer_of_the_twin_marks_the_line_at_fault(
    desktop: Desktop, qtbot: QtBot
) -> None:
    _choose_round(desktop, qtbot, 6)
    review = desktop.window.review
    with qtbot.waitSignal(desktop.diagnosing.answered, timeout=WAIT_MS):
        _entry(desktop, "sanitizer").trigger()
    qtbot.waitUntil(lambda: len(review.pair.answers) == 1, timeout=WAIT_MS)
    ((_inquiry, result),) = review.pair.answers
    assert not result.ok
    found = next(
        finding for finding in result.findings if finding.rule == "queue-undelivered"
    )
    review.code.navigation.jump(found.file, found.line)
    document = review.code.diff.document
    assert found.message in " ".join(
        m.text for m in document.marks_at(review.code.diff.current_row)
    )


@pytest.mark.system
def test_a_diagnostic_is_called_off_while_its_files_are_read(
    desktop: Desktop, qtbot: QtBot
) -> None:
    bar = desktop.window.review.details.findings.bar
    _entry(desktop, "sanitizer").trigger()
    bar.stop.click()  # no event between the two: the kernel's files are on their way
    qtbot.waitUntil(lambda: bar.words.text() == "Cancelled", timeout=WAIT_MS)
    assert bar.tools.isEnabled()
    assert not desktop.diagnosing.is_working
