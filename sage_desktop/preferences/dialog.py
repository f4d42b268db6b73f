"""The settings: pages made from one table, a search over all of them, everything in force at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sage_desktop.icons import icon
from sage_desktop.operations import Operations
from sage_desktop.preferences.models_page import ModelsPage
from sage_desktop.preferences.row import SettingRow
from sage_desktop.settings import Preferences
from sage_desktop.settings_table import PAGES, Setting, Value, settings, store
from sage_desktop.theme import ThemeMode, theme
from sage_desktop.widgets.filter_box import FilterBox
from sage_desktop.widgets.form import heading, muted


def translated(text: str) -> str:
    """`text` of the settings table in the language of the user."""
    return QCoreApplication.translate("Settings", text)


class SettingsDialog(QDialog):
    """Pages at the left, settings at the right; a change holds from the next run on, appearance at once.

    Signals:
        models_changed: A model profile was added, changed or removed.
    """

    models_changed = Signal()

    def __init__(
        self, preferences: Preferences, operations: Operations, page: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Settings"))
        self._preferences = preferences
        self.rows: dict[str, SettingRow] = {}
        self._headings: dict[str, list[tuple[QWidget, list[SettingRow]]]] = {}
        self.search = FilterBox(self.tr("Search settings"))
        self.pages = QListWidget()
        self.stack = QStackedWidget()
        self.models = ModelsPage(preferences, operations)
        self.models.changed.connect(self.models_changed)
        for name, (title, drawing, words) in PAGES.items():
            item = QListWidgetItem(icon(drawing), translated(title))
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.pages.addItem(item)
            self.stack.addWidget(self._page(name, translated(title), translated(words)))
        self._lay_out()
        self.pages.currentRowChanged.connect(self.stack.setCurrentIndex)
        self.search.changed.connect(self._filter)
        self.pages.setCurrentRow(list(PAGES).index(page))
        on_enter = False  # Enter belongs to the fields
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(on_enter)
        look = theme()
        self.resize(look.px(56), look.px(40))

    def _lay_out(self) -> None:
        look = theme()
        self.pages.setIconSize(QSize(look.px(1.1), look.px(1.1)))
        self.pages.setAccessibleName(self.tr("Pages"))
        left = QVBoxLayout()
        left.setSpacing(look.px(0.5))
        left.addWidget(self.search)
        left.addWidget(self.pages, 1)
        side = QWidget()
        side.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        side.setFixedWidth(look.px(14))
        buttons = QDialogButtonBox()
        self.reset = QPushButton(self.tr("Reset This Page"))
        buttons.addButton(self.reset, QDialogButtonBox.ButtonRole.ResetRole)
        buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        self.reset.clicked.connect(self._reset)
        top = QHBoxLayout()
        top.setSpacing(look.px(0.8))
        top.addWidget(side)
        top.addWidget(self.stack, 1)
        outer = QVBoxLayout(self)
        outer.addLayout(top, 1)
        outer.addWidget(buttons)

    def _page(self, name: str, title: str, words: str) -> QWidget:
        look = theme()
        inside = QWidget()
        inside.setProperty("pane", "base")
        column = QVBoxLayout(inside)
        column.setContentsMargins(look.px(1.4), look.px(1), look.px(1.4), look.px(1))
        column.setSpacing(look.px(0.5))
        column.addWidget(heading(title, 1.35))
        column.addWidget(muted(words))
        self._headings[name] = []
        if name == "models":
            column.addWidget(self.models, 1)
        group: str | None = None
        for entry in settings():
            if entry.page != name:
                continue
            if entry.group != (group or ""):
                column.addSpacing(look.px(0.6))
                title_row = heading(translated(entry.group), 1.05)
                column.addWidget(title_row)
                self._headings[name].append((title_row, []))
            group = entry.group
            row = SettingRow(entry, self._preferences, translated)
            row.changed.connect(self._changed)
            self.rows[entry.key] = row
            if self._headings[name]:
                self._headings[name][-1][1].append(row)
            column.addWidget(row)
        column.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(inside)
        return area

    def _changed(self, entry: Setting, value: Value) -> None:
        effects: dict[str, Callable[[], object]] = {
            "appearance/theme": lambda: theme().set_mode(ThemeMode(str(value))),
            "appearance/zoom": lambda: theme().set_zoom(int(value)),
        }
        store(self._preferences, entry, value)
        effects.get(entry.key, lambda: None)()
        self._preferences.save()

    def _current_page(self) -> str:
        return str(self.pages.currentItem().data(Qt.ItemDataRole.UserRole))

    def _reset(self) -> None:
        page = self._current_page()
        for row in self.rows.values():
            if row.entry.page == page:
                row.set_value(row.entry.default)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        found = 0
        for row in self.rows.values():
            fits = all(word in row.words for word in words)
            row.setVisible(fits)
            found += fits
        for groups in self._headings.values():
            for title, rows in groups:
                title.setVisible(any(not row.isHidden() for row in rows))
        self.search.set_count(found if words else None)
        if words and found:
            first = next(row for row in self.rows.values() if not row.isHidden())
            self.pages.setCurrentRow(list(PAGES).index(first.entry.page))
