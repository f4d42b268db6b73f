"""What Qt's signatures leave open and we know: that something is there, and of which class it is."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QLayout

T = TypeVar("T")


def present(thing: T | None) -> T:
    """Return `thing`, which its maker knows to exist though Qt's signature allows None."""
    assert thing is not None
    return thing


def expect(thing: object, kind: type[T]) -> T:
    """Return `thing`, which its maker knows to be a `kind` though Qt names a base class."""
    assert isinstance(thing, kind), thing
    return thing


def clear(layout: QLayout) -> None:
    """Delete the widgets of a layout.

    Their entries are taken out: of one that is only looked at (`itemAt`) and then deleted by Qt, PySide
    6.11 keeps a Python object, and takes whatever is made at that address for it. `QListWidget.clear`
    crashed so.
    """
    while (entry := layout.takeAt(0)) is not None:
        present(entry.widget()).deleteLater()
