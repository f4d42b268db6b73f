"""A host: a place where jobs of the judge run, near or far.

The client owns job ids and positions, and every call may be repeated: starting a started job does nothing,
following from an old position gives the same text again. That is what lets an implementation lose its
connection, or the whole application restart, without running anything twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol


class JobState(StrEnum):
    """Where a job stands. All but the first two are final.

    The lost ones say what happened to the job's process, and nothing about the candidate.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    LOST = "lost"  # the judge of this computer did not come up
    LOST_REBOOT = "lost-reboot"  # the host was started again meanwhile
    LOST_KILLED = "lost-killed"  # a signal from outside, or memory ran out
    LOST_NOSTART = "lost-nostart"  # it was prepared, but nothing ever ran
    # The site's scheduler gave its place to another job.
    LOST_PREEMPTED = "lost-preempted"
    LOST_NODE = "lost-node"  # the node the scheduler had put it on failed
    ABSENT = "absent"  # never started here, or already forgotten

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen."""
        return self not in (JobState.QUEUED, JobState.RUNNING)

    @property
    def is_lost(self) -> bool:
        """Whether the job ended through no fault of its own and may simply be run again."""
        return self.value.startswith("lost") or self is JobState.ABSENT

    @property
    def is_taken_away(self) -> bool:
        """Whether the site took its place from a job that did nothing to deserve it."""
        return self in (JobState.LOST_PREEMPTED, JobState.LOST_NODE)


@dataclass(frozen=True)
class JobRequest:
    """One job of the judge.

    Attributes:
        job: Unique id, chosen by the client.
        payload: The job as plain JSON data, see `remote.judge.job`; the host adds its own paths.
        time_limit_s: Wall seconds after which the host ends the job, however it stands.
        folders: Fields of the payload that name folders of this computer; a far host gets their contents
            and puts its own paths there.
        needs_device: Whether the judge runs on an NPU. It then finds in the environment variable `SAGE_LEASE`
            a command (JSON list) to put before each command that touches the device, and holds none while it
            compiles. Its result lists under `devices` what it borrowed: `unit`, and `fault` if unhealthy.
    """

    job: str
    payload: Mapping[str, Any]
    time_limit_s: float
    folders: Mapping[str, Path] = field(default_factory=dict)
    needs_device: bool = False


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


@dataclass(frozen=True)
class HostLoad:
    """What a host does in a run, for people: evaluations at work, the most at a time, those answered."""

    working: int
    slots: int
    answered: int


class Host(Protocol):
    """A machine jobs run on. All methods belong to one event loop.

    Attributes:
        name: Short name stored with results, e.g. `local`.
        label: What the user reads, e.g. `this computer`.
        keeps_jobs: Whether jobs run on without the application and can be followed by its next start.
    """

    name: str
    label: str
    keeps_jobs: bool

    @property
    def slots(self) -> int:
        """Jobs it runs at a time."""
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
