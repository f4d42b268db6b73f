"""A decision on many items: asked with the number, shown as it goes, and offered to be undone."""

from __future__ import annotations

from threading import Event

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from core.curation.decisions import Decided, concerned
from sage_desktop.panels.memory import curating
from sage_desktop.panels.memory.item_table import ItemTable
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.confirm import confirm

ASKED_FROM = 25  # items: fewer are done at once, for Undo is there
TOPICS = frozenset({"memory"})


class Deciding(QObject):
    """Carries out the commands that may be about thousands of items.

    Signals:
        decided: (what was done in words, seq of the step that Undo takes back); not told of a single item.
        refused: Nothing was changed, as the person wished.
    """

    decided = Signal(str, int)
    refused = Signal()
    _moved = Signal(int, int)

    def __init__(
        self, operations: Operations, table: ItemTable, window: QWidget
    ) -> None:
        super().__init__(window)
        self._operations, self._table, self._window = operations, table, window
        self._stop = Event()
        self._busy = False
        self._words = ""
        self.question: QMessageBox | None = None
        self._moved.connect(self._show_progress, Qt.ConnectionType.QueuedConnection)
        table.progress.stopped.connect(self._stop.set)

    def start(self, name: str, targets: curating.Targets) -> None:
        """Do `name` to the targets; many are asked about first."""
        numbers = [target for target in targets if isinstance(target, int)]
        if len(numbers) < ASKED_FROM:
            self._write(name, targets)
        else:
            self._operations.query(
                self,
                lambda db: concerned(db, name, numbers),
                lambda found: self._ask(name, found, len(numbers)),
            )

    def _ask(self, name: str, ids: list[int], selected: int) -> None:
        told = [self.tr("One Undo reverts it.")]
        if len(ids) < selected:
            told.insert(
                0,
                self.tr(
                    "{0:,} of the {1:,} selected items do not wait for a decision and stay as "
                    "they are."
                ).format(selected - len(ids), selected),
            )
        title = self._title(name, len(ids))
        self.question = confirm(
            self._window,
            f"{title}?",
            "\n".join(told),
            (title, lambda: self._write(name, ids)),
            (self.tr("Cancel"), self.refused.emit),
        )

    def _title(self, name: str, items: int) -> str:
        return curating.step_words(f"{name}-items", items)

    def _write(self, name: str, targets: curating.Targets) -> None:
        if self._busy:
            return
        self._busy, self._words = True, self._title(name, len(targets))
        self._stop.clear()

        def going(done: int, total: int) -> bool:
            self._moved.emit(done, total)
            return not self._stop.is_set()

        many = len(targets) >= ASKED_FROM
        change = curating.command(name, targets, going if many else None)
        if many:
            self._show_progress(0, len(targets))
        self._operations.write(
            self,
            change,
            lambda done: self._done(name, done),
            topics=TOPICS,
            failure=self._ended,
        )

    def _show_progress(self, done: int, total: int) -> None:
        if self._busy:
            words = self.tr("{0}: {1:,} of {2:,}").format(self._words, done, total)
            self._table.progress.show_progress(words, done, total)

    def _ended(self) -> None:
        self._busy = False
        self._table.progress.hide()

    def _done(self, name: str, done: Decided) -> None:
        self._ended()
        if done.items > 1:
            self.decided.emit(self._title(name, done.items), done.seq)
