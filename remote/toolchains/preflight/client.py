"""The lint as the application calls it: a child process with a time limit, answers kept by content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import msgspec

from core.evaluation.records import Candidate
from remote.judge.job import Interface

from .process import ChildFailed, ChildTooSlow, LintChild, LintRequest
from .report import LintReport

_TIME_LIMIT_S = 60.0
_MOST_REPORTS = 2000


class Preflight:
    """Lints candidates.

    Args:
        twin_dir: Folder of the CPU twin.
        cache_dir: Where precompiled headers and reports are kept; may be deleted at any time.
        python: Interpreter of the child process.
        time_limit_s: Wall seconds a lint may take; most of it is for the first one, which compiles headers.
    """

    def __init__(
        self,
        twin_dir: Path,
        cache_dir: Path,
        python: str = sys.executable,
        time_limit_s: float = _TIME_LIMIT_S,
    ) -> None:
        self._twin_dir = twin_dir
        self._cache = cache_dir
        self._child = LintChild(python, time_limit_s)
        self._kept = KeptReports(cache_dir / "reports", twin_dir)

    async def lint(self, operator: Interface, candidate: Candidate) -> LintReport:
        """The report on `candidate`; when the lint cannot run, one that says so.

        Args:
            operator: What it takes and gives; more of it is not needed.
            candidate: What was written.
        """
        interface = Interface(
            operator.name, operator.snake, operator.inputs, operator.outputs
        )
        key = self._kept.key(interface, candidate)
        report_kept = self._kept.find(key)
        if report_kept is not None:
            return report_kept
        report = await self._ask(self._request(interface, candidate.files))
        if not report.note:
            self._kept.keep(key, report)
        return report

    @property
    def is_running(self) -> bool:
        """Whether there is a child process, ready for the next lint."""
        return self._child.is_running

    def close(self) -> None:
        """End the child process; a later lint starts another."""
        self._child.close()

    def _request(self, operator: Interface, files: Mapping[str, str]) -> LintRequest:
        folders = {"twin_dir": str(self._twin_dir), "cache_dir": str(self._cache)}
        return LintRequest(
            msgspec.json.encode({"operator": operator, "files": dict(files), **folders})
        )

    async def _ask(self, question: LintRequest) -> LintReport:
        try:
            answer = await asyncio.to_thread(self._child.ask, question)
        except asyncio.CancelledError:
            self._child.withdraw(question)
            raise
        except ChildFailed as fault:
            blame = not question.withdrawn and await asyncio.to_thread(self.warm_up)
            return LintReport(
                note=f"The language lint did not run: {fault}.",
                unreadable=blame,
                starved=not blame and isinstance(fault, ChildTooSlow),
            )
        return msgspec.json.decode(answer, type=LintReport)

    def warm_up(self) -> bool:
        """Start the process, which compiles its headers once; False where it cannot answer even nothing."""
        try:
            answer = self._child.ask(self._request(Interface("", "", (), ()), {}))
        except ChildFailed:
            return False
        return not msgspec.json.decode(answer, type=LintReport).note


class KeptReports:
    """Reports on disk, by content: an unchanged candidate is never parsed twice.

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
            reports = list(self._folder.iterdir())
            if len(reports) > _MOST_REPORTS:
                for old in sorted(reports, key=lambda path: path.stat().st_mtime)[
                    : _MOST_REPORTS // 2
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
