"""The requests of a client about jobs, as JSON objects: their fields and what they mean."""

from __future__ import annotations

from typing import Dict, List, Optional, TypedDict


class LeaseRequest(TypedDict):
    """The devices of which a job takes one.

    Attributes:
        devices: Lock and ids, e.g. `npu3=3` or `card0=0+1`.
        folder: Of the locks.
        wait_s: Seconds to wait for a free one.
    """

    devices: List[str]
    folder: str
    wait_s: float


class SlurmRequest(TypedDict, total=False):
    """How Slurm gets a job.

    Attributes:
        partitions: Those squeue is asked for, commas between them; empty for all.
        options: Of sbatch.
        build: Options of the job that builds first; empty where one job does both.
        build_command: What that job runs.
    """

    partitions: str
    options: List[str]
    build: List[str]
    build_command: List[str]


class _Start(TypedDict):
    job: str
    command: List[str]
    env: Dict[str, str]
    files: Dict[str, str]
    trees: Dict[str, str]
    time_limit_s: float


class StartRequest(_Start, total=False):
    """A job to prepare and launch.

    In command, environment and keeper `{work}`, `{cache}`, `{job_server}`, `{python}` and
    `{tree:name}` stand for paths, in the environment also `{device}`.

    Attributes:
        job: Its id.
        command: What it runs.
        env: Variables it gets.
        files: Path below `work/` -> sha256 of the content.
        trees: Name -> digest of a folder that was planted.
        time_limit_s: After that it is ended.
        grace_s: Between being asked to end and being killed.
        lease: Its device; null where it needs none.
        keeper: Command of the warm process it shares with others; null for none.
        min_free_mb: Space the disk must have.
        slurm: How Slurm gets it; null where it runs on this machine.
    """

    grace_s: float
    lease: Optional[LeaseRequest]
    keeper: Optional[List[str]]
    min_free_mb: int
    slurm: Optional[SlurmRequest]


class JobRequest(TypedDict):
    """A job, by its id: to cancel or to forget it."""

    job: str


class _Follow(JobRequest):
    offset: int


class FollowRequest(_Follow, total=False):
    """What a job printed and how it stands.

    Attributes:
        offset: Of the output, from where on.
        limit: Most bytes of it.
        state: The mark that is known; another one is an answer.
        wait_s: Seconds to wait for anything new.
    """

    limit: int
    state: str
    wait_s: float


class ReadRequest(JobRequest):
    """A piece of a file of a job.

    Attributes:
        path: Below its `work/`.
        offset: Of the piece.
        limit: Most bytes of it.
    """

    path: str
    offset: int
    limit: int
