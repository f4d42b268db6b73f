"""Operators with the metrics of the paper, best so far, and bottlenecks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QWidgetItem
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from core.analysis.queries import queue_rows
from core.evaluation.records import TIME_MODEL, Evaluation, Latency, LatencyOrigin
from core.evaluation.roofline import RooflinePoint
from core.records_json import from_json, to_json
from core.workspace import Workspace
from sage_desktop.panels.results.panel import BEST_SO_FAR, BOTTLENECK, ResultsPanel
from sage_desktop.panels.results.roofline_plot import names_of
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import clear, present
from sage_desktop.ui.widgets.plot import Axis, Dot, Plot
from sage_desktop.ui.widgets.stacking import boxed, vbox
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
    report = panel.shown_run()
    assert report.kind.name == "sage · sample · scripted · twin"
    assert {result.operator: result.correct for result in report.results} == {
        "AbsMath": True,
        "SwiGlu": False,
    }
    assert report.metrics.compilation_rate == 0.5
    assert "50 %" in "".join(_figures(panel))
    panel.copy.click()
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0].startswith("operator,level,compiled,correct")
    assert (
        rows[1]
        == f"AbsMath,1,1,1,21.840,9.630,2.2679,,,modelled-{TIME_MODEL},0,,sage,sample,scripted,twin,1,,0"
        ",6,3,,,0.00,local,1"
    )
    figures = " ".join(frame.accessibleName() for frame in panel.findChildren(QFrame))
    assert "median gain over the first correct kernel, modelled: 2.27×" in figures
    assert "faster than torch_npu: n/a" in figures
    assert "level 1: 100 % (1/1), level 2: 0 % (0/1)" in panel.operators.notes.text()


def test_the_table_sorts_both_ways_and_opens_an_operator(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None], qtbot: QtBot
) -> None:
    with Workspace.open(workspace) as opened:
        sample_workspace.run(opened, 3, (sample_workspace.STEPS[0],))
    panel.activate()
    settled()
    page = panel.operators

    def shown() -> list[str]:
        return [row.result.operator for row in page.model.listed]

    titles = [column.title for column in page.model.columns]
    assert shown() == ["AbsMath", "SwiGlu"]
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert shown() == ["SwiGlu", "AbsMath"]
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        page.table.sortByColumn(titles.index("Gain"), order)
        assert shown() == ["AbsMath", "SwiGlu"], "what has no value stands last"
    best = page.model.index(0, titles.index("Best"))
    assert best.data() == "9.63 µs modelled"
    assert best.data(Qt.ItemDataRole.AccessibleTextRole) == "Best: 9.63 µs modelled"
    profiled = titles.index("CANN in profile")
    assert page.table.isColumnHidden(profiled), "no operator is of a profile"
    run, rows = panel.shown_run(), page.model.listed
    took = "1,645.0 µs on Ascend910B4 (profile qwen)"
    effort = replace(rows[0].effort, profiled=took)
    page.show_run(run, [replace(rows[0], effort=effort), *rows[1:]])
    assert not page.table.isColumnHidden(profiled)
    assert page.model.index(0, profiled).data() == took
    page.choose("trajectory-1")
    panel.activate()
    settled()
    assert page.selected().result.operator == "AbsMath", "the selection stays"
    with qtbot.waitSignal(page.opened) as asked:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert asked.args == ["trajectory-1"]


def test_best_so_far_and_pipes_are_shown_and_exported(
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
    panel.tabs.setCurrentIndex(BEST_SO_FAR)
    curves = panel.curves
    assert curves is not None, "drawn at once: no library is loaded first"
    assert [curve.name.split(" ")[0] for curve in curves.selected()] == [
        "AbsMath",
        "Lerp",
        "AbsMath",
    ]
    first = curves.selected()[-1]
    latencies = [point.latency_us for point in first.best()]
    assert latencies == [21.84, 15.02, 9.63]
    curves.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    curves.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    curves.scale.setCurrentIndex(1)
    curves.scale.activated.emit(1)
    (line,) = curves.plot.lines
    assert curves.list.item(2).toolTip() == f"{first.name} (modelled)"
    assert max(gain for _round, gain in line.places) == pytest.approx(21.84 / 9.63)
    last = curves.plot.place_of(curves.plot.dots[-1])
    with qtbot.waitSignal(curves.plot.clicked) as point:
        left = Qt.MouseButton.LeftButton
        qtbot.mouseClick(curves.plot, left, pos=last.toPoint())
    assert "round 6: 9.63 µs modelled" in point.args[0]
    assert panel.picked.text() == point.args[0], "what was clicked is said"
    panel.export_to(tmp_path / "curves.svg")
    panel.export_to(tmp_path / "curves.csv")
    settled()
    assert "<svg" in (tmp_path / "curves.svg").read_text()
    assert (tmp_path / "curves.csv").read_text().splitlines()[1].split(",")[1] == "3"
    panel.tabs.setCurrentIndex(BOTTLENECK)
    settled()
    view = panel.bottleneck
    assert view is not None
    view.operator.choose("trajectory-1")
    settled()
    assert view.pipe_words.text().startswith("Round 6: ")
    assert "slowest of 2 cores, modelled; bound by MTE2" in view.pipe_words.text()
    names = ["MTE2", "V", "MTE3", "CUBE", "SCALAR"]
    assert [row.pipe for row in view.pipes.shares] == names
    busiest = view.pipes.shares[0]
    assert (busiest.mean, busiest.most) == pytest.approx((0.65, 0.9))
    shown = [label.text() for label in view.lines if not label.isHidden()]
    assert shown == ["81 % MTE2 · abs_math.cpp:37 DataCopy · 9 × 90 cycles"]
    with qtbot.waitSignal(panel.line_opened) as opened_line:
        view.lines[0].click()
    trajectory, number, path, line = opened_line.args[0]
    assert (trajectory, number, line) == ("trajectory-1", 6, 37)
    assert path.endswith("abs_math.cpp")
    panel.export_to(tmp_path / "bottleneck.png")
    picture = QImage(str(tmp_path / "bottleneck.png"))
    assert picture.width() == 2 * view.drawings.width()
    panel.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("round,latency_us,case,unit,operations,bytes,time_us")
    assert [line.partition(",")[0] for line in lines[1:]] == ["3", "4", "6"]


def test_slowest_and_why_is_one_click_from_a_row_and_from_a_bar(
    panel: ResultsPanel, settled: Callable[[], None], qtbot: QtBot
) -> None:
    panel.activate()
    settled()
    settled()
    page = panel.operators
    titles = [column.title for column in page.model.columns]
    place = page.model.index(0, titles.index("Slowest line"))
    assert place.data() == "81 % MTE2 · abs_math.cpp:37"
    area = page.table.visualRect(place)
    with qtbot.waitSignal(panel.line_opened) as from_row:
        qtbot.mouseClick(
            page.table.viewport(), Qt.MouseButton.LeftButton, pos=area.center()
        )
    panel.tabs.setCurrentIndex(BOTTLENECK)
    settled()
    view = panel.bottleneck
    assert view is not None
    view.operator.choose("trajectory-1")
    settled()
    bar = QPoint(view.pipes.width() // 2, round(theme().em * 2.5))
    with qtbot.waitSignal(panel.line_opened) as from_bar:
        qtbot.mouseClick(view.pipes, Qt.MouseButton.LeftButton, pos=bar)
    for asked in (from_row, from_bar):
        trajectory, number, path, line = asked.args[0]
        assert (trajectory, number, line) == ("trajectory-1", 6, 37)
        assert path.endswith("abs_math.cpp")


def test_the_tabs_stay_where_they_are_when_another_is_turned_to(
    panel: ResultsPanel, settled: Callable[[], None]
) -> None:
    panel.activate()
    settled()
    top = panel.tabs.mapTo(panel, QPoint()).y()
    panel.tabs.setCurrentIndex(BEST_SO_FAR)
    settled()
    assert panel.copy.isVisible()
    QApplication.processEvents()
    assert not panel.run.isVisible()
    assert panel.tabs.mapTo(panel, QPoint()).y() == top


def test_a_file_that_cannot_be_written_is_reported(
    panel: ResultsPanel, operations: Operations, tmp_path: Path, qtbot: QtBot
) -> None:
    operations.failed.disconnect()
    with qtbot.waitSignal(operations.failed):
        panel.export_to(tmp_path / "missing" / "operators.png")


def test_an_interrupted_operator_is_named_as_incomplete(
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
    panel.run.setCurrentIndex(1)
    panel.run.activated.emit(1)
    page = panel.operators
    assert page.notes.text().endswith("Incomplete, to be continued: AbsMath")
    assert page.model.index(0, 1).data() == "Incomplete"
    assert "have a correct kernel (ER): 100 %" in "".join(_figures(panel)), (
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
    assert panel.is_empty
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
    assert f"faster than torch_npu: {faster}." in figures
    panel.copy.click()
    row = QGuiApplication.clipboard().text().splitlines()[1].split(",")
    assert row[7] == ("19.260" if shown != "n/a" else "")


def test_rounds_stand_under_the_roofline_in_the_drawing_and_in_words(
    panel: ResultsPanel, settled: Callable[[], None]
) -> None:
    panel.activate()
    settled()
    panel.tabs.setCurrentIndex(BOTTLENECK)
    settled()
    view = panel.bottleneck
    assert view is not None
    view.operator.choose("trajectory-1")
    settled()
    rows = [view.list.item(n).text() for n in range(view.list.count())]
    assert [row.partition(":")[0] for row in rows] == [
        "Round 3",
        "Round 4",
        "Round 6 (best)",
    ]
    assert "0.125 operations a byte" in rows[0]
    assert "of the bandwidth ceiling" in rows[0]
    assert rows[2] in view.plot.accessibleDescription()
    assert view.plot.marked is not None
    assert view.plot.marked.round == 6, "the best one until another is chosen"
    view.list.setCurrentRow(1)
    assert view.plot.marked.round == 4
    assert view.pipe_words.text().startswith("Round 4: ")
    assert view.plot.is_drawn
    view.show_operators([])
    assert not view.plot.is_drawn, "axes without ceilings mean nothing"


def test_pages_about_one_run_follow_the_queue_and_offer_the_profile_they_miss(
    panel: ResultsPanel, workspace: Path, settled: Callable[[], None], qtbot: QtBot
) -> None:
    with Workspace.open(workspace) as opened:
        sample_workspace.run(opened, 3)
        rows = tuple(queue_rows(opened.db, [1, 3]).values())
        for (digest,) in opened.db.execute(
            "SELECT DISTINCT evaluation FROM round"
        ).fetchall():
            judged = from_json(opened.text(digest), Evaluation, "test")
            # as an earlier release stored it
            silent = opened.put_text(to_json(replace(judged, profile=None)))
            opened.db.execute(
                "UPDATE round SET evaluation = ? WHERE evaluation = ?", (silent, digest)
            )
    panel.follow(rows[1])
    panel.activate()
    settled()
    panel.tabs.setCurrentIndex(BOTTLENECK)
    settled()
    view = panel.bottleneck
    assert view is not None
    assert view.operator.currentData() == rows[1].trajectory_uid
    assert panel.operators.selected().result.trajectory == rows[1].trajectory_uid
    texts = [view.list.item(n).text() for n in range(view.list.count())]
    assert texts[-1] == "Round 6: 9.63 µs"
    assert view.pipe_words.text() == "There are no pipe times of round 6."
    assert view.profile.isVisibleTo(view)
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
    assert view.operator.currentData() == rows[0].trajectory_uid
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


def test_a_page_cleared_leaves_no_python_object_of_what_qt_deleted(
    qtbot: QtBot,
) -> None:
    """What is made at its address later is taken for it: lists crashed when they were cleared."""
    page = boxed(vbox(QLabel("one"), QLabel("two")))
    qtbot.addWidget(page)
    layout = present(page.layout())
    before = _entries_of_python()
    clear(layout)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert layout.count() == 0
    assert [entry for entry in _entries_of_python() if entry not in before] == []


def _entries_of_python() -> list[QWidgetItem]:
    """Entries of layouts that have a Python object, whether Qt still has them or not."""
    wrappers = Shiboken.getAllValidWrappers()
    return [entry for entry in wrappers if isinstance(entry, QWidgetItem)]


@pytest.mark.parametrize(
    ("axis", "low", "high", "numbers"),
    [
        (Axis(is_log=True), 19, 37, [20, 25, 30, 35]),
        (Axis(is_log=True), 3, 300, [5, 10, 20, 50, 100, 200]),
        (Axis(is_log=True), 1e-3, 1e9, [1e-2, 1, 1e2, 1e4, 1e6, 1e8]),
        (Axis(is_whole=True), 0.9, 3.1, [1, 2, 3]),
        (Axis(is_whole=True), 0, 60, [0, 10, 20, 30, 40, 50, 60]),
        (Axis(), 0.97, 1.25, [1, 1.05, 1.1, 1.15, 1.2, 1.25]),
    ],
)
def test_axes_carry_round_numbers_and_no_more_than_there_is_room_for(
    axis: Axis, low: float, high: float, numbers: list[float]
) -> None:
    ends = axis.place(low), axis.place(high)
    assert axis.numbers(*ends, most=7) == pytest.approx(numbers)


@pytest.mark.parametrize(
    ("axis", "values"),
    [
        (Axis(has_lines=True), (10, 20, 30)),
        (Axis(is_log=True, has_lines=True), (1, 10, 100)),
    ],
)
def test_a_dot_stands_at_the_number_of_its_value(
    axis: Axis, values: tuple[float, ...], qtbot: QtBot
) -> None:
    plot = Plot("Latency over rounds")
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    color = theme().color("accent")
    dots = [Dot(number, value, color) for number, value in enumerate(values)]
    plot.draw(Axis(is_whole=True), axis, [], dots)
    first, second, third = map(plot.place_of, dots)
    assert first.x() < second.x() < third.x(), "to the right"
    assert first.y() > second.y() > third.y(), "upwards"
    for middle, ends in (
        (second.x(), first.x() + third.x()),
        (second.y(), first.y() + third.y()),
    ):
        assert middle == pytest.approx(ends / 2)
    # Beside the dots, what is painted from left to right are the lines of the numbers.
    picture = plot.grab().toImage()
    beside = round((first.x() + second.x()) / 2)
    base = theme().color("base")
    for place in (first, second, third):
        rows = range(int(place.y()) - 1, int(place.y()) + 2)
        assert any(picture.pixelColor(beside, row) != base for row in rows)
    between = round((first.y() + second.y()) / 2) + 4
    assert picture.pixelColor(beside, between) == base


def test_dots_that_lie_over_each_other_all_say_what_they_are(qtbot: QtBot) -> None:
    plot = Plot("Latency over rounds")
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    color = theme().color("accent")
    dots = [Dot(1, 20, color, "first"), Dot(1, 20, color, "second")]
    other = Dot(2, 10, color, "elsewhere")
    plot.draw(Axis(), Axis(is_log=True), [], [*dots, other])
    plot.show()
    place = plot.place_of(dots[0])
    assert plot.words_at(place) == "first\nsecond"
    assert plot.rect().contains(plot.place_of(other).toPoint())
    assert plot.words_at(QPointF(plot.rect().center())) == ""
