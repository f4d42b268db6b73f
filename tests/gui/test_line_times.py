"""Times in the gutter: of a traced kernel, against the other version, with what a line waits for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from core.trace.columns import Lane, Place, Trace
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.ui.actions import ActionRegistry

KERNEL = "op_kernel/abs_math.cpp"


@pytest.fixture
def panel(review_panel: ReviewPanel, settled: Callable[[], None]) -> ReviewPanel:
    """Round 3 beside round 6 of AbsMath: both run, nothing but a number and a comment differs."""
    review_panel.choose(3, 6)
    settled()
    return review_panel


def line_of(panel: ReviewPanel, words: str, side: str = "right") -> int:
    """0-based line of the kernel that holds `words`."""
    return next(
        n
        for n, text in enumerate(getattr(panel.code.diff.document, side))
        if words in text
    )


def trace_with(
    panel: ReviewPanel, side: str, copy: int, add: int, waits: int, case: str = "full"
) -> Trace:
    """A copy of `copy` ns, then Abs of `add` ns that waits `waits` ns for it."""
    places = tuple(
        Place(KERNEL, line_of(panel, words, side) + 1)
        for words in ("DataCopy", "Abs(yLocal")
    )

    def column(*values: int) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return Trace(
        (Lane("core0.veccore0", "MTE2"), Lane("core0.veccore0", "VECTOR")),
        column(0, 1, 2),
        column(0, copy),
        column(copy, copy + add),
        np.array([copy, add]) * 2.0,
        column(0, waits),
        column(512, 0),
        column(0, 1),
        column(0, 1),
        ("DataCopyPad", "Abs"),
        places,
        column(0),
        column(1),
        column(0),
        (),
        {"clock_mhz": 2000, "case": case, "judged by": "CPU twin"},
    )


def code_starts(panel: ReviewPanel, side: str = "right") -> float:
    """Pixels from the left edge of the window to the code of a version."""
    diff = panel.code.diff
    diff.go_to_line(0, side)
    box = diff.caret_box()
    assert box is not None
    is_beside = side == "right" and not diff.inline
    return round(box.left() - (diff.viewport().width() / 2 if is_beside else 0.0), 3)


def give(
    panel: ReviewPanel, newer: Trace, older: Trace | None, settled: Callable[[], None]
) -> None:
    """As if both had been traced."""
    subjects = panel.code.times.subjects
    for subject, trace in zip(subjects, (newer, older), strict=True):
        if trace is not None:
            panel.code.times.take(subject, trace)
    settled()


def test_both_versions_are_asked_for_on_one_command(
    panel: ReviewPanel,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    assert panel.code.times.bar.isHidden(), "nothing is in the way of who does not ask"
    without = code_starts(panel)
    with qtbot.waitSignal(panel.code.times.trace_wanted) as wanted:
        registry["review.trace"].trigger()
    assert [(subject.operator, subject.round) for subject in wanted.args[0]] == [
        ("AbsMath", 6),
        ("AbsMath", 3),
    ]
    panel.code.times.show_work("Tracing")
    assert panel.code.times.bar.isVisible()
    assert not registry["review.trace"].isEnabled()
    with qtbot.waitSignal(panel.code.times.stopped):
        panel.code.times.bar.stop.click()
    panel.code.times.show_work("")
    assert panel.code.times.bar.isHidden()
    give(panel, trace_with(panel, "right", 900, 200, 100), None, settled)
    assert registry["review.trace"].isEnabled(), "the older version is still missing"
    panel.choose(1, 1)  # it did not compile
    settled()
    assert not registry["review.trace"].isEnabled()
    assert code_starts(panel) == without


def test_a_line_shows_its_time_its_change_and_what_it_waits_for(
    panel: ReviewPanel, settled: Callable[[], None], qtbot: QtBot
) -> None:
    plain = code_starts(panel)
    give(
        panel,
        trace_with(panel, "right", 12000, 1500, 500),
        trace_with(panel, "left", 20000, 1490, 0),
        settled,
    )
    assert code_starts(panel) > plain
    copy, add = line_of(panel, "DataCopy"), line_of(panel, "Abs(yLocal")
    times = panel.code.diff.times["right"]
    assert (times[copy].words, times[copy].change, times[copy].role) == (
        "12.0",
        "\N{MINUS SIGN}8.00",
        "success",
    )
    assert (times[add].words, times[add].change, times[add].role) == (
        "1.50",
        "+0.01",
        "muted",
    )
    assert (
        panel.code.diff.times["left"][line_of(panel, "DataCopy", "left")].share == 1.0
    )
    assert times[copy].share == pytest.approx(0.6), "both versions have one scale"
    assert times[add].stalled == pytest.approx(500 / 20000)
    told = f"waits 500 ns for DataCopyPad, line {copy + 1} (MTE2, through a queue)"
    assert told in times[add].summary
    assert times[copy].summary.startswith(
        "12 µs in MTE2 · \N{MINUS SIGN}8 µs against line "
    )
    assert "modelled" in panel.code.times.bar.what.text()
    assert "21.49 µs \N{RIGHTWARDS ARROW} 13.50 µs" in panel.code.times.bar.what.text()
    panel.code.diff.go_to_line(add)
    bar = panel.code.times.bar
    assert told in bar.line.text()
    bar.resize(500, bar.height())
    assert bar.what.text() == "µs, modelled", "the line's words have the room"
    assert told in panel.code.diff.accessibleDescription()
    place = panel.code.diff.caret_box().center().toPoint()
    QApplication.sendEvent(
        panel.code.diff.viewport(),
        QHelpEvent(
            QEvent.Type.ToolTip, place, panel.code.diff.viewport().mapToGlobal(place)
        ),
    )
    assert told in QToolTip.text()
    QToolTip.hideText()
    panel.code.diff.go_to_line(copy)
    box = panel.code.diff.caret_box()
    image = panel.code.diff.viewport().grab().toImage()
    gutter = range(panel.code.diff.viewport().width() // 2 + 1, round(box.left()) - 2)
    y = round(box.center().y())
    colors = [image.pixelColor(x, y) for x in gutter]
    blue = [color.blue() > color.red() + 20 for color in colors]
    assert any(blue[: len(blue) // 4]), "a bar"
    assert not any(blue[-len(blue) // 8 :])


def test_a_file_without_times_says_where_they_are(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    give(panel, trace_with(panel, "right", 900, 200, 100), None, settled)
    panel.code.times.bar.say("")
    assert panel.code.times.bar.line.text() == ""
    panel.code.times.show_file("op_host/abs_math.cpp")
    assert (
        "No line of this file runs on the device. F9"
        in panel.code.times.bar.line.text()
    )
    panel.code.times.show_file(KERNEL)
    panel.code.times.bar.say("")
    assert panel.code.times.bar.line.text() == ""


def test_versions_traced_on_different_cases_are_not_compared(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    newer = trace_with(panel, "right", 12000, 1500, 0, "tail")
    give(panel, newer, trace_with(panel, "left", 20000, 1490, 0, "full"), settled)
    copy = line_of(panel, "DataCopy")
    assert panel.code.diff.times["right"][copy].words == "12.0"
    assert panel.code.diff.times["right"][copy].change == ""
    assert not panel.code.diff.times["left"]
    give(panel, trace_with(panel, "right", 16000, 1500, 0, "full"), None, settled)
    assert panel.code.diff.times["right"][copy].change == "\N{MINUS SIGN}4.00"


def test_the_hottest_line_is_gone_to_from_the_keyboard(
    panel: ReviewPanel,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    assert not registry["review.hot_line"].isEnabled()
    give(panel, trace_with(panel, "right", 900, 200, 1100), None, settled)
    copy, add = line_of(panel, "DataCopy"), line_of(panel, "Abs(yLocal")
    panel.code.files.setCurrentIndex(2)
    panel.code.diff.setFocus()
    registry["review.hot_line"].trigger()
    assert panel.code.path == KERNEL
    assert panel.code.diff.place == ("right", copy), "its own time comes first"
    registry["review.hot_line"].trigger()
    assert panel.code.diff.place == ("right", add)
    registry["review.hot_line"].trigger()
    assert panel.code.diff.place == ("right", copy), "around the end"
    registry["review.times"].setChecked(False)
    assert panel.code.times.bar.isHidden()
    assert not panel.code.diff.times
    registry["review.times"].setChecked(True)
    assert panel.code.diff.times["right"]


@pytest.mark.parametrize("inline", [False, True])
def test_a_press_sets_the_caret_where_the_pointer_is_beside_times(
    panel: ReviewPanel,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
    *,
    inline: bool,
) -> None:
    registry["review.inline"].setChecked(inline)
    give(
        panel,
        trace_with(panel, "right", 900, 200, 0),
        trace_with(panel, "left", 900, 200, 0),
        settled,
    )
    diff = panel.code.diff
    for side in ("right",) if inline else ("left", "right"):
        line = line_of(panel, "Abs(yLocal", side)
        diff.go_to_line(line, side)
        for _ in range(10):
            qtbot.keyClick(diff, Qt.Key.Key_Right)
        box = diff.caret_box()
        assert box is not None
        diff.go_to_line(line, side)
        assert diff.caret_box() != box
        point = box.center().toPoint()
        qtbot.mouseClick(diff.viewport(), Qt.MouseButton.LeftButton, pos=point)
        assert diff.caret_box() == box
        assert diff.place == (side, line)


def test_models_of_two_processors_are_not_compared(
    panel: ReviewPanel, settled: Callable[[], None]
) -> None:
    newer = trace_with(panel, "right", 12000, 1500, 0)
    newer.facts["judged by"] = "CPU twin of another"  # type: ignore[index]
    give(panel, newer, trace_with(panel, "left", 20000, 1490, 0), settled)
    assert panel.code.diff.times["right"][line_of(panel, "DataCopy")].change == ""
    assert code_starts(panel, "left") < code_starts(panel), (
        "no column for what is not known"
    )
