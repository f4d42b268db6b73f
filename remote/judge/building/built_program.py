"""What a candidate was built into, and the digest of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remote.judge.machine.artifacts import digest_of


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
