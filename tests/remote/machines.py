"""Machines for tests: a job server near (pipes) or far (the loopback SSH server), in a folder of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from remote.connection.channel import OpenChannel
from remote.connection.connection import Connection, ConnectionState, ConnectionStatus
from remote.connection.job_server_program import job_server_program
from remote.connection.remote_machine import JobSpec, RemoteMachine, View
from remote.connection.ssh import SshSettings, ssh_channel
from remote.connection.timeouts import Timing
from tests.remote.near_channel import local_channel
from tests.remote.sshd import ALIAS, Sshd

Result = TypeVar("Result")
FINAL = ("done", "timeout", "cancelled", "no-lease", "not-started", "absent")
QUICK = Timing(quiet=0.4, answer=0.6, first_pause=0.02, longest_pause=0.2)


@dataclass
class Bench:
    """Makes links to one machine and counts how often its jobs ran."""

    base: Path
    open_channel: OpenChannel
    statuses: list[ConnectionStatus] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def connection(self, timing: Timing = QUICK) -> Connection:
        return Connection("test", self.open_channel, timing, self._told)

    def _told(self, status: ConnectionStatus) -> None:
        with self._changed:
            self.statuses.append(status)
            self._changed.notify_all()

    def wait_until_stands(self) -> None:
        """Return once the line is not being opened; asked by another thread than the connection's."""
        opening = (ConnectionState.CONNECTING, ConnectionState.RECONNECTING)
        with self._changed:
            self._changed.wait_for(
                lambda: not self.statuses or self.statuses[-1].state not in opening
            )

    def run(
        self, work: Callable[[RemoteMachine], Awaitable[Result]], timing: Timing = QUICK
    ) -> Result:
        """Do something with a fresh machine and close the link."""

        async def main() -> Result:
            connection = self.connection(timing)
            try:
                return await work(RemoteMachine(connection))
            finally:
                await asyncio.to_thread(connection.close)

        return asyncio.run(main())

    def end_all(self) -> None:
        """End whatever a test left running in this folder."""
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                here = str(self.base) in str((entry / "cwd").readlink())
            except OSError:
                continue
            if here:
                os.kill(int(entry.name), signal.SIGKILL)


def near(base: Path) -> Bench:
    return Bench(base, local_channel(job_server_program(), str(base)))


def far(base: Path, sshd: Sshd, **settings: Any) -> Bench:
    ssh = SshSettings(base / "own_known_hosts", config=sshd.config, **settings)
    return Bench(
        base,
        ssh_channel(
            ALIAS, ssh, job_server_program(), str(base), (sys.executable, "python3")
        ),
    )


def shell(script: str, job: str = "", **fields: Any) -> JobSpec:
    """A job that runs a shell script."""
    fields = {"time_limit_s": 60.0, **fields}
    return JobSpec(job=job or uuid.uuid4().hex, command=["sh", "-c", script], **fields)


async def to_the_end(
    machine: RemoteMachine, job: str, offset: int = 0
) -> tuple[View, bytes]:
    """Follow a job; its last view and all output from `offset` on."""
    output, state = b"", ""
    while True:
        view = await machine.follow(job, offset, state, 5.0)
        output += view.output
        offset, state = view.offset, view.state
        if state in FINAL or state.startswith("lost"):
            return view, output


async def until(machine: RemoteMachine, job: str, state: str) -> View:
    """Follow a job until it is in a state."""
    seen = ""
    while True:
        view = await machine.follow(job, 0, seen, 5.0)
        seen = view.state
        if seen == state or seen in FINAL:
            assert seen == state, view
            return view
