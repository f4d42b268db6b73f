"""Work that takes a while, in one line: words, how far it is, and a button that stops it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import tool
from sage_desktop.ui.widgets.stacking import hbox


class ThinBar(QWidget):
    """A flat bar from 0 to 1."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_share(self, share: float) -> None:
        """Show `share` of the whole."""
        self._share = min(1.0, max(0.0, share))
        self.setAccessibleName(f"{100 * self._share:.0f} %")
        self.update()

    @property
    def share(self) -> float:
        """What is shown, 0 to 1."""
        return self._share

    def sizeHint(self) -> QSize:
        return theme().size(8, 0.9)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        thickness = theme().px(0.32)
        top = (self.height() - thickness) / 2
        area = QRectF(0, top, self.width(), thickness)
        paint_share(painter, area, self._share, "accent")
        painter.end()


class ProgressStrip(QWidget):
    """Words, bar and Stop; hidden while nothing runs.

    Signals:
        stopped: The person stops it.
    """

    stopped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = QLabel()
        self.bar = ThinBar()
        self.stop = tool(self.stopped, self.tr("Stop"), "stop")
        hbox(
            self.words,
            (self.bar, 1),
            self.stop,
            owner=self,
            margins=(0.6, 0, 0.6, 0.3),
            spacing=0.6,
        )
        self.hide()

    def show_progress(self, words: str, number: int, total: int) -> None:
        """Say how far it is, `number` steps of `total`; shown until `hide`."""
        self.words.setText(words)
        self.bar.set_share(number / total if total else 0.0)
        self.show()


def paint_share(painter: QPainter, area: QRectF, share: float, role: str) -> None:
    """Paint a rounded bar filled up to `share`; an empty one shows its track only."""
    look = theme()
    radius = area.height() / 2
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.tint("text", 0.1))
    painter.drawRoundedRect(area, radius, radius)
    if share > 0:
        # A narrower bar could not be round at both ends.
        width = max(area.height(), area.width() * share)
        filled = QRectF(area.left(), area.top(), width, area.height())
        painter.setBrush(look.color(role))
        painter.drawRoundedRect(filled, radius, radius)
