"""First correct, best and this version: which two of them are compared, by one button or three keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QToolButton

from sage_desktop.panels.review.versions import Choice, Pick, Versions
from sage_desktop.ui.actions import ActionRegistry

_PAIRS = {
    "review.first_best": (Pick.FIRST_CORRECT, Pick.BEST),
    "review.first_this": (Pick.FIRST_CORRECT, None),
    "review.best_this": (Pick.BEST, None),
}


class ThreeVersions(QObject):
    """“This” is the newer version chosen last in any other way.

    Signals:
        picked: (older choice, newer choice) to compare.
    """

    picked = Signal(object, object)

    def __init__(self, actions: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._actions = actions
        self._this: Choice = Pick.LATEST
        self._now = ""
        self.button = QToolButton()
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.button.setToolTip(
            self.tr(
                "Compare the next two of first correct, best and this version; Alt+1, Alt+2, Alt+3"
            )
        )
        self.button.clicked.connect(self._next)
        for name in _PAIRS:
            actions.bind(name, partial(self._pick, name))
        self._words = {
            "": self.tr("Compare"),
            "review.first_best": self.tr("First → best"),
            "review.first_this": self.tr("First → this"),
            "review.best_this": self.tr("Best → this"),
        }
        self.show_pair(None, Pick.BEFORE, Pick.LATEST)

    def chosen(self, newer: Choice) -> None:
        """The person chose the newer version in another way."""
        self._this = newer

    def show_pair(
        self, trajectory: Versions | None, older: Choice, newer: Choice
    ) -> None:
        """These two are compared now; offer what differs from one another."""
        self._now = ""
        states = {}
        for name, (left, right) in _PAIRS.items():
            rounds = (
                (trajectory.resolve(left), trajectory.resolve(right or self._this))
                if trajectory
                else ()
            )
            digests = {row.candidate for row in rounds if row is not None}
            states[name] = len(digests) == 2
            if (
                states[name]
                and (older, newer) == (left, right or self._this)
                and not self._now
            ):
                self._now = name
        self._actions.enable(states)
        self.button.setEnabled(any(states.values()))
        words = self._words[self._now]
        self.button.setText(words)
        self.button.setAccessibleName(words)

    def _next(self) -> None:
        names = [name for name in _PAIRS if self._actions[name].isEnabled()]
        if names:
            self._pick(
                names[(names.index(self._now) + 1) % len(names)]
                if self._now in names
                else names[0]
            )

    def _pick(self, name: str) -> None:
        left, right = _PAIRS[name]
        self.picked.emit(left, right or self._this)
