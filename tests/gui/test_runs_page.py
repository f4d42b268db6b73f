"""The table of runs in the window: searched, sorted, compared, and drawn as lines and over time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from core.engine.run_table import Evaluated, Run
from sage_desktop.panels.results.panel import ResultsPanel
from sage_desktop.panels.results.runs import RunsPage
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences

BEGAN = "2026-11-22T10:{0:02}:00.000000+00:00"


def run(number: int, **changes: object) -> Run:
    first = Run(
        f"run-{number}",
        "AbsMath",
        "night",
        "sage",
        "qwen3",
        "live",
        "npu-a · CANN",
        "measured",
        "finished",
        correct=True,
        first=20.0,
        best=10.0,
        began=BEGAN.format(number % 60),
        ended=BEGAN.format(59),
        rounds=6,
        failed=2,
        tokens=1000 * number,
        untold=0,
        cost=0.5,
        asking=60.0,
        host="npu-a",
        device="0",
        parameters={"k": 5},
    )
    return replace(first, **changes)  # type: ignore[arg-type]


RUNS = (
    run(1, operator="SwiGlu", best=5.0),
    run(2, correct=False, first=None, best=None, origin="", failed=6),
    run(3, model="glm 5", host="npu-b", parameters={"k": 8}, tokens=None, cost=None),
    run(4, batch="", best=16.0, parameters={"k": 8}),
)
EVALUATED = tuple(
    Evaluated(
        f"run-{n}",
        "AbsMath",
        r,
        "pass" if r else "fail-run",
        f"npu-{'ab'[n % 2]}",
        "0",
        at,
        at + 15,
    )
    for n in (1, 2, 3, 4)
    for r in (0, 1)
    for at in (100.0 * n + 20 * r,)
)


@pytest.fixture
def page(qtbot: QtBot) -> RunsPage:
    made = RunsPage()
    qtbot.addWidget(made)
    made.resize(1100, 620)
    made.show()
    made.show_runs(RUNS, EVALUATED)
    return made


def shown(page: RunsPage) -> list[str]:
    return [one.uid for one in page.model.listed]


def search(page: RunsPage, text: str) -> list[str]:
    page.search.setText(text)
    page._narrow()
    return shown(page)


@pytest.mark.parametrize(
    ("text", "uids"),
    [
        ("", ["run-4", "run-3", "run-2", "run-1"]),
        ("swiglu", ["run-1"]),
        ("gain:>1.9", ["run-3", "run-1"]),
        ("gain:>1.9 -model:glm", ["run-1"]),
        ('model:"glm 5"', ["run-3"]),
        ("correct:no", ["run-2"]),
        ("failed:6", ["run-2"]),
        ("tokens:<=2000 abs", ["run-2"]),
        ("k:8", ["run-4", "run-3"]),
        ("batch:night host:npu-b", ["run-3"]),
        ("no:such nothing", []),
    ],
)
def test_the_search_field_takes_words_fields_and_numbers(
    page: RunsPage, text: str, uids: list[str]
) -> None:
    assert search(page, text) == uids, "the latest first"


def test_columns_sort_both_ways_and_unknown_values_stand_last(page: RunsPage) -> None:
    keys = [column.key for column in page.model.columns]
    assert keys[-1] == "k", "a parameter in which they differ"
    for order, uids in (
        (Qt.SortOrder.AscendingOrder, ["run-4", "run-3", "run-1", "run-2"]),
        (Qt.SortOrder.DescendingOrder, ["run-1", "run-3", "run-4", "run-2"]),
    ):
        page.table.sortByColumn(keys.index("gain"), order)
        assert shown(page) == uids
    page.table.selectRow(0)
    page.show_runs((*RUNS, run(5, best=1.0)), EVALUATED)
    assert shown(page)[0] == "run-5", "the order stays when runs come"
    assert [one.uid for one in page.chosen()] == ["run-1"], "and so does the selection"


def test_a_latency_says_where_it_comes_from_and_cells_are_named(page: RunsPage) -> None:
    keys = [column.key for column in page.model.columns]
    best = page.model.index(0, keys.index("best"))
    assert best.data() == "16.00 µs measured"
    assert best.data(Qt.ItemDataRole.AccessibleTextRole) == "Best: 16.00 µs measured"
    assert page.table.accessibleName() == "Runs"


def test_selected_runs_are_compared_and_copied(page: RunsPage) -> None:
    assert not page.compare.isEnabled()
    page.table.selectAll()
    page.compare.click()
    dialog = page.compared
    fields = [
        dialog.table.item(row, 0).text() for row in range(dialog.table.rowCount())
    ]
    assert "k" in fields
    assert "Evaluator" not in fields, "they do not differ in it"
    dialog.only.setChecked(False)
    assert dialog.table.rowCount() > len(fields)
    dialog.reject()
    page._copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("uid,operator,began,state,correct,gain")
    assert len(lines) == 5


def test_a_range_on_an_axis_narrows_the_table_and_a_click_finds_the_run(
    page: RunsPage, qtbot: QtBot
) -> None:
    view = page.parallel
    keys = [axis.column.key for axis in view.axes]
    assert {"correct", "gain", "failed", "tokens", "host", "model", "k"} <= set(keys)
    assert "origin" not in keys, "the others are all measured"
    number = keys.index("gain")
    low, high = (view._point(number, share).toPoint() for share in (0.9, 1.0))
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=low)
    qtbot.mouseMove(view, high - QPoint(0, 2))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=high - QPoint(0, 2))
    assert shown(page) == ["run-1"]
    page.clear.click()
    assert len(shown(page)) == 4
    shares = view._shares[shown(page).index("run-1")]
    ends = [view._point(n, shares[n]) for n in (number, number + 1)]
    middle = (ends[0] * 0.8 + ends[1] * 0.2).toPoint()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle)
    assert [one.uid for one in page.chosen()] == ["run-1"]


def test_ranges_are_set_and_told_with_keys(page: RunsPage, qtbot: QtBot) -> None:
    view = page.parallel
    page.activateWindow()
    page.drawing.setFocus()
    page.clear.setEnabled(True)
    for _tab in range(3):
        if not view.hasFocus():
            qtbot.keyClick(page.window().focusWidget(), Qt.Key.Key_Tab)
    assert view.hasFocus()
    keys = [axis.column.key for axis in view.axes]
    for _step in range(keys.index("gain")):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.accessibleDescription() == "Gain: all of 1.25 … 4"
    assert view.accessibleDescription() in page.words.text()
    for _step in range(19):
        qtbot.keyClick(view, Qt.Key.Key_Up)
    assert shown(page) == ["run-1"]
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.accessibleDescription() == "Gain: 3.863 … 4 of 1.25 … 4", "a step stays"
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert len(shown(page)) == 4
    for _step in range(keys.index("model") - keys.index("gain")):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert view.accessibleDescription() == "Model: glm 5 of glm 5, qwen3"
    assert shown(page) == ["run-3"]
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert len(shown(page)) == 4


def test_enter_and_double_click_open_the_rounds_of_a_run(
    page: RunsPage, qtbot: QtBot
) -> None:
    opened: list[str] = []
    page.opened.connect(opened.append)
    page.choose("run-3")
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    row = page.table.visualRect(
        page.model.index(shown(page).index("run-2"), 0)
    ).center()
    qtbot.mouseClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    qtbot.mouseDClick(page.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert opened == ["run-3", "run-2"]


def test_a_run_edited_by_a_person_says_so(page: RunsPage) -> None:
    page.show_runs((*RUNS, run(5, edited=True)), ())
    keys = [column.key for column in page.model.columns]
    row = shown(page).index("run-5")
    assert (
        page.model.index(row, keys.index("state")).data()
        == "Finished · edited by a person"
    )
    assert search(page, "edited:yes") == ["run-5"]


def test_evaluations_stand_in_a_row_a_device_and_move_by_keys(
    page: RunsPage, qtbot: QtBot
) -> None:
    page.drawing.setCurrentIndex(1)
    page._turn()
    hosts = page.hosts
    assert hosts.lanes == (("npu-a", "0"), ("npu-b", "0"))
    assert "npu-b · 0: 4 evaluations" in hosts.accessibleName()
    whole = hosts.span
    qtbot.keyClick(hosts, Qt.Key.Key_Plus)
    assert hosts.span[1] - hosts.span[0] < whole[1] - whole[0]
    before = hosts.span
    qtbot.keyClick(hosts, Qt.Key.Key_Right)
    assert hosts.span[0] > before[0]
    qtbot.keyClick(hosts, Qt.Key.Key_Home)
    assert hosts.span == whole
    one = next(one for one in EVALUATED if one.run == "run-3")
    place = QPointF(
        hosts._x((one.begin + one.end) / 2), hosts._row(1).center().y()
    ).toPoint()
    qtbot.mouseClick(hosts, Qt.MouseButton.LeftButton, pos=place)
    assert [run.uid for run in page.chosen()] == ["run-3"]
    search(page, "host:npu-a")
    assert {one.run for lane in hosts._by_lane for one in lane} == {
        "run-1",
        "run-2",
        "run-4",
    }


def test_a_table_without_rows_says_why(page: RunsPage) -> None:
    assert search(page, "no:such") == []
    assert (
        page.table.accessibleDescription()
        == "No run matches this search and these ranges."
    )
    told = page.table.viewport().grab().toImage()
    page.table.nothing = ""
    assert page.table.viewport().grab().toImage() != told
    page.show_runs((), ())
    assert page.table.nothing == "Nothing has been run yet."
    page.show_runs(RUNS, EVALUATED)
    search(page, "")
    assert page.table.accessibleDescription() == ""


def test_hundreds_of_chosen_runs_are_drawn_within_a_frame_or_two(
    page: RunsPage,
) -> None:
    page.show_runs(
        [run(n, uid=f"run-{n}", best=2.0 + n, tokens=n) for n in range(500)], ()
    )
    page.parallel.repaint()
    page.table.selectAll()
    spent = []
    for _ in range(3):
        began = time.process_time()
        page.parallel.repaint()
        spent.append(time.process_time() - began)
    assert (
        min(spent) < 0.1
    )  # seconds; a fifth of it on a quiet machine, four times as long when smoothed


def test_thousands_of_runs_answer_at_once(page: RunsPage) -> None:
    choose = random.Random(1)
    many = [
        run(
            n,
            uid=f"run-{n}",
            best=choose.uniform(2, 20),
            model=choose.choice(["a", "b", "c"]),
        )
        for n in range(5000)
    ]
    page.show_runs(many, ())
    began = time.process_time()
    page.parallel.repaint()
    assert len(search(page, "gain:>3 model:a")) > 100
    page.table.sortByColumn(4, Qt.SortOrder.AscendingOrder)
    page.table.selectAll()
    page.show_runs(many, ())
    assert len(page.chosen()) == len(shown(page)) > 100, "all of them stay selected"
    assert (
        time.process_time() - began < 0.5
    )  # seconds; a tenth of it on a quiet machine


def test_the_page_reads_the_workspace_when_it_is_turned_to(
    operations: Operations,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    panel = ResultsPanel(operations, preferences)
    qtbot.addWidget(panel)
    panel.activate()
    settled()
    assert panel.table.model.rowCount() == 0, "nobody looks at it"
    panel.tabs.setCurrentWidget(panel.table)
    settled()
    assert [one.operator for one in panel.table.model.listed][-1] == "AbsMath"
    assert "AbsMath" in panel._csv()
