"""Widgets laid out close to each other: below each other, or with a handle between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QSplitter, QVBoxLayout, QWidget

from sage_desktop.ui.theme import theme

W = TypeVar("W", bound=QWidget)


def stacked(owner: W, *parts: QWidget | QLayout, grows: int = -1) -> W:
    """Put `parts` below each other into `owner`, without gaps and margins.

    Args:
        owner: Without a layout.
        parts: From the top.
        grows: Number of the part that takes the room which is left; by default the last one.
    """
    column = QVBoxLayout(owner)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part in parts:
        if isinstance(part, QLayout):
            column.addLayout(part)
        else:
            column.addWidget(part)
    column.setStretch(grows % len(parts), 1)
    return owner


def split(
    direction: Qt.Orientation, *parts: QWidget, sizes: Sequence[float] = (), stretch: Sequence[int] = ()
) -> QSplitter:
    """Put `parts` beside (or below) each other with a thin handle between them.

    Args:
        direction: Horizontal or vertical.
        parts: From the left, or from the top.
        sizes: In ems; those they ask for by default.
        stretch: Share of each in the room that is left.
    """
    made = QSplitter(direction)
    made.setHandleWidth(1)
    for part in parts:
        made.addWidget(part)
    for number, share in enumerate(stretch):
        made.setStretchFactor(number, share)
    if sizes:
        made.setSizes([theme().px(size) for size in sizes])
    return made
