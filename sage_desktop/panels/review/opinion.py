"""A reviewer's word about the newer version: comment, accept, reject; what was said before below."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from core.engine.reviews import Decision, Review, add_review
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import draw, named, push
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import StatusStyle

if TYPE_CHECKING:
    from core.workspace import Workspace

LOOKS = {
    Decision.OPEN: StatusStyle("help", "muted", "Not decided"),
    Decision.ACCEPTED: StatusStyle("done", "success", "Accepted"),
    Decision.REJECTED: StatusStyle("failed", "danger", "Rejected"),
}


class OpinionView(QWidget):
    """Form at the top, history below.

    Signals:
        decided: (`Decision`, comment) the user chose for the candidate shown.
    """

    decided = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self._reviews: tuple[Review, ...] = ()
        self._candidate = ""
        self.sign, self.words = QLabel(), heading("")
        self.comment = named(QPlainTextEdit(), self.tr("Comment"))
        self.comment.setPlaceholderText(
            self.tr("Your review notes; stored with this version")
        )
        self.comment.setTabChangesFocus(True)
        self.comment.setFixedHeight(theme().px(6))
        self.accept = push(self.tr("Accept"), lambda: self.decide(Decision.ACCEPTED))
        self.reject = push(self.tr("Reject"), lambda: self.decide(Decision.REJECTED))
        self.save = push(self.tr("Save Comment"), self._say)
        self.history = muted()
        self._lay_out()

    def _lay_out(self) -> None:
        vbox(
            hbox(self.sign, (self.words, 1)),
            self.comment,
            hbox(self.accept, self.reject, self.save, None),
            muted(
                self.tr(
                    "From now on a rejected version is never the best one and is not exported. "
                    "Credit that was given before stays."
                ),
                small=True,
            ),
            self.history,
            None,
            owner=self,
            margins=0.7,
            spacing=0.5,
        )

    def show_reviews(
        self, candidate: str, reviews: tuple[Review, ...], *, writable: bool
    ) -> None:
        """Show what was said about `candidate`; a comment being written for it stays."""
        fresh = candidate != self._candidate or reviews != self._reviews
        self._candidate, self._reviews = candidate, reviews
        last = reviews[-1] if reviews else None
        sign = LOOKS[self.decision]
        draw(self.sign, sign.icon, sign.role, 1.1)
        self.words.setText(sign.text)
        if fresh:
            self.comment.setPlainText(last.comment if last is not None else "")
        self.accept.setText(
            self.tr("Undo") if self.decision is Decision.ACCEPTED else self.tr("Accept")
        )
        self.reject.setText(
            self.tr("Undo") if self.decision is Decision.REJECTED else self.tr("Reject")
        )
        for widget in (self.accept, self.reject, self.save):
            widget.setEnabled(writable)
        self.comment.setReadOnly(not writable)
        lines = (
            f"{review.at[:16].replace('T', ' ')} · {review.actor} · {LOOKS[review.decision].text}"
            + (f": {review.comment}" if review.comment else "")
            for review in reversed(reviews)
        )
        self.history.setText("\n".join(lines))

    @property
    def decision(self) -> Decision:
        """What holds now."""
        return self._reviews[-1].decision if self._reviews else Decision.OPEN

    def decide(self, decision: Decision) -> None:
        """Accept or reject; what holds already is taken back."""
        if self._candidate:
            chosen = Decision.OPEN if decision is self.decision else decision
            self.decided.emit(chosen, self.comment.toPlainText().strip())

    def _say(self) -> None:
        self.decided.emit(self.decision, self.comment.toPlainText().strip())


def change(
    candidate: str, decision: Decision, comment: str
) -> Callable[[Workspace], Any]:
    """The change of the workspace that stores the word."""
    return lambda workspace: add_review(workspace, candidate, decision, comment)
