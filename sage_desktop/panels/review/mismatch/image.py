"""The elements of an output as an image: wrong ones, parts of cores, single copies. Painted from arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.trace.mismatch import Mismatch
from sage_desktop.ui.theme import mixed, theme

_LARGEST = 48.0  # pixels an element grows to
_STEP = 1.25  # of the wheel
_MOST_LINES = 0.25  # share of pixels beyond which borders would hide the picture
_LEAST_SHARE = 0.3  # a cell with one wrong element in thousands must still be seen

Pixels = NDArray[np.uint32]
Numbers = NDArray[np.int64]


class MismatchImage(QWidget):
    """Zoom with wheel or +/-, pan by dragging, choose an element with a click or the arrow keys.

    Signals:
        chosen: Flat index of the element chosen.
        hovered: Flat index of the element under the mouse, -1 for none.
        opened: Flat index of an element to whose line the user wants to go.
    """

    chosen = Signal(int)
    hovered = Signal(int)
    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._shown: Mismatch | None = None
        self._element = 0
        self._left, self._top = 0.0, 0.0  # element at the corner
        self._zoom = (1.0, 1.0)  # pixels an element, across and down
        self._whole = True  # everything is shown, whatever the size of the widget
        self._image: QImage | None = None
        self._grip: QPointF | None = None
        self._dragged = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme().px(12), theme().px(8))
        theme().changed.connect(self.redraw)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(26))

    def show_mismatch(self, mismatch: Mismatch | None) -> None:
        """Show an output from its first wrong element on, all of it."""
        self._shown = mismatch
        self._element = (
            int(mismatch.starts[0])
            if mismatch is not None and len(mismatch.starts)
            else 0
        )
        self.fit()
        if mismatch is not None:
            self.chosen.emit(self._element)

    @property
    def element(self) -> int:
        """Flat index of the element chosen."""
        return self._element

    def choose(self, element: int) -> None:
        """Choose an element and bring it into view."""
        if self._shown is None:
            return
        self._element = max(0, min(element, self._shown.elements - 1))
        self._bring_into_view()
        self.update()
        self.chosen.emit(self._element)

    def fit(self) -> None:
        """Show all elements."""
        self._whole = True
        if self._shown is not None:
            across = min(_LARGEST, self.width() / self._shown.columns)
            down = min(_LARGEST, self.height() / self._shown.rows)
            # alike where that is possible: elements are squares in small outputs
            if min(across, down) >= 4:
                across = down = min(across, down)
            self._zoom = (across, down)
        self._left = self._top = 0.0
        self.redraw()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make elements larger or smaller; the one at `at`, else the one chosen, stays where it is."""
        if self._shown is None:
            return
        point = at if at is not None else self.box(self._element).center()
        x, y = (
            self._left + point.x() / self._zoom[0],
            self._top + point.y() / self._zoom[1],
        )
        across, down = (
            min(_LARGEST, max(size * factor, room / count))
            for size, room, count in zip(
                self._zoom,
                (self.width(), self.height()),
                (self._shown.columns, self._shown.rows),
                strict=True,
            )
        )
        if factor > 1 and across > 4 and down > 4:
            across = down = max(across, down)
        self._zoom = (across, down)
        self._whole = False
        self._left, self._top = x - point.x() / across, y - point.y() / down
        self._keep_inside()
        self.redraw()

    def redraw(self) -> None:
        """Paint the elements again, in the colours of now."""
        self._image = None
        self.update()

    def _keep_inside(self) -> None:
        assert self._shown is not None
        across, down = self.width() / self._zoom[0], self.height() / self._zoom[1]
        self._left = max(0.0, min(self._left, self._shown.columns - across))
        self._top = max(0.0, min(self._top, self._shown.rows - down))

    def _bring_into_view(self) -> None:
        assert self._shown is not None
        row, column = divmod(self._element, self._shown.columns)
        before = self._left, self._top
        across, down = self.width() / self._zoom[0], self.height() / self._zoom[1]
        self._left = min(column, max(self._left, column + 1 - across))
        self._top = min(row, max(self._top, row + 1 - down))
        self._keep_inside()
        if before != (self._left, self._top):
            self._whole = False
            self.redraw()

    def box(self, element: int) -> QRectF:
        """Where an element is on screen."""
        assert self._shown is not None
        row, column = divmod(element, self._shown.columns)
        x, y = (column - self._left) * self._zoom[0], (row - self._top) * self._zoom[1]
        return QRectF(x, y, *self._zoom)

    def element_at(self, point: QPointF) -> int:
        """Flat index of the element under a point, -1 where there is none."""
        if self._shown is None:
            return -1
        column = int(self._left + point.x() / self._zoom[0])
        row = int(self._top + point.y() / self._zoom[1])
        element = row * self._shown.columns + column
        inside = (
            0 <= column < self._shown.columns
            and row >= 0
            and 0 <= element < self._shown.elements
        )
        return element if inside else -1

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("base"))
        if self._shown is not None:
            if self._image is None:
                self._image = self.picture(self._shown)
            painter.drawImage(self.rect(), self._image)
            box = self.box(self._element)
            grown = (
                box.adjusted(-2, -2, 2, 2)
                if min(box.width(), box.height()) < 6
                else box
            )
            for color, width in (
                (theme().color("base"), 3.5),
                (theme().color("text"), 1.5),
            ):
                painter.setPen(QPen(color, width))
                painter.drawRect(grown)
        if self.hasFocus():
            painter.setPen(QPen(theme().color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def picture(self, mismatch: Mismatch) -> QImage:
        """The elements in view, a value a pixel; beside and behind them the ground."""
        look = theme()
        ground, good = _rgb(look.color("base")), _rgb(look.tint("text", 0.07))
        scale = self.devicePixelRatioF()
        wide = max(1, round(self.width() * scale))
        high = max(1, round(self.height() * scale))
        columns = self._elements_under(wide, self._left, self._zoom[0] * scale)
        rows = self._elements_under(high, self._top, self._zoom[1] * scale)
        columns = columns[columns < mismatch.columns]
        rows = rows[rows < mismatch.rows]
        whole: Pixels = np.full((high, wide), ground, dtype=np.uint32)
        pixels = whole[: len(rows), : len(columns)]
        pixels[:] = good
        # [rows, columns] flat index of the element each pixel shows
        index = rows[:, None] * mismatch.columns + columns[None, :]
        owners = None
        if mismatch.owners is not None:
            # the last line may be shorter than the others
            owners = mismatch.owners.take(index, mode="clip")
            _shade_cores(mismatch, pixels, owners)
        _paint_shares(mismatch, pixels, rows, columns, index)
        self._paint_runs(mismatch, pixels, scale)
        if owners is not None:
            _paint_borders(mismatch, pixels, owners)
        last_row = mismatch.rows - 1
        last_row_length = mismatch.elements - last_row * mismatch.columns
        below = np.searchsorted(rows, last_row)
        behind = np.searchsorted(columns, last_row_length)
        pixels[below:, behind:] = ground
        format_ = QImage.Format.Format_RGB32
        return QImage(whole.data, wide, high, wide * 4, format_).copy()

    @staticmethod
    def _elements_under(pixels: int, first: float, size: float) -> Numbers:
        """[pixels] row or column under the middle of each pixel; `size` pixels an element."""
        return (first + (np.arange(pixels) + 0.5) / size).astype(np.int64)

    def _paint_runs(self, mismatch: Mismatch, pixels: Pixels, scale: float) -> None:
        """Paint every run of wrong elements the judge named, at least a pixel each."""
        for start, end in zip(
            mismatch.starts.tolist(), mismatch.ends.tolist(), strict=True
        ):
            first, column = divmod(start, mismatch.columns)
            last, last_column = divmod(end - 1, mismatch.columns)
            if first == last:
                self._fill(pixels, scale, (first, last + 1), (column, last_column + 1))
                continue
            self._fill(pixels, scale, (first, first + 1), (column, mismatch.columns))
            if last > first + 1:
                self._fill(pixels, scale, (first + 1, last), (0, mismatch.columns))
            self._fill(pixels, scale, (last, last + 1), (0, last_column + 1))

    def _fill(
        self,
        pixels: Pixels,
        scale: float,
        rows: tuple[int, int],
        columns: tuple[int, int],
    ) -> None:
        """Paint elements of `rows` and `columns`, first to behind the last, as wrong."""
        left, right = (
            round((column - self._left) * self._zoom[0] * scale) for column in columns
        )
        top, bottom = (round((row - self._top) * self._zoom[1] * scale) for row in rows)
        high, wide = pixels.shape
        if right < 0 or bottom < 0 or left >= wide or top >= high:
            return
        vertical = slice(max(0, top), max(bottom, top + 1))
        horizontal = slice(max(0, left), max(right, left + 1))
        pixels[vertical, horizontal] = _rgb(theme().color("danger"))

    # ---- mouse and keys

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shown is not None:
            if self._whole:
                self.fit()
            else:
                self._keep_inside()
                self.redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y()
        if turned:
            self.zoom(_STEP if turned > 0 else 1 / _STEP, event.position())
            event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is None or self._shown is None:
            self.hovered.emit(self.element_at(event.position()))
            return
        moved = event.position() - self._grip
        if self._dragged or moved.manhattanLength() > theme().px(0.3):
            self._dragged, self._whole = True, False
            self._left -= moved.x() / self._zoom[0]
            self._top -= moved.y() / self._zoom[1]
            self._grip = event.position()
            self._keep_inside()
            self.redraw()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        grip, self._grip = self._grip, None
        if (
            grip is not None
            and not self._dragged
            and (element := self.element_at(event.position())) >= 0
        ):
            self.choose(element)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if (element := self.element_at(event.position())) >= 0:
            self.opened.emit(element)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        mismatch, key = self._shown, Qt.Key(event.key())
        if mismatch is None:
            super().keyPressEvent(event)
            return
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -mismatch.columns,
            Qt.Key.Key_Down: mismatch.columns,
        }
        if key in steps:
            if 0 <= self._element + steps[key] < mismatch.elements:
                self.choose(self._element + steps[key])
        elif key in (Qt.Key.Key_Period, Qt.Key.Key_Comma):
            self.choose(
                mismatch.next_run(self._element, 1 if key is Qt.Key.Key_Period else -1)
            )
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_STEP)
        elif key is Qt.Key.Key_Minus:
            self.zoom(1 / _STEP)
        elif key is Qt.Key.Key_Home:
            self.fit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self._element)
        else:
            super().keyPressEvent(event)


def _rgb(color: QColor) -> int:
    return int(color.rgb())


def _colors(*colors: QColor) -> Pixels:
    """[colors] of `_rgb`, to look numbers up in."""
    return np.array([_rgb(color) for color in colors], dtype=np.uint32)


def _shade_cores(
    mismatch: Mismatch, pixels: Pixels, owners: NDArray[np.integer]
) -> None:
    """Shade elements by the core that wrote them: unwritten, even, odd."""
    look = theme()
    unwritten = look.tint("warning", 0.25)
    shades = _colors(unwritten, look.tint("text", 0.07), look.tint("text", 0.14))
    of_range = np.where(mismatch.cores < 0, 0, 1 + (mismatch.cores & 1))
    # an owner of -1 is the last range, which no core wrote
    pixels[:] = shades[of_range].take(owners, mode="wrap")


def _paint_shares(
    mismatch: Mismatch, pixels: Pixels, rows: Numbers, columns: Numbers, index: Numbers
) -> None:
    """Behind the last run named: the share of wrong elements in each of the judge's cells."""
    if mismatch.known_until >= mismatch.elements:
        return
    error_map = mismatch.drawn
    shares = np.frombuffer(bytes.fromhex(error_map.cells), dtype=np.uint8)
    if error_map.flat:
        cells = index * min(mismatch.elements, len(shares)) // mismatch.elements
        share = shares.take(cells, mode="clip")
    else:
        grid = shares.reshape(error_map.rows, error_map.columns)
        of_rows = grid.take(rows * error_map.rows // mismatch.rows, axis=0)
        share = of_rows.take(columns * error_map.columns // mismatch.columns, axis=1)
    good, bad = theme().tint("text", 0.07), theme().color("danger")
    steps = [good]
    for step in range(1, 256):
        depth = _LEAST_SHARE + (1 - _LEAST_SHARE) * step / 255
        steps.append(mixed(good, bad, depth))
    painted = share > 0
    if mismatch.known_until:
        painted &= index >= mismatch.known_until
    np.copyto(pixels, _colors(*steps).take(share), where=painted)


def _paint_borders(
    mismatch: Mismatch, pixels: Pixels, owners: NDArray[np.integer]
) -> None:
    """Draw lines between the parts of copies, stronger ones between those of cores."""
    accent = theme().color("accent")
    of_copies = mixed(theme().tint("text", 0.07), accent, 0.55)
    _borders(pixels, owners, _rgb(of_copies))
    _borders(pixels, mismatch.cores.take(owners, mode="wrap"), _rgb(accent))


def _borders(pixels: Pixels, numbers: NDArray[np.integer], color: int) -> None:
    """A line where neighbours differ, unless there would be little else."""
    edge = np.zeros(pixels.shape, dtype=bool)
    np.not_equal(numbers[:, 1:], numbers[:, :-1], out=edge[:, 1:])
    edge[1:] |= numbers[1:] != numbers[:-1]
    if np.count_nonzero(edge) <= _MOST_LINES * edge.size:
        np.copyto(pixels, np.uint32(color), where=edge)
