"""A recording of what a workspace's model said: everything needed to play the run again without a model.

The workspace stores every reply with its coordinates before it is used, so any finished
run can be recorded afterwards, also one that was interrupted.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict

from core.agent.run.turns import MemoryUse
from core.errors import SageError
from core.exchange.memory_file import content_changes
from core.memory.content import content_columns, experience_of
from core.memory.frozen import claimed
from core.memory.records import ContentChange, MemoryItem, Origin
from core.memory.store import MemoryStore
from core.models.port import ModelOrigin, Purpose
from core.replay.session_file import (
    ReplyKey,
    RoundOutcome,
    Session,
    SessionHeader,
    SessionItem,
    SessionReply,
    bank_digest,
)
from core.same_fields import record_of
from core.workspace import Workspace

_SHOWS_MEMORY = frozenset(
    purpose.value
    for purpose in (
        Purpose.CANDIDATE,
        Purpose.REPAIR,
        Purpose.EXAMINED,
        Purpose.CORRECTION,
    )
)
_CALLS = """
SELECT c.*, coalesce(e.objective, '') AS objective, coalesce(r.episode_uid, '') AS episode,
  coalesce((SELECT p.verdict FROM round p WHERE p.trajectory_uid = c.trajectory_uid
    AND p.round = c.round - 1 AND c.purpose <> 'distil'), '') AS previous
FROM model_call c LEFT JOIN round r ON r.trajectory_uid = c.trajectory_uid AND r.round = c.round
LEFT JOIN episode e ON e.uid = r.episode_uid WHERE c.trajectory_uid = ? ORDER BY c.id
"""


# Key shapes of the common services and of authorization headers; a recording is meant
# to be shared.
_SECRET = re.compile(
    r"(?i)\b(?:sk-[A-Za-z0-9_-]{16,}|(?:bearer|api[_-]?key)[\s:=\"']+[A-Za-z0-9._-]{12,})"
)
# An absolute path below a folder of a person or project; `/usr/include` and `/dev/null`
# name neither.
_FOLDER = re.compile(
    r"(^|[\s\"'`(=])/(?:home|root|Users|work|tmp|mnt|data|var|opt|srv)(?:/[\w.+-]+)+"
)
_STEPS = """
WITH unedited AS (SELECT e.* FROM episode e JOIN trajectory t ON t.uid = e.trajectory_uid
  WHERE t.forked_from = '')
SELECT what, operator, objective, item FROM (
  SELECT 'begin' AS what, operator, objective, '' AS item, started_at AS at, 0 AS place FROM unedited
  UNION ALL SELECT 'fold', operator, objective, '', finished_at, 1 FROM unedited WHERE finished_at IS NOT NULL
  UNION ALL SELECT 'rule', coalesce(e.operator, ''), '', i.uid, min(v.at), 2 FROM memory_event v
    JOIN item i ON i.id = v.item_id JOIN job j ON j.uid = 'abstract-' || i.uid
    LEFT JOIN episode e ON e.uid = j.episode_uid WHERE v.kind = 'rule' AND v.actor = 'engine' GROUP BY i.uid
  UNION ALL SELECT 'consolidate', '', '', '', at, 3 FROM memory_event
    WHERE kind = 'reselect' AND actor = 'engine'
  UNION ALL SELECT 'distil', j.subject, CASE WHEN j.episode_uid IS NULL THEN '' ELSE 'corr' END, '',
    j.finished_at, 4 FROM job j WHERE j.purpose = 'distil' AND j.state = 'done'
) ORDER BY at, place
"""


class NotRecordable(SageError):
    """The workspace holds something no recording could play again."""


def record_session(
    workspace: Workspace, title: str, description: str = "", *, model: str = ""
) -> Session:
    """The session of all finished trajectories of a workspace, in the order they were run.

    `model` names the model where the workspace does not, as in a manual run.

    Keys and the like are removed from the texts. Replies of a scripted session stay
    scripted: only what a model or a person said is `recorded`.

    Raises:
        NotRecordable: Nothing is finished, an operator was run twice, several models or
            sets of parameters were used, or the memory had evidence before.
    """
    trajectories = workspace.db.execute(
        "SELECT * FROM trajectory WHERE state = 'finished' AND forked_from = '' ORDER BY rowid"
    ).fetchall()
    _require_recordable(workspace, trajectories)
    bank = _bank(workspace)
    uids = [row["uid"] for row in trajectories]
    replies = _replies(workspace, uids)
    outcomes = [outcome for uid in uids for outcome in _outcomes(workspace, uid)]
    first = trajectories[0]
    scripted = first["provider_origin"] == ModelOrigin.SCRIPTED.value
    header = SessionHeader(
        origin=(ModelOrigin.SCRIPTED if scripted else ModelOrigin.RECORDED).value,
        model=model or first["provider"],
        title=title,
        description=description,
        bank_sha256=bank_digest(bank),
        operators=tuple(row["operator"] for row in trajectories),
        parameters=first["parameters"],
    )
    operators = frozenset(header.operators)
    steps = tuple(step for step in memory_uses(workspace) if step.operator in operators)
    return Session(header, bank, replies, tuple(outcomes), steps)


def memory_uses(workspace: Workspace) -> tuple[MemoryUse, ...]:
    """How the trajectories of a workspace used its memory so far, in that order.

    A consolidation is named after the rule before it, which its trajectory had written.
    """
    steps: list[MemoryUse] = []
    for row in workspace.db.execute(_STEPS).fetchall():
        what, operator, objective, item = row
        if what == "consolidate":
            rule = next((step for step in reversed(steps) if step.what == "rule"), None)
            if rule is None:
                continue
            operator, item = rule.operator, rule.item
        steps.append(MemoryUse(what, operator, objective, item))
    return tuple({step.key: step for step in steps}.values())


def _require_recordable(workspace: Workspace, trajectories: list[sqlite3.Row]) -> None:
    db = workspace.db
    if not trajectories:
        raise NotRecordable(
            "The workspace has no finished trajectory.",
            "Run an operator to its end first.",
        )
    names = [row["operator"] for row in trajectories]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise NotRecordable(
            "{twice} was run more than once; a recording holds one run of each operator.",
            "Record a run made in a workspace of its own.",
            twice=", ".join(twice),
        )
    if any(
        row["provider_origin"] == ModelOrigin.OPEN_AGENT.value for row in trajectories
    ):
        raise NotRecordable(
            "A coding agent that could look at hidden cases and references wrote this run.",
            "Record a run of a model, or of an agent that SAGE drives.",
        )
    for column, what in (
        ("provider", "several models"),
        ("parameters", "several sets of parameters"),
    ):
        if len({row[column] for row in trajectories}) > 1:
            raise NotRecordable(
                "The workspace holds runs of {what}.", "Record a run of one.", what=what
            )
    first_rounds = db.execute(
        "SELECT residents FROM episode ORDER BY rowid LIMIT 1"
    ).fetchone()
    merged = db.execute("SELECT 1 FROM foreign_episode LIMIT 1").fetchone()
    if (
        (first_rounds is not None and first_rounds[0] != "[]")
        or merged
        or any(claimed(workspace))
    ):
        raise NotRecordable(
            "The run began with a memory that had evidence already, which a recording does not carry.",
            "Record a run that began with fresh experiences.",
        )


def _bank(workspace: Workspace) -> tuple[SessionItem, ...]:
    """The items the run began with or retrieved, as they read when it began.

    Not what it distilled itself.
    """
    db = workspace.db
    began = db.execute(
        "SELECT min(started_at) FROM trajectory WHERE state = 'finished'"
    ).fetchone()[0]
    used = {row[0] for row in db.execute("SELECT DISTINCT item_id FROM trace")}
    bank = []
    for item in MemoryStore(workspace).items():
        changes = content_changes(db, item.id)
        before = [change for change in changes if change.at <= began]
        if item.origin is not Origin.DISTILLED and (before or item.id in used):
            bank.append(_as_written(item, before or changes[:1]))
    return tuple(bank)


def _as_written(item: MemoryItem, changes: Sequence[ContentChange]) -> SessionItem:
    """The item with the content of these changes, whatever a person made of it later."""
    content = content_columns(item.experience)
    for change in changes:
        content |= change.fields
    experience = experience_of(content)
    return record_of(
        SessionItem,
        experience,
        uid=item.uid,
        code_diff=asdict(experience.code_diff),
        scope={
            name: values for name, values in asdict(experience.scope).items() if values
        },
        source=str(content["source"]),
    )


def _replies(
    workspace: Workspace, trajectories: Sequence[str]
) -> tuple[SessionReply, ...]:
    """Trajectory by trajectory.

    Of a rule that two of them asked for, the answer that came first.
    """
    calls = [
        row
        for uid in trajectories
        for row in workspace.db.execute(_CALLS, (uid,)).fetchall()
    ]
    replies: dict[ReplyKey, tuple[int, SessionReply]] = {}
    for row in calls:
        retrieved: tuple[str, ...] = ()
        if row["purpose"] in _SHOWS_MEMORY:
            retrieved = tuple(
                hit.uid
                for hit in MemoryStore(workspace).retrieved(
                    row["episode"], row["round"]
                )
            )
        reply = record_of(
            SessionReply,
            dict(row),
            text=scrub(workspace.text(row["reply"])),
            retrieved=retrieved,
            previous_verdict=row["previous"],
            reasoning=scrub(workspace.text(row["reasoning"]))
            if row["reasoning"]
            else "",
        )
        earlier = replies.get(reply.key)
        if earlier is None or row["id"] < earlier[0]:
            replies[reply.key] = (row["id"], reply)
    return tuple(reply for _, reply in replies.values())


def _outcomes(workspace: Workspace, trajectory: str) -> list[RoundOutcome]:
    rows = workspace.db.execute(
        "SELECT t.operator, r.round, r.verdict, r.latency_us, r.latency_origin FROM round r "
        "JOIN trajectory t ON t.uid = r.trajectory_uid "
        "WHERE t.uid = ? AND r.step = 'evaluated' ORDER BY r.round",
        (trajectory,),
    )
    return [RoundOutcome(*row) for row in rows.fetchall()]


def scrub(text: str) -> str:
    """`text` with everything that looks like a key, or a folder of a person or machine, replaced."""
    return _FOLDER.sub(r"\1[folder]", _SECRET.sub("[removed]", text))
