"""What the keyboard reaches says its name: every page, every tab of it, and every dialog."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QScrollArea,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from sage_desktop.app import Desktop
from sage_desktop.panels.forking.dialog import ForkDialog
from sage_desktop.panels.results.panel import ResultsPanel
from sage_desktop.panels.review.mismatch.explorer import MismatchExplorer
from sage_desktop.shell.main_window import MEMORY, RESULTS
from tests.gui.test_diagnosing import WAIT_MS, desktop  # noqa: F401 - a fixture
from tests.gui.test_forking import BEFORE

_ONLY_HOLD_OTHERS = (QDialogButtonBox, QScrollArea, QTabBar, QTabWidget)
_OPENERS = (
    "file.settings",
    "queue.add",
    "queue.custom",
    "queue.import",
    "queue.setup",
    "queue.label",
    "review.diagnose",
    "review.diagnose_log",
    "review.reference",
    "review.line",
    "review.export",
    "help.guide",
    "file.add_host",
    "memory.edit",
    "memory.tag",
    "memory.reset",
    "memory.duplicates",
    "memory.compare",
    "memory.conflicts",
)


def silent(root: QWidget) -> set[str]:
    """Widgets below `root` that Tab leads to, shown or on a page behind, and that have no name."""
    found = set()
    for widget in (root, *root.findChildren(QWidget)):
        above = widget.parent()
        part = widget.window() is not root.window() or isinstance(
            above, QComboBox | QAbstractSpinBox
        )
        part = part or (
            isinstance(above, QAbstractScrollArea) and above.viewport() is widget
        )
        reached = (
            bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
            and not widget.isHidden()
        )
        if part or not reached or isinstance(widget, _ONLY_HOLD_OTHERS):
            continue
        told = QAccessible.queryAccessibleInterface(widget)
        if told is None or not told.text(QAccessible.Text.Name).strip():
            found.add(
                f"{type(widget).__name__} {widget.objectName()} in {type(above).__name__}"
            )
    return found


@pytest.mark.system
def test_every_control_of_every_page_and_dialog_has_a_name(
    desktop: Desktop,  # noqa: F811 - the imported fixture
    qtbot: QtBot,
) -> None:
    window, nameless = desktop.window, {}

    def settled() -> None:
        qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)

    def look_at(name: str, widget: QWidget) -> None:
        if found := silent(widget):
            nameless[name] = found

    for number in range(window.tabs.count()):
        window.tabs.setCurrentIndex(number)
        settled()
    results = window.lazy_page(RESULTS)
    assert isinstance(results, ResultsPanel)
    for number in range(results.tabs.count()):
        results.tabs.setCurrentIndex(number)
        settled()
    window.tabs.setCurrentIndex(MEMORY)
    settled()
    memory = window.memory
    memory.table.selectRow(0)
    settled()
    look_at("window", window)
    opened = []
    for action in _OPENERS:
        if action == "memory.compare":
            flags = (
                QItemSelectionModel.SelectionFlag.Select
                | QItemSelectionModel.SelectionFlag.Rows
            )
            memory.table.selectionModel().select(memory.model.index(1, 0), flags)
        known = set(QApplication.topLevelWidgets())
        if not window.actions_[action].isEnabled():
            continue
        window.actions_[action].trigger()
        settled()
        for dialog in set(QApplication.topLevelWidgets()) - known:
            if dialog.isVisible() and dialog.isWindow():
                opened.append(action)
                look_at(action, dialog)
                dialog.close()
    assert len(set(opened)) >= 18, opened
    for dialog in (ForkDialog(BEFORE, may_write=True), MismatchExplorer()):
        qtbot.addWidget(dialog)
        look_at(type(dialog).__name__, dialog)
    assert nameless == {}
