"""The kernels we wrote for the catalogue; their folders share headers by links, which no candidate may."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate

KERNELS = Path(__file__).parent / "data" / "kernels"


@cache
def own_kernel(name: str) -> Candidate:
    """The kernel for operator `name`, its shared headers copied into it."""
    with tempfile.TemporaryDirectory() as folder:
        return read_candidate(Path(shutil.copytree(KERNELS / name, Path(folder) / name)))
