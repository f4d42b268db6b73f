"""Widgets made in one expression, with their name for screen readers, their tip and what a click does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QToolButton, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme

W = TypeVar("W", bound=QWidget)
Do = Callable[..., object] | SignalInstance
"""What a click does; a signal is emitted."""


def named(widget: W, name: str) -> W:
    """Tell screen readers what `widget` is."""
    widget.setAccessibleName(name)
    return widget


def on_base(widget: W) -> W:
    """Let `widget` stand on the ground of lists and texts, not on that of the window."""
    widget.setProperty("pane", "base")
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget


def code_box(name: str, text: str = "", *, flat: bool = True) -> QPlainTextEdit:
    """A text in the letters of code that is only read; without a border where it is `flat`."""
    box = named(QPlainTextEdit(text, readOnly=True), name)
    if flat:
        box.setProperty("flat", "true")
    theme().letter(box, "code")
    return box


def push(words: str, do: Do, *, tip: str = "") -> QPushButton:
    """A button with words."""
    button = QPushButton(words)
    button.setToolTip(tip)
    button.clicked.connect(do)
    return button


def tool(
    do: Do, words: str, drawing: str = "", role: str = "text", *, tip: str = ""
) -> QToolButton:
    """A flat button with words, and an icon where one is named."""
    button = QToolButton()
    button.setText(words)
    if drawing:
        button.setIcon(icon(drawing, role))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setToolTip(tip)
    button.clicked.connect(do)
    return button


def drawn_tool(do: Do, drawing: str, tip: str, *, role: str = "text") -> QToolButton:
    """A flat button with an icon alone; screen readers tell its tip."""
    button = named(QToolButton(), tip)
    button.setIcon(icon(drawing, role))
    button.setToolTip(tip)
    button.clicked.connect(do)
    return button


def tool_of(
    action: QAction,
    style: Qt.ToolButtonStyle = Qt.ToolButtonStyle.ToolButtonTextBesideIcon,
) -> QToolButton:
    """A flat button for a command."""
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(style)
    return button


def drawn(drawing: str, role: str, ems: float = 1.0) -> QLabel:
    """A label that shows an icon."""
    label = QLabel()
    draw(label, drawing, role, ems)
    return label


def draw(label: QLabel, drawing: str, role: str, ems: float = 1.0) -> None:
    """Let `label` show an icon, `ems` wide and high."""
    side = theme().px(ems)
    label.setPixmap(icon(drawing, role).pixmap(side, side))
