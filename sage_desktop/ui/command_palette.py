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
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.stacking import vbox

Index = QModelIndex | QPersistentModelIndex
_ACTION = Qt.ItemDataRole.UserRole


def score(query: str, text: str) -> int | None:
    """How well `query` names `text`: lower is better, None when it does not.

    Every word of the query must appear; words that begin a word of the text count more than words inside one.
    """
    total = 0
    lowered = text.lower()
    for word in query.lower().split():
        at = lowered.find(word)
        if at < 0:
            return None
        starts = at == 0 or not lowered[at - 1].isalnum()
        total += at + (0 if starts else 100)
    return total


class _CommandModel(QAbstractListModel):
    def __init__(self, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._registry = registry
        self._found: list[QAction] = []
        self.search("")

    def title(self, action: QAction) -> str:
        menu = self._registry.menu_of(action.objectName())
        return f"{menu}: {plain(action.text()).rstrip('…')}"

    def search(self, query: str) -> None:
        self.beginResetModel()
        scored = []
        for order, action in enumerate(self._registry.all()):
            if action.objectName() == "view.palette" or not action.isEnabled():
                continue
            value = score(query, self.title(action))
            if value is not None:
                scored.append((value if query else 0, order, action))
        self._found = [
            action
            for _value, _order, action in sorted(scored, key=lambda entry: entry[:2])
        ]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._found)

    def data(self, index: Index, role: int = 0) -> object:
        action = self._found[index.row()]
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
        area = QRectF(option.rect).adjusted(look.px(0.3), 1, -look.px(0.3), -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.tint("accent", 0.25 if look.dark else 0.14))
            painter.drawRoundedRect(area, look.px(0.3), look.px(0.3))
        side = look.px(1.15)
        place = QRectF(
            area.left() + look.px(0.5), area.center().y() - side / 2, side, side
        )
        if not action.icon().isNull():
            action.icon().paint(painter, place.toRect())
        elif action.isChecked():
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "✓")
        painter.setPen(look.color("text"))
        words = area.adjusted(look.px(2.3), 0, -look.px(8), 0)
        name = index.data() + ("  ✓" if action.isChecked() else "")
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, name)
        painter.setPen(look.color("muted"))
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(area.adjusted(0, 0, -look.px(0.6), 0), flags, keys)
        painter.restore()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(theme().px(20), theme().px(1.9))


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
        self.move((self._window.width() - self._width()) // 2, theme().px(2.6))
        self.field.clear()
        self._search("")
        self.show()
        self.raise_()
        self.field.setFocus()

    def _search(self, query: str) -> None:
        self.model.search(query)
        self.list.setCurrentIndex(self.model.index(0))
        rows = min(max(1, self.model.rowCount()), 14)
        self.list.setFixedHeight(rows * theme().px(1.9) + 4)
        self.adjustSize()
        self.resize(self._width(), self.height())

    def _width(self) -> int:
        return min(theme().px(40), self._window.width() - theme().px(4))

    def _leave(self) -> None:
        self.hide()
        if self._before is not None:
            self._before.setFocus()

    def _run(self) -> None:
        action = self.list.currentIndex().data(_ACTION)
        self._leave()
        if action is not None:
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event) or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: 10,
            Qt.Key.Key_PageUp: -10,
        }
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._run()
        elif event.key() in steps:
            row = self.list.currentIndex().row() + steps[Qt.Key(event.key())]
            row = max(0, min(self.model.rowCount() - 1, row))
            self.list.setCurrentIndex(self.model.index(row))
        else:
            return False
        return True
