"""What the results page shows: metrics by run, curves, runs beside each other, pipes of a round. No Qt."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from core.engine import queries
from core.engine.queries import RoundRow
from core.evaluation.records import PipeProfile
from sage_desktop.ui.translation import translated

if TYPE_CHECKING:
    from core.engine.results import RunResults

CORRECT = ("pass", "pass-with-hazard")


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


def run_name(run: RunResults) -> str:
    """What tells a run from others, and the day it began."""
    return " · ".join((*map(translated, run.kind.parts), run.began[:10]))


def why_not_compared(first: RunResults, second: RunResults) -> tuple[str, ...]:
    """Operators that keep two runs from being compared: interrupted ones have no result yet."""
    return tuple(dict.fromkeys((*first.incomplete, *second.incomplete)))


def read_curves(db: sqlite3.Connection) -> tuple[Curve, ...]:
    """Read every trajectory that has a timed correct kernel, the one in work too, the latest first."""
    runs = queries.trajectories(db)
    operators = [run.operator for run in runs]
    found = []
    for run in runs:
        points = tuple(
            (row.round, _minutes(run.started_at, row.finished_at), row.latency_us)
            for row in queries.rounds(db, run.uid)
            if row.latency_us is not None and row.verdict in CORRECT
        )
        if points:
            several = operators.count(run.operator) > 1
            began = run.started_at[:16].replace("T", " ")
            name = f"{run.operator} · {began}" if several else run.operator
            found.append(Curve(run.uid, name, points, run.latency_origin))
    return tuple(found)


def _minutes(started: str, finished: str) -> float:
    """Minutes between two ISO times; 0 while the later one is not known."""
    if not started or not finished:
        return 0.0
    return (
        datetime.fromisoformat(finished) - datetime.fromisoformat(started)
    ).total_seconds() / 60


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


def as_csv(run: RunResults) -> str:
    """The operators of a run as CSV, latencies in microseconds."""
    header = [
        "operator",
        "level",
        "compiled",
        "correct",
        "latency_first_us",
        "latency_best_us",
        "gain",
        "latency_torch_npu_us",
        "speedup",
        "latency_origin",
        "incomplete",
        "label",
        "method",
        "model",
        "model_origin",
        "judge",
        "run",
        "memory",
        "edited",
    ]
    kind = (run.latency_origin, *astuple(run.kind))
    rows = [
        [
            r.operator,
            r.level,
            int(r.compiled),
            int(r.correct),
            _fixed(r.t_first, 3),
            _fixed(r.t_best, 3),
            _fixed(ratio(r.t_first, r.t_best), 4),
            _fixed(r.t_reference, 3),
            _fixed(ratio(r.t_reference, r.t_best), 4),
            kind[0],
            int(r.incomplete),
            *kind[1:-1],
            int(run.kind.edited),
        ]
        for r in run.results
    ]
    return table_text([header, *rows])


def curves_csv(curves: Sequence[Curve]) -> str:
    """The points of curves as CSV."""
    rows = [
        [curve.name, number, f"{minutes:.3f}", f"{latency:.3f}", curve.latency_origin]
        for curve in curves
        for number, minutes, latency in curve.points
    ]
    return table_text(
        [["operator", "round", "minutes", "latency_us", "latency_origin"], *rows]
    )


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
