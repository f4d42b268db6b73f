"""Where in an output the wrong elements are: the judge's map as a picture, with a grid of tiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
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
_LEAST_TILE = 2  # pixels; lines nearer to each other would only hide the picture


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
        """Show a map with a grid of `tile` (rows, columns) in elements; 0 draws no line."""
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
            return error_map.rows, max(1, _ceiling(total, error_map.rows))
        columns = error_map.shape[-1]
        return max(1, total // columns), columns

    def area(self) -> QRectF:
        """Where the cells are, in pixels of the widget."""
        room = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self._map is None:
            return room
        rows, columns = self._map.rows, self._map.columns
        side = min(room.width() / columns, room.height() / rows)
        # A map of one row or column would be a hair with cells that are squares.
        least_width = min(room.width(), room.height())
        least_height = min(room.height(), room.width() * 0.12)
        width = max(side * columns, least_width)
        height = max(side * rows, least_height)
        return QRectF(room.left(), room.top(), width, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        error_map = self._map
        if error_map is None:
            return
        painter = QPainter(self)
        area = self.area()
        painter.drawImage(area, self._picture(error_map))
        self._paint_tiles(painter, area, error_map)
        painter.setPen(theme().color("border"))
        painter.drawRect(area)
        painter.end()

    def _picture(self, error_map: ErrorMap) -> QImage:
        """The cells, one a pixel; those behind the end of the output are ground."""
        look = theme()
        good = look.tint("text", 0.06)
        bad = look.color("danger")
        columns = error_map.columns
        picture = QImage(columns, error_map.rows, QImage.Format.Format_RGB32)
        picture.fill(look.color("base"))
        for number in range(self._used_cells(error_map)):
            share = self._shares[number] / 255
            color = good
            if share:
                depth = _LEAST_SHARE + (1 - _LEAST_SHARE) * share
                color = mixed(good, bad, depth)
            row, column = divmod(number, columns)
            picture.setPixelColor(column, row, color)
        return picture

    def _used_cells(self, error_map: ErrorMap) -> int:
        """How many cells have elements; an output may have fewer elements than cells."""
        total = max(1, math.prod(error_map.shape))
        return min(len(self._shares), total)

    def _paint_tiles(
        self, painter: QPainter, area: QRectF, error_map: ErrorMap
    ) -> None:
        """Draw a line where each tile begins."""
        high, wide = self._tile
        if not (high or wide):
            return
        painter.setPen(QPen(theme().color("accent", 0.75), 1))
        if error_map.flat:
            self._paint_flat_tiles(painter, area, error_map, wide or high)
            return
        rows, columns = self._extent()
        row_height = area.height() / rows
        column_width = area.width() / columns
        if high and high * row_height >= _LEAST_TILE:
            for row in range(high, rows, high):
                y = area.top() + row * row_height
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        if wide and wide * column_width >= _LEAST_TILE:
            for column in range(wide, columns, wide):
                x = area.left() + column * column_width
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_flat_tiles(
        self, painter: QPainter, area: QRectF, error_map: ErrorMap, length: int
    ) -> None:
        """Draw the tiles of a flat map, whose cells continue in the next row.

        Args:
            painter: Of the widget.
            area: Where the cells are.
            error_map: What is shown.
            length: Elements of a tile.
        """
        total = max(1, math.prod(error_map.shape))
        cells_per_element = self._used_cells(error_map) / total
        cell_width = area.width() / error_map.columns
        cell_height = area.height() / error_map.rows
        if length * cells_per_element * cell_width < _LEAST_TILE:
            return
        for start in range(length, total, length):
            row, column = divmod(start * cells_per_element, error_map.columns)
            x = area.left() + column * cell_width
            y = area.top() + row * cell_height
            painter.drawLine(QPointF(x, y), QPointF(x, y + cell_height))

    def cell_text(self, row: int, column: int) -> str:
        """Which elements a cell covers and how many of them are wrong."""
        error_map = self._map
        if error_map is None:
            return ""
        number = row * error_map.columns + column
        share = self._shares[number] / 255
        wrong = self.tr("all correct")
        if share:
            wrong = self.tr("up to {0:.0%} wrong").format(share)
        if error_map.flat:
            total = math.prod(error_map.shape)
            cells = self._used_cells(error_map)
            first, last = _covered(number, total, cells)
            return self.tr("elements {0} to {1}: {2}").format(first, last, wrong)
        rows, columns = self._extent()
        top, bottom = _covered(row, rows, error_map.rows)
        left, right = _covered(column, columns, error_map.columns)
        words = self.tr("rows {0} to {1}, columns {2} to {3}: {4}")
        return words.format(top, bottom, left, right, wrong)

    def _tip_at(self, point: QPoint) -> str:
        """Words about the cell under a point of the widget, empty where there is none."""
        error_map = self._map
        if error_map is None:
            return ""
        area = self.area()
        x = (point.x() - area.left()) / area.width()
        y = (point.y() - area.top()) / area.height()
        column = int(x * error_map.columns)
        row = int(y * error_map.rows)
        if not (0 <= column < error_map.columns and 0 <= row < error_map.rows):
            return ""
        # An output may have fewer elements than the map has cells.
        if row * error_map.columns + column >= math.prod(error_map.shape):
            return ""
        return self.cell_text(row, column)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self._tip_at(event.pos())
            if words:
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().event(event)


def _ceiling(dividend: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-dividend // divisor)


def _covered(cell: int, count: int, cells: int) -> tuple[int, int]:
    """First and last of `count` rows, columns or elements that one of `cells` covers."""
    first = _ceiling(cell * count, cells)
    behind = _ceiling((cell + 1) * count, cells)
    return first, behind - 1


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
        self.tile_rows = self._tile_box(self.tr("Rows of a tile"))
        self.tile_columns = self._tile_box(self.tr("Columns of a tile"))
        self._lay_out()

    def _tile_box(self, name: str) -> QSpinBox:
        """A field for one side of a tile, in elements; 0 is off."""
        box = QSpinBox()
        box.setRange(0, 1_000_000_000)
        inset(box)
        box.setSpecialValueText(self.tr("off"))
        box.setAccessibleName(name)
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self._show)
        return box

    def _lay_out(self) -> None:
        self._rows_label = QLabel(self.tr("Tile rows"))
        self._rows_label.setBuddy(self.tile_rows)
        self._columns_label = QLabel(self.tr("Tile columns"))
        self._columns_label.setBuddy(self.tile_columns)
        tiles = QGridLayout()
        tiles.addWidget(self._rows_label, 0, 0)
        tiles.addWidget(self.tile_rows, 0, 1)
        tiles.addWidget(self._columns_label, 1, 0)
        tiles.addWidget(self.tile_columns, 1, 1)
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
        nothing = muted(
            self.tr(
                "No visible case of this round has wrong elements with a picture of them."
            )
        )
        empty = boxed(vbox(nothing, None, margins=0.7))
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(full)

    def show_evaluation(self, number: int, evaluation: Evaluation | None) -> None:
        """Offer the outputs of round `number` with wrong elements; the case in front stays if it can."""
        changed = (number, evaluation) != (self._round, self._evaluation)
        self._round, self._evaluation = number, evaluation
        unnamed = self.tr("output")
        self._entries = []
        for case in evaluation.cases if evaluation is not None else ():
            for statistics in case.statistics:
                if statistics.map is not None:
                    name = f"{case.case} · {statistics.output or unnamed}"
                    self._entries.append((name, statistics))
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
        name, statistics = self._entries[number]
        error_map = statistics.map
        # The tiles of an output of one dimension have a length only.
        flat = error_map is not None and error_map.flat
        self._rows_label.setVisible(not flat)
        self.tile_rows.setVisible(not flat)
        columns_name = self.tr("Tile length") if flat else self.tr("Tile columns")
        self._columns_label.setText(columns_name)
        tile_rows = 0 if flat else self.tile_rows.value()
        self.picture.show_map(error_map, (tile_rows, self.tile_columns.value()))
        shape = " × ".join(map(str, error_map.shape)) if error_map is not None else ""
        sentence = self.tr(
            "{0:,} of {1:,} elements of {2} differ; the worst is {3}, expected {4:.6g}, got {5:.6g}."
        )
        words = sentence.format(
            statistics.mismatched,
            statistics.elements,
            shape,
            statistics.worst_index,
            statistics.worst_expected,
            statistics.worst_actual,
        )
        self.words.setText(words)
        self.picture.setAccessibleName(f"{name}: {words}")
