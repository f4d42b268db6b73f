"""One frame of the timeline: overview, ruler, names of rows and the legend around the plot."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap

from core.trace.columns import WAITING
from sage_desktop.ui.theme import theme
from sage_desktop.ui.timeline.frame import TimelineFrame, names_width, overview_height
from sage_desktop.ui.timeline.layer import image_of
from sage_desktop.ui.timeline.look import pipe_color
from sage_desktop.ui.timeline.slices import paint_plot
from sage_desktop.ui.timeline.words import time_text
from sage_desktop.ui.widgets.plot import round_step

# px of the frame around what is in view: visible however close the view is.
_LEAST_FRAME_WIDTH = 3
_TICK_EMS = 7  # room for the label of one tick of the ruler


class Overview:
    """The whole trace as a small picture, made once for each size."""

    def __init__(self) -> None:
        self._picture: QPixmap | None = None

    def forget(self) -> None:
        """Other traces or colours."""
        self._picture = None

    def paint(self, painter: QPainter, view: TimelineFrame) -> None:
        """Draw it, with a frame around what is in view."""
        plot_x = view.plot.left()
        width = view.plot.width()
        height = overview_height() - 2
        size = QSize(width, height)
        if self._picture is None or self._picture.size() != size:
            self._picture = _overview_picture(view, size)
        painter.drawPixmap(plot_x, 0, self._picture)
        scale = width / view.length
        begin_x = plot_x + view.begin * scale
        width_in_view = max((view.end - view.begin) * scale, _LEAST_FRAME_WIDTH)
        painter.setPen(QPen(theme().color("accent"), 2))
        painter.drawRect(QRectF(begin_x, 1, width_in_view, height - 2))


def _overview_picture(view: TimelineFrame, size: QSize) -> QPixmap:
    """All rows of the first trace, shrunk to `size`."""
    first = view.layers[0]
    colors = first.pixels(0, view.rows, 0.0, view.length, size.width())
    image = image_of(colors)
    shape = Qt.AspectRatioMode.IgnoreAspectRatio
    smooth = Qt.TransformationMode.SmoothTransformation
    return QPixmap.fromImage(image.scaled(size, shape, smooth))


def paint(view: TimelineFrame, overview: Overview) -> None:
    """Draw a frame."""
    painter = QPainter(view)
    try:
        painter.fillRect(view.rect(), theme().color("base"))
        if view.layers:
            _paint_parts(painter, view)
            overview.paint(painter, view)
    finally:
        # Also after an exception: its traceback would keep the painter alive.
        painter.end()


def _paint_parts(painter: QPainter, view: TimelineFrame) -> None:
    """The plot first: names, ruler and legend stand over what reaches out of it."""
    painter.setFont(theme().small_font())
    # One row more than fits: the last one is cut.
    behind = min(view.top + view.rows_in_view + 1, view.rows)
    painter.setClipRect(view.plot)
    paint_plot(painter, view, behind)
    painter.setClipping(False)
    _paint_names(painter, view, behind)
    _paint_ruler(painter, view)
    _paint_legend(painter, view)


def _paint_names(painter: QPainter, view: TimelineFrame, behind: int) -> None:
    """Core and pipe of each row while rows are high enough, else the core alone where one begins."""
    look, metrics = theme(), painter.fontMetrics()
    border, text, muted = map(look.color, ("border", "text", "muted"))
    core_x = look.px(0.4)
    core_room = names_width() - look.px(0.8)
    pipe_end_x = names_width() - look.px(0.5)
    has_room = view.row_height >= metrics.height() - 2
    # px from above where the next name may stand without touching the last.
    free_y = 0
    previous_core = ""
    for row in range(view.top, behind):
        lane = view.row_lanes[row]
        y = view.y_of(row)
        begins_core = lane.core != previous_core
        previous_core = lane.core
        if begins_core:
            painter.setPen(border)
            painter.drawLine(0, y, view.width(), y)
        has_name = has_room or begins_core
        has_place = y >= free_y and y + metrics.ascent() <= view.height()
        if not (has_name and has_place):
            continue
        baseline = _name_baseline(metrics, y, view.row_height)
        free_y = baseline + 2
        if begins_core:
            # Cut in front: a core's number is at the end of its name.
            elide = Qt.TextElideMode.ElideLeft
            core = metrics.elidedText(lane.core, elide, core_room)
            painter.setPen(text)
            painter.drawText(core_x, baseline, core)
        if has_room:
            pipe_x = pipe_end_x - metrics.horizontalAdvance(lane.pipe)
            painter.setPen(muted)
            painter.drawText(pipe_x, baseline, lane.pipe)
    edge_x = view.plot.left() - 1
    painter.setPen(border)
    painter.drawLine(edge_x, 0, edge_x, view.height())


def _name_baseline(metrics: QFontMetrics, y: int, row_height: int) -> int:
    """Where letters stand, px: in the middle of a row from `y` on, not above it where it is low."""
    ascent = metrics.ascent()
    line_height = min(row_height, metrics.height())
    middle = y + (line_height + ascent - metrics.descent()) // 2
    highest = y + ascent - 1
    return max(middle, highest)


def _paint_ruler(painter: QPainter, view: TimelineFrame) -> None:
    """Times above the plot, at round steps."""
    look, plot = theme(), view.plot
    most_ticks = max(2, plot.width() // look.px(_TICK_EMS))
    step = round_step((view.end - view.begin) / most_ticks)
    baseline = plot.top() - look.px(0.45)
    time = math.ceil(view.begin / step) * step
    while time <= view.end:
        x = int(view.x_of(time))
        painter.setPen(look.color("border"))
        painter.drawLine(x, overview_height(), x, plot.top())
        painter.setPen(look.color("muted"))
        painter.drawText(x + 4, baseline, time_text(time))
        time += step
    edge_y = plot.top() - 1
    painter.setPen(look.color("border"))
    painter.drawLine(0, edge_y, view.width(), edge_y)


def _paint_legend(painter: QPainter, view: TimelineFrame) -> None:
    """Which colour is which pipe, in two columns of the corner: rows are often too low for their names."""
    line_height = painter.fontMetrics().height()
    column_width = names_width() // 2
    lines = max(1, (view.plot.top() - 2) // line_height)
    entries = _legend_entries(view)
    for number, (name, color) in enumerate(entries[: 2 * lines]):
        column, line = divmod(number, lines)
        x = theme().px(0.4) + column * column_width
        y = line * line_height + 1
        cell = QRect(x, y, column_width, line_height)
        _paint_entry(painter, cell, name, color)


def _legend_entries(view: TimelineFrame) -> list[tuple[str, QColor]]:
    """Pipes and their colours, waiting last; `MTE2 2` has the colour of `MTE2`."""
    names = (lane.pipe.partition(" ")[0] for lane in view.row_lanes)
    pipes = [pipe for pipe in dict.fromkeys(names) if pipe != WAITING]
    entries = [(pipe, pipe_color(pipe)) for pipe in pipes]
    waits = QCoreApplication.translate("TimelineView", "waits")
    return [*entries, (waits, pipe_color(WAITING))]


def _paint_entry(painter: QPainter, cell: QRect, name: str, color: QColor) -> None:
    """A square as high as letters, and the name of the pipe behind it."""
    look, metrics = theme(), painter.fontMetrics()
    side = metrics.ascent() - metrics.descent()
    square_y = cell.top() + (cell.height() - side) // 2
    painter.fillRect(QRect(cell.left(), square_y, side, side), color)
    room = cell.width() - side - look.px(0.7)
    words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
    words_x = cell.left() + side + look.px(0.3)
    painter.setPen(look.color("muted"))
    painter.drawText(words_x, cell.top() + metrics.ascent(), words)
