"""Help inside the window: the guide (our README), all shortcuts, and what this program is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from sage_desktop.actions import ActionRegistry
from sage_desktop.icons import application_icon
from sage_desktop.theme import theme

DISTRIBUTION = "sage-desktop"


def version() -> str:
    """Version of the installed distribution, `development` when it runs from a bare checkout."""
    from importlib import metadata  # 90 ms the first paint need not wait for

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "development"


def guide_text() -> str:
    """The README: from the checkout when there is one, else from the installed distribution's metadata."""
    from importlib import metadata

    readme = Path(__file__).resolve().parent.parent / "README.md"
    if readme.is_file():
        return readme.read_text(encoding="utf-8")
    try:
        return str(metadata.metadata(DISTRIBUTION).get_payload())
    except metadata.PackageNotFoundError:
        return "# SAGE Desktop\n\nThe guide is the file README.md of the source distribution."


class _Page(QDialog):
    """A dialog with one main widget and a close button."""

    def __init__(self, title: str, inside: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(inside, 1)
        layout.addWidget(buttons)


def show_guide(parent: QWidget) -> QDialog:
    """Open the guide."""
    browser = QTextBrowser()
    browser.setOpenExternalLinks(True)
    browser.setProperty("flat", "true")
    browser.setMarkdown(guide_text())
    page = _Page(browser.tr("User Guide"), browser, parent)
    page.resize(theme().px(48), theme().px(44))
    page.show()
    return page


def show_keys(parent: QWidget, actions: ActionRegistry) -> QDialog:
    """Open the list of commands and their keys."""
    listed = [action for action in actions.all() if not action.shortcut().isEmpty()]
    table = QTableWidget(len(listed), 3)
    table.setHorizontalHeaderLabels([table.tr("Command"), table.tr("Keys"), table.tr("What it does")])
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    for row, action in enumerate(listed):
        keys = ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts())
        name = action.text().replace("&", "").rstrip("…")
        for column, text in enumerate((name, keys, action.statusTip())):
            table.setItem(row, column, QTableWidgetItem(text))
    page = _Page(table.tr("Keyboard Shortcuts"), table, parent)
    page.resize(theme().px(46), theme().px(36))
    page.show()
    return page


def show_about(parent: QWidget, workspace: str) -> QDialog:
    """Open the page that says what this program is."""
    side = theme().px(4)
    inside = QWidget()
    column = QVBoxLayout(inside)
    picture = QLabel()
    picture.setPixmap(application_icon().pixmap(side, side))
    title = QLabel(inside.tr("SAGE Desktop {0}").format(version()))
    title.setFont(theme().strong_font(1.3))
    words = QLabel(
        inside.tr(
            "Writes Ascend C kernels with a frozen language model that learns across tasks through an "
            "external memory. Apache License 2.0.\n\nWorkspace: {0}"
        ).format(workspace)
    )
    words.setWordWrap(True)
    words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    for label in (picture, title, words):
        column.addWidget(label)
    column.addStretch()
    page = _Page(inside.tr("About SAGE Desktop"), inside, parent)
    page.resize(theme().px(28), theme().px(16))
    page.show()
    return page
