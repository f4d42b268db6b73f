"""Child processes with limits: compilers and candidates run here, never inside the judge.

Every child leads a process group of its own, gets limits on CPU time, address space, file size and core
dumps, runs niced, and is killed as a group when it exceeds its wall time or the job is cancelled. A pipe on
its standard input stays open as long as the judge lives, so that a child can notice the death of its judge.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from remote.judge.faults import Cancelled, EnvironmentFault, fault_of
from remote.judge.machine.streams import Stream
from remote.judge.processes.patience import Child, Usage, wait_with_patience
from remote.judge.sandbox import LaunchedProgram

JOB_COOKIE = "SAGE_JOB"  # environment variable by which all processes of a job are found, whatever group they are in
_MAX_OUTPUT = 1 << 20
_MOST_READ = 8 * _MAX_OUTPUT  # the rest of an output is forgotten
_SIGXCPU_GRACE_S = 5  # CPU seconds between the signal that says the limit is reached and the one that kills
# Not every system knows every limit; a missing one must not keep the child from running.
_LIMITED = (
    "ulimit -c 0; ulimit -St {cpu} 2>/dev/null; ulimit -Ht {cpu_end} 2>/dev/null; "
    'ulimit -v {memory} 2>/dev/null; ulimit -f {file} 2>/dev/null; exec "$@"'
)


@dataclass(frozen=True)
class Limits:
    """What a child may use.

    Attributes:
        wall_s: Seconds until it is killed, those not counted in which it waits for a CPU (see `patience`).
        cpu_s: CPU seconds (all threads).
        memory_mb: Address space in MiB; 0 for no limit, as a device's runtime maps far more than it uses.
        file_mb: Largest file it may write, in MiB.
        has_threads: Whether the sandbox lets it have more than one thread.
        company: Numbers of running processes that wait for each other, it among them; None for none.
    """

    wall_s: float
    cpu_s: int
    memory_mb: int = 6144
    file_mb: int = 2048
    has_threads: bool = False
    company: list[int] | None = None


@dataclass(frozen=True)
class Finished:
    """A child that ended. `code` is negative for a signal, as in `subprocess`; output is cut at 1 MiB.

    `used` says what a child had used that was killed because its time was up, `cpu_s` how many CPU seconds one
    used that the sandbox's server started.
    """

    code: int
    output: str
    seconds: float
    used: Usage | None = None
    cpu_s: float = 0.0

    @property
    def timed_out(self) -> bool:
        """Whether it was killed because its time was up."""
        return self.used is not None

    @property
    def signal_name(self) -> str:
        """Name of the signal that ended the child (also behind a shell's 128 + n), empty if none did."""
        number = (
            -self.code
            if self.code < 0
            else self.code - 128
            if 128 < self.code < 165
            else 0
        )
        try:
            return signal.Signals(number).name if number else ""
        except ValueError:
            return ""


class ChildGroup:
    """The children of one job. `cancel()` may be called from any thread and ends them all at once."""

    def __init__(self, job: str) -> None:
        self.job = job
        self._lock = threading.Lock()
        self._ends: set[Callable[[], None]] = set()  # each ends one thing that runs
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether the job was cancelled."""
        return self._cancelled

    def check(self) -> None:
        """Raise `Cancelled` when the job was cancelled."""
        if self._cancelled:
            raise Cancelled

    def cancel(self) -> None:
        """Kill every running child and refuse new ones."""
        with self._lock:
            self._cancelled = True
            for end in self._ends:
                end()

    def on_cancel(self, end: Callable[[], None]) -> None:
        """Call `end`, which ends a process of another kind, when the job is cancelled."""
        with self._lock:
            self._ends.add(end)

    def no_longer(self, end: Callable[[], None]) -> None:
        """Forget what `on_cancel` was told: it ended."""
        with self._lock:
            self._ends.discard(end)

    def run(
        self,
        command: Sequence[str],
        folder: Path,
        limits: Limits,
        environment: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        """Run `command` in `folder` and wait for its end; it inherits the descriptors `pass_fds`.

        Raises:
            Cancelled: The job was cancelled before or meanwhile.
            EnvironmentFault: The command cannot be started.
        """
        memory = limits.memory_mb * 1024 or "unlimited"
        script = _LIMITED.format(
            cpu=limits.cpu_s,
            cpu_end=limits.cpu_s + _SIGXCPU_GRACE_S,
            memory=memory,
            file=limits.file_mb * 2048,
        )
        started = time.monotonic()
        with _output() as (stream, write), contextlib.ExitStack() as ending:
            with self._lock:
                self.check()
                child = _spawn(
                    ["/bin/sh", "-c", script, "sh", *command],
                    folder,
                    {JOB_COOKIE: self.job, **(environment or {})},
                    pass_fds,
                    write,
                )
                end = partial(_end, child)
                self._ends.add(end)
            ending.callback(self.no_longer, end)
            ending.callback(end)
            with stream.followed():
                used = wait_with_patience(child, limits.wall_s, limits.company)
                end()  # a grandchild may hold the pipe
                child.wait()
            output = _cut(stream.rest())
        self.check()
        return _finished(child, output, started, used)

    def launch(
        self, start: Callable[[int], LaunchedProgram], limits: Limits, answer: Stream
    ) -> Finished:
        """Run what `start`, given the descriptor for its output, launches, and wait for its end.

        Output and `answer` are read meanwhile.

        Raises:
            Cancelled: The job was cancelled before or meanwhile.
            EnvironmentFault: It cannot be started, or the sandbox ended.
        """
        started = time.monotonic()
        self.check()
        with _output() as (stream, write), contextlib.ExitStack() as ending:
            try:
                program = start(write)
                ending.callback(program.close)
                program.streams = (stream, answer)
                self.on_cancel(program.kill)
                ending.callback(self.no_longer, program.kill)
                if self._cancelled:
                    program.kill()
                used = wait_with_patience(program, limits.wall_s, limits.company)
                if used is not None:
                    program.kill()
                    program.wait()
            except EnvironmentFault:
                self.check()  # a cancelled job has no sandbox any more
                raise
            output = _cut(stream.rest())
        self.check()
        return _finished(program, output, started, used)


@contextlib.contextmanager
def _output() -> Iterator[tuple[Stream, int]]:
    """A pipe for the output of a child, which holds a copy of its writing end."""
    read, write = os.pipe()
    stream = Stream(read, _MOST_READ, is_endless=True)
    try:
        yield stream, write
    finally:
        os.close(write)
        stream.close()


def _finished(
    child: Child, output: bytes, started: float, used: Usage | None
) -> Finished:
    code = child.returncode
    assert code is not None, "it was waited for"
    return Finished(
        code,
        output.decode("utf-8", "replace"),
        time.monotonic() - started,
        used,
        child.cpu_s if isinstance(child, LaunchedProgram) else 0.0,
    )


def _spawn(
    command: Sequence[str],
    folder: Path,
    extra: Mapping[str, str],
    pass_fds: Sequence[int],
    output: int,
) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "LC_ALL": "C", **extra}
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
            pass_fds=pass_fds,
        )
    except FileNotFoundError as error:
        raise EnvironmentFault(
            f"{command[0]} cannot be started: {error.strerror} ({error.filename})."
        ) from error
    except OSError as error:
        raise fault_of(error) from error


def _cut(output: bytes) -> bytes:
    """Beginning and end of an output that is too long."""
    if len(output) > _MAX_OUTPUT:
        half = _MAX_OUTPUT // 2
        output = output[:half] + b"\n[... output cut ...]\n" + output[-half:]
    return output


def _end(child: subprocess.Popen[bytes]) -> None:
    kill_group(child)
    if child.stdin is not None:
        child.stdin.close()


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the process group that `child` leads; harmless when it is gone."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def sweep(runs: Path) -> None:
    """Remove what killed judges left behind: folders named by processes that are no more."""
    for folder in runs.glob("*"):
        try:
            os.kill(int(folder.name), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(folder, ignore_errors=True)
        except PermissionError:
            continue
