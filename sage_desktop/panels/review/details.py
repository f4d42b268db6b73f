"""Beside the code: messages of compiler and checks, results per case, diagnosis."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QWidget,
)

from core.evaluation.records import (
    CaseResult,
    DiagnosticResult,
    ErrorStatistics,
    Evaluation,
)
from sage_desktop.panels.review.findings import ANSWER, Message
from sage_desktop.ui.diff.painter import MARK_ICONS
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.ask_bar import AskBar
from sage_desktop.ui.widgets.report_dialog import ReportDialog
from sage_desktop.ui.widgets.rows import align_numbers, make_reading_table
from sage_desktop.ui.widgets.stacking import stacked
from sage_desktop.ui.widgets.verdicts import latency_text, small_number
from sage_desktop.ui.widgets.writing import RIGHT

_LOOKS = {**MARK_ICONS, ANSWER: ("search", "info")}
_INDENT = "    "
_CASE_LOOKS = {
    "pass": ("done", "success"),
    "wrong-result": ("failed", "danger"),
    "wrong-shape": ("failed", "danger"),
    "wrong-dtype": ("failed", "danger"),
    "run-error": ("error", "danger"),
    "skipped": ("cancelled", "muted"),
}


class MessageList(QListWidget):
    """Findings and compiler messages, errors first.

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
        self._found: tuple[Message, ...] = ()
        self._rows: list[
            tuple[Message, bool]
        ] = []  # of each row: its message, whether it opens the notes of it
        self._opened: set[tuple[str, str, int]] = (
            set()
        )  # messages whose notes are listed

    def show_messages(self, found: tuple[Message, ...]) -> None:
        """List `found`; the notes of each behind a row that opens them."""
        self._found = found
        self._rows = []
        self.clear()
        for message in found:
            self._add(message)
            if message.notes:
                opened = _key(message) in self._opened
                words = self.tr("%n compiler note(s)", "", len(message.notes))
                drawing = "down-small" if opened else "right-small"
                self.addItem(QListWidgetItem(icon(drawing, "muted"), words))
                self._rows.append((message, True))
                for note in message.notes if opened else ():
                    self._add(note, indent=_INDENT)

    def _add(self, message: Message, indent: str = "") -> None:
        drawing, role = _LOOKS.get(message.severity, MARK_ICONS["note"])
        place = f"{message.path}:{message.line}" if message.line else message.path
        lines = [
            message.text,
            " · ".join(part for part in (place, message.detail) if part),
        ]
        item = QListWidgetItem(
            icon(drawing, role), "\n".join(indent + line for line in lines if line)
        )
        item.setData(
            Qt.ItemDataRole.AccessibleTextRole,
            f"{message.severity}: {message.text} {place}",
        )
        item.setToolTip(message.text)
        if message.answer is not None:
            tip = self.tr("{0}\nClick to read the full report with its log.")
            item.setToolTip(tip.format(message.text))
        self._rows.append((message, False))
        self.addItem(item)

    def _jump(self, item: QListWidgetItem) -> None:
        row = self.row(item)
        message, opens = self._rows[row]
        if opens:
            self._opened ^= {_key(message)}
            top = self.verticalScrollBar().value()
            self.show_messages(self._found)
            self.setCurrentRow(row)
            self.verticalScrollBar().setValue(top)
        elif message.answer is not None:
            self.opened.emit(message.answer)
        elif message.path and message.line:
            self.jumped.emit(message.path, message.line)


def _key(message: Message) -> tuple[str, str, int]:
    return message.text, message.path, message.line


class FindingsPage(QWidget):
    """Messages and findings, with the button that asks tools for more above them."""

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

        words = translated(result.summary)
        text = diagnostic_text(result)
        self.answer = ReportDialog(
            self.tr("Diagnostic Report"), result.tool, words, text, self
        )
        self.answer.open()


class CaseTable(QTableWidget):
    """One row a test case: status, dtype, errors, latency."""

    def __init__(self) -> None:
        super().__init__(0, 6)
        self.setHorizontalHeaderLabels(
            [
                self.tr("Case"),
                self.tr("dtype"),
                self.tr("max abs"),
                self.tr("max rel"),
                self.tr("ulp"),
                self.tr("Latency"),
            ]
        )
        align_numbers(self, 2)
        self.setAccessibleName(self.tr("Results of the test cases"))
        # names are whole; what has no room is scrolled to
        make_reading_table(self).setStretchLastSection(True)

    def show_cases(self, evaluation: Evaluation | None) -> None:
        """List the cases of `evaluation`; hidden cases show their status only."""
        cases = evaluation.cases if evaluation is not None else ()
        self.setRowCount(len(cases))
        self.verticalHeader().setDefaultSectionSize(theme().px(1.7))
        for number, case in enumerate(cases):
            worst = worst_of(case)
            name = (
                self.tr("{0} (hidden)").format(case.case) if case.hidden else case.case
            )
            texts = [name, case.dtype, *_error_texts(worst)]
            texts.append(
                latency_text(case.latency.value) if case.latency is not None else ""
            )
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if column == 0:
                    item.setIcon(icon(*_CASE_LOOKS.get(case.status, ("help", "muted"))))
                elif column > 1:
                    item.setTextAlignment(RIGHT)
                status = translated(case.status)
                tip = f"{status}: {translated(case.detail)}" if case.detail else status
                item.setToolTip(f"{name}\n{tip}")
                item.setData(
                    Qt.ItemDataRole.AccessibleTextRole,
                    f"{text} ({tip})" if column == 0 else text,
                )
                self.setItem(number, column, item)


class DiagnosisView(QTextBrowser):
    """The generator's diagnosis and the query it led to."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("flat", "true")
        self.setAccessibleName(self.tr("Diagnosis"))
        self.document().setDocumentMargin(theme().px(0.6))

    def loadResource(self, _kind: int, _name: QUrl | str) -> QImage:
        """A point, never what is named: a model wrote the text, and would have any file or pipe opened.

        With nothing at all Qt looks for a file of that name by itself.
        """
        return QImage(1, 1, QImage.Format.Format_Mono)

    def show_round(self, diagnosis: str, query: str, *, cause: str) -> None:
        """Show what was thought before this round and what came of it."""
        parts = []
        for title, text in (
            (self.tr("Diagnosis before this round"), diagnosis),
            (self.tr("Memory query"), query),
            (self.tr("Outcome"), cause),
        ):
            if text:
                parts.append(f"#### {title}\n\n{_escaped(text)}")
        self.setMarkdown(
            "\n\n".join(parts) or self.tr("Nothing was diagnosed in this round.")
        )


def _escaped(text: str) -> str:
    return "\n".join(
        line.replace("<", "&lt;").replace("#", "\\#") for line in text.splitlines()
    )


def worst_of(case: CaseResult) -> ErrorStatistics | None:
    """Statistics of the output with the largest absolute error."""
    return max(case.statistics, key=lambda entry: entry.max_abs, default=None)


def _error_texts(worst: ErrorStatistics | None) -> list[str]:
    if worst is None:
        return ["", "", ""]
    return [
        small_number(worst.max_abs),
        small_number(worst.max_rel),
        small_number(worst.max_ulp),
    ]
