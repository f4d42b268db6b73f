"""The line at the bottom: what the engine does, how far the queue is, who judges and who writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QStatusBar

from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.making import draw

if TYPE_CHECKING:
    from core.analysis.queries import QueueCounts
    from sage_desktop.services.models.spending import Spending

_STATES = {
    "starting": ("clock", "muted", "Starting"),
    "idle": ("queue", "muted", "Ready"),
    "finished": ("done", "success", "Finished"),
    "failures": ("warning", "warning", "Finished"),  # not all of it well
    "stopped": ("pause", "warning", "Stopped"),
    "running": ("running", "accent", "Running"),
    "pausing": ("pause", "warning", "Pausing after this operator"),
    "stopping": ("stop", "warning", "Stopping"),
    "reader": ("eye", "warning", "Read-only: another process uses this workspace"),
    "viewer": ("eye", "muted", "Read-only"),
    "failed": ("error", "danger", "The engine could not start"),
}


_WIDEST_EM = 24.0
_NARROWEST_EM = 2.0


class StatusField(QLabel):
    """One field of the line: bounded in width, shortened where there is less room.

    A plain label asks for the width of its text, and a long text would widen the window.
    """

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        hint.setWidth(min(hint.width(), theme().px(_WIDEST_EM)))
        return hint

    def minimumSizeHint(self) -> QSize:
        narrowest = min(self.sizeHint().width(), theme().px(_NARROWEST_EM))
        return QSize(narrowest, super().minimumSizeHint().height())

    def shown_text(self) -> str:
        """What of the text there is room for."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, room
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.text():
            super().paintEvent(event)
            return
        color = self.palette().color(QPalette.ColorRole.WindowText)
        if self.property("muted") == "true":
            color = theme().color("muted")
        middle = Qt.AlignmentFlag.AlignVCenter
        painter = QPainter(self)
        painter.setPen(color)
        painter.drawText(self.contentsRect(), middle, self.shown_text())
        painter.end()


class StatusBar(QStatusBar):
    """Engine state, queue counts, tokens and cost, hosts and cards, evaluator, provider, workspace."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._icon = QLabel()
        self._state = StatusField()
        self._activity = StatusField()
        self.counts = StatusField()
        self.spending = StatusField()
        self._hosts = StatusField()
        self.evaluator = StatusField()
        self._provider = StatusField()
        self._workspace = StatusField()
        look = theme()
        down = look.px(0.1)
        for label in (self._icon, self._state, self._activity):
            label.setContentsMargins(look.px(0.4), down, 0, down)
            # The activity takes the room that is left.
            stretch = 1 if label is self._activity else 0
            self.addWidget(label, stretch)
        across = look.px(0.5)
        facts = (
            self.counts,
            self.spending,
            self._hosts,
            self.evaluator,
            self._provider,
            self._workspace,
        )
        for label in facts:
            label.setContentsMargins(across, 0, across, 0)
            self.addPermanentWidget(label)
        for label in (self.spending, self._hosts):
            label.hide()
        for label in (self._activity, *facts):
            label.setProperty("muted", "true")
        self._unfinished = self._failed = self._total = 0  # entries of the queue
        self.show_state("starting")
        theme().changed.connect(lambda: self.show_state(self.state))

    def show_state(self, state: str) -> None:
        """Show one of starting, idle, stopped, running, pausing, stopping, reader, viewer, failed.

        A queue that stands still with nothing left to do has finished.
        """
        self.state = state
        at_end = bool(self._total) and not self._unfinished
        if state in ("idle", "stopped") and at_end:
            state = "failures" if self._failed else "finished"
        drawing, role, source = _STATES[state]
        words = self.tr(source)
        draw(self._icon, drawing, role)
        self._state.setText(words)
        self._state.setAccessibleName(self.tr("Engine: {0}").format(words))

    def show_activity(self, words: str) -> None:
        """What the engine does at this moment, e.g. `AbsMath · round 3 · compiling`."""
        self._activity.setText(words)
        self._activity.setToolTip(words)

    def show_counts(self, counts: QueueCounts) -> None:
        """Queue entries done, those that failed, and all."""
        self._unfinished, self._total = counts.unfinished, counts.total
        self._failed = counts.failed
        self.show_state(self.state)
        parts = [self.tr("{0} of {1} operators").format(counts.done, counts.total)]
        if counts.failed:
            parts.append(self.tr("{0} failed").format(counts.failed))
        self.counts.setText(" · ".join(parts))

    def show_spending(self, spent: Spending) -> None:
        """Tokens, and their price where it is known."""
        words = self.tr("{0:,} tokens").format(spent.tokens)
        whole = self.tr(
            "{0:,} prompt tokens, {1:,} of them cached; {2:,} reply tokens, in this workspace"
        )
        lines = [whole.format(spent.prompt, spent.cached, spent.reply)]
        if spent.cost is not None:
            cost = self.tr("cost {0}").format(f"{spent.cost:.4g}")
            words = f"{words} · {cost}"
            lines.append(self.tr("The cost is in the currency of the model's prices."))
        if spent.untold:
            lines.append(
                self.tr("Calls without reported usage: {0}").format(spent.untold)
            )
        self.spending.setText(words)
        self.spending.setToolTip("\n".join(lines))
        self.spending.setVisible(bool(spent.tokens))

    def show_hosts(self, words: str, tip: str) -> None:
        """Hosts and cards there are to work with; empty without any."""
        self._hosts.setText(words)
        self._hosts.setToolTip(tip)
        self._hosts.setVisible(bool(words))

    def show_evaluator(self, label: str, sandbox: str = "") -> None:
        """Who judged the operator in front, and what held its kernels back; empty while that is not known."""
        from core.evaluation.records import UNCONFINED

        if sandbox == UNCONFINED:
            sandbox = self.tr("no sandbox: earns no credit")
        parts = (translated(label), sandbox)
        self.evaluator.setText(" · ".join(part for part in parts if part))
        tip = self.tr("Where kernels are compiled, checked and timed; the sandbox")
        self.evaluator.setToolTip(tip)

    def show_parties(self, provider: str, workspace: str) -> None:
        """Who writes, which file."""
        for label, text, tip in (
            (self._provider, translated(provider), self.tr("Who writes the kernels")),
            (self._workspace, workspace, self.tr("The workspace file")),
        ):
            label.setText(text)
            label.setToolTip(tip)
            label.setVisible(bool(text))
