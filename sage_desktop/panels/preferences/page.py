"""One page of the settings: heading, words, and a row for each setting, added a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from sage_desktop.panels.preferences.row import SettingRow
from sage_desktop.services.settings_table import Setting
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import on_base
from sage_desktop.ui.widgets.stacking import vbox


class SettingsPage(QScrollArea):
    """Shows the settings of one page; `more` adds the next of them until all are there.

    Args:
        title: Heading, translated.
        words: What the page is for, translated.
        entries: Its settings in order.
        preferences: Where values are read.
        translated: Gives words of the table in the language of the user.
        body: A widget with parts of its own above the rows.

    Signals:
        changed: (`Setting`, new value).
    """

    changed = Signal(object, object)

    def __init__(
        self,
        title: str,
        words: str,
        entries: Sequence[Setting],
        preferences: Preferences,
        translated: Callable[[str], str],
        body: QWidget | None = None,
    ) -> None:
        super().__init__()
        self.rows: dict[str, SettingRow] = {}
        self._preferences = preferences
        self._translated = translated
        self._groups: list[tuple[QWidget, list[SettingRow]]] = []
        self._waiting = [
            (group, list(some))
            for group, some in groupby(entries, lambda entry: entry.group)
        ]
        inside = on_base(QWidget())
        self._column = vbox(
            heading(title, 1.35),
            muted(words),
            owner=inside,
            margins=(1.4, 1),
            spacing=0.5,
        )
        if body is not None:
            self._column.addWidget(body, 1)
        self._column.addStretch()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidget(inside)

    def minimumSizeHint(self) -> QSize:
        """As wide as its rows: what stands beyond the right edge could not be reached."""
        rows = self._column.parentWidget()
        inside = rows.minimumSizeHint().width() if rows is not None else 0
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(inside + bar, super().minimumSizeHint().height())

    def more(self) -> bool:
        """Add the settings of one more heading; whether there was one."""
        if not self._waiting:
            return False
        group, entries = self._waiting.pop(0)
        block = QWidget()
        column = vbox(owner=block, margins=0)
        column.setSpacing(self._column.spacing())
        title = heading(self._translated(group), 1.05)
        rows = [self._row(entry) for entry in entries]
        if group:
            column.addSpacing(theme().px(0.6))
            column.addWidget(title)
        for row in rows:
            column.addWidget(row)
        self._groups.append((block, rows))
        self._column.insertWidget(self._column.count() - 1, block)
        self.updateGeometry()
        return True

    def _row(self, entry: Setting) -> SettingRow:
        row = SettingRow(entry, self._preferences, self._translated)
        row.changed.connect(self.changed)
        self.rows[entry.key] = row
        return row

    def filter(self, words: Sequence[str]) -> int:
        """Show the settings that contain all `words`; how many there are."""
        for row in self.rows.values():
            row.setVisible(all(word in row.words for word in words))
        for block, rows in self._groups:
            block.setVisible(any(not row.isHidden() for row in rows))
        return sum(not row.isHidden() for row in self.rows.values())

    def reset(self) -> None:
        """Back to the defaults."""
        for row in self.rows.values():
            row.set_value(row.entry.default)
