"""A content-addressed store of build products: made once, placed atomically, verified on use.

A product is a folder `<store>/<key[:2]>/<key>/` with its files and `record.json`, which holds size and sha256
of each file beside the notes of its maker. A folder that does not match its record is removed and made
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_RECORD = "record.json"


@dataclass(frozen=True)
class Artifact:
    """One product. `made_now` tells a fresh one from one in the store; `digests` are those of its files."""

    key: str
    folder: Path
    record: dict[str, Any]
    made_now: bool
    digests: Mapping[str, str] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """Path of one of its files."""
        return self.folder / name


def digest_of(*parts: str) -> str:
    """sha256 over texts, each with its length, so that no two lists of parts collide."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()


class ArtifactStore:
    """The store in `folder`. Threads that want one product wait for each other; processes may race."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._verified: dict[str, tuple[tuple[str, int, int], ...]] = {}

    def folder_of_locks(self) -> Path:
        """A folder for the locks of those who make products."""
        folder = self._folder / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def get(self, key: str, make: Callable[[Path], dict[str, Any]]) -> Artifact:
        """The product `key`; if there is none, `make(folder)` fills an empty folder and returns notes.

        With `"lasting": False` among them it is not kept: only its notes are there, for this caller.

        Raises:
            OSError: The store cannot be written (disk full, read-only).
        """
        with self._lock_of(key):
            product = self.find(key)
            if product is not None:
                return product
            partial = self._folder / "partial" / uuid.uuid4().hex
            partial.mkdir(parents=True)
            try:
                noted = make(partial)
                record = {"note": noted, "files": _listing(partial)}
                (partial / _RECORD).write_text(json.dumps(record))
                folder = self._path(key)
                if noted.get("lasting", True):
                    place_folder(partial, folder)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
            return Artifact(
                key, folder, noted, made_now=True, digests=_digests(record["files"])
            )

    def collect(self, most_bytes: int) -> int:
        """Remove the products unused for longest until the rest fits `most_bytes`; returns the bytes freed.

        A product in use by another process may vanish under it; that process then makes it again.
        """
        products = []
        for record in self._folder.glob(f"??/*/{_RECORD}"):
            try:
                files = json.loads(record.read_text())["files"]
                size = sum(int(size) for size, _ in files.values())
                products.append((record.stat().st_mtime, size, record.parent))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return remove_oldest(products, most_bytes)

    def find(self, key: str) -> Artifact | None:
        """The product `key` if it is there and undamaged."""
        folder = self._path(key)
        try:
            record = json.loads((folder / _RECORD).read_text())
            if self._is_sound(key, folder, record["files"]):
                os.utime(folder / _RECORD)  # the time of last use, for collect()
                digests = _digests(record["files"])
                return Artifact(
                    key, folder, record["note"], made_now=False, digests=digests
                )
        except FileNotFoundError:
            if not folder.exists():
                return None
        except (ValueError, KeyError, TypeError):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        return None

    def _is_sound(self, key: str, folder: Path, files: dict[str, list[Any]]) -> bool:
        stamps = []
        root = f"{folder}{os.sep}"
        for name, (size, _) in files.items():
            status = os.stat(root + name)  # noqa: PTH116 - hundreds of files, several times an evaluation
            if status.st_size != size:
                return False
            stamps.append((name, status.st_size, status.st_mtime_ns))
        if self._verified.get(key) == tuple(stamps):
            return True
        if any(
            file_digest(folder / name) != digest for name, (_, digest) in files.items()
        ):
            return False
        self._verified[key] = tuple(stamps)
        return True

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key

    def _lock_of(self, key: str) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(key, threading.Lock())


def place_folder(partial: Path, folder: Path) -> None:
    """Move a finished folder to its place; when another process was first, its equal result stays.

    Raises:
        OSError: The place cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(partial, folder)  # noqa: PTH104 - the atomic step
    except OSError:
        if not folder.is_dir():
            raise


def remove_oldest(products: Iterable[tuple[float, int, Path]], most_bytes: int) -> int:
    """Remove folders (time of last use, bytes, place), the oldest first, until the rest fits; bytes freed."""
    by_age = sorted(products)
    total, freed = sum(size for _, size, _ in by_age), 0
    for _, size, folder in by_age:
        if total - freed <= most_bytes:
            break
        shutil.rmtree(folder, ignore_errors=True)
        freed += size
    return freed


def _listing(folder: Path) -> dict[str, list[Any]]:
    return {
        str(path.relative_to(folder)): [path.stat().st_size, file_digest(path)]
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _digests(files: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    return {name: str(digest) for name, (_, digest) in files.items()}


def file_digest(path: Path) -> str:
    """sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
