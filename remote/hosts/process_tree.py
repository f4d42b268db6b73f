"""Ending a process with everything it started, including children that left its process group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from remote.judge.processes.patience import descendants, parents

_ROUNDS = 5
_PAUSE_S = 0.01


def marked(cookie: str) -> list[int]:
    """Process ids whose environment holds `cookie` (`NAME=value`); none where the system hides it."""
    mark = cookie.encode()
    pids = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in environ.read_bytes().split(b"\0"):
                pids.append(int(environ.parent.name))
    return pids


def end_tree(root: int, cookie: str = "") -> None:
    """Kill `root`, everything below it and everything that carries `cookie`. Harmless when they are gone.

    A `root` of 0 stands for a process that is gone already, whose number may be another's.

    A process that forks while the list is made would escape one round, so rounds repeat until nothing is
    left.
    """
    if os.name != "posix":
        if not root:
            return
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(root)],
            capture_output=True,
            check=False,
        )
        return
    for _ in range(_ROUNDS):
        victims = [
            *(descendants(root, _parents()) if root else []),
            *(marked(cookie) if cookie else []),
        ]
        for pid in (root, *victims):
            _kill(pid)
        if not victims:
            return
        time.sleep(_PAUSE_S)


def _kill(pid: int) -> None:
    # 0 would mean our whole process group; a cookie may also mark ourselves.
    if pid in (0, 1, os.getpid()):
        return
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _parents() -> dict[int, int]:
    """Parent of every process, from /proc or, where there is none, from `ps`."""
    by_child = parents()
    if by_child:
        return by_child
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False
    ).stdout
    for line in listing.splitlines():
        pid, _, parent = line.strip().partition(" ")
        if pid.isdigit() and parent.strip().isdigit():
            by_child[int(pid)] = int(parent)
    return by_child
