"""Events are the truth, counters a projection: fold the log again and compare, bit for bit.

The log alone cannot tell an event that wrote a wrong number, as a merge of an earlier release could: it is
replayed faithfully with it. So the evidence of every item is also compared with the sum of its episodes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import SageError
from core.memory import episodes
from core.memory.evidence import (
    EpisodeRecord,
    EvidenceFolder,
    counts,
    fold_in_sequence,
    foreign_episodes,
    in_order,
    own_episodes,
    owners,
)
from core.memory.ledger import (
    ITEM_COLUMNS,
    OPERATORS,
    RECOUNTED,
    REPLAYED,
    operators_of,
    payload_changes,
    payload_episode,
    record_change,
    replay_event,
)
from core.memory.records import EpisodeOutcome
from core.method.fold import Evidence
from core.records_json import decode
from core.text import Text
from core.workspace import Workspace
from core.workspace.damage import damaged
from core.workspace.foreign import bound_copy
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
        differences = tuple(_differences(db))
    return differences or tuple(
        line for _, _, line in evidence_differences(workspace.db)
    )


def repair(workspace: Workspace) -> tuple[str, ...]:
    """Write the folded projection over a stored one that differs; returns what was fixed."""
    with workspace.transaction(), _folded(workspace) as db:
        differences = tuple(_differences(db))
        if differences:
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
            differences += (line,)
    return differences


@contextmanager
def _folded(workspace: Workspace) -> Iterator[sqlite3.Connection]:
    """Give a connection whose `main` is the folded memory and whose `source` is the stored one."""
    db = sqlite3.connect(":memory:", isolation_level=None, uri=True)
    db.row_factory = sqlite3.Row
    try:
        migrate(db)
        bound_copy(db, workspace.path.stat().st_size)
        db.execute(
            "ATTACH ? AS source", (f"{workspace.path.absolute().as_uri()}?mode=ro",)
        )
        try:
            _fold(db)
        except (TypeError, ValueError, LookupError, sqlite3.IntegrityError) as error:
            raise damaged(
                workspace.db,
                Text("its log does not hold together ({error})", error=error),
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
        "SELECT e.z, e.t_first, e.t_best, e.finished_at, e.effect, s.completes FROM source.episode AS e "
        "LEFT JOIN source.hot_snapshot AS s ON s.seq = e.seq WHERE e.uid = ?",
        (uid,),
    ).fetchone()
    outcome = EpisodeOutcome(
        uid,
        row["z"] > 0,
        row["t_first"],
        row["t_best"],
        bool(row["completes"]),
        proven=not decode(row["effect"], dict[str, list[str]]).get("unproven"),
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
            folded_value, stored_value = folded.get(name), stored.get(name)
            if folded_value is None or stored_value is None:
                where = "events" if stored_value is None else "table"
                yield f"{table} {name} is only in the {where}"
                continue
            for column, expected, actual in zip(
                names, folded_value, stored_value, strict=True
            ):
                if expected != actual:
                    yield f"{table} {name} {column}: stored {actual!r}, events say {expected!r}"


def evidence_differences(db: sqlite3.Connection) -> Iterator[tuple[int, Evidence, str]]:
    """Give the items whose stored evidence is another than their episodes say.

    Left out are parts of other items, those whose evidence a person reset or a change of which was
    taken back, and those of a fixed bank with utilities by another credit rule: theirs is not the sum of all
    episodes.

    Yields:
        Item, what its evidence should be, and a sentence about the first number that is not so.
    """
    last_events, unsure = _evidence_events(db)
    names: dict[int, set[str]] = {}
    for uid, item in owners(db).items():
        names.setdefault(item, set()).add(uid)
    episodes = _EpisodesAsCounted(db)
    rows = db.execute(
        "SELECT id, uid, u_m, n_ret, n_ado FROM item ORDER BY id"
    ).fetchall()
    items = {row["uid"] for row in rows}
    for row in rows:
        if row["id"] in unsure or row["id"] not in names:
            continue
        parts = (names[row["id"]] & items) - {row["uid"]}
        evidence = episodes.evidence(
            row["uid"], names[row["id"]], parts, last_events.get(row["id"], 0)
        )
        if not (row["n_ret"] or row["u_m"] or evidence != Evidence()):
            continue
        operators = sorted(
            name
            for name, _ in decode(operators_of(db, row["id"]), list[tuple[str, int]])
        )
        stored = (row["u_m"], row["n_ret"], row["n_ado"], operators)
        should = (
            evidence.u,
            evidence.n_ret,
            evidence.n_ado,
            sorted(evidence.operators),
        )
        for name, is_now, expected in zip(
            ("u_m", "n_ret", "n_ado", OPERATORS), stored, should, strict=True
        ):
            if is_now != expected:
                line = f"item {row['uid']} {name}: stored {is_now!r}, its episodes say {expected!r}"
                yield row["id"], evidence, line
                break


class _EpisodesAsCounted:
    """The episodes of a memory by item uid, folded in the order in which they came to count here."""

    def __init__(self, db: sqlite3.Connection) -> None:
        own = own_episodes(db)
        self._seq = dict(
            db.execute(
                "SELECT uid, seq FROM episode WHERE status = 'applied'"
            ).fetchall()
        )
        brought = db.execute("SELECT uid, coalesce(brought_by, 0) FROM foreign_episode")
        self._brought = dict(brought.fetchall())
        foreign = (
            episode for episode in foreign_episodes(db) if episode.uid not in self._seq
        )
        self._of = EvidenceFolder((*own, *foreign)).episodes

    def evidence(
        self, uid: str, names: set[str], parts: set[str], written: int
    ) -> Evidence:
        """Fold what the item `uid` got under any of its `names`.

        Up to the last time its evidence was counted as a whole, by a merge or the event at `written`, the
        order is that of merging; the episodes applied here since follow as they were applied. What came
        since to `parts`, items of this memory merged into it, stays with them until it is counted again.
        """
        last = max(
            [
                written,
                *(self._brought.get(episode, 0) for episode in self._of(names - parts)),
            ]
        )
        whole = [
            episode
            for episode in self._of(names).values()
            if self._position(episode) <= last
        ]
        since = [
            episode
            for episode in self._of({uid}).values()
            if self._position(episode) > last
        ]
        before = fold_in_sequence(names, in_order(whole))
        return fold_in_sequence({uid}, sorted(since, key=self._position), start=before)

    def _position(self, episode: EpisodeRecord) -> int:
        """When it came to count here, as a position of the event sequence."""
        return int(self._seq.get(episode.uid) or self._brought.get(episode.uid, 0))


def _evidence_events(db: sqlite3.Connection) -> tuple[dict[int, int], set[int]]:
    """Return item -> seq of the last event that counted its evidence as a whole, and items to leave out."""
    events_of_item: dict[int, int] = {}
    unsure: set[int] = set()
    merging: set[int] = set()
    for row in db.execute("SELECT seq, kind, payload FROM memory_event ORDER BY seq"):
        changes = payload_changes(row["payload"])
        if row["kind"] in {"undo", "redo", "reset-evidence", REPLAYED}:
            unsure |= changes.keys()
        elif row["kind"] in {"merge", "merge-items", RECOUNTED}:
            item_ids = [
                item
                for item, columns in changes.items()
                if columns.keys() & {"u_m", "n_ret", "n_ado"}
            ]
            events_of_item |= dict.fromkeys(item_ids, row["seq"])
            merging |= set(item_ids if row["kind"] == "merge" else ())
        elif row["kind"] == "merge-memory":
            # what the merge brought has the position of its last event
            events_of_item |= dict.fromkeys(merging, row["seq"])
            merging.clear()
    return events_of_item, unsure
