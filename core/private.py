"""Files and folders that are ours alone: readable by no other user of the machine, whatever the umask says.

Workspaces hold kernels and prompts, the host file names machines and people. What was made wider by an older
release is tightened when it is used; a folder the user named and that was there before is left as it is.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_LEFT_SECONDS = 86_400.0
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_folder(path: Path, *, ours: bool) -> Path:
    """Make a folder for its owner alone; `ours`: tighten it when it is there and wider."""
    if not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    elif ours:
        tighten(path)
    return path


def is_private(folder: Path) -> bool:
    """Whether it is a folder itself, no link, of this user, and closed to all others.

    Raises:
        OSError: There is none.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & _OTHERS
    )


def process_folder(kind: str) -> Path:
    """Make a temporary folder for this process, and remove those of ended ones.

    Who is killed removes nothing; one that makes a folder of the kind a day later does.
    The day is for programs in containers, whose numbers say nothing here.

    Args:
        kind: What it is for, e.g. `preflight`.
    """
    prefix = f"sage-{kind}-"
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        owner = left.name.removeprefix(prefix).partition("-")[0]
        if owner.isdecimal() and not _is_running(int(owner)) and _is_old(left):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))


def _is_old(folder: Path) -> bool:
    try:
        return time.time() - folder.lstat().st_mtime > _LEFT_SECONDS
    except OSError:  # removed meanwhile
        return False


def _is_running(number: int) -> bool:
    """Whether there is a process of this number; where it cannot be asked there may be one."""
    if os.name == "nt":  # a signal 0 would end it
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OverflowError, PermissionError):  # no number of a process; another user's
        return True
    return True


def private_file(path: Path) -> None:
    """Make an empty file for its owner alone; tighten the one that is there."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        tighten(path)


def write_private(path: Path, data: bytes) -> None:
    """Write a whole file for its owner alone; `path` is replaced only when all of it is on disk."""
    partial = path.with_suffix(".part")
    partial.unlink(missing_ok=True)
    with os.fdopen(
        os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb"
    ) as file:
        file.write(data)
    partial.replace(path)


def tighten(path: Path) -> None:
    """Take the rights of other users from a file or folder of this user's; no link is followed."""
    if not hasattr(os, "getuid"):  # Windows: a profile belongs to its user
        return
    with suppress(OSError):  # gone meanwhile, or on a file system without rights
        status = path.lstat()
        if (
            status.st_uid == os.getuid()
            and status.st_mode & _OTHERS
            and not stat.S_ISLNK(status.st_mode)
        ):
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
