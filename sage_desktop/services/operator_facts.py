"""Where an operator belongs: benchmark, level and category, by which lists are narrowed. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import InvalidInput

if TYPE_CHECKING:
    from core.operators.spec import OperatorSpec

OWN = "own"
FACETS = ("benchmark", "level", "category")
Key = tuple[str, str]  # source and name, as a queue row keeps them


@dataclass(frozen=True)
class Facts:
    """Values are words to show; the level is empty outside levelled benchmarks."""

    benchmark: str
    level: str
    category: str

    def facet(self, name: str) -> str:
        """Value of the facet `name` of `FACETS`."""
        return str(getattr(self, name))


NOTHING = Facts("", "", "")


def benchmark_of(source: str, spec: OperatorSpec) -> str:
    """Name of the benchmark an operator came with, `own` for those a person described."""
    from core.operators.catalogue import CATALOGUE

    if source == CATALOGUE and spec.benchmark == CATALOGUE:
        return "NPUKernelBench"
    if source != CATALOGUE and Path(source).parent.name == OWN:
        return OWN
    return spec.benchmark


@cache
def _facts_of(source: str, name: str) -> Facts:
    from core.operators.catalogue import find_operator

    try:
        spec = find_operator(source, name)
    except InvalidInput:
        # Its folder is gone, but the queue still lists it.
        return NOTHING
    return Facts(
        benchmark_of(source, spec), str(spec.level) if spec.level else "", spec.category
    )


def facts_of(keys: Iterable[Key]) -> dict[Key, Facts]:
    """Facts of some operators. Reads their files: not for the window's thread."""
    return {key: _facts_of(*key) for key in keys}
