"""The log as a list: level, time, source, text; filtered by level and words."""

from __future__ import annotations

import logging
from datetime import datetime

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from sage_desktop.panels.log.ring import LogEntry, LogRing
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.pages import DockHead
from sage_desktop.ui.widgets.stacking import stacked
from sage_desktop.ui.widgets.tables import (
    Head,
    Index,
    RowModel,
    RowTable,
    make_reading_table,
)

_LEVELS = (
    (logging.INFO, "info", "muted"),
    (logging.WARNING, "warning", "warning"),
    (logging.ERROR, "error", "danger"),
)


class LogModel(RowModel):
    """Entries of the ring that pass the filter, oldest first."""

    def __init__(self, ring: LogRing, parent: QWidget) -> None:
        super().__init__(parent)
        self.heads = (
            Head(self.tr("Time")),
            Head(self.tr("Source")),
            Head(self.tr("Message")),
        )
        self._ring = ring
        self._level = logging.INFO
        self._needle = ""
        self.listed: list[LogEntry] = [
            entry for entry in ring.entries if self._passes(entry)
        ]
        ring.added.connect(self._added)

    def set_filter(self, level: int, needle: str) -> None:
        """Show entries of at least `level` that contain `needle`."""
        self.beginResetModel()
        self._level, self._needle = level, needle.lower()
        self.listed = [entry for entry in self._ring.entries if self._passes(entry)]
        self.endResetModel()

    def _passes(self, entry: LogEntry) -> bool:
        return (
            entry.level >= self._level
            and self._needle in f"{entry.source} {entry.text}".lower()
        )

    def _added(self, entry: LogEntry) -> None:
        if not self._passes(entry):
            return
        if len(self.listed) >= (self._ring.entries.maxlen or 0):
            self.beginRemoveRows(QModelIndex(), 0, 0)
            del self.listed[0]
            self.endRemoveRows()
        self.beginInsertRows(QModelIndex(), len(self.listed), len(self.listed))
        self.listed.append(entry)
        self.endInsertRows()

    def data(self, index: Index, role: int = 0) -> object:
        entry = self.listed[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell_text(entry, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.text
        if role == Qt.ItemDataRole.ForegroundRole and column < 2:
            return theme().color("muted")
        if role == Qt.ItemDataRole.DecorationRole and column == 2:
            return _level_icon(entry.level)
        if role == Qt.ItemDataRole.AccessibleTextRole and column == 2:
            return f"{logging.getLevelName(entry.level)}: {entry.text}"
        return None


def _cell_text(entry: LogEntry, column: int) -> str:
    """Time of day to the millisecond, source, or the message in one line."""
    if column == 0:
        moment = datetime.fromtimestamp(entry.time).astimezone()
        return moment.strftime("%H:%M:%S.%f")[:-3]
    if column == 1:
        return entry.source
    return entry.text.replace("\n", "  ")


def _level_icon(level: int) -> QIcon | None:
    """The icon of a warning or an error; information has none."""
    if level <= logging.INFO:
        return None
    for least, drawing, role in reversed(_LEVELS):
        if level >= least:
            return icon(drawing, role)
    return None


class LogPanel(QWidget):
    """Table with a level chooser and a filter field."""

    def __init__(self, ring: LogRing) -> None:
        super().__init__()
        self.setProperty("pane", "base")
        self.model = LogModel(ring, self)
        self.level = ComboBox(self.tr("Minimum level"))
        self.level.addItem(self.tr("All messages"), logging.INFO)
        self.level.addItem(self.tr("Warnings and errors"), logging.WARNING)
        self.level.addItem(self.tr("Errors only"), logging.ERROR)
        self.level.addItem(self.tr("All, with every step"), logging.DEBUG)
        self.filter = FilterBox(self.tr("Filter messages"))
        self.table = _LogTable(self.model)
        self.level.currentIndexChanged.connect(self._refilter)
        self.filter.changed.connect(self._refilter)
        self.model.rowsInserted.connect(self._follow)
        self.head = DockHead(self.tr("Log"))
        self.head.row.addWidget(self.level)
        self.head.row.addWidget(self.filter, 1)
        stacked(self, self.head, self.table)

    def showEvent(self, event: QShowEvent) -> None:
        """It opens at what happened last."""
        super().showEvent(event)
        self.table.scrollToBottom()

    def _refilter(self) -> None:
        words = self.filter.text()
        self.model.set_filter(self.level.currentData(), words)
        self.filter.set_count(self.model.rowCount() if words else None)
        self.table.scrollToBottom()

    def _follow(self) -> None:
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - 3:
            self.table.scrollToBottom()


class _LogTable(RowTable):
    """Rows of one height in the code font; Ctrl+C copies the selected ones."""

    def __init__(self, model: LogModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(self.tr("Log"))
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        header = make_reading_table(self)
        self.verticalHeader().setDefaultSectionSize(theme().px(1.35))
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        time = QFontMetrics(self.font()).horizontalAdvance("00:00:00.000")
        header.resizeSection(0, time + theme().px(1.2))
        header.resizeSection(1, theme().px(10))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            lines = [self._line(row) for row in self.chosen_rows()]
            QGuiApplication.clipboard().setText("\n".join(lines))
            return
        super().keyPressEvent(event)

    def _line(self, row: int) -> str:
        """A row as text, tabs between its columns."""
        model = self.model()
        cells = [str(model.data(model.index(row, column))) for column in range(3)]
        return "\t".join(cells)
