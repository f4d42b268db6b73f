"""The timeline: shares of pixels are right at every zoom, slices are found, and lines are gone to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.evaluation.records import Candidate
from core.trace import Counter, Lane, Place, Trace, write_trace
from core.trace.occupancy import MEMORY_BYTES
from core.workspace import Workspace
from remote.evaluator import local_twin_evaluator
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.timeline.panel import TimelinePanel
from sage_desktop.services.tracing import EVALUATOR
from sage_desktop.shell.main_window import REVIEW, TIMELINE
from sage_desktop.ui import translation
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.theme import theme
from sage_desktop.ui.timeline.busy import Busy
from sage_desktop.ui.timeline.memories import MemoryView, peaks
from sage_desktop.ui.timeline.view import TimelineView
from tests.core.harness.scripted_model import kernel
from tests.gui import sample_workspace

WAIT_MS = 60_000
COLD_MS = 280_000  # where this is the first test that needs the CPU twin
PIPES = ("SCALAR", "MTE2", "VECTOR", "MTE3")


def some_trace(cores: int = 2, each: int = 40, seed: int = 1) -> Trace:
    """Slices of random lengths with gaps, part of which are waits, and an arrow from lane to lane."""
    random = np.random.default_rng(seed)
    lanes = tuple(
        Lane(f"core{core // 2}.veccore{core % 2}", pipe)
        for core in range(cores)
        for pipe in PIPES
    )
    gap, long = (
        random.integers(0, 50, (len(lanes), each)),
        random.integers(1, 90, (len(lanes), each)),
    )
    end = np.cumsum(gap + long, axis=1)
    start, count = end - long, len(lanes) * each
    flow_from = np.arange(0, count - each, 7, dtype=np.int64)
    flow_to = flow_from + each
    order = np.argsort(start.ravel()[flow_to], kind="stable")
    changes = np.arange(0, 4000, 100, dtype=np.int64)
    return Trace(
        lanes,
        np.arange(len(lanes) + 1, dtype=np.int64) * each,
        start.ravel(),
        end.ravel(),
        long.ravel() * 1.8,
        (gap * random.integers(0, 2, gap.shape)).ravel(),
        random.integers(0, 2, count) * 256,
        random.integers(0, 3, count),
        random.integers(0, 2, count),
        ("DataCopy", "Add", "Mul"),
        (Place("op_kernel/abs_math.cpp", 12), Place("op_kernel/abs_math.cpp", 20)),
        flow_from[order],
        flow_to[order],
        np.zeros(len(order), dtype=np.int64),
        (
            Counter(lanes[0].core, "UB", "in use", changes, 1024 * (1 + changes % 700)),
            Counter(
                lanes[0].core,
                "UB VECIN queue, line 20",
                "buffer 0",
                changes,
                1024 * (changes % 700),
            ),
        ),
        {"clock_mhz": 1800, "operator": "AbsMath"},
    )


def shares_by_hand(trace: Trace, begin: float, end: float, pixels: int) -> np.ndarray:
    """[pixels, 2, lanes] by adding up every slice in every pixel."""
    edges = np.linspace(begin, end, pixels + 1)
    found = np.zeros((pixels, 2, len(trace.lanes)))
    for number, lane in enumerate(trace.lane.tolist()):
        start, stop = trace.start[number], trace.end[number]
        for channel, (low, high) in enumerate(
            ((start, stop), (start - trace.stalled[number], start))
        ):
            inside = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
            found[:, channel, lane] += np.maximum(inside, 0)
    return found / (edges[1] - edges[0])


@pytest.mark.parametrize(
    ("begin", "share"), [(0.0, 1.0), (0.31, 0.2), (0.5, 0.0005), (0.9, 0.1)]
)
def test_a_pixel_shows_how_much_of_it_was_worked_and_waited(
    begin: float, share: float
) -> None:
    trace = some_trace()
    busy, length = Busy(trace), trace.length_ns
    view = begin * length, (begin + share) * length
    wanted = shares_by_hand(trace, *view, 300)
    assert np.abs(busy.coverage(0, busy.lanes, *view, 300) - wanted).max() < 2e-3, (
        "before the grid is there"
    )
    busy.prepare()
    assert busy.is_prepared
    off = np.abs(busy.coverage(0, busy.lanes, *view, 300) - wanted)
    assert off.max() < 0.05, "edges are rounded to the grid"
    assert np.abs(busy.coverage(2, 5, *view, 300) - wanted[:, :, 2:5]).max() < 0.05


def view_of(qtbot: QtBot, *traces: Trace) -> TimelineView:
    view = TimelineView()
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    view.show_traces(*traces)
    return view


def colors_in(view: TimelineView, row: int) -> set[str]:
    image = view.grab().toImage()
    y = view.y_of(row) + view.row_height // 2
    return {
        image.pixelColor(x, y).name() for x in range(view.plot.left(), view.width())
    }


def test_slices_are_chosen_by_mouse_and_keys_and_opened(qtbot: QtBot) -> None:
    trace = some_trace()
    view = view_of(qtbot, trace)
    number = 45
    middle = (trace.start[number] + trace.end[number]) / 2
    place = QPoint(round(view.x_of(middle)), view.y_of(1) + view.row_height // 2)
    with qtbot.waitSignal(view.picked) as picked:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    assert picked.args == [number]
    qtbot.keyClick(view, Qt.Key.Key_Period)
    assert view.selected_slice == number + 1
    with qtbot.waitSignal(view.opened) as opened:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened.args == [number + 1]
    assert "MTE2" in view.accessibleDescription()
    whole = view.begin, view.end
    qtbot.keyClick(view, Qt.Key.Key_F)
    assert view.begin < trace.start[number + 1] < trace.end[number + 1] < view.end
    assert view.end - view.begin < 1000
    qtbot.keyClick(view, Qt.Key.Key_F)
    assert (view.begin, view.end) == whole, "again: everything"
    view.zoom(0.5, view.plot.center().x())
    qtbot.keyClick(view, Qt.Key.Key_Backspace)
    assert (view.begin, view.end) == whole


def test_a_stall_has_its_colour(qtbot: QtBot) -> None:
    trace = some_trace()
    view = view_of(qtbot, trace)
    number = int(np.argmax(trace.stalled))
    row = int(view.layers[0].busy.lane[number])
    view.show_rows(row, 20)
    view.show_range(trace.start[number] - 60.0, trace.start[number] + 60.0)
    x = round(view.x_of(trace.start[number] - trace.stalled[number] / 2))
    image = view.grab().toImage()
    red = image.pixelColor(x, view.y_of(row) + (view.row_height - 1) // 2)
    assert red.red() > 150 > red.blue() + 60


def test_two_rounds_share_each_row(qtbot: QtBot) -> None:
    first, second = some_trace(), some_trace(seed=2)
    view = view_of(
        qtbot,
        first,
        replace(second, lanes=(*second.lanes[:-1], Lane("core9.cubecore0", "CUBE"))),
    )
    assert view.rows == len(first.lanes) + 1, "a lane only one of them has, has a row"
    view.show_rows(0, 20)
    assert len(colors_in(view, 2)) > 2
    assert view.slice_at(
        QPointF(view.plot.center().x(), view.y_of(view.rows - 1) + 2)
    ) == (0, -1)


def test_a_slice_of_the_second_round_is_chosen_where_it_is_drawn(qtbot: QtBot) -> None:
    first, second = some_trace(), some_trace(seed=2)
    view = view_of(qtbot, first, second)
    view.show_rows(0, 20)
    number = int(second.first[1]) + 3
    view.show_range(float(second.start[number]) - 100, float(second.end[number]) + 100)
    middle = round(view.x_of((second.start[number] + second.end[number]) / 2))
    qtbot.mouseClick(
        view, Qt.MouseButton.LeftButton, pos=QPoint(middle, view.y_of(1) + 16)
    )
    assert (view.trace_number, view.selected_slice) == (1, number)
    assert second.names[second.name[number]] in view.accessibleDescription()
    qtbot.keyClick(view, Qt.Key.Key_Period)
    assert (view.trace_number, view.selected_slice) == (1, number + 1)
    assert view.front.trace is second


def test_throughputs_of_the_vendor_are_no_bytes_in_use(qtbot: QtBot) -> None:
    """Counters of `MTE Throughput`, as msopprof writes them."""
    trace = some_trace()
    rate = Counter(
        "MTE Throughput",
        "GM_TO_UB",
        "throughput(MB/s)",
        np.array([0, 1000]),
        np.array([81920, 0]),
    )
    view = view_of(qtbot, trace)
    memory = MemoryView(view)
    qtbot.addWidget(memory)
    memory.show_core(replace(trace, counters=(rate,)), "MTE Throughput")
    assert memory.words == "MTE Throughput GM_TO_UB: at most 81,920 MB/s"
    assert memory.limit == 0


@pytest.mark.parametrize("height", [3, 4, 7])
def test_the_image_of_two_rounds_keeps_to_the_rows_it_stands_beside(
    qtbot: QtBot, height: int
) -> None:
    busy = some_trace()
    idle = replace(busy, lanes=(*busy.lanes[:-1], Lane("core9.cubecore0", "CUBE")))
    view = view_of(qtbot, busy, idle)
    view.show_rows(0, height)
    assert view.row_height == height
    empty = theme().color("base").name()
    image = view.grab().toImage()
    column = view.plot.left() + view.plot.width() // 2
    for row in range(view.rows):
        shown = {
            image.pixelColor(column + x, view.y_of(row) + y).name()
            for x in range(40)
            for y in range(height)
        }
        assert shown != {empty}, (
            f"row {row} of {view.rows} at {height} px has its slices elsewhere"
        )


def test_what_is_between_two_edges_is_never_less_than_the_peak() -> None:
    counter = Counter(
        "c", "UB", "in use", np.array([10, 20, 21, 40]), np.array([5, 90, 7, 0])
    )
    assert peaks(counter, np.array([0.0, 15, 30, 45, 60])).tolist() == [5, 90, 7, 0]


def test_the_limits_are_those_the_twin_computes_with() -> None:
    text = (
        Path(__file__).parents[2] / "resources/twin/include/twin/soc_data.h"
    ).read_text()
    for memory, size in MEMORY_BYTES.items():
        assert f"k{memory.capitalize()}Bytes = {size};" in text


# ---- in the window


@pytest.fixture
def desktop(
    qapp: QApplication, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desktop]:
    """The window on the sample workspace."""
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    path = sample_workspace.build(tmp_path / "sample.sage")
    made = Desktop(
        qapp,
        arguments(["--workspace", str(path)]),
        Preferences(tmp_path / "window.ini"),
    )
    made.start()
    qtbot.waitUntil(lambda: made.window.queue.model.rowCount() > 0, timeout=WAIT_MS)
    made.window.tabs.setCurrentIndex(TIMELINE)
    qtbot.waitUntil(lambda: made.operations.idle, timeout=WAIT_MS)
    yield made
    made.window.set_busy(busy=False)
    made.window.close()
    made.shut_down()


def page(desktop: Desktop) -> TimelinePanel:
    panel = desktop.tracing.panel
    assert panel is not None
    return panel


def test_a_file_is_opened_saved_and_its_memory_shown(
    desktop: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "one.json"
    write_trace(some_trace(), file)
    panel = page(desktop)
    assert not panel.save.isEnabled()
    panel.file_wanted.emit(file)
    qtbot.waitUntil(lambda: panel.view.trace is not None, timeout=WAIT_MS)
    assert "one.json" in panel.facts.text()
    assert panel.save.isEnabled()
    assert "of 192 KB" in panel.memories.words
    qtbot.waitUntil(lambda: panel.view.layers[0].busy.is_prepared, timeout=WAIT_MS)
    panel.save_wanted.emit(panel.view.trace, tmp_path / "again.json")
    qtbot.waitUntil(
        lambda: any("saved" in text for text in desktop.window.toasts.texts),
        timeout=WAIT_MS,
    )
    assert (tmp_path / "again.json").read_text() == file.read_text()
    file.write_text("{}")
    panel.file_wanted.emit(file)
    qtbot.waitUntil(
        lambda: any("one.json" in text for text in desktop.window.toasts.texts),
        timeout=WAIT_MS,
    )


def test_a_round_is_not_compared_with_itself(desktop: Desktop, qtbot: QtBot) -> None:
    panel = page(desktop)
    qtbot.waitUntil(lambda: panel.first.count() > 2, timeout=WAIT_MS)

    def others() -> list[int]:
        return [panel.second.itemData(n) for n in range(1, panel.second.count())]

    rounds = [panel.first.itemData(n) for n in range(panel.first.count())]
    assert others() == rounds[:-1], "the latest is in front"
    panel.first.choose(rounds[0])
    assert others() == rounds[1:]


def test_a_slice_leads_to_its_line_in_the_comparison(
    desktop: Desktop, qtbot: QtBot
) -> None:
    panel = page(desktop)
    qtbot.waitUntil(lambda: panel.first.count() > 2, timeout=WAIT_MS)
    review = desktop.window.review
    path = next(path for path in review.pair.paths if path.startswith("op_kernel"))  # type: ignore[union-attr]
    trace = replace(some_trace(), places=(Place(path, 5), Place(path, 5)))
    subject = panel.offered[2]
    panel.show_traces([trace], [subject])
    queue = desktop.window.queue
    assert panel.facts.text().startswith("Lerp, round 2: ")
    panel.view.opened.emit(3)
    assert desktop.window.tabs.currentIndex() == REVIEW
    qtbot.waitUntil(
        lambda: desktop.operations.idle and review.subject == subject, timeout=WAIT_MS
    )
    assert queue.current_row().operator == "Lerp"  # type: ignore[union-attr]
    assert review.code.path == path
    assert review.code.diff.place == ("right", 4)


def test_a_trace_of_another_operator_leaves_the_page(
    desktop: Desktop, qtbot: QtBot
) -> None:
    panel = page(desktop)
    qtbot.waitUntil(lambda: panel.first.count() > 2, timeout=WAIT_MS)
    panel.show_traces([some_trace()], [panel.offered[2]])
    assert panel.shows_trace
    queue = desktop.window.queue
    queue.select(queue.model.listed[2])
    qtbot.waitUntil(lambda: not panel.shows_trace, timeout=WAIT_MS)
    assert panel.facts.text() == ""
    assert not panel.save.isEnabled()


def test_a_trace_that_is_ready_while_another_operator_is_in_front_waits_for_its_own(
    desktop: Desktop, qtbot: QtBot
) -> None:
    panel = page(desktop)
    qtbot.waitUntil(lambda: panel.first.count() > 2, timeout=WAIT_MS)
    subject, queue = panel.offered[2], desktop.window.queue
    queue.select(queue.model.listed[2])
    qtbot.waitUntil(lambda: subject not in panel.offered.values(), timeout=WAIT_MS)
    panel.show_traces([some_trace()], [subject])
    assert not panel.shows_trace
    queue.select(subject.entry)
    qtbot.waitUntil(lambda: panel.shows_trace, timeout=WAIT_MS)
    assert panel.facts.text().startswith(f"{subject.operator}, round 2: ")


def test_a_trace_called_off_leaves_what_was_shown(
    desktop: Desktop, qtbot: QtBot
) -> None:
    panel = page(desktop)
    qtbot.waitUntil(lambda: panel.first.count() > 2, timeout=WAIT_MS)
    panel.show_traces([some_trace()], [], "one.json")
    shown = panel.facts.text()
    panel.trace.setFocus()
    panel.trace.click()
    assert panel.facts.text() != shown
    assert panel.focusWidget() is panel.stop, "the next Enter would open a file"
    panel.activate()  # the rounds are read again meanwhile
    assert not panel.trace.isEnabled()
    panel.stop.click()
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    assert not desktop.tracing.is_working, "nothing was begun after it"
    assert panel.facts.text() == shown
    assert panel.stop.isHidden()
    assert panel.trace.isEnabled()
    times, command = (
        desktop.window.review.code.times,
        desktop.window.actions_["review.trace"],
    )
    command.trigger()
    assert times.bar.working
    panel.trace.click()
    assert panel.facts.text() == shown, "one at a time"
    times.bar.stop.click()
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    assert not times.bar.working
    assert command.isEnabled()


def test_what_hosts_say_is_chinese_in_a_chinese_window(
    desktop: Desktop,
    qapp: QApplication,
    preferences: Preferences,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Progress comes from other threads through signals, and is shown in the language of the window."""
    preferences.set("appearance/language", translation.CHINESE)
    translation.install(qapp, preferences)
    label = local_twin_evaluator(tmp_path).label
    said = label
    assert translation.translated(said).startswith("本机 · ")
    monkeypatch.setattr(desktop.tracing, "_call", Thread())  # something is under way
    page(desktop).trace_wanted.emit([Subject("AbsMath", "catalogue", "", 1, 1)])
    thread = Thread(
        target=lambda: (
            desktop.tracing.progressed.emit(said),
            desktop.diagnosing.progressed.emit(said),
        )
    )
    thread.start()
    panel, bar = page(desktop), desktop.window.review.details.findings.bar
    qtbot.waitUntil(
        lambda: panel.facts.text() == translation.translated(said), timeout=WAIT_MS
    )
    qtbot.waitUntil(
        lambda: bar.words.text() == translation.translated(said), timeout=WAIT_MS
    )
    thread.join()
    panel.show_traces([replace(some_trace(), facts={EVALUATOR: label})], [], "one.json")
    assert translation.translated(label) in panel.facts.text()
    monkeypatch.undo()
    desktop.tracing.stop()


@pytest.mark.system
def test_rounds_are_traced_on_the_twin_and_drawn_over_each_other(
    desktop: Desktop, qtbot: QtBot, build_cache: Path
) -> None:
    first, second = (
        Candidate(kernel("AbsMath")),
        Candidate(kernel("AbsMath") | {"op_kernel/note.h": "// x\n"}),
    )

    def change(workspace: Workspace) -> None:
        for table in ("queue_entry", "trajectory"):
            workspace.db.execute(
                f"UPDATE {table} SET operator = 'AbsMath' WHERE operator = 'Lerp'"
            )
        for number, candidate in ((1, first), (2, second)):
            files = {
                path: workspace.put_text(text) for path, text in candidate.files.items()
            }
            workspace.db.execute(
                "INSERT INTO candidate VALUES (?, ?)",
                (candidate.digest, json.dumps(files)),
            )
            workspace.db.execute(
                "UPDATE round SET candidate = ? WHERE trajectory_uid = 'trajectory-1' AND round = ?",
                (candidate.digest, number),
            )

    qtbot.waitUntil(lambda: desktop.operations.can_write, timeout=WAIT_MS)
    desktop.operations.write(
        desktop.window,
        change,
        lambda _none: None,
        topics=frozenset({"queue", "rounds"}),
    )
    panel = page(desktop)

    def operators() -> set[str]:
        return {subject.operator for subject in panel.offered.values()}

    qtbot.waitUntil(lambda: operators() == {"AbsMath"}, timeout=WAIT_MS)
    subjects = [
        Subject("AbsMath", "catalogue", candidate.digest, number)
        for number, candidate in ((1, first), (2, second))
    ]
    panel.trace_wanted.emit(subjects)
    assert panel.stop.isVisible()
    qtbot.waitUntil(lambda: panel.view.trace is not None, timeout=COLD_MS)
    assert [subject.round for subject in panel.subjects] == [1, 2]
    assert panel.facts.text().startswith("AbsMath, above round 1: ")
    assert len(panel.view.layers) == 2
    one, other = (layer.trace for layer in panel.view.layers)
    assert one.facts["operator"] == "AbsMath"
    assert one.length_ns == other.length_ns > 0, "a comment changes nothing"
    assert {lane.pipe for lane in one.lanes} >= {"MTE2", "VECTOR", "MTE3"}
    assert "of 192 KB" in panel.memories.words
    assert not panel.stop.isVisible()
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)
    known = desktop.window.review.code.times.traced
    assert known.keys() == {first.digest, second.digest}, (
        "the gutter has the times of what was traced"
    )
    assert any(
        cost.ns > 0 for cost in next(iter(known[first.digest].values())).costs.values()
    )
