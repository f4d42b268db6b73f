"""The metrics of the paper, by origin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFrame
from pytestqt.qtbot import QtBot

from core.engine.queries import queue_rows
from core.evaluation.records import Evaluation, Latency, LatencyOrigin
from core.evaluation.roofline import RooflinePoint
from core.records_json import from_json, to_json
from core.workspace import Workspace
from sage_desktop.panels.results.panel import ResultsPanel
from sage_desktop.panels.results.roofline import names_of
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from tests.gui import sample_workspace


@pytest.fixture
def panel(
    operations: Operations, preferences: Preferences, qtbot: QtBot
) -> ResultsPanel:
    made = ResultsPanel(operations, preferences)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def _figures(panel: ResultsPanel) -> list[str]:
    names = [
        frame.accessibleName().split(".")[0] for frame in panel.findChildren(QFrame)
    ]
    return [name for name in names if ":" in name]


def test_finished_operators_make_the_figures(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None], qtbot: QtBot
) -> None:
    with Workspace.open(workspace) as opened:
        failing = (sample_workspace.STEPS[0],)
        sample_workspace.run(opened, 3, failing)
    panel.activate()
    settled()
    report = panel.chosen()
    assert report.kind.name == "sage · sample · scripted · twin"
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
    assert (
        rows[1]
        == "AbsMath,1,1,1,21.840,9.630,2.2679,,,modelled,0,,sage,sample,scripted,twin,1,,0"
    )
    figures = " ".join(frame.accessibleName() for frame in panel.findChildren(QFrame))
    assert "median gain (S_self), modelled: 2.27×" in figures
    assert "faster than torch_npu (Fast 1.0): n/a" in figures
    assert "level 1: 100 % (1/1), level 2: 0 % (0/1)" in panel.overview.levels.text()
    panel.overview.against.setCurrentIndex(1)
    panel.overview.against.activated.emit(1)
    assert panel.overview.note.text().startswith(
        "0 of 2 operators have a latency of torch_npu"
    )
    assert "AbsMath –" in panel.chart.accessibleName()


def test_best_so_far_runs_and_pipes_are_shown_and_exported(
    panel: ResultsPanel,
    workspace: Path,
    tmp_path: Path,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    with Workspace.open(workspace) as opened:
        other = sample_workspace.enqueue(opened, "AbsMath")
        sample_workspace.run(opened, other, sample_workspace.STEPS[:4])
        opened.db.execute(
            "UPDATE queue_entry SET label = 'second try' WHERE id = ?", (other,)
        )
    panel.activate()
    settled()
    settled()
    assert panel.curves is None
    panel.tabs.setCurrentIndex(1)
    curves = panel.curves
    assert [curve.name.split(" ")[0] for curve in curves.chosen()] == [
        "AbsMath",
        "Lerp",
        "AbsMath",
    ]
    first = curves.chosen()[-1]
    assert [point[2] for point in first.best()] == [21.84, 15.02, 9.63]
    curves.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    curves.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    curves.scale.setCurrentIndex(1)
    curves.scale.activated.emit(1)
    lines = [item for item in curves.plot.getPlotItem().listDataItems() if item.name()]
    assert [item.name() for item in lines] == [f"{first.name} (modelled)"]
    assert max(10 ** item.getData()[1].max() for item in lines) == pytest.approx(
        21.84 / 9.63
    )
    panel.export_to(tmp_path / "curves.svg")
    panel.export_to(tmp_path / "curves.csv")
    settled()
    assert "<svg" in (tmp_path / "curves.svg").read_text()
    assert (tmp_path / "curves.csv").read_text().splitlines()[1].split(",")[1] == "3"
    panel.tabs.setCurrentIndex(2)
    assert panel.comparison.first.currentText().startswith(
        "sage · sample · scripted · twin"
    )
    assert panel.comparison.second.currentText().startswith(
        "second try · sage · sample · scripted · twin"
    )
    row = [panel.comparison.table.item(0, column).text() for column in range(4)]
    assert row == ["AbsMath", "9.63 µs", "15.02 µs", "0.64×"]
    panel.tabs.setCurrentIndex(3)
    pipes = panel.pipes
    assert "slowest of 2 cores, modelled; bound by MTE2" in pipes.words.text()
    assert [name for name, _mean, _most in pipes.bars._rows] == [
        "MTE2",
        "V",
        "MTE3",
        "CUBE",
        "SCALAR",
    ]
    assert pipes.bars._rows[0][1:] == pytest.approx((0.65, 0.9))
    panel.export_to(tmp_path / "pipes.png")
    assert QImage(str(tmp_path / "pipes.png")).width() == 2 * pipes.bars.width()
    panel._operations.failed.disconnect()
    with qtbot.waitSignal(panel._operations.failed):
        panel.export_to(tmp_path / "missing" / "pipes.png")


def test_a_run_that_holds_an_interrupted_operator_is_not_compared(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with Workspace.open(workspace) as opened:
        other = sample_workspace.enqueue(opened, "AbsMath")
        sample_workspace.run(opened, other, sample_workspace.STEPS[:4], finish=False)
        opened.db.execute(
            "UPDATE queue_entry SET label = 'second', state = 'queued' WHERE id = ?",
            (other,),
        )
    panel.activate()
    settled()
    panel.tabs.setCurrentIndex(2)
    comparison = panel.comparison
    assert comparison.words.text().endswith(
        "Not compared until they are complete: AbsMath"
    )
    row = [comparison.table.item(0, column).text() for column in range(4)]
    assert row == ["AbsMath", "9.63 µs", "incomplete", "–"]
    assert comparison.rows()[1][3] == ""
    panel.run.setCurrentIndex(1)
    panel.run.activated.emit(1)
    assert panel.overview.levels.text().endswith("Incomplete, to be continued: AbsMath")
    assert "correct (ER): 100 %" in "".join(_figures(panel)), (
        "it has a correct kernel already"
    )


def test_nothing_finished_says_so(
    tmp_path: Path, preferences: Preferences, qtbot: QtBot
) -> None:
    with Workspace.open(tmp_path / "empty.sage"):
        pass
    operations = Operations(tmp_path / "empty.sage")
    panel = ResultsPanel(operations, preferences)
    qtbot.addWidget(panel)
    panel.activate()
    qtbot.waitUntil(lambda: operations.idle, timeout=20_000)
    assert panel._stack.currentIndex() == 0
    operations.close()


@pytest.mark.parametrize(
    ("device", "shown"), [("Ascend910B3", "2.00×"), ("Ascend910B1", "n/a")]
)
def test_only_what_was_measured_on_one_kind_of_device_is_compared_with_torch_npu(
    panel: ResultsPanel,
    workspace: Path,
    settled: Callable[[], None],
    device: str,
    shown: str,
) -> None:
    with Workspace.open(workspace) as opened:
        uid, number, sha = opened.db.execute(
            "SELECT t.uid, r.round, r.evaluation FROM trajectory t JOIN round r "
            "ON r.trajectory_uid = t.uid AND r.round = t.best_round WHERE t.operator = 'AbsMath'"
        ).fetchone()
        found = from_json(opened.text(sha), Evaluation, "evaluation")
        kernel = Latency(
            9.63,
            "us",
            LatencyOrigin.MEASURED,
            "torch.npu.Event",
            100,
            0.1,
            "Ascend910B3",
        )
        reference = replace(kernel, value=19.26, device=device)
        cases = tuple(
            replace(case, latency=kernel, reference=reference)
            for case in found.cases[:1]
        )
        measured = to_json(replace(found, latency=kernel, cases=cases))
        with opened.transaction():
            opened.db.execute(
                "UPDATE round SET evaluation = ? WHERE trajectory_uid = ? AND round = ?",
                (opened.put_text(measured), uid, number),
            )
            opened.db.execute(
                "UPDATE trajectory SET latency_origin = 'measured' WHERE uid = ?",
                (uid,),
            )
    panel.activate()
    settled()
    figures = "; ".join(frame.accessibleName() for frame in panel.findChildren(QFrame))
    assert f"median against torch_npu: {shown}." in figures
    faster = "n/a" if shown == "n/a" else "100 %"
    assert f"faster than torch_npu (Fast 1.0): {faster}." in figures
    panel.copy.click()
    row = QGuiApplication.clipboard().text().splitlines()[1].split(",")
    assert row[7] == ("19.260" if shown != "n/a" else "")


def test_rounds_stand_under_the_roofline_in_the_drawing_and_in_words(
    panel: ResultsPanel, settled: Callable[[], None]
) -> None:
    panel.activate()
    panel.tabs.setCurrentWidget(panel._roofline_place)
    settled()
    view = panel.roofline
    assert view is not None
    rows = [view.list.item(n).text() for n in range(view.list.count())]
    assert [row.partition(":")[0] for row in rows] == [
        "Round 3",
        "Round 4",
        "Round 6 (best)",
    ]
    assert "0.125 operations a byte" in rows[0]
    assert "of the bandwidth ceiling" in rows[0]
    assert rows[2] in view.plot.accessibleDescription()
    assert [row[0] for row in view.rows()] == ["round", 3, 4, 6]
    view.list.setCurrentRow(1)
    assert len(view._marker.points()) == 1
    assert panel._csv().startswith("round,case,unit,operations,bytes,time_us")
    assert view.plot.isVisibleTo(view)
    view.show_operators([])
    assert not view.plot.isVisibleTo(view), "axes without ceilings mean nothing"


def test_pages_about_one_run_follow_the_queue_and_offer_the_profile_they_miss(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None], qtbot: QtBot
) -> None:
    with Workspace.open(workspace) as opened:
        sample_workspace.run(opened, 3)
        rows = tuple(queue_rows(opened.db, [1, 3]).values())
        for (digest,) in opened.db.execute(
            "SELECT DISTINCT evaluation FROM round"
        ).fetchall():
            told = from_json(
                opened.text(digest), Evaluation, "test"
            )  # of an earlier release
            silent = opened.put_text(to_json(replace(told, profile=None)))
            opened.db.execute(
                "UPDATE round SET evaluation = ? WHERE evaluation = ?", (silent, digest)
            )
    panel.follow(rows[1])
    panel.activate()
    panel.tabs.setCurrentWidget(panel._roofline_place)
    settled()
    view = panel.roofline
    assert view is not None
    assert (
        view.operator.currentData()
        == panel.pipes.operator.currentData()
        == rows[1].trajectory_uid
    )
    assert view.list.count() == 0
    assert view.profile.isVisibleTo(view)
    assert "profile" in view.profile.text()
    assert "6" in view.profile.text(), "the best round"
    with qtbot.waitSignal(panel.profile_wanted) as asked:
        view.profile.click()
    subject, case = asked.args
    assert (subject.operator, subject.round, subject.entry, case) == (
        rows[1].operator,
        6,
        3,
        "full",
    )
    panel.follow(rows[0])
    settled()
    assert (
        view.operator.currentData()
        == panel.pipes.operator.currentData()
        == rows[0].trajectory_uid
    )
    view.show_operators([])
    assert not view.profile.isVisibleTo(view)


def test_numbers_of_rounds_that_would_lie_over_each_other_share_one_text() -> None:
    modelled = LatencyOrigin.MODELLED

    def point(number: int, time_us: float) -> RooflinePoint:
        return RooflinePoint(
            number, "c", "vector", 1e6, 2e6, time_us, modelled, modelled
        )

    found = names_of([point(1, 2.0), point(2, 1.0), point(3, 2.04), point(5, 0.99)])
    assert [text for _place, text in found] == ["1, 3", "2, 5"]
