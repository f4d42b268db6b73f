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
        # Begin and height as shares (0..1) of the file, and the role of the colour.
        self._bands: list[tuple[float, float, str]] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(self.tr("Where the file changed; click to go there"))

    def place(self) -> None:
        """Take the strip the view leaves free at its right edge."""
        viewport = self._area.viewport().geometry()
        x = viewport.right() + 1
        width = theme().px(0.8)
        self.setGeometry(x, viewport.top(), width, viewport.height())

    def show_document(
        self,
        document: DiffDocument,
        places: RowPlaces,
        hits: AbstractSet[int] = frozenset(),
    ) -> None:
        """Read the changes and messages of `document`; `hits` are rows of the comparison with hits."""
        page = self._area.verticalScrollBar().pageStep()
        # A file shorter than the view does not fill the strip.
        total = max(1, places.total, page)
        self._bands = []
        for position in range(len(document.shown)):
            start = places.top(position) / total
            share = places.height(position) / total
            for role in _roles_at(document, position, hits):
                self._bands.append((start, share, role))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), look.tint("text", 0.03))
        painter.setPen(look.color("border"))
        painter.drawLine(0, 0, 0, self.height())
        for start, share, role in self._bands:
            y = start * self.height()
            height = max(2.0, share * self.height())
            band = QRectF(3, y, self.width() - 5, height)
            painter.fillRect(band, look.color(role))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        share = event.position().y() / max(1, self.height())
        self.jumped.emit(share)


def _roles_at(
    document: DiffDocument, position: int, hits: AbstractSet[int]
) -> list[str]:
    """Colours of what is at a row, painted over each other in this order."""
    entry = document.entry(position)
    number = document.shown[position]
    roles = []
    if isinstance(entry, Fold):
        has_hit = not hits.isdisjoint(range(entry.start, entry.end))
    else:
        has_hit = number in hits
        if entry.kind in _ROLES:
            roles.append(_ROLES[entry.kind])
        if document.marks_at(position):
            roles.append("warning")
    # The last one: a hit must not vanish behind a change.
    if has_hit:
        roles.append("accent")
    return roles
