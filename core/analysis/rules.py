"""Which rules of correctness the kernels of a trajectory meet, from the statistics stored with every case.

One rule decides during a run; `paper`, `benchmark` and `ulp` are stored beside it for every case.
"""

from __future__ import annotations

import sqlite3

from core.analysis.queries import evaluation
from core.evaluation.records import CaseResult, Evaluation, VerdictClass

RULES = ("paper", "benchmark", "ulp")
_JUDGED = frozenset({VerdictClass.PASS, VerdictClass.FAIL_RESULT})
_COMPARED = frozenset({"pass", "wrong-result"})
_SKIPPED = "skipped"
_EVALUATIONS = """
SELECT DISTINCT evaluation FROM round
WHERE trajectory_uid = ? AND verdict IN ('pass', 'fail-result') AND evaluation <> ''
"""


def rules_met(connection: sqlite3.Connection, trajectory: str) -> frozenset[str]:
    """The rules under which some kernel of a trajectory passes in every case.

    All cases of a kernel are judged whatever the first of them gave, so that a kernel the deciding rule refused
    is known to pass under another one, too. Whether the model would have gone on otherwise is not known.
    """
    met = set[str]()
    for (digest,) in connection.execute(_EVALUATIONS, (trajectory,)):
        stored = evaluation(connection, digest)
        if stored is not None:
            met |= {rule for rule in RULES if passes_under(stored, rule)}
    return frozenset(met)


def passes_under(evaluation: Evaluation, rule: str) -> bool:
    """Whether a kernel passes under `paper`, `benchmark` or `ulp`, whatever rule decided."""
    if evaluation.verdict not in _JUDGED:
        return False
    judged = [case for case in evaluation.cases if case.status != _SKIPPED]
    return bool(judged) and all(_passes(case, rule) for case in judged)


def _passes(case: CaseResult, rule: str) -> bool:
    verdicts = case.verdicts
    if case.status not in _COMPARED or verdicts is None:
        return False
    return bool(getattr(verdicts, rule))
