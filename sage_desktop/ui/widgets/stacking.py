"""Widgets laid out close to each other: beside or below each other, or with a handle between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from sage_desktop.ui.theme import theme

Inside = QWidget | QLayout
Part = Inside | tuple[Inside, int | Qt.AlignmentFlag] | float | None
"""What stands in a box: a widget or layout, alone, with its share of the room that is left, or with its
alignment; a gap in ems; None for a gap that takes the room that is left."""
Margins = float | tuple[float, float] | tuple[float, float, float, float]
"""In ems: all alike; at the sides, above and below; or left, top, right, bottom."""
W = TypeVar("W", bound=QWidget)
B = TypeVar("B", bound=QBoxLayout)


def hbox(
    *parts: Part,
    owner: QWidget | None = None,
    margins: Margins | None = None,
    spacing: float | None = None,
) -> QHBoxLayout:
    """Put `parts` beside each other.

    Args:
        parts: From the left.
        owner: Gets the layout.
        margins: Around all parts; those of the style by default.
        spacing: Between two parts, in ems; that of the style by default.
    """
    box = QHBoxLayout(owner) if owner is not None else QHBoxLayout()
    return _filled(box, parts, margins, spacing)


def vbox(
    *parts: Part,
    owner: QWidget | None = None,
    margins: Margins | None = None,
    spacing: float | None = None,
) -> QVBoxLayout:
    """Put `parts` below each other; arguments as of `hbox`."""
    box = QVBoxLayout(owner) if owner is not None else QVBoxLayout()
    return _filled(box, parts, margins, spacing)


def _filled(
    box: B, parts: Sequence[Part], margins: Margins | None, spacing: float | None
) -> B:
    """Put `parts` into a box; arguments as of `hbox`."""
    if margins is not None:
        sides = margins if isinstance(margins, tuple) else (margins, margins)
        # Two margins are taken twice: left and top are those of right and bottom.
        four_sides = (*sides, *sides)[:4]
        box.setContentsMargins(*map(_px, four_sides))
    if spacing is not None:
        box.setSpacing(_px(spacing))
    for part in parts:
        inside, how = part if isinstance(part, tuple) else (part, 0)
        if inside is None:
            box.addStretch()
        elif isinstance(inside, int | float):
            box.addSpacing(_px(inside))
        else:
            _add(box, inside, how)
    return box


def _add(box: QBoxLayout, inside: Inside, how: int | Qt.AlignmentFlag) -> None:
    """Add a widget or layout with its share of the room, or its alignment."""
    share = 0 if isinstance(how, Qt.AlignmentFlag) else how
    if isinstance(inside, QLayout):
        box.addLayout(inside, share)
    elif isinstance(how, Qt.AlignmentFlag):
        box.addWidget(inside, share, how)
    else:
        box.addWidget(inside, share)


def _px(ems: float) -> int:
    """Whole pixels; a theme's measures are 1 at least."""
    return theme().px(ems) if ems else 0


def boxed(layout: QLayout) -> QWidget:
    """A widget that is nothing but its layout."""
    inside = QWidget()
    inside.setLayout(layout)
    return inside


def stacked(owner: W, *parts: Inside, grows: int = -1) -> W:
    """Put `parts` below each other into `owner`, without gaps and margins.

    Args:
        owner: Without a layout.
        parts: From the top.
        grows: Number of the part that takes the room which is left; by default the last one.
    """
    box = vbox(*parts, owner=owner, margins=0, spacing=0)
    box.setStretch(grows % len(parts), 1)
    return owner


def split(
    direction: Qt.Orientation,
    *parts: QWidget,
    sizes: Sequence[float] = (),
    stretch: Sequence[int] = (),
) -> QSplitter:
    """Put `parts` beside (or below) each other with a thin handle between them.

    Args:
        direction: Horizontal or vertical.
        parts: From the left, or from the top.
        sizes: In ems; those they ask for by default.
        stretch: Share of each in the room that is left.
    """
    splitter = QSplitter(direction)
    splitter.setHandleWidth(1)
    for part in parts:
        splitter.addWidget(part)
    for number, share in enumerate(stretch):
        splitter.setStretchFactor(number, share)
    if sizes:
        splitter.setSizes([theme().px(size) for size in sizes])
    return splitter
