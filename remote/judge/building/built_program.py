"""What was built is what is run: digests of the files a build left, checked around every run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remote.judge.faults import EnvironmentFault
from remote.judge.machine.artifacts import digest_of, file_digest

PROGRAM_CHANGED = "program-changed"  # rule of the finding
CHANGED = "what was built was changed while it was run"
_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class Programs:
    """What a candidate was built into for one dtype signature: op_host, the kernel, and what that runs on.

    No code of the candidate is in `simulator`.
    """

    tiling: Path
    kernel: Path
    simulator: Path

    @property
    def all(self) -> tuple[Path, ...]:
        """The programs, each once."""
        return self.tiling, self.kernel, self.simulator

    def exist(self) -> bool:
        """Whether all are still there."""
        return all(path.exists() for path in self.all)


def built_digest(sources: Mapping[str, str], built: Mapping[str, str]) -> str:
    """sha256 over the candidate's sources (path -> text) and what was built from them (name -> sha256)."""
    texts = [part for path in sorted(sources) for part in (path, sources[path])]
    products = [part for name in sorted(built) for part in (name, built[name])]
    return digest_of("sources", *texts, "built", *products)


class BuiltFiles:
    """Files that a candidate's own processes could reach while they run.

    Each is read whole once, before the first run; afterwards its inode, size and times tell whether that has
    to be done again. The time of the last status change cannot be set by a program.

    Args:
        digests: File -> sha256 it had when it was built.

    Raises:
        EnvironmentFault: A file is not what was built, before any code of the candidate ran.
    """

    def __init__(self, digests: Mapping[Path, str]) -> None:
        self._digests = digests
        self._stamps: dict[Path, _Stamp] = {}
        for path in digests:
            if not self.is_unchanged(path):
                raise EnvironmentFault(
                    f"{path} is not what was built: something changed it. Delete the cache folder."
                )

    def all_unchanged(self) -> bool:
        """Whether every file is still what was built."""
        return all(self.is_unchanged(path) for path in self._digests)

    def is_unchanged(self, path: Path) -> bool:
        """Whether a file is still what was built; one that vanished is not changed but gone, see the run."""
        try:
            stamp = _stamp(path)
            if self._stamps.get(path) == stamp:
                return True
            same = file_digest(path) == self._digests[path]
        except FileNotFoundError:
            return True
        if same:
            self._stamps[path] = stamp
        return same


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
