"""Ways through the comparison in front: find, lines by number, and from one finding to the next."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from sage_desktop.panels.review import going
from sage_desktop.panels.review.files import FileTabs
from sage_desktop.panels.review.findings import Message
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.find_bar import FindBar
from sage_desktop.ui.diff.view import DiffView


class Navigation(QObject):
    """Serves `edit.find_next`, `edit.find_previous`, `review.line`, `review.side` and the findings.

    Args:
        window: Parent of dialogs.
        files: Files of the comparison; turning to one shows it in `diff`.
        diff: The comparison.
        actions: The commands.

    Signals:
        causeless: The cause of a failure names no line.
    """

    causeless = Signal()

    def __init__(
        self, window: QWidget, files: FileTabs, diff: DiffView, actions: ActionRegistry
    ) -> None:
        super().__init__(window)
        self._window, self._files, self._diff, self._actions = (
            window,
            files,
            diff,
            actions,
        )
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
        actions.bind("edit.find_next", lambda: self._find_again(1))
        actions.bind("edit.find_previous", lambda: self._find_again(-1))
        actions.bind("review.next", lambda: diff.next_change(1))
        actions.bind("review.previous", lambda: diff.next_change(-1))
        actions.bind("review.select_all", diff.select_all)
        actions.bind("review.side", diff.other_side)
        actions.bind("review.line", self._ask_for_line)
        actions.bind("review.next_finding", lambda: self._go_to_finding(1))
        actions.bind("review.previous_finding", lambda: self._go_to_finding(-1))

    def set_messages(self, messages: Sequence[Message], cause: str | None) -> None:
        """What was found in the versions in front; `cause` of the failure of the newer one, None without."""
        self._messages, self._cause = tuple(messages), cause

    def offer(self) -> None:
        """Findings can be gone to where one of them has a place in the files shown."""
        found = bool(going.finding_places(self._files.paths, self._messages))
        self._actions.enable(
            {"review.next_finding": found, "review.previous_finding": found}
        )

    def focus_search(self) -> None:
        """Open the search bar over the code, with the selected words in it."""
        words = (
            self._diff.selected_text()
            if self._diff.has_selection and self._diff.hasFocus()
            else ""
        )
        self.find_bar.open_bar("" if "\n" in words else words)

    def _find_again(self, step: int) -> None:
        """The next or previous hit; opens the bar where nothing was looked for yet."""
        if self.find_bar.isVisible() and self.find_bar.field.text():
            self._diff.find_next(step)
        else:
            self.focus_search()

    def end_find(self) -> None:
        """Close the search bar."""
        self.find_bar.hide()
        self._diff.end_find()
        self._diff.setFocus()

    def _ask_for_line(self) -> None:
        self.line_dialog = going.ask_for_line(self._diff, self._window)

    def _go_to_finding(self, step: int) -> None:
        """The next or previous message with a place in a file, through all files and around the end."""
        places = going.finding_places(self._files.paths, self._messages)
        if places:
            here = (self._files.currentIndex(), self._diff.newer_line)
            self.go_to_place(*going.next_place(places, here, step))

    def fault(self, paths: Sequence[str]) -> going.Place | None:
        """The line in `paths` the verdict on the newer version is about; None when it is correct."""
        return (
            None
            if self._cause is None
            else going.fault_place(paths, self._messages, self._cause)
        )

    def show_fault(self) -> None:
        """Go to the line the cause of the failure names."""
        fault = self.fault(self._files.paths)
        if fault is not None:
            self.go_to_place(*fault)
        else:
            self.causeless.emit()

    def jump(self, path: str, line: int) -> None:
        """Go to a line, from 1, of the first file whose path ends with `path`."""
        place = going.place_in(self._files.paths, path, line)
        if place is not None:
            self.go_to_place(*place)

    def go_to_place(self, file: int, line: int) -> None:
        """Show a line, from 0, of the file of that number."""
        self._files.setCurrentIndex(file)
        self._diff.go_to_line(line)
        self._diff.setFocus()
