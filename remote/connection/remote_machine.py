"""A machine reached through a connection: files, detached jobs, their output, their end. The same near and far.

Everything is keyed by ids and offsets of the client, so a client that forgot everything but its job ids can
continue where it was.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from remote.connection.connection import Answer, Connection
from remote.connection.faults import HostFault
from remote.job_server.frames import CHUNK

_PIECE = 1 << 20
_FOLLOW_S = 20.0
# A file cleaned away between sending and starting is sent again.
_SENDS = 3


@dataclass(frozen=True)
class Tree:
    """A folder's files by content. `digest` names it; `blobs` are read only when they must be sent."""

    digest: str
    files: Mapping[str, str]
    blobs: Mapping[str, Path]


@dataclass(frozen=True)
class LeaseWish:
    """What the job server leases for a job while it runs: one of several units.

    Attributes:
        devices: Names of the units, e.g. the slots of the CPUs `cpu0`, `cpu1`.
        folder: Where their lock files lie, for all users of the machine.
        wait_s: Seconds the job may wait for one.
    """

    devices: Sequence[str]
    folder: str
    wait_s: float = 3600.0


@dataclass(frozen=True)
class JobSpec:
    """A detached job.

    Attributes:
        job: Unique id of the client's choice.
        command: Argument list; `{work}`, `{cache}`, `{job_server}` and `{tree:name}` stand for paths there.
        time_limit_s: Wall seconds after which the machine itself ends it.
        files: Path below its folder -> content.
        trees: Name -> shared folder.
        env: Environment beside that of the login.
        grace_s: Seconds between asking processes to end and killing them.
        lease: Device or CPU slot to hold while running.
        keeper: Command of a process that jobs of this kind share, started with the first of them.
        slurm: Fields of `SlurmWish` for a machine whose jobs go through Slurm.
    """

    job: str
    command: Sequence[str]
    time_limit_s: float
    files: Mapping[str, bytes] = field(default_factory=dict)
    trees: Mapping[str, Tree] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    grace_s: float = 0.5
    lease: LeaseWish | None = None
    keeper: Sequence[str] = ()
    slurm: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class View:
    """What is new about a job: its state, bytes from the offset asked for, and where to look on from."""

    state: str
    output: bytes
    offset: int
    facts: Mapping[str, Any]


class RemoteMachine:
    """Asks the job server behind a connection. All methods belong to one event loop and never block it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._sending = asyncio.Lock()

    async def start(self, spec: JobSpec) -> None:
        """Start a job, sending what the machine does not have; a started job is left alone.

        Raises:
            SageError: The person must act, or the machine refuses (disk full).
        """
        contents = {
            hashlib.sha256(data).hexdigest(): data for data in spec.files.values()
        }
        names = {
            path: hashlib.sha256(data).hexdigest() for path, data in spec.files.items()
        }
        request = {
            "op": "start",
            "job": spec.job,
            "command": list(spec.command),
            "env": dict(spec.env),
            "files": names,
            "trees": {name: tree.digest for name, tree in spec.trees.items()},
            "time_limit_s": spec.time_limit_s,
            "grace_s": spec.grace_s,
            "lease": asdict(spec.lease) if spec.lease else None,
            "keeper": list(spec.keeper) or None,
            "slurm": dict(spec.slurm) if spec.slurm else None,
        }
        # The machine says what it lacks, so what it has is never sent.
        for attempt in range(_SENDS + 1):
            try:
                await self._ask(request)
            except HostFault as fault:
                if fault.kind != "missing" or attempt == _SENDS:
                    raise
                async with self._sending:  # what many jobs lack, the first one sends
                    await self._send(fault.facts, contents, tuple(spec.trees.values()))
            else:
                return

    async def follow(
        self, job: str, offset: int, state: str = "", wait_s: float = _FOLLOW_S
    ) -> View:
        """Wait until there is output beyond `offset` or the state differs from `state`, `wait_s` at most."""
        answer = await self._ask(
            {
                "op": "follow",
                "job": job,
                "offset": offset,
                "state": state,
                "wait_s": wait_s,
                "limit": _PIECE,
            }
        )
        fields = answer.fields
        return View(str(fields["state"]), answer.body, int(fields["offset"]), fields)

    async def cancel(self, job: str) -> str:
        """End a job and every process it started; returns its state then."""
        return str((await self.ask("cancel", job=job))["state"])

    async def read(self, job: str, path: str) -> bytes:
        """A file from the job's folder, read in pieces.

        Raises:
            HostFault: There is none.
        """
        pieces: list[bytes] = []
        read = 0
        while True:
            request = {
                "op": "read",
                "job": job,
                "path": path,
                "offset": read,
                "limit": _PIECE,
            }
            answer = await self._ask(request)
            pieces.append(answer.body)
            read += len(answer.body)
            # A file that became shorter meanwhile ends with an empty piece.
            if not answer.body or read >= int(answer.fields["size"]):
                return b"".join(pieces)

    async def forget(self, job: str) -> None:
        """Remove an ended job from the machine."""
        await self.ask("forget", job=job)

    async def jobs(self) -> tuple[Mapping[str, Any], ...]:
        """All jobs the machine knows, with `job` and `state`."""
        return tuple((await self.ask("list"))["jobs"])

    async def collect(self, keep_days: float, most_bytes: int) -> Mapping[str, Any]:
        """Remove old jobs and files; returns bytes `freed` and `kept`."""
        return await self.ask("collect", keep_days=keep_days, most_bytes=most_bytes)

    async def ask(self, operation: str, **fields: Any) -> Mapping[str, Any]:
        """Any other question, e.g. `probe`."""
        return (await self._ask({"op": operation, **fields})).fields

    async def _ask(
        self,
        request: Mapping[str, Any],
        data: Callable[[], Iterator[bytes]] | None = None,
    ) -> Answer:
        """Send a request; `data` makes the chunks of bytes that follow it."""
        return await asyncio.wrap_future(self.connection.request(request, data))

    async def _send(
        self,
        facts: Mapping[str, Any],
        contents: Mapping[str, bytes],
        trees: Sequence[Tree],
    ) -> None:
        """Send missing contents in one stream and have missing folders made of them."""
        sources: dict[str, Callable[[], bytes]] = {}
        for sha in facts["shas"]:
            sources[sha] = partial(contents.__getitem__, sha)
        lacking = [tree for tree in trees if tree.digest in facts["trees"]]
        shas = sorted({sha for tree in lacking for sha in tree.blobs})
        if shas:
            missing = (await self.ask("missing", shas=shas))["missing"]
            blobs = {sha: path for tree in lacking for sha, path in tree.blobs.items()}
            for sha in missing:
                sources[sha] = blobs[sha].read_bytes
        if sources:
            await self._ask({"op": "put"}, lambda: tar_stream(sources))
        for tree in lacking:
            await self.ask("plant", digest=tree.digest, files=dict(tree.files))


def tar_stream(contents: Mapping[str, Callable[[], bytes]]) -> Iterator[bytes]:
    """A tar stream with one file per content, named by its sha256, in chunks."""
    for name, read in contents.items():
        data = read()
        info = tarfile.TarInfo(name)
        info.size = len(data)
        yield info.tobuf(tarfile.USTAR_FORMAT)
        view = io.BytesIO(data)
        while chunk := view.read(CHUNK):
            yield chunk
        if rest := len(data) % tarfile.BLOCKSIZE:
            yield b"\0" * (tarfile.BLOCKSIZE - rest)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)


def files_below(folder: Path) -> list[str]:
    """Names of all files in a folder, relative to it, without caches of Python."""
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


def tree_of(folder: Path, names: Sequence[str]) -> Tree:
    """Read files of a folder as a tree.

    Args:
        folder: Where they lie.
        names: The files, relative to the folder and so to the root of the tree.
    """
    files: dict[str, str] = {}
    blobs: dict[str, Path] = {}
    for name in names:
        path = folder / name
        sha = hashlib.sha256(path.read_bytes()).hexdigest()
        files[name] = sha
        blobs[sha] = path
    text = "".join(f"{name}\0{sha}\n" for name, sha in sorted(files.items()))
    return Tree(hashlib.sha256(text.encode()).hexdigest()[:40], files, blobs)
