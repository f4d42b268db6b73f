"""The line over a comparison with times: what they are, and what is known of the caret's line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import tool, tool_of
from sage_desktop.ui.widgets.stacking import hbox

_ROOM = 52.0  # line heights in which the times of the kernel have room beside a line's


class TimesBar(QWidget):
    """Hidden while there are no times and none are being made.

    Signals:
        stopped: The person calls the trace under way off.
    """

    stopped = Signal()

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__()
        self.working = False
        self._total = self._idle = ""
        self.what = muted(wraps=False)
        self.line = ElidingLabel()
        self.trace = tool_of(actions["review.trace"])
        self._hot = tool_of(
            actions["review.hot_line"], Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        self.stop = tool(self.stopped, self.tr("Stop"), "stop")
        hbox(
            self.what,
            (self.line, 1),
            self.trace,
            self._hot,
            self.stop,
            owner=self,
            margins=(0.8, 0, 0.4, 0),
            spacing=0.6,
        )
        self.show_work("")

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""
        self.working = bool(words)
        self.stop.setVisible(self.working)
        self._hot.setVisible(not self.working)
        self.line.set_text(words)

    def show_total(self, total: str, case: str, judged: str) -> None:
        """Say how long the launch takes, of both versions where both are known, and who modelled that."""
        self._total = total
        self._say_what()
        hint = self.tr(
            "How long the pipes of a core work for a line, on the core where that is longest, and its change "
            "against the older version; the bar below: how long they wait before it. Pipes work at the same "
            "time: lines add up to more than the launch. Case {0}, {1}."
        )
        self.what.setToolTip(f"{total}\n{hint.format(case, judged)}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_what()

    def _say_what(self) -> None:
        """In a narrow window what is known of a line comes before what is known of the whole kernel."""
        wide = self.width() > theme().px(_ROOM)
        words = (
            self.tr("µs per line, modelled · {0}") if wide else self.tr("µs, modelled")
        )
        self.what.setText(words.format(self._total))

    def show_file(self, *, timed: bool) -> None:
        """Say so where no line of the file in front has a time."""
        idle = self.tr(
            "No line of this file runs on the device. F9 goes to the line that takes longest."
        )
        self._idle = "" if timed else idle
        self.say("")

    def say(self, words: str) -> None:
        """What is known of the caret's line."""
        if not self.working:
            self.line.set_text(words or self._idle)
