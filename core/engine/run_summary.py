"""What a run came to, for `sage run --json`."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.analysis.effort import read_efforts
from core.analysis.queries import (
    RECORDED_ORIGIN_OF_ROUND,
    evaluation,
)
from core.analysis.results import RunResults, read_runs, unconfined_trajectories
from core.engine.beginning import beginning
from core.memory.frozen import claimed
from core.method.methods import described
from core.method.parameters import MethodParameters
from core.workspace import Workspace

_ENTRIES = """
SELECT q.operator, q.state, q.reason, t.uid, t.state AS trajectory_state, t.parameters,
  t.provider, t.evaluator, t.rounds_used, t.first_correct_round, t.t_first, t.t_best,
  t.latency_origin, t.forked_from, t.references_digest,
  (SELECT count(*) FROM diagnostic d WHERE d.trajectory_uid = t.uid) AS diagnostics,
  (SELECT count(*) FROM look_up l WHERE l.trajectory_uid = t.uid) AS look_ups
FROM queue_entry q LEFT JOIN trajectory t ON t.uid = q.trajectory_uid
ORDER BY q.position, q.id
"""


def run_summary(workspace: Workspace) -> dict[str, Any]:
    """What `sage run --json` prints: queue entries, runs, and items promoted.

    For a workspace no engine works on. `retrieved` and `adopted` count items once per
    episode, as n_ret and n_ado do; latencies are in microseconds. `state` of an entry
    that is continued next time is `interrupted`. `references` is the sha256 of all the
    model could read beside memory. `cann_in_profile` is what CANN's own kernels took for
    the same calls in the profile a task was made of, with its origin, else empty.
    `hosts` counts evaluations by host. `unconfined` ones were judged without a sandbox,
    `edited` ones changed by a person: neither is a result. `recording` compares a
    replay with what was recorded, null for any other
    run. `method`, `model`, `judge` and `run` (1, or which repetition) tell rows of one
    operator apart; they and `trajectory` are empty until its work has begun, and `run`
    is 0 where it came to no result. `initial_bank` says what the memory began with,
    null where that is not known: two runs are comparable when its sha256 is the same.
    `frozen_memory` is name and sha256 of the memory a transfer evaluation read, else
    empty.
    """
    runs = read_runs(workspace.db, at_rest=True)
    promoted = workspace.db.execute(
        "SELECT uid FROM item WHERE ever_hot = 1 ORDER BY id"
    )
    began = beginning(workspace)
    return {
        "operators": _entries(workspace, runs),
        "runs": [asdict(run.kind) | asdict(run.metrics) for run in runs],
        "promoted": [row[0] for row in promoted],
        "hosts": _evaluations_by_host(workspace),
        "initial_bank": asdict(began) if began else None,
        "frozen_memory": " ".join(claimed(workspace)).strip(),
    }


def _entries(workspace: Workspace, runs: Sequence[RunResults]) -> list[dict[str, Any]]:
    """One row per queue entry; see `run_summary`."""
    numbers = {
        result.trajectory: run.kind.number for run in runs for result in run.results
    }
    unconfined = unconfined_trajectories(workspace.db)
    efforts = read_efforts(workspace.db)
    entries = []
    for row in workspace.db.execute(_ENTRIES).fetchall():
        uid = row["uid"] or ""
        retrieved, adopted = _used_items(workspace, uid)
        entries.append(
            {
                "name": row["operator"],
                "state": _state(row),
                "reason": row["reason"],
                "correct": row["first_correct_round"] is not None,
                "incomplete": row["trajectory_state"] == "open",
                "unconfined": uid in unconfined,
                "edited": bool(row["forked_from"]),
                "rounds": row["rounds_used"] or 0,
                "first_correct_round": row["first_correct_round"],
                "latency_first_us": row["t_first"],
                "latency_best_us": row["t_best"],
                "latency_origin": row["latency_origin"] or "",
                "diagnostics": row["diagnostics"],
                "look_ups": row["look_ups"],
                "retrieved": retrieved,
                "adopted": adopted,
                "method": _method(row),
                "model": row["provider"] or "",
                "judge": row["evaluator"] or "",
                "references": row["references_digest"] or "",
                "cann_in_profile": efforts[uid].profiled if uid in efforts else "",
                "recording": _against_recording(workspace, uid),
                "run": numbers.get(uid, 0),
                "trajectory": uid,
            }
        )
    return entries


def _state(row: sqlite3.Row) -> str:
    """The state of an entry; `interrupted` where an open trajectory waits."""
    waits = row["state"] in {"queued", "running"}
    interrupted = waits and row["trajectory_state"] == "open"
    return "interrupted" if interrupted else str(row["state"])


def _method(row: sqlite3.Row) -> str:
    if not row["uid"]:
        return ""
    return described(MethodParameters.from_json(row["parameters"]))


def _evaluations_by_host(workspace: Workspace) -> dict[str, int]:
    """Host -> how many candidates it judged."""
    digests = workspace.db.execute(
        "SELECT evaluation FROM round WHERE evaluation IS NOT NULL"
    ).fetchall()
    evaluations = [evaluation(workspace.db, digest) for (digest,) in digests]
    return dict(Counter(entry.host for entry in evaluations if entry is not None))


def _against_recording(workspace: Workspace, trajectory: str) -> dict[str, Any] | None:
    """Rounds compared, and those judged or retrieved for otherwise here."""
    rows = workspace.db.execute(
        "SELECT r.round, r.verdict, r.latency_us, r.latency_origin, r.recorded_verdict, r.recorded_us, "
        f"{RECORDED_ORIGIN_OF_ROUND} AS recorded_origin, r.retrieved_here, "
        "(SELECT json_group_array(i.uid) FROM trace t JOIN item i ON i.id = t.item_id "
        "WHERE t.episode_uid = r.episode_uid AND t.round = r.round) AS retrieved "
        "FROM round r WHERE r.trajectory_uid = ? AND r.recorded_verdict <> '' ORDER BY r.round",
        (trajectory,),
    ).fetchall()
    if not rows:
        return None
    timed = [row for row in rows if row["latency_us"] and row["recorded_us"]]
    changes = [
        abs(row["latency_us"] / row["recorded_us"] - 1)
        for row in timed
        if row["latency_origin"] == row["recorded_origin"]
    ]
    other_origins = {row["recorded_origin"] for row in timed} - {
        row["latency_origin"] for row in timed
    }
    searched = [row for row in rows if row["retrieved_here"]]
    return {
        "rounds": len(rows),
        "verdicts_changed": [
            row["round"] for row in rows if row["verdict"] != row["recorded_verdict"]
        ],
        "largest_latency_change": max(changes, default=None),
        "latencies_recorded_as": sorted(other_origins),
        "retrieval_changed": [
            row["round"]
            for row in searched
            if {*json.loads(row["retrieved_here"])} != {*json.loads(row["retrieved"])}
        ],
    }


def _used_items(workspace: Workspace, trajectory: str) -> tuple[int, int]:
    """Items retrieved and adopted in applied episodes, each once per episode."""
    row = workspace.db.execute(
        "SELECT count(*), coalesce(sum(adopted), 0) FROM ("
        "SELECT t.episode_uid, t.item_id, max(t.state = 'adopted') AS adopted FROM trace t "
        "JOIN episode e ON e.uid = t.episode_uid WHERE e.trajectory_uid = ? AND t.counted = 1 "
        "GROUP BY t.episode_uid, t.item_id)",
        (trajectory,),
    ).fetchone()
    return int(row[0]), int(row[1])
