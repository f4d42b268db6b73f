"""The content-addressed store: uploads arrive as one tar stream, are verified and placed atomically."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tarfile
import time
from pathlib import Path
from typing import IO, Any, Dict, Iterable, List, Set

from .home import Home, Refused, disk_refusal, read_json, remove

_BLOCK = 1 << 20


def blob_path(home: Home, sha: str) -> Path:
    """Where a content lies.

    Raises:
        Refused: The name is no sha256.
    """
    if len(sha) != 64 or not all(letter in "0123456789abcdef" for letter in sha):
        raise Refused("bad-request", "%r is no sha256" % sha)
    return home.store / sha[:2] / sha


def missing(home: Home, shas: Iterable[str]) -> List[str]:
    """Which contents the host does not have. Those it has are marked as used."""
    missing_blobs = []
    for sha in shas:
        try:
            os.utime(str(blob_path(home, sha)))
        except OSError:
            missing_blobs.append(sha)
    return missing_blobs


def receive(home: Home, stream: IO[bytes]) -> int:
    """Take contents named by their sha256 out of a tar stream; returns how many.

    Raises:
        Refused: The disk is full or a content does not match its name.
    """
    folder = home.scratch()
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                target = blob_path(home, member.name)
                source = tar.extractfile(member)
                if source is None:
                    raise Refused("bad-request", "%s is no file" % member.name)
                partial = folder / member.name
                if _copy(source, partial) != member.name:
                    raise Refused("corrupt", "%s arrived damaged" % member.name)
                target.parent.mkdir(mode=0o700, exist_ok=True)
                os.replace(str(partial), str(target))
                count += 1
    except tarfile.TarError as error:
        raise Refused("corrupt", "the upload is no tar stream: %s" % error) from error
    except OSError as error:
        raise disk_refusal(error, home.base) from error
    finally:
        remove(folder)
    return count


def lay_out(home: Home, folder: Path, files: Dict[str, Any]) -> None:
    """Copy contents of the store to their places below `folder`.

    Raises:
        Refused: A content is missing or a name leaves the folder.
        OSError: The disk does not allow it.
    """
    for name, sha in files.items():
        path = folder / inside(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(str(blob_path(home, sha)), "rb") as source:
                _copy(source, path)
        except FileNotFoundError as error:
            raise Refused(
                "missing", "%s is not in the store" % sha, shas=[sha], trees=[]
            ) from error


def plant(home: Home, digest: str, files: Dict[str, Any]) -> bool:
    """Make a shared folder out of the store; false when it was there.

    Args:
        home: Where.
        digest: Its name.
        files: Relative path -> sha256.

    Raises:
        Refused: A content is missing, a name is bad, or the disk is full.
    """
    target = tree_path(home, digest)
    if touch_tree(home, digest):
        return False
    folder = home.scratch()
    try:
        lay_out(home, folder, files)
        try:
            os.rename(str(folder), str(target))
        except OSError:
            if not target.is_dir():  # another connection was faster otherwise
                raise
    except OSError as error:
        raise disk_refusal(error, home.base) from error
    finally:
        remove(folder)
    return True


def tree_path(home: Home, digest: str) -> Path:
    """Where a shared folder lies."""
    if not digest.isalnum():
        raise Refused("bad-request", "%r is no digest" % digest)
    return home.trees / digest


def touch_tree(home: Home, digest: str) -> bool:
    """Whether a shared folder is there; marks it as used."""
    try:
        os.utime(str(tree_path(home, digest)))
    except OSError:
        return False
    return True


def inside(name: str) -> str:
    """A relative path that stays where it is put.

    Raises:
        Refused: It does not.
    """
    parts = name.split("/")
    if (
        not name
        or name.startswith("/")
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise Refused("bad-request", "%r is no path below a folder" % name)
    return name


def _copy(source: IO[bytes], target: Path) -> str:
    """Write a stream to a new file and return its sha256."""
    total = hashlib.sha256()
    with open(str(target), "wb") as file:
        while True:
            block = source.read(_BLOCK)
            if not block:
                break
            total.update(block)
            file.write(block)
    return total.hexdigest()


def collect(home: Home, keep_days: float, most_bytes: int) -> Dict[str, int]:
    """Remove what is old, then what was unused for longest until the rest fits.

    Only jobs that ended, shared folders of no other job, contents of the store and abandoned uploads are
    removed; ages are by this machine's own clock.
    """
    now = time.time()
    needed = _needed_trees(home)
    # What may be removed, as (time of last use, path).
    units = []
    for folder in home.jobs.iterdir():
        if folder.name.startswith("."):
            continue
        if (folder / "end.json").exists():
            units.append((_mtime(folder / "end.json"), folder))
    units += [
        (_mtime(folder), folder)
        for folder in home.trees.iterdir()
        if folder.name not in needed
    ]
    for shard in home.store.iterdir():
        units += [(_mtime(blob), blob) for blob in shard.iterdir()]
    for folder in home.incoming.iterdir():
        if now - _mtime(folder) > 3600:
            remove(folder)
    scripts_output = (home.base / "slurm").glob("*.log")
    units += [(_mtime(path), path) for path in scripts_output]
    freed = removed = 0
    total = sum(_size(home.trees / digest) for digest in needed)
    for age, path in sorted(units, reverse=True):
        size = _size(path)
        total += size
        if now - age > keep_days * 86400 or total > most_bytes:
            if path.is_dir():
                remove(path)
            else:
                try:
                    path.unlink()
                except OSError:
                    continue
            freed += size
            removed += 1
    return {"freed": freed, "removed": removed, "kept": total - freed}


def _needed_trees(home: Home) -> Set[str]:
    """Shared folders of jobs that have not ended; one may wait in a queue for longer than things are kept."""
    needed: Set[str] = set()
    for folder in home.jobs.iterdir():
        if not (folder / "end.json").exists():
            spec = read_json(folder / "spec.json") or {}
            needed.update(spec.get("trees", {}).values())
    return needed


def _mtime(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    total = 0
    for file in files:
        with contextlib.suppress(OSError):
            if file.is_file():
                total += file.stat().st_size
    return total
