"""Runs as a table: one row a trajectory, with parameters, metrics and cost; and who evaluated what when.

The whole table is read at once, in a few statements, so that thousands of runs can be sorted and filtered
where they are shown.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from core.experiments.methods import described
from core.method.parameters import MethodParameters
from core.models.prices import Prices
from core.same_fields import record_of
from core.workspace.rows import named
from core.workspace.sentences import made

MOST_EVALUATIONS = 50_000  # the latest, of a timeline
_MOST_PLACES = 2 * MOST_EVALUATIONS

_RUNS = """
WITH spent AS (
  SELECT trajectory_uid, sum(coalesce(prompt_tokens, 0)) AS prompt,
    sum(min(coalesce(cached_tokens, 0), coalesce(prompt_tokens, 0))) AS cached,
    sum(coalesce(completion_tokens, 0)) AS reply, sum(seconds) AS asking,
    sum(prompt_tokens IS NULL OR completion_tokens IS NULL) AS untold, count(*) AS calls
  FROM model_call WHERE trajectory_uid IS NOT NULL GROUP BY trajectory_uid),
judged AS (
  SELECT trajectory_uid, sum(verdict NOT IN ('', 'void')) AS rounds, sum(verdict LIKE 'fail%') AS failed
  FROM round JOIN trajectory o ON o.uid = trajectory_uid WHERE round > o.forked_round GROUP BY trajectory_uid)
SELECT t.uid, t.operator, coalesce(q.label, '') AS batch, t.parameters, t.provider AS model,
  t.provider_origin AS model_origin, t.evaluator AS judge, t.latency_origin AS origin,
  CASE WHEN t.state <> 'open' THEN t.state
    WHEN q.trajectory_uid = t.uid AND q.state = 'running' THEN 'running' ELSE 'interrupted' END AS state,
  t.forked_from <> '' AS edited, t.first_correct_round IS NOT NULL AS correct,
  t.t_first AS first, t.t_best AS best, t.started_at AS began,
  coalesce(t.finished_at, '') AS ended, coalesce(j.rounds, 0) AS rounds, coalesce(j.failed, 0) AS failed,
  coalesce(s.prompt, 0) AS prompt, coalesce(s.cached, 0) AS cached, coalesce(s.reply, 0) AS reply,
  coalesce(s.asking, 0.0) AS asking, coalesce(s.untold, 0) AS untold, coalesce(s.calls, 0) AS calls,
  coalesce((SELECT r.evaluation FROM round r WHERE r.trajectory_uid = t.uid AND r.round = t.best_round),
    (SELECT r.evaluation FROM round r WHERE r.trajectory_uid = t.uid AND r.evaluation IS NOT NULL
      ORDER BY r.round DESC LIMIT 1), '') AS evaluation
FROM trajectory t LEFT JOIN queue_entry q ON q.id = t.queue_id
LEFT JOIN spent s ON s.trajectory_uid = t.uid LEFT JOIN judged j ON j.trajectory_uid = t.uid
WHERE t.state <> 'void' ORDER BY t.started_at, t.rowid
"""
_EVALUATED = """
SELECT r.trajectory_uid, t.operator, r.round, r.verdict, r.finished_at, r.evaluation
FROM round r JOIN trajectory t ON t.uid = r.trajectory_uid
WHERE r.finished_at IS NOT NULL AND r.evaluation IS NOT NULL
  AND r.round > t.forked_round ORDER BY r.finished_at DESC LIMIT ?
"""
_PLACES = """
SELECT sha256, json_extract(CAST(data AS TEXT), '$.host', '$.device', '$.seconds') FROM blob
WHERE sha256 IN (SELECT value FROM json_each(?))
"""
_places_before: dict[
    str, tuple[str, str, float]
] = {}  # by evaluation; these never change


@dataclass(frozen=True)
class Run:
    """One trajectory.

    Attributes:
        uid: Of the trajectory.
        operator: Its name.
        batch: Label of the batch.
        method: Method, and what was chosen differently from the paper.
        model: Who wrote the kernels.
        model_origin: live, recorded, scripted or manual.
        judge: Who judged them.
        origin: Of the latencies: measured, modelled or replayed; empty where nothing was timed.
        state: running, interrupted, finished or cancelled.
        correct: Whether a kernel is correct.
        first: Latency of the first correct kernel, in microseconds.
        best: Of the best one.
        began: ISO time.
        ended: ISO time, empty while it is open.
        rounds: Evaluated ones; without those a fork begins with, which were another run's.
        failed: Of them, those whose kernel was refused.
        tokens: Of prompts and replies, as servers told them; None where none did, as for a replay.
        untold: Calls whose server told no tokens.
        cost: By the prices of its model; None where they or the tokens are not known.
        asking: Seconds of the model.
        host: Machine that judged the best kernel, else the latest one; empty before.
        device: What it ran on there.
        edited: A person wrote a version of the kernel by hand: it counts in no metric.
        parameters: Of the method, by name.
    """

    uid: str
    operator: str
    batch: str
    method: str
    model: str
    model_origin: str
    judge: str
    origin: str
    state: str
    correct: bool
    first: float | None
    best: float | None
    began: str
    ended: str
    rounds: int
    failed: int
    tokens: int | None
    untold: int
    cost: float | None
    asking: float
    host: str = ""
    device: str = ""
    edited: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gain(self) -> float | None:
        """T of the first correct kernel by T of the best one."""
        return self.first / self.best if self.first and self.best else None


@dataclass(frozen=True)
class Evaluated:
    """One evaluation on a host: begin and end in seconds since 1970."""

    run: str
    operator: str
    round: int
    verdict: str
    host: str
    device: str
    begin: float
    end: float


def read_run_table(
    connection: sqlite3.Connection, prices: Mapping[str, Prices] | None = None
) -> tuple[Run, ...]:
    """Every trajectory that is not void, in the order they began; `prices` by model, as they name it."""
    words: dict[str, str] = {}
    found, rows = [], named(connection.execute(_RUNS))
    places = _places(connection, {row["evaluation"] for row in rows})
    for row in rows:
        for name in ("model", "judge"):
            words.setdefault(row[name], made(connection, row[name]))
        told = row["untold"] < row["calls"]
        price = (prices or {}).get(row["model"])
        parameters, method = _method(row["parameters"])
        host, device, _seconds = places.get(row["evaluation"], ("", "", 0.0))
        found.append(
            record_of(
                Run,
                row,
                correct=bool(row["correct"]),
                edited=bool(row["edited"]),
                method=method,
                model=words[row["model"]],
                judge=words[row["judge"]],
                tokens=row["prompt"] + row["reply"] if told else None,
                cost=price.cost(row["prompt"], row["cached"], row["reply"])
                if told and price
                else None,
                host=host,
                device=device,
                parameters=parameters,
            )
        )
    return tuple(found)


@lru_cache(maxsize=256)
def _method(text: str) -> tuple[dict[str, Any], str]:
    """Parameters and what the method is called; runs of a batch share the text."""
    return json.loads(text), described(MethodParameters.from_json(text, "trajectory"))


def read_evaluations(
    connection: sqlite3.Connection, most: int = MOST_EVALUATIONS
) -> tuple[Evaluated, ...]:
    """The latest `most` evaluations, by begin.

    One ends with its round and began as long before as it took; rounds in work have none yet.
    """
    rows = connection.execute(_EVALUATED, (most,)).fetchall()
    places = _places(connection, {row[5] for row in rows})
    found = []
    for run, operator, number, verdict, ended, digest in rows:
        host, device, seconds = places.get(digest, ("", "", 0.0))
        end = datetime.fromisoformat(ended).timestamp()
        found.append(
            Evaluated(run, operator, number, verdict, host, device, end - seconds, end)
        )
    return tuple(sorted(found, key=lambda one: one.begin))


def _places(
    connection: sqlite3.Connection, evaluations: set[str]
) -> Mapping[str, tuple[str, str, float]]:
    """Host, device and seconds of evaluations; each is read once, since pages read again at every event."""
    unknown = [
        digest for digest in evaluations if digest and digest not in _places_before
    ]
    for digest, facts in (
        connection.execute(_PLACES, (json.dumps(unknown),)) if unknown else ()
    ):
        if len(_places_before) >= _MOST_PLACES:
            _places_before.pop(next(iter(_places_before)), None)
        host, device, seconds = json.loads(facts)
        _places_before[digest] = (host or "", device or "", seconds or 0.0)
    return {
        digest: _places_before[digest]
        for digest in evaluations
        if digest in _places_before
    }


def varying_parameters(runs: Sequence[Run]) -> tuple[str, ...]:
    """Names of the parameters in which runs differ, by name."""
    seen: dict[str, set[str]] = {}
    for parameters in {id(run.parameters): run.parameters for run in runs}.values():
        for name, value in parameters.items():
            seen.setdefault(name, set()).add(repr(value))
    return tuple(sorted(name for name, values in seen.items() if len(values) > 1))
