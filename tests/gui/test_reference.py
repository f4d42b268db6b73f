"""F1 on a word of a kernel opens what the reference says about it, beside the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QCursor, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.references.folders import UserFolders
from sage_desktop.panels.review.panel import ReviewPanel
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.cpp_names import call_of, word_at
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.reference_dialog import ReferenceDialog

CODE = "int x = 0;\n    DataCopyPad(xGm[0], tile, copy);\n\n    // 中文 SetFlag<HardEvent::V_S>(id);\n"


@pytest.fixture
def diff(qtbot: QtBot) -> DiffView:
    made = DiffView()
    qtbot.addWidget(made)
    made.resize(1400, 300)
    made.show()
    made.show_file(FileView("op_kernel/k.cpp", CODE, CODE))
    QCursor.setPos(QPoint(-100, -100))
    return made


@pytest.mark.parametrize(
    ("text", "index", "word"),
    [
        ("  Add(dst, src, 8);", 3, "Add"),
        ("HardEvent::V_S>", 12, "HardEvent::V_S"),
        ("return x;", 2, ""),
        ("a + b", 2, ""),
    ],
)
def test_the_word_at_a_place(text: str, index: int, word: str) -> None:
    assert word_at(text, index) == word


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("if (SetFlag<HardEvent::V_S>(id)) {", "SetFlag"),
        ("LocalTensor<T> x = y;", "LocalTensor"),
        ("  }", ""),
    ],
)
def test_what_a_line_is_about(text: str, word: str) -> None:
    assert call_of(text) == word


def test_a_point_of_the_code_is_a_word_in_either_column_and_past_chinese(
    diff: DiffView,
) -> None:
    for side in ("left", "right"):
        for line, character, word in ((1, 6, "DataCopyPad"), (3, 10, "SetFlag")):
            diff.go_to_line(line, side)
            for _ in range(character):
                QTest.keyClick(diff, Qt.Key.Key_Right)
            box = diff.caret_box()
            assert box is not None
            assert diff.word_at(box.center().toPoint() + QPoint(2, 0)) == word
        box = diff.caret_box()
        behind = QPoint(round(box.left()) + 450, round(box.center().y()))
        assert diff.word_at(behind) == ""


def test_f1_asks_for_the_word_and_is_left_to_others_where_there_is_none(
    diff: DiffView, qtbot: QtBot
) -> None:
    def taken() -> bool:
        event = QKeyEvent(
            QEvent.Type.ShortcutOverride, Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier
        )
        event.ignore()
        QApplication.sendEvent(diff, event)
        return event.isAccepted()

    diff.go_to_line(1)
    assert taken()
    with qtbot.waitSignal(diff.word_asked) as asked:
        qtbot.keyClick(diff, Qt.Key.Key_F1)
    assert asked.args == ["DataCopyPad"]
    diff.go_to_line(2)
    assert not taken(), "the palette opens"


def test_the_entry_opens_beside_the_code_and_further_words_in_the_same_place(
    operations: Operations,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    panel = ReviewPanel(operations, registry, preferences)
    qtbot.addWidget(panel)
    panel.show()
    panel.look_up("DataCopyPad")
    settled()
    dialog = panel.reference
    assert dialog is not None
    assert not dialog.isModal()
    assert dialog.box.text() == "DataCopyPad"
    assert "four arguments, UB to GM three" in dialog.text.toPlainText()
    dialog.box.setText("prefix sum")
    qtbot.keyClick(dialog.box, Qt.Key.Key_Return)
    settled()
    assert "CumSum" in dialog.text.toPlainText()
    panel.look_up("zzqqxx")
    settled()
    assert panel.reference is dialog
    assert "Nothing was found" in dialog.text.toPlainText()
    dialog.reject()
    assert panel.reference is None


def test_a_page_of_the_users_is_text_and_never_html(
    operations: Operations,
    qtbot: QtBot,
    settled: Callable[[], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "Gizmo.md").write_text(
        "# Gizmo\n\nTurn it <b>twice</b> and see <img src='x.png'>.\n", encoding="utf-8"
    )
    UserFolders(tmp_path / "data" / "references").add(docs)
    dialog = ReferenceDialog(operations)
    qtbot.addWidget(dialog)
    dialog.look_up("Gizmo")
    settled()
    assert (
        "Turn it <b>twice</b> and see <img src='x.png'>." in dialog.text.toPlainText()
    )
    assert "docs/Gizmo.md" in dialog.text.toPlainText()
