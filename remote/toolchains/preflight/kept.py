"""Reports of the lint on disk, by content: an unchanged candidate is never parsed twice."""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from pathlib import Path

import msgspec

from core.evaluation.records import Candidate
from remote.judge.job import Interface

from .report import LintReport

_MOST = 2000


class KeptReports:
    """A folder of reports.

    Args:
        folder: Where; may be deleted at any time.
        twin_dir: Folder of the twin, the state of whose headers is part of the key.
    """

    def __init__(self, folder: Path, twin_dir: Path) -> None:
        self._folder = folder
        self._version = _version(twin_dir)

    def key(self, operator: Interface, candidate: Candidate) -> str:
        """Name of the report on a candidate for an operator, as this version of the lint would write it."""
        interface = msgspec.json.encode(operator, order="deterministic")
        return hashlib.sha256(
            self._version + candidate.digest.encode() + interface
        ).hexdigest()

    def find(self, key: str) -> LintReport | None:
        """The report kept under `key`; None when there is none that can be read."""
        try:
            return msgspec.json.decode(
                (self._folder / f"{key}.json").read_bytes(), type=LintReport
            )
        except (OSError, msgspec.DecodeError):
            return None

    def keep(self, key: str, report: LintReport) -> None:
        """Write a report, whole or not at all; the oldest make room. A full disk costs speed only."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{key}.{os.getpid()}"
            path.write_bytes(msgspec.json.encode(report))
            path.replace(self._folder / f"{key}.json")
            kept = list(self._folder.iterdir())
            if len(kept) > _MOST:
                for old in sorted(kept, key=lambda path: path.stat().st_mtime)[
                    : _MOST // 2
                ]:
                    old.unlink(missing_ok=True)
        except OSError:
            return


def _version(twin_dir: Path) -> bytes:
    """Digest of everything but the candidate that a report depends on."""
    total = hashlib.sha256()
    try:
        total.update(metadata.version("libclang").encode())
    except metadata.PackageNotFoundError:
        total.update(b"none")
    for path in sorted(
        [
            *twin_dir.rglob("*.h"),
            *twin_dir.glob("*.toml"),
            *Path(__file__).parent.glob("*.*"),
        ]
    ):
        state = path.stat()
        total.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    return total.digest()
