"""The commands of the memory: what each does to the items that are meant, and what Undo takes back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from core.curation.curator import Curator
from core.exchange.conflicts import Conflict, decide, open_conflicts
from core.memory.reading import read_items
from core.memory.records import ItemState, MemoryItem
from core.memory.views.csv_file import write_table
from sage_desktop.panels.memory import curating
from sage_desktop.panels.memory.compare_dialog import CompareDialog
from sage_desktop.panels.memory.conflict_dialog import ConflictDialog
from sage_desktop.panels.memory.curating import curated
from sage_desktop.panels.memory.deciding import Deciding
from sage_desktop.panels.memory.editor import ItemEditor
from sage_desktop.panels.memory.item_table import WAITING, ItemTable
from sage_desktop.panels.memory.questions import ReasonDialog, reset_dialog
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.saving import ask_where

if TYPE_CHECKING:
    from pathlib import Path

    from core.workspace import Workspace
    from sage_desktop.panels.memory.duplicates_dialog import DuplicatesDialog

T = TypeVar("T")
TOPICS = frozenset({"memory"})
_PLAIN = ("promote", "demote", "accept", "reject")
_SWITCHES = {"pin": "unpin", "block": "unblock", "archive": "restore"}
_TAGS_NAMED = 20
OUT_OF_USE = (ItemState.ARCHIVED, ItemState.DISABLED)  # disabled by an older release
_ONE = ("edit", "reset")


class Curation(QObject):
    """Binds the actions; knows the item in front and the selected ones.

    Signals:
        changed: uid to show after a change, empty for the one in front.
        offered: (what was done to several items, (words of a button, what it does)).
        told: What was done, or that there is nothing to do, for a message.
    """

    changed = Signal(str)
    offered = Signal(str, object)
    told = Signal(str)

    def __init__(
        self,
        operations: Operations,
        actions: ActionRegistry,
        table: ItemTable,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._operations, self._actions, self._table, self._window = (
            operations,
            actions,
            table,
            parent,
        )
        self._item: MemoryItem | None = None
        self.deciding = Deciding(operations, table, parent)
        self.deciding.refused.connect(lambda: self.changed.emit(""))
        self.deciding.decided.connect(self._offer_undo)
        self._undo = curating.UndoState("", "")
        self.editor: ItemEditor | None = None
        self.question: QInputDialog | None = None
        self.duplicates: DuplicatesDialog | None = None
        self.exporting: QFileDialog | None = None
        self.dialog: ReasonDialog | CompareDialog | ConflictDialog | None = None
        self._bind()

    def _bind(self) -> None:
        bind = self._actions.bind
        for name in _PLAIN:
            bind(f"memory.{name}", partial(self._do, name))
        for name, opposite in _SWITCHES.items():
            self._actions[f"memory.{name}"].triggered.connect(
                lambda on, name=name, opposite=opposite: self._do(
                    name if on else opposite
                )
            )
        bind("memory.edit", self._edit)
        bind(
            "memory.reset", lambda: self._ask_why(reset_dialog, Curator.reset_evidence)
        )
        bind("memory.compare", self._compare_selected)
        bind("memory.conflicts", self._ask_conflicts)
        bind("memory.tag", self._ask_tags)
        bind("memory.duplicates", self._look_for_duplicates)
        bind("memory.csv", self._ask_file)
        bind("edit.undo", lambda: self._take_back(self._undo.undo_seq))
        bind("edit.redo", lambda: self._write(curated(Curator.redo)))
        self._actions.enable({"edit.undo": False, "edit.redo": False})
        self.show_item(None)

    def show_item(self, item: MemoryItem | None) -> None:
        """Another item is in front, or it changed: enable what makes sense for it and the selection."""
        self._item = item
        writable = self._operations.can_write
        one = writable and item is not None
        several = writable and self._table.chosen_count() > 1
        hot = item is not None and item.hot_region
        waiting = item is not None and item.state in WAITING
        states = {f"memory.{name}": one for name in (*_SWITCHES, "edit", "reset")}
        states |= {
            "memory.promote": one and (several or not hot),
            "memory.demote": one and (several or hot),
            "memory.accept": one and (several or waiting),
            "memory.reject": one and (several or waiting),
            "memory.compare": self._table.chosen_count() == 2,
            "memory.tag": one,
        }
        if several:
            states |= {f"memory.{name}": False for name in _ONE}
        self._actions.enable(states)
        if item is not None:
            self._actions["memory.pin"].setChecked(item.pinned)
            self._actions["memory.block"].setChecked(item.barred)
            self._actions["memory.archive"].setChecked(item.state in OUT_OF_USE)

    def refresh(self) -> None:
        """The selection changed."""
        self.show_item(self._item)

    def show_undo(self, undo: curating.UndoState) -> None:
        """Name what Undo and Redo would do."""
        self._undo = undo
        writable = self._operations.can_write
        for action, words, verb in (
            ("edit.undo", undo.undo, self.tr("&Undo {0}")),
            ("edit.redo", undo.redo, self.tr("&Redo {0}")),
        ):
            self._actions.enable({action: writable and bool(words)})
            self._actions[action].setText(verb.format(words).rstrip())

    def _targets(self) -> curating.Targets:
        """The selected items when there are several, otherwise the one in front."""
        chosen = self._table.selected_ids() if self._table.chosen_count() > 1 else []
        return chosen or ([self._item.uid] if self._item is not None else [])

    def _do(self, name: str) -> None:
        self.deciding.start(name, self._targets())
        self.changed.emit("")  # a refused change must not leave its switch turned

    def _offer_undo(self, words: str, seq: int) -> None:
        self.offered.emit(
            self.tr("Done: {0}").format(words),
            (self.tr("Undo"), lambda: self._take_back(seq)),
        )

    def _take_back(self, seq: int) -> None:
        self._write(curated(Curator.undo, seq))

    def _write(
        self,
        change: Callable[[Workspace], T],
        success: Callable[[T], object] | None = None,
    ) -> None:
        self._operations.write(self, change, success, topics=TOPICS)

    def _edit(self) -> None:
        if self._item is None:
            return
        self.editor = editor = ItemEditor(self._item, self._window)
        editor.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        editor.accepted.connect(lambda: self._save(editor))
        editor.open()

    def _save(self, editor: ItemEditor) -> None:
        uid, reason = editor.item.uid, editor.reason.text().strip()
        self._write(curating.edit(uid, editor.experience(), editor.new_rule(), reason))

    def _ask_why(
        self,
        question: Callable[[MemoryItem, QWidget], ReasonDialog],
        method: Callable[..., T],
        success: Callable[[T], object] | None = None,
    ) -> None:
        """Do what `method` of the curator does to the item in front, once the person has said why."""
        if self._item is None:
            return
        uid, dialog = self._item.uid, question(self._item, self._window)
        dialog.accepted.connect(
            lambda: self._write(
                curated(method, uid, reason=dialog.reason.text().strip()), success
            )
        )
        self._open(dialog)

    def _ask_tags(self) -> None:
        targets = self._targets()
        self._operations.query(
            self,
            lambda db: curating.tags_of(db, targets),
            lambda found: self._open_tags(targets, *found),
        )

    def _open_tags(
        self, targets: curating.Targets, shared: list[str], known: list[str]
    ) -> None:
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Tags"))
        words = self.tr("Tags of {0:,} items, with blanks between them").format(
            len(targets)
        )
        if len(targets) == 1:
            words = self.tr("Tags of this item, with blanks between them")
        if known:
            words += "\n" + self.tr("In use: {0}").format(" ".join(known[:_TAGS_NAMED]))
        dialog.setLabelText(words)
        dialog.setTextValue(" ".join(shared))

        def write(text: str) -> None:
            wanted = {tag.lstrip("#").lower() for tag in text.split()}
            self._write(curating.tagged(targets, wanted, set(shared) - wanted))

        dialog.textValueSelected.connect(write)
        self.question = dialog
        dialog.open()

    def _look_for_duplicates(self) -> None:
        from sage_desktop.panels.memory.duplicates_dialog import DuplicatesDialog

        dialog = DuplicatesDialog(self._window, writable=self._operations.can_write)
        dialog.compared.connect(self.compare)
        dialog.joined.connect(
            lambda kept, other: self._write(curated(Curator.join, kept, other))
        )
        self._operations.query(
            dialog,
            curating.near_duplicates,
            lambda found: dialog.show_pairs(*found),
            topic="pairs",
        )
        self.duplicates = dialog
        dialog.open()

    def _ask_file(self) -> None:
        wanted, (sort, descending) = self._table.model.filter, self._table.model.order

        def write(path: Path) -> None:
            self._operations.query(
                self,
                lambda db: write_table(db, wanted, sort, path, descending=descending),
                lambda items: self.told.emit(
                    self.tr("{0:,} items were written to {1}.").format(items, path)
                ),
            )

        title = self.tr("Export Table")
        self.exporting = ask_where(
            self._window, title, "experiences.csv", ["CSV (*.csv)"], write
        )

    def _compare_selected(self) -> None:
        ids = self._table.selected_ids()
        self._read_pair(lambda db: curating.uids(db, ids))

    def compare(self, uid: str, other: str) -> None:
        """Look at two items side by side."""
        self._read_pair(lambda _db: [uid, other])

    def _read_pair(self, which: Callable[[sqlite3.Connection], list[str]]) -> None:
        self._operations.query(
            self,
            lambda db: read_items(db, which(db)),
            lambda found: self._open_compare(*found),
        )

    def _open_compare(self, left: MemoryItem, right: MemoryItem) -> None:
        dialog = CompareDialog(
            left, right, self._window, writable=self._operations.can_write
        )
        dialog.joined.connect(self._join)
        self._open(dialog)

    def _ask_conflicts(self) -> None:
        self._operations.query(self, open_conflicts, self._open_conflicts)

    def _open_conflicts(self, found: tuple[Conflict, ...]) -> None:
        if not found:
            self.told.emit(self.tr("No conflicts: no text was changed on both sides."))
            return
        dialog = ConflictDialog(
            found, self._window, writable=self._operations.can_write
        )
        dialog.decided.connect(
            lambda uid, field, take: self._write(
                lambda workspace: decide(workspace, uid, field, take_other=take)
            )
        )
        self._open(dialog)

    def _join(self, kept: str, other: str, reason: str) -> None:
        self._write(
            curated(Curator.join, kept, other, reason=reason),
            lambda _seq: self.changed.emit(kept),
        )

    def _open(self, dialog: ReasonDialog | CompareDialog | ConflictDialog) -> None:
        self.dialog = dialog
        dialog.open()
