"""Results of operators by run, from the trajectories of a workspace, ready for the paper's metrics.

A run is what one method and one model came to, judged in one way, under one batch label. An operator that was
run again begins the next run of the same kind, so that no result replaces another or is put together with it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache

import msgspec

from core.agent.run.journal import UNCONFINED_ROUND
from core.analysis.queries import evaluation
from core.errors import SageError
from core.evaluation.metrics import Metrics, OperatorResult, metrics
from core.method.methods import described
from core.method.parameters import MethodParameters
from core.operators.catalogue import CATALOGUE, find_operator

# The trajectories that are a result, one row each, oldest first. Void and cancelled ones are none. An open one
# is an incomplete result where nothing works on it: its entry waits, failed, or says `running` while no process
# works on the workspace (`:at_rest`). `best` is the stored evaluation of the best kernel where it was measured:
# only measured latencies have a T_ref beside them.
_TRAJECTORIES = f"""
SELECT t.uid, t.operator, coalesce(q.label, '') AS label, t.parameters, t.provider, t.provider_origin,
  t.evaluator, t.state, t.started_at, t.latency_origin, t.forked_from <> '' AS edited,
  t.first_correct_round, t.t_first, t.t_best,
  EXISTS (SELECT 1 FROM round r WHERE r.trajectory_uid = t.uid
    AND r.verdict NOT IN ('', 'fail-build', 'fail-integrity', 'void')) AS compiled,
  EXISTS (SELECT 1 FROM round r WHERE r.trajectory_uid = t.uid AND {UNCONFINED_ROUND}) AS unconfined,
  CASE t.latency_origin WHEN 'measured' THEN (SELECT r.evaluation FROM round r
    WHERE r.trajectory_uid = t.uid AND r.round = t.best_round) END AS best
FROM trajectory t LEFT JOIN queue_entry q ON q.id = t.queue_id
WHERE t.state = 'finished' OR (t.state = 'open' AND q.trajectory_uid = t.uid
  AND (q.state IN ('queued', 'failed') OR (q.state = 'running' AND :at_rest)))
ORDER BY t.rowid
"""


@dataclass(frozen=True)
class RunKind:
    """What tells results apart.

    Attributes:
        label: Of the batch.
        method: Method, and whatever parameter differs from the paper's, the rule of correctness among them.
        model: Who wrote the kernels.
        model_origin: Live, recorded or scripted.
        judge: Host, toolchain and processor.
        number: 2 where the operators were run for a second time, and so on.
        memory: sha256 of the frozen memory that was read, else of what the memory began with; empty where
            that was not recorded.
        edited: A person wrote a version of the kernel by hand: a kind of its own, and in no metric.
    """

    label: str
    method: str
    model: str
    model_origin: str
    judge: str
    number: int = 1
    memory: str = ""
    edited: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """What sets it apart, for people; what is empty is left out."""
        parts = (self.label, self.method, self.model, self.model_origin, self.judge)
        again = f"repetition {self.number}" if self.number > 1 else ""
        by_hand = "edited by a person" if self.edited else ""
        return tuple(part for part in (*dict.fromkeys(parts), by_hand, again) if part)

    @property
    def name(self) -> str:
        """All parts in one line."""
        return " · ".join(self.parts)


@dataclass(frozen=True)
class RunResults:
    """The results of one run, by operator.

    Attributes:
        kind: What tells it from other runs.
        began: ISO time of its first trajectory.
        latency_origin: measured, modelled or replayed; empty where nothing was timed, or in several ways.
        results: One per operator, by name; interrupted ones are marked incomplete.
        unconfined: Operators left out, because a kernel of theirs was judged without a sandbox.
        left_out: Their results, which are in no metric; all of a run that a person edited.
    """

    kind: RunKind
    began: str
    latency_origin: str
    results: tuple[OperatorResult, ...]
    unconfined: tuple[str, ...] = ()
    left_out: tuple[OperatorResult, ...] = ()

    @property
    def metrics(self) -> Metrics:
        """The paper's metrics of this run."""
        return metrics(self.results)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Operators that were interrupted; a run that has one is not compared with others."""
        return tuple(result.operator for result in self.results if result.incomplete)


def read_runs(
    connection: sqlite3.Connection, *, at_rest: bool = False
) -> tuple[RunResults, ...]:
    """All runs of a workspace in the order they began.

    Args:
        connection: A workspace, read-only is enough.
        at_rest: No process works on it, so that an entry that says `running` was interrupted too.
    """
    memory = _memory(connection)
    runs: dict[RunKind, list[tuple[sqlite3.Row, OperatorResult]]] = {}
    # How often each operator was run so far in each kind of run.
    times: Counter[tuple[RunKind, str]] = Counter()
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    for row in cursor.execute(_TRAJECTORIES, {"at_rest": at_rest}).fetchall():
        parameters = MethodParameters.from_json(
            row["parameters"], f"trajectory {row['uid']}"
        )
        first_run = RunKind(
            label=row["label"],
            method=described(parameters),
            model=row["provider"],
            model_origin=row["provider_origin"],
            judge=row["evaluator"],
            memory=memory,
            edited=bool(row["edited"]),
        )
        times[first_run, row["operator"]] += 1
        kind = replace(first_run, number=times[first_run, row["operator"]])
        result = _result(connection, row, kind)
        runs.setdefault(kind, []).append((row, result))
    return tuple(_run(kind, rows) for kind, rows in runs.items())


def _memory(connection: sqlite3.Connection) -> str:
    """What all runs of a workspace began with; it holds results for one memory only."""
    query = "SELECT key, value FROM meta WHERE key IN ('frozen_memory', 'initial_bank')"
    stored = dict(connection.execute(query))
    frozen = str(stored.get("frozen_memory", ""))
    bank = msgspec.json.decode(stored.get("initial_bank") or "{}")
    return frozen or str(bank.get("sha256", ""))


def unconfined_trajectories(connection: sqlite3.Connection) -> frozenset[str]:
    """Trajectories with a kernel that was judged without a sandbox."""
    query = f"SELECT DISTINCT r.trajectory_uid FROM round r WHERE {UNCONFINED_ROUND}"
    return frozenset(row[0] for row in connection.execute(query))


def _run(kind: RunKind, rows: list[tuple[sqlite3.Row, OperatorResult]]) -> RunResults:
    """The results that count, by operator, and those that do not: unconfined or edited by a person."""
    origins = {row["latency_origin"] for row, _ in rows} - {""}
    results: list[OperatorResult] = []
    left_out: list[OperatorResult] = []
    for row, result in rows:
        counts = not (row["unconfined"] or kind.edited)
        (results if counts else left_out).append(result)
    results.sort(key=lambda result: result.operator)
    unconfined = sorted(row["operator"] for row, _ in rows if row["unconfined"])
    return RunResults(
        kind=kind,
        began=min(row["started_at"] for row, _ in rows),
        latency_origin=origins.pop() if len(origins) == 1 else "",
        results=tuple(results),
        unconfined=tuple(unconfined),
        left_out=tuple(left_out),
    )


def _result(
    connection: sqlite3.Connection, row: sqlite3.Row, kind: RunKind
) -> OperatorResult:
    """The result of one trajectory."""
    # T_ref beside the best kernel: both measured, by the same clock on a device of the same name
    best = evaluation(connection, row["best"]) if row["best"] else None
    reference = best.reference_latency if best is not None else None
    return OperatorResult(
        operator=row["operator"],
        level=_level(row["operator"]),
        compiled=bool(row["compiled"]),
        correct=row["first_correct_round"] is not None,
        t_first=row["t_first"],
        t_best=row["t_best"],
        t_reference=best.t_reference if best is not None else None,
        reference_of=reference.of if reference is not None else "",
        origin=kind.name,  # `metrics` refuses to mix results of two runs
        incomplete=row["state"] == "open",
        trajectory=row["uid"],
    )


@cache
def _level(name: str) -> int:
    """Level of an operator of the catalogue; one of the user's own, or of an older catalogue, has level 0."""
    try:
        return find_operator(CATALOGUE, name).level
    except SageError:
        return 0
