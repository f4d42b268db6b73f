"""Ways through the comparison: its files as tabs, find, lines by number, and from finding to finding."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QInputDialog, QTabBar, QWidget

from sage_desktop.panels.review.findings import Message, marks_of, worst_of
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.document import compared
from sage_desktop.ui.diff.painter import MARK_ICONS
from sage_desktop.ui.diff.search import FindBar
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.icons import icon

Place = tuple[int, int]  # number of the file, 0-based line of the newer version


class FileTabs(QTabBar):
    """The files of two versions: which differ, which have findings, which one is in front."""

    def __init__(self) -> None:
        super().__init__()
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setProperty("dense", "true")
        self.setAccessibleName(self.tr("Files of the kernel"))

    @property
    def paths(self) -> list[str]:
        """The files offered, in order."""
        return [str(self.tabData(number)) for number in range(self.count())]

    def path(self) -> str:
        """The file in front, empty without any."""
        return str(self.tabData(self.currentIndex()) or "")

    def show_files(
        self, pair: VersionPair, messages: Sequence[Message], front: str
    ) -> None:
        """Offer the files of `pair`, `front` in front; does not emit `currentChanged`."""
        with QSignalBlocker(self):
            while self.count():
                self.removeTab(0)
            for path in pair.paths:
                self._add(path, pair, messages)
            number = pair.paths.index(front) if front in pair.paths else 0
            self.setCurrentIndex(number)

    def _add(self, path: str, pair: VersionPair, messages: Sequence[Message]) -> None:
        number = self.addTab(path)
        self.setTabData(number, path)
        self.setTabToolTip(number, path)
        marks_by_line = marks_of(path, messages)
        marks = list(itertools.chain.from_iterable(marks_by_line.values()))
        worst = worst_of(mark.severity for mark in marks)
        if worst:
            self.setTabIcon(number, icon(*MARK_ICONS[worst]))
            words = self.tr("{0}: %n message(s), F4 goes to the next", "", len(marks))
            self.setTabToolTip(number, words.format(path))
        elif pair.changed(path):
            self.setTabIcon(number, icon("edit", "info"))
            self.setTabToolTip(number, self.tr("{0} (changed)").format(path))
        else:
            self.setTabIcon(number, icon("file", "muted"))


class Navigation(QObject):
    """Serves the commands that lead to another change, line, side, finding or match.

    Args:
        window: Parent of dialogs.
        files: Files of the comparison; turning to one shows it in `diff`.
        diff: The comparison.
        actions: The commands.

    Signals:
        fault_without_line: The user asked for the fault, but the cause of the failure names no line.
    """

    fault_without_line = Signal()

    def __init__(
        self, window: QWidget, files: FileTabs, diff: DiffView, actions: ActionRegistry
    ) -> None:
        super().__init__(window)
        self._window = window
        self._files = files
        self._diff = diff
        self._actions = actions
        self._messages: tuple[Message, ...] = ()
        self._cause: str | None = None
        self.line_dialog: QInputDialog | None = None
        self.find_bar = FindBar()
        self.find_bar.hide()
        self.find_bar.asked.connect(diff.search)
        self.find_bar.stepped.connect(diff.find_next)
        self.find_bar.closed.connect(self.end_find)
        diff.found.connect(self.find_bar.show_state)
        diff.escaped.connect(self.end_find)
        for key, step in (("F3", 1), ("Shift+F3", -1)):
            again = QShortcut(QKeySequence(key), window)
            again.activated.connect(partial(self._find_again, step))
        actions.bind("review.next", lambda: diff.next_change(1))
        actions.bind("review.previous", lambda: diff.next_change(-1))
        actions.bind("review.side", diff.other_side)
        actions.bind("review.line", self._ask_for_line)
        actions.bind("review.next_finding", self._go_to_next_finding)

    # ---- find

    def focus_search(self) -> None:
        """Open the search bar over the code, with the selected words in it."""
        words = ""
        if self._diff.has_selection and self._diff.hasFocus():
            words = self._diff.selected_text()
        self.find_bar.open_bar("" if "\n" in words else words)

    def _find_again(self, step: int) -> None:
        """The next or previous match; opens the bar where nothing was looked for yet."""
        if self.find_bar.isVisible() and self.find_bar.field.text():
            self._diff.find_next(step)
        else:
            self.focus_search()

    def end_find(self) -> None:
        """Close the search bar."""
        self.find_bar.hide()
        self._diff.end_find()
        self._diff.setFocus()

    # ---- lines

    def _ask_for_line(self) -> None:
        """Ask for a line of the version the caret is in, and go there; does not block."""
        side, line = self._diff.place
        document = self._diff.document
        lines = document.left if side == "left" else document.right
        last = max(1, len(lines))
        question = self.tr("Line of the older version (1 to {0}):")
        if side == "right":
            question = self.tr("Line of the newer version (1 to {0}):")
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Go to Line"))
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(1, last)
        dialog.setIntValue(line + 1)
        dialog.setLabelText(question.format(last))

        def go(number: int) -> None:
            self._diff.go_to_line(number - 1, side)
            self._diff.setFocus()

        dialog.intValueSelected.connect(go)
        self.line_dialog = dialog
        dialog.open()

    def jump(self, path: str, line: int) -> None:
        """Go to a line, from 1, of the first file whose path ends with `path`."""
        place = place_in(self._files.paths, path, line)
        if place is not None:
            self.go_to_place(*place)

    def go_to_place(self, file: int, line: int) -> None:
        """Show a line, from 0, of the file of that number."""
        self._files.setCurrentIndex(file)
        self._diff.go_to_line(line)
        self._diff.setFocus()

    # ---- findings

    def set_messages(self, messages: Sequence[Message], cause: str | None) -> None:
        """Take the findings of the newer version.

        Args:
            messages: Of compiler, checks and tools.
            cause: Why the version failed; None where it did not.
        """
        self._messages = tuple(messages)
        self._cause = cause

    def update_actions(self) -> None:
        """Enable "next finding" where a finding has a place in the files shown."""
        any_place = bool(finding_places(self._files.paths, self._messages))
        self._actions.enable({"review.next_finding": any_place})

    def place_of_fault(self, paths: Sequence[str]) -> Place | None:
        """The line in `paths` that explains the failure; None when the version is correct or no line does."""
        if self._cause is None:
            return None
        return fault_place(paths, self._messages, self._cause)

    def show_fault(self) -> None:
        """Go to the line the cause of the failure names."""
        place = self.place_of_fault(self._files.paths)
        if place is not None:
            self.go_to_place(*place)
        else:
            self.fault_without_line.emit()

    def _go_to_next_finding(self) -> None:
        """The next finding with a place, through all files and around the end."""
        places = finding_places(self._files.paths, self._messages)
        if places:
            here = (self._files.currentIndex(), self._diff.newer_line)
            self.go_to_place(*next_place(places, here))


def place_in(paths: Sequence[str], path: str, line: int) -> Place | None:
    """Line `line`, from 1, of the first file whose path ends with `path`; None where there is none."""
    if line <= 0:
        return None
    for number, candidate in enumerate(paths):
        if candidate.endswith(path):
            return number, line - 1
    return None


def place_of(paths: Sequence[str], message: Message) -> Place | None:
    """Where a message belongs; None where it names no line of a shown file."""
    return place_in(paths, message.path, message.line) if message.path else None


def finding_places(paths: Sequence[str], messages: Sequence[Message]) -> list[Place]:
    """Where the messages with a place are, in the order of files and lines."""
    places = {place_of(paths, message) for message in messages}
    return sorted(place for place in places if place is not None)


def fault_place(
    paths: Sequence[str], messages: Sequence[Message], cause: str
) -> Place | None:
    """The line of the message that `cause` repeats, else of the first message with a line."""
    repeated = [
        message for message in messages if message.text and message.text in cause
    ]
    for message in (*repeated, *messages):
        place = place_of(paths, message)
        if place is not None:
            return place
    return None


def next_place(places: Sequence[Place], here: Place) -> Place:
    """The place behind `here`, around the end.

    Args:
        places: In order, at least one.
        here: Where one is.
    """
    later = [place for place in places if place > here]
    return later[0] if later else places[0]


def line_there(before: str | None, after: str | None, line: int) -> int:
    """Where the 0-based `line` of a text is in another version of it.

    For a line that is gone, the line that follows it; the last line where none follows.

    Args:
        before: The text; None where the file did not exist.
        after: The other version; None where the file is gone.
        line: Of `before`.
    """
    # A row is a line of both versions, or of one of them beside a gap (None).
    rows = compared(before, after).rows
    numbers = [row.left for row in rows]
    start = numbers.index(line) if line in numbers else len(rows)
    for row in rows[start:]:
        if row.right is not None:
            return row.right
    return max((row.right for row in rows if row.right is not None), default=0)
