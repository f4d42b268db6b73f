"""A drop-down list that draws its arrow in the colours of the theme."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox

from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import Do


class ComboBox(QComboBox):
    """`QComboBox` with our arrow; as wide as its widest entry.

    Args:
        name: What screen readers tell.
        on_choice: Called when the person chooses an entry.
    """

    def __init__(self, name: str = "", on_choice: Do | None = None) -> None:
        super().__init__()
        self.setAccessibleName(name)
        if on_choice is not None:
            self.activated.connect(on_choice)

    def offer(
        self, entries: Iterable[tuple[str, object]], selected: object = None
    ) -> None:
        """Offer (words, value) in place of what was there, the value `selected` in front, else the first.

        By default what was chosen before stays.
        """
        if selected is None:
            selected = self.currentData()
        self.clear()
        for words, value in entries:
            self.addItem(words, value)
        if self.count():
            place = self.findData(selected)
            self.setCurrentIndex(max(0, place))

    def choose(self, value: object) -> None:
        """Do as if the person chose the entry of `value`; one in front or not offered changes nothing."""
        place = self.findData(value)
        if place not in (-1, self.currentIndex()):
            self.setCurrentIndex(place)
            self.activated.emit(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side = theme().em * 0.95
        x = self.width() - side * 1.25
        y = (self.height() - side) / 2
        role = "muted" if self.isEnabled() else "border"
        painter = QPainter(self)
        paint_icon(painter, "down-small", role, QRectF(x, y, side, side))
        painter.end()
