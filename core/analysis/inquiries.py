"""Diagnostics about a candidate: of the model within a round, and of a person at any time.

A person's question is no part of a trajectory: it costs no round and no diagnostic of the model, earns no
credit, and the model never hears of it. It is stored with the candidate.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core.errors import SageError
from core.workspace.rows import insert, rows_as

if TYPE_CHECKING:
    from core.evaluation.records import DiagnosticResult
    from core.workspace import Workspace

BY_MODEL, BY_USER = "model", "user"


@dataclass(frozen=True)
class Inquiry:
    """One diagnostic and its answer.

    Attributes:
        by: `model` or `user`.
        tool: Name of the tool.
        case: The visible case it looked at, empty where the choice was left to the tool.
        judge: Label of who answered, host and toolchain; empty for the model's, whose trajectory names it.
        ok: Whether the tool answered and found nothing wrong.
        summary: One line.
        result: Blob of the whole `DiagnosticResult`, see `answer`.
        seconds: How long the answer took.
        at: ISO time.
        round: Of the trajectory that was read, 0 where none was.
    """

    by: str
    tool: str
    case: str
    judge: str
    ok: bool
    summary: str
    result: str
    seconds: float
    at: str
    round: int = 0


@dataclass(frozen=True)
class LookUp:
    """What the model looked up in a round: the words it asked for, and the blob of what it was told."""

    round: int
    queries: tuple[str, ...]
    answer: str
    at: str


_SQL = """
SELECT 'user' AS "by", tool, test_case AS "case", judge, ok, summary, result, seconds, at FROM inquiry
WHERE candidate = :digest
UNION ALL
SELECT 'model', tool, test_case, '', ok, summary, result, seconds, at FROM diagnostic
WHERE candidate = :digest
ORDER BY at DESC
"""
_OF_TRAJECTORY = """
SELECT 'model' AS "by", round, tool, test_case AS "case", '' AS judge, ok, summary, result, seconds, at
FROM diagnostic WHERE trajectory_uid = ? ORDER BY round, number
"""
_ABOUT_TRAJECTORY = """
SELECT 'user' AS "by", r.round, i.tool, i.test_case AS "case", i.judge, i.ok, i.summary, i.result,
  i.seconds, i.at
FROM inquiry i JOIN round r ON r.candidate = i.candidate WHERE r.trajectory_uid = ? ORDER BY i.id
"""


def inquiries(db: sqlite3.Connection, candidate: str) -> tuple[Inquiry, ...]:
    """All diagnostics about a candidate, the newest first."""
    return _read(db, _SQL, {"digest": candidate})


def inquiries_of(db: sqlite3.Connection, trajectory_uid: str) -> tuple[Inquiry, ...]:
    """All diagnostics about the candidates of a trajectory: the model's in order, then those of people."""
    return (
        *_read(db, _OF_TRAJECTORY, (trajectory_uid,)),
        *_read(db, _ABOUT_TRAJECTORY, (trajectory_uid,)),
    )


def _read(db: sqlite3.Connection, sql: str, names: Any) -> tuple[Inquiry, ...]:
    return rows_as(db.execute(sql, names), Inquiry)


def look_ups_of(db: sqlite3.Connection, trajectory_uid: str) -> tuple[LookUp, ...]:
    """Everything the model looked up, in order."""
    rows = db.execute(
        "SELECT round, queries, answer, at FROM look_up WHERE trajectory_uid = ? ORDER BY round, number",
        (trajectory_uid,),
    )
    return rows_as(rows, LookUp, json=("queries",))


def answer(db: sqlite3.Connection, inquiry: Inquiry) -> DiagnosticResult:
    """The whole answer: findings, profile, log."""
    from core.analysis.queries import blob_text
    from core.evaluation.records import DiagnosticResult
    from core.records_json import from_json

    text = blob_text(db, inquiry.result)
    result = from_json(text, DiagnosticResult, f"diagnostic {inquiry.tool}")
    return replace(result, summary=inquiry.summary)  # the same words, as a template


def add_inquiry(
    workspace: Workspace,
    candidate: str,
    case: str,
    judge: str,
    result: DiagnosticResult,
    seconds: float,
) -> None:
    """Store what a person asked about a candidate and what the tool answered.

    Raises:
        SageError: There is no such candidate.
    """
    # Windows read before they write; what writes needs takes long to load.
    from core.records_json import to_json
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
        insert(
            db,
            "inquiry",
            candidate=candidate,
            tool=result.tool,
            test_case=case,
            judge=judge,
            ok=result.ok,
            summary=result.summary,
            result=workspace.put_text(to_json(result)),
            seconds=seconds,
            at=now(),
        )
