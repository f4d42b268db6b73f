"""Content that scrolls when its room is smaller than it."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea, QWidget


def scrolled(content: QWidget) -> QScrollArea:
    """A frameless area around `content`: it asks for no more room than the window can give."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(content)
    return area
