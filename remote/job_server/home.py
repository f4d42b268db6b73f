"""Where the job server keeps things on a host, and how its files are written.

Layout:

    <base>/store/ab/<sha256>     contents of files, kept once
    <base>/trees/<digest>/       folders made from the store, shared by jobs, never changed
    <base>/jobs/<id>/            one job: spec.json, work/, out, supervisor.json, phase, end.json
    <base>/incoming/             uploads under way
    <base>/cache/                builds and references of the judge
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import socket
import tempfile
import uuid
from pathlib import Path
from typing import Any, Dict, Optional

DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT)


class Refused(Exception):
    """A request the job server cannot serve; `kind` tells the client whose fault it is.

    Kinds: `disk` (full, read-only), `missing` (files to be sent first), `corrupt` (an upload arrived
    damaged), `unknown` (no such file), `bad-request`.
    """

    def __init__(self, kind: str, text: str, **facts: Any) -> None:
        super().__init__(text)
        self.kind = kind
        self.facts = facts

    def reply(self) -> Dict[str, Any]:
        """The refusal as it goes to the client."""
        return {"ok": False, "kind": self.kind, "text": str(self), **self.facts}


class Home:
    """The folders of the job server below `base`; made private to the user."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.store = base / "store"
        self.trees = base / "trees"
        self.jobs = base / "jobs"
        self.incoming = base / "incoming"
        self.cache = base / "cache"

    @classmethod
    def at(cls, text: str) -> Home:
        """The home named by the client, or the default: one per machine, since homes may be shared by NFS."""
        path = (
            Path(os.path.expanduser(text))
            if text
            else Path.home() / ".sage" / socket.gethostname()
        )
        return cls(path)

    def make(self) -> None:
        """Create the folders.

        Raises:
            Refused: The disk does not allow it.
        """
        try:
            for folder in (
                self.base,
                self.store,
                self.trees,
                self.jobs,
                self.incoming,
                self.cache,
            ):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise disk_refusal(error, self.base) from error

    def job(self, identity: str) -> Path:
        """Folder of a job.

        Raises:
            Refused: The id could leave the folder of jobs.
        """
        if (
            not identity
            or not identity.replace("-", "").isalnum()
            or len(identity) > 100
        ):
            raise Refused("bad-request", "%r is no job id" % identity)
        return self.jobs / identity

    def scratch(self) -> Path:
        """A new empty folder on the same file system."""
        return Path(tempfile.mkdtemp(dir=str(self.incoming)))


def disk_refusal(error: OSError, near: Path) -> Refused:
    """What to tell about a write that failed, with the numbers."""
    facts = disk_facts(near)
    full = error.errno in DISK_ERRORS
    text = "%s: %s" % (error.filename or near, error.strerror)
    if full:
        text = "the disk of %s is full: %d MB and %d inodes are free (%s)" % (
            near,
            facts["free_bytes"] >> 20,
            facts["free_inodes"],
            error.strerror,
        )
    return Refused("disk", text, full=full, **facts)


def disk_facts(near: Path) -> Dict[str, int]:
    """Free bytes and inodes of the file system of `near`, or of its nearest existing parent."""
    while not near.exists() and near != near.parent:
        near = near.parent
    try:
        filesystem = os.statvfs(str(near))
    except OSError:
        return {"free_bytes": -1, "free_inodes": -1}
    # Some file systems have no fixed number of inodes and report 0 of 0.
    inodes = filesystem.f_favail if filesystem.f_files else 1 << 30
    return {
        "free_bytes": filesystem.f_bavail * filesystem.f_frsize,
        "free_inodes": inodes,
    }


def write_json(path: Path, value: Any) -> None:
    """Place a small file atomically."""
    partial = path.with_name(".%s.%s" % (path.name, uuid.uuid4().hex))
    try:
        partial.write_text(json.dumps(value))
        os.replace(str(partial), str(path))
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def read_json(path: Path) -> Optional[Any]:
    """The value in a small file; None when there is none or it is not (yet) JSON."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def remove(folder: Path) -> None:
    """Remove a folder; what another process removes meanwhile does not matter."""
    shutil.rmtree(str(folder), ignore_errors=True)
