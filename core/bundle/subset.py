"""Copies some trajectories, and all they refer to, into a workspace of their own.

What is copied is listed, so that a table a later release adds stays at home until
someone decides about it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from core.bundle.redaction import Redactor
from core.errors import SageError
from core.evaluation.records import Candidate
from core.memory.evidence import HOLDS, foreign_episodes, own_episodes
from core.memory.ledger import encode
from core.memory.retrieval.sparse_index import SparseIndex
from core.memory.views.queries import ids_of
from core.workspace import Workspace
from core.workspace.damage import TEXTS
from core.workspace.rows import insert

_META = ("seq", "episodes_applied", "session_id", "bank_id", "initial_bank")
_OF_TRAJECTORY = "trajectory_uid IN (SELECT value FROM json_each(:trajectories))"
_OF_EPISODE = "episode_uid IN (SELECT value FROM json_each(:episodes))"
_OF_ITEM = "item_id IN (SELECT value FROM json_each(:items))"
# a distillation belongs to a trajectory, by its name; an abstraction to the episode
# that validated the item
_JOBS = f"({_OF_EPISODE} OR uid IN (SELECT 'distil-' || value FROM json_each(:trajectories)))"
_OF_ROUNDS = f"candidate IN (SELECT candidate FROM round WHERE {_OF_TRAJECTORY})"
_TRAVELLING = "uid IN (SELECT value FROM json_each(:trajectories))"
_COPIED = {  # table -> the rows that travel; other tables need more than a condition
    "item": "id IN (SELECT value FROM json_each(:items))",
    "item_operator": _OF_ITEM,
    "content_change": _OF_ITEM,
    "item_alias": f"{_OF_ITEM} AND {HOLDS}",
    "queue_entry": f"id IN (SELECT queue_id FROM trajectory WHERE {_TRAVELLING})",
    "trajectory": _TRAVELLING,
    "pause": _OF_TRAJECTORY,
    "episode": _OF_TRAJECTORY,
    "round": _OF_TRAJECTORY,
    "model_call": _OF_TRAJECTORY,
    "diagnostic": _OF_TRAJECTORY,
    "look_up": _OF_TRAJECTORY,
    "candidate_review": _OF_ROUNDS,
    "inquiry": _OF_ROUNDS,
    "trace": _OF_EPISODE,
    "worth": _OF_EPISODE,
    "hot_use": _OF_EPISODE,
    "credit_event": _OF_EPISODE,
    "job": _JOBS,
}


@dataclass(frozen=True)
class Subset:
    """What travels.

    Uids of trajectories and episodes, ids of items, positions of snapshots.
    """

    trajectories: tuple[str, ...]
    episodes: tuple[str, ...]
    items: tuple[int, ...]
    snapshots: tuple[int, ...]


def choose(db: sqlite3.Connection, operators: Iterable[str] = ()) -> Subset:
    """Choose trajectories by operator, all when none is named, and what they need.

    Those in work stay at home. Interrupted ones travel: without them their operators
    would seem never tried.

    Raises:
        SageError: There is no such trajectory, or none of a named operator.
    """
    rows = db.execute(
        "SELECT t.uid, t.operator FROM trajectory t LEFT JOIN queue_entry q ON q.trajectory_uid = t.uid "
        "WHERE t.state <> 'open' OR q.state IN ('queued', 'failed') ORDER BY t.rowid"
    ).fetchall()
    by_key = {name.casefold(): name for name in operators}
    missing = sorted(by_key.keys() - {row["operator"].casefold() for row in rows})
    if missing or not rows:
        remedy = "Choose an operator whose run has ended."
        if not missing:
            raise SageError(
                "There is no finished trajectory in this workspace.", remedy
            )
        operator = by_key[missing[0]]
        raise SageError(
            "There is no finished trajectory of {operator} in this workspace.",
            remedy,
            operator=operator,
        )
    trajectories = tuple(
        row["uid"] for row in rows if not by_key or row["operator"].casefold() in by_key
    )
    episodes = db.execute(
        f"SELECT * FROM episode WHERE {_OF_TRAJECTORY}",
        {"trajectories": encode(trajectories)},
    ).fetchall()
    uids = tuple(row["uid"] for row in episodes)
    snapshots = {row["hot_snapshot_seq"] for row in episodes} - {None}
    snapshots |= {
        row[0]
        for row in db.execute(
            f"SELECT seq FROM hot_snapshot WHERE {_OF_EPISODE}",
            {"episodes": encode(uids)},
        )
    }
    items = _items(db, episodes, trajectories, uids, sorted(snapshots))
    return Subset(trajectories, uids, items, tuple(sorted(snapshots)))


def _items(
    db: sqlite3.Connection,
    episodes: Sequence[sqlite3.Row],
    trajectories: Sequence[str],
    uids: Sequence[str],
    snapshots: Sequence[int],
) -> tuple[int, ...]:
    """Items retrieved, used, resident, changed or written, and those joined."""
    items: set[int] = set()
    for table in ("trace", "hot_use", "credit_event"):
        query = f"SELECT DISTINCT item_id FROM {table} WHERE {_OF_EPISODE}"
        items |= {row[0] for row in db.execute(query, {"episodes": encode(uids)})}
    named: set[str] = set()
    for row in episodes:
        named |= set(msgspec.json.decode(row["residents"], type=list[str]))
        for value in msgspec.json.decode(row["effect"]).values():
            uids_of = value if isinstance(value, list) else []
            named |= {uid for uid in uids_of if isinstance(uid, str)}
    names = {"trajectories": encode(trajectories), "episodes": encode(uids)}
    jobs = f"SELECT subject, created_at, finished_at FROM job WHERE {_JOBS}"
    for job in db.execute(jobs, names).fetchall():
        named.add(job["subject"])
        distilled = db.execute(
            "SELECT id FROM item WHERE origin = 'distilled' AND source LIKE '% ' || ? "
            "AND created_at BETWEEN ? AND ?",
            tuple(job),
        )
        items |= {row[0] for row in distilled}
    items |= set(ids_of(db, sorted(named)))
    for row in db.execute(
        "SELECT hot_entries FROM hot_snapshot WHERE seq IN (SELECT value FROM json_each(?))",
        (encode(snapshots),),
    ):
        items |= {
            entry["id"]
            for entry in msgspec.json.decode(row[0], type=list[dict[str, Any]])
        }
    links = db.execute(
        "SELECT id, superseded_by FROM item WHERE superseded_by IS NOT NULL"
    ).fetchall()
    size = -1
    while size < len(items):
        size = len(items)
        for one, other in links:
            if one in items or other in items:
                items |= {one, other}
    return tuple(sorted(items))


def copy_subset(
    source: Workspace, target: Path, subset: Subset, redactor: Redactor
) -> None:
    """Write `subset` to a new workspace file without a journal beside it.

    Credit that other episodes gave to the copied items goes along as credit from
    elsewhere, so that utility and counts can be traced to the last episode.

    Args:
        source: In a read transaction of the caller, so that all rows are of one moment.
        target: The new file.
        subset: What to copy.
        redactor: Applied to every text.
    """
    with Workspace.open(target) as copy:
        with copy.transaction() as db:
            db.execute("PRAGMA defer_foreign_keys = 1")
            _Copy(source, copy, subset, redactor).run()
        SparseIndex(copy).refresh()
        copy.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # A write-ahead log needs a folder that can be written.
        copy.db.execute("PRAGMA journal_mode = DELETE")


class _Copy:
    def __init__(
        self, source: Workspace, target: Workspace, subset: Subset, redactor: Redactor
    ) -> None:
        self._source = source
        self._target = target
        self._redactor = redactor
        self._subset = subset
        self._names = {name: encode(value) for name, value in vars(subset).items()}

    def run(self) -> None:
        """Copy what belongs to the subset; kernels and texts first, whose digests change where they are redacted."""
        self._candidates()
        self._texts()
        for table, condition in _COPIED.items():
            for row in self._rows(table, condition):
                self._insert(table, dict(row))
        self._snapshots()
        self._memory_events()
        self._other_credit()
        for key in _META:
            self._target.set_meta(key, self._source.meta(key))
        self._target.set_meta("index_seq", self._source.meta("seq"))
        self._target.set_meta("part_of_a_run", "1")

    def _rows(self, table: str, condition: str) -> Iterable[sqlite3.Row]:
        return self._source.db.execute(
            f"SELECT * FROM {table} WHERE {condition}", self._names
        )

    def _insert(self, table: str, row: dict[str, Any]) -> None:
        text = self._redactor.text
        clean = {
            name: text(value) if isinstance(value, str) else value
            for name, value in row.items()
        }
        insert(self._target.db, table, **clean)

    def _text(self, digest: str) -> str:
        """Copy a text and return its name, a new one where the text was redacted."""
        if digest in self._redactor.renamed:
            return self._redactor.renamed[digest]
        copy_digest = self._target.put_text(
            self._redactor.text(self._source.text(digest))
        )
        if copy_digest != digest:
            self._redactor.renamed[digest] = copy_digest
        return copy_digest

    def _candidates(self) -> None:
        """Copy the kernels of copied rounds; one whose text is redacted has another digest from then on."""
        conditions = []
        for table in ("round", "diagnostic", "worth"):
            rows = f"SELECT candidate FROM {table} WHERE {_COPIED[table]}"
            conditions.append(f"digest IN ({rows})")
        for row in self._rows("candidate", " OR ".join(conditions)):
            digest, text = row["digest"], row["files"]
            files = msgspec.json.decode(text, type=dict[str, str])
            sources = {path: self._text(sha) for path, sha in files.items()}
            if sources != files:
                texts = {path: self._target.text(sha) for path, sha in sources.items()}
                text = encode(sources)
                digest = Candidate(texts).digest
                self._redactor.renamed[row["digest"]] = digest
            self._target.db.execute(
                "INSERT OR IGNORE INTO candidate VALUES (?, ?)", (digest, text)
            )

    def _texts(self) -> None:
        for table, column, _ in TEXTS:
            for row in self._rows(table, _COPIED[table]):
                if row[column]:
                    self._text(row[column])

    def _snapshots(self) -> None:
        """Copy the snapshots of the episodes, and those they began with."""
        for row in self._rows(
            "hot_snapshot", "seq IN (SELECT value FROM json_each(:snapshots))"
        ):
            episode = row["episode_uid"]
            travels = episode in self._subset.episodes
            columns = dict(row) | {"episode_uid": episode if travels else None}
            self._insert("hot_snapshot", columns)

    def _memory_events(self) -> None:
        """Events of copied items.

        What one event also did to other items stays at home.
        """
        item_ids = {str(item) for item in self._subset.items}
        for row in self._rows("memory_event", _OF_ITEM):
            payload = msgspec.json.decode(row["payload"])
            inverse = msgspec.json.decode(row["inverse"])
            if "set" in payload:
                payload["set"] = {
                    item: value
                    for item, value in payload["set"].items()
                    if item in item_ids
                }
            inverse = {
                item: value for item, value in inverse.items() if item in item_ids
            }
            changed = {"payload": encode(payload), "inverse": encode(inverse)}
            self._insert("memory_event", dict(row) | changed)

    def _other_credit(self) -> None:
        """Give the copied items what episodes outside of the subset gave them: their utility comes from there too."""
        source = self._source.db
        query = "SELECT uid FROM item WHERE id IN (SELECT value FROM json_each(:items))"
        uids = {row[0] for row in source.execute(query, self._names)}
        uids |= {row["uid"] for row in self._rows("item_alias", _COPIED["item_alias"])}
        for episode in (*own_episodes(source), *foreign_episodes(source)):
            if episode.uid in self._subset.episodes:
                continue
            of_items = [uid for uid in episode.credit if uid in uids]
            if not of_items:
                continue
            credit = {uid: episode.credit[uid] for uid in of_items}
            row = {
                "uid": episode.uid,
                "finished_at": episode.finished_at,
                "data": encode(replace(episode, credit=credit)),
            }
            self._insert("foreign_episode", row)
