"""What the commands of the queue do, as changes for the engine's writer. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.engine import queue
from core.workspace import Workspace

Change = Callable[[Workspace], None]


def change_for(command: str, ids: Sequence[int], order: Sequence[int]) -> Change:
    """The write behind a command.

    Args:
        command: retry, next, up or down (cancelling goes to the engine itself).
        ids: Entries it is about, in working order.
        order: All listed entries in working order.

    Raises:
        ValueError: An unknown command.
    """
    if command == "retry":
        return _each(queue.retry, ids)
    if command == "next":
        return _each(queue.run_next, tuple(reversed(ids)))
    if command in ("up", "down"):
        before = _neighbour(command, ids, order)
        return lambda workspace: queue.move(workspace, ids, before)
    raise ValueError(command)


def _each(change: Callable[[Workspace, int], None], ids: Sequence[int]) -> Change:
    def all_of_them(workspace: Workspace) -> None:
        for entry in ids:
            change(workspace, entry)

    return all_of_them


def _neighbour(command: str, ids: Sequence[int], order: Sequence[int]) -> int | None:
    """The entry before which `ids` are put to go one place up or down."""
    rest = [entry for entry in order if entry not in ids]
    above = [entry for entry in order[: order.index(ids[0])] if entry not in ids]
    place = len(above) + (-1 if command == "up" else 1)
    return rest[max(0, place)] if place < len(rest) else None
