"""Runs a case once more on the CPU twin for the mismatch explorer: which core and line wrote each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import SageError
from sage_desktop.services.tracing import TOOL
from sage_desktop.shell.background.work import Answer, BackgroundWork
from sage_desktop.ui.translation import translated

if TYPE_CHECKING:
    from core.evaluation.records import DiagnosticResult
    from core.trace.mismatch import Mismatch
    from sage_desktop.panels.review.mismatch.map import MismatchView
    from sage_desktop.shell.main_window import MainWindow


class MismatchWriters(BackgroundWork):
    """Answers the mismatch explorer of the review, one question at a time."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._mismatch: Mismatch | None = None  # the output the call is about
        window.page_made.connect(self._serve_page)

    def _serve_page(self, number: int, _page: object) -> None:
        from sage_desktop.shell.main_window import REVIEW

        if number == REVIEW:
            self._view.writers_wanted.connect(self.ask)

    @property
    def _view(self) -> MismatchView:
        return self._window.review.details.mismatch

    def ask(self, case: str) -> None:
        """Trace a visible case of the newer version under review."""
        subject, dialog = self._window.review.subject, self._view.explorer
        mismatch = dialog.mismatch if dialog is not None else None
        if subject is None or dialog is None or mismatch is None:
            return
        if self._call is not None:
            dialog.refuse(
                self.tr("Another case is still running; ask again when it is done.")
            )
            return
        from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest

        self._mismatch = mismatch
        request = DiagnosticRequest(subject, TOOL, case, soc=self._soc)
        self._diagnose(request, "writers")

    def _say(self, words: str) -> None:
        dialog = self._view.explorer
        if dialog is not None and self._call is not None:
            dialog.show_progress(translated(words))

    def _end(self, answer: Answer) -> None:
        self._call = None
        result, mismatch = answer.result, self._mismatch
        if result is not None and mismatch is not None:
            self._operations.run_in_background(
                self,
                lambda: _take_writes(result, mismatch),
                lambda _none: self._show(mismatch),
                self._refuse,
            )
        elif answer.error is not None:
            self._tell(answer.error, self._refuse)

    def _show(self, mismatch: Mismatch) -> None:
        dialog = self._view.explorer
        if dialog is not None:
            dialog.show_writers(mismatch)

    def _refuse(self, error: SageError) -> None:
        dialog = self._view.explorer
        if dialog is not None:
            dialog.refuse(translated(error.message))


def _take_writes(result: DiagnosticResult, mismatch: Mismatch) -> None:
    """Note which copy wrote each element; takes a second for tens of millions."""
    from core.trace.writes import writes_of

    packed = result.attachments.get(TOOL, "")
    if not packed:
        raise SageError(
            "The case left no trace: {summary}.",
            "A diagnostic of it tells what went wrong.",
            summary=result.summary,
        )
    mismatch.take_writes(writes_of(packed))
