"""The judge as a process: one job from a file, or jobs as JSON lines on standard input (`--serve`).

Lines in:   {"job": {...}}   {"cancel": "<id>"}
Lines out:  {"ready": true, "pid"}   {"id", "progress"}   {"id", "result"}
            {"id", "cancelled": true}

The end of standard input cancels what runs and ends the process: a judge never outlives the application.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from remote.judge.cann.judge import CannJudge
from remote.judge.faults import Cancelled
from remote.judge.job import Job, JudgeSettings
from remote.judge.json_records import place_json
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup
from remote.judge.progress import to_stderr
from remote.judge.serving.guarded import (
    AnyJudge,
    guarded,
    read_job_file,
    yield_to_others,
)

_LAST_S = 2.0  # how long a judge may work that has no caller any more
_ENDED = 143


class Server:
    """Judges one job after another; cancellation arrives on another thread.

    Args:
        lines_in: Jobs.
        lines_out: Answers.
        judges: Those that are ready.
    """

    def __init__(
        self,
        lines_in: IO[str],
        lines_out: IO[str],
        judges: Mapping[JudgeSettings, AnyJudge] | None = None,
    ) -> None:
        self._in = lines_in
        self._out = lines_out
        self._write_lock = threading.Lock()
        self._jobs: queue.SimpleQueue[Mapping[str, Any] | None] = queue.SimpleQueue()
        self._children: dict[str, ChildGroup] = {}
        self._judges = dict(judges or {})

    def run(self) -> None:
        """Serve until the input ends."""
        threading.Thread(target=self._read, daemon=True).start()
        self._say({"ready": True, "pid": os.getpid()})
        while (job := self._jobs.get()) is not None:
            self._serve(job)

    def _read(self) -> None:
        for line in self._in:
            message = json.loads(line)
            if "job" in message:
                job = message["job"]
                self._children[job["id"]] = ChildGroup(job["id"])
                self._jobs.put(job)
            elif message.get("cancel") in self._children:
                self._children[message["cancel"]].cancel()
        for children in list(self._children.values()):
            children.cancel()
        self._jobs.put(None)
        time.sleep(_LAST_S)
        os._exit(_ENDED)  # still busy with what no child does

    def _serve(self, job: Mapping[str, Any]) -> None:
        identity = job["id"]
        children = self._children[identity]

        def progress(step: str) -> None:
            self._say({"id": identity, "progress": step})

        try:
            result = guarded(self._judge, job, children, progress)
            self._say({"id": identity, "result": result})
        except Cancelled:
            self._say({"id": identity, "cancelled": True})
        finally:
            del self._children[identity]

    def _judge(self, job: Job) -> AnyJudge:
        settings = JudgeSettings.of(job)
        if settings not in self._judges:
            self._judges[settings] = judge_for(settings)
        return self._judges[settings]

    def _say(self, message: Mapping[str, Any]) -> None:
        with self._write_lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()


def judge_for(settings: JudgeSettings) -> AnyJudge:
    """A new judge.

    Raises:
        EnvironmentFault: There is no compiler.
        OSError: The cache cannot be used.
    """
    if settings.toolchain != "twin":
        return CannJudge(Path(settings.cache_dir))
    headers = Path(settings.headers_dir) if settings.headers_dir else None
    return Judge(
        Path(settings.cache_dir), Path(settings.twin_dir), settings.workers, headers
    )


def judge_file(job_path: Path, result_path: Path) -> None:
    """Judge the job in a file; place the result atomically."""
    job = read_job_file(job_path)
    answer = guarded(
        lambda one: judge_for(JudgeSettings.of(one)),
        job,
        ChildGroup(job["id"]),
        to_stderr,
    )
    place_json(result_path, answer)


def main(arguments: list[str] | None = None) -> int:
    """Entry of `python -m <package>.judge`."""
    parser = argparse.ArgumentParser(
        prog="judge", description="Judge kernel candidates on this machine."
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help="read jobs as JSON lines from standard input",
    )
    parser.add_argument("job", nargs="?", type=Path, help="job file")
    parser.add_argument("result", nargs="?", type=Path, help="where the result goes")
    options = parser.parse_args(arguments)
    if os.name != "posix":
        sys.stderr.write(
            "The judge needs Linux or macOS; on Windows run SAGE Desktop inside WSL.\n"
        )
        return 2
    yield_to_others()
    if options.serve:
        # Nothing a reference file prints may mix with the protocol: it keeps a private copy of standard
        # output.
        channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        Server(sys.stdin, channel).run()
        return 0
    if options.job is None or options.result is None:
        parser.error("name a job file and a result file, or use --serve")
    judge_file(options.job, options.result)
    return 0
