"""The kernels of the stand-in: our own ones, and the same with a mistake or a poor split over the cores.

`tools.standin_kernels` makes the file. They are solutions of operators that memories are evaluated on: only the
stand-in reads them, never a prompt, a bank or the retrieval.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from core.evaluation.records import Candidate
from core.same_fields import record_of

GRADES = ("build", "wrong", "slow", "better", "best")
CORRECT = GRADES.index("slow")


@dataclass(frozen=True)
class GradedKernel:
    """One kernel of an operator.

    Attributes:
        operator: Name in the catalogue.
        grade: One of `GRADES`; those before `slow` are not correct.
        category: Of the operator.
        files: Path -> text.
        lesson: What leads to a better grade, in one line; empty for the best.
        summary: Why.
        wrong: The code that is in it.
        right: The code that belongs there.
    """

    operator: str
    grade: str
    category: str
    files: Mapping[str, str]
    lesson: str = ""
    summary: str = ""
    wrong: str = ""
    right: str = ""
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", Candidate(self.files).digest)


@cache
def graded_kernels() -> Mapping[str, tuple[GradedKernel, ...]]:
    """Operator -> its kernels, from those that do not build to the best one."""
    packed = resources.files("resources") / "standin" / "kernels.jsonl.gz"
    kernels: dict[str, list[GradedKernel]] = {}
    for line in gzip.decompress(packed.read_bytes()).decode().splitlines():
        kernel = record_of(GradedKernel, json.loads(line))
        kernels.setdefault(kernel.operator, []).append(kernel)
    return {
        operator: tuple(sorted(rows, key=lambda row: GRADES.index(row.grade)))
        for operator, rows in kernels.items()
    }


@cache
def lessons() -> Mapping[str, str]:
    """Lesson -> the grade it leads away from."""
    return {
        kernel.lesson: kernel.grade
        for rows in graded_kernels().values()
        for kernel in rows
        if kernel.lesson
    }
