"""A search field: filters as one types, after a short rest, and tells how much it found."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme

REST_MS = 120
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FilterBox(QLineEdit):
    """Line edit with a magnifier, a clear button and a count.

    Signals:
        changed: The text rests for 120 ms, or Enter was pressed.
        stepped: Enter (+1) or Shift+Enter (-1) was pressed.
    """

    changed = Signal(str)
    stepped = Signal(int)

    def __init__(self, hint: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setClearButtonEnabled(True)
        magnifier = icon("search", "muted")
        self.addAction(magnifier, QLineEdit.ActionPosition.LeadingPosition)
        self.count = QLabel(self)
        self.count.setProperty("muted", "true")
        self.count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.count.hide()
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(lambda: self.changed.emit(self.text()))
        self.textChanged.connect(lambda _text: self._rest.start())

    @property
    def waits_for_rest(self) -> bool:
        """Whether the text changed and `changed` was not emitted yet."""
        return self._rest.isActive()

    def filter_now(self) -> None:
        """Emit `changed` without waiting for the text to rest."""
        self._rest.stop()
        self.changed.emit(self.text())

    def set_count(self, matches: int | None) -> None:
        """Show how much was found; None shows nothing."""
        self.count.setVisible(matches is not None)
        if matches is not None:
            self.count.setText(self.tr("{0} found").format(matches))
            self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            if self.waits_for_rest:
                self.filter_now()
            backwards = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(-1 if backwards else 1)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Put the count in front of the clear button."""
        self.count.adjustSize()
        # The clear button is behind the count.
        button_width = theme().px(2)
        x = self.width() - self.count.width() - button_width
        y = (self.height() - self.count.height()) // 2
        self.count.move(x, y)
