"""What the results page reads of a workspace. No Qt."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from core.analysis import inquiries, queries
from core.evaluation.bottleneck import bottleneck
from core.evaluation.roofline import (
    Ceilings,
    RooflinePoint,
    only_moves,
    roofline_point,
    slowest_timed,
    tells_work,
)
from core.workspace.pauses import paused_before
from core.workspace.rows import LISTED, listed
from sage_desktop.services.processors import modelled_processor
from sage_desktop.ui.translation import translated

if TYPE_CHECKING:
    from core.analysis.effort import Effort
    from core.analysis.queries import RoundRow
    from core.analysis.results import RunResults
    from core.evaluation.metrics import OperatorResult
    from core.evaluation.records import Evaluation, LineTimes, PipeProfile

CORRECT = ("pass", "pass-with-hazard")


def run_name(run: RunResults) -> str:
    """What tells a run from others, and the day it began."""
    return " · ".join((*map(translated, run.kind.parts), run.began[:10]))


# ---- the table of operators


@dataclass(frozen=True)
class OperatorRow:
    """One operator of a run.

    Attributes:
        result: What came of it.
        effort: What that took.
        latency_origin: measured, modelled or replayed.
        edited: Whether a person edited the kernel.
        counted: Whether the metrics count it.
        costly: What holds its best kernel up; None where it is unknown, and until it is
            read.
    """

    result: OperatorResult
    effort: Effort
    latency_origin: str
    edited: bool
    counted: bool
    costly: CostlyLine | None = None


def operator_rows(
    run: RunResults, efforts: dict[str, Effort]
) -> tuple[OperatorRow, ...]:
    """The operators of a run, those too that are in no metric.

    Args:
        run: Which run.
        efforts: By uid of the trajectory.
    """
    from core.analysis.effort import Effort

    return tuple(
        OperatorRow(
            result,
            efforts.get(result.trajectory, Effort()),
            run.latency_origin,
            run.kind.edited,
            counted=result in run.results,
        )
        for result in (*run.results, *run.left_out)
    )


# ---- the line that holds an operator up


@dataclass(frozen=True)
class CostlyLine:
    """The most expensive line of the best kernel of an operator.

    Attributes:
        trajectory: Of the operator.
        round: Of the kernel.
        pipe: A field of `PipeTimes`.
        file: As the kernel knows it.
        line: From 1 on.
        share: Of the time of the core that ends last, in [0, 1].
    """

    trajectory: str
    round: int
    pipe: str
    file: str
    line: int
    share: float


_MOST_KEPT = 2000
# Evaluations never change: digest -> its line with the share, None where it says none.
_costly_before: dict[str, tuple[LineTimes, float] | None] = {}


def _costly_line(db: sqlite3.Connection, digest: str) -> tuple[LineTimes, float] | None:
    """The most expensive line of the critical core of an evaluation, and its share."""
    if digest in _costly_before:
        return _costly_before[digest]
    judged = queries.evaluation(db, digest)
    costly = None
    if judged is not None and judged.profile is not None:
        core = bottleneck(judged.profile).critical
        if core is not None and core.costly_lines:
            line = core.costly_lines[0]
            costly = (line, line.cycles / (core.total_cycles or 1.0))
    if len(_costly_before) >= _MOST_KEPT:
        _costly_before.clear()
    _costly_before[digest] = costly
    return costly


def read_costly_lines(
    db: sqlite3.Connection, trajectories: Sequence[str]
) -> dict[str, CostlyLine]:
    """The most expensive line of the best kernel of each trajectory that knows it, by uid."""
    best = db.execute(
        "SELECT t.uid, r.round, r.evaluation FROM trajectory t JOIN round r "
        "ON r.trajectory_uid = t.uid AND r.round = t.best_round "
        f"WHERE r.evaluation IS NOT NULL AND t.uid IN {LISTED}",
        (listed(trajectories),),
    ).fetchall()
    lines = {}
    for uid, number, digest in best:
        costly = _costly_line(db, digest)
        if costly is not None:
            line, share = costly
            lines[uid] = CostlyLine(uid, number, line.pipe, line.file, line.line, share)
    return lines


# ---- best so far


class TimedPoint(NamedTuple):
    """A correct round of a trajectory that was timed.

    Attributes:
        round: Its number.
        minutes: Of work on the trajectory until the round ended.
        latency_us: Of its kernel, in microseconds.
    """

    round: int
    minutes: float
    latency_us: float


@dataclass(frozen=True)
class Curve:
    """The rounds of one trajectory: where each was timed, and the best until then.

    Attributes:
        trajectory: Its uid.
        name: Operator, and when the run began if there are several of it.
        points: In the order of the rounds; at least one.
        latency_origin: Of all points.
    """

    trajectory: str
    name: str
    points: tuple[TimedPoint, ...]
    latency_origin: str

    def best(self) -> tuple[TimedPoint, ...]:
        """The points at which a new best was reached."""
        records: list[TimedPoint] = []
        for point in self.points:
            if not records or point.latency_us < records[-1].latency_us:
                records.append(point)
        return tuple(records)


def read_curves(db: sqlite3.Connection) -> tuple[Curve, ...]:
    """Every trajectory with a timed correct kernel, open ones too, the latest first."""
    trajectories = queries.trajectories(db)
    operators = [trajectory.operator for trajectory in trajectories]
    curves = []
    for trajectory in trajectories:
        timed = [
            row
            for row in queries.rounds(db, trajectory.uid)
            if row.latency_us is not None and row.verdict in CORRECT
        ]
        if not timed:
            continue
        # Measured and modelled latencies are not one curve.
        origin = trajectory.latency_origin or timed[-1].latency_origin
        points = []
        for row in timed:
            if row.latency_origin == origin and row.latency_us is not None:
                minutes = _minutes_worked(db, trajectory, row.finished_at)
                points.append(TimedPoint(row.round, minutes, row.latency_us))
        name = trajectory.operator
        if operators.count(name) > 1:
            began = trajectory.started_at[:16].replace("T", " ")
            name = f"{name} · {began}"
        curves.append(Curve(trajectory.uid, name, tuple(points), origin))
    return tuple(curves)


def _minutes_worked(
    db: sqlite3.Connection, trajectory: queries.TrajectoryRow, until: str
) -> float:
    """Minutes of work on a trajectory until an ISO time; 0 where that is missing."""
    if not trajectory.started_at or not until:
        return 0.0
    began = datetime.fromisoformat(trajectory.started_at)
    duration = datetime.fromisoformat(until) - began
    paused_s = paused_before(db, trajectory.uid, until)
    return max(0.0, duration.total_seconds() - paused_s) / 60


# ---- the bottleneck of each round


@dataclass(frozen=True)
class TimedRound:
    """A correct round that was timed.

    Attributes:
        number: Of the round.
        latency_us: Of its kernel.
        profile: Times of the pipes; None where the judge gave none.
        point: Its place under the roofline; None where that cannot be said.
        moves_only: It moves data and computes nothing, so it has no place there.
    """

    number: int
    latency_us: float
    profile: PipeProfile | None
    point: RooflinePoint | None
    moves_only: bool = False


@dataclass(frozen=True)
class ProfileQuestion:
    """The diagnostic `profile` that would place a round under the roofline.

    Attributes:
        round: Its number.
        candidate: Digest of its kernel.
        case: The slowest timed one.
    """

    round: int
    candidate: str
    case: str


@dataclass(frozen=True)
class Bottleneck:
    """What holds the correct rounds of one trajectory up.

    Attributes:
        device: As the evaluations name it.
        ceilings: None where SAGE has no numbers of the processor.
        rounds: The correct, timed ones.
        best: Number of the best round, 0 where there is none.
        question: Of the silent round whose profile would say most, the best of them or
            else the last; None where there is nothing to ask.
    """

    device: str
    ceilings: Ceilings | None
    rounds: tuple[TimedRound, ...]
    best: int
    question: ProfileQuestion | None = None

    @property
    def points(self) -> tuple[RooflinePoint, ...]:
        """Places under the roofline, in the order of the rounds."""
        return tuple(row.point for row in self.rounds if row.point is not None)

    @property
    def silent(self) -> tuple[int, ...]:
        """Rounds that do not say what they moved and computed."""
        return tuple(
            row.number
            for row in self.rounds
            if row.point is None and not row.moves_only
        )

    @property
    def moving(self) -> tuple[int, ...]:
        """Rounds that move data and compute nothing."""
        return tuple(row.number for row in self.rounds if row.moves_only)


def read_bottleneck(db: sqlite3.Connection, trajectory: str) -> Bottleneck:
    """Read the rounds of a trajectory.

    A round that a device timed takes operations and bytes from the twin, where that ran
    the same kernel on the same case: in another run, or because its profile was asked for.
    """
    row = db.execute(
        "SELECT best_round FROM trajectory WHERE uid = ?", (trajectory,)
    ).fetchone()
    best = int(row[0] or 0) if row is not None else 0
    rounds: list[TimedRound] = []
    question: ProfileQuestion | None = None
    ceilings: Ceilings | None = None
    device = ""
    for entry in queries.rounds(db, trajectory):
        if entry.latency_us is None or entry.verdict not in CORRECT:
            continue
        if not entry.evaluation:
            continue
        judged = queries.evaluation(db, entry.evaluation)
        if judged is None:
            continue
        if judged.latency is not None and judged.latency.device != device:
            device = judged.latency.device
            ceilings = modelled_processor(device)
        profile = judged.profile
        point = _point(db, entry, judged, ceilings)
        moves_only = point is None and only_moves(profile)
        rounds.append(
            TimedRound(entry.round, entry.latency_us, profile, point, moves_only)
        )
        if point is None and not moves_only:
            # The best silent round is asked about, or else the last one.
            slowest = slowest_timed(judged)
            overtakes = question is None or question.round != best
            if slowest is not None and entry.candidate and overtakes:
                question = ProfileQuestion(entry.round, entry.candidate, slowest.case)
    return Bottleneck(device, ceilings, tuple(rounds), best, question)


def _point(
    db: sqlite3.Connection,
    entry: RoundRow,
    judged: Evaluation,
    ceilings: Ceilings | None,
) -> RooflinePoint | None:
    if ceilings is None:
        return None
    counts = None
    # A device gives times only; operations and bytes then come from the twin.
    if not tells_work(judged.profile) and entry.candidate:
        counts = _twin_counts(db, entry.candidate, judged)
    return roofline_point(entry.round, judged, ceilings, counts)


_TWIN = """
SELECT DISTINCT evaluation FROM round
WHERE candidate = ? AND latency_origin LIKE 'modelled%' AND evaluation IS NOT NULL
"""


def _twin_counts(
    db: sqlite3.Connection, candidate: str, timed: Evaluation
) -> PipeProfile | None:
    """What the twin counted on the slowest case of `timed`; None where it never ran it."""
    slowest = slowest_timed(timed)
    if slowest is None:
        return None
    digests = db.execute(_TWIN, (candidate,)).fetchall()
    for (digest,) in digests:
        modelled = queries.evaluation(db, digest)
        if modelled is None:
            continue
        same = slowest_timed(modelled)
        is_same_case = same is not None and same.case == slowest.case
        if is_same_case and tells_work(modelled.profile):
            return modelled.profile
    for inquiry in inquiries.inquiries(db, candidate):
        if inquiry.case == slowest.case and inquiry.ok:
            profile = inquiries.answer(db, inquiry).profile
            if tells_work(profile):
                return profile
    return None


# ---- how busy the pipes were

PIPES = (
    ("MTE2", "mte2"),
    ("V", "vector"),
    ("MTE3", "mte3"),
    ("CUBE", "cube"),
    ("SCALAR", "scalar"),
    ("MTE1", "mte1"),
    ("FIXPIPE", "fixpipe"),
)
"""Name and attribute of each pipe, in the order of the paper's tools."""

_ALWAYS = 5  # pipes that are shown busy or not; the others only where they were used


@dataclass(frozen=True)
class PipeShare:
    """How busy one pipe was, in shares of the time of the slowest core.

    Attributes:
        pipe: Its name.
        mean: Over all cores, in [0, 1].
        most: Of the busiest core, in [0, 1].
    """

    pipe: str
    mean: float
    most: float


def pipe_shares(profile: PipeProfile) -> tuple[PipeShare, ...]:
    """How busy each pipe was."""
    longest = max((core.total_cycles for core in profile.cores), default=0.0)
    if not longest:
        return ()
    shares = []
    for number, (name, attribute) in enumerate(PIPES):
        cycles = [float(getattr(core, attribute)) for core in profile.cores]
        mean = sum(cycles) / len(cycles)
        most = max(cycles)
        if number < _ALWAYS or most > 0:
            shares.append(PipeShare(name, mean / longest, most / longest))
    return tuple(shares)
