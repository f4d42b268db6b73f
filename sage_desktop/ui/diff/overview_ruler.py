"""A strip beside the comparison that shows where in the file changes, messages and hits are."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from core.diff.side_by_side import Fold, RowKind
from sage_desktop.ui.diff.document import DiffDocument, RowPlaces
from sage_desktop.ui.theme import theme

_ROLES = {RowKind.ADDED: "success", RowKind.REMOVED: "danger", RowKind.CHANGED: "info"}


class OverviewRuler(QWidget):
    """Child of the comparison view, in its right margin.

    Signals:
        jumped: The user clicked at this share (0..1) of the file.
    """

    jumped = Signal(float)

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(area)
        self._area = area
        self._bands: list[tuple[float, float, str]] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(self.tr("Where the file changed; click to go there"))

    def place(self) -> None:
        """Take the strip the view leaves free at its right edge."""
        viewport = self._area.viewport().geometry()
        self.setGeometry(
            viewport.right() + 1, viewport.top(), theme().px(0.8), viewport.height()
        )

    def show_document(
        self,
        document: DiffDocument,
        places: RowPlaces,
        hits: AbstractSet[int] = frozenset(),
    ) -> None:
        """Read the changes and messages of `document`; `hits` are rows of the comparison with hits."""
        page = self._area.verticalScrollBar().pageStep()
        total = max(1, places.total, page)
        self._bands = []
        for position, number in enumerate(document.shown):
            entry = document.entry(position)
            roles = []
            if isinstance(entry, Fold):
                rows = range(entry.start, entry.end)
                hit = bool(hits) and any(row in hits for row in rows)
            else:
                hit = number in hits
                roles += [_ROLES[entry.kind]] if entry.kind in _ROLES else []
                roles += ["warning"] if document.marks_at(position) else []
            # Painted last: a hit must not vanish behind a change.
            roles += ["accent"] if hit else []
            start, share = places.top(position) / total, places.height(position) / total
            self._bands += [(start, share, role) for role in roles]
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), look.tint("text", 0.03))
        painter.setPen(look.color("border"))
        painter.drawLine(0, 0, 0, self.height())
        for start, share, role in self._bands:
            height = max(2.0, share * self.height())
            painter.fillRect(
                QRectF(3, start * self.height(), self.width() - 5, height),
                look.color(role),
            )
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.jumped.emit(event.position().y() / max(1, self.height()))
