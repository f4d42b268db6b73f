"""Texts of others are shown as they are: none is read as HTML, which would open the files it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QApplication,
    QFormLayout,
    QLabel,
    QMessageBox,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.panels.review.details import DiagnosisView
from sage_desktop.ui import theme
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.messages.toast import Toasts

SIDE = 900  # pixels of a picture that nothing else on the screen reaches


@pytest.fixture
def picture(tmp_path: Path) -> str:
    """HTML that shows a large picture from a file."""
    image = QImage(SIDE, SIDE, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    image.save(str(tmp_path / "p.png"))
    return f'<img src="{(tmp_path / "p.png").as_uri()}">'


def _shown(qtbot: QtBot, widget: QWidget) -> QWidget:
    """`widget` on screen, dressed as the window is and with it all that opens above it."""
    qtbot.addWidget(widget)
    theme.theme().apply_to(widget)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def _labels(widget: QWidget) -> list[QLabel]:
    return [label for label in widget.findChildren(QLabel) if "<img" in label.text()]


def test_a_label_shows_the_letters_of_html(qtbot: QtBot, picture: str) -> None:
    alone = QLabel(picture)
    assert _shown(qtbot, alone).height() < SIDE / 2
    later = QLabel("x")
    _shown(qtbot, later)
    later.setText(picture)
    assert later.sizeHint().height() < SIDE / 2
    wrapped = QLabel(picture)
    wrapped.setWordWrap(True)
    assert _shown(qtbot, wrapped).height() < SIDE / 2


def test_questions_and_forms_show_the_letters_of_html(
    qtbot: QtBot, picture: str
) -> None:
    box = QMessageBox()
    box.setText(picture)
    box.setInformativeText(picture)
    form = QWidget()
    QFormLayout(form).addRow(picture, QLabel(picture))
    for widget in (box, form):
        _shown(qtbot, widget)
        assert _labels(widget)
        assert all(
            label.textFormat() == Qt.TextFormat.PlainText for label in _labels(widget)
        )
        assert widget.height() < SIDE / 2
        widget.close()


def test_a_tool_tip_shows_the_letters_of_html(
    qapp: QApplication, qtbot: QtBot, picture: str
) -> None:
    owner = _shown(qtbot, QWidget())
    QToolTip.showText(owner.mapToGlobal(QPoint(1, 1)), picture, owner)
    tips = [
        tip
        for tip in qapp.topLevelWidgets()
        if tip.inherits("QTipLabel") and tip.isVisible()
    ]
    assert tips
    assert all(tip.height() < SIDE / 2 for tip in tips)
    QToolTip.hideText()
    for tip in tips:
        tip.hide()


def test_a_diagnosis_opens_no_picture(qtbot: QtBot, picture: str) -> None:
    view = DiagnosisView()
    _shown(qtbot, view)
    address = picture.split('"')[1]
    view.show_round(f"![x]({address}) {picture}", f"![y]({address})", cause=picture)
    assert view.document().size().height() < SIDE / 2


def test_a_title_of_html_is_read_nowhere_in_the_memory(
    workspace: Path,
    memory_panel: MemoryPanel,
    qtbot: QtBot,
    settled: Callable[[], None],
    picture: str,
) -> None:
    with Workspace.open(workspace) as opened:
        MemoryStore(opened).add_item(
            Experience(
                title=picture,
                type="<b>t</b>",
                category="<i>c</i>",
                summary=picture,
                source=picture,
            ),
            origin=Origin.USER,
            actor="test",
            reason=picture,
        )
    memory_panel.activate()
    settled()
    model = memory_panel.model
    row = next(
        r for r in range(model.rowCount()) if "<img" in str(model.index(r, 0).data())
    )
    memory_panel.table.setCurrentIndex(model.index(row, 0))
    settled()
    _shown(qtbot, memory_panel)
    visible = [
        label for label in memory_panel.findChildren(QLabel) if label.isVisible()
    ]
    shown = [label for label in visible if label in _labels(memory_panel)]
    assert shown
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in visible)
    assert all(label.height() < SIDE / 2 for label in shown)


def test_empty_states_and_toasts_show_the_letters_of_html(
    qtbot: QtBot, picture: str
) -> None:
    room = QWidget()
    room.resize(1200, 1200)
    _shown(qtbot, room)
    toasts = Toasts(room)
    toasts.show_message(picture)
    state = EmptyState("search", picture, picture)
    _shown(qtbot, state)
    for label in (*_labels(room), *_labels(state)):
        assert label.sizeHint().height() < SIDE / 2
