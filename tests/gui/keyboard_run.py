"""Works the real window with nothing but keys: `python -m tests.gui.keyboard_run`, on a display of its own.

From user folders that are empty to a kernel a person accepted and an experience promoted and taken back.
Keys go to the window that has the focus, where those of a keyboard arrive. Prints what it did; exit code 0
when all of it came true.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.analysis.reviews import Decision
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.results.panel import ResultsPanel
from sage_desktop.shell.main_window import RESULTS, START, TRAJECTORY

_CTRL, _SHIFT, _ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
_MOST_TABS = 80


class Hands:
    """A person at the keyboard who waits for what they see."""

    def __init__(self, app: QApplication, desktop: Desktop) -> None:
        self.app, self.desktop, self.window = app, desktop, desktop.window

    def say(self, words: str) -> None:
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()

    def see(self, what: str, so: Callable[[], object], seconds: float = 60.0) -> None:
        """Wait until `so` holds."""
        end = time.monotonic() + seconds
        while not (so() and self.desktop.operations.idle):
            if time.monotonic() > end:
                front = self.app.focusWidget()
                raise TimeoutError(f"never seen: {what}; the focus is on {front}")
            QTest.qWait(20)
        self.say(f"seen: {what}")

    def key(self, key: Qt.Key, *held: Qt.KeyboardModifier) -> None:
        modifiers = Qt.KeyboardModifier.NoModifier
        for each in held:
            modifiers |= each
        window = QGuiApplication.focusWindow()
        assert window is not None, "no window has the focus"
        QTest.keyClick(window, key, modifiers)
        QTest.qWait(20)

    def type(self, text: str) -> None:
        for letter in text:
            code = (
                Qt.Key.Key_Space
                if letter == " "
                else getattr(Qt.Key, f"Key_{letter.upper()}")
            )
            self.key(code)

    def command(self, words: str) -> None:
        """Give a command through the palette."""
        palette = self.window.palette_
        self.key(Qt.Key.Key_P, _CTRL, _SHIFT)
        self.see("the command palette", palette.isVisible)
        self.type(words)
        self.see(
            f"a command for {words!r}", lambda: palette.field.text() == words.lower()
        )
        self.key(Qt.Key.Key_Return)
        self.see("the palette gone", lambda: not palette.isVisible())

    def tab_to(self, widget: object) -> None:
        """Go on with Tab until `widget` has the focus."""
        for _step in range(_MOST_TABS):
            if self.app.focusWidget() is widget:
                return
            self.key(Qt.Key.Key_Tab)
        raise TimeoutError(f"Tab never leads to {widget}")


def work(hands: Hands) -> None:
    """What a person does on their first day."""
    window, key = hands.window, hands.key
    rows = window.queue.model.rows
    hands.see(
        "the window in front with six operators",
        lambda: window.isActiveWindow() and len(rows()) == 6,
    )
    hands.see("the first page", lambda: window.pages.currentIndex() == START)
    hands.command("run")
    hands.see("work", lambda: rows()[0].state == "running")
    hands.command("pause after")
    hands.see("the first operator done", lambda: rows()[0].state == "done", 600)
    hands.see("the engine at rest", lambda: window.status.state == "idle", 600)
    assert not [row for row in rows() if row.state not in ("done", "queued")]
    hands.tab_to(window.queue.table)
    key(Qt.Key.Key_End)
    last = rows()[-1].operator
    hands.see(
        "the last operator selected",
        lambda: window.queue.current_row().operator == last,
    )
    review(hands)
    menus(hands)
    fork(hands)
    runs(hands)
    memory(hands)
    key(Qt.Key.Key_Q, _CTRL)
    hands.see("the end", lambda: not window.isVisible())


def review(hands: Hands) -> None:
    """Walk through changes and rounds, and accept a version."""
    window, key, panel = hands.window, hands.key, hands.window.review
    hands.tab_to(window.queue.table)
    key(Qt.Key.Key_Home)
    key(Qt.Key.Key_1, _CTRL)
    first = window.queue.model.rows()[0].operator
    hands.see(
        "its last kernel",
        lambda: panel.subject is not None and panel.subject.operator == first,
    )
    last, counter = panel.subject.round, panel.header.counter.text()
    key(Qt.Key.Key_F8)
    hands.see("the next change", lambda: panel.header.counter.text() != counter)
    key(Qt.Key.Key_F8, _SHIFT)
    hands.see("the change before", lambda: panel.header.counter.text() == counter)
    key(Qt.Key.Key_Left, _ALT)
    hands.see("the round before", lambda: panel.subject.round < last)
    key(Qt.Key.Key_Right, _ALT)
    hands.see("the last round", lambda: panel.subject.round == last)
    hands.tab_to(panel.details.tabBar())
    for _tab in range(panel.details.count()):
        if panel.details.currentWidget() is not panel.details.notes:
            key(Qt.Key.Key_Right)
    hands.tab_to(panel.details.notes.accept)
    key(Qt.Key.Key_Space)
    hands.see(
        "the version accepted",
        lambda: panel.details.notes.decision is Decision.ACCEPTED,
    )


def menus(hands: Hands) -> None:
    """The same change by the letters of the menu and its part."""
    panel = hands.window.review
    counter = panel.header.counter.text()
    hands.key(Qt.Key.Key_R, _ALT)
    hands.see("the Review menu", lambda: hands.app.activePopupWidget() is not None)
    hands.type("gn")
    hands.see("the next change", lambda: panel.header.counter.text() != counter)
    hands.see("no menu any more", lambda: hands.app.activePopupWidget() is None)


def fork(hands: Hands) -> None:
    """Open the version for editing, look at what can be done, and leave."""
    hands.key(Qt.Key.Key_E, _CTRL, _SHIFT)
    hands.see("the fork dialog", lambda: hands.desktop.forking.dialog is not None)
    dialog = hands.desktop.forking.dialog
    assert dialog is not None
    dialog.activateWindow()  # as the window manager does
    hands.see("the editor has the keys", dialog.editor.hasFocus)
    hands.key(Qt.Key.Key_Escape)
    hands.see("the dialog gone", lambda: hands.desktop.forking.dialog is None)
    hands.window.activateWindow()
    hands.see("the window in front again", hands.window.isActiveWindow)


def runs(hands: Hands) -> None:
    """From the table of operators to the rounds of one."""
    window = hands.window
    hands.key(Qt.Key.Key_4, _CTRL)
    results = window.lazy_page(RESULTS)
    assert isinstance(results, ResultsPanel)
    hands.see("the operators", lambda: results.operators.model.rowCount() > 0)
    hands.tab_to(results.operators.table)
    hands.key(Qt.Key.Key_Home)
    hands.key(Qt.Key.Key_Return)
    hands.see(
        "its rounds",
        lambda: (
            window.pages.currentIndex() == TRAJECTORY
            and window.trajectory.tree.topLevelItemCount()
        ),
    )


def memory(hands: Hands) -> None:
    """Search an experience, promote it and take that back."""
    window, key = hands.window, hands.key
    key(Qt.Key.Key_2, _CTRL)
    hands.see("experiences", lambda: window.memory.model.rowCount() > 20)
    whole, table = window.memory.model.rowCount(), window.memory.table
    key(Qt.Key.Key_F, _CTRL)
    hands.type("mask")
    hands.see("fewer of them", lambda: 0 < window.memory.model.rowCount() < whole)
    hands.tab_to(table)
    key(Qt.Key.Key_Home)
    page = window.memory.item_page
    hands.see("an experience in front", lambda: page.item is not None)

    def hot() -> bool:
        return page.item is not None and page.item.hot_region

    while hot():  # the run has promoted some itself
        above = page.item
        key(Qt.Key.Key_Down)
        hands.see(
            "the next experience", lambda above=above: page.item not in (None, above)
        )
    hands.command("promote")
    hands.see("it is resident", hot)
    key(Qt.Key.Key_Z, _CTRL)
    hands.see("it is not any more", lambda: not hot())


def main() -> int:
    """Run; 0 when everything was seen."""
    app = QApplication([])
    desktop = Desktop(app, arguments([]))
    desktop.start()
    desktop.window.activateWindow()  # as the window manager does, which a bare server lacks
    hands = Hands(app, desktop)
    try:
        work(hands)
    finally:
        desktop.window.set_busy(busy=False)
        desktop.window.close()
        desktop.shut_down()
    return 0


if __name__ == "__main__":
    sys.exit(main())
