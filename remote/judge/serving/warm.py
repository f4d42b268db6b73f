"""A warm judge: a process that has imported torch forks a judge for every caller, in milliseconds.

    python -m remote.judge.serving.warm keep NAME
        leaves the keeper of that name behind, unless there is one
    python -m remote.judge.serving.warm run NAME job.json result.json
        has the keeper judge; without one it judges itself

The keeper prepares judges and forks them; jobs, and whatever belongs to a candidate, are read by forks only.
A fork speaks the protocol of `serve` with who asked, in the directory and environment of who asked, and ends
when they go. The keeper ends when nothing was asked for a while, and when its sources or the folder it was
started in change or go. Its name is no file: nothing stale is left. Linux only; elsewhere there is no keeper.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remote.judge.job import JudgeSettings
from remote.judge.json_records import Unfit, place_json, read
from remote.judge.processes.patience import state_of
from remote.judge.program import ROOT, program_files
from remote.judge.progress import to_stderr
from remote.judge.serving.guarded import read_job_file, yield_to_others

if TYPE_CHECKING:
    from remote.judge.serving.guarded import AnyJudge

KEEP_S = "SAGE_KEEP_JUDGE_S"  # environment variable: seconds a keeper stays without work; 0 for none at all
_IDLE_S = 1200.0
_LOOK_S = 5.0  # between looks at sources and folder
_ASK_S = 5.0
ANSWER_S = 40.0  # a keeper that was just started imports torch first, beside whatever else the machine does
_STOPPED_S = 60.0  # how long a judge may stand under SIGSTOP before it counts as lost
_MOST = 8 << 20  # bytes of a request
_MOST_JUDGES = 8
_DECIDING = (
    "PATH",
    "SAGE_CXX",
)  # variables by which a judge finds compiler and sandbox
_KILLED = 137  # exit code of a process that was ended by SIGKILL, as shells give it


def idle_s(environment: Mapping[str, str]) -> float:
    """Seconds a keeper stays without work, as `SAGE_KEEP_JUDGE_S` says."""
    with contextlib.suppress(ValueError):
        return float(environment.get(KEEP_S, _IDLE_S))
    return _IDLE_S


# ---- asking


def ask(
    name: str, settings: Mapping[str, Any], environment: Mapping[str, str], output: int
) -> socket.socket | None:
    """A line to a fork of the keeper `name`, which says when it is ready; None when there is no keeper.

    Args:
        name: Of the keeper.
        settings: What of a job decides on its judge: see `settings_of`.
        environment: All of the fork's.
        output: Descriptor of what the fork takes for standard output and error.
    """
    about = {
        "folder": str(Path.cwd()),
        "environment": dict(environment),
        "settings": dict(settings),
    }
    return _send(name, about, [output])


def end(name: str) -> None:
    """End a keeper of this user, if there is one; judges it forked continue."""
    line = _send(name, {"end": True}, [])
    if line is not None:
        with line, contextlib.suppress(OSError):
            line.recv(1)  # it closes the line as it goes


def _send(
    name: str, message: Mapping[str, Any], files: Sequence[int]
) -> socket.socket | None:
    if not sys.platform.startswith("linux"):
        return None
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with contextlib.suppress(OSError):
        line.connect(f"\0{name}")
        if _is_ours(line):
            data = json.dumps(message).encode() + b"\n"
            sent = socket.send_fds(line, [data], files)
            line.sendall(data[sent:])
            return line
    line.close()
    return None


def _is_ours(line: socket.socket) -> bool:
    """Whether the other end belongs to this user; names of this kind are open to everybody."""
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack(
        "3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    return bool(user == os.getuid())


def run(name: str, job_file: str, result_file: str) -> int:
    """Have the keeper judge a job and wait for it; judge here when there is no keeper."""
    job = read_job_file(Path(job_file))
    line = ask(name, settings_of(job), os.environ, sys.stdout.fileno())
    began = False
    if line is not None:
        line.settimeout(ANSWER_S)
        with (
            line,
            contextlib.suppress(OSError),
            line.makefile("rw", encoding="utf-8") as stream,
        ):
            for answer_line in stream:
                message = json.loads(answer_line)
                if message.get("ready"):
                    began = True
                    line.settimeout(None)
                    end_when_stopped(int(message["pid"]), line)
                    stream.write(json.dumps({"job": job}) + "\n")
                    stream.flush()
                elif "progress" in message:
                    to_stderr(message["progress"])
                elif "result" in message:
                    place_json(Path(result_file), message["result"])
                    return 0
                elif message.get("ended", 0) > 0:
                    return 1
    if began:
        return _KILLED  # without a word, or by a signal: the judge was killed
    from remote.judge.serving import serve

    return serve.main([job_file, result_file])


def end_when_stopped(
    judge: int, line: socket.socket, stopped_s: float = _STOPPED_S
) -> None:
    """End a judge that stays stopped, and its keeper where that is, and the line to it.

    Without it the whole time limit of the job would pass: a stopped process answers
    nothing and ends nothing. What is lost with it is judged again.

    Args:
        judge: Process id of the fork.
        line: Its line; the end of it is the end of the judge for who reads it.
        stopped_s: Seconds it may be stopped, as a person may who has a look at it.
    """

    def look() -> None:
        stopped_at: float | None = None
        while True:
            time.sleep(min(_LOOK_S, stopped_s))
            state, keeper = _state(judge)
            if not state:
                return
            if state != "T":
                stopped_at = None
                continue
            now = time.monotonic()
            stopped_at = stopped_at or now
            if now - stopped_at < stopped_s:
                continue
            to_stderr(f"The judge was stopped (SIGSTOP) for {stopped_s:.0f} s; ended.")
            for process in (judge, keeper):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if _state(process)[0] == "T":
                        os.kill(process, signal.SIGKILL)
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            return

    threading.Thread(target=look, daemon=True).start()


def _state(process: int) -> tuple[str, int]:
    """State letter and parent of a process; "" and 0 when it is gone."""
    fields = state_of(process)
    return (fields[0], int(fields[1])) if fields else ("", 0)


def settings_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """What of a job decides on its judge."""
    return {
        name: job[name]
        for name in ("toolchain", "cache_dir", "twin_dir", "workers", "headers_dir")
        if name in job
    }


# ---- keeping


def keep(name: str) -> int:
    """Leave a keeper behind, which listens once this returns; one that is there makes this end itself."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(f"\0{name}")
    except OSError:
        return 0  # there is one already, or this system has no such names
    listener.listen(64)
    if os.fork() == 0:
        os.setsid()
        with contextlib.suppress(KeyboardInterrupt):
            _Keeper(listener).stay()
    return 0


class _Keeper:
    """Prepares judges and forks them. It has one thread, so that a fork finds no lock taken."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._judges: OrderedDict[str, AnyJudge] = OrderedDict()
        self._forks: dict[int, socket.socket] = {}
        self._over = False
        self._sources = sources()
        self._woken, wake = os.pipe()  # by the end of a fork
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, _on_signal)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def stay(self) -> None:
        """Fork judges on request until it is time to go."""
        gc.disable()  # searching what torch loads for garbage takes a sixth of the time
        from remote.judge.serving import (
            serve,  # seconds pass here; who asks meanwhile waits for it
        )

        gc.collect()
        gc.freeze()  # what a fork never looks at need not be copied for it
        gc.enable()
        idle, busy_at = idle_s(os.environ), time.monotonic()
        while not self._over:
            listener_fd = self._listener.fileno()
            ready, _, _ = select.select(
                [listener_fd, self._woken], [], [], min(_LOOK_S, idle)
            )
            if self._woken in ready:
                os.read(self._woken, 1 << 12)
                self._tell_ends()
            if listener_fd in ready:
                self._answer(self._listener.accept()[0], serve)
            if self._forks or ready:
                busy_at = time.monotonic()
            self._over |= (
                time.monotonic() - busy_at >= idle or sources() != self._sources
            )

    def _answer(self, line: socket.socket, serve: Any) -> None:
        """Fork a judge for who asked; should that fail, the end of the line says so."""
        files: list[int] = []
        with contextlib.suppress(OSError, ValueError, KeyError, Unfit):
            if _is_ours(line):
                line.settimeout(_ASK_S)
                request, files = _request(line)
                line.settimeout(None)
                if request.get("end"):
                    self._listener.close()  # later callers find no keeper
                    self._over = True
                else:
                    self._fork(line, files, request, serve)
        for number in files:
            os.close(number)
        if line not in self._forks.values():
            line.close()

    def _fork(
        self,
        line: socket.socket,
        files: Sequence[int],
        job: Mapping[str, Any],
        serve: Any,
    ) -> None:
        own = dict(os.environ)
        settings = job["settings"]
        environment = job["environment"]
        try:
            _put_environment(environment)
            decided = [environment.get(name) for name in _DECIDING]
            key = json.dumps(
                [settings, decided, _compilers(environment)], sort_keys=True
            )
            judge_settings = read(JudgeSettings, settings)
            judge = self._ready_judge(key, lambda: serve.judge_for(judge_settings))
            number = os.fork()
            if number == 0:
                environment.clear()  # what the fork runs finds no second copy
                judges = {} if judge is None else {judge_settings: judge}
                self._become_judge(
                    line, files, job["folder"], partial(_serve, serve, judges)
                )
            self._forks[number] = line
        finally:
            _put_environment(own)

    def _ready_judge(self, key: str, make: Callable[[], AnyJudge]) -> AnyJudge | None:
        """A judge that has looked at compiler and twin; None when the fork had better report a fault."""
        if key not in self._judges:
            try:
                judge = make()
                judge.warm_up()
            except Exception:  # noqa: BLE001 - the fork meets it as well and can report it
                return None
            self._judges[key] = judge
            if len(self._judges) > _MOST_JUDGES:
                self._judges.popitem(last=False)
        self._judges.move_to_end(key)
        return self._judges[key]

    def _become_judge(
        self,
        line: socket.socket,
        files: Sequence[int],
        folder: str,
        serve: Callable[[socket.socket], None],
    ) -> None:
        """Serve who asked, in a fork, with their directory and output."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            for other in (self._listener, *self._forks.values()):
                other.close()
            for number in (1, 2):
                os.dup2(files[0], number)
            os.chdir(folder)
            yield_to_others()
            serve(line)
            code = 0
        except BrokenPipeError:
            pass  # who asked is gone
        except BaseException:  # noqa: BLE001 - the fork must end here, and say why where its output goes
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _tell_ends(self) -> None:
        """Tell who asked how their judge ended: they are not its parent."""
        for number in list(self._forks):
            child, status = os.waitpid(number, os.WNOHANG)
            if child:
                line = self._forks.pop(number)
                with line, contextlib.suppress(OSError):
                    line.settimeout(0)
                    code = os.waitstatus_to_exitcode(status)
                    line.sendall(json.dumps({"ended": code}).encode() + b"\n")
                    line.shutdown(socket.SHUT_RDWR)


def _request(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What is asked, and the descriptors that came along."""
    data, files, _, _ = socket.recv_fds(line, _MOST, 1)
    while not data.endswith(b"\n") and len(data) < _MOST:
        more = line.recv(1 << 16)
        if not more:
            break
        data += more
    return json.loads(data), files


def _serve(serve: Any, judges: dict[Any, AnyJudge], line: socket.socket) -> None:
    serve.Server(
        line.makefile("r", encoding="utf-8"),
        line.makefile("w", encoding="utf-8"),
        judges,
    ).run()


def _compilers(environment: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """State of the compilers a judge may have chosen from: another one is another judge's."""
    states = []
    for name in filter(
        None, (environment.get("SAGE_CXX"), "g++", "clang++", "c++", "bwrap")
    ):
        path = shutil.which(name, path=environment.get("PATH"))
        if path is not None:
            state = os.stat(os.path.realpath(path))  # noqa: PTH116
            states.append((path, state.st_size, state.st_mtime_ns))
    return states


def _put_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


def _on_signal(*_signal: object) -> None:
    """A signal that only has to end a wait."""


def sources() -> tuple[object, ...]:
    """State of what a keeper must not outlive: the judge's sources, its Python, the folder it was started in.

    Empty once that cannot be told.
    """
    try:
        files = [ROOT / name for name in program_files()]
        stamps = tuple(
            (str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files
        )
        return (*stamps, os.stat(sys.executable).st_mtime_ns, os.stat(".").st_nlink > 0)  # noqa: PTH116
    except OSError:
        return ()


if __name__ == "__main__":
    sys.exit(keep(sys.argv[2]) if sys.argv[1] == "keep" else run(*sys.argv[2:5]))
