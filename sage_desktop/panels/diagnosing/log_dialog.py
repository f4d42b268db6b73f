"""What the log of a build or run says: whose fault it was, the cause, the remedy, the lines that show it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)

from remote.diagnostics.families import Fault, Stage
from remote.diagnostics.log_report import LogReport, report_text
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.form import (
    button_box,
    fit_to_screen,
    framed,
    heading,
    muted,
    row_layout,
)
from sage_desktop.ui.widgets.making import code_box, drawn, named
from sage_desktop.ui.widgets.stacking import vbox

_AROUND = 2000  # lines of the log shown before and behind the cause
_LONGEST = 2000  # characters shown of a line
_LEAST_EMS = 12  # height of the log
_ALSO_ROWS = 4


class LogDialog(QDialog):
    """The report of one log, with the log itself around the cause.

    Args:
        report: Causes, remedy and evidence.
        log: The text the report is about.
        parent: The window.
    """

    def __init__(
        self, report: LogReport, log: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Diagnosis of {0}").format(report.source))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._report = report
        cause_line = report.evidence[0].line if report.evidence else 1
        # 0-based number of the first line shown: a log may have millions.
        self._first = max(0, cause_line - 1 - _AROUND)
        self.text = code_box(self.tr("The log around the cause"), flat=False)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setMinimumHeight(theme().px(_LEAST_EMS))
        self._fill(log)
        self.also = self._also_list()
        self._lay_out()
        self._mark()
        restyle_later(self, self._mark)
        self.text.setFocus()
        fit_to_screen(self, 56, 40)

    def _lay_out(self) -> None:
        report = self._report
        drawing, role, words = self._fault()
        picture = drawn(drawing, role, 1.4)
        self.fault = heading(words, 1.15)
        self.where = muted(self._place(), small=True)
        self.cause = QLabel(report.cause)
        theme().letter(self.cause, "code")
        self.remedy = QLabel(translated(report.remedy))
        for label in (self.cause, self.remedy):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column = vbox(
            row_layout(picture, (self.fault, 1)), self.where, owner=self, spacing=0.5
        )
        for title, widget, text in (
            (self.tr("Cause"), self.cause, True),
            (self.tr("Remedy"), self.remedy, bool(report.remedy)),
            (self.tr("Also in the log"), self.also, self.also.count() > 0),
            (self.tr("The log"), self.text, True),
        ):
            stretch = 1 if widget is self.text else 0  # the log takes the room
            head = heading(title)
            head.setHidden(not text)
            widget.setHidden(not text)
            column.addWidget(head)
            column.addWidget(widget, stretch)
        column.addWidget(self._buttons())

    def _buttons(self) -> QDialogButtonBox:
        buttons = button_box(QDialogButtonBox.StandardButton.Close)
        self.copy = QPushButton(icon("copy"), self.tr("Copy Report"))
        self.copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(report_text(self._report))
        )
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        return buttons

    def _fault(self) -> tuple[str, str, str]:
        """Drawing, colour and words for whose fault it is."""
        if not self._report.explained:
            return "help", "muted", self.tr("No cause found in the log")
        return {
            Fault.CANDIDATE: ("error", "danger", self.tr("Kernel fault")),
            Fault.MACHINE: (
                "hosts",
                "warning",
                self.tr("Environment fault; the round does not count"),
            ),
            Fault.UNCLEAR: (
                "help",
                "info",
                self.tr("The log does not show whether kernel or environment failed"),
            ),
        }[self._report.fault]

    def _place(self) -> str:
        """Log, line, stage and the candidate's file, as far as they are known."""
        report = self._report
        parts = [report.source]
        if report.evidence:
            parts.append(self.tr("line {0}").format(report.evidence[0].line))
        parts.append(self._stage(report.stage))
        if report.file and report.file_line:
            parts.append(f"{report.file}:{report.file_line}")
        elif report.file:
            parts.append(report.file)
        return " · ".join(parts)

    def _stage(self, stage: Stage) -> str:
        return {
            Stage.PROJECT: self.tr("setting up the project"),
            Stage.HOST: self.tr("compiling op_host"),
            Stage.KERNEL: self.tr("compiling op_kernel"),
            Stage.LINK: self.tr("linking"),
            Stage.PACKAGE: self.tr("packing and installing"),
            Stage.BINDING: self.tr("compiling the Python extension"),
            Stage.LOAD: self.tr("loading the libraries"),
            Stage.PYTHON: self.tr("the Python program"),
            Stage.RUN: self.tr("the run on the device"),
            Stage.CHECK: self.tr("the comparison of results"),
            Stage.ENVIRONMENT: self.tr("the environment"),
            Stage.UNKNOWN: self.tr("stage unknown"),
        }[stage]

    def _also_list(self) -> QListWidget:
        causes = named(
            QListWidget(), self.tr("Further causes; choose one to see its line")
        )
        framed(causes)
        words = self.tr("line {0} · {1}: {2}")
        for each in self._report.evidence[1:]:
            stage = self._stage(each.stage)
            item = QListWidgetItem(words.format(each.line, stage, each.cause))
            item.setToolTip(each.text)
            item.setData(Qt.ItemDataRole.UserRole, each.line)
            causes.addItem(item)
        causes.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        causes.ensurePolished()  # else the rows are measured without their padding
        rows = min(causes.count(), _ALSO_ROWS)
        height = rows * causes.sizeHintForRow(0)
        causes.setFixedHeight(height + theme().px(0.8))
        causes.currentItemChanged.connect(
            lambda item, _before: self._go(item.data(Qt.ItemDataRole.UserRole))
        )
        return causes

    def _fill(self, log: str) -> None:
        """Show the lines around the cause, each with its number."""
        behind = self._first + 2 * _AROUND
        lines = log.splitlines()[self._first : behind]
        width = len(str(self._first + len(lines)))
        numbered = [
            f"{number:>{width}}  {line[:_LONGEST]}"
            for number, line in enumerate(lines, start=self._first + 1)
        ]
        self.text.setPlainText("\n".join(numbered))

    def _mark(self) -> None:
        """Lay a tint over the lines of evidence, and show the cause's."""
        marks = []
        for index, each in enumerate(self._report.evidence):
            role = "danger" if index == 0 else "warning"  # the first one is the cause
            mark = QTextEdit.ExtraSelection()
            mark.cursor = self._cursor(each.line)
            mark.format.setBackground(theme().tint(role, 0.22))
            mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)  # noqa: FBT003
            marks.append(mark)
        self.text.setExtraSelections(marks)
        if self._report.evidence:
            self._go(self._report.evidence[0].line)

    def _cursor(self, line: int) -> QTextCursor:
        """A cursor at a line of the log, from 1."""
        block = self.text.document().findBlockByNumber(line - 1 - self._first)
        return QTextCursor(block)

    def _go(self, line: int) -> None:
        self.text.setTextCursor(self._cursor(line))
        self.text.centerCursor()
