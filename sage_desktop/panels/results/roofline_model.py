"""What the roofline page shows of a trajectory. No Qt."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.engine import inquiries, queries
from core.evaluation.records import Evaluation, PipeProfile
from core.evaluation.roofline import (
    Ceilings,
    RooflinePoint,
    only_moves,
    roofline_point,
    slowest_timed,
    tells_work,
)
from sage_desktop.panels.results.model import CORRECT
from sage_desktop.services.processor_table import modelled_processor


@dataclass(frozen=True)
class Roofline:
    """The correct rounds of a trajectory under the ceilings of the processor that timed them.

    Attributes:
        device: As the evaluations name it.
        ceilings: None where the processor is none SAGE knows numbers of.
        points: In the order of the rounds.
        silent: Rounds that were timed without saying what was moved and computed.
        best: Number of the best round, 0 where there is none.
        moving: Rounds that moved data and computed nothing: they have no place under a roofline.
        askable: (round, candidate, case) of the silent round whose profile tells most: the best of them, else
            the last; None where the case is not known.
    """

    device: str
    ceilings: Ceilings | None
    points: tuple[RooflinePoint, ...]
    silent: tuple[int, ...]
    best: int
    askable: tuple[int, str, str] | None = None
    moving: tuple[int, ...] = ()


def read_roofline(db: sqlite3.Connection, trajectory: str) -> Roofline:
    """Read the rounds of a trajectory.

    A round that a device timed takes operations and bytes from the twin, where that ran the same kernel on
    the same case: in another run, or because somebody asked for its profile.
    """
    row = db.execute(
        "SELECT best_round FROM trajectory WHERE uid = ?", (trajectory,)
    ).fetchone()
    best = int(row[0] or 0) if row is not None else 0
    points: list[RooflinePoint] = []
    silent: list[int] = []
    moving: list[int] = []
    askable: tuple[int, str, str] | None = None
    ceilings: Ceilings | None = None
    device = ""
    for entry in queries.rounds(db, trajectory):
        if (
            entry.latency_us is None
            or entry.verdict not in CORRECT
            or not entry.evaluation
        ):
            continue
        found = queries.evaluation(db, entry.evaluation)
        if found is None:
            continue
        if found.latency is not None and found.latency.device != device:
            device = found.latency.device
            ceilings = modelled_processor(device)
        counts = (
            None if tells_work(found.profile) else _counts(db, entry.candidate, found)
        )
        point = (
            roofline_point(entry.round, found, ceilings, counts)
            if ceilings is not None
            else None
        )
        if point is None and only_moves(found.profile):
            moving.append(entry.round)
        elif point is None:
            silent.append(entry.round)
            slowest = slowest_timed(found)
            if (
                slowest is not None
                and entry.candidate
                and (askable is None or askable[0] != best)
            ):
                askable = entry.round, entry.candidate, slowest.case
        else:
            points.append(point)
    return Roofline(
        device, ceilings, tuple(points), tuple(silent), best, askable, tuple(moving)
    )


_TWIN = """
SELECT DISTINCT evaluation FROM round
WHERE candidate = ? AND latency_origin = 'modelled' AND evaluation IS NOT NULL
"""


def _counts(
    db: sqlite3.Connection, candidate: str, timed: Evaluation
) -> PipeProfile | None:
    """What the twin counted for a kernel on the case whose time is told; None where it never ran that."""
    slowest = slowest_timed(timed)
    if slowest is None:
        return None
    for (digest,) in db.execute(_TWIN, (candidate,)).fetchall():
        found = queries.evaluation(db, digest)
        same = slowest_timed(found) if found is not None else None
        if (
            found is not None
            and same is not None
            and same.case == slowest.case
            and tells_work(found.profile)
        ):
            return found.profile
    for asked in inquiries.inquiries(db, candidate):
        if asked.case == slowest.case and asked.ok:
            profile = inquiries.answer(db, asked).profile
            if tells_work(profile):
                return profile
    return None


def roofline_rows(shown: Roofline | None) -> list[list[object]]:
    """The points as a table, one row a round."""
    header: list[object] = [
        "round",
        "case",
        "unit",
        "operations",
        "bytes",
        "time_us",
        "ops_per_byte",
        "ops_per_s",
        "share_of_roof",
        "bound",
        "time_is",
        "counts_are",
    ]
    if shown is None or shown.ceilings is None:
        return [header]
    return [header] + [
        [
            p.round,
            p.case,
            p.unit,
            p.operations,
            p.bytes,
            f"{p.time_us:.3f}",
            f"{p.intensity:.4g}",
            f"{p.performance:.4g}",
            f"{p.share(shown.ceilings):.4f}",
            p.bound(shown.ceilings),
            p.origin.value,
            p.counted.value,
        ]
        for p in shown.points
    ]
