"""The judge's end of the launch server: one sandbox is set up, then every confined program costs a fork.

`launch_server.cpp` sits inside the sandbox and starts what it is asked to; a program and all it may hold come
as descriptors, so that nothing has to be mounted for it. Each launch has a line of its own, by which the
number of its process, its end and the wish that it ends are sent.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from remote.judge.faults import EnvironmentFault, fault_of
from remote.judge.machine.streams import Stream

_START_S = 60.0
_END_S = 5.0
_CREDENTIALS = struct.Struct("3i")
_ENDING = struct.Struct(
    "iiq"
)  # status, padding, CPU microseconds; `Ending` of the server
_FAILURE_BYTES = 256  # why a program could not begin; longer than an ending
_WORDS_KEPT = 300


class LaunchedProgram:
    """A program the server started. It is waited for like a `subprocess.Popen`.

    Attributes:
        streams: What is read while it is waited for.
    """

    def __init__(self, line: socket.socket, pid: int) -> None:
        self._line = line
        self.streams: tuple[Stream, ...] = ()
        self.pid = pid
        self.returncode: int | None = None
        self.cpu_s = 0.0

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal, once it ended.

        Raises:
            subprocess.TimeoutExpired: It still runs.
            EnvironmentFault: The server ended.
        """
        if self.returncode is None:
            if not self._is_told(
                None if timeout is None else time.monotonic() + timeout
            ):
                raise subprocess.TimeoutExpired("", timeout or 0.0)
            try:
                packet = self._line.recv(_FAILURE_BYTES)
            except OSError:
                packet = b""
            if len(packet) > _ENDING.size:  # no program of a candidate has the line
                why = packet.rstrip(b"\0").decode("utf-8", "replace")
                raise EnvironmentFault(f"The sandbox cannot start a program: {why}.")
            if len(packet) != _ENDING.size:
                raise EnvironmentFault("The sandbox ended while a program ran in it.")
            status, _, cpu_us = _ENDING.unpack(packet)
            self.returncode, self.cpu_s = (
                os.waitstatus_to_exitcode(status),
                cpu_us * 1e-6,
            )
        return self.returncode

    def _is_told(self, until: float | None) -> bool:
        """Read from the streams until something comes over the line; false when it is too late for that."""
        line = self._line.fileno()
        wait = select.poll()
        wait.register(line, select.POLLIN)
        open_streams = {
            stream.number: stream for stream in self.streams if stream.is_open
        }
        for number in open_streams:
            wait.register(number, select.POLLIN)
        while True:
            timeout_ms = (
                None if until is None else max(until - time.monotonic(), 0.0) * 1e3
            )
            ready = [number for number, _ in wait.poll(timeout_ms)]
            if line in ready or not ready:
                return bool(ready)
            for number in ready:
                open_streams[number].take()
                if not open_streams[number].is_open:
                    wait.unregister(number)

    def kill(self) -> None:
        """Have it killed; harmless when it is gone."""
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the line; what still runs is killed."""
        self._line.close()


class LaunchServer:
    """A running launch server. It ends with `close`, and with the thread that made it.

    Args:
        command: The server inside the sandbox, as a function of the descriptor it gets.
        environment: All of the server's environment; the programs have none of it.

    Raises:
        EnvironmentFault: It cannot be started.
    """

    def __init__(
        self, command: Callable[[int], Sequence[str]], environment: dict[str, str]
    ) -> None:
        near_end, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._judge = near_end
        with far_end:
            try:
                self._process = subprocess.Popen(
                    command(far_end.fileno()),
                    pass_fds=(far_end.fileno(),),
                    cwd="/",
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    process_group=0,
                )
            except OSError as error:
                near_end.close()
                raise fault_of(error) from error
        self._nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)

    def start(
        self,
        options: Sequence[str],
        program: Path,
        arguments: Sequence[str],
        output: int,
        descriptors: Sequence[int],
    ) -> LaunchedProgram:
        """Start `program` confined.

        Args:
            options: What it may do, as `confine.h` takes it.
            program: What is started; it has no place in the sandbox's file system.
            arguments: Its arguments.
            output: Where it writes, as standard output and standard error.
            descriptors: What else it holds, as 3, 4, and so on.

        Raises:
            EnvironmentFault: It cannot be started.
        """
        words = "".join(
            f"{word}\0" for word in (*options, "--", str(program), *arguments)
        ).encode()
        near_end, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            near_end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            near_end.settimeout(_START_S)
            with far_end:
                opened = os.open(program, os.O_PATH | os.O_CLOEXEC)
                try:
                    files = [
                        far_end.fileno(),
                        opened,
                        self._nothing,
                        output,
                        *descriptors,
                    ]
                    socket.send_fds(self._judge, [words], files, socket.MSG_NOSIGNAL)
                finally:
                    os.close(opened)
            byte, extra, _, _ = near_end.recvmsg(
                1, socket.CMSG_SPACE(_CREDENTIALS.size)
            )
        except FileNotFoundError as error:
            near_end.close()
            raise EnvironmentFault(
                f"{program} vanished: was the cache folder emptied?"
            ) from error
        except OSError as error:
            near_end.close()
            raise EnvironmentFault(
                f"The sandbox does not answer ({error}{self._words()})."
            ) from error
        numbers = [data for _, kind, data in extra if kind == socket.SCM_CREDENTIALS]
        if not byte or not numbers:
            near_end.close()
            raise EnvironmentFault(f"The sandbox starts no program{self._words()}.")
        near_end.setblocking(True)  # noqa: FBT003 - as the library has it
        return LaunchedProgram(near_end, _CREDENTIALS.unpack(numbers[0])[0])

    def kill(self) -> None:
        """End the server and all it started; it is still to be closed. May be called from any thread."""
        self._process.kill()

    def close(self) -> None:
        """End the server and all it started."""
        self._judge.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        os.close(self._nothing)

    def _words(self) -> str:
        """What a server that ended said last."""
        deadline = time.monotonic() + 1.0
        while self._process.poll() is None:
            if time.monotonic() > deadline or self._process.stderr is None:
                return ""
            select.select([self._process.stderr], [], [], 0.05)
        assert self._process.stderr is not None
        message = self._process.stderr.read().decode("utf-8", "replace").strip()
        return (
            f": {message[-_WORDS_KEPT:]}"
            if message
            else f": exit code {self._process.returncode}"
        )
