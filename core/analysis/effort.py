"""What each trajectory took: rounds, failures, tokens, money and minutes, and on which host."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from core.models.prices import Prices
from core.workspace.pauses import PAUSED_S
from core.workspace.rows import named

# Rounds a fork begins with are another trajectory's effort, so they are left out.
_EFFORTS = f"""
WITH spent AS (
  SELECT trajectory_uid, sum(coalesce(prompt_tokens, 0)) AS prompt,
    sum(min(coalesce(cached_tokens, 0), coalesce(prompt_tokens, 0))) AS cached,
    sum(coalesce(completion_tokens, 0)) AS reply, count(*) AS calls,
    sum(prompt_tokens IS NULL OR completion_tokens IS NULL) AS uncounted
  FROM model_call WHERE trajectory_uid IS NOT NULL GROUP BY trajectory_uid),
judged AS (
  SELECT trajectory_uid, sum(verdict NOT IN ('', 'void')) AS rounds,
    sum(verdict LIKE 'fail%') AS failed
  FROM round JOIN trajectory o ON o.uid = trajectory_uid
  WHERE round > o.forked_round GROUP BY trajectory_uid)
SELECT t.uid, t.provider AS model, t.started_at AS began,
  coalesce(t.finished_at, '') AS ended, {PAUSED_S} AS paused_s,
  coalesce(j.rounds, 0) AS rounds, coalesce(j.failed, 0) AS failed,
  coalesce(s.prompt, 0) AS prompt, coalesce(s.cached, 0) AS cached,
  coalesce(s.reply, 0) AS reply, coalesce(s.calls, 0) AS calls,
  coalesce(s.uncounted, 0) AS uncounted,
  coalesce(json_extract(CAST(b.data AS TEXT), '$.host'), '') AS host,
  coalesce(json_extract(CAST(b.data AS TEXT), '$.facts."CANN in the profile"'), '')
    AS profiled
FROM trajectory t
LEFT JOIN blob b ON b.sha256 = coalesce(
  (SELECT r.evaluation FROM round r
    WHERE r.trajectory_uid = t.uid AND r.round = t.best_round),
  (SELECT r.evaluation FROM round r
    WHERE r.trajectory_uid = t.uid AND r.evaluation IS NOT NULL
    ORDER BY r.round DESC LIMIT 1))
LEFT JOIN spent s ON s.trajectory_uid = t.uid
LEFT JOIN judged j ON j.trajectory_uid = t.uid
WHERE t.state <> 'void'
"""


@dataclass(frozen=True)
class Effort:
    """What one trajectory took.

    Attributes:
        rounds: Evaluated ones.
        failed: Of them, those whose kernel was refused.
        tokens: Of prompts and replies, as servers counted them; None where none did, as
            for a replay.
        cost: By the prices of its model; None where they or the tokens are missing.
        minutes: Of work, from begin to end; None while it is open.
        host: Machine that judged the best kernel, else the latest one; empty before.
        profiled: What CANN's own kernels took for the same calls, with its origin; empty
            where the operator was made of no profile.
    """

    rounds: int = 0
    failed: int = 0
    tokens: int | None = None
    cost: float | None = None
    minutes: float | None = None
    host: str = ""
    profiled: str = ""


def read_efforts(
    connection: sqlite3.Connection, prices: Mapping[str, Prices] | None = None
) -> dict[str, Effort]:
    """What every trajectory that is not void took, by its uid.

    Args:
        connection: A workspace, read-only is enough.
        prices: By model, as trajectories name it.
    """
    efforts = {}
    for row in named(connection.execute(_EFFORTS)):
        has_counts = row["uncounted"] < row["calls"]
        price = (prices or {}).get(row["model"])
        cost = None
        if has_counts and price is not None:
            cost = price.cost(row["prompt"], row["cached"], row["reply"])
        efforts[row["uid"]] = Effort(
            rounds=row["rounds"],
            failed=row["failed"],
            tokens=row["prompt"] + row["reply"] if has_counts else None,
            cost=cost,
            minutes=_minutes(row["began"], row["ended"], row["paused_s"]),
            host=row["host"],
            profiled=row["profiled"],
        )
    return efforts


def _minutes(began: str, end: str, paused_s: float) -> float | None:
    if not end:
        return None
    duration = datetime.fromisoformat(end) - datetime.fromisoformat(began)
    return max(0.0, duration.total_seconds() - paused_s) / 60
