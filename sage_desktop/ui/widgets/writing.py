"""Words in pictures: where, in which colour and letters, in one call."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from sage_desktop.ui.theme import theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
MIDDLE = Qt.AlignmentFlag.AlignCenter


def write(
    painter: QPainter,
    place: QRectF,
    words: str,
    role: str,
    font: QFont | None = None,
    side: Qt.AlignmentFlag = LEFT,
    *,
    elided: bool = False,
) -> None:
    """Write one line; font and colour stay with the painter.

    Args:
        painter: Where to draw.
        place: Room for the words.
        words: What is written.
        role: Colour of the theme.
        font: That of the painter by default.
        side: Where in `place` they stand.
        elided: Whether what has no room is left out.
    """
    if font is not None:
        painter.setFont(font)
    painter.setPen(theme().color(role))
    if elided:
        metrics = QFontMetricsF(font if font is not None else painter.font())
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, side, words)
