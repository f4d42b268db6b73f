"""What an empty panel shows instead of nothing: what belongs here and what to do about it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.button_row import offer_of
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import draw, drawn, on_base
from sage_desktop.ui.widgets.stacking import hbox, vbox


class EmptyState(QWidget):
    """An icon, one line and a hint, in the middle, with a button for each command that is named.

    Args:
        drawing: Name of the icon.
        title: What is not there yet.
        hint: What to do about it.
        offers: The commands the hint speaks of.
    """

    def __init__(self, drawing: str, title: str, hint: str, *offers: QAction) -> None:
        super().__init__()
        on_base(self)
        self._drawing = drawing
        picture = self._picture = drawn(drawing, "muted", 3)
        # A method: the connection ends with the page, as that of a lambda would not.
        theme().changed.connect(self._redraw)
        self.title = heading(title, 1.1)
        self.hint = muted(hint)
        for label in (picture, self.title, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._offers = {action: offer_of(action) for action in offers}
        self._buttons = hbox(None, *self._offers.values(), None)
        parts = (picture, self.title, self.hint, 0.5, self._buttons)
        column = vbox(None, *parts, None, owner=self)
        # A little above the middle.
        column.setStretch(0, 2)
        column.setStretch(column.count() - 1, 3)

    def _redraw(self) -> None:
        draw(self._picture, self._drawing, "muted", 3)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        width = min(least.width(), theme().px(12))
        return QSize(width, least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_buttons()

    def _arrange_buttons(self) -> None:
        """Buttons that have no room beside each other stand below each other."""
        offered = [button for button in self._offers.values() if not button.isHidden()]
        widths = sum(button.sizeHint().width() for button in offered)
        needed = theme().px(3) + widths  # with gaps
        direction = QBoxLayout.Direction.LeftToRight
        if needed > self.width():
            direction = QBoxLayout.Direction.TopToBottom
        self._buttons.setDirection(direction)

    def say(
        self, title: str, hint: str, *, offers: Collection[QAction] | None = None
    ) -> None:
        """Change the words, and which commands are offered.

        Args:
            title: What is not there.
            hint: What to do about it.
            offers: Those of the commands it was made with that help now; None means all.
                Without any there is nothing to do but to wait.
        """
        self.title.setText(title)
        self.hint.setText(hint)
        for action, button in self._offers.items():
            button.setVisible(offers is None or action in offers)
        self._arrange_buttons()
