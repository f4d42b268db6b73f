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
    colors = []
    for pipe in pipes_of(trace):
        for work in range(SHADES):
            ground = mixed(base, pipe_color(pipe), work / (SHADES - 1))
            free = 1 - work / (SHADES - 1)
            colors += [
                mixed(ground, stall, 0.4 * free * wait / (SHADES - 1)).rgb()
                for wait in range(SHADES)
            ]
    return np.array(colors, dtype=np.uint32)


def pipes_of(trace: Trace) -> tuple[str, ...]:
    """The kinds of lanes of a trace."""
    return tuple(dict.fromkeys(lane.pipe for lane in trace.lanes))


def pipe_numbers(trace: Trace) -> NDArray[np.uint16]:
    """[lanes] number of each in `pipes_of`, times the size of a pipe's table."""
    number = {pipe: place for place, pipe in enumerate(pipes_of(trace))}
    return np.array(
        [number[lane.pipe] * SHADES * SHADES for lane in trace.lanes], dtype=np.uint16
    )
