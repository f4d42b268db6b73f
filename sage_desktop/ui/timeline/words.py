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
    return f"{ns / 1e3:,.4g} µs" if abs(ns) >= 1e3 else f"{ns:,.4g} ns"


def described(trace: Trace, number: int) -> str:
    """A slice: what it did, where, when and for how long, what it waited for."""
    start, end = int(trace.start[number]), int(trace.end[number])
    lane = trace.lanes[int(np.searchsorted(trace.first, number, "right")) - 1]
    parts = [
        f"{trace.names[trace.name[number]]} · {lane}",
        _tr("{0} from {1} on, {2:,.0f} cycles").format(
            time_text(end - start), time_text(start), trace.cycles[number]
        ),
    ]
    if trace.stalled[number]:
        parts.append(
            _tr("waited {0} before it").format(time_text(int(trace.stalled[number])))
        )
    if trace.size[number]:
        parts.append(_tr("{0:,} bytes").format(int(trace.size[number])))
    parts.append(str(trace.places[trace.place[number]]))
    return "\n".join(part for part in parts if part)
