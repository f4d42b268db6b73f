"""The words of one model call: reply with the reasoning folded above it, prompt as sent, live reply."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTabWidget, QTextEdit, QToolButton, QWidget

from core.analysis.model_calls import ModelCall
from core.models.pieces import Piece
from sage_desktop.panels.trajectory.live import LiveText
from sage_desktop.panels.trajectory.model import CallText
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import code_box, named
from sage_desktop.ui.widgets.stacking import vbox
from sage_desktop.ui.widgets.verdicts import purpose_text

_LIVE = 2  # tab


class CallTexts(QTabWidget):
    """Tabs: reply, prompt as sent, and the reply that is being written while there is one.

    Signals:
        unfolded: Whether the reasoning is shown now.
    """

    unfolded = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.reply = code_box(self.tr("Reply"))
        self.prompt = code_box(self.tr("Prompt as sent"))
        self.reasoning = code_box(self.tr("Reasoning"))
        self.live = named(LiveText(), self.tr("Reply being written"))
        self.thinking = named(QToolButton(), self.tr("Reasoning"))
        self.thinking.setCheckable(True)
        self.thinking.setProperty("flat", "true")
        self.thinking.toggled.connect(self._fold)
        self.prefix = muted()
        self._shared = 0
        reply_page = self._page(self.thinking, self.reasoning, self.reply)
        self.addTab(reply_page, self.tr("Reply"))
        self.addTab(self._page(self.prefix, self.prompt), self.tr("Prompt as Sent"))
        self.addTab(self.live, self.tr("Live"))
        self.setTabVisible(_LIVE, False)  # noqa: FBT003 - Qt's signature
        self.reasoning.hide()
        theme().changed.connect(self._mark)

    def _page(self, head: QWidget, *bodies: QWidget) -> QWidget:
        page = QWidget()
        column = vbox(head, owner=page, margins=(0.5, 0.5, 0, 0), spacing=0.5)
        for body in bodies:
            column.addWidget(body, 1)
        return page

    def show_call(self, text: CallText, call: ModelCall | None) -> None:
        """Show the texts of a call."""
        self.reply.setPlainText(text.reply)
        self.prompt.setPlainText(text.prompt)
        self.reasoning.setPlainText(text.reasoning)
        word_count = len(text.reasoning.split())
        self.thinking.setText(self.tr("Reasoning, {0:,} words").format(word_count))
        self.thinking.setVisible(bool(text.reasoning))
        self.reasoning.setVisible(bool(text.reasoning) and self.thinking.isChecked())
        percent = 100 * text.shared / len(text.prompt) if text.prompt else 0.0
        shared = text.shared if percent >= 0.5 else 0  # a common heading is no prefix
        prefix = text.prompt[:shared]
        self._shared = len(prefix.encode("utf-16-le")) // 2  # Qt counts UTF-16 units
        self._fold(self.thinking.isChecked())
        self._mark()
        words = self.tr("No shared prompt prefix with the previous call.")
        if shared:
            words = self.tr(
                "The highlighted prefix, {0:.0f} % of the prompt, is shared with the previous call: a "
                "prefix cache can reuse it."
            )
            words = words.format(percent)
        if call is not None and call.cached_tokens is not None:
            cached = self.tr("The server had {0:,} of {1:,} tokens cached.")
            cached = cached.format(call.cached_tokens, call.prompt_tokens or 0)
            words = f"{words} {cached}"
        self.prefix.setText(words)

    def show_text(self, text: str) -> None:
        """Show a text that is no model call."""
        self.show_call(CallText("", 0, text, ""), None)
        self.prefix.clear()

    def _fold(self, on: bool) -> None:
        """Show or hide the reasoning; a call without any has none to show."""
        drawing = "down-small" if on else "right-small"
        self.thinking.setIcon(icon(drawing, "muted"))
        self.thinking.setToolButtonStyle(
            self.thinking.toolButtonStyle().ToolButtonTextBesideIcon
        )
        self.reasoning.setVisible(on and bool(self.reasoning.toPlainText()))
        self.unfolded.emit(on)

    def _mark(self) -> None:
        """Paint the beginning the call before had too."""
        document = self.prompt.document()
        mark = QTextEdit.ExtraSelection()
        mark.cursor = QTextCursor(document)
        # The document may be shorter: it has one kind of line end only.
        mark.cursor.setPosition(min(self._shared, document.characterCount() - 1))
        mark.cursor.setPosition(0, QTextCursor.MoveMode.KeepAnchor)
        strength = 0.16 if theme().dark else 0.1
        mark.format.setBackground(theme().tint("success", strength))
        self.prompt.setExtraSelections([mark] if self._shared else [])

    def begin_stream(
        self, purpose: str, round_number: int, pieces: Sequence[Piece]
    ) -> None:
        """Show a reply being written from its beginning; who has nothing else to read sees it come."""
        title = self.tr("Live: {0}, round {1}")
        self.setTabText(_LIVE, title.format(purpose_text(purpose), round_number))
        self.setTabVisible(_LIVE, True)  # noqa: FBT003 - Qt's signature
        self.live.show_pieces(pieces)
        if not self.reply.toPlainText():
            self.setCurrentIndex(_LIVE)

    @property
    def following(self) -> bool:
        """Whether the reply being written is in front."""
        return self.currentIndex() == _LIVE

    def end_stream(self) -> None:
        """Hide the reply that was written: it is there as a call of its own."""
        self.live.show_pieces(())
        self.setTabVisible(_LIVE, False)  # noqa: FBT003 - Qt's signature
