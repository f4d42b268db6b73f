"""Ways to a line of the comparison: by its number, and from one finding to the next through all files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from sage_desktop.panels.review.findings import Message
from sage_desktop.ui.diff.document import compared
from sage_desktop.ui.diff.view import DiffView

_tr = partial(QCoreApplication.translate, "ReviewGoing")

Place = tuple[int, int]  # number of the file, 0-based line of the newer version


def ask_for_line(diff: DiffView, parent: QWidget) -> QInputDialog:
    """Let the user name a line of the version the caret is in, and go there; does not block."""
    side, line = diff.place
    last = max(1, len(diff.document.left if side == "left" else diff.document.right))
    words = _tr("Line of the older version (1 to {0}):")
    if side == "right":
        words = _tr("Line of the newer version (1 to {0}):")
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(_tr("Go to Line"))
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setIntRange(1, last)
    dialog.setIntValue(line + 1)
    dialog.setLabelText(words.format(last))

    def go(number: int) -> None:
        diff.go_to_line(number - 1, side)
        diff.setFocus()

    dialog.intValueSelected.connect(go)
    dialog.open()
    return dialog


def finding_places(paths: Sequence[str], messages: Sequence[Message]) -> list[Place]:
    """Where the messages with a place are, in the order of the files and lines."""
    return sorted(
        {
            place
            for message in messages
            if (place := place_of(paths, message)) is not None
        }
    )


def place_of(paths: Sequence[str], message: Message) -> Place | None:
    """Where a message belongs to; None where it names no line of a shown file."""
    return place_in(paths, message.path, message.line) if message.path else None


def place_in(paths: Sequence[str], path: str, line: int) -> Place | None:
    """Line `line`, from 1, of the first file whose path ends with `path`; None where there is none."""
    return next(
        (
            (n, line - 1)
            for n, known in enumerate(paths)
            if known.endswith(path) and line > 0
        ),
        None,
    )


def fault_place(
    paths: Sequence[str], messages: Sequence[Message], cause: str
) -> Place | None:
    """The line a failed round is about: of the message its cause repeats, else of the first with a place."""
    named = [message for message in messages if message.text and message.text in cause]
    places = (place_of(paths, message) for message in (*named, *messages))
    return next((place for place in places if place is not None), None)


def next_place(places: Sequence[Place], here: Place, step: int) -> Place:
    """The place behind `here` (`step` 1) or before it (-1), around the end; there is at least one."""
    later = [place for place in places if place > here]
    earlier = [place for place in places if place < here]
    return (later or list(places))[0] if step > 0 else (earlier or list(places))[-1]


def line_there(before: str | None, after: str | None, line: int) -> int:
    """Where the 0-based `line` of a text stands in another version; what follows it where it is gone."""
    rows = compared(before, after).rows
    at = next(
        (number for number, row in enumerate(rows) if row.left == line), len(rows)
    )
    later = (row.right for row in rows[at:] if row.right is not None)
    return next(
        later, max((row.right for row in rows if row.right is not None), default=0)
    )
