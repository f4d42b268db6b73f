"""One setting: title, editor that fits its type, meaning, and a mark when it differs from the default."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QToolButton,
    QWidget,
)

from sage_desktop.services.settings_table import CHOICE_WORDS, Setting, Value, read
from sage_desktop.ui.icons import icon
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import named

_MOST_INT = 2**31 - 1


class SettingRow(QWidget):
    """Edits one setting.

    Signals:
        changed: (`Setting`, new value).
    """

    changed = Signal(object, object)

    def __init__(self, entry: Setting, preferences: Preferences, translated: Callable[[str], str]) -> None:
        super().__init__()
        self.entry = entry
        self._translated = translated
        title, meaning = translated(entry.title), translated(entry.meaning).replace("`", "")
        self.words = f"{title} {entry.name} {meaning} {entry.group}".casefold()
        self.editor = named(self._make_editor(), title)
        if isinstance(self.editor, QSpinBox | QDoubleSpinBox):
            self.editor.lineEdit().setTextMargins(theme().px(0.3), 0, 0, 0)  # as far in as other fields
        self.editor.setFixedWidth(theme().px(14 if isinstance(self.editor, QLineEdit) else 9.5))
        self.back = named(QToolButton(), self.tr("Back to the default"))
        self.back.setIcon(icon("undo", "muted"))
        self.back.setToolTip(self.tr("Back to the default, {0}").format(_shown(entry.default)))
        self.back.clicked.connect(lambda: self.set_value(entry.default))
        keep = self.back.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.back.setSizePolicy(keep)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, theme().px(0.2), 0, theme().px(0.2))
        grid.setHorizontalSpacing(theme().px(0.6))
        grid.setVerticalSpacing(0)
        grid.addWidget(QLabel(title), 0, 0)
        grid.addWidget(muted(meaning, small=True), 1, 0)
        grid.addWidget(self.editor, 0, 1, 2, 1)
        grid.addWidget(self.back, 0, 2, 2, 1)
        grid.setColumnStretch(0, 1)
        self._show(read(preferences, entry))
        self._connect()
        self._mark()

    def _make_editor(self) -> QWidget:
        entry = self.entry
        if isinstance(entry.default, bool):
            return QCheckBox(self.tr("On"))
        if isinstance(entry.default, int):
            whole = QSpinBox()
            whole.setRange(int(entry.low), int(min(entry.high, _MOST_INT)))
            whole.setGroupSeparatorShown(True)
            return whole
        if isinstance(entry.default, float):
            real = QDoubleSpinBox(decimals=3, singleStep=0.05)
            real.setRange(math.ceil(entry.low * 1000) / 1000, math.floor(entry.high * 1000) / 1000)
            return real
        if entry.choices:
            box = ComboBox()
            box.offer((self._translated(CHOICE_WORDS.get(one, one)), one) for one in entry.choices)
            return box
        return QLineEdit()

    def _connect(self) -> None:
        editor = self.editor
        if isinstance(editor, QCheckBox):
            editor.toggled.connect(self._edited)
        elif isinstance(editor, QSpinBox | QDoubleSpinBox):
            editor.valueChanged.connect(self._edited)
        elif isinstance(editor, ComboBox):
            editor.currentIndexChanged.connect(self._edited)
        elif isinstance(editor, QLineEdit):
            editor.editingFinished.connect(self._edited)

    def value(self) -> Value:
        """What is shown."""
        editor = self.editor
        if isinstance(editor, QCheckBox):
            return editor.isChecked()
        if isinstance(editor, QSpinBox | QDoubleSpinBox):
            return editor.value()
        if isinstance(editor, ComboBox):
            return str(editor.currentData())
        assert isinstance(editor, QLineEdit)
        return editor.text().strip()

    def set_value(self, value: Value) -> None:
        """Show and store another value."""
        self._show(value)
        self._edited()

    def _show(self, value: Value) -> None:
        editor = self.editor
        if isinstance(editor, QCheckBox):
            editor.setChecked(bool(value))
        elif isinstance(editor, QSpinBox):
            editor.setValue(int(value))
        elif isinstance(editor, QDoubleSpinBox):
            editor.setValue(float(value))
        elif isinstance(editor, ComboBox):
            editor.setCurrentIndex(editor.findData(value))
        elif isinstance(editor, QLineEdit):
            editor.setText(str(value))

    def _edited(self) -> None:
        self._mark()
        self.changed.emit(self.entry, self.value())

    def _mark(self) -> None:
        """The way back stands there only where something differs from the default."""
        self.back.setVisible(self.value() != self.entry.default)


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
