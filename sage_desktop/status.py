"""The line at the bottom: what the engine does, how far the queue is, who judges and who writes."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from sage_desktop.icons import icon
from sage_desktop.theme import theme

_STATES = {
    "starting": ("clock", "muted", "Starting"),
    "idle": ("pause", "muted", "Stopped"),
    "running": ("running", "accent", "Running"),
    "pausing": ("pause", "warning", "Pausing after this operator"),
    "stopping": ("stop", "warning", "Stopping"),
    "reader": ("eye", "warning", "Another process runs this workspace; reading only"),
    "viewer": ("eye", "muted", "Reading only"),
    "failed": ("error", "danger", "The engine could not start"),
}


class StatusBar(QStatusBar):
    """Engine state, queue counts, evaluator, provider, workspace."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self._icon = QLabel()
        self._state = QLabel()
        self._activity = QLabel()
        self._counts = QLabel()
        self._evaluator = QLabel()
        self._provider = QLabel()
        self._workspace = QLabel()
        look = theme()
        for label in (self._icon, self._state, self._activity):
            label.setContentsMargins(look.px(0.4), look.px(0.1), 0, look.px(0.1))
            self.addWidget(label)
        for label in (self._counts, self._evaluator, self._provider, self._workspace):
            label.setContentsMargins(look.px(0.5), 0, look.px(0.5), 0)
            self.addPermanentWidget(label)
        for label in (self._activity, self._counts, self._evaluator, self._provider, self._workspace):
            label.setProperty("muted", "true")
        self._shown = "starting"
        self.show_state("starting")
        theme().changed.connect(lambda: self.show_state(self._shown))

    @property
    def state(self) -> str:
        """Name of the state shown."""
        return self._shown

    def show_state(self, state: str) -> None:
        """Show one of starting, idle, running, pausing, stopping, reader, viewer, failed."""
        self._shown = state
        drawing, role, words = _STATES[state]
        side = theme().px(1.0)
        self._icon.setPixmap(icon(drawing, role).pixmap(side, side))
        self._state.setText(self.tr(words))
        self._state.setAccessibleName(self.tr("Engine: {0}").format(self.tr(words)))

    def show_activity(self, words: str) -> None:
        """What the engine does at this moment, e.g. `AbsMath · round 3 · compiling`."""
        self._activity.setText(words)

    def show_counts(self, finished: int, total: int) -> None:
        """Queue entries finished and in all."""
        self._counts.setText(self.tr("{0} of {1} operators").format(finished, total))

    def show_evaluator(self, label: str) -> None:
        """Who judged the operator in front."""
        self._evaluator.setText(label)
        self._evaluator.setToolTip(self.tr("Where kernels are compiled, checked and timed"))

    def show_parties(self, provider: str, workspace: str) -> None:
        """Who writes, which file."""
        for label, text, tip in (
            (self._provider, provider, self.tr("Who writes the kernels")),
            (self._workspace, workspace, self.tr("The workspace file")),
        ):
            label.setText(text)
            label.setToolTip(tip)
            label.setVisible(bool(text))
