"""What compilers, checks and diagnostics report about a version: read as messages, listed beside the code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from core.analysis.inquiries import BY_USER, Inquiry
from core.evaluation.records import DiagnosticResult, Evaluation, Finding, Severity
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.diff.document import Mark
from sage_desktop.ui.diff.painter import MARK_ICONS
from sage_desktop.ui.icons import icon
from sage_desktop.ui.messages.report_dialog import ReportDialog
from sage_desktop.ui.rounds.ask_bar import AskBar
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.eliding_label import wrapped
from sage_desktop.ui.widgets.stacking import stacked

_tr = partial(QCoreApplication.translate, "ReviewVersions")

ANSWER = "answer"  # severity of a diagnostic as a whole that found nothing wrong
_ORDER = {
    Severity.ERROR.value: 0,
    Severity.HAZARD.value: 1,
    Severity.WARNING.value: 2,
}
_LOOKS = {**MARK_ICONS, ANSWER: ("search", "info")}
_INDENT = "    "


@dataclass(frozen=True)
class Message:
    """A finding or compiler message with its place.

    Attributes:
        severity: Of `Severity`, or `ANSWER`.
        text: One line.
        path: File, as the tool names it; empty when unknown.
        line: From 1, 0 when unknown.
        detail: Where and how often, or which compiler.
        answer: The diagnostic this message stands for as a whole.
        notes: What the compiler adds: candidates, declarations, where a template was used.
    """

    severity: str
    text: str
    path: str
    line: int
    detail: str
    answer: DiagnosticResult | None = None
    notes: tuple[Message, ...] = ()

    @property
    def key(self) -> tuple[str, str, int]:
        """Equal for the same message read twice."""
        return self.text, self.path, self.line


def messages_of(pair: VersionPair) -> tuple[Message, ...]:
    """Everything reported about the newer version."""
    return (*messages(pair.evaluation), *answers(pair.answers))


def messages(evaluation: Evaluation | None) -> tuple[Message, ...]:
    """Findings and compiler messages of an evaluation, errors first."""
    if evaluation is None:
        return ()
    compiler = evaluation.build.compiler
    of_compiler = [
        Message(message.severity, message.text, message.file, message.line, compiler)
        for message in evaluation.build.messages
    ]
    of_checks = [_message(finding) for finding in evaluation.findings]
    return _in_order(of_checks + _with_notes(of_compiler))


def answers(
    inquiries: Sequence[tuple[Inquiry, DiagnosticResult]],
) -> tuple[Message, ...]:
    """The answers of diagnostics: each as a whole, then its findings."""
    listed: list[Message] = []
    for inquiry, result in inquiries:
        summary = f"{inquiry.tool}: {translated(inquiry.summary)}"
        severity = ANSWER if inquiry.ok else Severity.WARNING.value
        detail = _inquiry_text(inquiry)
        listed.append(Message(severity, summary, "", 0, detail, result))
        listed += _in_order([_message(finding) for finding in result.findings])
    return tuple(listed)


def _inquiry_text(inquiry: Inquiry) -> str:
    """Who ran a diagnostic, when, how long it took and where."""
    author = _tr("run by the model")
    if inquiry.by == BY_USER:
        author = _tr("run by you")
    minute = inquiry.at[:16].replace("T", " ")
    duration = f"{inquiry.seconds:.1f} s"
    parts = (author, minute, duration, translated(inquiry.judge))
    return " · ".join(part for part in parts if part)


def marks_of(path: str, messages: Sequence[Message]) -> dict[int, tuple[Mark, ...]]:
    """The messages that belong to lines of `path`, by 0-based line."""
    marks: dict[int, tuple[Mark, ...]] = {}
    notes = [note for message in messages for note in message.notes]
    for message in (*messages, *notes):
        # A tool may name a file without its folders.
        is_of_file = bool(message.path) and path.endswith(message.path)
        if not is_of_file or message.line <= 0:
            continue
        line = message.line - 1
        mark = Mark(message.severity, message.text)
        of_line = marks.get(line, ())
        if mark not in of_line:
            marks[line] = (*of_line, mark)
    return marks


def worst_of(severities: Iterable[str]) -> str:
    """The severity that a file is marked with; empty where nothing needs a look."""
    serious = [severity for severity in severities if severity in _ORDER]
    return min(serious, key=_ORDER.__getitem__, default="")


def _with_notes(of_compiler: Sequence[Message]) -> list[Message]:
    """Put notes under the error or warning before them, leading ones under the first."""
    grouped: list[Message] = []
    leading: list[Message] = []
    for message in of_compiler:
        if message.severity != Severity.NOTE.value:
            grouped.append(replace(message, notes=tuple(leading)))
            leading = []
        elif grouped:
            last = grouped[-1]
            grouped[-1] = replace(last, notes=(*last.notes, message))
        else:
            leading.append(message)
    return grouped + leading


def _message(finding: Finding) -> Message:
    """A finding as a message; where and how often it was becomes the detail."""
    parts = []
    if finding.core >= 0:
        parts.append(_tr("core {0}").format(finding.core))
    if finding.case:
        parts.append(_tr("case {0}").format(finding.case))
    if finding.limit:
        parts.append(_tr("limit {0}").format(finding.limit))
    if finding.count > 1:
        parts.append(_tr("{0} times").format(finding.count))
    detail = ", ".join(parts)
    text = finding.message
    if finding.call:
        text = f"{finding.call}: {finding.message}"
    severity = finding.severity.value
    return Message(severity, text, finding.file, finding.line, detail)


def _in_order(unordered: Sequence[Message]) -> tuple[Message, ...]:
    """The most severe first; those of one severity stay in their order."""
    return tuple(sorted(unordered, key=_rank))


def _rank(message: Message) -> int:
    return _ORDER.get(message.severity, len(_ORDER))


class MessageList(QListWidget):
    """The messages; the notes of each behind a row that opens them.

    Signals:
        jumped: (path, 1-based line) the user wants to see.
        opened: The `DiagnosticResult` the user wants to read.
    """

    jumped = Signal(str, int)
    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setAccessibleName(self.tr("Messages of compiler and checks"))
        self.itemActivated.connect(self._jump)
        self.itemClicked.connect(self._jump)
        self._messages: tuple[Message, ...] = ()
        # What each row stands for, and whether a click on it opens the notes.
        self._rows: list[tuple[Message, bool]] = []
        # Keys of messages whose notes are listed; they outlive a new list.
        self._opened: set[tuple[str, str, int]] = set()

    def show_messages(self, messages: tuple[Message, ...]) -> None:
        """List `messages`."""
        self._messages = messages
        self._rows = []
        self.clear()
        for message in messages:
            self._add(message)
            if message.notes:
                self._add_notes(message)

    def _add_notes(self, message: Message) -> None:
        opened = message.key in self._opened
        words = self.tr("%n compiler note(s)", "", len(message.notes))
        drawing = "down-small" if opened else "right-small"
        self.addItem(QListWidgetItem(icon(drawing, "muted"), words))
        self._rows.append((message, True))
        if opened:
            for note in message.notes:
                self._add(note, indent=_INDENT)

    def _add(self, message: Message, indent: str = "") -> None:
        drawing, role = _LOOKS.get(message.severity, MARK_ICONS["note"])
        place = f"{message.path}:{message.line}" if message.line else message.path
        below = " · ".join(part for part in (place, message.detail) if part)
        lines = [indent + line for line in (message.text, below) if line]
        item = QListWidgetItem(icon(drawing, role), "\n".join(lines))
        # The drawing shows the severity, which a screen reader cannot see.
        accessible = f"{message.severity}: {message.text} {place}"
        item.setData(Qt.ItemDataRole.AccessibleTextRole, accessible)
        tip = message.text
        if message.answer is not None:
            tip = self.tr("{0}\nClick to read the full report with its log.")
            tip = tip.format(message.text)
        item.setToolTip(wrapped(tip))
        self._rows.append((message, False))
        self.addItem(item)

    def _jump(self, item: QListWidgetItem) -> None:
        """Do what a row is for: list the notes, open the report, or go to the line."""
        row = self.row(item)
        message, opens_notes = self._rows[row]
        if opens_notes:
            self._opened ^= {message.key}
            top = self.verticalScrollBar().value()
            self.show_messages(self._messages)
            self.setCurrentRow(row)
            self.verticalScrollBar().setValue(top)
        elif message.answer is not None:
            self.opened.emit(message.answer)
        elif message.path and message.line:
            self.jumped.emit(message.path, message.line)


class FindingsPage(QWidget):
    """The messages, with the button that asks tools for more above them."""

    def __init__(self) -> None:
        super().__init__()
        self.bar = AskBar()
        self.list = MessageList()
        self.list.opened.connect(self.show_answer)
        self.answer: ReportDialog | None = None
        stacked(self, self.bar, self.list)

    def show_answer(self, result: DiagnosticResult) -> None:
        """Show the whole answer of a diagnostic with its log."""
        from core.evaluation.diagnostic_text import diagnostic_text

        summary = translated(result.summary)
        text = diagnostic_text(result)
        title = self.tr("Diagnostic Report")
        self.answer = ReportDialog(title, result.tool, summary, text, self)
        self.answer.open()
