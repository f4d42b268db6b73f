"""The plot of a timeline: rows as an image, or slice by slice, and the arrows between slices.

Far out the slices of a row are an image, one row of pixels for each lane. Rows whose slices can be told apart
are drawn over it slice by slice, with stalls, labels and arrows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from core.trace.columns import WAITING, Integers, Reals
from sage_desktop.ui.theme import mixed, theme
from sage_desktop.ui.timeline.frame import TimelineFrame
from sage_desktop.ui.timeline.layer import Layer, image_of
from sage_desktop.ui.timeline.look import pipe_color, stall_color
from sage_desktop.ui.timeline.words import time_text

# By the kinds of arrows, as `core.trace.columns.FLOWS` numbers them.
_ARROW_ROLES = ("accent", "text", "warning")
_MOST_SLICES, _MOST_ARROWS = 1000, 300  # drawn one by one in a frame
# Beyond this many arrows in view, those of visible rows are not looked for.
_MOST_ARROWS_SEARCHED = 20 * _MOST_ARROWS
_LEAST_WIDTH = 6  # px of a slice on average, from which each is drawn
_CLOSE = 8  # px of a row from which slices are drawn one by one
_LABEL_HEIGHT = 13  # px of a slice from which it has a label
_LABEL_LETTERS = 4  # a label with room for fewer would say nothing
_STALL_HEIGHT = 3  # px
_CLIP_MARGIN = 5  # px by which shapes reach beyond the view at most


def paint_plot(painter: QPainter, view: TimelineFrame, behind: int) -> None:
    """Draw what the rows of a view contain.

    Args:
        painter: Of the frame, clipped to the plot.
        view: What is in view; it has a trace.
        behind: The row behind the last one in view.
    """
    sparse = _sparse_rows(view, behind)
    if len(sparse) < behind - view.top:
        _paint_image(painter, view, behind)
    for row in sparse:
        _paint_slices(painter, view, row)
    _paint_arrows(painter, view, behind)
    _paint_measured(painter, view)
    _paint_selected(painter, view)


def _sparse_rows(view: TimelineFrame, behind: int) -> list[int]:
    """Rows whose slices can be told apart, as many as can be drawn one by one."""
    if view.row_height < _CLOSE:
        return []
    slices_by_row = np.zeros(view.rows, dtype=np.int64)
    for layer in view.layers:
        slices_by_lane = layer.busy.counts(view.begin, view.end)
        slices_by_row[layer.row_by_lane] += slices_by_lane
    counts = slices_by_row[view.top : behind]
    sparse = np.flatnonzero(counts <= view.plot.width() / _LEAST_WIDTH)
    drawn_so_far = np.cumsum(counts[sparse])
    sparse = sparse[drawn_so_far <= _MOST_SLICES]
    return [view.top + row for row in sparse.tolist()]


def _paint_image(painter: QPainter, view: TimelineFrame, behind: int) -> None:
    """Rows of pixels; of two traces the second is the lower half of each row, the smaller one."""
    plot = view.plot
    parts = []
    for layer in view.layers:
        pixels = layer.pixels(view.top, behind, view.begin, view.end, plot.width())
        parts.append(pixels)
    colors = parts[0]
    heights = [view.row_height]
    if len(parts) > 1:
        # Rows of the two traces in turn.
        colors = np.stack(parts, axis=1).reshape(-1, plot.width())
        lower = view.row_height // 2
        heights = [view.row_height - lower, lower]
    # Repeating rows of pixels is quicker than scaling the image.
    repeats = heights * (behind - view.top)
    image = image_of(colors.repeat(repeats, axis=0))
    painter.drawImage(plot.topLeft(), image)


def _box(view: TimelineFrame, trace_number: int, row: int) -> tuple[float, float]:
    """Top and height of a row's slices, px; two traces share it."""
    gap = 1 if view.row_height >= _CLOSE else 0
    height = (view.row_height - gap) / len(view.layers)
    return view.y_of(row) + trace_number * height, height


class _Shape(NamedTuple):
    """A slice as it is drawn.

    Attributes:
        begin: Its left edge, px.
        end: Its right edge, px.
        wait: Where the stall before it begins, px; at `begin` where there is none.
        call: Number of the API call in the names of the trace.
        is_wait: Whether its pipe did no work.
    """

    begin: float
    end: float
    wait: float
    call: int
    is_wait: bool


def _shapes(view: TimelineFrame, layer: Layer, own: slice) -> Iterator[_Shape]:
    """Slices of a trace, cut a little outside the view."""
    trace, busy = layer.trace, layer.busy
    plot_x = view.plot.left()
    scale = view.plot.width() / (view.end - view.begin)

    def x_of(times: Reals) -> Reals:
        return plot_x + (times - view.begin) * scale

    # Far out a coordinate may be too large to draw.
    first_x, last_x = plot_x - _CLIP_MARGIN, view.width() + _CLIP_MARGIN
    begins = np.maximum(x_of(busy.start[own]), first_x)
    ends = np.minimum(x_of(busy.end[own]), last_x)
    waits = np.maximum(x_of(busy.waits[own]), plot_x)
    columns = (begins, ends, waits, trace.name[own], busy.waiting[own])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return map(_Shape._make, rows)


def _paint_slices(painter: QPainter, view: TimelineFrame, row: int) -> None:
    """Slices of a row, over the image, which shows this row too, with its slices merged."""
    plot = view.plot
    ground = theme().color("base")
    y, height = view.y_of(row), view.row_height
    painter.fillRect(plot.left(), y, plot.width(), height, ground)
    for trace_number in range(len(view.layers)):
        _paint_lane(painter, view, trace_number, row)


def _paint_lane(
    painter: QPainter, view: TimelineFrame, trace_number: int, row: int
) -> None:
    """Slices of one trace in a row, with the stalls before them, labelled where there is room.

    Args:
        painter: Of the frame.
        view: What is in view.
        trace_number: Number of the trace: which half of the row it has, of two.
        row: Of the view; empty where the trace has no such lane.
    """
    layer = view.layers[trace_number]
    lane = layer.lane_of[row]
    if lane < 0:
        return
    first, behind = layer.busy.visible(lane, view.begin, view.end)
    if first >= behind:
        return
    y, height = _box(view, trace_number, row)
    base = pipe_color(layer.trace.lanes[lane].pipe)
    if trace_number:
        base = mixed(base, theme().color("base"), 0.35)
    still, stall_tone = pipe_color(WAITING), stall_color()
    stall_y = y + height / 2 - 1
    plot_x = view.plot.left()
    letter = painter.fontMetrics().averageCharWidth() + 1
    # Three tones, so that slices of different calls that touch can be told apart.
    tones = (base, base.darker(112), base.lighter(112))
    for shape in _shapes(view, layer, slice(first, behind)):
        stall_width = shape.begin - shape.wait
        if stall_width >= 1:
            stall = QRectF(shape.wait, stall_y, stall_width, _STALL_HEIGHT)
            painter.fillRect(stall, stall_tone)
        width = max(shape.end - shape.begin, 1.0)
        box = QRectF(shape.begin, y, width, height)
        color = still if shape.is_wait else tones[shape.call % 3]
        painter.fillRect(box, color)
        visible_x = max(shape.begin, plot_x)
        room = int((shape.end - visible_x) / letter) - 1  # letters
        if room >= _LABEL_LETTERS and height >= _LABEL_HEIGHT:
            painter.setPen(_letter_color(still if shape.is_wait else base))
            baseline = QPointF(visible_x + 3, y + height - height / 4)
            painter.drawText(baseline, layer.trace.names[shape.call][:room])


def _letter_color(ground: QColor) -> QColor:
    return QColor("white") if ground.lightness() < 130 else QColor("black")


def _paint_arrows(painter: QPainter, view: TimelineFrame, behind: int) -> None:
    """From what had to end to what waited: all while they are few, else those of the selected slice."""
    trace = view.front.trace
    if view.row_height < _CLOSE or not len(trace.flow_to):
        return
    arrows = _arrows_in_view(view, behind)
    if len(arrows) > _MOST_ARROWS:
        arrows = []
    if view.selected_slice >= 0:
        of_selected = (trace.flow_to == view.selected_slice) | (
            trace.flow_from == view.selected_slice
        )
        arrows = [*arrows, *np.flatnonzero(of_selected).tolist()]
    numbers = np.array(list(dict.fromkeys(arrows)), dtype=np.int64)
    for kind, role in enumerate(_ARROW_ROLES):
        of_kind = numbers[trace.flow_kind[numbers] == kind]
        _paint_kind(painter, view, of_kind, theme().color(role))


def _arrows_in_view(view: TimelineFrame, behind: int) -> list[int]:
    """Arrows whose target starts in view; none where there are too many to tell them apart."""
    layer = view.front
    low, high = np.searchsorted(layer.flow_time, (view.begin, view.end))
    # Far out there may be a million in view, of which none is worth the search.
    if high - low > _MOST_ARROWS_SEARCHED:
        return []
    of_rows = layer.lane_of[view.top : behind]
    lanes = [lane for lane in of_rows if lane >= 0]
    if not lanes:
        return []
    targets = layer.trace.flow_to[low:high]
    target_lanes = layer.busy.lane[targets]
    is_visible = (target_lanes >= min(lanes)) & (target_lanes <= max(lanes))
    numbers: list[int] = (low + np.flatnonzero(is_visible)).tolist()
    return numbers


def _paint_kind(
    painter: QPainter, view: TimelineFrame, arrows: Integers, color: QColor
) -> None:
    """Arrows of one kind; those of the selected slice are strong, the others thin."""
    layer = view.front
    source = layer.trace.flow_from[arrows]
    target = layer.trace.flow_to[arrows]
    is_strong = (source == view.selected_slice) | (target == view.selected_slice)
    lines = _arrow_lines(view, source, target)
    thin_lines, strong_lines = [], []
    for of_arrow, strong in zip(lines, is_strong.tolist(), strict=True):
        if strong:
            strong_lines += of_arrow
        else:
            thin_lines += of_arrow
    thin = QColor(color)
    thin.setAlphaF(0.5)
    # Qt draws all lines of a pen at once.
    if thin_lines:
        painter.setPen(QPen(thin, 1))
        painter.drawLines(thin_lines)
    if strong_lines:
        painter.setPen(QPen(color, 2))
        painter.drawLines(strong_lines)


def _arrow_lines(
    view: TimelineFrame, source: Integers, target: Integers
) -> Iterator[list[QLineF]]:
    """The shaft of each arrow and the two barbs of its tip."""
    busy = view.front.busy
    scale = view.plot.width() / (view.end - view.begin)
    plot_x = view.plot.left()
    tail_xs = plot_x + (busy.end[source] - view.begin) * scale
    tip_xs = plot_x + (busy.start[target] - view.begin) * scale
    columns = (tail_xs, _middles(view, source), tip_xs, _middles(view, target))
    ends = zip(*(column.tolist() for column in columns), strict=True)
    for tail_x, tail_y, tip_x, tip_y in ends:
        barb_x = tip_x - 5
        yield [
            QLineF(tail_x, tail_y, tip_x, tip_y),
            QLineF(barb_x, tip_y - 3, tip_x, tip_y),
            QLineF(barb_x, tip_y + 3, tip_x, tip_y),
        ]


def _middles(view: TimelineFrame, slices: Integers) -> Reals:
    """Where the middles of slices of the front trace are, px from above."""
    layer = view.front
    top, height = _box(view, view.trace_number, 0)
    rows = layer.row_by_lane[layer.busy.lane[slices]]
    middles = top + height / 2 + rows * view.row_height
    return np.asarray(middles, dtype=np.float64)


def _paint_measured(painter: QPainter, view: TimelineFrame) -> None:
    """The range that was measured, with its length."""
    begin, end = view.range
    if end <= begin:
        return
    plot = view.plot
    begin_x = view.x_of(begin)
    end_x = view.x_of(end)
    area = QRectF(begin_x, plot.top(), end_x - begin_x, plot.height())
    painter.fillRect(area, theme().color("accent", 0.18))
    painter.setPen(theme().color("text"))
    y = plot.top() + theme().px(1)
    baseline = QPointF(begin_x + 4, y)
    painter.drawText(baseline, time_text(end - begin))


def _paint_selected(painter: QPainter, view: TimelineFrame) -> None:
    """A frame around the selected slice."""
    if view.selected_slice < 0:
        return
    layer, busy = view.front, view.front.busy
    row = int(layer.row_by_lane[busy.lane[view.selected_slice]])
    y, height = _box(view, view.trace_number, row)
    begin_x = view.x_of(busy.start[view.selected_slice])
    end_x = view.x_of(busy.end[view.selected_slice])
    width = max(end_x - begin_x, 2.0)
    painter.setPen(QPen(theme().color("text"), 2))
    painter.drawRect(QRectF(begin_x, y, width, height))
