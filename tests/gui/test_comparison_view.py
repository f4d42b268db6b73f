"""Reading a comparison: finding, selecting, copying, wrapping, two line numbers. No workspace is needed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.diff.side_by_side import Fold
from sage_desktop.ui.diff.document import FileView, Mark
from sage_desktop.ui.diff.search import FindState, Query
from sage_desktop.ui.diff.view import DiffView

KEY, SHIFT, CTRL = (
    Qt.Key,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
OLD = "\n".join(
    [
        *(f"line {n}" for n in range(40)),
        "DataCopy(x, y, tile);",
        *(f"    Needle{n}(tail);" for n in range(40, 80)),
        "old only: needle",
    ]
)
PADDED = "DataCopyPad(x, y, 核函数, tail);"
NEW = OLD.replace("DataCopy(x, y, tile);", PADDED).replace("old only: needle", "end")


@pytest.fixture
def view(qtbot: QtBot) -> DiffView:
    made = DiffView()
    qtbot.addWidget(made)
    made.resize(1300, 400)
    made.show()
    made.activateWindow()
    qtbot.waitExposed(made)
    made.show_file(FileView("op_kernel/k.cpp", OLD, NEW))
    made.setFocus()
    return made


def gap(view: DiffView, side: str, text: str, character: int) -> QPoint:
    """The place before a character of the line `text` on screen; the caret goes there."""
    view.go_to_line(getattr(view.document, side).index(text), side)
    for _ in range(character):
        QTest.keyClick(view, KEY.Key_Right)
    return caret(view)


def caret(view: DiffView) -> QPoint:
    box = view.caret_box()
    assert box is not None
    return box.center().toPoint()


def code_starts(view: DiffView) -> int:
    """Pixels from the left edge of the newer version to its code."""
    view.go_to_line(60)
    edge = 0 if view.document.inline else view.viewport().width() // 2
    return caret(view).x() - edge


def test_folded_lines_are_found_counted_unfolded_and_walked_through(
    view: DiffView,
) -> None:
    assert any(isinstance(entry, Fold) for entry in view.document.shown)
    state = view.search(Query("needle"))
    assert state.total == 41, (
        "40 lines both versions share, each once, and one of the older version"
    )
    view.search(Query("Needle60"))
    assert view.find_state == FindState(1, 1)
    assert view.selected_text() == "Needle60"
    assert not isinstance(view.document.entry(view.current_row), Fold)
    assert view.document.text(view.current_row, "right") == "    Needle60(tail);"
    view.search(Query("needle"))
    first = view.find_state.number
    view.find_next(1)
    assert view.find_state.number == first + 1
    for _ in range(41):
        view.find_next(-1)
    assert view.find_state.number == first + 1, "around the end"
    view.end_find()
    assert view.find_state == FindState()


def test_both_sides_are_searched_and_the_hit_is_selected_where_it_stands(
    view: DiffView,
) -> None:
    assert view.search(Query("old only")).total == 1
    assert view.place[0] == "left"
    assert view.selected_text() == "old only"
    assert view.search(Query("核函数")).total == 1
    assert view.place[0] == "right"
    assert view.selected_text() == "核函数"


@pytest.mark.parametrize(
    ("query", "total"),
    [
        (Query("NEEDLE"), 41),
        (Query("NEEDLE", case=True), 0),
        (Query("needle", case=True), 1),
        (Query("needle", whole=True), 1),
        (Query(r"Needle[67]5\(", regex=True, case=True), 2),
        (Query(r"^\s+Needle\d+", regex=True), 40),
        (Query(r"函(?=数)", regex=True), 1),
        (
            Query(r"x*", regex=True),
            2,
        ),  # what matches nothing is no hit; the two lines of DataCopy differ
        (Query("a.c(", regex=False), 0),
    ],
)
def test_case_words_and_expressions(view: DiffView, query: Query, total: int) -> None:
    assert view.search(query).total == total


def test_an_invalid_expression_is_explained(view: DiffView) -> None:
    state = view.search(Query("Needle(", regex=True))
    assert (state.total, state.number) == (0, 0)
    assert "character" in state.error


def test_an_expression_that_never_ends_gives_up(view: DiffView) -> None:
    view.show_file(FileView("k.cpp", None, "a" * 400 + "!"))
    assert view.search(Query(r"(a+)+$", regex=True)).total == 0


def test_hits_are_found_again_in_the_next_file_and_after_a_change_of_the_view(
    view: DiffView,
) -> None:
    view.search(Query("tail"))
    assert view.find_state.total == 41
    view.set_option("inline", on=True)
    assert view.find_state.total == 41
    view.show_file(FileView("k.cpp", "tail\n", "tail\ntail head\n"))
    assert view.find_state.total == 2


def test_characters_are_selected_with_the_mouse_in_both_columns_and_past_chinese(
    view: DiffView, qtbot: QtBot
) -> None:
    for side, line, first, last, words in (
        ("left", "DataCopy(x, y, tile);", 9, 13, "x, y"),
        ("right", PADDED, 23, 27, "tail"),
    ):
        start, end = gap(view, side, line, first), gap(view, side, line, last)
        qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
        qtbot.mouseMove(view.viewport(), end)
        _move(view, end)
        qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)
        assert view.selected_text() == words
        qtbot.keyClick(view, KEY.Key_C, CTRL)
        assert QGuiApplication.clipboard().text() == words


def _move(view: DiffView, place: QPoint) -> None:
    """A move with the button held, which `mouseMove` does not tell."""
    where = QPointF(view.viewport().mapToGlobal(place))
    button = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        where,
        button,
        button,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_a_double_click_selects_a_word_a_third_the_line_the_gutter_whole_lines(
    view: DiffView, qtbot: QtBot
) -> None:
    below = gap(view, "right", "    Needle40(tail);", 0)
    place = gap(view, "right", PADDED, 4) + QPoint(3, 0)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.selected_text() == "DataCopyPad"
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.selected_text() == PADDED
    gutter = view.viewport().width() // 2 + 5
    for line, keys in ((place, Qt.KeyboardModifier.NoModifier), (below, SHIFT)):
        at = QPoint(gutter, line.y())
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, keys, pos=at)
    assert view.selected_text() == f"{PADDED}\n    Needle40(tail);"


@pytest.mark.parametrize("inline", [False, True])
def test_characters_words_and_lines_are_selected_with_keys(
    view: DiffView, qtbot: QtBot, inline: bool
) -> None:
    view.set_option("inline", on=inline)
    view.go_to_line(40)
    assert view.selected_text() == PADDED, "nothing selected: the line of the caret"
    qtbot.keyClick(view, KEY.Key_Right)
    for _ in range(3):
        qtbot.keyClick(view, KEY.Key_Right, SHIFT)
    assert view.selected_text() == "ata"
    qtbot.keyClick(view, KEY.Key_Right, SHIFT | CTRL)
    assert view.selected_text() == "ataCopyPad"
    qtbot.keyClick(view, KEY.Key_Escape)
    assert not view.has_selection
    qtbot.keyClick(view, KEY.Key_Home)
    qtbot.keyClick(view, KEY.Key_Down, SHIFT)
    qtbot.keyClick(view, KEY.Key_End, SHIFT)
    assert view.selected_text() == f"{PADDED}\n    Needle40(tail);"
    qtbot.keyClick(view, KEY.Key_A, CTRL)
    if not inline:
        assert view.selected_text() == NEW, "folded lines are copied too"


def test_in_one_column_each_line_has_room_for_its_number_in_both_versions(
    view: DiffView,
) -> None:
    one_number = code_starts(view)
    view.set_option("inline", on=True)
    assert code_starts(view) > one_number
    view.show_file(FileView("k.cpp", None, NEW))
    assert code_starts(view) == one_number, "one version alone has one number"


def test_long_lines_are_wrapped_and_stay_beside_each_other(
    view: DiffView, qtbot: QtBot
) -> None:
    long = "call(" + ", ".join(f"argument{n}" for n in range(60)) + ");"
    view.show_file(FileView("k.cpp", "a\nb\n", f"a\n{long}\nb\n"))
    assert view.horizontalScrollBar().maximum() > 0
    view.set_option("wrap", on=True)
    assert view.horizontalScrollBar().maximum() == 0
    view.go_to_line(1)
    first = view.caret_box()
    qtbot.keyClick(view, KEY.Key_End)
    last = view.caret_box()
    assert first is not None
    assert last is not None
    assert last.right() < view.viewport().width()
    assert last.top() > first.top() + 3 * first.height()
    for _ in range(5):
        qtbot.keyClick(view, KEY.Key_Left)
    assert view.word_at(caret(view)).startswith("argument5"), "on the last part"
    position = view.document.position_of("right", 2)
    assert position is not None
    assert view.document.text(position, "left") == "b"


def test_f1_is_about_the_word_the_caret_was_set_in(
    view: DiffView, qtbot: QtBot
) -> None:
    place = gap(view, "right", PADDED, 24) + QPoint(3, 0)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.word() == "tail"
    view.go_to_line(40)
    assert view.word() == "DataCopyPad", "nobody set a caret: what the line calls"
    view.search(Query("Needle41"))
    assert view.word() == "Needle41"


def test_the_caret_goes_to_the_other_version_beside_it(view: DiffView) -> None:
    view.go_to_line(40)
    view.other_side()
    assert view.place == ("left", 40)
    assert view.selected_text() == "DataCopy(x, y, tile);"


def test_a_change_of_the_view_keeps_the_line_in_sight(view: DiffView) -> None:
    view.show_file(FileView("k.cpp", OLD, NEW, {60: (Mark("error", "wrong"),)}))
    view.go_to_line(60)
    for option, on in (
        ("inline", True),
        ("fold", False),
        ("wrap", True),
        ("fold", True),
        ("inline", False),
    ):
        view.set_option(option, on=on)
        assert view.place[1] == 60, option
        assert view.viewport().rect().contains(caret(view)), option


def test_moved_code_names_its_other_place_and_leads_there(
    view: DiffView, qtbot: QtBot
) -> None:
    run = [
        "DataCopy(xLocal, xGm, tile);",
        "inQueue.EnQue(xLocal);",
        "Process(tile, xLocal);",
    ]
    filling = [f"unchanged line {n};" for n in range(30)]
    view.show_file(
        FileView("k.cpp", "\n".join([*run, *filling]), "\n".join([*filling, *run]))
    )
    view.go_to_line(0, "left")
    view.viewport().grab()
    line = caret(view)
    row = [QPoint(x, line.y()) for x in range(line.x(), view.viewport().width() // 2)]
    link = next(place for place in row if _points_at_a_link(view, qtbot, place))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=link)
    assert view.place == ("right", 30)
    qtbot.keyClick(view, KEY.Key_Return)
    assert view.place == ("left", 0)


def _points_at_a_link(view: DiffView, qtbot: QtBot, place: QPoint) -> bool:
    qtbot.mouseMove(view.viewport(), place)
    return view.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor


def test_the_head_of_the_function_stays_in_sight_and_leads_to_it(
    view: DiffView, qtbot: QtBot
) -> None:
    body = "\n".join(f"    Call{n}(x);" for n in range(60))
    text = f"int first;\nvoid Process(int x)\n{{\n{body}\n}}\n"
    view.show_file(FileView("k.cpp", text, text.replace("Call50", "Cast50")))
    view.set_option("fold", on=False)
    view.verticalScrollBar().setValue(0)
    assert view.sticky() == {}
    view.go_to_line(40)
    assert view.sticky() == {"left": 1, "right": 1}
    before = view.viewport().grab().toImage()
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 1)
    box = view.caret_box()
    assert box is not None
    height = round(box.height())
    after = view.viewport().grab().toImage()
    assert before.copy(0, 0, 900, height) == after.copy(0, 0, 900, height), (
        "it does not scroll"
    )
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(900, 4))
    assert view.place == ("right", 1)
