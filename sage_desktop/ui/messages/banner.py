"""A strip across the window for something that is true all the time, such as that no model is running."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.form import heading
from sage_desktop.ui.widgets.stacking import hbox


class Banner(QWidget):
    """Icon, strong words, explaining words."""

    def __init__(self) -> None:
        super().__init__()
        self._title = heading("")
        self._words = ElidingLabel(muted=True)
        hbox(
            self._title,
            (self._words, 1),
            owner=self,
            margins=(2.4, 0.3, 0.8, 0.3),
            spacing=0.6,
        )
        self.hide()

    def say(self, title: str, words: str) -> None:
        """Show the strip."""
        self._title.setText(title)
        self._words.set_text(words)
        self.setAccessibleName(f"{title} {words}")
        self.show()

    def text(self) -> str:
        """What is said."""
        return self._title.text()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        share = 0.16 if look.dark else 0.1
        painter = QPainter(self)
        painter.fillRect(self.rect(), look.tint("warning", share, "window"))
        edge_y = self.height() - 1
        painter.setPen(look.tint("warning", 0.35, "window"))
        painter.drawLine(0, edge_y, self.width(), edge_y)
        side = look.px(1.15)
        y = (self.height() - side) / 2
        icon_box = QRectF(look.px(0.8), y, side, side)
        paint_icon(painter, "info", "warning", icon_box)
        painter.end()
