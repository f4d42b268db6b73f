"""Pairs of items that say nearly the same, offered to be joined one by one; nothing is joined by itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QTableWidget, QWidget

from core.curation.duplicates import DuplicatePair
from sage_desktop.panels.memory.tables import fill, plain_table
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import FormDialog

_tr = partial(QCoreApplication.translate, "DuplicatesDialog")


class DuplicatesDialog(FormDialog):
    """The pairs, the most alike first.

    Signals:
        compared: (uid, other uid): the person wants to see both.
        joined: (uid that stays, uid that is archived into it).
    """

    compared = Signal(str, str)
    joined = Signal(str, str)

    def __init__(self, parent: QWidget | None, *, writable: bool) -> None:
        super().__init__(
            _tr("Near-Duplicates"),
            _tr(
                "Pairs of active items of one type with the same title, the same meaning or four fifths of "
                "their words in common. Joining keeps the content of the first, counts the evidence of both "
                "once, and archives the second; Undo takes it back."
            ),
            _tr("Join"),
            parent,
        )
        self._writable = writable
        self._pairs: list[DuplicatePair] = []
        self._titles: dict[str, str] = {}
        self.table: QTableWidget = plain_table(
            _tr("Near-duplicates"),
            (_tr("Kept"), _tr("Joined into it"), _tr("Why"), _tr("Similarity")),
            texts=2,
        )
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.cellDoubleClicked.connect(lambda _row, _column: self._compare())
        self.body.addWidget(self.table, 1)
        self.compare = self.add_button(_tr("Compare…"))
        self.compare.clicked.connect(self._compare)
        self.do_it.clicked.connect(self._join)
        self.resize(theme().px(64), theme().px(34))
        self.set_working(_tr("Looking for near-duplicates…"))

    def show_pairs(
        self, pairs: Sequence[DuplicatePair], titles: dict[str, str]
    ) -> None:
        """List what was found; `titles` by uid."""
        self.set_working("")
        self._pairs, self._titles = list(pairs), titles
        self._show()

    def _show(self) -> None:
        reasons = {
            "title": _tr("same title"),
            "meaning": _tr("same meaning"),
            "words": _tr("same words"),
        }
        rows = [
            (
                f"{pair.kept}  {self._titles.get(pair.kept, '')}",
                f"{pair.other}  {self._titles.get(pair.other, '')}",
                reasons[pair.reason.split()[-1]],
                f"{100 * pair.likeness:.0f} %",
            )
            for pair in self._pairs
        ]
        place = max(0, min(self.table.currentRow(), len(rows) - 1))
        fill(self.table, rows, texts=2)
        if rows:
            self.table.setCurrentCell(place, 0)
        else:
            self.message.say(
                _tr("No two active items of one type are alike."), "success"
            )
        self._enable()

    def _enable(self) -> None:
        chosen = self._chosen() is not None
        self.do_it.setEnabled(chosen and self._writable)
        self.compare.setEnabled(chosen)

    def _chosen(self) -> DuplicatePair | None:
        row = self.table.currentRow()
        return self._pairs[row] if 0 <= row < len(self._pairs) else None

    def _compare(self) -> None:
        pair = self._chosen()
        if pair is not None:
            self.compared.emit(pair.kept, pair.other)

    def _join(self) -> None:
        pair = self._chosen()
        if pair is None:
            return
        self.joined.emit(pair.kept, pair.other)
        gone = pair.other
        self._pairs = [
            other for other in self._pairs if gone not in (other.kept, other.other)
        ]
        self._show()
