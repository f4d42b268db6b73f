"""A warm judge: one process that has imported torch forks a judge for each job, in milliseconds.

    python -m judge.warm keep NAME                 stays until it had nothing to do for a while
    python -m judge.warm run NAME job.json out     has the keeper judge; without one it judges itself

The process of `run` stands for the job: when it is killed, the fork sees its line closed and ends. Both sides
check that the other belongs to the same user.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

_IDLE_S = 1200.0
_ASK_S = 5.0
_MOST = 1 << 20
_BEGUN, _DONE, _FAILED = b"begun\n", b"done\n", b"failed\n"
_KILLED = 137  # exit code of a process that was ended by SIGKILL, as shells give it


def keep(name: str) -> int:
    """Fork judges on request until nothing was asked for 20 minutes."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(f"\0{name}")
    except OSError:
        return 0  # there is one already
    listener.listen(64)
    from . import serve  # seconds pass here; who asks meanwhile waits for it

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener.settimeout(_IDLE_S)
    judges: dict[tuple[str, str], Any] = {}
    while True:
        try:
            line, _ = listener.accept()
        except TimeoutError:
            return 0
        try:
            if _is_ours(line):
                line.settimeout(_ASK_S)
                data, files, _, _ = socket.recv_fds(line, _MOST, 1)
                line.settimeout(None)
                asked = json.loads(data)
                judge = _ready_judge(Path(asked["folder"]) / asked["job"], judges, serve.judge_for)
                if os.fork() == 0:
                    listener.close()
                    _judge(line, files, asked, partial(serve.judge_file, judge=judge))
                for number in files:
                    os.close(number)
        except (OSError, ValueError, KeyError):
            pass  # who asked is told by the end of the line, and judges the job without us
        line.close()


def _ready_judge(job_path: Path, judges: dict[tuple[str, str], Any], make: Callable[[Any], Any]) -> Any:
    """A judge that has looked at compiler and twin already; None when the fork had better report a fault.

    Nothing of the candidate runs here: its code is only ever run in children of forks.
    """
    job = json.loads(job_path.read_text())
    key = (job["cache_dir"], job.get("twin_dir", ""))
    try:
        if key not in judges:
            judges[key] = make(job)
        judges[key].look_around()
    except Exception:  # noqa: BLE001 - whatever it is, the fork meets it as well and has somebody to tell
        judges.pop(key, None)
    return judges.get(key)


def _judge(
    line: socket.socket, files: Sequence[int], asked: dict[str, Any], judge: Callable[[Path, Path], None]
) -> None:
    """Judge one job in a fork, with the directory, environment and output of who asked."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for number in (1, 2):
            os.dup2(files[0], number)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.nice(5)
        line.sendall(_BEGUN)
        threading.Thread(target=_end_with, args=(line,), daemon=True).start()
        judge(Path(asked["job"]), Path(asked["result"]))
        line.sendall(_DONE)
        code = 0
    except Exception:  # noqa: BLE001 - the fork must end here, and say why where the job's output goes
        traceback.print_exc()
        with contextlib.suppress(OSError):
            line.sendall(_FAILED)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _end_with(line: socket.socket) -> None:
    """End this judge at once when the process that stands for it is gone; its children notice."""
    while True:
        try:
            if not line.recv(1):
                break
        except OSError:
            break
    os._exit(143)


def run(name: str, job: str, result: str) -> int:
    """Have the keeper judge a job and wait for it; judge here when there is no keeper."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    heard = b""
    try:
        line.connect(f"\0{name}")
        if _is_ours(line):
            asked = {"folder": str(Path.cwd()), "environment": dict(os.environ), "job": job, "result": result}
            socket.send_fds(line, [json.dumps(asked).encode()], [1])
            while part := line.recv(64):
                heard += part
    except OSError:
        heard += b""
    if heard.startswith(_BEGUN):
        if heard.endswith(_DONE):
            return 0
        return 1 if heard.endswith(_FAILED) else _KILLED  # without a word: somebody killed the judge
    from . import serve

    return serve.main([job, result])


def _is_ours(line: socket.socket) -> bool:
    """Whether the other end belongs to this user; names of this kind are open to everybody."""
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.getuid())


if __name__ == "__main__":
    sys.exit(keep(sys.argv[2]) if sys.argv[1] == "keep" else run(*sys.argv[2:5]))
