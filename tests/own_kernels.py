"""The kernels we wrote for the catalogue; their folders share headers by links, which no candidate may."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate

KERNELS = Path(__file__).parent / "data" / "kernels"
ABS_MATH = Path(__file__).parents[1] / "resources" / "operators" / "AbsMath"
FEW = ("short-tail", "feature-map", "hidden-prime-length")  # small, timed and hidden


@cache
def own_kernel(name: str) -> Candidate:
    """The kernel for operator `name`, its shared headers copied into it."""
    with tempfile.TemporaryDirectory() as folder:
        return read_candidate(
            Path(shutil.copytree(KERNELS / name, Path(folder) / name))
        )


def few_cases(folder: Path) -> str:
    """AbsMath of the catalogue with `FEW` of its cases, as a person names an operator folder of their own.

    For tests of what is around a judgement: one of all cases takes a second of a processor, this one a fifth.
    """
    own = Path(
        shutil.copytree(ABS_MATH, folder / "few" / "AbsMath", dirs_exist_ok=True)
    )
    head, *cases = (
        (own / "operator.toml").read_text(encoding="utf-8").split("[[case]]\n")
    )
    kept = [
        case
        for case in cases
        if case.startswith(tuple(f'name = "{name}"\n' for name in FEW))
    ]
    assert len(kept) == len(FEW)
    (own / "operator.toml").write_text(
        "[[case]]\n".join([head, *kept]), encoding="utf-8"
    )
    return str(own)
