"""The kernel of a round in an editor: evaluate a version of it, continue from it, or keep what it teaches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextDocumentLayout,
    QSpinBox,
    QTabBar,
    QWidget,
)

from core.errors import SageError
from core.evaluation.records import FAULTS, CompilerMessage, Evaluation, Finding
from sage_desktop.panels.forking.editor import CodeEditor, EditorSearch
from sage_desktop.ui.diff.search import FindBar
from sage_desktop.ui.messages.confirm import confirm
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.form import (
    Message,
    fit_to_screen,
    heading,
    inset,
    muted,
)
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.stacking import boxed, hbox, split, vbox
from sage_desktop.ui.widgets.verdicts import (
    fault_text,
    latency_text,
    origin_text,
    verdict_look,
)

_PLACE = Qt.ItemDataRole.UserRole
_FINDINGS_SHARE = 0.38  # of the editor's height, at least


@dataclass(frozen=True)
class Beginning:
    """What is edited.

    Attributes:
        operator: Its name.
        trajectory: uid.
        round: Number.
        files: Path -> text of its kernel.
        verdict: Verdict class of the round.
        cause: Why it failed, empty where it did not.
        latency_us: Of its kernel; None where it was not timed.
        latency_origin: measured, modelled or replayed.
        rounds_left: Of the budget.
    """

    operator: str
    trajectory: str
    round: int
    files: Mapping[str, str]
    verdict: str
    cause: str
    latency_us: float | None
    latency_origin: str
    rounds_left: int


class ForkDialog(QDialog):
    """The dialog *Fork*; the window can be used beside it.

    Signals:
        evaluation_wanted: The files are to be evaluated; empty stops the evaluation.
        continue_wanted: (files, note, rounds) to continue from.
        lesson_wanted: (files, evaluation, note): keep what they teach.
        looked_up: A word to be looked up in the reference.
    """

    evaluation_wanted = Signal(dict)
    continue_wanted = Signal(dict, str, int)
    lesson_wanted = Signal(dict, object, str)
    looked_up = Signal(str)

    def __init__(
        self, beginning: Beginning, *, may_write: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = self.tr("Fork from {0}, Round {1}")
        self.setWindowTitle(title.format(beginning.operator, beginning.round))
        self.beginning = beginning
        self._may_write = may_write
        # The version evaluated last, with what came of it.
        self._judged: tuple[dict[str, str], Evaluation] | None = None
        self._busy = False
        self.files = named(QTabBar(), self.tr("Files of the kernel"))
        self.files.setExpanding(False)
        self.files.setDocumentMode(True)
        self.editor = named(CodeEditor(), self.tr("Your version"))
        self.find_bar = FindBar()
        self.search = EditorSearch(self.find_bar, self.editor)
        self.hint = muted(small=True)
        self.message = Message()
        self.findings = named(
            QListWidget(), self.tr("What the compiler and the twin say")
        )
        self.findings.setProperty("flat", "true")
        self.findings.setWordWrap(True)
        self.findings.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        self.findings.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.note = named(QLineEdit(), self.tr("Note"))
        self.note.setPlaceholderText(
            self.tr("What you changed, and why: the model reads it")
        )
        self.rounds = self._make_rounds()
        tip = self.tr("Compile, check and time it on the CPU twin (Ctrl+Return)")
        self.evaluate_button = push(self.tr("Evaluate"), self._evaluate, tip=tip)
        self.continue_button = push(self.tr("Continue from My Version"), self._continue)
        self.lesson_button = push(self.tr("Save as Lesson"), self._teach)
        self._documents = self._make_documents()
        self._lay_out()
        self._connect()
        self.show_file(next(iter(self._documents), ""))
        self._update()
        fit_to_screen(self, 72, 46)
        self.editor.setFocus()

    def _make_rounds(self) -> QSpinBox:
        box = named(QSpinBox(), self.tr("Rounds the model plays after your version"))
        box.setRange(1, 1000)
        box.setValue(max(5, self.beginning.rounds_left - 1))
        box.setSuffix(self.tr(" more rounds"))
        inset(box)
        return box

    def _make_documents(self) -> dict[str, QTextDocument]:
        """A document with its own undo for each file, the kernel first."""
        documents = {}
        files = self.beginning.files
        for path in sorted(files, key=lambda path: "op_kernel" not in path):
            document = QTextDocument(self)
            # a text that is passed on creation could be undone
            document.setPlainText(files[path])
            document.setDocumentLayout(QPlainTextDocumentLayout(document))
            document.setModified(False)
            document.contentsChanged.connect(self._update)
            documents[path] = document
            self.files.setTabData(self.files.addTab(path), path)
        return documents

    def _title(self) -> str:
        """Operator, round, and how its kernel was judged."""
        before = self.beginning
        latency = ""
        if before.latency_us:
            origin = origin_text(before.latency_origin)
            latency = f" · {latency_text(before.latency_us)} {origin}"
        verdict = verdict_look(before.verdict).text
        result = self.tr("Round {0}: {1}{2}").format(before.round, verdict, latency)
        return f"{before.operator} · {result}"

    def _lay_out(self) -> None:
        words = self.tr(
            "Your version becomes the next round of a run of its own, which earns no credit and counts in no "
            "metric; the original run is not changed."
        )
        answer = vbox(self.message, (self.findings, 1), None, margins=(0, 0.3, 0, 0))
        lower = boxed(answer)
        self.findings.hide()
        self.message.say(self.tr("Change the kernel, then evaluate it: Ctrl+Return."))
        editor = vbox(self.find_bar, (self.editor, 1), margins=0, spacing=0.2)
        upper = boxed(editor)
        self.splitter = split(Qt.Orientation.Vertical, upper, lower, stretch=(4, 1))
        self.splitter.setChildrenCollapsible(False)
        buttons = (self.evaluate_button, self.lesson_button, self.continue_button)
        for button in buttons:
            button.setAutoDefault(False)
        below = hbox((self.note, 1), self.rounds, *buttons)
        vbox(
            heading(self._title(), 1.2),
            muted(words),
            self.files,
            (self.splitter, 1),
            self.hint,
            below,
            owner=self,
            margins=(1.2, 1, 1.2, 0.9),
            spacing=0.5,
        )

    def _connect(self) -> None:
        self.files.currentChanged.connect(
            lambda index: self.show_file(self.files.tabData(index))
        )
        self.editor.looked_up.connect(self.looked_up)
        self.editor.offered.connect(self.hint.setText)
        self.findings.itemActivated.connect(self._go_to)
        self.findings.itemClicked.connect(self._go_to)
        for keys in (QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")):
            QShortcut(keys, self, self._evaluate)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.open)
        QShortcut(QKeySequence("F3"), self, lambda: self.search.step(1))
        QShortcut(QKeySequence("Shift+F3"), self, lambda: self.search.step(-1))

    def show_file(self, path: str) -> None:
        """Bring a file to the front."""
        if path in self._documents:
            self.editor.setDocument(self._documents[path])
            self.editor.take_document()
            self.search.again()
            # The tabs are in the order of the documents.
            self.files.setCurrentIndex(list(self._documents).index(path))

    def version(self) -> dict[str, str]:
        """Every file as it stands now."""
        return {
            path: document.toPlainText() for path, document in self._documents.items()
        }

    @property
    def is_changed(self) -> bool:
        """Whether anything differs from the kernel of the round."""
        return self.version() != dict(self.beginning.files)

    # ---- evaluating

    def _evaluate(self) -> None:
        if self._busy:
            self.evaluation_wanted.emit({})
        elif self.is_changed:
            self.evaluation_wanted.emit(self.version())

    def set_busy(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""
        self._busy = bool(words)
        if words:
            self._clear()
            self.message.say(words)
        self._update()

    def show_verdict(self, files: Mapping[str, str], evaluation: Evaluation) -> None:
        """Show what became of a version."""
        self._busy = False
        self._judged = (dict(files), evaluation)
        words = [
            verdict_look(evaluation.verdict.value).text,
            self._latency_words(evaluation),
            fault_text(evaluation),
            translated(evaluation.cause),
        ]
        kind = "success" if evaluation.correct else "danger"
        self.message.say(" · ".join(part for part in words if part), kind)
        self._list_findings(evaluation)
        if self.findings.count() and not evaluation.correct:
            self._go_to(self.findings.item(0))
        self._update()

    def _latency_words(self, evaluation: Evaluation) -> str:
        """Latency, its origin, and its change where the round's has the same origin."""
        latency = evaluation.latency
        if latency is None:
            return ""
        origin = latency.stored_origin
        words = f"{latency_text(latency.value)} {origin_text(origin)}"
        before = self.beginning.latency_us
        if before and origin == self.beginning.latency_origin:
            words += f" ({latency.value / before - 1:+.1%})"
        return words

    def _list_findings(self, evaluation: Evaluation) -> None:
        """List messages of a failed build, findings of checks, and visible cases that fail; those with a line first."""
        self._clear()
        build = evaluation.build
        rows: list[tuple[str, str, int]] = []
        if not build.ok:
            rows += [
                (message.text, message.file, message.line) for message in build.messages
            ]
        for finding in evaluation.findings:
            words = f"{finding.rule}: {translated(finding.message)}"
            rows.append((words, finding.file, finding.line))
        for case in evaluation.cases:
            if case.status not in ("pass", "skipped") and not case.hidden:
                reason = f"{translated(case.status)}: {translated(case.detail)}"
                rows.append((f"{case.case}: {reason}", "", 0))
        for words, path, line in sorted(rows, key=lambda row: not row[2]):
            self._add(words, path, line)
        self._mark_faults(evaluation)
        if rows:
            self._make_room()

    def _mark_faults(self, evaluation: Evaluation) -> None:
        """Mark the lines with errors and hazards; those with mere notes are listed alone."""
        reports: tuple[CompilerMessage | Finding, ...]
        reports = (*evaluation.build.messages, *evaluation.findings)
        places = []
        for report in reports:
            path = self._path_of(report.file)
            if path and report.line and report.severity in FAULTS:
                places.append((self._documents[path], report.line))
        self.editor.show_faults(places)

    def _make_room(self) -> None:
        """Several findings are read at once."""
        whole = sum(self.splitter.sizes())
        least = round(_FINDINGS_SHARE * whole)
        if self.splitter.sizes()[1] < least:
            self.splitter.setSizes([whole - least, least])

    def _path_of(self, tool_path: str) -> str:
        """The file whose path ends as the tool names it; empty where there is none."""
        if not tool_path:
            return ""
        paths = (path for path in self._documents if path.endswith(tool_path))
        return next(paths, "")

    def refuse(self, error: SageError) -> None:
        """Show what went wrong, and what to do."""
        self._busy = False
        self.message.refuse(error)
        self._update()

    def say(self, words: str) -> None:
        """Show that something was done."""
        self.message.say(words, "success")

    def _clear(self) -> None:
        self.findings.clear()
        self.findings.hide()
        self.editor.show_faults(())

    def _add(self, words: str, path: str, line: int) -> None:
        if path and line:
            words = f"{path}:{line}: {words}"
        item = QListWidgetItem(words)
        item.setData(_PLACE, (path, line))
        item.setToolTip(words)
        self.findings.addItem(item)
        self.findings.show()

    def _go_to(self, item: QListWidgetItem) -> None:
        """Go to the line an entry is about."""
        tool_path, line = item.data(_PLACE)
        path = self._path_of(tool_path)
        if path:
            self.show_file(path)
            self.editor.go_to(line)

    def _continue(self) -> None:
        self.continue_wanted.emit(self.version(), self.note.text(), self.rounds.value())

    def _teach(self) -> None:
        if self._judged is not None:
            self.lesson_wanted.emit(*self._judged, self.note.text())

    def _update(self) -> None:
        """Enable what can be done now; tool tips say why the rest cannot."""
        version = self.version()
        is_changed = self.is_changed
        is_evaluated = self._judged is not None and self._judged[0] == version
        may_write = self._may_write and not self._busy
        evaluate = self.tr("Stop") if self._busy else self.tr("Evaluate")
        self.evaluate_button.setText(evaluate)
        self.evaluate_button.setEnabled(self._busy or is_changed)
        self.continue_button.setEnabled(is_changed and may_write)
        self.lesson_button.setEnabled(is_evaluated and may_write)
        change_first = "" if is_changed else self.tr("Change something first.")
        evaluate_first = "" if is_evaluated else self.tr("Evaluate your version first.")
        if not self._may_write:
            reading = self.tr("Another process is using this workspace.")
            change_first = evaluate_first = reading
        self.continue_button.setToolTip(change_first)
        self.lesson_button.setToolTip(evaluate_first)
        for index, (path, text) in enumerate(version.items()):
            is_own = text != self.beginning.files[path]
            self.files.setTabText(index, f"{path} •" if is_own else path)

    # ---- leaving

    def leave(self) -> None:
        """Close without a question: what was edited is kept elsewhere."""
        self.evaluation_wanted.emit({})
        super().reject()

    def reject(self) -> None:
        """Escape, and the title bar's X by way of `QDialog.closeEvent`."""
        if not self.is_changed:
            self.leave()
            return
        confirm(
            self,
            self.tr("Discard your version?"),
            self.tr("It has not been saved anywhere yet."),
            (self.tr("Keep Editing"), lambda: None),
            (self.tr("Discard"), self.leave),
            "warning",
        )
