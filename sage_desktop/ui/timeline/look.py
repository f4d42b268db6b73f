"""Colours of pipes in the two themes, and the table that turns shares of a pixel into colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from core.trace.columns import WAITING, Trace
from sage_desktop.ui.theme import mixed, theme

_PIPES = {
    "SCALAR": "#8a8d98",
    "MTE2": "#3f83d6",
    "MTE1": "#1fa39a",
    "CUBE": "#9a5fd0",
    "FIXP": "#b5658e",
    "VECTOR": "#3f9d4a",
    "MTE3": "#d98226",
}
_OTHER = "#6b7280"  # pipes of other tools
SHADES = 16  # of work, and of waiting
# Share of the stall's colour in a pixel that only waited.
_STALL_SHARE = 0.4


def pipe_color(pipe: str) -> QColor:
    """The colour of a pipe; waiting of the scalar unit is a paler stall."""
    if pipe == WAITING:
        return mixed(stall_color(), theme().color("base"), 0.5)
    # A second row of a pipe is called `MTE2 2`.
    return QColor(_PIPES.get(pipe.partition(" ")[0], _OTHER))


def stall_color() -> QColor:
    """Of time in which a pipe was free and waited."""
    return theme().color("danger")


def shade_table(trace: Trace) -> NDArray[np.uint32]:
    """[pipes x SHADES x SHADES] colours as RGB32, by pipe, share of work and share of waiting."""
    base, stall = theme().color("base"), stall_color()
    darkest = SHADES - 1
    colors = []
    for pipe in pipes_of(trace):
        color = pipe_color(pipe)
        for work in range(SHADES):
            work_share = work / darkest
            ground = mixed(base, color, work_share)
            # Waiting is seen in the part of a pixel that no work fills.
            most_stall = _STALL_SHARE * (1 - work_share)
            for wait in range(SHADES):
                shade = mixed(ground, stall, most_stall * wait / darkest)
                colors.append(shade.rgb())
    return np.array(colors, dtype=np.uint32)


def pipes_of(trace: Trace) -> tuple[str, ...]:
    """The kinds of lanes of a trace."""
    return tuple(dict.fromkeys(lane.pipe for lane in trace.lanes))


def pipe_numbers(trace: Trace) -> NDArray[np.uint16]:
    """[lanes] where the colours of each lane's pipe begin in `shade_table`."""
    table_size = SHADES * SHADES
    first_shades = {
        pipe: number * table_size for number, pipe in enumerate(pipes_of(trace))
    }
    of_lanes = [first_shades[lane.pipe] for lane in trace.lanes]
    return np.array(of_lanes, dtype=np.uint16)
