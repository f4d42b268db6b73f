"""A question before something that is not easily taken back; it never blocks the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme


def confirm(
    parent: QWidget,
    question: str,
    hint: str,
    do: tuple[str, Callable[[], object]],
    leave: tuple[str, Callable[[], object]],
    drawing: str = "info",
) -> QMessageBox:
    """Open a question with two buttons.

    Args:
        parent: Window it belongs to.
        question: What is asked, naming what it is about.
        hint: What follows from it.
        do: Words of the button that does it, and what it does.
        leave: Words of the button that does not, and what happens then.
        drawing: Icon.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    side = theme().px(2)
    box.setIconPixmap(icon(drawing, "accent").pixmap(side, side))
    box.setText(question)
    box.setInformativeText(hint)
    button = box.addButton(do[0], QMessageBox.ButtonRole.AcceptRole)
    box.addButton(leave[0], QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(button)
    box.accepted.connect(do[1])
    box.rejected.connect(leave[1])
    box.open()
    return box
