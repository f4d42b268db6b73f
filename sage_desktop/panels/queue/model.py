"""The queue as a table model: ids in working order and the rows last read. Rows never move by themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QMimeData,
    QModelIndex,
    QObject,
    Qt,
    Signal,
)

from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.tables import Head, Index, RowModel, keeping_places
from sage_desktop.ui.widgets.verdicts import (
    edited_text,
    latency_text,
    objective_text,
    origin_text,
    ratio_text,
    state_look,
)

if TYPE_CHECKING:
    from core.analysis.queries import QueueCounts, QueueRow

ROW = Qt.ItemDataRole.UserRole
OPERATOR, PROGRESS, BEST, GAIN, CURVE = range(5)
_MIME = "application/x-sage-queue"
_tr = partial(QCoreApplication.translate, "QueueModel")


def seconds_worked(row: QueueRow, now: datetime) -> float | None:
    """Time of work since the first round began; None before it began.

    Until the end; until `now` while it runs; until it stopped where it waits to be
    continued. What it waited in between does not count.
    """
    if not row.started_at:
        return None
    start = datetime.fromisoformat(row.started_at)
    last = row.finished_at or row.last_step_at
    is_over = row.finished_at or row.state != "running"
    end = datetime.fromisoformat(last) if is_over and last else now
    return max(0.0, (end - start).total_seconds() - row.paused_s)


def duration_text(seconds: float | None) -> str:
    """`8 s`, `3:04 min`, `1:12 h`."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"


def counts_text(counts: QueueCounts) -> str:
    """`3 of 8 done · 1 failed`: what failed or was cancelled is not done."""
    parts = [_tr("{0} of {1} done").format(counts.done, counts.total)]
    if counts.failed:
        parts.append(_tr("{0} failed").format(counts.failed))
    if counts.cancelled:
        parts.append(_tr("{0} cancelled").format(counts.cancelled))
    return " · ".join(parts)


def rounds_text(row: QueueRow) -> str:
    """Rounds used, of the budget while more may come; empty before the first."""
    if row.state == "running" or row.interrupted:
        return f"{row.rounds} / {row.budget}"
    return str(row.rounds) if row.rounds else ""


def seconds_left(row: QueueRow, now: datetime) -> float | None:
    """At most how long a running operator still takes: its rounds so far, for all rounds it may use.

    None where that cannot be said, as where a person writes the replies.
    """
    worked = seconds_worked(row, now)
    if row.state != "running" or worked is None or not row.rounds:
        return None
    if row.provider_origin == "manual":
        return None
    rounds_left = max(0, row.budget - row.rounds)
    return worked / row.rounds * rounds_left


def shown_state(row: QueueRow) -> str:
    """State of a row as it looks: one that waits with an open trajectory is interrupted.

    That of a version of one's own is open from the beginning.
    """
    was_begun = bool(row.reason) or not row.forked_from
    return "interrupted" if row.interrupted and was_begun else row.state


def place_text(row: QueueRow) -> str:
    """Host and device that judged the row's best or latest round."""
    return " · ".join(translated(part) for part in (row.host, row.device) if part)


def reference_text(row: QueueRow) -> str:
    """Speed-up over the reference, empty where none was measured beside the kernel."""
    return ratio_text(row.reference_speedup) if row.reference_speedup else ""


class QueueModel(RowModel):
    """Rows of the queue; `ROW` gives the whole `QueueRow`. Rows that wait can be dragged.

    Signals:
        dragged: (ids in working order, id before which they were dropped or None for the end).
    """

    dragged = Signal(list, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gain = self.tr(
            "Latency of the first correct kernel divided by the best latency; below it the same for "
            "the reference, where one was measured on the same device"
        )
        trend = self.tr(
            "Latency by round: red ticks are kernels that failed, the dot is the best"
        )
        best = self.tr("Fastest correct kernel, and where the number comes from")
        operator = self.tr("Name, state, current objective and time spent")
        rounds = self.tr("Rounds used of the budget T, shared by correctness and speed")
        self.heads = (
            Head(self.tr("Operator"), operator),
            Head(self.tr("Rounds"), rounds),
            Head(self.tr("Best"), best, is_number=True),
            Head(self.tr("Gain"), gain, is_number=True),
            Head(self.tr("Trend"), trend),
        )
        self.listed: tuple[int, ...] = ()
        self._rows: dict[int, QueueRow] = {}

    def set_rows(self, ids: Sequence[int], rows: dict[int, QueueRow]) -> None:
        """Take what was read last; selection and scroll place survive."""
        existing = tuple(entry for entry in ids if entry in rows)
        if existing == self.listed:
            changed = [
                number
                for number, entry in enumerate(existing)
                if rows[entry] != self._rows.get(entry)
            ]
            self._rows = rows
            if changed:
                first, last = self.index(changed[0], 0), self.index(changed[-1], CURVE)
                self.dataChanged.emit(first, last)
            return
        with keeping_places(self, self.listed, existing):
            self.listed, self._rows = existing, rows

    def tick(self) -> None:
        """Time passed: repaint the rows that run."""
        for n, entry in enumerate(self.listed):
            if self._rows[entry].state == "running":
                self.dataChanged.emit(self.index(n, OPERATOR), self.index(n, PROGRESS))

    def row(self, entry: int) -> QueueRow | None:
        """The row of queue id `entry`, None when it is not listed."""
        return self._rows.get(entry)

    def rows(self) -> list[QueueRow]:
        """All rows in working order."""
        return [self._rows[entry] for entry in self.listed]

    def place(self, entry: int) -> int | None:
        """Row number of queue id `entry`."""
        # The dictionary answers first: a tuple of thousands takes long to search.
        if entry not in self._rows or entry not in self.listed:
            return None
        return self.listed.index(entry)

    def data(self, index: Index, role: int = 0) -> object:
        row = self._rows[self.listed[index.row()]]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(row)
        return None

    def subtitle(self, row: QueueRow, *, brief: bool = False) -> str:
        """The second line below the operator's name.

        `brief` leaves out what the card below the queue says of the operator in front.
        """
        words = [state_look(shown_state(row)).text]
        if row.cancel_requested and row.state == "running":
            words = [self.tr("Stopping")]
        elif row.state == "running" and row.objective:
            words = [objective_text(row.objective)]
        elif row.state == "failed" and row.reason:
            words = [translated(row.reason)]
        elif row.interrupted and row.reason:
            words.append(translated(row.reason))
        elif row.state == "queued" and row.reason:
            words.append(self.tr("before: {0}").format(translated(row.reason)))
        if row.forked_from:
            words.append(edited_text())
        now = datetime.now(UTC)
        spent = duration_text(seconds_worked(row, now))
        rest = duration_text(seconds_left(row, now))
        if spent and shown_state(row) == "interrupted":
            words.insert(0, spent)  # its words are long: what is behind is cut
        elif spent and row.state != "queued":
            words.append(spent)
        if brief:
            return " · ".join(words)
        if rest:
            words.append(self.tr("at most {0} left").format(rest))
        if row.host and row.state == "running":
            words.append(place_text(row))
        return " · ".join(words)

    def tip(self, row: QueueRow) -> str:
        """Everything about a row that has no room in it."""
        source = row.source
        if source == "catalogue":
            source = self.tr("the catalogue")
        gain = ratio_text(row.speedup) if row.speedup else ""
        facts = (
            (self.tr("State"), self.subtitle(row)),
            (self.tr("Reason"), translated(row.reason)),
            (self.tr("Batch"), row.label),
            (self.tr("Evaluated by"), translated(row.evaluator)),
            (self.tr("Host and device"), place_text(row)),
            (self.tr("First correct / best"), gain),
            (self.tr("Reference / best"), reference_text(row)),
            (self.tr("Written by"), translated(row.provider)),
            (self.tr("Kernel"), edited_text() if row.forked_from else ""),
            (self.tr("From"), source),
        )
        return "\n".join(f"{name}: {value}" for name, value in facts if value)

    # ---- dragging

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        flags = super().flags(index)
        if self._rows[self.listed[index.row()]].state == "queued":
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        numbers = sorted({index.row() for index in indexes})
        selected = [self.listed[number] for number in numbers]
        # What runs or is done has no place in the order of what waits.
        ids = [entry for entry in selected if self._rows[entry].state == "queued"]
        data = QMimeData()
        data.setData(_MIME, QByteArray(json.dumps(ids).encode()))
        return data

    def dropMimeData(
        self,
        data: QMimeData,
        _action: Qt.DropAction,
        row: int,
        _column: int,
        parent: Index,
    ) -> bool:
        """Tell where entries were dropped; the rows move when the queue itself has."""
        if not data.hasFormat(_MIME):
            return False
        ids = json.loads(bytes(data.data(_MIME).data()))
        # Between two rows, on one, or below the last.
        place = len(self.listed)
        if row >= 0:
            place = row
        elif parent.isValid():
            place = parent.row()
        rest = (entry for entry in self.listed[place:] if entry not in ids)
        before = next(rest, None)
        if ids:
            self.dragged.emit(ids, before)
        return False  # the view must not remove the rows

    def _text(self, row: QueueRow, column: int) -> str:
        if column == OPERATOR:
            return f"{row.operator}, {self.subtitle(row)}"
        if column == PROGRESS:
            return rounds_text(row)
        if column == BEST:
            origin = origin_text(row.latency_origin)
            return f"{latency_text(row.t_best)} {origin}".strip()
        if column == GAIN:
            gain, reference = ratio_text(row.speedup), reference_text(row)
            if not reference:
                return gain
            return self.tr("{0}, {1} of the reference").format(gain, reference)
        return ", ".join(latency_text(point.latency_us) for point in row.points)
