"""Processes of a job: who is alive, who belongs to it, how all of them are ended (Linux, through /proc)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set, Tuple

COOKIE = "SAGE_JOB"
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_LAST_ROUNDS = 50
NO_ANSWER = 124


def boot_id() -> str:
    """Identity of this boot of the machine; the environment variable stands in for a reboot in tests."""
    override = os.environ.get("SAGE_STEWARD_BOOT_ID")
    if override:
        return override
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def born(pid: int) -> Optional[str]:
    """Start time of a living process; a zombie counts as dead. It tells a reused pid from the old one."""
    fields = _stat(pid)
    return None if fields is None or fields[0] in "ZX" else fields[19]


def adopt_orphans() -> None:
    """Make this process the parent of orphans below it, so that a child cannot escape by forking twice."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


def members(cookie: str, root: int = 0) -> List[int]:
    """Living processes of a job: those that carry its cookie, and those below `root` when one is given."""
    mark = ("%s=%s" % (COOKIE, cookie)).encode()
    parents: Dict[int, int] = {}
    pids: Set[int] = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        pid = int(entry)
        fields = _stat(pid)
        if fields is None or fields[0] in "ZX":
            continue
        parents[pid] = int(fields[1])
        with contextlib.suppress(OSError), open("/proc/%d/environ" % pid, "rb") as file:
            if mark in file.read().split(b"\0"):
                pids.add(pid)
    if root:
        layer = {root}
        while layer:
            layer = {
                pid
                for pid, parent in parents.items()
                if parent in layer and pid not in pids
            }
            pids |= layer
    return sorted(pids - {root, os.getpid(), 1})


def end_job(cookie: str, root: int, grace_s: float) -> int:
    """End every process of a job: ask first, kill after `grace_s`. Returns how many there were."""
    first = members(cookie, root)
    if not first:
        return 0
    _signal(first, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while time.monotonic() < deadline and members(cookie, root):
        reap()
        time.sleep(0.02)
    for _ in range(_LAST_ROUNDS):
        remaining = members(cookie, root)
        if not remaining:
            break
        _signal(remaining, signal.SIGKILL)
        reap()
        time.sleep(0.02)
    return len(first)


def reap() -> Dict[int, int]:
    """Collect ended children; pid -> wait status."""
    statuses: Dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return statuses
        if pid == 0:
            return statuses
        statuses[pid] = status


def run(command: Sequence[str], limit_s: float, text: str = "") -> Tuple[int, str]:
    """Exit code and combined output of a short command that is given `text`.

    One that gave no answer in time has code 124, one that cannot be started 127; the output says why.
    """
    try:
        process = subprocess.run(
            list(command),
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return NO_ANSWER, "%s gave no answer within %.0f s" % (command[0], limit_s)
    except OSError as error:
        return 127, "%s: %s" % (command[0], error.strerror)
    return process.returncode, process.stdout.decode("utf-8", "replace")


def _signal(pids: List[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _stat(pid: int) -> Optional[List[str]]:
    """Fields of /proc/<pid>/stat from the state on; the name before may hold anything."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return None
