"""A line to a job server on this computer, through pipes: all of it but SSH."""

from __future__ import annotations

import subprocess
import sys
from typing import IO

from remote.connection.channel import (
    Channel,
    OpenChannel,
    Opening,
    introduce,
    new_nonce,
    shell_command,
)
from remote.connection.faults import ChannelFault, HostFault
from remote.connection.job_server_program import Program

_EXIT_S = 2.0  # until the exit code follows the end of the output


class ProcessChannel:
    """A job server on this computer, through pipes."""

    def __init__(self, python: str = sys.executable) -> None:
        nonce = new_nonce()
        try:
            self._process = subprocess.Popen(
                ["sh", "-c", shell_command((python,), nonce)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise HostFault(
                "A shell cannot be started on this computer: {error}.",
                error=error.strerror,
            ) from error
        self.nonce = nonce

    def send(self, data: bytes) -> None:
        """Write all of `data`."""
        view = memoryview(data)
        while view:
            view = view[_pipe(self._process.stdin).write(view) :]

    def receive(self, count: int) -> bytes:
        """Up to `count` bytes."""
        pipe = _pipe(self._process.stdout)
        if pipe.closed:
            return b""
        part = pipe.read(count) or b""
        if not part:
            pipe.close()  # by its only reader, so that nobody can be reading from it
        return part

    def exit_code(self) -> int | None:
        """Exit code of the job server, None when it was killed."""
        try:
            code = self._process.wait(_EXIT_S)
        except subprocess.TimeoutExpired:
            return None
        return code if code >= 0 else None

    def close(self) -> None:
        """End the job server; its jobs go on."""
        self._process.kill()
        self._process.wait()
        _pipe(self._process.stdin).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ChannelFault("The job server on this computer has no pipes.")
    return stream


def local_channel(
    program: Program, base: str, python: str = sys.executable
) -> OpenChannel:
    """Opens lines to a job server on this computer that keeps its things in `base`."""

    def open_channel(opening: Opening) -> Channel:
        line = ProcessChannel(python)
        opening.register(line.close)
        return introduce(line, program, base, line.nonce)

    return open_channel
