"""The first row of a panel at the side: its name, what it has to choose, and how to detach and close it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDockWidget, QToolButton, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.widgets.form import heading
from sage_desktop.ui.widgets.stacking import hbox

_tr = partial(QCoreApplication.translate, "DockHead")


class DockHead(QWidget):
    """As the title bar of a dock it is what a person drags the panel by; a double click detaches it.

    Attributes:
        row: Takes the panel's own widgets.
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._name = heading(title)
        self.detach, self.close_ = QToolButton(), QToolButton()
        self.row = hbox(spacing=0.6)
        whole = hbox(
            self._name,
            0.8,
            (self.row, 1),
            0.3,
            owner=self,
            margins=(0.7, 0.35, 0.3, 0.35),
            spacing=0.1,
        )
        for button in (self.detach, self.close_):
            button.hide()
            whole.addWidget(button)
        self.detach.setIcon(icon("detach", "muted"))
        self.close_.setIcon(icon("close", "muted"))

    def serve(self, dock: QDockWidget) -> None:
        """Become the title bar of `dock`."""
        dock.setTitleBarWidget(self)
        self.setToolTip(_tr("Drag to move this panel; a double click detaches it"))
        for button, words in (
            (self.detach, _tr("Detach {0}, or put it back").format(self._title)),
            (
                self.close_,
                _tr("Close {0}; the View menu brings it back").format(self._title),
            ),
        ):
            button.setToolTip(words)
            button.setAccessibleName(words)
            button.show()
        self.detach.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self.close_.clicked.connect(dock.close)
