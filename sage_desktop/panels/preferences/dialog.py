"""The settings: pages made from one table, a search over all of them, everything in force at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from sage_desktop.panels.preferences.models_page import ModelsPage
from sage_desktop.panels.preferences.page import SettingsPage
from sage_desktop.panels.preferences.row import SettingRow
from sage_desktop.services.settings_table import PAGES, Setting, Value, settings, store
from sage_desktop.ui.icons import icon
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import ThemeMode, theme
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.form import fit_to_screen
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.stacking import hbox, vbox


def translated(text: str) -> str:
    """`text` of the settings table in the language of the user."""
    return QCoreApplication.translate("Settings", text)


class SettingsDialog(QDialog):
    """Pages at the left, settings at the right; a change holds from the next run on, appearance at once.

    The rows come in portions, those of the page in front first, so that opening it stops nothing.

    Signals:
        models_changed: A model profile was added, changed or removed.
    """

    models_changed = Signal()

    def __init__(
        self,
        preferences: Preferences,
        operations: Operations,
        page: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Settings"))
        self._preferences = preferences
        self._operations = operations
        self._models: ModelsPage | None = None
        self._pages: dict[str, SettingsPage] = {}
        self.search = FilterBox(self.tr("Search settings"))
        self.pages = QListWidget()
        self.stack = QStackedWidget()
        for name, (title, drawing, _words) in PAGES.items():
            item = QListWidgetItem(icon(drawing), translated(title))
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.pages.addItem(item)
        self._lay_out()
        self.pages.currentRowChanged.connect(self._turn_page)
        self.search.changed.connect(self._filter)
        self.pages.setCurrentRow(list(PAGES).index(page))
        fit_to_screen(self, 56, 40)
        self._builder = QTimer(self)
        self._builder.timeout.connect(self._build)
        self._builder.start()

    def _turn_page(self) -> None:
        self.stack.setCurrentWidget(self._page(self._current_page()))

    def _page(self, name: str) -> SettingsPage:
        """The page, made when it is first asked for."""
        if name in self._pages:
            return self._pages[name]
        title, _drawing, words = PAGES[name]
        entries = [entry for entry in settings() if entry.page == name]
        if name == "models":
            self._models = ModelsPage(self._preferences, self._operations)
            self._models.changed.connect(self.models_changed)
        body = self._models if name == "models" else None
        page = SettingsPage(
            translated(title),
            translated(words),
            entries,
            self._preferences,
            translated,
            body,
        )
        page.changed.connect(self._changed)
        self.stack.addWidget(page)
        self._pages[name] = page
        on_enter = False  # Enter belongs to the fields
        for button in page.findChildren(QPushButton):
            button.setAutoDefault(on_enter)
        return page

    def _build(self) -> None:
        """One more portion: rows of the page in front, then the other pages."""
        if any(
            page.more()
            for page in (self._page(self._current_page()), *self._pages.values())
        ):
            return
        missing = next((name for name in PAGES if name not in self._pages), None)
        if missing is None:
            self._builder.stop()
        else:
            self._page(missing)

    def _finish(self) -> None:
        while self._builder.isActive():
            self._build()

    @property
    def models(self) -> ModelsPage:
        """The page of model profiles."""
        self._page("models")
        assert self._models is not None
        return self._models

    @property
    def rows(self) -> dict[str, SettingRow]:
        """Every row by the key of its setting; those not made yet are made now."""
        self._finish()
        return {
            key: row for name in PAGES for key, row in self._pages[name].rows.items()
        }

    def _lay_out(self) -> None:
        look = theme()
        self.pages.setIconSize(QSize(look.px(1.1), look.px(1.1)))
        self.pages.setAccessibleName(self.tr("Pages"))
        left = vbox(self.search, (self.pages, 1), spacing=0.5)
        side = QWidget()
        side.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        side.setFixedWidth(look.px(14))
        buttons = QDialogButtonBox()
        self.reset = push(self.tr("Reset This Page"), self._reset)
        buttons.addButton(self.reset, QDialogButtonBox.ButtonRole.ResetRole)
        buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        on_enter = False  # Enter belongs to the fields
        for button in buttons.findChildren(QPushButton):
            button.setAutoDefault(on_enter)
        vbox((hbox(side, (self.stack, 1), spacing=0.8), 1), buttons, owner=self)

    def _changed(self, entry: Setting, value: Value) -> None:
        effects: dict[str, Callable[[], object]] = {
            "appearance/theme": lambda: theme().set_mode(ThemeMode(str(value))),
            "appearance/zoom": lambda: theme().set_zoom(int(value)),
            "appearance/code_font": lambda: theme().set_code_font(str(value)),
        }
        store(self._preferences, entry, value)
        effects.get(entry.key, lambda: None)()
        self._preferences.save()

    def _current_page(self) -> str:
        return str(self.pages.currentItem().data(Qt.ItemDataRole.UserRole))

    def _reset(self) -> None:
        self._finish()
        self._pages[self._current_page()].reset()

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        self._finish()
        matches = {name: self._pages[name].filter(words) for name in PAGES}
        self.search.set_count(sum(matches.values()) if words else None)
        if words and any(matches.values()):
            self.pages.setCurrentRow(
                next(n for n, count in enumerate(matches.values()) if count)
            )
