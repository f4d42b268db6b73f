"""Leases on devices and CPU slots: a lock file each, held through an open file that the job tree inherits.

The lock lives exactly as long as a process of the job does, whatever happens to client, connection or
supervisor. Lock files are shared by all users of the machine, opened for reading only (a protected sticky
folder refuses more) and never removed (a second opener would lock another file of the same name).

A site may hand out its devices itself: `task-submit` waits for one and runs a shell line on it. Written after
how public scripts call the program (`--device auto --device-num 1 --run LINE`, the device in `$TASK_DEVICE`);
tried with a stand-in only. Its queue may run the line in another environment and folder, so both are part of
the line.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import json
import os
import random
import shlex
import socket
import time
from pathlib import Path
from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence

DEFAULT_LOCKS = "/tmp/sage-locks"  # noqa: S108 - one place for all users of a machine
_PAUSE_S = 0.1
# Variables that a job keeps on its way through the queue of a site.
_CARRIED = (
    "ASCEND",
    "SAGE",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHON",
    "LC_",
    "LANG",
    "HOME",
    "TMPDIR",
)


class NoLease(Exception):
    """No device became free in time, or the lock folder cannot be used; the text says which."""


class Lease(NamedTuple):
    """A device held; closing `fd` in every process that has it gives it back."""

    device: str
    fd: int


def take(
    folder: Path,
    devices: Sequence[str],
    wait_s: float,
    given_up: Callable[[], bool],
    job: str = "",
) -> Optional[Lease]:
    """Wait for one of `devices` and hold it; None when `given_up()` says so first.

    Raises:
        NoLease: Nothing became free within `wait_s` seconds.
    """
    prepare(folder)
    deadline = time.monotonic() + wait_s
    order = list(devices)
    # So that clients do not queue up behind the first one.
    random.shuffle(order)
    while True:
        for device in order:
            fd = _try(folder, device)
            if fd is not None:
                _note_holder(folder, device, job)
                return Lease(device, fd)
        if given_up():
            return None
        if time.monotonic() > deadline:
            names = ", ".join(sorted(devices))
            raise NoLease(f"none of {names} became free within {wait_s:.0f} s")
        time.sleep(_PAUSE_S)


def prepare(folder: Path) -> None:
    """Create the lock folder so that every user may add to it.

    Raises:
        NoLease: It cannot be made.
    """
    if folder.is_dir():
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.chmod(str(folder), 0o1777)  # noqa: S103 - for all users, and not by the umask, which threads share
    except OSError as error:
        raise NoLease(
            f"the lock folder {folder} cannot be created: {error.strerror}"
        ) from error


def _try(folder: Path, device: str) -> Optional[int]:
    """Descriptor of a lock that is held now; None where another process holds it."""
    path = folder / (device.replace("/", "_") + ".lock")
    try:
        if not path.exists():
            _make_lock(path)
        fd = os.open(str(path), os.O_RDONLY)
    except OSError as error:
        raise NoLease(f"the lock {path} cannot be used: {error.strerror}") from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    os.set_inheritable(fd, True)  # noqa: FBT003 - it takes no keyword
    return fd


def _make_lock(path: Path) -> None:
    """Make a lock file every user may open."""
    try:
        fd = os.open(str(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    except FileExistsError:
        return
    try:
        os.fchmod(fd, 0o666)
    finally:
        os.close(fd)


def _note(folder: Path, device: str) -> Path:
    return folder / (device.replace("/", "_") + ".holder")


def _note_holder(folder: Path, device: str, job: str) -> None:
    """Leave word for people who look; nothing depends on it."""
    note = {
        "user": getpass.getuser(),
        "host": socket.gethostname(),
        "job": job,
        "since": int(time.time()),
    }
    path = _note(folder, device)
    with contextlib.suppress(OSError):
        # Another user's note cannot be written over, and need not be.
        path.unlink()
    with contextlib.suppress(OSError):
        path.write_text(json.dumps(note))


def run_with_lease(
    folder: Path, wishes: List[str], wait_s: float, command: List[str]
) -> int:
    """Replace this process by `command` while holding one of the devices; 75 when none became free.

    A wish is `name=id+id`: the lock's name and the logical devices the command gets to see.
    """
    visible = {}
    for wish in wishes:
        name, _, ids = wish.partition("=")
        visible[name] = ids or name
    job = os.environ.get("SAGE_JOB", "")
    try:
        lease = take(folder, list(visible), wait_s, lambda: False, job)
    except NoLease as error:
        os.write(2, ("lease: %s\n" % error).encode())
        return 75
    assert lease is not None
    os.environ["SAGE_DEVICE"] = lease.device
    os.environ["ASCEND_RT_VISIBLE_DEVICES"] = visible[lease.device].replace("+", ",")
    return os.execvp(command[0], command)  # noqa: S606 - the lease goes with the process


def queued_line(command: List[str], folder: str, environment: Mapping[str, str]) -> str:
    """The shell line that runs `command` in `folder` on the device the queue chose."""
    carried = {
        name: value for name, value in environment.items() if name.startswith(_CARRIED)
    }
    exports = " ".join(
        "%s=%s" % (name, shlex.quote(value)) for name, value in sorted(carried.items())
    )
    device = 'SAGE_DEVICE="npu$TASK_DEVICE" ASCEND_RT_VISIBLE_DEVICES="$TASK_DEVICE"'
    words = " ".join(shlex.quote(word) for word in command)
    return "cd %s && exec env %s %s %s" % (shlex.quote(folder), exports, device, words)


def run_in_queue(program: str, command: List[str]) -> int:
    """Replace this process by the queue's client, which ends as the command does."""
    line = queued_line(command, os.getcwd(), os.environ)
    return os.execvp(  # noqa: S606
        program, [program, "--device", "auto", "--device-num", "1", "--run", line]
    )
