"""What the results page shows: metrics by origin, curves, runs beside each other, pipes of a round. No Qt."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from core.engine import queries
from core.engine.queries import RoundRow
from core.engine.results import operator_results
from core.errors import SageError
from core.evaluation.metrics import Metrics, OperatorResult, metrics
from core.evaluation.records import PipeProfile

CORRECT = ("pass", "pass-with-hazard")


@dataclass(frozen=True)
class Report:
    """Metrics over the finished operators of one origin, and what they are made of.

    `latency_origin` is measured, modelled or replayed, and empty where nothing was timed.
    """

    origin: str
    metrics: Metrics
    results: tuple[OperatorResult, ...]
    latency_origin: str = ""


@dataclass(frozen=True)
class Run:
    """What one label's trajectories with one model and one judge came to, the newest of each operator.

    Attributes:
        name: Label, model, judge and day for people.
        latency_origin: measured, modelled or replayed; empty where nothing was timed.
    """

    name: str
    results: tuple[OperatorResult, ...]
    latency_origin: str

    @property
    def metrics(self) -> Metrics:
        """The paper's metrics of this run."""
        return metrics(self.results)


@dataclass(frozen=True)
class Curve:
    """The rounds of one trajectory: where each was timed, and the best until then.

    Attributes:
        queue_id: Entry of the queue.
        name: Operator, and when the run began if there are several of it.
        points: (round, minutes since the start, latency in microseconds) of correct, timed rounds.
        latency_origin: Of all points.
    """

    trajectory: str
    name: str
    points: tuple[tuple[int, float, float], ...]
    latency_origin: str

    def best(self) -> tuple[tuple[int, float, float], ...]:
        """The points at which a new best was reached."""
        found: list[tuple[int, float, float]] = []
        for point in self.points:
            if not found or point[2] < found[-1][2]:
                found.append(point)
        return tuple(found)


@dataclass(frozen=True)
class ProfiledRound:
    """A round whose evaluation has pipe times."""

    name: str
    evaluation: str


@cache
def _level(name: str) -> int:
    from core.operators.catalogue import find_operator

    try:
        return find_operator("catalogue", name).level
    except SageError:  # an operator of the user's own, or one of an older catalogue: outside the levels
        return 0


def _levels(db: sqlite3.Connection) -> dict[str, int]:
    return {row[0]: _level(row[0]) for row in db.execute("SELECT DISTINCT operator FROM trajectory")}


def read_reports(db: sqlite3.Connection) -> tuple[Report, ...]:
    """Read the results of all finished operators; the origin with most operators comes first."""
    found = operator_results(db, _levels(db))
    origins = {
        f"{row[0]}, {row[1]}": str(row[2])
        for row in db.execute(
            "SELECT provider_origin, evaluator, max(latency_origin) FROM trajectory "
            "WHERE state = 'finished' GROUP BY 1, 2"
        )
    }
    reports = [
        Report(origin, metrics(results), results, origins.get(origin, ""))
        for origin, results in found.items()
    ]
    return tuple(sorted(reports, key=lambda report: -report.metrics.n))


_RUNS = """
SELECT coalesce(q.label, ''), t.provider, t.evaluator, t.operator, t.started_at, t.first_correct_round,
  t.t_first, t.t_best, t.latency_origin,
  EXISTS (SELECT 1 FROM round r WHERE r.trajectory_uid = t.uid
    AND r.verdict NOT IN ('', 'fail-build', 'fail-integrity', 'void'))
FROM trajectory t LEFT JOIN queue_entry q ON q.id = t.queue_id
WHERE t.state = 'finished' ORDER BY t.rowid
"""


def read_runs(db: sqlite3.Connection) -> tuple[Run, ...]:
    """Read the finished trajectories by label, model and judge; the latest begun run comes first."""
    levels = _levels(db)
    newest: dict[tuple[str, str, str], dict[str, tuple[object, ...]]] = {}
    for row in db.execute(_RUNS):
        newest.setdefault((row[0], row[1], row[2]), {})[row[3]] = tuple(row)
    found: list[tuple[str, Run]] = []
    for (label, provider, evaluator), rows in newest.items():
        began = min(str(row[4]) for row in rows.values())
        name = " · ".join(part for part in (label, provider, evaluator, began[:10]) if part)
        results = tuple(
            OperatorResult(
                operator=operator,
                level=levels[operator],
                compiled=bool(row[9]),
                correct=row[5] is not None,
                t_first=_number(row[6]),
                t_best=_number(row[7]),
                t_reference=None,
                origin=name,
            )
            for operator, row in sorted(rows.items())
        )
        origins = {str(row[8]) for row in rows.values() if row[8]}
        found.append((began, Run(name, results, origins.pop() if len(origins) == 1 else "")))
    return tuple(run for _began, run in sorted(found, key=lambda entry: entry[0], reverse=True))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def read_curves(db: sqlite3.Connection) -> tuple[Curve, ...]:
    """Read every trajectory that has a timed correct kernel, the one in work too, the latest first."""
    rows = db.execute(
        "SELECT uid, operator, started_at, latency_origin FROM trajectory WHERE state <> 'void' "
        "ORDER BY rowid DESC"
    ).fetchall()
    operators = [row[1] for row in rows]
    found = []
    for uid, operator, started, origin in rows:
        points = tuple(
            (row.round, _minutes(started, row.finished_at), row.latency_us)
            for row in queries.rounds(db, uid)
            if row.latency_us is not None and row.verdict in CORRECT
        )
        if points:
            several = operators.count(operator) > 1
            name = f"{operator} · {started[:16].replace('T', ' ')}" if several else operator
            found.append(Curve(uid, name, points, origin or ""))
    return tuple(found)


def _minutes(started: str, finished: str) -> float:
    """Minutes between two ISO times; 0 while the later one is not known."""
    if not started or not finished:
        return 0.0
    return (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds() / 60


def read_profiled(db: sqlite3.Connection, trajectory: str) -> tuple[ProfiledRound, ...]:
    """Rounds of a trajectory that were timed and may have pipe times, the latest first."""
    return tuple(
        ProfiledRound(_round_name(row), row.evaluation)
        for row in reversed(queries.rounds(db, trajectory))
        if row.evaluation and row.latency_us is not None
    )


def _round_name(row: RoundRow) -> str:
    return f"{row.round} · {row.latency_us:,.2f} µs"


def read_profile(db: sqlite3.Connection, evaluation: str) -> PipeProfile | None:
    """Pipe times of an evaluation, None when it has none."""
    found = queries.evaluation(db, evaluation)
    return found.profile if found is not None else None


def as_csv(report: Report) -> str:
    """The operators of a report as CSV, latencies in microseconds."""
    header = ["operator", "level", "compiled", "correct", "latency_first_us", "latency_best_us", "gain",
              "latency_torch_npu_us", "speedup", "latency_origin", "origin"]  # fmt: skip
    rows = [
        [r.operator, r.level, int(r.compiled), int(r.correct), _fixed(r.t_first, 3), _fixed(r.t_best, 3),
         _fixed(ratio(r.t_first, r.t_best), 4), _fixed(r.t_reference, 3),
         _fixed(ratio(r.t_reference, r.t_best), 4), report.latency_origin, report.origin]
        for r in report.results
    ]  # fmt: skip
    return table_text([header, *rows])


def curves_csv(curves: Sequence[Curve]) -> str:
    """The points of curves as CSV."""
    rows = [
        [curve.name, number, f"{minutes:.3f}", f"{latency:.3f}", curve.latency_origin]
        for curve in curves
        for number, minutes, latency in curve.points
    ]
    return table_text([["operator", "round", "minutes", "latency_us", "latency_origin"], *rows])


def table_text(rows: Sequence[Sequence[object]]) -> str:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def ratio(first: float | None, second: float | None) -> float | None:
    """First / second, None unless both are known."""
    return first / second if first and second else None


def _fixed(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
