"""Results of operators from the trajectories of a workspace, ready for the paper's metrics."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from core.engine.queries import evaluation
from core.evaluation.metrics import OperatorResult

# The newest closed trajectory of each operator counts. Void and cancelled ones are no result.
_SQL = """
SELECT t.operator, t.provider_origin, t.evaluator, t.first_correct_round, t.t_first, t.t_best,
  EXISTS (SELECT 1 FROM round r WHERE r.trajectory_uid = t.uid
    AND r.verdict NOT IN ('', 'fail-build', 'fail-integrity', 'void')) AS compiled,
  CASE t.latency_origin WHEN 'measured' THEN (SELECT r.evaluation FROM round r
    WHERE r.trajectory_uid = t.uid AND r.round = t.best_round) END AS best
FROM trajectory t
WHERE t.state = 'finished' AND t.rowid = (SELECT max(n.rowid) FROM trajectory n
  WHERE n.operator = t.operator AND n.state = 'finished'
    AND n.provider_origin = t.provider_origin AND n.evaluator = t.evaluator)
ORDER BY t.operator
"""


def operator_results(
    connection: sqlite3.Connection, levels: Mapping[str, int]
) -> dict[str, tuple[OperatorResult, ...]]:
    """Results by origin (who wrote the kernels, who judged them), so that origins are never mixed.

    Args:
        connection: A workspace, read-only is enough.
        levels: Difficulty by operator name; operators that are not in it have level 0.
    """
    found: dict[str, list[OperatorResult]] = {}
    for row in connection.execute(_SQL):
        origin = f"{row[1]}, {row[2]}"
        found.setdefault(origin, []).append(
            OperatorResult(
                operator=row[0],
                level=levels.get(row[0], 0),
                compiled=bool(row[6]),
                correct=row[3] is not None,
                t_first=row[4],
                t_best=row[5],
                t_reference=_reference(connection, row[7]),
                origin=origin,
            )
        )
    return {origin: tuple(results) for origin, results in found.items()}


def _reference(connection: sqlite3.Connection, best: str | None) -> float | None:
    """T_ref beside the best kernel: both measured, by the same clock on a device of the same name."""
    found = evaluation(connection, best) if best else None
    return found.t_reference if found is not None else None
