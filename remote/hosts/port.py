"""A host: a place where jobs of the judge run, near or far.

The client owns job ids and positions, and every call may be repeated: starting a started job does nothing,
following from an old position gives the same text again. That is what lets an implementation lose its
connection, or the whole application restart, without running anything twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class JobState(StrEnum):
    """Where a job stands. The last five are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    LOST = "lost"  # the process or the machine went; nothing is known about the candidate
    ABSENT = "absent"  # never started here, or already forgotten

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True)
class JobRequest:
    """One job of the judge.

    Attributes:
        job: Unique id, chosen by the client.
        payload: The job as plain JSON data, as `remote.judge.judge` documents it; the host adds its own
            paths.
        time_limit_s: Wall seconds after which the host ends the job, however it stands.
    """

    job: str
    payload: Mapping[str, Any]
    time_limit_s: float


@dataclass(frozen=True)
class JobUpdate:
    """What is new about a job.

    Attributes:
        state: Its state now.
        progress: Lines since the position asked for.
        position: Where to ask on from.
        result: The judge's result when `state` is done.
        detail: What happened when the job ended without a result.
    """

    state: JobState
    progress: tuple[str, ...]
    position: int
    result: Mapping[str, Any] | None = None
    detail: str = ""


class Host(Protocol):
    """A machine jobs run on. All methods belong to one event loop."""

    @property
    def name(self) -> str:
        """Short name stored with results, e.g. `local`."""
        ...

    @property
    def label(self) -> str:
        """What the user reads, e.g. `this computer`."""
        ...

    async def start(self, request: JobRequest) -> None:
        """Start a job; a job that was already started is left alone."""
        ...

    async def follow(self, job: str, position: int) -> JobUpdate:
        """Wait until there is something beyond `position`, or the job has ended."""
        ...

    async def cancel(self, job: str) -> None:
        """End a job and every process it started, within a second."""
        ...

    async def forget(self, job: str) -> None:
        """Drop what is kept about an ended job."""
        ...

    async def close(self) -> None:
        """End everything and release the connection."""
        ...
