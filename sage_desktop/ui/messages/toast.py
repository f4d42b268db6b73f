"""Short messages in the lower right corner of the window. Errors and offers stay until read, others leave.

What there is to know beyond one sentence stands behind *Details*.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from core.errors import SageError
from sage_desktop.ui.icons import icon
from sage_desktop.ui.messages.opening import open_with_desktop
from sage_desktop.ui.messages.report_dialog import ReportDialog, trace_text
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.form import text_label
from sage_desktop.ui.widgets.making import drawn, named, tool
from sage_desktop.ui.widgets.stacking import hbox, vbox

SHOWN_MS = 6000
OFFERED_MS = 20_000  # of an offer that is also in a menu, such as Undo
_MOST = 3
Offer = tuple[str, Callable[[], object]]  # words of a button, and what it does
_KINDS = {"info": "info", "success": "done", "warning": "warning", "danger": "error"}


class Toast(QFrame):
    """One message: icon, what happened, what to do, a close button; `details` is the text behind it."""

    def __init__(
        self,
        text: str,
        hint: str,
        kind: str,
        details: str,
        parent: QWidget,
        offer: Offer | None = None,
        second: Offer | None = None,
        *,
        brief: bool = False,
    ) -> None:
        super().__init__(parent)
        self._text, self._hint, self._details = text, hint, details
        self.setProperty("card", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(f"{text} {hint}")
        picture = drawn(_KINDS[kind], kind, 1.25)
        words = vbox(spacing=0.15)
        for line, muted in ((text, False), (hint, True)):
            if line:
                words.addWidget(text_label(line, muted=muted))
        self.more = tool(self._show_details, self.tr("Details…"))
        self.more.setVisible(bool(details))
        words.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.offer = self._button(offer, words)
        self.second = self._button(second, words)
        close = named(QToolButton(), self.tr("Close message"))
        close.setIcon(icon("close", "muted"))
        close.clicked.connect(self.close)
        hbox(
            (picture, Qt.AlignmentFlag.AlignTop),
            (words, 1),
            (close, Qt.AlignmentFlag.AlignTop),
            owner=self,
            margins=(0.7, 0.6, 0.4, 0.6),
            spacing=0.6,
        )
        self.setFixedWidth(theme().px(26))
        self.adjustSize()
        time_ms = SHOWN_MS if offer is None else OFFERED_MS
        self._leave = QTimer(self, singleShot=True, interval=time_ms)
        self._leave.timeout.connect(self._close_unread)
        self._stays = kind == "danger" or (offer is not None and not brief)
        if not self._stays:
            self._leave.start()

    def _close_unread(self) -> None:
        """Its time is over: it goes, unless the mouse is over it.

        The place of the mouse counts, not the last enter event: a dialog that closes
        over a toast takes the leave event with it.
        """
        mouse = self.mapFromGlobal(QCursor.pos())
        if self.rect().contains(mouse):
            self._leave.start()
        else:
            self.close()

    def _button(self, offer: Offer | None, words: QVBoxLayout) -> QToolButton:
        """A button below the words; a hidden one where nothing is offered."""
        button = QToolButton()
        button.setVisible(offer is not None)
        if offer is not None:
            text, do = offer
            button.setText(text)
            button.clicked.connect(self.close)
            button.clicked.connect(do)
            words.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return button

    def _show_details(self) -> None:
        """Open what stands behind the message, which closes."""
        title, window = self.tr("Details"), self.window()
        ReportDialog(title, self._text, self._hint, self._details, window).show()
        self.close()


class Toasts(QObject):
    """Stacks toasts over `window`, the newest lowest."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.shown: list[Toast] = []
        window.installEventFilter(self)

    @property
    def texts(self) -> list[str]:
        """What is on screen now, oldest first."""
        return [toast.accessibleName() for toast in self.shown]

    def show_message(
        self,
        text: str,
        hint: str = "",
        kind: str = "info",
        details: str = "",
        offer: Offer | None = None,
        second: Offer | None = None,
        *,
        brief: bool = False,
    ) -> Toast | None:
        """Show one message; `kind` is info, success, warning or danger. Equal messages are shown once.

        `details` is a longer text that a button shows, empty for none; `offer` and `second` are buttons of
        another kind. A message with one stays until it is closed, unless it is `brief`: then it leaves, at
        the latest when the next one offers the same, as Undo does after every step.

        Returns:
            The message, for who takes it back when it is no longer true; None for one shown already.
        """
        if f"{text} {hint}" in self.texts:
            return None
        if brief and offer is not None:
            self._replace(offer[0])
        while len(self.shown) >= _MOST:
            self.shown.pop(0).close()
        toast = Toast(
            text, hint, kind, details, self._window, offer, second, brief=brief
        )
        self.shown.append(toast)
        toast.destroyed.connect(lambda: self._forget(toast))
        toast.show()
        self._place()
        return toast

    def _replace(self, words: str) -> None:
        """Close what offers the same by a button of these words."""
        for toast in [toast for toast in self.shown if toast.offer.text() == words]:
            self.shown.remove(toast)
            toast.close()

    def take_back(self, toast: Toast | None) -> None:
        """Close a message that is no longer true, where it still stands."""
        if toast in self.shown:
            toast.close()

    def clear(self) -> None:
        """Close all messages."""
        for toast in list(self.shown):
            toast.close()

    def folder_offer(self, folder: Path) -> Offer:
        """A button that shows a folder in the file manager."""
        return self.tr("Open Folder"), lambda: self.open(folder)

    def open(self, path: Path) -> None:
        """Let the desktop open a file or folder; where it cannot, say where it is."""
        if not open_with_desktop(path):
            self.show_message(
                self.tr("{0} could not be opened.").format(path),
                self.tr("The desktop has no program for it."),
                "warning",
            )

    def show_error(self, error: SageError) -> None:
        """Tell an error the user can fix; where it came from stands behind *Details*."""
        what = translated(error.what)
        remedy = translated(error.remedy)
        self.show_message(what, remedy, "danger", trace_text(error))

    def _forget(self, toast: Toast) -> None:
        """The others stay where they are: a person may be about to press one."""
        if toast in self.shown:
            self.shown.remove(toast)

    def _place(self) -> None:
        """Stack the messages from the lower right corner up, above the status bar."""
        # The window may go, and its messages with it.
        if not shiboken6.isValid(self) or not shiboken6.isValid(self._window):
            return
        look = theme()
        margin = look.px(1)
        gap = look.px(1) // 2
        bottom = self._window.height() - look.px(2) - margin
        for toast in reversed(self.shown):
            layout = present(toast.layout())
            height = layout.totalHeightForWidth(toast.width())
            toast.setFixedHeight(height + look.px(0.5))
            x = self._window.width() - toast.width() - margin
            toast.move(x, bottom - toast.height())
            toast.raise_()
            bottom -= toast.height() + gap

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)
