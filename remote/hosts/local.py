"""This computer as a host: jobs go to warm judge processes, so that torch is imported only once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remote.hosts.judge_environment import judge_environment
from remote.hosts.port import JobRequest, JobState, JobUpdate
from remote.hosts.process_tree import end_tree
from remote.judge.run import JOB_COOKIE

DEFAULT_SLOTS = 2
_LINE_LIMIT = 256 << 20  # bytes of the longest protocol line
_READY_S = 120.0
_CANCEL_S = 0.6
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

    def end(self, state: JobState, result: Mapping[str, Any] | None = None, detail: str = "") -> None:
        if not self.state.is_final:
            self.state, self.result, self.detail = state, result, detail
        self.changed.set()


class LocalHost:
    """Runs up to `slots` jobs at a time on this machine.

    Args:
        slots: Judge processes; each holds about 300 MB once it is warm.
        python: Interpreter with torch, by default the one that runs the application.
    """

    def __init__(self, slots: int = DEFAULT_SLOTS, python: str = sys.executable) -> None:
        self._python = python
        self._most = slots
        self._slots = asyncio.Semaphore(slots)
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()
        self._jobs: dict[str, _Job] = {}

    @property
    def name(self) -> str:
        """Name stored with results."""
        return "local"

    @property
    def label(self) -> str:
        """What the user reads."""
        return "this computer"

    @property
    def slots(self) -> int:
        """Judges that work at a time."""
        return self._most

    @property
    def keeps_jobs(self) -> bool:
        """Judges of this computer end with the application."""
        return False

    async def start(self, request: JobRequest) -> None:
        """Queue a job; a known id is left alone."""
        if request.job not in self._jobs:
            job = _Job(request)
            self._jobs[request.job] = job
            job.driver = asyncio.create_task(self._drive(job))

    async def follow(self, job: str, position: int) -> JobUpdate:
        """Wait for lines beyond `position` or the end of the job."""
        known = self._jobs.get(job)
        if known is None:
            return JobUpdate(JobState.ABSENT, (), position)
        while not known.state.is_final and len(known.progress) <= position:
            known.changed.clear()
            await known.changed.wait()
        lines = tuple(known.progress[position:])
        return JobUpdate(known.state, lines, position + len(lines), known.result, known.detail)

    async def cancel(self, job: str) -> None:
        """End the job and its processes."""
        known = self._jobs.get(job)
        if known is not None and known.driver is not None and not known.driver.done():
            known.driver.cancel()
            await asyncio.gather(known.driver, return_exceptions=True)
            known.end(JobState.CANCELLED)

    async def forget(self, job: str) -> None:
        """Drop an ended job."""
        known = self._jobs.get(job)
        if known is not None and known.state.is_final:
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
        async with self._slots:
            try:
                worker = await self._take_worker()
            except JudgeGone as gone:
                job.end(JobState.LOST, detail=str(gone))
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
                    detail=f"The judge did not finish within {job.request.time_limit_s:.0f} s.",
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

    async def _take_worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._discard(worker)
        worker = _Worker(self._python)
        self._workers.add(worker)
        try:
            await worker.start()
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
    """One judge process and the protocol with it."""

    def __init__(self, python: str) -> None:
        self._python = python
        self._process: asyncio.subprocess.Process | None = None
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._listener: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start the process and wait until it has imported torch.

        Raises:
            JudgeGone: It cannot be started or does not come up.
        """
        try:
            self._process = await asyncio.create_subprocess_exec(
                self._python, "-m", "remote.judge", "--serve",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                start_new_session=True, limit=_LINE_LIMIT,
                env=judge_environment(os.environ),
            )  # fmt: skip
        except OSError as error:
            raise JudgeGone(f"The judge cannot be started with {self._python}: {error.strerror}.") from error
        self._listener = asyncio.create_task(self._listen())
        try:
            async with asyncio.timeout(_READY_S):
                await self._next_message()
        except TimeoutError as error:
            raise JudgeGone(f"The judge did not come up within {_READY_S:.0f} s.") from error

    async def judge(self, job: _Job) -> Mapping[str, Any]:
        """Send the job and pass its progress on until the result comes.

        Raises:
            JudgeGone: The process ended meanwhile.
        """
        await self._say({"job": {**job.request.payload, "id": job.request.job}})
        while True:
            message = await self._next_message()
            if message.get("id") != job.request.job:
                continue
            if "progress" in message:
                job.note(str(message["progress"]))
            elif "result" in message:
                result: Mapping[str, Any] = message["result"]
                return result
            else:
                raise JudgeGone("The judge gave the job up.")

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
        if self._process is not None:
            await asyncio.to_thread(end_tree, self._process.pid, cookie)
            await self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()
        if self._listener is not None:
            await asyncio.gather(self._listener, return_exceptions=True)

    async def _say(self, message: Mapping[str, Any]) -> None:
        if self._process is None or self._process.stdin is None:
            raise JudgeGone("The judge is not running.")
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise await self._gone() from error

    async def _next_message(self) -> dict[str, Any]:
        if self._process is None or self._process.stdout is None:
            raise JudgeGone("The judge is not running.")
        line = await self._process.stdout.readline()
        if not line:
            raise await self._gone()
        message: dict[str, Any] = json.loads(line)
        return message

    async def _gone(self) -> JudgeGone:
        """What to say about a judge that ended by itself."""
        if self._process is None:
            return JudgeGone("The judge is not running.")
        code = await self._process.wait()
        if self._listener is not None:
            await asyncio.wait([self._listener], timeout=1)
        words = " ".join(self._last_words)[-600:]
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return JudgeGone(f"The judge process {how}{': ' + words if words else '.'}")

    async def _listen(self) -> None:
        """Keep the last lines of standard error for the day the judge dies."""
        if self._process is None or self._process.stderr is None:
            return
        while line := await self._process.stderr.readline():
            self._last_words.append(line.decode("utf-8", "replace").strip())
