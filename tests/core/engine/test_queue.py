"""Small changes of the queue: what they do and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import queue
from core.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.sage") as opened:
        for name in ("A", "B", "C", "D"):
            queue.enqueue(opened, name)
        yield opened


def order(workspace: Workspace) -> str:
    rows = workspace.db.execute(
        "SELECT operator FROM queue_entry ORDER BY position, id"
    )
    return "".join(row[0] for row in rows)


def test_entries_are_taken_in_order_and_interrupted_ones_first(
    workspace: Workspace,
) -> None:
    assert queue.next_entry(workspace).operator == "A"  # type: ignore[union-attr]
    queue.mark(workspace, 3, "running")
    assert queue.next_entry(workspace).operator == "C"  # type: ignore[union-attr]
    assert queue.next_entry(workspace, busy=(3, 1)).operator == "B"  # type: ignore[union-attr]
    for number in range(1, 5):
        queue.mark(workspace, number, "done")
    assert queue.next_entry(workspace) is None
    assert queue.waiting(workspace) == 0


def test_what_a_dead_engine_had_in_work_waits_and_is_still_cancelled(
    workspace: Workspace,
) -> None:
    queue.mark(workspace, 2, "running")
    queue.mark(workspace, 3, "running")
    queue.request_cancel(workspace, 3)
    queue.interrupt_abandoned(workspace)
    assert queue.entry(workspace, 2).state == "queued"
    assert queue.cancel_requests(workspace) == (3,)


def test_moving_keeps_the_order_of_what_is_moved(workspace: Workspace) -> None:
    queue.move(workspace, [4, 2], before=1)
    assert order(workspace) == "DBAC"
    queue.move(workspace, [4], before=None)
    assert order(workspace) == "BACD"
    queue.run_next(workspace, 3)
    assert order(workspace) == "CBAD"


def test_cancelling(workspace: Workspace) -> None:
    queue.request_cancel(workspace, 2)
    assert queue.entry(workspace, 2).state == "cancelled"
    queue.mark(workspace, 1, "running")
    queue.request_cancel(workspace, 1)
    assert queue.cancel_requests(workspace) == (1,)
    assert queue.entry(workspace, 1).state == "running", (
        "only the engine ends what it runs"
    )
    with pytest.raises(queue.QueueRefused, match="B is cancelled"):
        queue.request_cancel(workspace, 2)


def test_a_finished_entry_can_be_tried_again_at_the_end(workspace: Workspace) -> None:
    queue.mark(workspace, 1, "failed", "no compiler")
    queue.retry(workspace, 1)
    again = queue.entry(workspace, 1)
    assert (again.state, again.reason, order(workspace)) == (
        "queued",
        "no compiler",
        "BCDA",
    )
    for change in (queue.retry, queue.entry):
        with pytest.raises(queue.QueueRefused):
            change(workspace, 2 if change is queue.retry else 99)
    queue.mark(workspace, 2, "running")
    with pytest.raises(queue.QueueRefused, match="only a queued operator"):
        queue.run_next(workspace, 2)
