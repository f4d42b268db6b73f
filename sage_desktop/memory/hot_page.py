"""Hot memory: how full the budget is, which rules are resident, who is next, what stands in the prompt."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from core.memory.queries import HotView, ItemRow
from sage_desktop.icons import icon
from sage_desktop.theme import theme
from sage_desktop.widgets.budget_bar import BudgetBar
from sage_desktop.widgets.verdicts import signed

_UID = Qt.ItemDataRole.UserRole


class HotPage(QWidget):
    """Budget bar, residents by density, next in line, the block as the model sees it.

    Signals:
        opened: uid of an item the user wants to see.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("pane", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        look = theme()
        self.bar = BudgetBar()
        self.residents = self._table(self.tr("Resident rules"))
        self.waiting = self._table(self.tr("Next in line"))
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setProperty("muted", "true")
        self.block = QPlainTextEdit()
        self.block.setReadOnly(True)
        self.block.setProperty("flat", "true")
        self.block.setFont(look.code_font())
        self.block.setAccessibleName(self.tr("Hot block of the prompt"))
        self.block.setPlaceholderText(self.tr("No rule is resident yet."))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.residents, self.tr("Residents"))
        self.tabs.addTab(self.waiting, self.tr("Next in Line"))
        self.tabs.addTab(self.block, self.tr("As in the Prompt"))
        head = QVBoxLayout()
        margin = look.px(0.9)
        head.setContentsMargins(margin, margin, margin, look.px(0.3))
        head.addWidget(self.bar)
        head.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(self.tabs, 1)

    def _table(self, name: str) -> QTableWidget:
        table = QTableWidget(0, 5)
        table.setAccessibleName(name)
        table.setHorizontalHeaderLabels(
            [self.tr("Rule"), self.tr("Tokens"), self.tr("u"), self.tr("p"), self.tr("Density ×10⁻³")]
        )
        table.setShowGrid(False)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.itemActivated.connect(lambda cell: self.opened.emit(cell.data(_UID)))
        table.itemDoubleClicked.connect(lambda cell: self.opened.emit(cell.data(_UID)))
        return table

    def show_hot(self, view: HotView) -> None:
        """Show hot memory as it was read."""
        self.bar.set_tokens([row.L_m for row in view.residents], view.tokens, view.budget)
        self._fill(self.residents, view.residents)
        self._fill(self.waiting, view.waiting)
        self.tabs.setTabText(0, self.tr("Residents {0}").format(len(view.residents)))
        self.tabs.setTabText(1, self.tr("Next in Line {0}").format(len(view.waiting)))
        if view.block != self.block.toPlainText():
            self.block.setPlainText(view.block)
        unruled = len(view.unruled)
        self.note.setText(
            self.tr("Validated and waiting for a rule: {0}.").format(unruled) if unruled else ""
        )
        self.note.setVisible(bool(unruled))

    def _fill(self, table: QTableWidget, rows: tuple[ItemRow, ...]) -> None:
        table.setRowCount(len(rows))
        table.verticalHeader().setDefaultSectionSize(theme().px(1.8))
        for number, row in enumerate(rows):
            texts = (
                row.title,
                str(row.L_m),
                signed(row.u_m),
                f"{row.p_hat:.2f}",
                f"{row.density * 1000:.2f}",
            )
            for column, text in enumerate(texts):
                cell = QTableWidgetItem(text)
                cell.setData(_UID, row.uid)
                if column == 0:
                    cell.setToolTip(f"{row.title}\n{row.uid}")
                    if row.pinned:
                        cell.setIcon(icon("pin", "accent"))
                else:
                    cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                table.setItem(number, column, cell)
