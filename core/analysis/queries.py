"""What a reader may ask about the work: queue, rounds, candidates, adoption records.

Plain functions over a read-only SQLite connection, answering frozen rows, so that a window, a report or
another process can look without owning the workspace. Questions about items and hot memory live in
`core.memory.views.queries`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.evaluation.records import (
    RECORDED_ORIGIN,
    Evaluation,
    LatencyOrigin,
    VerdictClass,
    is_proven_gain,
    model_margin,
)
from core.workspace.pauses import LAST_STEP, LIES_STILL_SINCE, PAUSED_S
from core.workspace.rows import LISTED, listed, named, rows_as

_OPEN_STATES = ("running", "queued")
# Evaluations whose host and device are kept in mind.
_MOST_JUDGED = 2000


@dataclass(frozen=True)
class RoundPoint:
    """Outcome of one round as the queue shows it.

    `latency_us` is None unless the kernel was timed as the trajectory's T_first was.
    """

    round: int
    verdict: str
    latency_us: float | None


@dataclass(frozen=True)
class QueueRow:
    """One entry of the queue with the trajectory that works on it.

    Attributes:
        id: Primary key of the entry.
        operator: Operator name.
        state: queued, running, done, failed or cancelled.
        reason: Why it stopped last, for a reader; empty before. A retried entry keeps it while it waits.
        objective: corr or opt of the episode worked on last, empty before the first.
        step: Step of the round in work (`started` … `evaluated`), empty before the first.
        rounds: Rounds used, counting evaluated ones only.
        budget: T, the rounds corr and opt share.
        t_first: Latency of the first correct kernel in microseconds.
        t_best: Latency of the fastest correct kernel in microseconds.
        latency_origin: measured, modelled or replayed.
        points: One per evaluated round, in order.
        evaluator: Label of who judged, empty before the first round.
        provider: Label of who wrote the kernels.
        provider_origin: live, recorded, scripted or manual.
        started_at: ISO time, empty before the first round.
        finished_at: ISO time, empty while open.
        last_step_at: ISO time when it stopped, else of the last round or reply stored; empty before the first.
        paused_s: Seconds between `started_at` and now in which it was not worked on, the present pause left out.
        host: Machine that judged the best round, else the latest one; empty before.
        device: Processor or model of it there.
        interrupted: It waits with an open trajectory, which continues where it was.
        t_reference: Latency of the operator's `torch_npu` implementation in microseconds, measured beside the
            best kernel; None where there is none.
        sandbox: What held the kernel of that round back; empty before.
        forked_from: The trajectory it begins with, where a person edited the next version; else empty.
    """

    id: int
    operator: str
    source: str
    label: str
    state: str
    reason: str
    cancel_requested: bool
    position: float
    trajectory_uid: str
    objective: str
    step: str
    rounds: int
    budget: int
    t_first: float | None
    t_best: float | None
    latency_origin: str
    first_correct_round: int | None
    best_round: int | None
    points: tuple[RoundPoint, ...]
    evaluator: str
    provider: str
    provider_origin: str
    started_at: str
    finished_at: str
    host: str = ""
    device: str = ""
    t_reference: float | None = None
    interrupted: bool = False
    sandbox: str = ""
    forked_from: str = ""
    last_step_at: str = ""
    paused_s: float = 0.0

    @property
    def speedup(self) -> float | None:
        """T_first / T_best, None until a correct kernel was timed."""
        if not self.t_first or not self.t_best:
            return None
        return self.t_first / self.t_best

    @property
    def reference_speedup(self) -> float | None:
        """T_ref / T_best, None where either is not known."""
        if not self.t_reference or not self.t_best:
            return None
        return self.t_reference / self.t_best


@dataclass(frozen=True)
class QueueCounts:
    """How many entries ended with a correct kernel, without one, by a person; and how many there are."""

    done: int
    failed: int
    cancelled: int
    total: int

    @property
    def unfinished(self) -> int:
        """How many wait or run."""
        return self.total - self.done - self.failed - self.cancelled


@dataclass(frozen=True)
class RoundRow:
    """One round of a trajectory; `evaluation` addresses the whole record, see `evaluation`.

    `diagnostics` counts those the model asked for in it; `residents_stated` is 0 when the reply does not say
    which resident rules it used, None when it was not asked. `recorded_us` of a replay is compared with
    `latency_us` only where `recorded_origin` is the `latency_origin`.
    """

    round: int
    objective: str
    step: str
    verdict: str
    cause: str
    diagnosis: str
    query: str
    candidate: str
    latency_us: float | None
    latency_origin: str
    evaluation: str
    started_at: str
    finished_at: str
    retrieval_pinned: bool
    diagnostics: int = 0
    residents_stated: int | None = None
    recorded_verdict: str = ""
    recorded_us: float | None = None
    recorded_origin: str = ""
    retrieved_here: tuple[str, ...] | None = None
    author: str = "model"  # or `person`: edited by hand
    latency_low: float | None = None  # range the time model leaves, as in `Latency`
    latency_high: float | None = None
    adopted: int = 0  # experiences the reply says it used


def unproven_gains(rounds: Sequence[RoundRow]) -> frozenset[int]:
    """Rounds that are the best so far by a gain the time model does not prove."""
    best: dict[str, float] = {}  # stored origin -> smallest latency so far
    unproven = set()
    for row in rounds:
        if row.verdict != VerdictClass.PASS or row.latency_us is None:
            continue
        before = best.get(row.latency_origin)
        if before is None or row.latency_us < before:
            margin = model_margin(row.latency_low, row.latency_high)
            if before is not None and not is_proven_gain(
                before, row.latency_us, margin
            ):
                unproven.add(row.round)
            best[row.latency_origin] = row.latency_us
    return frozenset(unproven)


@dataclass(frozen=True)
class RoundAdoption:
    """What the generator did with one retrieved experience in one round.

    Scores are None when the retrieval came from a recording.
    """

    uid: str
    title: str
    type: str
    category: str
    rank: int
    coverage: float | None
    cosine: float | None
    s_rel: float | None
    utility: float
    score: float | None
    state: str
    rationale: str


@dataclass(frozen=True)
class TrajectoryRow:
    """What tells a trajectory from others. `best_round` is None while no kernel of it is correct."""

    uid: str
    operator: str
    provider: str
    started_at: str
    latency_origin: str
    best_round: int | None


@dataclass(frozen=True)
class ResidentUse:
    """A resident rule the generator says it followed in a round."""

    uid: str
    title: str
    rationale: str


def queue_ids(
    connection: sqlite3.Connection, *, hide_finished: bool = False
) -> tuple[int, ...]:
    """Ids of the queue in working order."""
    where = "WHERE state IN (?, ?)" if hide_finished else ""
    rows = connection.execute(
        f"SELECT id FROM queue_entry {where} ORDER BY position, id",
        _OPEN_STATES if hide_finished else (),
    )
    return tuple(row[0] for row in rows)


def queue_counts(connection: sqlite3.Connection) -> QueueCounts:
    """How many entries came to which end."""
    by_state = ", ".join(
        f"count(*) FILTER (WHERE state = '{state}')"
        for state in ("done", "failed", "cancelled")
    )
    row = connection.execute(f"SELECT {by_state}, count(*) FROM queue_entry").fetchone()
    return QueueCounts(*row)


_QUEUE_SQL = f"""
SELECT q.id, q.operator, q.source, q.label, q.state, q.reason, q.cancel_requested, q.position,
  coalesce(t.uid, '') AS trajectory_uid, coalesce(json_extract(t.parameters, '$.T'), 30) AS budget, t.t_first,
  t.t_best, coalesce(t.latency_origin, '') AS latency_origin, t.first_correct_round, t.best_round,
  coalesce(t.started_at, '') AS started_at, coalesce(t.finished_at, '') AS finished_at,
  coalesce({LIES_STILL_SINCE}, {LAST_STEP}, '') AS last_step_at, {PAUSED_S} AS paused_s,
  coalesce(t.evaluator, '') AS evaluator, coalesce(t.provider, '') AS provider,
  coalesce(t.provider_origin, '') AS provider_origin, coalesce(t.forked_from, '') AS forked_from,
  q.state = 'queued' AND coalesce(t.state, '') = 'open' AS interrupted,
  coalesce((SELECT r.evaluation FROM round r WHERE r.trajectory_uid = t.uid AND r.round = t.best_round),
    (SELECT r.evaluation FROM round r WHERE r.trajectory_uid = t.uid AND r.evaluation IS NOT NULL
      ORDER BY r.round DESC LIMIT 1), '') AS judged
FROM queue_entry q LEFT JOIN trajectory t ON t.uid = q.trajectory_uid
WHERE q.id IN {LISTED}
"""

_POINTS_SQL = f"""
SELECT r.trajectory_uid, r.round, r.verdict, r.step, e.objective,
  CASE WHEN coalesce(t.latency_origin, '') IN ('', r.latency_origin) THEN r.latency_us END AS latency_us
FROM round r JOIN episode e ON e.uid = r.episode_uid JOIN trajectory t ON t.uid = r.trajectory_uid
WHERE r.trajectory_uid IN {LISTED} ORDER BY r.round
"""

# of a round `r` that was played again: where its recorded latency comes from. Rounds replayed before time
# models were told apart do not say; they were recorded under the first one.
RECORDED_ORIGIN_OF_ROUND = f"""
CASE WHEN r.recorded_us IS NULL THEN '' ELSE coalesce((SELECT CASE WHEN json_valid(CAST(b.data AS TEXT))
  THEN json_extract(CAST(b.data AS TEXT), '$.facts."{RECORDED_ORIGIN}"') END
  FROM blob b WHERE b.sha256 = r.evaluation), '{LatencyOrigin.MODELLED.value}') END
"""


def _of_latency(name: str) -> str:
    """SQL of a field of the modelled latency of a round `r`; null for other latencies."""
    return (
        "CASE WHEN r.latency_origin LIKE 'modelled-%' THEN (SELECT "
        "CASE WHEN json_valid(CAST(b.data AS TEXT)) "
        f"THEN json_extract(CAST(b.data AS TEXT), '$.latency.{name}') END "
        "FROM blob b WHERE b.sha256 = r.evaluation) END"
    )


_ROUNDS_SQL = f"""
SELECT r.round, e.objective, r.step, r.verdict, r.cause, r.diagnosis, r.query,
  coalesce(r.candidate, '') AS candidate, r.latency_us, r.latency_origin,
  coalesce(r.evaluation, '') AS evaluation, r.started_at, coalesce(r.finished_at, '') AS finished_at,
  r.retrieval_pinned, (SELECT count(*) FROM diagnostic d
    WHERE d.trajectory_uid = r.trajectory_uid AND d.round = r.round) AS diagnostics,
  r.residents_stated, r.recorded_verdict, r.recorded_us, nullif(r.retrieved_here, '') AS retrieved_here,
  {RECORDED_ORIGIN_OF_ROUND} AS recorded_origin, r.author,
  {_of_latency("low")} AS latency_low, {_of_latency("high")} AS latency_high,
  (SELECT count(*) FROM trace a WHERE a.episode_uid = r.episode_uid AND a.round = r.round
    AND a.state = 'adopted') AS adopted
FROM round r JOIN episode e ON e.uid = r.episode_uid
WHERE r.trajectory_uid = ? ORDER BY r.round
"""

_ADOPTIONS_SQL = """
SELECT i.uid, i.title, i.type, i.category, t.rank, t.coverage, t.cosine, t.s_rel, t.u_at AS utility,
  t.s AS score, t.state,
  t.rationale
FROM trace t JOIN item i ON i.id = t.item_id
JOIN round r ON r.episode_uid = t.episode_uid AND r.round = t.round
WHERE r.trajectory_uid = ? AND r.round = ? ORDER BY t.rank
"""

_RESIDENTS_SQL = """
SELECT i.uid, i.title, h.rationale
FROM hot_use h JOIN item i ON i.id = h.item_id
JOIN round r ON r.episode_uid = h.episode_uid AND r.round = h.round
WHERE r.trajectory_uid = ? AND r.round = ? ORDER BY i.uid
"""


def queue_rows(
    connection: sqlite3.Connection, ids: Sequence[int]
) -> dict[int, QueueRow]:
    """The entries `ids`, in one transaction's view. Entries that no longer exist are left out."""
    # Imported here: it needs msgspec, and windows paint before the first question.
    from core.records_json import (
        convert,
    )

    rows = named(connection.execute(_QUEUE_SQL, (listed(ids),)))
    rounds = _rounds_by_trajectory(connection, [row["trajectory_uid"] for row in rows])
    whole = [
        row
        | _progress(rounds.get(row["trajectory_uid"], []))
        | _judged(connection, row["judged"])
        for row in rows
    ]
    return {row.id: row for row in convert(whole, QueueRow)}


# Evaluations never change; the newest last.
_judged_before: OrderedDict[str, dict[str, Any]] = OrderedDict()


def _judged(connection: sqlite3.Connection, sha256: str) -> dict[str, Any]:
    """What a queue row tells of an evaluation; read once, since the queue is read at every event."""
    facts = _judged_before.get(sha256)
    if facts is not None:
        return facts
    stored = evaluation(connection, sha256)
    if stored is None:
        return {}
    _judged_before[sha256] = {
        "host": stored.host,
        "device": stored.device,
        "t_reference": stored.t_reference,
        "sandbox": stored.facts.get("sandbox", ""),
    }
    while len(_judged_before) > _MOST_JUDGED:
        _judged_before.popitem(last=False)
    return _judged_before[sha256]


def _rounds_by_trajectory(
    connection: sqlite3.Connection, uids: list[str]
) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for row in named(connection.execute(_POINTS_SQL, (listed(uids),))):
        grouped.setdefault(row["trajectory_uid"], []).append(row)
    return grouped


def _progress(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """What a queue row tells of its rounds."""
    last = rounds[-1] if rounds else {"objective": "", "step": ""}
    return {
        "objective": last["objective"],
        "step": last["step"],
        "rounds": sum(row["verdict"] not in {"", "void"} for row in rounds),
        "points": [row for row in rounds if row["verdict"]],
    }


def entry_of(connection: sqlite3.Connection, trajectory_uid: str) -> int | None:
    """Id of the queue entry that shows a trajectory; None where it was run again since."""
    row = connection.execute(
        "SELECT id FROM queue_entry WHERE trajectory_uid = ?", (trajectory_uid,)
    ).fetchone()
    return None if row is None else int(row[0])


def trajectories(
    connection: sqlite3.Connection, operator: str = "", limit: int = -1
) -> tuple[TrajectoryRow, ...]:
    """The latest `limit` trajectories that are not void, of one operator when it is named, the last first."""
    rows = connection.execute(
        "SELECT uid, operator, provider, started_at, latency_origin, best_round FROM trajectory "
        "WHERE state <> 'void' AND ?1 IN ('', operator) ORDER BY started_at DESC, rowid DESC LIMIT ?2",
        (operator, limit),
    )
    return rows_as(rows, TrajectoryRow)


def rounds(connection: sqlite3.Connection, trajectory_uid: str) -> tuple[RoundRow, ...]:
    """All rounds of a trajectory in order, the one in work included."""
    return rows_as(
        connection.execute(_ROUNDS_SQL, (trajectory_uid,)),
        RoundRow,
        json=("retrieved_here",),
    )


def candidate_before(
    connection: sqlite3.Connection, trajectory_uid: str, number: int
) -> dict[str, str]:
    """Files of the last candidate before round `number`; empty when there is none."""
    row = connection.execute(
        "SELECT candidate FROM round WHERE trajectory_uid = ? AND round < ? AND candidate IS NOT NULL "
        "ORDER BY round DESC LIMIT 1",
        (trajectory_uid, number),
    ).fetchone()
    return {} if row is None else candidate_files(connection, row[0])


def candidate_files(connection: sqlite3.Connection, digest: str) -> dict[str, str]:
    """Path -> whole text of a candidate; empty when there is none of that digest."""
    row = connection.execute(
        "SELECT files FROM candidate WHERE digest = ?", (digest,)
    ).fetchone()
    if row is None:
        return {}
    return {
        path: blob_text(connection, sha)
        for path, sha in sorted(json.loads(row[0]).items())
    }


def candidate_of_round(
    connection: sqlite3.Connection, operator: str, number: int
) -> dict[str, str]:
    """The candidate of round `number` of the newest trajectory of `operator`; empty when there is none."""
    row = connection.execute(
        "SELECT r.candidate FROM round r JOIN trajectory t ON t.uid = r.trajectory_uid "
        "WHERE t.operator = ? AND r.round = ? AND r.candidate <> '' ORDER BY t.started_at DESC LIMIT 1",
        (operator, number),
    ).fetchone()
    return {} if row is None else candidate_files(connection, row[0])


def blob_text(connection: sqlite3.Connection, sha256: str) -> str:
    """The text stored under `sha256`, empty when absent; raises CorruptWorkspace when it was changed."""
    from core.workspace.damage import stored_text  # windows paint before it

    return stored_text(connection, sha256) or ""


def evaluation(connection: sqlite3.Connection, sha256: str) -> Evaluation | None:
    """The whole evaluation record a round points to, None when the round has none."""
    # Imported here: it needs msgspec, and windows paint before the first question.
    from core.records_json import (
        from_json,
    )

    text = blob_text(connection, sha256) if sha256 else ""
    return from_json(text, Evaluation, f"evaluation {sha256[:12]}") if text else None


def adoptions(
    connection: sqlite3.Connection, trajectory_uid: str, round_number: int
) -> tuple[RoundAdoption, ...]:
    """Adoption records of one round in rank order."""
    return rows_as(
        connection.execute(_ADOPTIONS_SQL, (trajectory_uid, round_number)),
        RoundAdoption,
    )


def resident_uses(
    connection: sqlite3.Connection, trajectory_uid: str, round_number: int
) -> tuple[ResidentUse, ...]:
    """Resident rules followed in one round."""
    return rows_as(
        connection.execute(_RESIDENTS_SQL, (trajectory_uid, round_number)), ResidentUse
    )
