"""The reference beside the window: looks a name or words up while the kernel stays in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QDialog, QLineEdit, QTextBrowser, QWidget

from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.form import fit_to_screen
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.stacking import hbox, vbox

if TYPE_CHECKING:
    # With numpy, which the first window does not need.
    from core.references.look_up import Found, References

_DIALECT = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)


class ReferenceDialog(QDialog):
    """A field for names or words and what was found; does not keep the window from being used.

    Args:
        operations: Runs the look-up outside the window's thread.
        parent: Window beside which it opens.
    """

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("API Reference"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self._operations = operations
        self._references: References | None = None
        self.box = named(QLineEdit(), self.tr("What to look up"))
        self.box.setPlaceholderText(self.tr("A name, a part of one, or words"))
        self.box.setClearButtonEnabled(True)
        self.box.returnPressed.connect(self._look_up)
        self.button = push(self.tr("Look Up"), self._look_up)
        self.button.setDefault(True)
        self.text = named(QTextBrowser(), self.tr("What the reference says"))
        self.text.setOpenLinks(False)
        self.text.setProperty("flat", "true")
        question = hbox((self.box, 1), self.button)
        vbox(question, (self.text, 1), owner=self)
        fit_to_screen(self, 48, 34)

    def look_up(self, words: str) -> None:
        """Show what a name or words lead to; empty words leave the page as it is."""
        self.box.setText(words)
        if not words.strip():
            self.box.setFocus()
            return
        references = self._references
        self._operations.run_in_background(
            self, lambda: _look_up(references, words), self._show
        )

    def _look_up(self) -> None:
        self.look_up(self.box.text())

    def _show(self, answer: tuple[References, Found]) -> None:
        self._references, hits = answer
        if not hits.sections:
            words = self.tr("Nothing was found for “{0}”.")
            self.text.setPlainText(words.format(hits.query))
            return
        self.text.document().setMarkdown(hits.text, _DIALECT)
        self.text.moveCursor(self.text.textCursor().MoveOperation.Start)


def _look_up(references: References | None, words: str) -> tuple[References, Found]:
    """Outside the window's thread: the user's folders are read at the first look-up."""
    if references is None:
        from core.references.builtin import references_with
        from sage_desktop.services.wiring import user_folders

        references = references_with(user_folders())
    return references, references.find(words)
