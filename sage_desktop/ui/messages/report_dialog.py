"""A text to read and copy: the report of a bug, or what stands behind an error told in one sentence."""

from __future__ import annotations

import traceback
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QWidget,
)

from sage_desktop.ui.widgets.form import button_box, fit_to_screen, heading
from sage_desktop.ui.widgets.making import code_box, push
from sage_desktop.ui.widgets.stacking import vbox


def trace_text(error: BaseException) -> str:
    """The error with everything that led to it, without personal paths."""
    text = "".join(traceback.format_exception(error))
    return text.replace(str(Path.home()), "~")


class ReportDialog(QDialog):
    """Title, words, the text, and a button that copies it.

    Args:
        window_title: Of the dialog.
        title: One strong sentence.
        words: What to do with it, empty for nothing.
        report: The text.
        parent: Window above which it opens.
    """

    def __init__(
        self,
        window_title: str,
        title: str,
        words: str,
        report: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(window_title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        strong = heading(title, 1.15)
        words_label = QLabel(words)
        for label in (strong, words_label):
            label.setWordWrap(True)
        words_label.setVisible(bool(words))
        self.report = code_box(
            QCoreApplication.translate("ReportDialog", "Report"), report, flat=False
        )
        buttons = button_box(QDialogButtonBox.StandardButton.Close)
        self.copy = push(
            QCoreApplication.translate("ReportDialog", "Copy Report"),
            lambda: QGuiApplication.clipboard().setText(report),
        )
        self.copy.setDefault(True)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        vbox(strong, words_label, self.report, buttons, owner=self)
        fit_to_screen(self, 44, 24)
