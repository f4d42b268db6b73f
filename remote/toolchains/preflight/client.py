"""The lint as the application calls it: a child process with a time limit, answers kept by content."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from core.evaluation.records import Candidate

from .kept import KeptReports
from .lint import LintReport

_TIME_LIMIT_S = 60.0
_ROOT = Path(__file__).resolve().parents[3]


class Preflight:
    """Lints candidates.

    Args:
        include: Headers of the CPU twin.
        cache_dir: Where precompiled headers and reports are kept; may be deleted at any time.
        python: Interpreter of the child process.
        time_limit_s: Wall seconds a lint may take; most of it is for the first one, which compiles headers.
    """

    def __init__(
        self,
        include: Path,
        cache_dir: Path,
        python: str = sys.executable,
        time_limit_s: float = _TIME_LIMIT_S,
    ) -> None:
        self._include = include
        self._cache = cache_dir
        self._python = python
        self._time_limit_s = time_limit_s
        self._kept = KeptReports(cache_dir / "reports", include)

    async def lint(self, operator: Mapping[str, Any], candidate: Candidate) -> LintReport:
        """The report on `candidate`; when the lint cannot run, one that says so.

        Args:
            operator: As `describe_operator` gives it.
            candidate: What was written.
        """
        asked = {key: operator[key] for key in ("name", "snake", "inputs", "outputs")}
        key = self._kept.key(asked, candidate)
        known = self._kept.find(key)
        if known is not None:
            return known
        request = {
            "operator": asked, "files": dict(candidate.files), "include": str(self._include),
            "cache_dir": str(self._cache),
        }  # fmt: skip
        report = await self._ask(msgspec.json.encode(request))
        if not report.note:
            self._kept.keep(key, report)
        return report

    async def _ask(self, request: bytes) -> LintReport:
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
        try:
            child = await asyncio.create_subprocess_exec(
                self._python, "-m", "remote.toolchains.preflight", stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )  # fmt: skip
        except OSError as error:
            return _not_run(f"{self._python} cannot be started ({error.strerror})")
        try:
            async with asyncio.timeout(self._time_limit_s):
                answer, said = await child.communicate(request)
        except TimeoutError:
            return _not_run(f"it took longer than {self._time_limit_s:.0f} s")
        finally:
            if child.returncode is None:
                with suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        try:
            return msgspec.json.decode(answer, type=LintReport)
        except (msgspec.DecodeError, msgspec.ValidationError):
            last = said.decode(errors="replace").strip().splitlines()[-1:] or [
                f"exit code {child.returncode}"
            ]
            return _not_run(f"its process failed ({last[0][:200]})")


def _not_run(why: str) -> LintReport:
    return LintReport(note=f"The language lint did not run: {why}.")
