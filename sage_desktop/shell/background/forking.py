"""Fork from here: opens the editor on the round in front, has versions evaluated, and keeps one of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.errors import SageError
from sage_desktop.services import wiring
from sage_desktop.services.stoppable import STOP_SECONDS, Ended, Stoppable
from sage_desktop.shell.background.work import BackgroundWork
from sage_desktop.ui.translation import translated

if TYPE_CHECKING:
    from core.evaluation.port import Progress
    from core.evaluation.records import Evaluation
    from core.operators.spec import OperatorSpec
    from core.workspace import Workspace
    from remote.toolchains.preflight.client import Preflight
    from sage_desktop.panels.forking.dialog import Beginning, ForkDialog
    from sage_desktop.shell.main_window import MainWindow
    from sage_desktop.shell.session import WorkspaceSession
    from sage_desktop.ui.rounds.ask_bar import Subject


class Forking(BackgroundWork):
    """Serves the command `review.fork`; one editor at a time."""

    def __init__(self, window: MainWindow, session: WorkspaceSession) -> None:
        super().__init__(window)
        self._session = session
        # evaluations of the unchanged kernel: they make the first verdict quick
        self._ahead: list[Stoppable[Evaluation]] = []
        self._operator: OperatorSpec | None = None
        self._files: Mapping[str, str] = {}
        # kept while the editor is open: its start takes half a second
        self._lint: Preflight | None = None
        self.dialog: ForkDialog | None = None
        window.actions_.bind("review.fork", self._open)

    def _open(self) -> None:
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        subject = self._window.review.subject
        if subject is None or not subject.entry:
            self._window.toasts.show_message(
                self.tr("No kernel is selected."),
                self.tr("Choose a round with a kernel."),
                "warning",
            )
            return
        self._operations.ask(
            self, lambda workspace: _read(workspace, subject), self._show, topic="open"
        )

    def _show(self, answer: tuple[Beginning, OperatorSpec]) -> None:
        from sage_desktop.panels.forking.dialog import ForkDialog

        beginning, self._operator = answer
        dialog = self.dialog = ForkDialog(
            beginning, may_write=self._operations.can_write, parent=self._window
        )
        dialog.evaluation_wanted.connect(self._evaluate)
        dialog.continue_wanted.connect(self._continue)
        dialog.lesson_wanted.connect(self._teach)
        dialog.looked_up.connect(self._window.review.look_up)
        dialog.finished.connect(self._closed)
        dialog.show()
        self._operations.run_in_background(dialog, _names, dialog.editor.set_names)
        lint = self._lint = wiring.language_lint()
        self._operations.run_in_background(dialog, lint.warm_up, lambda _done: None)
        operator, soc = self._operator, self._soc
        self._ahead = [before for before in self._ahead if not before.wait(until=0)]
        # What fails here fails again, and is shown, when a version is evaluated.
        self._ahead.append(
            Stoppable(
                lambda: _prepared(operator, beginning.files, soc),
                lambda _outcome: None,
                "fork-ahead",
            )
        )

    def _closed(self, _result: int) -> None:
        self.dialog = None
        for ahead in self._ahead:
            ahead.stop()
        if self._lint is not None and self._call is None:
            self._lint.close()
            self._lint = None

    # ---- evaluating

    def _evaluate(self, files: dict[str, str]) -> None:
        """Evaluate a version on the twin of this computer; no files: stop the evaluation."""
        if not files or self._call is not None:
            self.stop()
            return
        operator, soc = self._operator, self._soc
        assert operator is not None
        self._files = files
        for ahead in self._ahead:
            ahead.stop()  # its compilers would take the cores; what is built stays
        lint, say = self._lint, self.progressed.emit
        self._call = Stoppable(
            lambda: _evaluated(operator, files, soc, lint, say),
            self._outcome_arrived.emit,
            "fork",
        )
        if self.dialog is not None:
            self.dialog.set_busy(self.tr("Evaluating on the CPU twin…"))

    def _say(self, words: str) -> None:
        if self.dialog is not None and self._call is not None:
            self.dialog.set_busy(translated(words))

    def _end(self, outcome: Ended[Evaluation]) -> None:
        self._call = None
        if self.dialog is None:
            self._closed(0)
            return
        if outcome.error is not None:
            self.dialog.set_busy("")
            self._tell(outcome.error, self.dialog.refuse)
        elif outcome.result is not None:
            self.dialog.show_verdict(self._files, outcome.result)
        else:
            self.dialog.set_busy("")
            self.dialog.message.say(self.tr("Cancelled"))

    # ---- keeping

    def _continue(self, files: dict[str, str], note: str, rounds: int) -> None:
        from core.engine import forking

        dialog = self.dialog
        assert dialog is not None
        beginning = dialog.beginning

        def change(workspace: Workspace) -> forking.Fork:
            return forking.fork(
                workspace, beginning.trajectory, beginning.round, files, note, rounds
            )

        def on_made(_made: forking.Fork) -> None:
            if self.dialog is not None:
                self.dialog.leave()
            self._tell_kept(beginning.operator)

        self._operations.write(
            self, change, on_made, topics=frozenset({"queue", "rounds"})
        )

    def _tell_kept(self, operator: str) -> None:
        """Show what continues from a person's version, and how."""
        if self._session.recorded is None:
            self._window.toasts.show_message(
                self.tr("{0} continues from your version.").format(operator),
                self.tr("It is next in the queue: start the run. It earns no credit."),
                "success",
            )
            return
        self._window.toasts.show_message(
            self.tr("{0} waits for a model.").format(operator),
            self.tr(
                "This workspace plays a recording, which has no replies to your version. "
                "Choose who writes the next ones."
            ),
        )
        self._window.actions_["queue.setup"].trigger()

    def _teach(self, files: dict[str, str], evaluation: Evaluation, note: str) -> None:
        dialog, operator = self.dialog, self._operator
        assert dialog is not None
        assert operator is not None
        from core.agent.learning.distillation import Attempt
        from core.agent.learning.lesson import keep_lesson, lesson_of
        from core.same_fields import record_of

        before = record_of(Attempt, dialog.beginning, diagnosis="")
        try:
            experience = lesson_of(operator, before, files, evaluation, note)
        except SageError as error:
            dialog.refuse(error)
            return

        def on_forked(uid: str) -> None:
            if self.dialog is not None:
                self.dialog.say(
                    self.tr("Kept as {0}: {1}").format(uid, experience.title)
                )

        self._operations.write(
            self,
            lambda workspace: keep_lesson(workspace, experience, note),
            on_forked,
            topics=frozenset({"memory"}),
        )

    def close(self) -> None:
        """End the evaluation that is running, and the preflight."""
        super().close()
        self._closed(0)
        # for all of them together: a window that closes does not wait longer
        until = time.monotonic() + STOP_SECONDS
        while self._ahead:
            self._ahead.pop().wait(until)


def _read(workspace: Workspace, subject: Subject) -> tuple[Beginning, OperatorSpec]:
    """The round in front, and its operator with the inputs its rounds were judged with."""
    from core.agent.run.journal import Journal
    from core.analysis.queries import queue_rows
    from core.engine.queue import operators_of
    from sage_desktop.panels.forking.dialog import Beginning

    row = queue_rows(workspace.db, [subject.entry])[subject.entry]
    journal = Journal(workspace)
    rounds = {entry.round: entry for entry in journal.rounds(row.trajectory_uid)}
    stored = rounds.get(subject.round)
    if stored is None or not stored.has_verdict:
        raise SageError(
            "Round {round} of {operator} was not evaluated.",
            "Choose a round that has a verdict.",
            round=subject.round,
            operator=subject.operator,
        )
    beginning = Beginning(
        operator=subject.operator,
        trajectory=row.trajectory_uid,
        round=stored.round,
        files=journal.candidate(stored.candidate).files,
        verdict=stored.verdict,
        cause=stored.cause,
        latency_us=stored.latency_us,
        latency_origin=stored.latency_origin,
        rounds_left=row.budget - stored.round,
    )
    return beginning, operators_of(workspace)(subject.operator)


def _names() -> dict[str, str]:
    from core.references.builtin import references_with
    from core.references.completion import completions

    return completions(references_with(wiring.user_folders()).sections)


async def _evaluated(
    operator: OperatorSpec,
    files: Mapping[str, str],
    soc: str,
    lint: Preflight | None,
    say: Progress,
) -> Evaluation:
    from core.evaluation.records import Candidate

    async with wiring.judge(usual=soc, lint=lint) as evaluator:
        return await evaluator.evaluate(operator, Candidate(dict(files)), say)


async def _prepared(
    operator: OperatorSpec, files: Mapping[str, str], soc: str
) -> Evaluation:
    from core.evaluation.records import Candidate

    # The unchanged version: the judge, what it expects and the other files are ready then.
    evaluator = wiring.twin_evaluator(soc)
    try:
        return await evaluator.evaluate(
            operator, Candidate(dict(files)), lambda _text: None
        )
    finally:
        await evaluator.close()
