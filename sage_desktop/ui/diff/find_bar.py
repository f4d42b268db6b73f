"""The bar over a comparison that searches it: field, count, options, next and previous."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from sage_desktop.ui.diff.search import FindState, Query
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.making import drawn_tool, named, on_base
from sage_desktop.ui.widgets.stacking import hbox


class FindField(FilterBox):
    """A search field that Escape leaves; Enter before the text has rested goes to the first match.

    Signals:
        left: Escape was pressed.
    """

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and self._rest.isActive()
        ):
            self._rest.stop()
            self.changed.emit(self.text())
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """What to look for, how often it was found, and which of the places is in front.

    Signals:
        asked: The `Query` to look for now.
        stepped: 1 for the next hit, -1 for the one before.
        closed: Escape or the cross was pressed.
    """

    asked = Signal(object)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        on_base(self)
        self.field = FindField(self.tr("Find in this file"))
        self.field.changed.connect(lambda _text: self._ask())
        self.field.stepped.connect(self.stepped)
        self.field.left.connect(self.close_bar)
        self.count = QLabel()
        self.field.setMinimumWidth(theme().px(9))
        self.case = self._switch("Aa", self.tr("Match case"))
        self.whole = self._switch("ab|", self.tr("Match whole words"))
        self.regex = self._switch(".*", self.tr("Use a regular expression"))
        back, forth = (
            self.tr("Previous match (Shift+Enter, Shift+F3)"),
            self.tr("Next match (Enter, F3)"),
        )
        self.previous = drawn_tool(lambda: self.stepped.emit(-1), "up", back)
        self.next = drawn_tool(lambda: self.stepped.emit(1), "down", forth)
        self.close_button = drawn_tool(
            self.close_bar, "close", self.tr("Close (Escape)")
        )
        switches, buttons = (
            (self.case, self.whole, self.regex),
            (self.previous, self.next, self.close_button),
        )
        row = ((self.field, 1), 0.3, self.count, *switches, *buttons)
        hbox(*row, owner=self, margins=(0.5, 0.2, 0.4, 0.2), spacing=0.15)
        self.show_state(FindState())

    def _switch(self, words: str, tip: str) -> QToolButton:
        made = named(QToolButton(), tip)
        made.setText(words)
        made.setToolTip(tip)
        made.setCheckable(True)
        made.toggled.connect(lambda _on: self._ask())
        return made

    @property
    def query(self) -> Query:
        """What the bar asks for."""
        switches = (self.regex, self.case, self.whole)
        return Query(self.field.text(), *(switch.isChecked() for switch in switches))

    def open_bar(self, words: str = "") -> None:
        """Show the bar with the cursor in it; `words` take the place of what was looked for before."""
        self.show()
        if words:
            self.field.setText(words)
        self.field.setFocus()
        self.field.selectAll()
        self._ask()

    def close_bar(self) -> None:
        """Hide the bar; what was marked is marked no more."""
        self.hide()
        self.closed.emit()

    def _ask(self) -> None:
        if self.isVisible():
            self.asked.emit(self.query)

    def show_state(self, state: FindState) -> None:
        """Say how the search stands."""
        words = self.tr("{0} of {1}").format(state.number, state.total)
        if state.error or not state.total:
            words = state.error or (self.tr("No matches") if self.field.text() else "")
        self.count.setText(words)
        self.count.setAccessibleName(words)
        failed = bool(self.field.text()) and not state.total
        self.count.setStyleSheet(
            f"color: {theme().color('danger' if failed else 'muted').name()}"
        )
        for button in (self.previous, self.next):
            button.setEnabled(bool(state.total))
