"""The time line of an operator and the words that passed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.engine import queries
from core.workspace import Workspace
from sage_desktop.operations import Operations
from sage_desktop.trajectory.panel import TrajectoryPanel
from tests.gui import sample_workspace


@pytest.fixture
def panel(
    workspace: Path, operations: Operations, qtbot: QtBot, settled: Callable[[], None]
) -> TrajectoryPanel:
    with Workspace.open(workspace) as opened:
        uid = "trajectory-1"
        sample_workspace.add_call(opened, uid, 2, "diagnose", "the tail of x", tokens=(900, 40))
        sample_workspace.add_call(opened, uid, 2, "repair", "## Files ...", reasoning="DataCopyPad then")
        sample_workspace.add_call(opened, uid, 0, "distil", "## Experience ...")
        row = queries.queue_rows(opened.db, [1])[1]
    made = TrajectoryPanel(operations)
    qtbot.addWidget(made)
    made.resize(1000, 600)
    made.show()
    made.show_operator(row)
    settled()
    settled()
    return made


def test_rounds_calls_and_learning_stand_in_order(panel: TrajectoryPanel) -> None:
    tops = [panel.tree.topLevelItem(n) for n in range(panel.tree.topLevelItemCount())]
    assert [top.text(0) for top in tops[:2]] == ["Round 1 · Correctness", "Round 2 · Correctness"]
    assert tops[2].text(1) == "Correct · 21.84 µs modelled"
    assert tops[-1].text(0) == "What was learnt"
    steps = [tops[1].child(n).text(0) for n in range(tops[1].childCount())]
    assert steps == ["Diagnosis", "Retrieval", "Next candidate"]
    assert tops[1].child(1).text(1) == "5 retrieved, 1 adopted"
    assert "model calls: 3" in panel.facts.text()
    assert "900 tokens in, 40 out" in panel.facts.text()


def test_a_call_shows_prompt_reply_and_reasoning(panel: TrajectoryPanel, settled: Callable[[], None]) -> None:
    assert panel.reply.toPlainText() == "## Experience ..."
    assert not panel.texts.isTabVisible(2)
    panel.tree.setCurrentItem(panel.tree.topLevelItem(1).child(2))
    settled()
    assert panel.reply.toPlainText() == "## Files ..."
    assert "──── user ────\nWrite the kernel." in panel.prompt.toPlainText()
    assert panel.reasoning.toPlainText() == "DataCopyPad then"
    assert panel.texts.isTabVisible(2)


def test_a_refresh_keeps_the_selected_call(
    panel: TrajectoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    panel.tree.setCurrentItem(panel.tree.topLevelItem(1).child(0))
    settled()
    with Workspace.open(workspace) as opened:
        sample_workspace.add_call(opened, "trajectory-1", 6, "repair", "a later reply")
        row = queries.queue_rows(opened.db, [1])[1]
    panel.show_operator(row)
    settled()
    assert panel.tree.topLevelItem(5).childCount() == 2
    assert panel.tree.currentItem().text(0) == "Diagnosis"
    assert panel.reply.toPlainText() == "the tail of x"


def test_without_a_trajectory_it_says_what_to_do(panel: TrajectoryPanel) -> None:
    panel.show_operator(None)
    assert panel._stack.currentIndex() == 0
