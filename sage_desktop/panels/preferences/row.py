"""One setting: title, editor that fits its type, meaning, and a mark when it differs from the default."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QWidget,
)

from sage_desktop.services.settings_table import CHOICE_WORDS, Setting, Value, read
from sage_desktop.ui.icons import icon
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import inset, muted
from sage_desktop.ui.widgets.making import named

_MOST_INT = 2**31 - 1


@dataclass(frozen=True)
class _Editor:
    """The widget that edits a value, how to read and show it, and its signal of a change."""

    widget: QWidget
    value: Callable[[], Value]
    show: Callable[[Value], object]
    changed: SignalInstance


class SettingRow(QWidget):
    """Edits one setting.

    Signals:
        changed: (`Setting`, new value).
    """

    changed = Signal(object, object)

    def __init__(
        self, entry: Setting, preferences: Preferences, translated: Callable[[str], str]
    ) -> None:
        super().__init__()
        self.entry = entry
        self._translated = translated
        title, meaning = (
            translated(entry.title),
            translated(entry.meaning).replace("`", ""),
        )
        self.words = f"{title} {entry.name} {meaning} {entry.group}".casefold()
        self._editor = self._make_editor()
        self.editor = named(self._editor.widget, title)
        width = theme().px(14 if isinstance(self.editor, QLineEdit) else 9.5)
        if isinstance(self.editor, ComboBox):  # a choice is read whole, in any style
            self.editor.setMinimumWidth(width)
            fixed = QSizePolicy.Policy.Fixed
            self.editor.setSizePolicy(fixed, fixed)
        else:
            self.editor.setFixedWidth(width)
        self.back = named(QToolButton(), self.tr("Back to the default"))
        self.back.setIcon(icon("undo", "muted"))
        self.back.setToolTip(
            self.tr("Back to the default, {0}").format(_shown(entry.default))
        )
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
        self._editor.show(read(preferences, entry))
        self._editor.changed.connect(self._edited)
        self._mark()

    def _make_editor(self) -> _Editor:
        entry = self.entry
        if isinstance(entry.default, bool):
            switch = QCheckBox(self.tr("On"))
            return _Editor(
                switch,
                switch.isChecked,
                lambda value: switch.setChecked(bool(value)),
                switch.toggled,
            )
        if isinstance(entry.default, int):
            whole = QSpinBox()
            whole.setRange(int(entry.low), int(min(entry.high, _MOST_INT)))
            whole.setGroupSeparatorShown(True)
            inset(whole)
            return _Editor(
                whole,
                whole.value,
                lambda value: whole.setValue(int(value)),
                whole.valueChanged,
            )
        if isinstance(entry.default, float):
            real = QDoubleSpinBox(decimals=3, singleStep=0.05)
            real.setRange(
                math.ceil(entry.low * 1000) / 1000, math.floor(entry.high * 1000) / 1000
            )
            inset(real)
            return _Editor(
                real,
                real.value,
                lambda value: real.setValue(float(value)),
                real.valueChanged,
            )
        if entry.choices:
            box = ComboBox()
            box.offer(
                (self._translated(CHOICE_WORDS.get(one, one)), one)
                for one in entry.choices
            )
            return _Editor(
                box,
                lambda: str(box.currentData()),
                lambda value: box.setCurrentIndex(box.findData(value)),
                box.currentIndexChanged,
            )
        line = QLineEdit()
        return _Editor(
            line,
            lambda: line.text().strip(),
            lambda value: line.setText(str(value)),
            line.editingFinished,
        )

    def value(self) -> Value:
        """What is shown."""
        return self._editor.value()

    def set_value(self, value: Value) -> None:
        """Show and store another value; `changed` is emitted once."""
        # Whether the editor's own signal follows depends on the editor: a text line has
        # none for `setText`, the others only for a value that differs.
        with QSignalBlocker(self._editor.widget):
            self._editor.show(value)
        self._edited()

    def _edited(self) -> None:
        self._mark()
        self.changed.emit(self.entry, self.value())

    def _mark(self) -> None:
        """The way back stands there only where something differs from the default."""
        self.back.setVisible(self.value() != self.entry.default)


def _shown(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
