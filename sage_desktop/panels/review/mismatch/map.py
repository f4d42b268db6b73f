"""Where in an output the wrong elements are: the judge's map as a picture, with a grid of tiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QStackedLayout,
    QToolTip,
    QWidget,
)

from core.evaluation.records import ErrorMap, ErrorStatistics, Evaluation
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.theme import mixed, theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import inset, muted
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.stacking import boxed, vbox

if TYPE_CHECKING:
    from sage_desktop.panels.review.mismatch.explorer import MismatchExplorer

_LEAST_SHARE = 0.35  # a cell with one wrong element in thousands must still be seen


class HeatMap(QWidget):
    """The cells of an error map; darker is more wrong. Grid lines stand where tiles begin."""

    def __init__(self) -> None:
        super().__init__()
        self._map: ErrorMap | None = None
        self._shares = b""
        self._tile = (0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme().px(4))

    def show_map(self, error_map: ErrorMap | None, tile: tuple[int, int]) -> None:
        """Show `drawn` with a grid of `tile` (rows, columns) in elements; 0 draws no line."""
        self._map, self._tile = error_map, tile
        self._shares = bytes.fromhex(error_map.cells) if error_map is not None else b""
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(18), theme().px(14))

    def _extent(self) -> tuple[int, int]:
        """Rows and columns of the output in elements, as it is drawn."""
        error_map = self._map
        if error_map is None:
            return 1, 1
        total = max(1, math.prod(error_map.shape))
        if error_map.flat:
            return error_map.rows, max(1, -(-total // error_map.rows))
        return max(1, total // error_map.shape[-1]), error_map.shape[-1]

    def area(self) -> QRectF:
        """Where the cells are."""
        room = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self._map is None:
            return room
        side = min(room.width() / self._map.columns, room.height() / self._map.rows)
        width = max(side * self._map.columns, min(room.width(), room.height()))
        height = max(side * self._map.rows, min(room.height(), room.width() * 0.12))
        return QRectF(room.left(), room.top(), width, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        error_map = self._map
        if error_map is None:
            return
        look = theme()
        painter = QPainter(self)
        area = self.area()
        cells = min(len(self._shares), max(1, math.prod(error_map.shape)))
        empty, good, bad = (
            look.color("base"),
            look.tint("text", 0.06),
            look.color("danger"),
        )
        picture = QImage(error_map.columns, error_map.rows, QImage.Format.Format_RGB32)
        picture.fill(empty)
        for number in range(cells):
            share = self._shares[number] / 255
            color = (
                mixed(good, bad, _LEAST_SHARE + (1 - _LEAST_SHARE) * share)
                if share
                else good
            )
            picture.setPixelColor(
                number % error_map.columns, number // error_map.columns, color
            )
        painter.drawImage(area, picture)
        self._paint_tiles(painter, area, error_map)
        painter.setPen(look.color("border"))
        painter.drawRect(area)
        painter.end()

    def _paint_tiles(
        self, painter: QPainter, area: QRectF, error_map: ErrorMap
    ) -> None:
        high, wide = self._tile
        if not (high or wide):
            return
        painter.setPen(QPen(theme().color("accent", 0.75), 1))
        rows, columns = self._extent()
        if error_map.flat:
            self._paint_flat_tiles(painter, area, error_map, wide or high)
            return
        if high and area.height() * high / rows >= 2:
            for row in range(high, rows, high):
                y = area.top() + area.height() * row / rows
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        if wide and area.width() * wide / columns >= 2:
            for column in range(wide, columns, wide):
                x = area.left() + area.width() * column / columns
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_flat_tiles(
        self, painter: QPainter, area: QRectF, error_map: ErrorMap, length: int
    ) -> None:
        total, cells = max(1, math.prod(error_map.shape)), len(self._shares)
        cells = min(cells, total)
        wide, high = area.width() / error_map.columns, area.height() / error_map.rows
        if (
            length * cells / total * wide < 2
        ):  # tiles narrower than two pixels would only hide the picture
            return
        for start in range(length, total, length):
            place = start * cells / total
            x = area.left() + place % error_map.columns * wide
            y = area.top() + place // error_map.columns * high
            painter.drawLine(QPointF(x, y), QPointF(x, y + high))

    def cell_text(self, row: int, column: int) -> str:
        """Which elements a cell covers and how many of them are wrong."""
        error_map = self._map
        if error_map is None:
            return ""
        number = row * error_map.columns + column
        share = self._shares[number] / 255
        wrong = (
            self.tr("up to {0:.0%} wrong").format(share)
            if share
            else self.tr("all correct")
        )
        total = math.prod(error_map.shape)
        if error_map.flat:
            cells = min(len(self._shares), total)
            first, last = (
                -(-number * total // cells),
                -(-(number + 1) * total // cells) - 1,
            )
            return self.tr("elements {0} to {1}: {2}").format(first, last, wrong)
        rows, columns = self._extent()
        return self.tr("rows {0} to {1}, columns {2} to {3}: {4}").format(
            -(-row * rows // error_map.rows),
            -(-(row + 1) * rows // error_map.rows) - 1,
            -(-column * columns // error_map.columns),
            -(-(column + 1) * columns // error_map.columns) - 1,
            wrong,
        )

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ToolTip
            and isinstance(event, QHelpEvent)
            and self._map is not None
        ):
            area, error_map = self.area(), self._map
            column = int(
                (event.pos().x() - area.left()) / area.width() * error_map.columns
            )
            row = int((event.pos().y() - area.top()) / area.height() * error_map.rows)
            inside = 0 <= column < error_map.columns and 0 <= row < error_map.rows
            if inside and row * error_map.columns + column < math.prod(error_map.shape):
                QToolTip.showText(event.globalPos(), self.cell_text(row, column), self)
                return True
        return super().event(event)


class MismatchView(QWidget):
    """Chooser of case and output, the heat map, and the tile whose grid is drawn; opens the explorer.

    Args:
        actions: The commands; `review.mismatch` opens the explorer.

    Signals:
        line_wanted: (round, path, line from 1) the user wants to see.
        writers_wanted: Name of the case whose launch is to be traced.
    """

    line_wanted = Signal(int, str, int)
    writers_wanted = Signal(str)

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__()
        self._actions = actions
        self._round = 0
        self._evaluation: Evaluation | None = None
        self._entries: list[tuple[str, ErrorStatistics]] = []
        self.explorer: MismatchExplorer | None = None  # while it is open
        actions.bind("review.mismatch", self.open_explorer)
        actions.enable({"review.mismatch": False})
        self.chooser = ComboBox(self.tr("Case and output"))
        self.chooser.currentIndexChanged.connect(self._show)
        self.picture = HeatMap()
        self.explore = push(
            self.tr("Explore\N{HORIZONTAL ELLIPSIS}"),
            lambda: self.open_explorer(self._case()),
            tip=self.tr(
                "Single elements, expected beside actual, and the line that wrote them"
            ),
        )
        self.words = muted()
        self.tile_rows, self.tile_columns = QSpinBox(), QSpinBox()
        for box, name in (
            (self.tile_rows, self.tr("Rows of a tile")),
            (self.tile_columns, self.tr("Columns of a tile")),
        ):
            box.setRange(0, 1_000_000_000)
            inset(box)
            box.setSpecialValueText(self.tr("off"))
            box.setAccessibleName(name)
            box.setKeyboardTracking(False)
            box.valueChanged.connect(self._show)
        self._lay_out()

    def _lay_out(self) -> None:
        tiles = QGridLayout()
        self._names = QLabel(self.tr("Tile rows")), QLabel(self.tr("Tile columns"))
        for number, (name, box) in enumerate(
            zip(self._names, (self.tile_rows, self.tile_columns), strict=True)
        ):
            name.setBuddy(box)
            tiles.addWidget(name, number, 0)
            tiles.addWidget(box, number, 1)
        tiles.setColumnStretch(1, 1)
        full = boxed(
            vbox(
                self.chooser,
                (self.picture, 1),
                self.words,
                (self.explore, Qt.AlignmentFlag.AlignLeft),
                tiles,
                margins=0.7,
                spacing=0.5,
            )
        )
        empty = boxed(
            vbox(
                muted(
                    self.tr(
                        "No visible case of this round has wrong elements with a picture of them."
                    )
                ),
                None,
                margins=0.7,
            )
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(full)

    def show_evaluation(self, number: int, evaluation: Evaluation | None) -> None:
        """Offer the outputs of round `number` with wrong elements; the case in front stays if it can."""
        changed = (number, evaluation) != (self._round, self._evaluation)
        self._round, self._evaluation = number, evaluation
        unnamed = self.tr("output")
        self._entries = [
            (f"{case.case} · {entry.output or unnamed}", entry)
            for case in (evaluation.cases if evaluation is not None else ())
            for entry in case.statistics
            if entry.map is not None
        ]
        with QSignalBlocker(self.chooser):
            self.chooser.offer((name, name) for name, _entry in self._entries)
        self._stack.setCurrentIndex(1 if self._entries else 0)
        self._show()
        self._actions.enable({"review.mismatch": bool(self._entries)})
        if self.explorer is not None and changed:
            self.explorer.show_evaluation(number, evaluation, self.explorer.case)

    def open_explorer(self, case: str = "") -> None:
        """Show the explorer beside the window, with a case in front."""
        if self.explorer is None:
            # imports numpy, which the window does not need before
            from sage_desktop.panels.review.mismatch.explorer import MismatchExplorer

            self.explorer = MismatchExplorer(self.window())
            self.explorer.line_wanted.connect(self.line_wanted)
            self.explorer.writers_wanted.connect(self.writers_wanted)
            self.explorer.finished.connect(self._explorer_closed)
        self.explorer.show_evaluation(self._round, self._evaluation, case)
        self.explorer.show()
        self.explorer.raise_()
        self.explorer.image.setFocus()

    def _explorer_closed(self) -> None:
        self.explorer = None

    @property
    def count(self) -> int:
        """How many pictures there are."""
        return len(self._entries)

    def has(self, case: str) -> bool:
        """Whether there is a picture of a case."""
        return any(name.startswith(f"{case} · ") for name, _entry in self._entries)

    def choose(self, case: str) -> None:
        """Bring a case to the front; one without a picture changes nothing."""
        for number, (name, _entry) in enumerate(self._entries):
            if name.startswith(f"{case} · "):
                self.chooser.setCurrentIndex(number)
                return

    def _case(self) -> str:
        return self.chooser.currentText().partition(" · ")[0]

    def _show(self) -> None:
        number = self.chooser.currentIndex()
        if not 0 <= number < len(self._entries):
            self.picture.show_map(None, (0, 0))
            return
        name, entry = self._entries[number]
        error_map = entry.map
        flat = error_map is not None and error_map.flat
        for widget in (self._names[0], self.tile_rows):
            widget.setVisible(not flat)
        self._names[1].setText(
            self.tr("Tile length") if flat else self.tr("Tile columns")
        )
        self.picture.show_map(
            error_map,
            (0 if flat else self.tile_rows.value(), self.tile_columns.value()),
        )
        shape = " × ".join(map(str, error_map.shape)) if error_map is not None else ""
        self.words.setText(
            self.tr(
                "{0:,} of {1:,} elements of {2} differ; the worst is {3}, expected {4:.6g}, got {5:.6g}."
            ).format(
                entry.mismatched,
                entry.elements,
                shape,
                entry.worst_index,
                entry.worst_expected,
                entry.worst_actual,
            )
        )
        self.picture.setAccessibleName(f"{name}: {self.words.text()}")
