"""The paper's metrics over one result per operator (Experiments, "Metrics").

CR and ER are fractions of all evaluated operators, Fast_1.0 and S_self are taken over the solved ones.
Numbers of different origin are never mixed in one aggregate.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidInput


@dataclass(frozen=True)
class OperatorResult:
    """Outcome of one operator within its budget of rounds.

    Attributes:
        operator: Name.
        level: Difficulty.
        compiled: Whether any candidate built.
        correct: Whether any candidate passed.
        t_first: Latency of the first correct kernel, None when it was not timed.
        t_best: Latency of the best correct kernel, same unit.
        t_reference: Latency of the `torch_npu` implementation on the same device, None when there is none.
        reference_of: What that timed: a call, or `reference.py` and why.
        origin: Provider and latency origin, e.g. `scripted, modelled`; equal within one aggregate.
        incomplete: Whether a limit or a fault interrupted it and it may continue: no verdict on the method yet.
        trajectory: Uid, for looking it up.
    """

    operator: str
    level: int
    compiled: bool
    correct: bool
    t_first: float | None
    t_best: float | None
    t_reference: float | None
    origin: str
    incomplete: bool = False
    trajectory: str = ""
    reference_of: str = ""

    @property
    def self_speedup(self) -> float | None:
        """T_first / T_best, None where one of them is missing."""
        return self.t_first / self.t_best if self.t_first and self.t_best else None

    @property
    def reference_speedup(self) -> float | None:
        """T_ref / T_best, None where one of them is missing."""
        return (
            self.t_reference / self.t_best if self.t_reference and self.t_best else None
        )


@dataclass(frozen=True)
class Metrics:
    """Aggregates over `n` operators; None is shown as n/a.

    Attributes:
        n: Operators, incomplete ones too.
        solved: Operators with a correct kernel.
        with_reference: Solved operators with a reference latency; `fast` is over these.
        incomplete: Operators that were interrupted. They stay in CR and ER with what they have so far; their
            latencies are not final and stay out of the others. Runs that hold one are not compared.
        compilation_rate: CR in [0, 1].
        execution_rate: ER in [0, 1].
        execution_rate_by_level: ER of each level present.
        fast: Fast_1.0 in [0, 1] over the solved operators with a reference latency, None when none has one.
        self_speedup: S_self, median of T_first / T_best over solved operators that were timed.
        self_speedup_range: Smallest and largest of these.
        reference_speedup: Median of T_ref / T_best, None where `fast` is.
        reference_speedup_range: Smallest and largest of these.
        origin: Where the numbers come from.
    """

    n: int
    solved: int
    incomplete: int
    compilation_rate: float | None
    execution_rate: float | None
    execution_rate_by_level: dict[int, float]
    fast: float | None
    self_speedup: float | None
    reference_speedup: float | None
    origin: str
    with_reference: int = 0
    self_speedup_range: tuple[float, float] | None = None
    reference_speedup_range: tuple[float, float] | None = None


def metrics(results: Sequence[OperatorResult]) -> Metrics:
    """Compute CR, ER, Fast_1.0 and S_self.

    Raises:
        InvalidInput: An operator appears twice, or results of different origin are mixed.
    """
    _require_comparable(results)
    solved = [result for result in results if result.correct]
    final = [result for result in solved if not result.incomplete]
    against = [
        ratio for result in final if (ratio := result.reference_speedup) is not None
    ]
    gains = [ratio for result in final if (ratio := result.self_speedup) is not None]
    levels = sorted({result.level for result in results})
    return Metrics(
        n=len(results),
        solved=len(solved),
        incomplete=sum(result.incomplete for result in results),
        compilation_rate=_share([result.compiled for result in results]),
        execution_rate=_share([result.correct for result in results]),
        execution_rate_by_level={
            level: _share(
                [result.correct for result in results if result.level == level]
            )
            or 0.0
            for level in levels
        },
        fast=_share([ratio > 1.0 for ratio in against]),
        self_speedup=statistics.median(gains) if gains else None,
        reference_speedup=statistics.median(against) if against else None,
        origin=results[0].origin if results else "",
        with_reference=len(against),
        self_speedup_range=(min(gains), max(gains)) if gains else None,
        reference_speedup_range=(min(against), max(against)) if against else None,
    )


def _share(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None


def _require_comparable(results: Sequence[OperatorResult]) -> None:
    """Refuse results of several origins, and an operator that would count twice."""
    origins = sorted({result.origin for result in results})
    if len(origins) > 1:
        raise InvalidInput(
            "metrics",
            "origin",
            "results of {origins} cannot be aggregated",
            origins=" and ".join(origins),
        )
    names = [result.operator for result in results]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(
            "metrics",
            "operator",
            "{twice} counted more than once",
            twice=", ".join(twice),
        )
