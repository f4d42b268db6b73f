"""What people say about candidates: a comment, accepted or rejected. Stored as events; the last one holds.

A rejected candidate is never T_best from then on, in no trajectory, and is not exported. Credit that was
given before stays.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.errors import SageError
from core.workspace.rows import insert, rows_as

if TYPE_CHECKING:
    from core.workspace import Workspace


class Decision(StrEnum):
    """Where a review stands."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Review:
    """One review of a candidate. `at` is ISO time."""

    decision: Decision
    comment: str
    actor: str
    at: str


def reviews(db: sqlite3.Connection, candidate: str) -> tuple[Review, ...]:
    """All reviews of a candidate, oldest first; the last one holds."""
    rows = db.execute(
        "SELECT decision, comment, actor, at FROM candidate_review WHERE candidate = ? ORDER BY id",
        (candidate,),
    )
    return rows_as(rows, Review)


def add_review(
    workspace: Workspace, candidate: str, decision: Decision, comment: str = ""
) -> bool:
    """Store a review and let every trajectory with the candidate find its best kernel again.

    Returns:
        Whether anything was stored: a review that says the same as the last one is not.

    Raises:
        SageError: There is no such candidate.
    """
    # Windows read reviews before they write one; what writes needs takes long to load.
    from core.agent.run.journal import Journal
    from core.agent.run.records import progress_of
    from core.workspace import now

    with workspace.transaction() as db:
        if (
            db.execute(
                "SELECT 1 FROM candidate WHERE digest = ?", (candidate,)
            ).fetchone()
            is None
        ):
            raise SageError(
                "There is no candidate {candidate} in this workspace.",
                candidate=candidate[:12],
            )
        before = reviews(db, candidate)
        last = (
            (before[-1].decision, before[-1].comment) if before else (Decision.OPEN, "")
        )
        if last == (decision, comment):
            return False
        insert(
            db,
            "candidate_review",
            candidate=candidate,
            decision=decision.value,
            comment=comment,
            actor="user",
            at=now(),
        )
        journal = Journal(workspace)
        rows = db.execute(
            "SELECT DISTINCT trajectory_uid FROM round WHERE candidate = ?",
            (candidate,),
        )
        for row in rows.fetchall():
            journal.set_progress(row[0], progress_of(journal.rounds(row[0])))
    return True
