"""Lets a person look into the kernel of any round: one diagnostic at a time, in the background."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from core.errors import SageError
from sage_desktop.services import settings_table
from sage_desktop.services.wiring import tools_of
from sage_desktop.shell.background.work import Answer, BackgroundWork
from sage_desktop.ui.rounds.ask_bar import AskBar, Subject
from sage_desktop.ui.translation import translated

if TYPE_CHECKING:
    from core.workspace import Workspace
    from remote.hosts.registry import HostRegistry
    from sage_desktop.panels.diagnosing.dialog import AskDialog, DiagnosticRequest
    from sage_desktop.shell.main_window import MainWindow

logger = logging.getLogger("diagnostics")
LOCAL = "local"


class Diagnosing(BackgroundWork):
    """Serves the `AskBar`s of the panels and the command that opens the dialog.

    Signals:
        answered: The `Answer` of a diagnostic that ended with a result, after it was stored
            where this window may write.
    """

    answered = Signal(object)

    def __init__(self, window: MainWindow, hosts: Callable[[], HostRegistry]) -> None:
        super().__init__(window)
        self._hosts = hosts
        self.dialog: AskDialog | None = None
        self._bars: list[AskBar] = []
        # Whether toolchains are imported, so that tools are known at once.
        self._is_loaded = False
        window.page_made.connect(self._serve_page)
        window.actions_.bind("review.diagnose", self._choose_here)
        window.profile_wanted.connect(self._profile)

    def _serve_page(self, number: int, _page: object) -> None:
        from sage_desktop.shell.main_window import REVIEW, TRAJECTORY

        window = self._window
        if number == REVIEW:
            findings = window.review.details.findings
            self._connect_bar(findings.bar, lambda: window.review.subject)
        elif number == TRAJECTORY:
            self._connect_bar(window.trajectory.bar, lambda: window.trajectory.subject)

    def _connect_bar(self, bar: AskBar, subject: Callable[[], Subject | None]) -> None:
        """Answer what a bar asks about a subject."""
        self._bars.append(bar)
        bar.asked.connect(lambda tool: self._begin(tool, subject()))
        bar.stopped.connect(self.stop)
        bar.menu.aboutToShow.connect(self.offer_tools)
        if self._is_loaded:
            self.offer_tools()

    def offer_tools(self) -> None:
        """Fill the menus with the tools of the judge that runs use now."""
        self._is_loaded = True
        toolchain = str(settings_table.value_of(self._preferences, "judge/toolchain"))
        for bar in self._bars:
            bar.offer(tools_of(toolchain))

    def _choose_here(self) -> None:
        from sage_desktop.shell.main_window import TRAJECTORY

        subject = self._window.review.subject
        if self._window.tabs.currentIndex() == TRAJECTORY:
            subject = self._window.trajectory.subject
        self._begin("", subject)

    def _begin(self, tool: str, subject: Subject | None) -> None:
        """Run a tool on a kernel; without a tool, let the user choose one.

        Without a kernel, or while a diagnostic runs, it only warns.
        """
        if subject is None:
            self._window.toasts.show_message(
                self.tr("No kernel is selected."),
                self.tr("Choose a round with a kernel."),
                "warning",
            )
        elif self._call is not None:
            self._window.toasts.show_message(
                self.tr("A diagnostic is running."), kind="warning"
            )
        elif tool:
            self.ask(self._usual(subject, tool))
        else:
            self._choose(subject)

    def _profile(self, subject: Subject, case: str) -> None:
        """Have the CPU twin of this computer count what a kernel moves and computes."""
        from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest

        if self._call is not None:
            self._window.toasts.show_message(
                self.tr("A diagnostic is running."), kind="warning"
            )
            self._window.refresh(frozenset({"rounds"}))  # it may be asked again
        else:
            self.ask(DiagnosticRequest(subject, "profile", case, soc=self._soc))

    def _usual(self, subject: Subject, tool: str) -> DiagnosticRequest:
        """A question to the judge that runs use, with no test case chosen."""
        from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest

        toolchain = str(settings_table.value_of(self._preferences, "judge/toolchain"))
        hosts = self._preferences.text("run/hosts", LOCAL) or LOCAL
        return DiagnosticRequest(
            subject, tool, hosts=hosts, toolchain=toolchain, soc=self._soc
        )

    def _choose(self, subject: Subject) -> None:
        from core.operators.catalogue import find_operator
        from sage_desktop.panels.diagnosing.dialog import AskDialog

        try:
            operator = find_operator(subject.source, subject.operator)
            names = tuple(self._hosts().settings())
        except SageError as error:
            self._window.toasts.show_error(error)
            return
        cases = tuple(
            case.name for case in operator.cases if not case.hidden and not case.big
        )
        usual = self._usual(subject, "")
        self.dialog = AskDialog(usual, cases, (LOCAL, *names), self._window)
        self.dialog.submitted.connect(self.ask)
        self.dialog.open()

    def ask(self, question: DiagnosticRequest) -> None:
        """Begin; what comes of it is kept with the candidate."""
        self.progressed.emit(self.tr("{0} started").format(question.tool))
        self._diagnose(question)

    def _say(self, words: str, *, busy: bool = True) -> None:
        for bar in self._bars:
            bar.show_work(translated(words), busy=busy)
        self._window.status.show_activity(translated(words) if busy else "")

    def _end(self, answer: Answer) -> None:
        self._call = None
        is_cancelled = not answer.result and not answer.error
        words = self.tr("Cancelled") if is_cancelled else ""
        self._say(words, busy=False)
        if answer.error is not None:
            self._tell(answer.error, self._window.toasts.show_error)
        elif answer.result is not None:
            logger.info("%s: %s", answer.result.tool, answer.result.summary)
            self._keep(answer)

    def _keep(self, answer: Answer) -> None:
        """Store the answer, where this window may; show it for itself where it may only read."""
        from core.analysis.inquiries import add_inquiry

        result, question = answer.result, answer.question
        assert result is not None
        if not self._operations.can_write:
            self._window.review.details.findings.show_answer(result)
            self.answered.emit(answer)
            return

        def store(workspace: Workspace) -> None:
            add_inquiry(
                workspace,
                question.subject.candidate,
                question.case,
                answer.judge,
                result,
                answer.seconds,
            )

        def stored(_none: object) -> None:
            review = self._window.review
            is_selected = review.subject == question.subject
            if is_selected:
                review.details.reveal(review.details.findings)
            if not (is_selected and review.isVisible()):
                self._announce(answer)
            review.refresh()
            self.answered.emit(answer)

        self._operations.write(self, store, stored, topics=frozenset({"rounds"}))

    def _announce(self, answer: Answer) -> None:
        """Announce the answer where another page or operator is in front."""
        result, subject = answer.result, answer.question.subject
        assert result is not None
        title = self.tr("{0} about {1}, round {2}").format(
            result.tool, subject.operator, subject.round
        )
        self._window.toasts.show_message(
            title, translated(result.summary), "success" if result.ok else "warning"
        )
