"""The mismatch explorer: single elements, expected beside actual, and the line that wrote them."""

from __future__ import annotations

from dataclasses import asdict, replace

import msgspec
import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from core.evaluation.records import ErrorMap, Evaluation
from core.trace.columns import Place
from core.trace.mismatch import Mismatch
from core.trace.writes import Writes
from remote.judge.comparing.error_statistics import compare
from sage_desktop.panels.review.mismatch.explorer import MismatchExplorer
from sage_desktop.panels.review.mismatch.image import MismatchImage
from sage_desktop.ui.theme import theme
from tests.gui import sample_workspace
from tests.gui.sample_workspace import OPT, WRONG, Step

COPY, LAST = Place("op_kernel/abs_math.cpp", 41), Place("op_kernel/abs_math.cpp", 52)


@pytest.fixture(scope="module")
def drawn() -> ErrorMap:
    """Of 8 x 100 elements the last 4 columns of the lower half are wrong."""
    right = torch.arange(800, dtype=torch.float32).reshape(8, 100)
    other = right.clone()
    other[4:, 96:] = -1
    found = compare("y", right, other).errors.map
    return msgspec.convert(asdict(found), ErrorMap)


@pytest.fixture(scope="module")
def writes() -> Writes:
    """Two cores with four rows each; the columns from 96 on are written by a line of their own."""
    begin = [row * 400 + start for row in range(8) for start in (0, 384)]
    return Writes(
        ("core0.veccore0", "core0.veccore1"),
        (COPY, LAST),
        ("y",),
        np.array(begin),
        np.array([384, 16] * 8),
        np.repeat([0, 1], 8),
        np.tile([0, 1], 8),
        np.zeros(16, int),
    )


def evaluation_with(drawn: ErrorMap) -> Evaluation:
    step = Step(OPT, WRONG, cause="wrong")
    found = sample_workspace.evaluation_of(sample_workspace.candidate_of(5, step), step)
    cases = [
        replace(
            case,
            statistics=(
                replace(case.statistics[0], map=None if case.hidden else drawn),
            ),
        )
        for case in found.cases
    ]
    return replace(found, cases=tuple(cases))


@pytest.fixture
def explorer(qtbot: QtBot, drawn: ErrorMap) -> MismatchExplorer:
    made = MismatchExplorer()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show_evaluation(5, evaluation_with(drawn))
    made.show()
    return made


def test_only_visible_cases_are_offered_and_the_first_wrong_element_is_chosen(
    explorer: MismatchExplorer,
) -> None:
    offered = [explorer.chooser.itemText(n) for n in range(explorer.chooser.count())]
    assert offered == ["full · y", "tail · y"]
    assert explorer.words.text() == "[4, 96]: expected 496, got -1"
    assert explorer.image.accessibleDescription() == explorer.words.text()
    assert explorer.elements.rowCount() == 16
    explorer.elements.setCurrentCell(5, 0)
    assert explorer.words.text() == "[5, 97]: expected 597, got -1"
    explorer.chooser.setCurrentIndex(1)
    assert explorer.elements.currentRow() == -1, "what was chosen in another output"
    explorer.elements.setCurrentCell(5, 0)
    assert explorer.words.text() == "[5, 97]: expected 597, got -1"


def test_the_keyboard_walks_elements_and_runs_and_asks_for_their_line(
    explorer: MismatchExplorer, qtbot: QtBot, writes: Writes
) -> None:
    qtbot.keyClick(explorer.image, Qt.Key.Key_Left)
    assert explorer.words.text() == "[4, 95]: right"
    qtbot.keyClick(explorer.image, Qt.Key.Key_Period)
    assert explorer.words.text().startswith("[4, 96]")
    qtbot.keyClick(explorer.image, Qt.Key.Key_Period)
    assert explorer.words.text().startswith("[5, 96]")
    qtbot.keyClick(explorer.image, Qt.Key.Key_Comma)
    assert explorer.words.text().startswith("[4, 96]")
    asked: list[str] = []
    explorer.writers_wanted.connect(asked.append)
    qtbot.keyClick(explorer.image, Qt.Key.Key_Return)
    assert asked == ["full"]
    assert not explorer.who.isEnabled()
    explorer.mismatch.take_writes(writes)
    explorer.show_writers(explorer.mismatch)
    told = "[4, 96]: expected 496, got -1 — written by core0.veccore1, op_kernel/abs_math.cpp:52"
    assert explorer.words.text() == told
    lines = [explorer.lines.item(n).text() for n in range(explorer.lines.count())]
    assert lines == ["op_kernel/abs_math.cpp:52: 16 wrong elements, by core0.veccore1"]
    gone_to: list[object] = []
    explorer.line_wanted.connect(lambda *place: gone_to.append(place))
    qtbot.keyClick(explorer.image, Qt.Key.Key_Return)
    qtbot.keyClick(explorer.lines, Qt.Key.Key_Down)
    explorer.lines.itemActivated.emit(explorer.lines.item(0))
    assert gone_to == [(5, "op_kernel/abs_math.cpp", 52)] * 2


def test_what_nobody_wrote_and_what_several_cores_wrote_is_told(
    explorer: MismatchExplorer, qtbot: QtBot, writes: Writes
) -> None:
    """The last columns of rows 4 to 6 are never written; those of row 7 by both cores."""
    kept = [at for at in range(16) if at not in (9, 11, 13)]
    parts = {
        name: getattr(writes, name)[kept]
        for name in ("begin", "size", "core", "place", "tensor")
    }
    parts = {name: np.append(part, part[-1]) for name, part in parts.items()}
    parts["core"][-2] = 0
    explorer.mismatch.take_writes(replace(writes, **parts))
    explorer.show_writers(explorer.mismatch)
    lines = [explorer.lines.item(n).text() for n in range(explorer.lines.count())]
    assert lines == [
        "op_kernel/abs_math.cpp:52: 4 wrong elements, by core0.veccore1",
        "12 wrong elements that no copy wrote; op_kernel/abs_math.cpp:41 wrote up to there",
        "4 of the wrong elements were written by more than one core",
    ]
    with qtbot.waitSignal(explorer.line_wanted) as asked:
        explorer.lines.itemActivated.emit(explorer.lines.item(1))
    assert asked.args == [5, "op_kernel/abs_math.cpp", 41]
    explorer.lines.itemActivated.emit(explorer.lines.item(2))  # leads nowhere
    explorer.image.choose(799)
    assert explorer.words.text().endswith("abs_math.cpp:52; 2 cores wrote it")


def test_wrong_elements_are_red_at_their_place_at_every_zoom(
    explorer: MismatchExplorer, qtbot: QtBot
) -> None:
    image = explorer.image
    red = theme().color("danger").rgb()
    for factor in (1.0, 3.0, 4.0):
        image.zoom(factor)
        image.choose(796)  # [7, 96], the first wrong one of the last row
        picture = image.picture(explorer.mismatch)
        ratio = image.devicePixelRatioF()

        def color(element: int) -> int:
            middle = image.box(element).center() * ratio  # noqa: B023 - used at once
            return picture.pixel(QPoint(int(middle.x()), int(middle.y())))  # noqa: B023

        assert color(796) == red
        assert color(795) != red
        assert image.element_at(image.box(796).center()) == 796
    qtbot.keyClick(image, Qt.Key.Key_Home)
    assert image.element_at(image.box(0).center()) == 0


def test_the_borders_of_cores_and_copies_are_drawn(
    explorer: MismatchExplorer, writes: Writes
) -> None:
    before = explorer.image.picture(explorer.mismatch)
    explorer.mismatch.take_writes(writes)
    after = explorer.image.picture(explorer.mismatch)
    border = theme().color("accent").rgb()
    rows = [y for y in range(after.height()) if after.pixel(20, y) == border]
    assert len(rows) == 1  # between the parts of the two cores
    assert all(before.pixel(20, y) != border for y in range(before.height()))


def test_the_last_line_may_be_shorter_than_the_others(
    qtbot: QtBot, drawn: ErrorMap
) -> None:
    shown = Mismatch(replace(drawn, shape=(790,), flat=True), "y")
    image = MismatchImage()
    qtbot.addWidget(image)
    image.resize(640, 500)
    image.show_mismatch(shown)
    picture, ground = image.picture(shown), theme().color("base").rgb()
    inside, behind = (image.box(element).center() for element in (789, 790))
    assert picture.pixel(behind.toPoint()) == ground
    assert picture.pixel(inside.toPoint()) != ground


def test_what_is_not_told_is_said_so(drawn: ErrorMap) -> None:
    shown = Mismatch(
        replace(drawn, runs=drawn.runs[:2], complete=False, elements=()), "y"
    )
    assert shown.is_wrong(496) is True
    assert shown.is_wrong(495) is False
    assert shown.is_wrong(799) is None
    assert shown.share(799) == 1.0
    assert shown.writer(0) is None
    flat = Mismatch(replace(drawn, shape=(800,), flat=True), "y")
    assert (flat.columns, flat.rows) == (32, 25)


def test_a_record_of_an_earlier_release_says_what_is_missing(
    qtbot: QtBot, drawn: ErrorMap
) -> None:
    old = replace(drawn, runs=(), complete=False, elements=(), width=0)
    made = MismatchExplorer()
    qtbot.addWidget(made)
    made.show_evaluation(5, evaluation_with(old))
    assert "earlier release" in made.status.text()
    assert not made.who.isEnabled()
    assert (
        made.words.text() == "[0, 0]: not told by itself; around it up to 0% are wrong"
    )
