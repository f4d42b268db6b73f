"""Every command of the window, declared once.

One table feeds the menus, the tool bar, the shortcuts, the context menus of the panels and the command
palette, so a command has the same name, icon and key everywhere. Panels bind what a command does; they never
make menus of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QMenu,
    QToolButton,
    QWidget,
)

from sage_desktop.ui.action_table import ACTIONS, MENUS, PARTS, ActionSpec
from sage_desktop.ui.icons import icon

# Between a menu and its part.
_INTO = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


def translated(text: str) -> str:
    """`text` of the action table in the language of the user."""
    return QCoreApplication.translate("Actions", text)


def plain(text: str) -> str:
    """A title without its mnemonic: `&Run` and the `运行(&R)` of languages that append the letter."""
    return re.sub(r"\(&\w\)", "", text).replace("&", "")


class ActionRegistry(QObject):
    """The live `QAction`s of one window.

    Args:
        window: Widget that owns the shortcuts.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._specs = {spec.id: spec for spec in ACTIONS}
        self._actions = {spec.id: self._make(spec) for spec in ACTIONS}
        self._views: dict[str, QAbstractScrollArea] = {}  # by room

    def _make(self, spec: ActionSpec) -> QAction:
        """The action of a command, disabled until it is bound."""
        action = QAction(translated(spec.title), self)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(spec.switch)
        name = plain(action.text())
        action.setIconText(name.rstrip("…"))
        tip = translated(spec.tip) if spec.tip else name
        # No status tip: that would take the place of what the engine is doing.
        action.setWhatsThis(tip)
        # A button may show its icon alone: the tip names it.
        words = tip if tip == name else f"{name}: {tip}"
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        if shortcut:
            words = f"{words}  ({shortcut})"
        action.setToolTip(words)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        action.setEnabled(False)  # until it is bound
        self._window.addAction(action)
        return action

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def bind(self, action_id: str, do: Callable[[], object]) -> None:
        """Let `do` happen when the command is given; enables it."""
        action = self._actions[action_id]
        action.triggered.connect(lambda _checked=False: do())
        action.setEnabled(True)

    def bind_switch(
        self, action_id: str, do: Callable[[bool], object], *, checked: bool
    ) -> None:
        """Let `do(on)` happen when the switch is turned; sets its present state without calling `do`."""
        action = self._actions[action_id]
        action.setChecked(checked)
        action.toggled.connect(do)
        action.setEnabled(True)

    def enable(self, states: dict[str, bool]) -> None:
        """Enable or disable several commands at once."""
        focus = QApplication.focusWidget()
        for action_id, on in states.items():
            self._actions[action_id].setEnabled(on)
        if focus is not None and not focus.isEnabled():
            self._take_focus_from(focus)

    def _take_focus_from(self, widget: QWidget) -> None:
        """Qt gives the focus of a button that is off now to its neighbour.

        The next press of a key would give that command.
        """
        view = self._view_of(widget)
        neighbour = QApplication.focusWidget()
        if view is not None and view.isVisible():
            view.setFocus()
        elif neighbour is not None:
            neighbour.clearFocus()

    def _view_of(self, widget: QWidget) -> QAbstractScrollArea | None:
        """The view of the room whose command a button gives."""
        action = widget.defaultAction() if isinstance(widget, QToolButton) else None
        if action is None or action.objectName() not in self._specs:
            return None
        spec = self._specs[action.objectName()]
        return self._views.get(spec.menu)

    def all(self) -> list[QAction]:
        """Every command in the order of the table."""
        return list(self._actions.values())

    def menu_of(self, action_id: str) -> str:
        """Translated title of the menu a command lives in with the part of it."""
        spec = self._specs[action_id]
        titles = [MENUS[spec.menu]]
        if spec.part:
            titles.append(PARTS[spec.part])
        return _INTO.join(plain(translated(title)) for title in titles)

    def fill_menu(self, menu: QMenu, key: str) -> None:
        """Put the commands of menu `key` into `menu`, a line between sections."""
        specs = (spec for spec in self._specs.values() if spec.menu == key)
        self._fill(menu, specs)

    def serve_context_menu(self, view: QAbstractScrollArea, name: str) -> None:
        """Let a right click in `view` pop up a menu with the commands of room `name`."""

        def pop_up(place: QPoint) -> None:
            menu = QMenu(view)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            specs = (spec for spec in self._specs.values() if spec.context == name)
            self._fill(menu, specs)
            menu.popup(view.viewport().mapToGlobal(place))

        self._views[name] = view
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(pop_up)

    def _fill(self, menu: QMenu, specs: Iterable[ActionSpec]) -> None:
        """Add commands to a menu, those of a part in a menu of their own."""
        parts: dict[str, QMenu] = {}
        # Of the last command in each part.
        sections: dict[str, int] = {}
        for spec in specs:
            if spec.part and spec.part not in parts:
                self._separate(menu, sections, "", spec.section)
                parts[spec.part] = menu.addMenu(translated(PARTS[spec.part]))
                sections[spec.part] = spec.section
            part_menu = parts.get(spec.part, menu)
            self._separate(part_menu, sections, spec.part, spec.section)
            part_menu.addAction(self._actions[spec.id])

    @staticmethod
    def _separate(
        menu: QMenu, sections: dict[str, int], part: str, section: int
    ) -> None:
        """A line where another section begins."""
        if sections.setdefault(part, section) != section:
            menu.addSeparator()
            sections[part] = section
