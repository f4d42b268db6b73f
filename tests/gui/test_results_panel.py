"""The metrics of the paper, by origin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame
from pytestqt.qtbot import QtBot

from core.evaluation.records import Evaluation, Latency, LatencyOrigin
from core.records_json import from_json, to_json
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


@pytest.mark.parametrize(("device", "shown"), [("Ascend910B3", "2.00×"), ("Ascend910B1", "n/a")])
def test_only_what_was_measured_on_one_kind_of_device_is_compared_with_torch_npu(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None], device: str, shown: str
) -> None:
    with Workspace.open(workspace) as opened:
        uid, number, sha = opened.db.execute(
            "SELECT t.uid, r.round, r.evaluation FROM trajectory t JOIN round r "
            "ON r.trajectory_uid = t.uid AND r.round = t.best_round WHERE t.operator = 'AbsMath'"
        ).fetchone()
        found = from_json(opened.text(sha), Evaluation, "evaluation")
        kernel = Latency(9.63, "us", LatencyOrigin.MEASURED, "torch.npu.Event", 100, 0.1, "Ascend910B3")
        reference = replace(kernel, value=19.26, device=device)
        cases = tuple(replace(case, latency=kernel, reference=reference) for case in found.cases[:1])
        measured = to_json(replace(found, latency=kernel, cases=cases))
        with opened.transaction():
            opened.db.execute(
                "UPDATE round SET evaluation = ? WHERE trajectory_uid = ? AND round = ?",
                (opened.put_text(measured), uid, number),
            )
            opened.db.execute("UPDATE trajectory SET latency_origin = 'measured' WHERE uid = ?", (uid,))
    panel.refresh()
    settled()
    figures = "; ".join(frame.accessibleName() for frame in panel.findChildren(QFrame))
    assert f"median against torch_npu: {shown}." in figures
    faster = "n/a" if shown == "n/a" else "100 %"
    assert f"faster than torch_npu (Fast 1.0): {faster}." in figures
    panel.copy.click()
    row = QGuiApplication.clipboard().text().splitlines()[1].split(",")
    assert row[7] == ("19.260" if shown != "n/a" else "")
