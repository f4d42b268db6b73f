"""The audit of adoption records: every record of a workspace against the revision of its round."""

from __future__ import annotations

from dataclasses import dataclass

from core.agent.learning.adoption_check import Doubt, doubt_about
from core.agent.loop.journal import Journal
from core.memory.records import AdoptionState
from core.memory.store import MemoryStore
from core.workspace import Workspace

_RECORDS = """
SELECT e.trajectory_uid AS trajectory, e.operator, t.round, t.state, t.rationale, i.uid,
  r.candidate, (SELECT p.candidate FROM round p WHERE p.trajectory_uid = e.trajectory_uid
    AND p.round < t.round AND p.candidate IS NOT NULL ORDER BY p.round DESC LIMIT 1) AS previous
FROM trace t JOIN episode e ON e.uid = t.episode_uid JOIN item i ON i.id = t.item_id
JOIN round r ON r.trajectory_uid = e.trajectory_uid AND r.round = t.round
WHERE t.counted = 1 AND r.candidate IS NOT NULL ORDER BY e.rowid, t.round, t.rank
"""


@dataclass(frozen=True)
class DoubtfulRecord:
    """A doubt with where it is and what the model said."""

    trajectory: str
    operator: str
    rationale: str
    doubt: Doubt


@dataclass(frozen=True)
class Audit:
    """What was checked, and what is doubtful among it; the records themselves stay as they are."""

    records: int
    doubtful: tuple[DoubtfulRecord, ...]


def audit_adoption(workspace: Workspace) -> Audit:
    """Check every counted adoption record of a workspace; read-only."""
    journal, store = Journal(workspace), MemoryStore(workspace)
    code = {item.uid: item.code_diff for item in store.items()}
    rows = workspace.db.execute(_RECORDS).fetchall()
    found = []
    for row in rows:
        before = journal.candidate(row["previous"]).files if row["previous"] else {}
        after = journal.candidate(row["candidate"]).files
        doubt = doubt_about(
            row["uid"],
            row["round"],
            AdoptionState(row["state"]),
            code[row["uid"]],
            before,
            after,
        )
        if doubt is not None:
            found.append(
                DoubtfulRecord(
                    row["trajectory"], row["operator"], row["rationale"], doubt
                )
            )
    return Audit(len(rows), tuple(found))
