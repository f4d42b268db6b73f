"""One frame of the timeline: overview, ruler, names of lanes, slices or their image, arrows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap

from core.trace.columns import WAITING
from sage_desktop.ui.theme import mixed, theme
from sage_desktop.ui.timeline.frame import TimelineFrame, names_width, overview_height
from sage_desktop.ui.timeline.layer import Layer, image_of
from sage_desktop.ui.timeline.look import pipe_color, stall_color
from sage_desktop.ui.timeline.words import time_text

# By the kinds of arrows, as `core.trace.columns.FLOWS` numbers them.
_ARROW_ROLES = ("accent", "text", "warning")
_MOST_SLICES, _MOST_ARROWS = 1000, 300
_LEAST_WIDTH = 6  # px of a slice on average, from which each is drawn
_CLOSE = 8  # px of a row from which slices are drawn one by one


class Overview:
    """The whole trace as a small picture, made once for each size."""

    def __init__(self) -> None:
        self._picture: QPixmap | None = None

    def forget(self) -> None:
        """Other traces or colours."""
        self._picture = None

    def paint(self, painter: QPainter, view: TimelineFrame) -> None:
        """Draw it, with a frame around what is in view."""
        place = QRect(view.plot.left(), 0, view.plot.width(), overview_height() - 2)
        if self._picture is None or self._picture.size() != place.size():
            width = place.width()
            colors = view.layers[0].pixels(0, view.rows, 0.0, view.length, width)
            smooth = Qt.TransformationMode.SmoothTransformation
            shape = Qt.AspectRatioMode.IgnoreAspectRatio
            image = image_of(colors).scaled(place.size(), shape, smooth)
            self._picture = QPixmap.fromImage(image)
        painter.drawPixmap(place.topLeft(), self._picture)
        scale = place.width() / view.length
        painter.setPen(QPen(theme().color("accent"), 2))
        begin_x = place.left() + view.begin * scale
        # At least three pixels: the frame stays visible however close the view is.
        width_in_view = max((view.end - view.begin) * scale, 3)
        painter.drawRect(QRectF(begin_x, 1, width_in_view, place.height() - 2))


def paint(view: TimelineFrame, overview: Overview) -> None:
    """Draw a frame."""
    painter = QPainter(view)
    try:
        painter.fillRect(view.rect(), theme().color("base"))
        if view.layers:
            _paint_all(painter, view)
            overview.paint(painter, view)
    finally:
        # Also after an exception: its traceback would keep the painter alive.
        painter.end()


def _paint_all(painter: QPainter, view: TimelineFrame) -> None:
    painter.setFont(theme().small_font())
    bottom = min(view.top + view.rows_in_view + 1, view.rows)
    painter.setClipRect(view.plot)
    sparse = _sparse(view, bottom)
    if len(sparse) < bottom - view.top:
        _paint_image(painter, view, bottom)
    _paint_slices(painter, view, sparse)
    _paint_arrows(painter, view, bottom)
    _paint_chosen(painter, view)
    painter.setClipping(False)
    _paint_names(painter, view, bottom)
    _paint_ruler(painter, view)
    _paint_legend(painter, view)


def _sparse(view: TimelineFrame, bottom: int) -> list[int]:
    """Rows whose slices can be told apart, as many as can be drawn one by one."""
    if view.row < _CLOSE:
        return []
    counts = np.zeros(view.rows, dtype=np.int64)
    for layer in view.layers:
        counts[layer.row_by_lane] += layer.busy.counts(view.begin, view.end)
    in_view = counts[view.top : bottom]
    few = np.flatnonzero(in_view <= view.plot.width() / _LEAST_WIDTH)
    few = few[np.cumsum(in_view[few]) <= _MOST_SLICES]
    return [view.top + row for row in few.tolist()]


def _lanes(layer: Layer, top: int, bottom: int) -> tuple[int, int]:
    lanes = [lane for lane in layer.lane_of[top:bottom] if lane >= 0]
    return (min(lanes), max(lanes) + 1) if lanes else (0, 0)


def _paint_image(painter: QPainter, view: TimelineFrame, bottom: int) -> None:
    """Rows of pixels; of two traces the second is the lower half of each row, the smaller one."""
    plot = view.plot
    parts = [
        layer.pixels(view.top, bottom, view.begin, view.end, plot.width())
        for layer in view.layers
    ]
    colors = parts[0]
    heights = [view.row]
    if len(parts) > 1:
        colors = np.stack(parts, axis=1).reshape(-1, parts[0].shape[1])
        lower = view.row // 2
        heights = [view.row - lower, lower]
    # Repeating rows of pixels is quicker than scaling the image.
    colors = colors.repeat(heights * (bottom - view.top), axis=0)
    painter.drawImage(plot.topLeft(), image_of(colors))


def _box(view: TimelineFrame, part: int, row: int) -> tuple[float, float]:
    """Top and height of a row's slices; two traces share it."""
    gap = 1 if view.row >= _CLOSE else 0
    height = (view.row - gap) / len(view.layers)
    return view.y_of(row) + part * height, height


def _paint_slices(painter: QPainter, view: TimelineFrame, rows: list[int]) -> None:
    letter = QFontMetrics(painter.font()).averageCharWidth() + 1
    ground = theme().color("base")
    plot = view.plot
    for row in rows:
        # The image below shows this row too, with its slices merged.
        painter.fillRect(plot.left(), view.y_of(row), plot.width(), view.row, ground)
        for part, layer in enumerate(view.layers):
            lane = layer.lane_of[row]
            if lane >= 0:
                low, high = layer.busy.visible(lane, view.begin, view.end)
                _paint_lane(painter, view, layer, part, row, range(low, high), letter)


def _paint_lane(
    painter: QPainter,
    view: TimelineFrame,
    layer: Layer,
    part: int,
    row: int,
    own: range,
    letter: int,
) -> None:
    """Slices of one lane with the stalls before them, labelled where there is room.

    Args:
        painter: Of the frame.
        view: What is in view.
        layer: The trace.
        part: Which half of the row it has, of two traces.
        row: Of the view.
        own: Numbers of the slices.
        letter: Width of one, px.
    """
    if not own:
        return
    trace, busy = layer.trace, layer.busy
    y, height = _box(view, part, row)
    base = pipe_color(trace.lanes[layer.lane_of[row]].pipe)
    if part:
        base = mixed(base, theme().color("base"), 0.35)
    still = pipe_color(WAITING)
    # Three tones, so that slices of different calls that touch can be told apart.
    shades = (base, base.darker(112), base.lighter(112))
    some = slice(own.start, own.stop)
    plot_x = view.plot.left()
    scale = view.plot.width() / (view.end - view.begin)

    def x_of(times: NDArray[np.float64]) -> NDArray[np.float64]:
        return plot_x + (times - view.begin) * scale

    # Cut a little outside the view: far out a coordinate may be too large to draw.
    begins = np.maximum(x_of(busy.start[some]), plot_x - 5).tolist()
    ends = np.minimum(x_of(busy.end[some]), view.width() + 5).tolist()
    waits = np.maximum(x_of(busy.waits[some]), plot_x).tolist()
    names, stands = trace.name[some].tolist(), busy.waiting[some].tolist()
    slices = zip(begins, ends, waits, names, stands, strict=True)
    for begin, end, wait, name, waiting in slices:
        if begin - wait >= 1:
            stall = QRectF(wait, y + height / 2 - 1, begin - wait, 3)
            painter.fillRect(stall, stall_color())
        box = QRectF(begin, y, max(end - begin, 1.0), height)
        painter.fillRect(box, still if waiting else shades[name % 3])
        visible_x = max(begin, plot_x)
        room = int((end - visible_x) / letter) - 1
        if room >= 4 and height >= 13:
            painter.setPen(_letter_color(still if waiting else base))
            foot = QPointF(visible_x + 3, y + height - height / 4)
            painter.drawText(foot, trace.names[name][:room])


def _letter_color(ground: QColor) -> QColor:
    return QColor("white") if ground.lightness() < 130 else QColor("black")


def _paint_arrows(painter: QPainter, view: TimelineFrame, bottom: int) -> None:
    """From what had to end to what waited: all while they are few, else those of the slice chosen."""
    layer = view.front
    trace, busy = layer.trace, layer.busy
    if view.row < _CLOSE or not len(trace.flow_to):
        return
    low, high = np.searchsorted(layer.flow_time, (view.begin, view.end))
    arrows: list[int] = []
    # Far out there may be a million in view, of which none is worth the search.
    if high - low <= 20 * _MOST_ARROWS:
        first, behind = _lanes(layer, view.top, bottom)
        lane = busy.lane[trace.flow_to[low:high]]
        arrows = (np.flatnonzero((lane >= first) & (lane < behind)) + low).tolist()
    if len(arrows) > _MOST_ARROWS:
        arrows = []
    if view.chosen >= 0:
        own = (trace.flow_to == view.chosen) | (trace.flow_from == view.chosen)
        arrows = [*arrows, *np.flatnonzero(own).tolist()]
    numbers = tuple(dict.fromkeys(arrows))
    for kind, role in enumerate(_ARROW_ROLES):
        of_kind = [number for number in numbers if trace.flow_kind[number] == kind]
        _paint_kind(painter, view, of_kind, theme().color(role))


def _paint_kind(
    painter: QPainter, view: TimelineFrame, arrows: list[int], color: QColor
) -> None:
    """Arrows of one kind; those of the chosen slice are strong, the others thin."""
    layer, plot = view.front, view.plot
    scale = plot.width() / (view.end - view.begin)
    source, target = layer.trace.flow_from[arrows], layer.trace.flow_to[arrows]
    from_x = plot.left() + (layer.busy.end[source] - view.begin) * scale
    to_x = plot.left() + (layer.busy.start[target] - view.begin) * scale
    above, below = _middles(view, layer, source), _middles(view, layer, target)
    strong = (source == view.chosen) | (target == view.chosen)
    columns = (from_x, above, to_x, below, strong)
    # Thin lines and strong ones: Qt draws all of a pen at once.
    lines: tuple[list[QLineF], list[QLineF]] = ([], [])
    ends = zip(*(column.tolist() for column in columns), strict=True)
    for x, y, tip_x, tip_y, is_strong in ends:
        barbs = ((tip_x - 5, tip_y - 3), (tip_x - 5, tip_y + 3))
        for tail_x, tail_y in ((x, y), *barbs):
            lines[is_strong].append(QLineF(tail_x, tail_y, tip_x, tip_y))
    for is_strong, some in enumerate(lines):
        if some:
            shade = QColor(color)
            shade.setAlphaF(1.0 if is_strong else 0.5)
            painter.setPen(QPen(shade, 2 if is_strong else 1))
            painter.drawLines(some)


def _middles(view: TimelineFrame, layer: Layer, slices: np.ndarray) -> np.ndarray:
    """Where the middles of slices are, px from above."""
    top, height = _box(view, view.part, 0)
    rows: np.ndarray = layer.row_by_lane[layer.busy.lane[slices]]
    return top + height / 2 + rows * view.row


def _paint_chosen(painter: QPainter, view: TimelineFrame) -> None:
    """The range that was measured, and a frame around the slice chosen."""
    begin, end = view.range
    if end > begin:
        begin_x, end_x = view.x_of(begin), view.x_of(end)
        place = QRectF(begin_x, view.plot.top(), end_x - begin_x, view.plot.height())
        painter.fillRect(place, theme().color("accent", 0.18))
        painter.setPen(theme().color("text"))
        foot = QPointF(begin_x + 4, view.plot.top() + theme().px(1))
        painter.drawText(foot, time_text(end - begin))
    if view.chosen >= 0:
        layer, busy = view.front, view.front.busy
        row = int(layer.row_by_lane[busy.lane[view.chosen]])
        y, height = _box(view, view.part, row)
        begin_x = view.x_of(busy.start[view.chosen])
        end_x = view.x_of(busy.end[view.chosen])
        painter.setPen(QPen(theme().color("text"), 2))
        painter.drawRect(QRectF(begin_x, y, max(end_x - begin_x, 2.0), height))


def _paint_names(painter: QPainter, view: TimelineFrame, bottom: int) -> None:
    """Core and pipe of each row while rows are high enough, else the core alone where one begins."""
    look, metrics = theme(), QFontMetrics(painter.font())
    # `free`: px from above where the next name may stand without touching the last.
    free, core = 0, ""
    wide = names_width() - look.px(0.8)
    for row in range(view.top, bottom):
        lane, y = view.row_lanes[row], view.y_of(row)
        begins = lane.core != core
        core = lane.core
        if begins:
            painter.setPen(look.color("border"))
            painter.drawLine(0, y, view.width(), y)
        room = view.row >= metrics.height() - 2
        if y + metrics.ascent() > view.height() or y < free or not (room or begins):
            continue
        line = min(view.row, metrics.height())
        base = y + (line + metrics.ascent() - metrics.descent()) // 2
        base = max(base, y + metrics.ascent() - 1)
        if begins:
            painter.setPen(look.color("text"))
            name = metrics.elidedText(lane.core, Qt.TextElideMode.ElideLeft, wide)
            painter.drawText(look.px(0.4), base, name)
        if room:
            painter.setPen(look.color("muted"))
            end_x = names_width() - look.px(0.5)
            pipe_x = end_x - metrics.horizontalAdvance(lane.pipe)
            painter.drawText(pipe_x, base, lane.pipe)
        free = base + 2
    painter.setPen(look.color("border"))
    painter.drawLine(view.plot.left() - 1, 0, view.plot.left() - 1, view.height())


def _paint_ruler(painter: QPainter, view: TimelineFrame) -> None:
    """Times above the plot, at round steps."""
    look, plot = theme(), view.plot
    width = view.end - view.begin
    # The step is the first of 1, 2, 5, 10 by a power of ten with room for its label.
    rough = width / max(2, plot.width() // look.px(7))
    power = 10.0 ** math.floor(math.log10(max(rough, 1e-3)))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    tick = math.ceil(view.begin / step) * step
    while tick <= view.end:
        x = int(view.x_of(tick))
        painter.setPen(look.color("border"))
        painter.drawLine(x, overview_height(), x, plot.top())
        painter.setPen(look.color("muted"))
        painter.drawText(x + 4, plot.top() - look.px(0.45), time_text(tick))
        tick += step
    painter.setPen(look.color("border"))
    painter.drawLine(0, plot.top() - 1, view.width(), plot.top() - 1)


def _paint_legend(painter: QPainter, view: TimelineFrame) -> None:
    """Which colour is which pipe, in two columns of the corner: rows are often too low for their names."""
    look, metrics = theme(), QFontMetrics(painter.font())
    # `MTE2 2` has the colour of `MTE2`.
    pipes = dict.fromkeys(lane.pipe.partition(" ")[0] for lane in view.row_lanes)
    wide, line = names_width() // 2, metrics.height()
    side = metrics.ascent() - metrics.descent()
    lines = max(1, (view.plot.top() - 2) // line)
    entries = [(pipe, pipe_color(pipe)) for pipe in pipes if pipe != WAITING]
    waits = QCoreApplication.translate("TimelineView", "waits")
    entries.append((waits, pipe_color(WAITING)))
    for number, (name, color) in enumerate(entries[: 2 * lines]):
        column, place = divmod(number, lines)
        x, y = look.px(0.4) + column * wide, place * line + 1
        painter.fillRect(QRect(x, y + (line - side) // 2, side, side), color)
        painter.setPen(look.color("muted"))
        room = wide - side - look.px(0.7)
        words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(x + side + look.px(0.3), y + metrics.ascent(), words)
