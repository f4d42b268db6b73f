"""The metrics of the paper, by origin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame
from pytestqt.qtbot import QtBot

from core.workspace import Workspace
from sage_desktop.operations import Operations
from sage_desktop.results.panel import ResultsPanel
from tests.gui import sample_workspace


@pytest.fixture
def panel(operations: Operations, qtbot: QtBot) -> ResultsPanel:
    made = ResultsPanel(operations)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def _figures(panel: ResultsPanel) -> list[str]:
    names = [frame.accessibleName().split(".")[0] for frame in panel.findChildren(QFrame)]
    return [name for name in names if ":" in name]


def test_finished_operators_make_the_figures(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None], qtbot: QtBot
) -> None:
    with Workspace.open(workspace) as opened:
        failing = (sample_workspace.STEPS[0],)
        sample_workspace.run(opened, 3, failing)
    panel.refresh()
    settled()
    report = panel.report()
    assert report.origin == "scripted, twin"
    assert {result.operator: result.correct for result in report.results} == {
        "AbsMath": True,
        "SwiGlu": False,
    }
    assert report.metrics.compilation_rate == 0.5
    assert "50 %" in "".join(_figures(panel))
    assert "AbsMath 2.27×" in panel.chart.accessibleName()
    panel.copy.click()
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0].startswith("operator,level,compiled,correct")
    assert rows[1].startswith("AbsMath,1,1,1,21.840,9.630,2.2679")


def test_nothing_finished_says_so(tmp_path: Path, qtbot: QtBot) -> None:
    with Workspace.open(tmp_path / "empty.sage"):
        pass
    operations = Operations(tmp_path / "empty.sage")
    panel = ResultsPanel(operations)
    qtbot.addWidget(panel)
    panel.refresh()
    qtbot.waitUntil(lambda: operations.idle, timeout=20_000)
    assert panel._stack.currentIndex() == 0
    operations.close()
