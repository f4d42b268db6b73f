"""Kernels with Chinese comments: characters take two cells, rows keep one height, search finds them."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontDatabase
from pytestqt.qtbot import QtBot

from sage_desktop.ui.diff.cells import cells, utf16_offset, wide_runs
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.painter import LinePainter
from sage_desktop.ui.diff.search import Query
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.theme import theme

OLD = """\
// 核函数：每个核处理一段数据
constexpr int32_t BUFFER_NUM = 1; // 缓冲区数量
x = 1;            // aligned
中文注释;         // aligned
"""
NEW = OLD.replace("BUFFER_NUM = 1", "BUFFER_NUM = 2").replace(
    "缓冲区数量", "双缓冲，流水并行"
)


@pytest.fixture
def view(qtbot: QtBot) -> DiffView:
    made = DiffView()
    qtbot.addWidget(made)
    made.resize(1200, 400)
    made.show()
    qtbot.waitExposed(made)
    made.show_file(FileView("op_kernel/add.cpp", OLD, NEW))
    return made


def end_of(painter: LinePainter, text: str, mark: str) -> float:
    """Where `mark` begins in the laid-out line, in cells."""
    line = painter.layout(text, 0, text).lineAt(0)
    return line.cursorToX(utf16_offset(text, text.index(mark)))[0] / painter.column


def test_cells_of_a_line() -> None:
    assert cells("int x;") == 6
    assert cells("// 核函数") == 9
    assert cells("\tx，") == 7
    assert list(wide_runs("a核b函数")) == [(1, 2), (3, 5)]


def test_what_follows_chinese_text_stands_in_its_column(qtbot: QtBot) -> None:
    if not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        pytest.skip("no font has Chinese characters")
    painter = LinePainter(theme(), lambda _side, _line: [])
    for text in OLD.splitlines()[2:]:
        assert end_of(painter, text, "// aligned") == pytest.approx(18, abs=0.3), text


def test_rows_keep_their_height_and_scrolling_reaches_the_end(view: DiffView) -> None:
    long = "// " + "核" * 400
    view.show_file(FileView("op_kernel/add.cpp", None, long))
    view.set_option("inline", on=True)
    bar = view.horizontalScrollBar()
    bar.setValue(bar.maximum())
    painter = LinePainter(theme(), lambda _side, _line: [])
    text = painter.layout("right", 0, long).lineAt(0).naturalTextWidth()
    assert text - bar.value() < view.viewport().width()
    tall = painter.layout("left", 9, "核函数").lineAt(0).height()
    assert tall <= painter.row_height * 1.1


def test_search_finds_chinese_words(view: DiffView) -> None:
    assert view.search(Query("流水")).total == 1
    assert "双缓冲" in view.document.text(view.current_row, "right")
    assert not view.search(Query("没有这个词")).total


def test_words_are_marked_within_chinese_comments(view: DiffView) -> None:
    row = next(view.document.entry(n) for n in view.document.changes)
    marked = [NEW.splitlines()[1][span.start : span.end] for span in row.right_marks]
    assert "2" in marked
    assert any("流水" in text for text in marked)
