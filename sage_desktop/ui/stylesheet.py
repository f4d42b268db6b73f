"""The style rules Fusion's palette cannot express: flat bars and tabs, hair lines, focus, scroll bars."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from string import Template

from PySide6.QtGui import QColor

_RULES = Template("""
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QSplitter::handle { background: $border; }
QSplitter::handle:hover { background: $accent; }
/* Others write titles, reasons and names: no label or tool tip reads them as HTML, which opens files. */
QLabel, QToolTip { qproperty-textFormat: PlainText; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: ${s}px; }

QMenuBar { background: $window; padding: 1px ${s}px; }
QMenuBar::item { padding: ${s}px ${m}px; border-radius: ${r}px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $raised; border: 1px solid $border; padding: ${s}px; }
QMenu::item { padding: ${s}px ${xl}px ${s}px ${m}px; border-radius: ${r}px; }
QMenu::icon { padding-left: ${s}px; }
QMenu::icon:checked { background: $selection; border: 1px solid $accent; border-radius: ${r}px; }
QMenu::indicator { width: ${box}px; height: ${box}px; margin-left: ${sm}px; }
QMenu::indicator:checked { image: url("$menu_tick"); }
QMenu::item:selected { background: $selection; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: ${s}px 0; }

QToolBar {
  background: $window; border: none; border-bottom: 1px solid $border; padding: ${s}px;
  spacing: ${s}px; }
QToolBar::separator { background: $border; width: 1px; margin: ${s}px ${s}px; }
QToolButton {
  border: 1px solid transparent; border-radius: ${r}px; padding: ${s}px ${sm}px;
  background: transparent; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $selection; }
QToolButton:focus { border: 1px solid $accent; }
QToolButton::menu-indicator { image: none; }
QToolButton[offer="true"] { background: $raised; border: 1px solid $border_strong; padding: ${s}px ${m}px; }
QToolButton[offer="true"]:hover { background: $hover; }
QToolButton#primary { background: $accent; color: $on_accent; font-weight: 600; padding: ${s}px ${m}px; }
QToolButton#primary:hover { background: $accent_hover; }
QToolButton#primary:disabled { background: $hover; color: $disabled; }

QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }
QPushButton {
  background: $raised; border: 1px solid $border_strong; border-radius: ${r}px;
  padding: ${s}px ${l}px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $selection; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton:default { background: $accent; color: $on_accent; border: 1px solid $accent; }
QPushButton:default:hover { background: $accent_hover; }
QPushButton:disabled { color: $disabled; }
QPushButton:default:disabled { background: $hover; color: $disabled; border: 1px solid $border_strong; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox { background: $base; color: $text;
  border: 1px solid $border_strong; border-radius: ${r}px; padding: ${s}px ${sm}px;
  selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus {
  border: 1px solid $accent; }
QPlainTextEdit[flat="true"], QTextEdit[flat="true"], QTextBrowser[flat="true"] {
  border: none; border-radius: 0; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {
  width: 0; border: none; }
QListWidget[framed="true"], QTreeView[framed="true"], QTableView[framed="true"] {
  border: 1px solid $border_strong; border-radius: ${r}px; }
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit { border: none; padding: 0 ${sm}px; background: transparent; }
QSpinBox, QDoubleSpinBox { padding: ${s}px ${s}px; min-height: ${line}px; }
QComboBox { padding-right: ${xl}px; }
QComboBox::drop-down { border: none; width: ${xl}px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $border; padding: 2px; outline: none;
  selection-background-color: $selection; selection-color: $text; }

QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $muted; padding: ${sm}px ${m}px; border: none;
  border-bottom: 2px solid transparent; margin-right: 1px; }
QTabBar[dense="true"]::tab { padding: ${s}px ${sm}px; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent; }
QTabBar[rail]::tab { padding: ${m}px ${s}px; border-bottom: none; border-left: 2px solid transparent;
  margin-right: 0; margin-bottom: 1px; }
QTabBar[rail="open"]::tab:selected { border-bottom: none; border-left: 2px solid $accent; }
QTabBar[rail="closed"]::tab:selected { border-bottom: none; color: $muted; }
QTabWidget::pane { border: none; border-top: 1px solid $border; }
QDockWidget { titlebar-close-icon: none; }

QTableView, QListView, QTreeView { background: $base; border: none; outline: none; gridline-color: $border;
  selection-background-color: $selection; selection-color: $text; }
QListView::item { padding: ${s}px ${sm}px; border-radius: ${r}px; }
QTreeView::item { padding: ${s}px 0; }
QTableView::item { padding: 0 ${s}px; }
QListView::item:selected { background: $selection; color: $text; }
QListView::item:hover:!selected { background: $hover; }
QHeaderView { background: $base; border: none; }
QHeaderView::section { background: $base; color: $muted; border: none; border-bottom: 1px solid $border;
  padding: ${s}px ${sm}px; }
QHeaderView::section:hover { color: $text; }
/* Above the words: at their end it lies over those that stand at the right. */
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: border; subcontrol-position: top center;
  width: ${m}px; height: ${m}px; }

QStatusBar { background: $window; border-top: 1px solid $border; color: $muted; }
QStatusBar::item { border: none; }
QScrollBar:vertical { background: transparent; width: ${bar}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${bar}px; margin: 0; }
QScrollBar::handle { background: $handle; border-radius: ${half}px; margin: 2px; }
QScrollBar::handle:vertical { min-height: ${xxl}px; }
QScrollBar::handle:horizontal { min-width: ${xxl}px; }
QScrollBar::handle:hover { background: $handle_hover; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QCheckBox::indicator, QListWidget::indicator { width: ${box}px; height: ${box}px;
  border: 1px solid $border_box; border-radius: ${half}px; background: $base; }
QCheckBox::indicator:checked, QListWidget::indicator:checked { background: $accent; border-color: $accent;
  image: url("$tick"); }
QCheckBox::indicator:focus { border: 1px solid $accent; }
QCheckBox::indicator:disabled { background: $hover; }
QRadioButton::indicator { width: ${box}px; height: ${box}px; border: 1px solid $border_box;
  border-radius: ${round}px; background: $base; }
QRadioButton::indicator:checked { border: ${thick}px solid $accent; width: ${inner}px; height: ${inner}px; }
QRadioButton::indicator:focus { border-color: $accent; }
QRadioButton::indicator:disabled { background: $hover; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QLabel[muted="true"] { color: $muted; }
QWidget[pane="base"] { background: $base; }
QFrame[card="true"] { background: $raised; border: 1px solid $border; border-radius: ${sm}px; }
""")

# Colours of the theme that the rules name as they are.
SHEET_ROLES = frozenset(
    {
        "window",
        "base",
        "raised",
        "border",
        "text",
        "muted",
        "accent",
        "on_accent",
    }
)
# Measures of the rules, in ems.
_SIZES = {
    "s": 0.22,
    "sm": 0.4,
    "m": 0.6,
    "l": 0.85,
    "xl": 1.4,
    "xxl": 2.0,
    "r": 0.3,
    "bar": 0.75,
    "half": 0.22,
    "box": 0.85,
    "line": 1.05,
}


def derived(tint: Callable[[str, float, str], QColor], *, dark: bool) -> dict[str, str]:
    """The mixed colours text stands on: under the mouse, selected, the main button under the mouse."""
    return {
        "hover": tint("text", 0.06, "window").name(),
        "selection": tint("accent", 0.22 if dark else 0.13, "base").name(),
        "accent_hover": tint("accent", 0.88, "text").name(),
    }


def stylesheet(
    em: float,
    color: Callable[[str], QColor],
    tint: Callable[[str, float, str], QColor],
    *,
    dark: bool,
) -> str:
    """The windows' style sheet in the measures and colours of a theme; see `Theme` for the arguments."""
    colors = {role: color(role).name() for role in SHEET_ROLES}
    sizes = {name: max(1, round(em * ems)) for name, ems in _SIZES.items()}
    # A radio button is round, and a thick ring where it is chosen.
    box = round(em * _SIZES["box"])
    outer = box + 2  # with its border
    ring = max(2, round(em * 0.25))
    themes = Path(str(resources.files("resources"))) / "themes"
    dark_tick = (themes / "tick-dark.svg").as_posix()
    light_tick = (themes / "tick-light.svg").as_posix()
    return _RULES.substitute(
        colors,
        **sizes,
        round=outer // 2,
        thick=ring,
        inner=outer - 2 * ring,
        **derived(tint, dark=dark),
        border_box=tint("text", 0.45, "base").name(),
        # On the accent, which is pale in the dark theme.
        tick=dark_tick if dark else light_tick,
        # On the ground of menus.
        menu_tick=light_tick if dark else dark_tick,
        border_strong=tint("text", 0.18, "base").name(),
        disabled=tint("text", 0.4, "window").name(),
        handle=tint("text", 0.18, "window").name(),
        handle_hover=tint("text", 0.35, "window").name(),
    )
