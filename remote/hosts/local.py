"""This computer as a host: jobs go to judge processes that stay as long as the host.

They are forks of a keeper that has imported torch, see `local_keeper`, or where there is none, processes of
their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remote.hosts.judge_environment import judge_environment
from remote.hosts.local_keeper import line_in_thread
from remote.hosts.port import JobRequest, JobState, JobUpdate
from remote.hosts.process_tree import end_tree
from remote.judge.processes.children import JOB_COOKIE
from remote.judge.serving.warm import ANSWER_S, settings_of

DEFAULT_SLOTS = 2
_LINE_LIMIT = 256 << 20  # bytes of the longest protocol line
_READY_S = 120.0
_CANCEL_S = 0.6
_END_S = 5.0
_LAST_WORDS = 20


class JudgeGone(Exception):  # says what happened
    """A judge process ended or never came up; the message says what it said last."""


@dataclass
class _Job:
    request: JobRequest
    state: JobState = JobState.QUEUED
    progress: list[str] = field(default_factory=list)
    result: Mapping[str, Any] | None = None
    detail: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    driver: asyncio.Task[None] | None = None

    def note(self, line: str) -> None:
        self.progress.append(line)
        self.changed.set()

    def end(
        self, state: JobState, result: Mapping[str, Any] | None = None, detail: str = ""
    ) -> None:
        if not self.state.is_final:
            self.state, self.result, self.detail = state, result, detail
        self.changed.set()


def _not_started(python: str, error: OSError) -> JudgeGone:
    return JudgeGone(f"The judge cannot be started with {python}: {error.strerror}.")


class LocalHost:
    """Runs up to `slots` jobs at a time on this machine.

    Args:
        slots: Judge processes; each holds about 300 MB once it is warm.
        python: Interpreter with torch, by default the one that runs the application.
    """

    name = "local"
    # Judges of this computer end with the application.
    keeps_jobs = False

    def __init__(
        self, slots: int = DEFAULT_SLOTS, python: str = sys.executable
    ) -> None:
        self.label = "this computer"
        self.slots = slots
        self._python = python
        self._free = asyncio.Semaphore(slots)
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()
        self._jobs: dict[str, _Job] = {}

    async def start(self, request: JobRequest) -> None:
        """Queue a job; a known id is left alone."""
        if request.job not in self._jobs:
            job = _Job(request)
            self._jobs[request.job] = job
            job.driver = asyncio.create_task(self._drive(job))

    async def follow(self, job: str, position: int) -> JobUpdate:
        """Wait for lines beyond `position` or the end of the job. A position counts lines here, not bytes."""
        entry = self._jobs.get(job)
        if entry is None:
            return JobUpdate(JobState.ABSENT, (), position)
        while not entry.state.is_final and len(entry.progress) <= position:
            entry.changed.clear()
            await entry.changed.wait()
        lines = tuple(entry.progress[position:])
        return JobUpdate(
            entry.state, lines, position + len(lines), entry.result, entry.detail
        )

    async def cancel(self, job: str) -> None:
        """End the job and its processes."""
        entry = self._jobs.get(job)
        if entry is not None and entry.driver is not None and not entry.driver.done():
            entry.driver.cancel()
            await asyncio.gather(entry.driver, return_exceptions=True)
            entry.end(JobState.CANCELLED)

    async def forget(self, job: str) -> None:
        """Drop an ended job."""
        entry = self._jobs.get(job)
        if entry is not None and entry.state.is_final:
            del self._jobs[job]

    async def close(self) -> None:
        """Cancel all jobs and end all judges."""
        for job in list(self._jobs):
            await self.cancel(job)
        for worker in list(self._workers):
            self._discard(worker)
            await worker.end()

    async def _drive(self, job: _Job) -> None:
        """Take one job to its end on a judge process of its own."""
        async with self._free:
            try:
                worker = await self._take_worker(job.request.payload)
            except JudgeGone as gone:
                job.end(JobState.LOST, detail=str(gone))
                return
            except OSError as error:
                # No descriptor, memory or place is left for another process.
                job.end(JobState.LOST, detail=str(_not_started(self._python, error)))
                return
            job.state = JobState.RUNNING
            try:
                async with asyncio.timeout(job.request.time_limit_s):
                    result = await worker.judge(job)
                job.end(JobState.DONE, result)
                self._idle.append(worker)
            except TimeoutError:
                await self._retire(worker, job)
                job.end(
                    JobState.TIMEOUT,
                    detail="The judge did not finish within "
                    f"{job.request.time_limit_s:.0f} s.",
                )
            except JudgeGone as gone:
                await self._retire(worker, job)
                job.end(JobState.LOST_KILLED, detail=str(gone))
            except asyncio.CancelledError:
                if await worker.abandon(job):
                    self._idle.append(worker)
                else:
                    await self._retire(worker, job)
                raise

    async def _take_worker(self, payload: Mapping[str, Any]) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._discard(worker)
        worker = _Worker(self._python)
        self._workers.add(worker)
        try:
            await worker.start(settings_of(payload))
        except BaseException:
            self._discard(worker)
            await worker.end()
            raise
        return worker

    async def _retire(self, worker: _Worker, job: _Job) -> None:
        self._discard(worker)
        await worker.end(f"{JOB_COOKIE}={job.request.job}")

    def _discard(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)


class _Worker:
    """One judge process and the protocol with it: a fork of the keeper, or a process of our own."""

    def __init__(self, python: str) -> None:
        self._python = python
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - for the day the judge dies; closed with it

    @property
    def alive(self) -> bool:
        exited = self._process is not None and self._process.returncode is not None
        return self._reader is not None and not self._reader.at_eof() and not exited

    async def start(self, settings: Mapping[str, Any]) -> None:
        """Have a judge for jobs of these settings and wait until it has imported torch.

        Raises:
            JudgeGone: It cannot be started or does not come up.
        """
        environment = judge_environment(os.environ)
        try:
            async with asyncio.timeout(_READY_S):
                if not (
                    self._python == sys.executable
                    and await self._ask_keeper(settings, environment)
                ):
                    await self._start_process(environment)
                    self._pid = int((await self._next_message())["pid"])
        except TimeoutError as error:
            raise JudgeGone(
                f"The judge did not come up within {_READY_S:.0f} s."
            ) from error

    async def _ask_keeper(
        self, settings: Mapping[str, Any], environment: Mapping[str, str]
    ) -> bool:
        """Become the owner of a fork; false when no keeper gives one."""
        output = self._said.fileno()
        line = await line_in_thread(settings, environment, output)
        if line is None:
            return False
        self._reader, self._writer = await asyncio.open_unix_connection(
            sock=line, limit=_LINE_LIMIT
        )
        try:
            async with asyncio.timeout(ANSWER_S):
                self._pid = int((await self._next_message())["pid"])
        except (JudgeGone, TimeoutError):
            self._writer.close()
            return False
        return True

    async def _start_process(self, environment: Mapping[str, str]) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                self._python,
                "-m",
                "remote.judge",
                "--serve",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._said,
                start_new_session=True,
                limit=_LINE_LIMIT,
                env=environment,
            )
        except OSError as error:
            raise _not_started(self._python, error) from error
        self._reader, self._writer = self._process.stdout, self._process.stdin

    async def judge(self, job: _Job) -> Mapping[str, Any]:
        """Send the job and pass its progress on until the result comes.

        Raises:
            JudgeGone: The process ended meanwhile.
        """
        await self._say({"job": {**job.request.payload, "id": job.request.job}})
        while True:
            message = await self._next_message()
            # Words about the job before, which was cancelled, may still be on their way.
            if message.get("id") != job.request.job:
                continue
            if "progress" in message:
                job.note(str(message["progress"]))
            elif "result" in message:
                result: Mapping[str, Any] = message["result"]
                return result
            else:
                raise JudgeGone("The judge process gave up the job.")

    async def abandon(self, job: _Job) -> bool:
        """Cancel the job in the judge; true when it confirmed in time and can take the next one."""
        try:
            async with asyncio.timeout(_CANCEL_S):
                await self._say({"cancel": job.request.job})
                while True:
                    message = await self._next_message()
                    if message.get("id") == job.request.job and (
                        "cancelled" in message or "result" in message
                    ):
                        return True
        except (TimeoutError, JudgeGone):
            return False

    async def end(self, cookie: str = "") -> None:
        """Kill the process and everything it started."""
        try:
            if self._pid or self._process is not None:
                # A dead fork's process id may be another process's by now: 0 leaves it alone.
                root = (
                    self._process.pid
                    if self._process is not None
                    else self._pid
                    if self.alive
                    else 0
                )
                await asyncio.to_thread(end_tree, root, cookie)
            if self._process is not None:
                await self._process.wait()
            elif self._reader is not None:
                # A fork is waited for by the keeper, which then ends the line.
                with contextlib.suppress(TimeoutError, OSError):
                    await asyncio.wait_for(self._reader.read(), _END_S)
        finally:
            # Also where the end itself is cancelled: the line outlives no loop.
            if self._writer is not None:
                self._writer.close()
            self._said.close()

    async def _say(self, message: Mapping[str, Any]) -> None:
        if self._writer is None:
            raise JudgeGone("The judge process is not running.")
        try:
            self._writer.write(json.dumps(message).encode() + b"\n")
            await self._writer.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise await self._end_error() from error

    async def _next_message(self) -> dict[str, Any]:
        if self._reader is None:
            raise JudgeGone("The judge process is not running.")
        try:
            line = await self._reader.readline()
        except ConnectionResetError:
            line = b""
        if not line:
            raise await self._end_error()
        message: dict[str, Any] = json.loads(line)
        # The keeper, whose child the fork was, reports its exit code on the same line.
        if "ended" in message:
            raise await self._end_error(int(message["ended"]))
        return message

    async def _end_error(self, code: int | None = None) -> JudgeGone:
        """What to say about a judge that ended by itself."""
        if self._process is not None:
            code = await self._process.wait()
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").split("\n")[-_LAST_WORDS:]
        words = " ".join(line.strip() for line in lines).strip()[-600:]
        how = "The judge process ended"
        if code is not None and code < 0:
            how = f"The judge process was killed by signal {-code}"
        elif code is not None:
            how = f"The judge process ended with exit code {code}"
        return JudgeGone(f"{how}: {words}" if words else f"{how}.")
