"""The elements of an output as an image: wrong ones, parts of cores, single copies. Painted from arrays."""

from __future__ import annotations

from collections.abc import Iterator

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
_SQUARE = 4  # pixels; elements of this size are drawn as squares, larger or smaller too
_SMALL = 6  # pixels; around a smaller element its frame is drawn 2 px away
_STEP = 1.25  # of the wheel
_MOST_LINES = 0.25  # share of pixels beyond which borders would hide the picture
_LEAST_SHARE = 0.3  # a cell with one wrong element in thousands must still be seen

Pixels = NDArray[np.uint32]
Numbers = NDArray[np.int64]


class MismatchImage(QWidget):
    """Zoom with wheel or +/-, pan by dragging, choose an element with a click or the arrow keys.

    Signals:
        element_chosen: Flat index of the element chosen.
        hovered: Flat index of the element under the mouse, -1 for none.
        opened: Flat index of an element to whose line the user wants to go.
    """

    element_chosen = Signal(int)
    hovered = Signal(int)
    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._mismatch: Mismatch | None = None
        self._element = 0
        self._left, self._top = 0.0, 0.0  # element at the corner
        self._zoom = (1.0, 1.0)  # pixels an element, across and down
        self._whole = True  # everything is shown, whatever the size of the widget
        self._image: QImage | None = None  # None: to be painted again
        self._grip: QPointF | None = None  # where the button is pressed
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
        self._mismatch = mismatch
        self._element = 0
        if mismatch is not None and len(mismatch.starts):
            self._element = int(mismatch.starts[0])
        self.fit()
        if mismatch is not None:
            self.element_chosen.emit(self._element)

    @property
    def element(self) -> int:
        """Flat index of the element chosen."""
        return self._element

    def choose(self, element: int) -> None:
        """Choose an element and bring it into view."""
        if self._mismatch is None:
            return
        self._element = max(0, min(element, self._mismatch.elements - 1))
        self._bring_into_view()
        self.update()
        self.element_chosen.emit(self._element)

    def fit(self) -> None:
        """Show all elements."""
        self._whole = True
        if self._mismatch is not None:
            across = min(_LARGEST, self.width() / self._mismatch.columns)
            down = min(_LARGEST, self.height() / self._mismatch.rows)
            # alike where that is possible: elements are squares in small outputs
            if min(across, down) >= _SQUARE:
                across = down = min(across, down)
            self._zoom = (across, down)
        self._left = self._top = 0.0
        self.redraw()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Make elements larger or smaller; the one at `at`, else the one chosen, stays where it is."""
        if self._mismatch is None:
            return
        point = at if at is not None else self.box(self._element).center()
        column, row = self._under(point)
        # Never smaller than where all elements are in view.
        least_across = self.width() / self._mismatch.columns
        least_down = self.height() / self._mismatch.rows
        across, down = self._zoom
        across = min(_LARGEST, max(across * factor, least_across))
        down = min(_LARGEST, max(down * factor, least_down))
        if factor > 1 and across > _SQUARE and down > _SQUARE:
            across = down = max(across, down)
        self._zoom = (across, down)
        self._whole = False
        self._left = column - point.x() / across
        self._top = row - point.y() / down
        self._keep_inside()
        self.redraw()

    def redraw(self) -> None:
        """Paint the elements again, in the colours of now."""
        self._image = None
        self.update()

    def _under(self, point: QPointF) -> tuple[float, float]:
        """Column and row under a point of the widget, with their fractions."""
        across, down = self._zoom
        return self._left + point.x() / across, self._top + point.y() / down

    def _extent(self) -> tuple[float, float]:
        """How many columns and rows have room in the widget."""
        across, down = self._zoom
        return self.width() / across, self.height() / down

    def _keep_inside(self) -> None:
        """Move the view back over the elements."""
        assert self._mismatch is not None
        columns, rows = self._extent()
        # An output smaller than the widget stays at the upper left corner.
        self._left = max(0.0, min(self._left, self._mismatch.columns - columns))
        self._top = max(0.0, min(self._top, self._mismatch.rows - rows))

    def _bring_into_view(self) -> None:
        """Move the view no further than the element chosen needs."""
        assert self._mismatch is not None
        row, column = divmod(self._element, self._mismatch.columns)
        before = self._left, self._top
        columns, rows = self._extent()
        self._left = min(column, max(self._left, column + 1 - columns))
        self._top = min(row, max(self._top, row + 1 - rows))
        self._keep_inside()
        if before != (self._left, self._top):
            self._whole = False
            self.redraw()

    def box(self, element: int) -> QRectF:
        """Where an element is on screen, in pixels of the widget."""
        assert self._mismatch is not None
        row, column = divmod(element, self._mismatch.columns)
        across, down = self._zoom
        x = (column - self._left) * across
        y = (row - self._top) * down
        return QRectF(x, y, across, down)

    def element_at(self, point: QPointF) -> int:
        """Flat index of the element under a point, -1 where there is none."""
        mismatch = self._mismatch
        if mismatch is None:
            return -1
        x, y = self._under(point)
        column, row = int(x), int(y)
        element = row * mismatch.columns + column
        # The last row may be shorter than the others.
        is_in_row = 0 <= column < mismatch.columns
        is_in_output = row >= 0 and 0 <= element < mismatch.elements
        return element if is_in_row and is_in_output else -1

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme().color("base"))
        if self._mismatch is not None:
            if self._image is None:
                self._image = self.picture(self._mismatch)
            painter.drawImage(self.rect(), self._image)
            self._paint_frame(painter)
        if self.hasFocus():
            painter.setPen(QPen(theme().color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        """Draw the frame of the element chosen."""
        frame = self.box(self._element)
        if min(frame.width(), frame.height()) < _SMALL:
            frame.adjust(-2, -2, 2, 2)
        # A broad light line below a narrow dark one is seen on every colour.
        for role, width in (("base", 3.5), ("text", 1.5)):
            painter.setPen(QPen(theme().color(role), width))
            painter.drawRect(frame)

    def picture(self, mismatch: Mismatch) -> QImage:
        """The elements in view, a value a pixel; beside and behind them the ground."""
        look = theme()
        ground = _rgb(look.color("base"))
        good = _rgb(look.tint("text", 0.07))
        # All sizes below are pixels of the screen, not those of the widget.
        scale = self.devicePixelRatioF()
        wide = max(1, round(self.width() * scale))
        high = max(1, round(self.height() * scale))
        across, down = self._zoom
        columns = self._elements_under(wide, self._left, across * scale)
        rows = self._elements_under(high, self._top, down * scale)
        columns = columns[columns < mismatch.columns]
        rows = rows[rows < mismatch.rows]
        whole: Pixels = np.full((high, wide), ground, dtype=np.uint32)
        pixels = whole[: len(rows), : len(columns)]
        pixels[:] = good
        # [rows, columns] flat index of the element each pixel shows
        index = rows[:, None] * mismatch.columns + columns
        # Layers from below: cores, shares of the map, exact runs, borders. The runs cover
        # the shares, which are known only for whole cells.
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
        image = QImage(whole.data, wide, high, wide * 4, format_)
        return image.copy()  # QImage does not own the memory of the array

    @staticmethod
    def _elements_under(pixels: int, first: float, size: float) -> Numbers:
        """[pixels] row or column under the middle of each pixel; `size` pixels an element."""
        return (first + (np.arange(pixels) + 0.5) / size).astype(np.int64)

    def _paint_runs(self, mismatch: Mismatch, pixels: Pixels, scale: float) -> None:
        """Paint every run of wrong elements the judge named, at least a pixel each."""
        starts, ends = mismatch.starts.tolist(), mismatch.ends.tolist()
        for start, end in zip(starts, ends, strict=True):
            for rows, columns in _blocks(start, end, mismatch.columns):
                self._fill(pixels, scale, rows, columns)

    def _fill(self, pixels: Pixels, scale: float, rows: range, columns: range) -> None:
        """Paint the elements of `rows` and `columns` as wrong."""
        across, down = self._zoom
        left = round((columns.start - self._left) * across * scale)
        right = round((columns.stop - self._left) * across * scale)
        top = round((rows.start - self._top) * down * scale)
        bottom = round((rows.stop - self._top) * down * scale)
        high, wide = pixels.shape
        if right < 0 or bottom < 0 or left >= wide or top >= high:
            return
        # One wrong element among thousands is less than a pixel and must be seen.
        vertical = slice(max(0, top), max(bottom, top + 1))
        horizontal = slice(max(0, left), max(right, left + 1))
        pixels[vertical, horizontal] = _rgb(theme().color("danger"))

    # ---- mouse and keys

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._mismatch is not None:
            if self._whole:
                self.fit()
            else:
                self._keep_inside()
                self.redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y()
        if turn:
            factor = _STEP if turn > 0 else 1 / _STEP
            self.zoom(factor, event.position())
            event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is None or self._mismatch is None:
            self.hovered.emit(self.element_at(event.position()))
            return
        movement = event.position() - self._grip
        # A click with a trembling hand is not a drag.
        if self._dragged or movement.manhattanLength() > theme().px(0.3):
            self._dragged, self._whole = True, False
            across, down = self._zoom
            self._left -= movement.x() / across
            self._top -= movement.y() / down
            self._grip = event.position()
            self._keep_inside()
            self.redraw()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_click = self._grip is not None and not self._dragged
        self._grip = None
        element = self.element_at(event.position())
        if is_click and element >= 0:
            self.choose(element)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        element = self.element_at(event.position())
        if element >= 0:
            self.opened.emit(element)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        mismatch = self._mismatch
        key = Qt.Key(event.key())
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
            element = self._element + steps[key]
            if 0 <= element < mismatch.elements:
                self.choose(element)
        elif key is Qt.Key.Key_Period:
            self.choose(mismatch.next_run(self._element, 1))
        elif key is Qt.Key.Key_Comma:
            self.choose(mismatch.next_run(self._element, -1))
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


def _blocks(start: int, end: int, columns: int) -> Iterator[tuple[range, range]]:
    """(rows, columns) of the at most three rectangles that elements `start:end` fill.

    Args:
        start: Flat index of the first element.
        end: Flat index behind the last one.
        columns: Elements of a row.
    """
    first_row, first_column = divmod(start, columns)
    last_row, last_column = divmod(end - 1, columns)
    if first_row == last_row:
        yield range(first_row, last_row + 1), range(first_column, last_column + 1)
        return
    yield range(first_row, first_row + 1), range(first_column, columns)
    if last_row > first_row + 1:
        yield range(first_row + 1, last_row), range(columns)
    yield range(last_row, last_row + 1), range(last_column + 1)


def _shade_cores(
    mismatch: Mismatch, pixels: Pixels, owners: NDArray[np.integer]
) -> None:
    """Shade elements by the core that wrote them: unwritten, even, odd."""
    look = theme()
    unwritten = look.tint("warning", 0.25)
    shades = _colors(unwritten, look.tint("text", 0.07), look.tint("text", 0.14))
    is_odd = mismatch.cores & 1
    of_range = np.where(mismatch.cores < 0, 0, 1 + is_odd)
    # an owner of -1 is the last range, which no core wrote
    pixels[:] = shades[of_range].take(owners, mode="wrap")


def _paint_shares(
    mismatch: Mismatch, pixels: Pixels, rows: Numbers, columns: Numbers, index: Numbers
) -> None:
    """Behind the last run named: the share of wrong elements in each of the judge's cells."""
    if mismatch.known_until >= mismatch.elements:
        return
    error_map = mismatch.drawn
    # A byte a cell: 0 for none wrong, 255 for all.
    shares = np.frombuffer(bytes.fromhex(error_map.cells), dtype=np.uint8)
    # [rows, columns] share in the cell of the element each pixel shows
    if error_map.flat:
        used = min(mismatch.elements, len(shares))
        share = shares.take(index * used // mismatch.elements, mode="clip")
    else:
        grid = shares.reshape(error_map.rows, error_map.columns)
        cell_rows = rows * error_map.rows // mismatch.rows
        cell_columns = columns * error_map.columns // mismatch.columns
        share = grid.take(cell_rows, axis=0).take(cell_columns, axis=1)
    good = theme().tint("text", 0.07)
    bad = theme().color("danger")
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
    edge[:, 1:] = numbers[:, 1:] != numbers[:, :-1]
    edge[1:] |= numbers[1:] != numbers[:-1]
    if np.count_nonzero(edge) <= _MOST_LINES * edge.size:
        np.copyto(pixels, np.uint32(color), where=edge)
