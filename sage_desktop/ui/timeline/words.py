"""Slices and times in words."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication

from core.trace.columns import Trace

_tr = partial(QCoreApplication.translate, "Timeline")


def time_text(ns: float) -> str:
    """A time with a unit that suits it."""
    if abs(ns) >= 1e6:
        return f"{ns / 1e6:,.4g} ms"
    if abs(ns) >= 1e3:
        return f"{ns / 1e3:,.4g} µs"
    return f"{ns:,.4g} ns"


def described(trace: Trace, number: int) -> str:
    """A slice: what it did, where, when and for how long, what it waited for."""
    start = int(trace.start[number])
    end = int(trace.end[number])
    stall = int(trace.stalled[number])
    size = int(trace.size[number])
    # The last lane that begins at this slice or before it.
    lane_number = int(np.searchsorted(trace.first, number, "right")) - 1
    lane = trace.lanes[lane_number]
    call = trace.names[trace.name[number]]
    source_line = str(trace.places[trace.place[number]])
    lines = [f"{call} · {lane}"]
    times = _tr("{0} from {1} on, {2:,.0f} cycles")
    duration, begin = time_text(end - start), time_text(start)
    lines.append(times.format(duration, begin, trace.cycles[number]))
    if stall:
        lines.append(_tr("waited {0} before it").format(time_text(stall)))
    if size:
        lines.append(_tr("{0:,} bytes").format(size))
    if source_line:
        lines.append(source_line)
    return "\n".join(lines)
