"""The code on the page Review: one file of two versions, with bars above and below it that explain lines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from sage_desktop.panels.review.findings import Message, marks_of
from sage_desktop.panels.review.line_origins import LineOrigins
from sage_desktop.panels.review.line_times import LineTimes
from sage_desktop.panels.review.navigation import (
    FileTabs,
    Navigation,
    Place,
    line_there,
)
from sage_desktop.panels.review.versions import Choice, VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.making import tool
from sage_desktop.ui.widgets.stacking import hbox, stacked

_OPTIONS = {  # command -> option of the view, and whether it is on at first
    "review.inline": ("inline", False),
    "review.two_columns": ("two_columns", False),
    "review.fold": ("fold", True),
    "review.whitespace": ("ignore_space", False),
    "review.wrap": ("wrap", False),
}


@dataclass(frozen=True)
class ReadLine:
    """The line a user reads, to be found again in other versions.

    Attributes:
        path: The file.
        text: The whole text of the version it is in, None where the file is not in it.
        line: From 0.
    """

    path: str
    text: str | None
    line: int


class Comparison(QWidget):
    """From top to bottom: tabs of files, find bar, notice, times, the code, origin of a line.

    Only `show_pair` brings other versions in; turning a tab only brings another of their files to the front.
    """

    def __init__(
        self, operations: Operations, actions: ActionRegistry, preferences: Preferences
    ) -> None:
        super().__init__()
        self._pair: VersionPair | None = None
        self._messages: tuple[Message, ...] = ()
        self._path = ""
        self.files = FileTabs()
        self.files.currentChanged.connect(self._turn_to_tab)
        self.narrow = NarrowNotice()
        self.diff = DiffView()
        self.diff.squeezed.connect(self.narrow.setVisible)
        self.narrow.widened.connect(
            lambda: actions["review.two_columns"].setChecked(True)
        )
        self.navigation = Navigation(self, self.files, self.diff, actions)
        self.times = LineTimes(
            self, operations, preferences, actions, self.diff, self.navigation
        )
        self.origins = LineOrigins(operations, actions, preferences, self.diff)
        _bind_view_options(self.diff, actions, preferences)
        actions.serve_context_menu(self.diff, "review")
        stacked(
            self,
            self.files,
            self.navigation.find_bar,
            self.narrow,
            self.times.bar,
            self.diff,
            self.origins.bar,
            grows=4,
        )

    @property
    def path(self) -> str:
        """The file in front, empty while there is none."""
        return self._path

    def show_pair(
        self,
        pair: VersionPair,
        messages: tuple[Message, ...],
        *,
        trajectory: str,
        older: Choice,
        subject: Subject,
        line_read: ReadLine | None = None,
    ) -> None:
        """Show two versions.

        Args:
            pair: The versions.
            messages: What compilers, checks and tools say of the newer one.
            trajectory: uid of the trajectory of the newer one.
            older: What the older version was chosen by.
            subject: The newer version, as tools name it.
            line_read: Where they open; by default at their first change or fault.
        """
        again = self._pair is not None and _same_versions(self._pair, pair)
        self._pair = pair
        self._messages = messages
        failed = pair.newer.verdict not in ("", "pass")
        self.navigation.set_messages(messages, pair.newer.cause if failed else None)
        self.origins.show_pair(trajectory, pair, older)
        self.times.show_pair(pair, subject)
        self._fill(again=again, line_read=line_read)

    def show_nothing(self) -> None:
        """Be about no version."""
        self._pair = None
        self._messages = ()
        self.times.show_pair(None, None)

    def restyle(self) -> None:
        """Draw icons and marks again in the colours of a new theme."""
        if self._pair is not None:
            self._fill(again=True)

    def line_read(self) -> ReadLine | None:
        """The line the user went to; None where none was gone to yet."""
        if self.diff.begins:
            return None
        side, line = self.diff.place
        view = self.diff.document.view
        return ReadLine(self._path, view.left if side == "left" else view.right, line)

    def _fill(self, *, again: bool, line_read: ReadLine | None = None) -> None:
        """Offer the files and bring one to the front.

        Args:
            again: The same versions are in front already: file and line stay.
            line_read: A line of earlier versions to open at.
        """
        pair = self._pair
        assert pair is not None
        if line_read is not None and line_read.path in pair.paths:
            path = line_read.path
            self.files.show_files(pair, self._messages, path)
            self._show_file(path)
            newer = pair.sides(path)[1]
            self.diff.go_to_line(line_there(line_read.text, newer, line_read.line))
        elif again and self._path in pair.paths:
            self.files.show_files(pair, self._messages, self._path)
            self._show_file(self._path, keep_place=True)
        else:
            fault = self.navigation.place_of_fault(pair.paths)
            path = self._first_file(pair, fault)
            self.files.show_files(pair, self._messages, path)
            self._show_file(path)
            if fault is not None and not again:
                self.diff.go_to_line(fault[1])
        self.navigation.update_actions()

    def _first_file(self, pair: VersionPair, fault: Place | None) -> str:
        """The file with the fault, else one that changed, the one in front before the others."""
        if fault is not None:
            return pair.paths[fault[0]]
        changed = [path for path in pair.paths if pair.changed(path)]
        if self._path in changed:
            return self._path
        return next(iter([*changed, *pair.paths]), "")

    def _turn_to_tab(self, _number: int) -> None:
        if self._pair is not None:
            self._show_file(self.files.path())

    def _show_file(self, path: str, *, keep_place: bool = False) -> None:
        assert self._pair is not None
        self._path = path
        left, right = self._pair.sides(path)
        view = FileView(path, left, right, marks_of(path, self._messages))
        self.diff.show_file(view, keep_place=keep_place)
        self.times.show_file(path)


class NarrowNotice(QWidget):
    """Says why one column is shown; hidden where two were not asked for.

    Signals:
        widened: The user wants two columns however narrow they are.
    """

    widened = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = ElidingLabel(
            self.tr("One column: too narrow for both versions side by side."),
            muted=True,
        )
        tip = self.tr("Keep two columns however narrow they are; remembered")
        self.button = tool(self.widened, self.tr("Side by Side"), "review", tip=tip)
        hbox((words, 1), self.button, owner=self, margins=(0.8, 0, 0.4, 0))
        self.hide()


def _bind_view_options(
    diff: DiffView, actions: ActionRegistry, preferences: Preferences
) -> None:
    """Show `diff` as it was shown last; the commands of the menu Review change that."""

    def switch(option: str, checked: bool) -> None:
        preferences.set(f"review/{option}", checked)
        diff.set_option(option, on=checked)

    for action, (option, default) in _OPTIONS.items():
        on = preferences.flag(f"review/{option}", default=default)
        diff.set_option(option, on=on)
        actions.bind_switch(action, partial(switch, option), checked=on)


def _same_versions(before: VersionPair, after: VersionPair) -> bool:
    is_same_kernel = before.newer.candidate == after.newer.candidate
    return before.older == after.older and is_same_kernel
