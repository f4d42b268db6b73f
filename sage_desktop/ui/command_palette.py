"""Every command by its name: type a few letters, press Enter."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sage_desktop.ui.actions import ActionRegistry, plain
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.filter_box import ENTER
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.stacking import vbox
from sage_desktop.ui.widgets.writing import RIGHT, write

Index = QModelIndex | QPersistentModelIndex
_ACTION = Qt.ItemDataRole.UserRole
_INSIDE_PENALTY = 100  # of a word of the query inside a word, more than any position
_ROW_EMS = 1.9
_MOST_ROWS = 14
_CHECKED = "✓"
# By key, how many rows the current one moves.
_STEPS: dict[int, int] = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: 10,
    Qt.Key.Key_PageUp: -10,
}


def score(query: str, text: str) -> int | None:
    """How well `query` names `text`: lower is better, None when it does not.

    Every word of the query must appear; words that begin a word of the text count more than words inside one.
    """
    total = 0
    lowered = text.lower()
    for word in query.lower().split():
        position = lowered.find(word)
        if position < 0:
            return None
        begins_word = position == 0 or not lowered[position - 1].isalnum()
        total += position
        if not begins_word:
            total += _INSIDE_PENALTY
    return total


class _CommandModel(QAbstractListModel):
    """The commands that can be given now, those a search names."""

    def __init__(self, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._registry = registry
        self._matches: list[QAction] = []
        self.search("")

    def title(self, action: QAction) -> str:
        """Menu and name of a command: what is searched and shown."""
        menu = self._registry.menu_of(action.objectName())
        name = plain(action.text()).rstrip("…")
        return f"{menu}: {name}"

    def search(self, query: str) -> None:
        """List the commands that `query` names, the best first, equal ones as in the menus."""
        self.beginResetModel()
        scores: dict[QAction, int] = {}
        for action in self._registry.all():
            # The command that opened the palette is of no use in it.
            if action.objectName() == "view.palette" or not action.isEnabled():
                continue
            value = score(query, self.title(action))
            if value is not None:
                scores[action] = value
        self._matches = sorted(scores, key=scores.__getitem__)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._matches)

    def data(self, index: Index, role: int = 0) -> object:
        action = self._matches[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(action)
        if role == Qt.ItemDataRole.DecorationRole:
            return action.icon()
        if role == Qt.ItemDataRole.ToolTipRole:
            return action.whatsThis()
        return action if role == _ACTION else None


class _CommandDelegate(QStyledItemDelegate):
    """Icon, name, and the key at the right."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        look = theme()
        action = index.data(_ACTION)
        margin = look.px(0.3)
        area = QRectF(option.rect).adjusted(margin, 1, -margin, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            share = 0.25 if look.dark else 0.14
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.tint("accent", share))
            painter.drawRoundedRect(area, margin, margin)
        self._paint_icon(painter, area, action)
        name = index.data()
        if action.isChecked():
            name = f"{name}  {_CHECKED}"
        icon_room, keys_room = look.px(2.3), look.px(8)
        name_box = area.adjusted(icon_room, 0, -keys_room, 0)
        write(painter, name_box, name, "text")
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        keys_margin = look.px(0.6)
        keys_box = area.adjusted(0, 0, -keys_margin, 0)
        write(painter, keys_box, keys, "muted", side=RIGHT)
        painter.restore()

    def _paint_icon(self, painter: QPainter, area: QRectF, action: QAction) -> None:
        """At the left of a row; the check mark of a switch that has no icon."""
        side = theme().px(1.15)
        x = area.left() + theme().px(0.5)
        y = area.center().y() - side / 2
        box = QRectF(x, y, side, side)
        if not action.icon().isNull():
            action.icon().paint(painter, box.toRect())
        elif action.isChecked():
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _CHECKED)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return theme().size(20, _ROW_EMS)


class CommandPalette(QFrame):
    """A panel over the top of the window; hides when it loses the focus."""

    def __init__(self, registry: ActionRegistry, window: QWidget) -> None:
        super().__init__(window)
        self.setProperty("card", "true")
        self._window = window
        self._before: QWidget | None = None
        self.field = named(QLineEdit(), self.tr("Command"))
        self.field.setPlaceholderText(self.tr("Type the name of a command"))
        self.model = _CommandModel(registry, self)
        self.list = named(QListView(), self.tr("Commands"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(_CommandDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(lambda _index: self._run())
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        vbox(self.field, self.list, owner=self, margins=0.45)
        self.hide()

    def open(self) -> None:
        """Show the palette, ready for typing."""
        self._before = self._window.focusWidget()
        x = (self._window.width() - self._width()) // 2
        self.move(x, theme().px(2.6))
        self.field.clear()
        self._search("")
        self.show()
        self.raise_()
        self.field.setFocus()

    def _search(self, query: str) -> None:
        """List what `query` names; the panel is as high as its rows."""
        self.model.search(query)
        self.list.setCurrentIndex(self.model.index(0))
        # At least one row: an empty panel would jump while one types.
        rows = min(max(1, self.model.rowCount()), _MOST_ROWS)
        row_height = theme().px(_ROW_EMS)
        self.list.setFixedHeight(rows * row_height + 4)
        self.adjustSize()
        self.resize(self._width(), self.height())

    def _width(self) -> int:
        room = self._window.width() - theme().px(4)
        return min(theme().px(40), room)

    def _leave(self) -> None:
        """Hide, and give the focus back."""
        self.hide()
        if self._before is not None:
            self._before.setFocus()

    def _run(self) -> None:
        """Give the command of the current row; the panel hides first, since it may open a dialog."""
        action = self.list.currentIndex().data(_ACTION)
        self._leave()
        if action is not None:
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and self._take_key(event.key())
        ):
            return True
        return super().eventFilter(watched, event)

    def _take_key(self, key: int) -> bool:
        """Whether a key of the field was meant for the list, and was obeyed."""
        if key == Qt.Key.Key_Escape:
            self._leave()
        elif key in ENTER:
            self._run()
        elif key in _STEPS:
            row = self.list.currentIndex().row() + _STEPS[key]
            last = self.model.rowCount() - 1
            row = max(0, min(last, row))
            self.list.setCurrentIndex(self.model.index(row))
        else:
            return False
        return True
