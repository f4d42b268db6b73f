"""What the engine tells: frozen events, sent from the engine's thread to one callback, in order.

Events say that something happened and where; panels read the details from the
workspace. What a trajectory tells is in `core.agent.run.records` and comes through the
same callback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from core.agent.run.records import TrajectoryEvent
from core.text import Text


class EngineState(StrEnum):
    """What the engine does.

    `READER`: another process owns the workspace. `PAUSING`: it stops after the entries
    in work.
    """

    IDLE = "idle"
    RUNNING = "running"
    PAUSING = "pausing"
    STOPPED = "stopped"
    READER = "reader"


@dataclass(frozen=True)
class EngineStateChanged:
    """The engine is in another state; `reason` is for a reader, e.g.

    Who owns the workspace.
    """

    state: EngineState
    reason: str | Text = ""


@dataclass(frozen=True)
class QueueChanged:
    """Entries were added, moved or changed state."""


@dataclass(frozen=True)
class WorkspaceWritten:
    """A change handed in through `Engine.submit` was committed."""


@dataclass(frozen=True)
class EntryStarted:
    """Work on an entry begins; `resumed` when its trajectory was open already."""

    queue_id: int
    trajectory: str
    operator: str
    resumed: bool


@dataclass(frozen=True)
class EntryFinished:
    """Work on an entry ended: done, failed or cancelled, and why.

    `remedy` says how one that a limit or the file interrupted can continue.
    """

    queue_id: int
    trajectory: str
    operator: str
    state: str
    reason: str | Text
    remedy: str | Text = ""


@dataclass(frozen=True)
class EngineFault:
    """A bug of ours stopped the engine; the trajectory stays open.

    `report` is the traceback.
    """

    queue_id: int | None
    report: str


EngineEvent = (
    EngineStateChanged
    | QueueChanged
    | WorkspaceWritten
    | EntryStarted
    | EntryFinished
    | EngineFault
    | TrajectoryEvent
)
OnEvent = Callable[[EngineEvent], None]
