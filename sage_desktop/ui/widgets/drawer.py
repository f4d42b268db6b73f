"""Tabs at the right edge of a page that close to a rail of their names."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from sage_desktop.ui.typed import expect
from sage_desktop.ui.widgets.pages import AllTabs

_UNBOUNDED = (1 << 24) - 1  # Qt's largest width of a widget


class Drawer(AllTabs):
    """A click on a name opens its tab, a click on the one that is open closes the drawer.

    Signals:
        toggled: It is to open, or to close.
    """

    toggled = Signal()

    def __init__(self, least_width: int) -> None:
        super().__init__()
        self._least_width = least_width
        self.open_ = True
        self.setTabPosition(QTabWidget.TabPosition.East)
        pages = self.findChild(QStackedWidget, "qt_tabwidget_stackedwidget")
        self._pages = expect(pages, QStackedWidget)
        self.tabBar().tabBarClicked.connect(self._click)
        self.set_open(on=True)

    def rail_width(self) -> int:
        """Pixels of the closed drawer."""
        return self.tabBar().sizeHint().width()

    def set_open(self, *, on: bool) -> None:
        """Show the tab in front, or the rail alone."""
        self.open_ = on
        self._pages.setVisible(on)
        self._bound_width()
        bar = self.tabBar()
        bar.setProperty("rail", "open" if on else "closed")
        bar.style().unpolish(bar)
        bar.style().polish(bar)

    def reveal(self, page: QWidget) -> None:
        """Bring `page` to the front; opens the drawer for it."""
        self.setCurrentWidget(page)
        if not self.open_:
            self.toggled.emit()

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        # Other names or letters make the rail wider.
        if event.type() == QEvent.Type.LayoutRequest:
            self._bound_width()
        return is_handled

    def _bound_width(self) -> None:
        """Closed it is as wide as its rail, open as wide as the person drags it."""
        least = most = self.rail_width()
        if self.open_:
            least, most = self._least_width, _UNBOUNDED
        self.setMinimumWidth(least)
        self.setMaximumWidth(most)

    def _click(self, number: int) -> None:
        if number >= 0 and (not self.open_ or number == self.currentIndex()):
            self.toggled.emit()
