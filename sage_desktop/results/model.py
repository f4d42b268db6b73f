"""The paper's metrics of a workspace, by origin, so that numbers of different kinds never mix. No Qt."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from functools import cache

from core.engine.results import operator_results
from core.errors import SageError
from core.evaluation.metrics import Metrics, OperatorResult, metrics


@dataclass(frozen=True)
class Report:
    """Metrics over the finished operators of one origin, and what they are made of."""

    origin: str
    metrics: Metrics
    results: tuple[OperatorResult, ...]


@cache
def _level(name: str) -> int:
    from core.operators.catalogue import find_operator

    try:
        return find_operator("catalogue", name).level
    except SageError:  # an operator of the user's own, or one of an older catalogue: outside the levels
        return 0


def read_reports(db: sqlite3.Connection) -> tuple[Report, ...]:
    """Read the results of all finished operators; the origin with most operators comes first."""
    names = [row[0] for row in db.execute("SELECT DISTINCT operator FROM trajectory")]
    found = operator_results(db, {name: _level(name) for name in names})
    reports = [Report(origin, metrics(results), results) for origin, results in found.items()]
    return tuple(sorted(reports, key=lambda report: -report.metrics.n))


def as_csv(report: Report) -> str:
    """The operators of a report as CSV, latencies in microseconds."""
    latencies = "latency_first_us,latency_best_us,gain,latency_torch_npu_us"
    lines = [f"operator,level,compiled,correct,{latencies},origin"]
    for result in report.results:
        gain = f"{result.t_first / result.t_best:.4f}" if result.t_first and result.t_best else ""
        times = (result.t_first, result.t_best, result.t_reference)
        first, best, reference = (f"{value:.3f}" if value is not None else "" for value in times)
        origin = report.origin.replace('"', '""')
        lines.append(
            f"{result.operator},{result.level},{int(result.compiled)},{int(result.correct)},"
            f'{first},{best},{gain},{reference},"{origin}"'
        )
    return "\n".join(lines) + "\n"
