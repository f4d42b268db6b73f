"""The line above the item table: how many are shown of all, saved filters, columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu, QToolButton, QWidget

from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.stacking import hbox

Filter = dict[str, str]  # `text`, and what each list of values chooses
_FILTERS, _COLUMNS = "memory/filters", "memory/columns"


class TableBar(QWidget):
    """What a person arranges about the table is remembered.

    Signals:
        chosen: A saved filter, as it was given to `offer_saving`.
        arranged: Other columns are wanted; None for what fits.
    """

    chosen = Signal(dict)
    arranged = Signal(object)

    def __init__(self, preferences: Preferences, columns: Mapping[int, str]) -> None:
        super().__init__()
        self._preferences, self._columns = preferences, dict(columns)
        self._present: Filter = {}
        self._visible: frozenset[int] = frozenset()
        self.question: QInputDialog | None = None
        self.count = muted(wraps=False)
        self.saved, self.saved_menu = self._button(self.tr("Saved Filters"))
        self.columns, self.columns_menu = self._button(self.tr("Columns"))
        self.saved_menu.aboutToShow.connect(self.fill_saved)
        self.columns_menu.aboutToShow.connect(self.fill_columns)
        hbox(
            self.count,
            None,
            self.saved,
            self.columns,
            owner=self,
            margins=0,
            spacing=0.2,
        )

    def _button(self, words: str) -> tuple[QToolButton, QMenu]:
        button, menu = QToolButton(), QMenu(self)
        button.setText(f"{words} ▾")
        button.setAccessibleName(words)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(menu)
        return button, menu

    def show_count(self, found: int, total: int | None) -> None:
        """Say how many items are listed, and of how many where that is known."""
        words = (
            self.tr("{0:,} of {1:,} items").format(found, total)
            if total is not None
            else f"{found:,}"
        )
        self.count.setText(words)

    # ---- filters

    def offer_saving(self, present: Filter) -> None:
        """What Save Filter would keep."""
        self._present = present

    def filters(self) -> dict[str, Filter]:
        """Saved filters by name."""
        try:
            known = json.loads(self._preferences.text(_FILTERS, "{}"))
        except ValueError:
            return {}
        if not isinstance(known, dict):
            return {}
        return {
            str(name): {str(key): str(text) for key, text in entry.items()}
            for name, entry in known.items()
            if isinstance(entry, dict)
        }

    def fill_saved(self) -> None:
        """List the saved filters."""
        menu, known = self.saved_menu, self.filters()
        menu.clear()
        for name, entry in known.items():
            menu.addAction(_plain(name), partial(self.chosen.emit, entry))
        if known:
            menu.addSeparator()
        saving = menu.addAction(self.tr("Save This Filter…"), self._ask_name)
        saving.setEnabled(any(self._present.values()))
        if known:
            removing = menu.addMenu(self.tr("Remove"))
            for name in known:
                removing.addAction(_plain(name), partial(self._remove, name))

    def _ask_name(self) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Save This Filter"))
        dialog.setLabelText(self.tr("Name of the filter"))
        dialog.setTextValue(self._present.get("text", ""))
        dialog.textValueSelected.connect(self.save)
        self.question = dialog
        dialog.open()

    def save(self, name: str) -> None:
        """Keep the present filter under `name`; one of that name is replaced."""
        if name.strip():
            self._store({**self.filters(), name.strip(): self._present})

    def _remove(self, name: str) -> None:
        self._store(
            {other: entry for other, entry in self.filters().items() if other != name}
        )

    def _store(self, every: Mapping[str, Filter]) -> None:
        self._preferences.set(_FILTERS, json.dumps(every))

    # ---- columns

    def shown_columns(self) -> frozenset[int] | None:
        """The columns the person chose; None while the width decides."""
        try:
            known = json.loads(self._preferences.text(_COLUMNS, "null"))
        except ValueError:
            return None
        return (
            frozenset(known) & self._columns.keys() if isinstance(known, list) else None
        )

    def fill_columns(self) -> None:
        """List the columns with a tick at those that are shown."""
        menu, chosen = self.columns_menu, self.shown_columns()
        menu.clear()
        shown = self._visible if chosen is None else chosen
        for column, title in self._columns.items():
            action = QAction(title, menu)
            action.setCheckable(True)
            action.setChecked(column in shown)
            action.toggled.connect(
                lambda on, column=column, shown=shown: self._turn(shown, column, on=on)
            )
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(self.tr("What Fits"), lambda: self._choose(None))

    def tell_visible(self, visible: frozenset[int]) -> None:
        """The columns the table shows now."""
        self._visible = visible

    def _turn(self, shown: frozenset[int], column: int, *, on: bool) -> None:
        self._choose(shown | {column} if on else shown - {column})

    def _choose(self, columns: frozenset[int] | None) -> None:
        if columns is None:
            self._preferences.forget(_COLUMNS)
        else:
            self._preferences.set(_COLUMNS, json.dumps(sorted(columns)))
        self.arranged.emit(columns)


def _plain(name: str) -> str:
    return name.replace("&", "&&")
