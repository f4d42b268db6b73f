"""A team's file on a host: read and replaced there, by a job of its own each time.

A job that was sent goes on when the line breaks, runs once however often it is asked for, and its answer
waits: between taking the right to replace the file and replacing it nobody waits for a network.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import SageError
from core.exchange import shared_file
from core.outside import convert, json_value
from remote.connection.remote_machine import JobSpec
from remote.hosts.detached import DetachedHost
from remote.job_server.jobs import FINAL

_PROGRAM = "shared_file.py"
_READ = "found"
_LIMIT_S = 300.0
_ON_HOST = re.compile(r"(?P<host>\[[^\]]+\]|[^/\\:]{2,}):(?P<path>.+)")


def on_host(text: str) -> tuple[str, str] | None:
    """Return host and path of `HOST:PATH`; None for a path of this computer, also one with a drive."""
    found = _ON_HOST.fullmatch(text)
    return (
        None if found is None or Path(text).exists() else (found["host"], found["path"])
    )


@cache
def _program() -> bytes:
    return Path(shared_file.__file__).read_bytes()


class HostPlace:
    """Implements `core.exchange.shared_memory.Place` on a host; close it when done.

    Args:
        host: Where.
        path: The file there, or a folder; a relative one begins in the home folder.
    """

    def __init__(self, host: DetachedHost, path: str) -> None:
        self.name = f"{host.label}:{path}"
        self._host = host
        self._path = path
        self._runner = asyncio.Runner()
        self._connected = False

    def read(self) -> bytes | None:
        """Return the file."""
        return self._runner.run(self._read())

    def replace(self, data: bytes, expected: str) -> bool:
        """Replace it if nobody else did."""
        return self._runner.run(self._replace(data, expected))

    def close(self) -> None:
        """Let go of the connection."""
        try:
            self._runner.run(self._host.close())
        finally:
            self._runner.close()

    async def _read(self) -> bytes | None:
        job = uuid.uuid4().hex
        answer = await self._ask(job, ["read", self._path, "{work}/" + _READ], {})
        try:
            return (
                await self._host.machine.read(job, _READ) if answer["there"] else None
            )
        finally:
            await self._host.forget(job)

    async def _replace(self, data: bytes, expected: str) -> bool:
        job = uuid.uuid4().hex
        words = ["replace", self._path, "{work}/new", expected]
        answer = await self._ask(job, words, {"new": data})
        await self._host.forget(job)
        return bool(answer["replaced"])

    async def _ask(
        self, job: str, words: list[str], files: Mapping[str, bytes]
    ) -> Mapping[str, Any]:
        """Run the program there and return its answer."""
        if not self._connected:
            await self._host.connect()
            self._connected = True
        machine = self._host.machine
        await machine.start(
            JobSpec(
                job=job,
                command=["{python}", "-I", "{work}/" + _PROGRAM, *words],
                time_limit_s=_LIMIT_S,
                files={_PROGRAM: _program(), **files},
            )
        )
        output, offset, state = b"", 0, ""
        while state not in FINAL:
            view = await machine.follow(job, offset, state)
            output, offset, state = output + view.output, view.offset, view.state
        if state != "done" or not output.startswith(b"{"):
            said = output.decode("utf-8", "replace").strip()[-400:] or state
            raise SageError(
                "{name} cannot be used: {said}.",
                "Check that host, then try again.",
                name=self.name,
                said=said,
            )
        answer = convert(
            json_value(output, self.name), dict[str, Any], self.name, "answer"
        )
        if "error" in answer:
            remedy = "Check the path, and your rights to its folder."
            raise SageError(
                "{host}: {error}.", remedy, host=self._host.label, error=answer["error"]
            )
        return answer
