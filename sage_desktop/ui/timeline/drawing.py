"""One frame of the timeline: overview, ruler, names of lanes, slices or their image, arrows."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap

from core.trace.columns import WAITING
from sage_desktop.ui.theme import mixed, theme
from sage_desktop.ui.timeline.frame import TimelineFrame, names_width, overview_height
from sage_desktop.ui.timeline.layer import Layer, image_of
from sage_desktop.ui.timeline.look import pipe_color, stall_color
from sage_desktop.ui.timeline.words import time_text

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
            colors = view.layers[0].pixels(
                0, view.rows, 0.0, view.length, place.width()
            )
            smooth = Qt.TransformationMode.SmoothTransformation
            shape = Qt.AspectRatioMode.IgnoreAspectRatio
            self._picture = QPixmap.fromImage(
                image_of(colors).scaled(place.size(), shape, smooth)
            )
        painter.drawPixmap(place.topLeft(), self._picture)
        scale = place.width() / view.length
        painter.setPen(QPen(theme().color("accent"), 2))
        left, right = place.left() + view.begin * scale, place.left() + view.end * scale
        painter.drawRect(QRectF(left, 1, max(right - left, 3), place.height() - 2))


def paint(view: TimelineFrame, overview: Overview) -> None:
    """Draw a frame."""
    painter = QPainter(view)
    try:
        painter.fillRect(view.rect(), theme().color("base"))
        if view.layers:
            _paint_all(painter, view)
            overview.paint(painter, view)
    finally:
        painter.end()  # also after an exception, whose traceback would keep it


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
    seen = counts[view.top : bottom]
    few = np.flatnonzero(seen <= view.plot.width() / _LEAST_WIDTH)
    few = few[np.cumsum(seen[few]) <= _MOST_SLICES]
    return [view.top + row for row in few.tolist()]


def _lanes(layer: Layer, top: int, bottom: int) -> tuple[int, int]:
    lanes = [lane for lane in layer.lane_of[top:bottom] if lane >= 0]
    return (min(lanes), max(lanes) + 1) if lanes else (0, 0)


def _paint_image(painter: QPainter, view: TimelineFrame, bottom: int) -> None:
    """Rows of pixels; of two traces the second is the lower half of each row, the smaller one."""
    plot, parts = (
        view.plot,
        [
            layer.pixels(view.top, bottom, view.begin, view.end, view.plot.width())
            for layer in view.layers
        ],
    )
    colors = (
        np.stack(parts, axis=1).reshape(-1, parts[0].shape[1])
        if len(parts) > 1
        else parts[0]
    )
    heights = [-(-view.row // len(parts)), view.row // len(parts)][: len(parts)]
    colors = colors.repeat(
        heights * (bottom - view.top), axis=0
    )  # quicker than a scaled image
    painter.drawImage(plot.topLeft(), image_of(colors))


def _box(view: TimelineFrame, part: int, row: int) -> tuple[float, float]:
    """Top and height of a row's slices; two traces share it."""
    gap = 1 if view.row >= _CLOSE else 0
    height = (view.row - gap) / len(view.layers)
    return view.y_of(row) + part * height, height


def _paint_slices(painter: QPainter, view: TimelineFrame, rows: list[int]) -> None:
    letter = QFontMetrics(painter.font()).averageCharWidth() + 1
    ground = theme().color("base")
    for row in rows:
        painter.fillRect(
            QRect(view.plot.left(), view.y_of(row), view.plot.width(), view.row), ground
        )
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
    if not own:
        return
    trace, busy, left = layer.trace, layer.busy, view.plot.left()
    y, height = _box(view, part, row)
    base = pipe_color(trace.lanes[layer.lane_of[row]].pipe)
    if part:
        base = mixed(base, theme().color("base"), 0.35)
    still = pipe_color(WAITING)
    shades = (base, base.darker(112), base.lighter(112), still)
    letters = [
        QColor("white") if shade.lightness() < 130 else QColor("black")
        for shade in (base, still)
    ]
    some = slice(own.start, own.stop)
    scale = view.plot.width() / (view.end - view.begin)
    begins = np.maximum(
        left + (busy.start[some] - view.begin) * scale, left - 5
    ).tolist()
    ends = np.minimum(
        left + (busy.end[some] - view.begin) * scale, view.width() + 5
    ).tolist()
    waits = np.maximum(left + (busy.waits[some] - view.begin) * scale, left).tolist()
    names, stands = trace.name[some].tolist(), busy.waiting[some].tolist()
    for begin, end, wait, name, waiting in zip(
        begins, ends, waits, names, stands, strict=True
    ):
        if begin - wait >= 1:
            painter.fillRect(
                QRectF(wait, y + height / 2 - 1, begin - wait, 3), stall_color()
            )
        painter.fillRect(
            QRectF(begin, y, max(end - begin, 1.0), height),
            shades[3 if waiting else name % 3],
        )
        room = int((end - max(begin, left)) / letter) - 1
        if room >= 4 and height >= 13:
            painter.setPen(letters[waiting])
            painter.drawText(
                QPointF(max(begin, left) + 3, y + height - height / 4),
                trace.names[name][:room],
            )


def _paint_arrows(painter: QPainter, view: TimelineFrame, bottom: int) -> None:
    """From what had to end to what waited: all while they are few, else those of the slice chosen."""
    layer = view.front
    trace, busy = layer.trace, layer.busy
    if view.row < _CLOSE or not len(trace.flow_to):
        return
    low, high = np.searchsorted(layer.flow_time, (view.begin, view.end))
    shown: list[int] = []
    if high - low <= 20 * _MOST_ARROWS:
        first, behind = _lanes(layer, view.top, bottom)
        lane = busy.lane[trace.flow_to[low:high]]
        shown = (np.flatnonzero((lane >= first) & (lane < behind)) + low).tolist()
    if len(shown) > _MOST_ARROWS:
        shown = []
    if view.chosen >= 0:
        own = (trace.flow_to == view.chosen) | (trace.flow_from == view.chosen)
        shown = [*shown, *np.flatnonzero(own).tolist()]
    for kind, color in enumerate(
        (theme().color("accent"), theme().color("text"), theme().color("warning"))
    ):
        own = [
            number for number in dict.fromkeys(shown) if trace.flow_kind[number] == kind
        ]
        _paint_kind(painter, view, own, color)


def _paint_kind(
    painter: QPainter, view: TimelineFrame, shown: list[int], color: QColor
) -> None:
    layer, plot = view.front, view.plot
    scale = plot.width() / (view.end - view.begin)
    source, target = layer.trace.flow_from[shown], layer.trace.flow_to[shown]
    left = plot.left() + (layer.busy.end[source] - view.begin) * scale
    right = plot.left() + (layer.busy.start[target] - view.begin) * scale
    above, below = _middles(view, layer, source), _middles(view, layer, target)
    strong = ((source == view.chosen) | (target == view.chosen)).tolist()
    lines: tuple[list[QLineF], list[QLineF]] = ([], [])
    ends = zip(
        left.tolist(),
        above.tolist(),
        right.tolist(),
        below.tolist(),
        strong,
        strict=True,
    )
    for x, y, tip, height, chosen in ends:
        for tail_x, tail_y in ((x, y), (tip - 5, height - 3), (tip - 5, height + 3)):
            lines[chosen].append(QLineF(tail_x, tail_y, tip, height))
    for chosen, some in enumerate(lines):
        if some:
            shade = QColor(color)
            shade.setAlphaF(1.0 if chosen else 0.5)
            painter.setPen(QPen(shade, 2 if chosen else 1))
            painter.drawLines(some)


def _middles(view: TimelineFrame, layer: Layer, slices: np.ndarray) -> np.ndarray:
    """Where the middles of slices are, px from above."""
    top, height = _box(view, view.part, 0)
    rows: np.ndarray = layer.row_by_lane[layer.busy.lane[slices]]
    return top + height / 2 + rows * view.row


def _paint_chosen(painter: QPainter, view: TimelineFrame) -> None:
    begin, end = view.range
    if end > begin:
        left, right = view.x_of(begin), view.x_of(end)
        place = QRectF(left, view.plot.top(), right - left, view.plot.height())
        painter.fillRect(place, theme().color("accent", 0.18))
        painter.setPen(theme().color("text"))
        painter.drawText(
            QPointF(left + 4, view.plot.top() + theme().px(1)), time_text(end - begin)
        )
    if view.chosen >= 0:
        layer = view.front
        y, height = _box(
            view, view.part, int(layer.row_by_lane[layer.busy.lane[view.chosen]])
        )
        left, right = (
            view.x_of(layer.busy.start[view.chosen]),
            view.x_of(layer.busy.end[view.chosen]),
        )
        painter.setPen(QPen(theme().color("text"), 2))
        painter.drawRect(QRectF(left, y, max(right - left, 2.0), height))


def _paint_names(painter: QPainter, view: TimelineFrame, bottom: int) -> None:
    """Core and pipe of each row while rows are high enough, else the core alone where one begins."""
    look, metrics = theme(), QFontMetrics(painter.font())
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
        base = (
            y
            + (min(view.row, metrics.height()) + metrics.ascent() - metrics.descent())
            // 2
        )
        base = max(base, y + metrics.ascent() - 1)
        if begins:
            painter.setPen(look.color("text"))
            painter.drawText(
                look.px(0.4),
                base,
                metrics.elidedText(lane.core, Qt.TextElideMode.ElideLeft, wide),
            )
        if room:
            painter.setPen(look.color("muted"))
            painter.drawText(
                names_width() - look.px(0.5) - metrics.horizontalAdvance(lane.pipe),
                base,
                lane.pipe,
            )
        free = base + 2
    painter.setPen(look.color("border"))
    painter.drawLine(view.plot.left() - 1, 0, view.plot.left() - 1, view.height())


def _paint_ruler(painter: QPainter, view: TimelineFrame) -> None:
    look, plot = theme(), view.plot
    width = view.end - view.begin
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
    pipes = dict.fromkeys(
        lane.pipe.partition(" ")[0] for lane in view.row_lanes
    )  # `MTE2 2` is like `MTE2`
    wide, line, side = (
        names_width() // 2,
        metrics.height(),
        metrics.ascent() - metrics.descent(),
    )
    lines = max(1, (view.plot.top() - 2) // line)
    entries = [(pipe, pipe_color(pipe)) for pipe in pipes if pipe != WAITING]
    entries.append(
        (QCoreApplication.translate("TimelineView", "waits"), pipe_color(WAITING))
    )
    for number, (name, color) in enumerate(entries[: 2 * lines]):
        x, y = look.px(0.4) + number // lines * wide, number % lines * line + 1
        painter.fillRect(QRect(x, y + (line - side) // 2, side, side), color)
        painter.setPen(look.color("muted"))
        room = wide - side - look.px(0.7)
        painter.drawText(
            x + side + look.px(0.3),
            y + metrics.ascent(),
            metrics.elidedText(name, Qt.TextElideMode.ElideRight, room),
        )
