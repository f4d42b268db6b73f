"""Content that scrolls when its room is smaller than it."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea, QWidget


def scrolled(content: QWidget | None = None) -> QScrollArea:
    """A frameless area around `content`: it asks for no more room than the window can give."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    if content is not None:
        area.setWidget(content)
    return area
