"""The owner's side of the process that lints: started when needed, kept between requests."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import IO

from core.private import process_folder
from remote.hosts.judge_environment import judge_environment
from remote.judge.processes.patience import left_s, usage_of

_PIECE = 1 << 16  # bytes of one read
_END_S = 2.0  # seconds an ending process has before its exit code counts as unknown


class ChildFailed(Exception):
    """There is no answer; the text says why."""


class ChildTooSlow(ChildFailed):
    """The answer did not come in time, although what the child waited for a CPU was not counted."""


class LintRequest:
    """One request, which can be withdrawn while it is being answered."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.withdrawn = False


class LintChild:
    """Asks one child process, one request after another. Any thread may ask.

    The process ends with its owner, when it had nothing to do for a while, or when a candidate brings it
    down; the next request starts another.

    Args:
        python: Its interpreter.
        time_limit_s: Seconds an answer may take, those not counted in which the child waits for a CPU.
    """

    def __init__(self, python: str, time_limit_s: float) -> None:
        self._python = python
        self._time_limit_s = time_limit_s
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._current: LintRequest | None = None
        self._clean_up: Callable[[], object] = _clean_nothing

    def ask(self, request: LintRequest) -> bytes:
        """The child's answer, one line.

        Raises:
            ChildFailed: It cannot be started, takes too long or ends; or the request was withdrawn.
        """
        with self._turn:
            if request.withdrawn:
                raise ChildFailed("the request was withdrawn")
            self._current = request
            try:
                return self._answer(request)
            except ChildFailed:
                self._stop()
                raise
            finally:
                self._current = None

    def withdraw(self, request: LintRequest) -> None:
        """The caller stopped waiting for the answer: a child that works on it is ended."""
        request.withdrawn = True
        process = self._process
        if self._current is request and process is not None:
            process.kill()

    @property
    def is_running(self) -> bool:
        """Whether the child is there."""
        return self._process is not None

    def close(self) -> None:
        """End the child."""
        process = self._process
        if process is not None:
            process.kill()
        with self._turn:
            self._stop()

    def _answer(self, request: LintRequest) -> bytes:
        """The answer to a request, asked of a second process where a used one ended over it.

        Raises:
            ChildFailed: No answer.
        """
        earlier_process = self._process
        answer = self._exchange(request.text)
        was_used_before = self._process is earlier_process
        if not answer and was_used_before and not request.withdrawn:
            # What ended a process that had answered others need not be this candidate.
            self._stop()
            answer = self._exchange(request.text)
        if not answer:
            raise ChildFailed(self._why_it_ended())
        return answer

    def _exchange(self, request: bytes) -> bytes:
        """Send one line and read one line; empty when the child ended instead.

        Raises:
            ChildTooSlow: Its time is up.
        """
        process = self._ready_process()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(request + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return b""
        began = time.monotonic()
        # The child counts from its start; only what it waits for a CPU from here on is this request's.
        waited_before_s = usage_of(process.pid, 0.0).starved_s
        remaining_s = self._time_limit_s
        answer = b""
        while not answer.endswith(b"\n"):
            if not select.select([process.stdout], [], [], remaining_s)[0]:
                passed_s = time.monotonic() - began
                usage = usage_of(process.pid, passed_s)
                waited_s = max(usage.starved_s - waited_before_s, 0.0)
                used = replace(usage, starved_s=waited_s)
                remaining_s = left_s(used, self._time_limit_s, passed_s)
                if remaining_s <= 0:
                    raise ChildTooSlow(
                        f"it took longer than {self._time_limit_s:.0f} s"
                    )
                continue
            piece = os.read(process.stdout.fileno(), _PIECE)
            if not piece:
                return b""
            answer += piece
        return answer

    def _ready_process(self) -> subprocess.Popen[bytes]:
        """The running child, started where there is none.

        Raises:
            ChildFailed: It cannot be started.
        """
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - read when the child fails, closed when it ends
        room = str(process_folder("preflight"))  # all it may write to
        try:
            process = subprocess.Popen(
                [self._python, "-m", "remote.toolchains.preflight"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**judge_environment(os.environ), "TMPDIR": room},
            )
        except OSError as error:
            errors.close()
            shutil.rmtree(room, ignore_errors=True)
            raise ChildFailed(
                f"{self._python} cannot be started ({error.strerror})"
            ) from error
        self._process, self._errors = process, errors
        self._clean_up = weakref.finalize(self, _end_process, process, errors, room)
        return process

    def _why_it_ended(self) -> str:
        process, errors = self._process, self._errors
        if process is None or errors is None:
            return "its process is gone"
        try:
            code: int | None = process.wait(_END_S)
        except subprocess.TimeoutExpired:
            code = None
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit code {code}"
        return f"its process failed ({reason[:200]})"

    def _stop(self) -> None:
        self._clean_up()
        self._clean_up = _clean_nothing
        self._process = self._errors = None


def _clean_nothing() -> None:
    """The end of a child that is not there."""


def _end_process(
    process: subprocess.Popen[bytes], errors: IO[bytes], room: str
) -> None:
    process.kill()
    with process:  # closes its pipes and waits
        pass
    errors.close()
    shutil.rmtree(room, ignore_errors=True)
