"""The commands of the memory.

What each does to the items that are meant, and what Undo takes back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Concatenate, ParamSpec, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from core.curation import decisions
from core.curation.curator import WAITING, Curator
from core.curation.decisions import Decided, Progress, concerned
from core.curation.duplicates import find_duplicates
from core.curation.undo import items_of_step, next_redo, next_undo, taken_back
from core.exchange import conflicts
from core.exchange.conflicts import Conflict, open_conflicts
from core.memory.reading import read_items
from core.memory.records import Experience, ItemState, MemoryItem
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.memory.views.csv_file import write_table
from core.memory.views.rows import EventRow
from core.workspace import Workspace
from sage_desktop.panels.memory.appearance import done_words, step_words
from sage_desktop.panels.memory.editor import ItemEditor, ReasonDialog, reset_dialog
from sage_desktop.panels.memory.item_table import ItemTable
from sage_desktop.panels.memory.pair_dialogs import (
    CompareDialog,
    ConflictDialog,
    DuplicatesDialog,
)
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.messages.confirm import confirm
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.saving import ask_where

P = ParamSpec("P")
T = TypeVar("T")
Targets = Sequence[str | int]
"""Items by uid or by id."""

TOPICS = frozenset({"memory"})
ASKED_FROM = 25  # items: fewer are changed at once, for Undo is there
OUT_OF_USE = (ItemState.ARCHIVED, ItemState.DISABLED)  # disabled by an older release
_PLAIN = ("promote", "demote", "accept", "reject")
_SWITCHES = {"pin": "unpin", "block": "unblock", "archive": "restore"}
_TAGS_NAMED = 20
_ABOUT_ONE = ("edit", "reset")


@dataclass(frozen=True)
class UndoState:
    """What Undo and Redo would do: words for the menu, empty when there is nothing."""

    undo: str
    redo: str
    undo_seq: int = 0  # of the event Undo would take back


class Curation(QObject):
    """Binds the actions; knows the item in front and the selected ones.

    Signals:
        changed: uid to show after a change, empty for the one in front.
        offered: (what was done to several items, (words of a button, what it does)).
        notice: What was done, or that there is nothing to do, for a message.
    """

    changed = Signal(str)
    offered = Signal(str, object)
    notice = Signal(str)

    def __init__(
        self,
        operations: Operations,
        actions: ActionRegistry,
        table: ItemTable,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._operations = operations
        self._actions = actions
        self._table = table
        self._window = parent
        self._item: MemoryItem | None = None
        self._undo = UndoState("", "")
        self.decisions = Decisions(operations, table, parent)
        self.decisions.refused.connect(lambda: self.changed.emit(""))
        self.decisions.decided.connect(self._offer_undo)
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
            self._bind_switch(name, opposite)
        bind("memory.edit", self._edit)
        bind("memory.reset", self._ask_reset)
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
        """Another item is in front, or it changed.

        Enable what makes sense for it and the selection.
        """
        self._item = item
        count = self._table.chosen_count()
        some = self._operations.can_write and item is not None
        # Among several items there may be one for which a command makes sense.
        several = some and count > 1
        hot = item is not None and item.hot_region
        waiting = item is not None and item.state in WAITING
        enabled = {
            "memory.promote": some and (several or not hot),
            "memory.demote": some and (several or hot),
            "memory.accept": some and (several or waiting),
            "memory.reject": some and (several or waiting),
            "memory.compare": count == 2,
            "memory.tag": some,
        }
        for name in _SWITCHES:
            enabled[f"memory.{name}"] = some
        for name in _ABOUT_ONE:
            enabled[f"memory.{name}"] = some and not several
        self._actions.enable(enabled)
        if item is not None:
            self._actions["memory.pin"].setChecked(item.pinned)
            self._actions["memory.block"].setChecked(item.barred)
            self._actions["memory.archive"].setChecked(item.state in OUT_OF_USE)

    def refresh(self) -> None:
        """The selection changed."""
        self.show_item(self._item)

    def _targets(self) -> Targets:
        """The selected items when there are several, otherwise the one in front."""
        if self._table.chosen_count() > 1:
            return self._table.selected_ids()
        return [self._item.uid] if self._item is not None else []

    def _do(self, name: str) -> None:
        self.decisions.start(name, self._targets(), self._consequence(name))
        self.changed.emit("")  # a refused change must not leave its switch turned

    def _consequence(self, name: str) -> str:
        """What a command does to the item in front beyond its name; empty for several items."""
        item = self._item
        if item is None or self._table.chosen_count() > 1:
            return ""
        if item.pinned and name in ("demote", "block", "archive"):
            return self.tr("It is no longer pinned.")
        if not item.hot_region and name == "pin":
            return self.tr("Its rule is in hot memory now.")
        return ""

    def _bind_switch(self, name: str, opposite: str) -> None:
        """Bind a command with a tick: turned off, it does the opposite."""

        def turn(on: bool) -> None:
            self._do(name if on else opposite)

        self._actions[f"memory.{name}"].triggered.connect(turn)

    def _write(
        self,
        change: Callable[[Workspace], T],
        success: Callable[[T], object] | None = None,
    ) -> None:
        self._operations.write(self, change, success, topics=TOPICS)

    def _open(self, dialog: ReasonDialog | CompareDialog | ConflictDialog) -> None:
        self.dialog = dialog
        dialog.open()

    # ---- undo

    def show_undo(self, undo: UndoState) -> None:
        """Name what Undo and Redo would do."""
        self._undo = undo
        writable = self._operations.can_write
        for action, words, verb in (
            ("edit.undo", undo.undo, self.tr("&Undo {0}")),
            ("edit.redo", undo.redo, self.tr("&Redo {0}")),
        ):
            self._actions.enable({action: writable and bool(words)})
            self._actions[action].setText(verb.format(words).rstrip())

    def _offer_undo(self, words: str, seq: int) -> None:
        self.offered.emit(words, (self.tr("Undo"), lambda: self._take_back(seq)))

    def _take_back(self, seq: int) -> None:
        self._write(curated(Curator.undo, seq))

    # ---- content, evidence and tags of items

    def _edit(self) -> None:
        if self._item is None:
            return
        self.editor = editor = ItemEditor(self._item, self._window)
        editor.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        editor.accepted.connect(lambda: self._save(editor))
        editor.open()

    def _save(self, editor: ItemEditor) -> None:
        reason = editor.reason.text().strip()
        uid, experience = editor.item.uid, editor.experience()
        self._write(edited(uid, experience, editor.new_rule(), reason))

    def _ask_reset(self) -> None:
        if self._item is None:
            return
        uid = self._item.uid
        dialog = reset_dialog(self._item, self._window)

        def reset() -> None:
            reason = dialog.reason.text().strip()
            self._write(curated(Curator.reset_evidence, uid, reason=reason))

        dialog.accepted.connect(reset)
        self._open(dialog)

    def _ask_tags(self) -> None:
        targets = self._targets()
        self._operations.query(
            self,
            lambda db: tags_of(db, targets),
            lambda answer: self._open_tags(targets, *answer),
        )

    def _open_tags(
        self, targets: Targets, shared: list[str], in_use: list[str]
    ) -> None:
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Tags"))
        words = self.tr("Tags of {0:,} items, with blanks between them")
        words = words.format(len(targets))
        if len(targets) == 1:
            words = self.tr("Tags of this item, with blanks between them")
        if in_use:
            named = " ".join(in_use[:_TAGS_NAMED])
            words += "\n" + self.tr("In use: {0}").format(named)
        dialog.setLabelText(words)
        dialog.setTextValue(" ".join(shared))

        def write(text: str) -> None:
            tags = {tag.lstrip("#").lower() for tag in text.split()}
            # Tags that only some of the items have were not shown, and stay.
            self._write(tagged(targets, tags, set(shared) - tags))

        dialog.textValueSelected.connect(write)
        self.question = dialog
        dialog.open()

    # ---- two items, two texts

    def _look_for_duplicates(self) -> None:
        dialog = DuplicatesDialog(self._window, writable=self._operations.can_write)
        dialog.compared.connect(self.compare)
        dialog.joined.connect(
            lambda uid, other: self._write(curated(Curator.join, uid, other))
        )
        self._operations.query(
            dialog, find_duplicates, dialog.show_pairs, topic="pairs"
        )
        self.duplicates = dialog
        dialog.open()

    def _compare_selected(self) -> None:
        ids = self._table.selected_ids()
        self._read_pair(lambda db: uids(db, ids))

    def compare(self, uid: str, other: str) -> None:
        """Look at two items side by side."""
        self._read_pair(lambda _db: [uid, other])

    def _read_pair(self, which: Callable[[sqlite3.Connection], list[str]]) -> None:
        self._operations.query(
            self,
            lambda db: read_items(db, which(db)),
            lambda pair: self._open_compare(*pair),
        )

    def _open_compare(self, item: MemoryItem, other: MemoryItem) -> None:
        writable = self._operations.can_write
        dialog = CompareDialog(item, other, self._window, writable=writable)
        dialog.joined.connect(self._join)
        self._open(dialog)

    def _join(self, uid: str, other: str, reason: str) -> None:
        """Join `other` into the item `uid`, which stays."""
        self._write(
            curated(Curator.join, uid, other, reason=reason),
            lambda _seq: self.changed.emit(uid),
        )

    def _ask_conflicts(self) -> None:
        self._operations.query(self, open_conflicts, self._open_conflicts)

    def _open_conflicts(self, unresolved: tuple[Conflict, ...]) -> None:
        if not unresolved:
            words = self.tr("No conflicts: no text was changed on both sides.")
            self.notice.emit(words)
            return
        writable = self._operations.can_write
        dialog = ConflictDialog(unresolved, self._window, writable=writable)
        dialog.decided.connect(self._decide_conflict)
        self._open(dialog)

    def _decide_conflict(self, uid: str, field: str, take: bool) -> None:
        """Keep the own text of a field, or take that of the other side."""
        self._write(
            lambda workspace: conflicts.decide(workspace, uid, field, take_other=take)
        )

    # ---- the table as a file

    def _ask_file(self) -> None:
        table_filter = self._table.model.filter
        sort, descending = self._table.model.order

        def write(path: Path) -> None:
            words = self.tr("{0:,} items were written to {1}.")
            self._operations.query(
                self,
                lambda db: write_table(
                    db, table_filter, sort, path, descending=descending
                ),
                lambda items: self.notice.emit(words.format(items, path)),
            )

        title = self.tr("Export Table")
        self.exporting = ask_where(
            self._window, title, "experiences.csv", ["CSV (*.csv)"], write
        )


class Decisions(QObject):
    """Carries out the commands that may be about thousands of items.

    Asked about, shown, and stoppable.

    Signals:
        decided: (what was done in words, seq of the step that Undo takes back).
        refused: Nothing was changed, as the person wished.
        moved: (items done, of how many), from the engine's thread.
    """

    decided = Signal(str, int)
    refused = Signal()
    moved = Signal(int, int)

    def __init__(
        self, operations: Operations, table: ItemTable, window: QWidget
    ) -> None:
        super().__init__(window)
        self._operations, self._table, self._window = operations, table, window
        self._stop = Event()
        self._busy = False
        self._words = ""
        self.question: QMessageBox | None = None
        self.moved.connect(self._show_progress, Qt.ConnectionType.QueuedConnection)
        table.progress.stopped.connect(self._stop.set)

    def start(self, name: str, targets: Targets, consequence: str = "") -> None:
        """Do `name` to the targets; many are asked about first.

        `consequence` is a sentence about a single target, said with what was done.
        """
        numbers = [target for target in targets if isinstance(target, int)]
        if len(numbers) < ASKED_FROM:
            self._write(name, targets, consequence)
        else:
            self._operations.query(
                self,
                lambda db: concerned(db, name, numbers),
                lambda ids: self._ask(name, ids, len(numbers)),
            )

    def _ask(self, name: str, ids: list[int], selected: int) -> None:
        hints = []
        if len(ids) < selected:
            words = self.tr(
                "{0:,} of the {1:,} selected items do not wait for a decision and stay as "
                "they are."
            )
            hints.append(words.format(selected - len(ids), selected))
        hints.append(self.tr("One Undo reverts it."))
        title = self._title(name, len(ids))
        self.question = confirm(
            self._window,
            f"{title}?",
            "\n".join(hints),
            (title, lambda: self._write(name, ids)),
            (self.tr("Cancel"), self.refused.emit),
        )

    def _title(self, name: str, items: int) -> str:
        return step_words(f"{name}-items", items)

    def _write(self, name: str, targets: Targets, consequence: str = "") -> None:
        if self._busy:
            return
        self._busy = True
        self._words = self._title(name, len(targets))
        self._stop.clear()

        def progress(count: int, total: int) -> bool:
            self.moved.emit(count, total)
            return not self._stop.is_set()

        many = len(targets) >= ASKED_FROM
        if many:
            self._show_progress(0, len(targets))
        self._operations.write(
            self,
            decided(name, targets, progress if many else None),
            lambda outcome: self._finish(name, outcome, consequence),
            topics=TOPICS,
            failure=self._hide_progress,
        )

    def _show_progress(self, count: int, total: int) -> None:
        # A queued call may come after the end of the work.
        if self._busy:
            words = self.tr("{0}: {1:,} of {2:,}").format(self._words, count, total)
            self._table.progress.show_progress(words, count, total)

    def _hide_progress(self) -> None:
        self._busy = False
        self._table.progress.hide()

    def _finish(self, name: str, outcome: Decided, consequence: str) -> None:
        self._hide_progress()
        if outcome.items:
            words = done_words(name, outcome.items)
            if consequence:
                words = f"{words}. {consequence}"
            self.decided.emit(words, outcome.seq)


# ---- changes, which run on the engine's writer


def decided(
    name: str, targets: Targets, progress: Progress | None = None
) -> Callable[[Workspace], Decided]:
    """One decision on every target, as one step of Undo.

    See `core.curation.decisions.decide`.
    """
    return lambda workspace: decisions.decide(
        MemoryStore(workspace), name, uids(workspace.db, targets), progress=progress
    )


def tagged(
    targets: Targets, add: Collection[str], remove: Collection[str]
) -> Callable[[Workspace], Decided]:
    """Give tags to every target and take others away, as one step of Undo."""
    return lambda workspace: decisions.tag(
        MemoryStore(workspace), uids(workspace.db, targets), add, remove
    )


def edited(
    uid: str, experience: Experience, rule: str | None, reason: str
) -> Callable[[Workspace], int]:
    """New content, and a new rule when `rule` is given."""
    return lambda workspace: decisions.edit(
        MemoryStore(workspace), uid, experience, rule=rule, reason=reason
    )


def curated(
    method: Callable[Concatenate[Curator, P], T], *args: P.args, **options: P.kwargs
) -> Callable[[Workspace], T]:
    """The change that a method of the curator makes with these arguments."""
    return lambda workspace: method(Curator(MemoryStore(workspace)), *args, **options)


# ---- questions to the memory


def uids(db: sqlite3.Connection, targets: Targets) -> list[str]:
    """The uids of items given as uids or ids, in order."""
    ids = [target for target in targets if isinstance(target, int)]
    uid_of = queries.item_uids(db, ids)
    return [uid_of[target] if isinstance(target, int) else target for target in targets]


def tags_of(db: sqlite3.Connection, targets: Targets) -> tuple[list[str], list[str]]:
    """Tags that all targets share, and all tags in use, the most frequent first."""
    ids = queries.ids_of(db, uids(db, targets))
    tags = queries.item_tags(db, ids)
    of_each = [set(tags.get(item, ())) for item in ids]
    shared = set.intersection(*of_each) if of_each else set()
    return sorted(shared), list(queries.tag_counts(db))


def undo_state(db: sqlite3.Connection) -> UndoState:
    """Read what Undo and Redo would do now."""
    undo = next_undo(db)
    redo = next_redo(db)
    # Redo is about an Undo: its words are those of the step that took back.
    undone = taken_back(db, redo.seq) if redo is not None else None
    undo_seq = undo.seq if undo is not None else 0
    return UndoState(_words(db, undo), _words(db, undone), undo_seq)


def _words(db: sqlite3.Connection, event: EventRow | None) -> str:
    """`Pin seed-0003`, `Accept 5,000 items`."""
    if event is None:
        return ""
    items = items_of_step(db, event.seq)
    if items:
        return step_words(event.kind, items)
    return f"{step_words(event.kind)} {event.item_uid}".rstrip()
