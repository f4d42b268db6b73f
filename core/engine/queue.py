"""The work queue: small named changes to `queue_entry`, each one transaction, each saying what it refuses.

Functions take an open writable workspace; the engine's owner runs them through
`Engine.submit`, another process may call `enqueue` and `request_cancel` on a connection
of its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.errors import SageError
from core.evaluation.secret_seeds import has_secret, require_secret, with_secret_seeds
from core.operators.catalogue import CATALOGUE, find_operator
from core.operators.spec import OperatorSpec
from core.operators.template import check_reference
from core.text import Text
from core.workspace import Workspace, now
from core.workspace.rows import insert, rows_as, update

_STEP = 1024.0
_OF_BATCH = "(? = '' OR label = ?)"


class QueueRefused(SageError):
    """The queue entry is in a state that does not allow the change."""


@dataclass(frozen=True)
class QueueEntry:
    """One entry.

    `trajectory` is the uid of the trajectory that works or worked on it, empty before.
    """

    id: int
    operator: str
    source: str
    label: str
    state: str
    reason: str
    cancel_requested: bool
    trajectory: str


def enqueue(
    workspace: Workspace, operator: str, source: str = "catalogue", label: str = ""
) -> int:
    """Append an operator and return its entry id."""
    with workspace.transaction() as db:
        last = db.execute(
            "SELECT coalesce(max(position), 0) FROM queue_entry"
        ).fetchone()[0]
        return insert(
            db,
            "queue_entry",
            operator=operator,
            source=source,
            label=label,
            position=last + _STEP,
            enqueued_at=now(),
        )


def enqueue_all(
    workspace: Workspace,
    operators: Sequence[tuple[str, str]],
    *,
    again: bool = False,
) -> tuple[str, ...]:
    """Append operators that were never queued before; returns the names of those appended.

    Args:
        workspace: Of the queue.
        operators: As (source, name).
        again: Also those that were, unless they still wait or are in work.

    Raises:
        InvalidInput: An operator is not there, or its reference is still to be written.
    """
    for source, name in operators:
        check_written(source, name)
    appended = []
    for source, name in operators:
        newest = newest_entry(workspace, name, source)
        is_open = newest is not None and newest.state in {"queued", "running"}
        if newest is None or (again and not is_open):
            enqueue(workspace, name, source)
            appended.append(name)
    return tuple(appended)


def check_written(source: str, name: str) -> None:
    """See that an operator can be judged at all; raises as `enqueue_all`."""
    if source != CATALOGUE:
        check_reference(find_operator(source, name))


def entries(workspace: Workspace) -> tuple[QueueEntry, ...]:
    """Every entry, in the order of the work."""
    return _entries(workspace, "ORDER BY position, id")


def entry(workspace: Workspace, entry_id: int) -> QueueEntry:
    """Read an entry.

    Raises:
        QueueRefused: There is none of that id.
    """
    entries = _entries(workspace, "WHERE id = ?", entry_id)
    if not entries:
        raise QueueRefused("There is no queue entry {entry_id}.", entry_id=entry_id)
    return entries[0]


def newest_entry(
    workspace: Workspace, operator: str, source: str, batch: str = ""
) -> QueueEntry | None:
    """The entry of an operator that was queued last, of one batch or of any.

    None when there is none.
    """
    last = f"WHERE operator = ? AND source = ? AND {_OF_BATCH} ORDER BY id DESC LIMIT 1"
    return next(iter(_entries(workspace, last, operator, source, batch, batch)), None)


def next_entry(
    workspace: Workspace, busy: Sequence[int] = (), batch: str = ""
) -> QueueEntry | None:
    """The entry to work on next: interrupted ones first, then queued ones in order; or None.

    One that waits with an open trajectory was interrupted, by a limit or a fault that a
    person let it retry.

    Args:
        workspace: Of the queue.
        busy: Ids to pass over.
        batch: The label of those to choose from; empty: all.
    """
    open_ones = _entries(
        workspace,
        f"WHERE {_OF_BATCH} AND state IN ('running', 'queued') ORDER BY state = 'queued', "
        "NOT EXISTS (SELECT 1 FROM trajectory t WHERE t.uid = trajectory_uid AND t.state = 'open'), "
        "position, id",
        batch,
        batch,
    )
    return next(
        (candidate for candidate in open_ones if candidate.id not in busy), None
    )


def waiting(workspace: Workspace) -> int:
    """How many entries are not finished."""
    query = "SELECT count(*) FROM queue_entry WHERE state IN ('running', 'queued')"
    return int(workspace.db.execute(query).fetchone()[0])


def cancel_requests(workspace: Workspace) -> tuple[int, ...]:
    """Unfinished entries that are to be cancelled."""
    rows = workspace.db.execute(
        "SELECT id FROM queue_entry WHERE cancel_requested = 1 AND state IN ('running', 'queued')"
    )
    return tuple(row[0] for row in rows)


def mark(
    workspace: Workspace, entry_id: int, state: str, reason: str | Text = ""
) -> None:
    """Set the state of an entry; the engine's own bookkeeping."""
    with workspace.transaction() as db:
        update(
            db,
            "queue_entry",
            {"id": entry_id},
            state=state,
            reason=str(reason),
            cancel_requested=0,
        )


def interrupt_abandoned(workspace: Workspace) -> None:
    """Let the entries wait that an engine had in work when its process died.

    They continue in the step they were in. Only the owner of the workspace may call this.
    """
    with workspace.transaction() as db:
        db.execute(
            "UPDATE queue_entry SET state = 'queued', reason = '' WHERE state = 'running'"
        )


def request_cancel(workspace: Workspace, entry_id: int) -> None:
    """Cancel a queued entry at once; ask the engine to cancel a running one.

    What an interrupted trajectory had begun becomes void: nothing in it earns credit.

    Raises:
        QueueRefused: The entry is finished.
    """
    with workspace.transaction() as db:
        row = entry(workspace, entry_id)
        if row.state == "queued":
            words = (
                "cancelled before it ended"
                if row.trajectory
                else "cancelled before it ran"
            )
            mark(workspace, entry_id, "cancelled", words)
            _close(db, row.trajectory, words)
        elif row.state == "running":
            db.execute(
                "UPDATE queue_entry SET cancel_requested = 1 WHERE id = ?", (entry_id,)
            )
        else:
            raise QueueRefused(
                "{operator} is {state} and cannot be cancelled.",
                operator=row.operator,
                state=row.state,
            )


def _close(db: sqlite3.Connection, trajectory: str, reason: str) -> None:
    """End an open trajectory that is not in work, without credit."""
    at, opened = now(), {"trajectory_uid": trajectory, "status": "open"}
    update(db, "episode", opened, status="void", void_reason=reason, finished_at=at)
    open_run = {"uid": trajectory, "state": "open"}
    update(
        db,
        "trajectory",
        open_run,
        state="cancelled",
        stop_reason=reason,
        finished_at=at,
    )


def move(workspace: Workspace, entry_ids: Sequence[int], before: int | None) -> None:
    """Put entries, in the given order, before entry `before`, or at the end when it is None."""
    with workspace.transaction() as db:
        order = [
            row[0]
            for row in db.execute("SELECT id FROM queue_entry ORDER BY position, id")
        ]
        moved = [entry_id for entry_id in entry_ids if entry_id in order]
        rest = [entry_id for entry_id in order if entry_id not in moved]
        at = rest.index(before) if before in rest else len(rest)
        for number, entry_id in enumerate([*rest[:at], *moved, *rest[at:]], start=1):
            db.execute(
                "UPDATE queue_entry SET position = ? WHERE id = ?",
                (number * _STEP, entry_id),
            )


def run_next(workspace: Workspace, entry_id: int) -> None:
    """Put a queued entry in front of all other queued ones.

    Raises:
        QueueRefused: The entry does not wait.
    """
    with workspace.transaction() as db:
        row = entry(workspace, entry_id)
        if row.state != "queued":
            raise QueueRefused(
                "{operator} is {state}; only a queued operator can be run next.",
                operator=row.operator,
                state=row.state,
            )
        first = db.execute(
            "SELECT id FROM queue_entry WHERE state = 'queued' AND id <> ? ORDER BY position, id LIMIT 1",
            (entry_id,),
        ).fetchone()
        if first is not None:
            move(workspace, [entry_id], first[0])


def set_label(workspace: Workspace, entry_ids: Sequence[int], label: str) -> None:
    """Name the batch some entries belong to; empty for none."""
    with workspace.transaction() as db:
        for entry_id in entry_ids:
            db.execute(
                "UPDATE queue_entry SET label = ? WHERE id = ?",
                (label.strip(), entry_id),
            )


def retry(workspace: Workspace, entry_id: int) -> None:
    """Queue a finished entry again: an open trajectory is continued, otherwise a new one is begun.

    Why it stopped stays with it until it stops again, so that a person knows why it is
    there again.

    Raises:
        QueueRefused: The entry waits or runs.
    """
    with workspace.transaction():
        row = entry(workspace, entry_id)
        if row.state in {"queued", "running"}:
            raise QueueRefused(
                "{operator} is {state} already.",
                operator=row.operator,
                state=row.state,
            )
        _queue_again(workspace, row)
        move(workspace, [entry_id], None)


# a model, host or disk that failed leaves a trajectory open, given up it is void: no
# verdict on the operator
_WITHOUT_VERDICT = """
SELECT q.id FROM queue_entry q JOIN trajectory t ON t.uid = q.trajectory_uid
WHERE q.state = 'failed' AND (:batch = '' OR q.label = :batch)
  AND (t.state = 'open' OR (t.state = 'void' AND (NOT :untouched OR NOT EXISTS
  (SELECT 1 FROM episode e WHERE e.trajectory_uid = t.uid AND e.status = 'applied'))))
  AND (NOT :untouched OR t.forked_from = '')
ORDER BY q.position, q.id
"""


def resume_failed(
    workspace: Workspace, *, untouched: bool = False, batch: str = ""
) -> tuple[str, ...]:
    """Queue what failed without a verdict again, in its old place: the next run continues it.

    Args:
        workspace: Writable.
        untouched: Leave out what would begin again after it has changed the memory, and
            what a person edited: a recording holds once, and for its own kernels.
        batch: Only entries of that label; empty: all.

    Returns:
        Names of the operators that wait again.
    """
    with workspace.transaction() as db:
        failed = db.execute(
            _WITHOUT_VERDICT, {"untouched": untouched, "batch": batch}
        ).fetchall()
        again = tuple(entry(workspace, row[0]) for row in failed)
        for failed_entry in again:
            _queue_again(workspace, failed_entry)
    return tuple(failed_entry.operator for failed_entry in again)


def _queue_again(workspace: Workspace, failed_entry: QueueEntry) -> None:
    """Let an ended entry wait.

    Its trajectory is continued if it is open, and left otherwise.
    """
    with workspace.transaction() as db:
        mark(workspace, failed_entry.id, "queued", failed_entry.reason)
        db.execute(
            "UPDATE queue_entry SET trajectory_uid = NULL WHERE id = ? AND NOT EXISTS "
            "(SELECT 1 FROM trajectory WHERE uid = queue_entry.trajectory_uid AND state = 'open')",
            (failed_entry.id,),
        )


def _entries(
    workspace: Workspace, rest: str, *values: str | int
) -> tuple[QueueEntry, ...]:
    trajectory = "coalesce(trajectory_uid, '') AS trajectory"
    return rows_as(
        workspace.db.execute(f"SELECT *, {trajectory} FROM queue_entry {rest}", values),
        QueueEntry,
    )


def operators_of(workspace: Workspace) -> Callable[[str], OperatorSpec]:
    """Operators of a run by name, with the seeds its rounds were judged with."""
    secret = require_secret(workspace) if has_secret(workspace) else ""
    sources = dict(
        workspace.db.execute("SELECT operator, source FROM queue_entry").fetchall()
    )

    def operator(name: str) -> OperatorSpec:
        spec = find_operator(sources.get(name, "catalogue"), name)
        return with_secret_seeds(spec, secret) if secret else spec

    return operator
