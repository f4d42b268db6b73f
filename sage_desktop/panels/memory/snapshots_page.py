"""Snapshots of hot memory.

What changed between any two, and taking an old one up again.
"""

from __future__ import annotations

import sqlite3

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QHeaderView,
    QLabel,
    QWidget,
)

from core.memory.records import HotEntry, HotSnapshot
from core.memory.snapshots import SnapshotDiff, diff_snapshots, restore_snapshot
from core.memory.views import queries
from core.whole_file import write_text
from sage_desktop.panels.memory.commands import TOPICS
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import on_base, push
from sage_desktop.ui.widgets.saving import ask_where
from sage_desktop.ui.widgets.stacking import boxed, hbox, split, stacked, vbox
from sage_desktop.ui.widgets.tables import fill, plain_table
from sage_desktop.ui.widgets.verdicts import signed


class SnapshotsPage(QWidget):
    """All snapshots above, the newest first.

    Below what lies between the selected one and an earlier one.
    """

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._snapshots: tuple[tuple[int, HotSnapshot], ...] = ()  # the newest first
        self.exporting: QFileDialog | None = None
        self.table = plain_table(
            self.tr("Snapshots of hot memory"),
            [
                self.tr("Taken (UTC)"),
                self.tr("Session"),
                self.tr("Operators"),
                self.tr("Rules"),
                self.tr("Tokens"),
                self.tr("B"),
            ],
        )
        times = self.table.horizontalHeader()  # a date that is cut off says nothing
        times.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        times.setStretchLastSection(True)
        self.table.room_for = {1: 34.0, 5: 30.0}  # the time is there in any case
        self.table.currentCellChanged.connect(lambda *_: self._picked())
        self.before = ComboBox(self.tr("Compare with"), self._compare)
        self.restore = push(
            self.tr("Restore"),
            self._restore,
            tip=self.tr(
                "Make exactly these rules resident again; evidence is unchanged"
            ),
        )
        self.export = push(self.tr("Export…"), self._export)
        self.words = muted()
        self.difference = plain_table(
            self.tr("What changed between the snapshots"),
            [
                self.tr("Rule"),
                self.tr("Change"),
                self.tr("u"),
                self.tr("p"),
                self.tr("Density ×10⁻³"),
            ],
        )
        self.difference.room_for = {3: 36.0, 4: 48.0}  # numbers give way to the rule
        self._lay_out()

    def _lay_out(self) -> None:
        row = hbox(
            QLabel(self.tr("Compared with")),
            (self.before, 1),
            self.restore,
            self.export,
            margins=(0.6, 0),
        )
        lower = boxed(
            vbox(
                row,
                hbox(self.words, margins=(0.6, 0)),
                (self.difference, 1),
                margins=(0, 0.6, 0, 0),
            )
        )
        stacked(self, split(Qt.Orientation.Vertical, self.table, lower))

    def refresh(self) -> None:
        """Read the snapshots again."""
        self._operations.query(self, queries.snapshots, self._show, topic="snapshots")

    def _show(self, snapshots: tuple[tuple[int, HotSnapshot], ...]) -> None:
        selected = self.selected()
        self._snapshots = tuple(reversed(snapshots))
        fill(self.table, [_snapshot_cells(shot) for _seq, shot in self._snapshots])
        numbers = [seq for seq, _shot in self._snapshots]
        self.export.setEnabled(bool(numbers))
        self.restore.setEnabled(bool(numbers) and self._operations.can_write)
        if not numbers:
            words = self.tr(
                "A snapshot is taken after every episode that changes hot memory."
            )
            self.words.setText(words)
            return
        row = numbers.index(selected) if selected in numbers else 0
        self.table.setCurrentCell(row, 0)
        self._picked()

    def selected(self) -> int | None:
        """Position (seq) of the snapshot in front."""
        row = self.table.currentRow()
        if not 0 <= row < len(self._snapshots):
            return None
        seq, _shot = self._snapshots[row]
        return seq

    def _picked(self) -> None:
        """Offer the other snapshots for a comparison, the one before in time in front."""
        row = self.table.currentRow()
        words = self.tr("{0}, {1} rules")
        self.before.clear()
        for number, (seq, shot) in enumerate(self._snapshots):
            if number != row:
                rules = len(shot.hot_entries)
                self.before.addItem(words.format(_when(shot), rules), seq)
        # The latest stands first, and the one in front is left out.
        self.before.setCurrentIndex(min(row, self.before.count() - 1))
        self._compare()

    def _compare(self) -> None:
        selected, before = self.selected(), self.before.currentData()
        if selected is None or before is None:
            self.difference.setRowCount(0)
            return

        def read(db: sqlite3.Connection) -> SnapshotDiff:
            return diff_snapshots(db, before, selected)

        self._operations.query(self, read, self._show_difference, topic="difference")

    def _show_difference(self, difference: SnapshotDiff) -> None:
        added, removed = self.tr("added"), self.tr("removed")
        rows = [_cells(entry, added) for entry in difference.added]
        rows += [_cells(entry, removed) for entry in difference.removed]
        for pair in difference.changed:
            before = _cells(pair.before, "")
            title, change, *after = _cells(pair.after, self.tr("changed"))
            numbers = map(_moved, before[2:], after)
            rows.append((title, change, *numbers))
        fill(self.difference, rows)
        words = self.tr("{0} added, {1} removed, {2} changed, {3} as before")
        text = words.format(
            len(difference.added),
            len(difference.removed),
            len(difference.changed),
            difference.unchanged,
        )
        self.words.setText(text)

    def _restore(self) -> None:
        selected = self.selected()
        if selected is not None:
            self._operations.write(
                self,
                lambda workspace: restore_snapshot(workspace, selected),
                topics=TOPICS,
            )

    def _export(self) -> None:
        row = self.table.currentRow()
        if row < 0:
            return
        seq, shot = self._snapshots[row]
        self.exporting = ask_where(
            self,
            self.tr("Export Snapshot"),
            f"hot-memory-{shot.created_at}.json",
            ["JSON (*.json)"],
            lambda path: self._operations.query(
                self,
                lambda db: write_text(path, queries.exported_snapshot(db, seq)),
                lambda _path: None,
            ),
        )


def _when(shot: HotSnapshot) -> str:
    """The time of a snapshot, which is stored as 20261129_190800."""
    day, _underscore, time = shot.created_at.partition("_")
    date = "-".join((day[:4], day[4:6], day[6:8]))
    clock = ":".join((time[:2], time[2:4], time[4:6]))
    return f"{date} {clock}"


def _snapshot_cells(shot: HotSnapshot) -> tuple[str, ...]:
    """A snapshot by column of the table above."""
    tokens = sum(entry.c_tokens for entry in shot.hot_entries)
    return (
        _when(shot),
        str(shot.session_id),
        str(shot.n_ops),
        str(len(shot.hot_entries)),
        f"{tokens:,}",
        f"{shot.budget:,}",
    )


def _cells(entry: HotEntry, change: str) -> tuple[str, ...]:
    """A rule by column of the table below: title, change, then three numbers."""
    return (
        entry.title,
        change,
        signed(entry.u),
        f"{entry.p_hat:.2f}",
        f"{entry.density * 1000:.2f}",
    )


def _moved(before: str, after: str) -> str:
    """Both numbers where they differ."""
    return after if before == after else f"{before} → {after}"
