"""Frames of content: pages made late, tabs, scrolled areas, heads of docks."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QWidget,
)

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import heading
from sage_desktop.ui.widgets.making import on_base
from sage_desktop.ui.widgets.stacking import hbox, vbox


class LazyPage(QWidget):
    """Base of pages that are made when they are first turned to.

    Attributes:
        topics: What of the workspace it shows; it is activated when that changes.
    """

    topics: ClassVar[frozenset[str]] = frozenset()

    def activate(self) -> None:
        """The page was turned to, or what it shows changed while it is in front."""


class PageHead(QWidget):
    """The two lines above the content of every page.

    Attributes:
        name: The subject of the page.
        state: A row behind it that says how things are with the subject.
        controls: The row of what chooses the content and acts on it.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__()
        on_base(self)
        self.name = QLabel(name)
        theme().letter(self.name, "strong", 1.25)
        self.state = hbox(spacing=0.5)
        self.controls = hbox(spacing=0.4)
        title = hbox(self.name, (self.state, 1), spacing=0.6)
        vbox(
            title,
            self.controls,
            owner=self,
            margins=(0.8, 0.4, 0.6, 0.3),
            spacing=0.25,
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)


class AllTabs(QTabWidget):
    """A tab widget that shows every tab."""

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabBar().setProperty("dense", "true")

    def name(self, number: int, text: str) -> None:
        """Name a tab; the whole name is its tip too."""
        self.setTabText(number, text)
        self.setTabToolTip(number, text)


def scrolled(content: QWidget | None = None) -> QScrollArea:
    """A frameless area around `content`: it asks for no more room than the window can give."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    if content is not None:
        area.setWidget(content)
    return area


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
        tips = {
            self.detach: _tr("Detach {0}, or put it back"),
            self.close_: _tr("Close {0}; the View menu brings it back"),
        }
        for button, tip in tips.items():
            words = tip.format(self._title)
            button.setToolTip(words)
            button.setAccessibleName(words)
            button.show()
        self.detach.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self.close_.clicked.connect(dock.close)
