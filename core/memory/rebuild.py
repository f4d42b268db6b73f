"""Events are the truth, counters a projection: fold the log again and compare, or under another rule."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import SageError
from core.memory import episodes
from core.memory.evidence import (
    EpisodeRecord,
    counts,
    foreign_episodes,
    in_order,
    own_episodes,
    owners,
)
from core.memory.evidence_check import evidence_differences
from core.memory.ledger import (
    ITEM_COLUMNS,
    RECOUNTED,
    payload_changes,
    payload_episode,
    record_change,
    replay_event,
)
from core.memory.records import EpisodeOutcome
from core.method.fold import CreditRecord, Evidence, advance, episode_credit
from core.method.parameters import MethodParameters
from core.sentence import Sentence
from core.workspace import Workspace
from core.workspace.damage import damaged
from core.workspace.schema import migrate

_COMPARED = {
    "item": ("id", *sorted(ITEM_COLUMNS)),
    "item_operator": ("item_id", "operator", "first_seq"),
    "credit_event": (
        "episode_uid",
        "item_id",
        "seq",
        "rule",
        "adopted",
        "xi",
        "eta",
        "u_before",
        "u_after",
    ),
    "episode": ("uid", "seq", "status", "z", "effect"),
    "hot_snapshot": ("seq", "budget", "n_ops", "tokens", "completes", "hot_entries"),
}


@dataclass(frozen=True)
class ReplayedUtility:
    """The utility of an item as stored, and as another credit rule gives it."""

    uid: str
    stored: float
    replayed: float


def verify(workspace: Workspace) -> tuple[str, ...]:
    """Fold the whole log into an empty memory and compare with the stored one, bit for bit.

    Returns:
        One sentence per difference; empty when the projection is what the events say, and the evidence of
        every item what its episodes add up to.

    Raises:
        SageError: The workspace came with a bundle and holds only a part of the log.
    """
    if workspace.meta("part_of_a_run"):
        raise SageError(
            "{workspace} holds a part of a run, not the whole log.",
            "Verify the workspace it came from.",
            workspace=workspace.path,
        )
    with _folded(workspace) as db:
        found = tuple(_differences(db))
    return found or tuple(line for _, _, line in evidence_differences(workspace.db))


def repair(workspace: Workspace) -> tuple[str, ...]:
    """Write the folded projection over a stored one that differs; returns what was fixed."""
    with workspace.transaction(), _folded(workspace) as db:
        found = tuple(_differences(db))
        if found:
            names = _COMPARED["item"]
            rows = [
                tuple(row)
                for row in db.execute(f"SELECT {', '.join(names)} FROM main.item")
            ]
            assignments = ", ".join(f"{name} = ?" for name in names[1:])
            update = f"UPDATE item SET {assignments} WHERE id = ?"
            workspace.db.executemany(update, [(*row[1:], row[0]) for row in rows])
            operators = [
                tuple(row) for row in db.execute("SELECT * FROM main.item_operator")
            ]
            workspace.db.execute("DELETE FROM item_operator")
            workspace.db.executemany(
                "INSERT INTO item_operator VALUES (?, ?, ?)", operators
            )
        for item, evidence, line in tuple(evidence_differences(workspace.db)):
            reason = "counted again from the episodes"
            changes = {item: counts(evidence)}
            record_change(
                workspace.db, RECOUNTED, item, changes, actor="user", reason=reason
            )
            found += (line,)
    return found


def replay_credit(
    workspace: Workspace, **changes: bool | float | str
) -> tuple[ReplayedUtility, ...]:
    """Recompute utilities from the same traces under other parameters, without touching the bank.

    This is the paper's "Fixed-Bank Credit Assignment" control.

    Args:
        workspace: Open workspace, read-only will do.
        **changes: Fields of `MethodParameters` to replace, e.g. `credit_rule="uniform"` or `beta=0.0`.

    Returns:
        Every item ever retrieved, by replayed rank.
    """
    db = workspace.db
    owner = owners(db)
    evidence: dict[int, Evidence] = {}
    for episode in _all_episodes(db):
        occasion = episode.occasion(**changes)
        records = _with_credit(episode, occasion.parameters)
        for item in sorted({owner[uid] for uid in records if uid in owner}):
            mine = [record for uid, record in records.items() if owner.get(uid) == item]
            evidence[item] = advance(
                evidence.get(item, Evidence()), mine, occasion
            ).after
    return _ranked(
        db,
        {item: found.u for item, found in evidence.items() if found.n_ret or found.u},
    )


def _with_credit(
    episode: EpisodeRecord, parameters: MethodParameters
) -> dict[str, CreditRecord]:
    """Return the records of an episode with the credit other parameters give; priors stay as they came."""
    priors = {
        uid: record
        for uid, record in episode.credit.items()
        if record.prior is not None
    }
    traced = {
        uid: record for uid, record in episode.credit.items() if record.prior is None
    }
    score = episode.z if episode.z > 0.0 else -parameters.delta
    adopted = [uid for uid, record in traced.items() if record.adopted]
    return episode_credit(score, traced, adopted, parameters) | priors


def _all_episodes(db: sqlite3.Connection) -> list[EpisodeRecord]:
    """Return every episode that gave credit: as they were applied here, in merging order with others'."""
    own, foreign = own_episodes(db), foreign_episodes(db)
    known = {episode.uid for episode in own}
    return (
        in_order([*own, *(other for other in foreign if other.uid not in known)])
        if foreign
        else own
    )


def _ranked(
    db: sqlite3.Connection, utilities: dict[int, float]
) -> tuple[ReplayedUtility, ...]:
    """Return the items that have a utility, by the replayed one."""
    rows = {row["id"]: row for row in db.execute("SELECT id, uid, u_m FROM item")}
    ranked = sorted(utilities.keys() & rows.keys(), key=lambda i: (-utilities[i], i))
    return tuple(
        ReplayedUtility(rows[item]["uid"], rows[item]["u_m"], utilities[item])
        for item in ranked
    )


@contextmanager
def _folded(workspace: Workspace) -> Iterator[sqlite3.Connection]:
    """Give a connection whose `main` is the folded memory and whose `source` is the stored one."""
    db = sqlite3.connect(":memory:", isolation_level=None, uri=True)
    db.row_factory = sqlite3.Row
    try:
        migrate(db)
        db.execute(
            "ATTACH ? AS source", (f"{workspace.path.absolute().as_uri()}?mode=ro",)
        )
        try:
            _fold(db)
        except (TypeError, ValueError, LookupError, sqlite3.IntegrityError) as error:
            raise damaged(
                workspace.db,
                Sentence("its log does not hold together ({error})", error=error),
            ) from error
        yield db
    finally:
        db.close()


def _fold(db: sqlite3.Connection) -> None:
    for table in ("trajectory", "episode", "trace", "hot_use"):
        db.execute(f"INSERT INTO main.{table} SELECT * FROM source.{table}")
    db.execute(
        "UPDATE main.episode SET status = 'open', seq = NULL, z = NULL, effect = '{}' WHERE seq IS NOT NULL"
    )
    steps = db.execute(
        "SELECT seq, payload, '' AS uid, at FROM source.memory_event UNION ALL "
        "SELECT seq, '', uid, '' FROM source.episode WHERE status = 'applied' ORDER BY 1"
    ).fetchall()
    for step in steps:
        if step["uid"]:
            _fold_episode(db, step["uid"], step["seq"])
        else:
            replay_event(db, step["payload"])
            if consolidated := payload_episode(step["payload"]):
                changes = payload_changes(step["payload"])
                episodes.record_consolidation(
                    db, consolidated, changes, seq=step["seq"], at=step["at"]
                )


def _fold_episode(db: sqlite3.Connection, uid: str, seq: int) -> None:
    row = db.execute(
        "SELECT e.z, e.t_first, e.t_best, e.finished_at, s.completes FROM source.episode AS e "
        "LEFT JOIN source.hot_snapshot AS s ON s.seq = e.seq WHERE e.uid = ?",
        (uid,),
    ).fetchone()
    outcome = EpisodeOutcome(
        uid, row["z"] > 0, row["t_first"], row["t_best"], bool(row["completes"])
    )
    episodes.apply(db, outcome, seq=seq, at=row["finished_at"])


def _differences(db: sqlite3.Connection) -> Iterator[str]:
    for table, names in _COMPARED.items():
        columns = ", ".join(names)
        key = 1 if table in {"item", "episode", "hot_snapshot"} else 2
        folded, stored = (
            {
                tuple(row)[:key]: tuple(row)
                for row in db.execute(f"SELECT {columns} FROM {schema}.{table}")
            }
            for schema in ("main", "source")
        )
        for name in sorted(folded.keys() | stored.keys()):
            ours, theirs = folded.get(name), stored.get(name)
            if ours is None or theirs is None:
                where = "events" if theirs is None else "table"
                yield f"{table} {name} is only in the {where}"
                continue
            for column, expected, actual in zip(names, ours, theirs, strict=True):
                if expected != actual:
                    yield f"{table} {name} {column}: stored {actual!r}, events say {expected!r}"
