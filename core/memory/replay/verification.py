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
    if differences:
        return differences
    wrong_items = evidence_differences(workspace.db)
    return tuple(line for _item, _evidence, line in wrong_items)


def repair(workspace: Workspace) -> tuple[str, ...]:
    """Write the folded projection over a stored one that differs; returns what was fixed."""
    with workspace.transaction(), _folded(workspace) as db:
        differences = tuple(_differences(db))
        if differences:
            _write_items(workspace.db, db)
        for item, evidence, line in tuple(evidence_differences(workspace.db)):
            reason = "counted again from the episodes"
            changes = {item: counts(evidence)}
            record_change(
                workspace.db, RECOUNTED, item, changes, actor="user", reason=reason
            )
            differences += (line,)
    return differences


def _write_items(target: sqlite3.Connection, folded: sqlite3.Connection) -> None:
    """Write what the log says of every item, and of the operators that adopted it."""
    key, *names = _COMPARED["item"]
    columns = ", ".join([*names, key])
    rows = folded.execute(f"SELECT {columns} FROM main.item").fetchall()
    assignments = ", ".join(f"{name} = ?" for name in names)
    update = f"UPDATE item SET {assignments} WHERE {key} = ?"
    target.executemany(update, map(tuple, rows))
    operators = folded.execute("SELECT * FROM main.item_operator").fetchall()
    target.execute("DELETE FROM item_operator")
    target.executemany(
        "INSERT INTO item_operator VALUES (?, ?, ?)", map(tuple, operators)
    )


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
    """Play the log of `source` into `main`: events and episodes in the order of their positions.

    Copied are only what nothing counts from: trajectories, episodes before their end, records of adoption and use.
    """
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
            consolidated = payload_episode(step["payload"])
            if consolidated:
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
    effect = decode(row["effect"], dict[str, list[str]])
    outcome = EpisodeOutcome(
        uid,
        # z is positive for a correct kernel of corr, and asked for nowhere else.
        row["z"] > 0,
        row["t_first"],
        row["t_best"],
        bool(row["completes"]),
        proven=not effect.get("unproven"),
    )
    episodes.apply(db, outcome, seq=seq, at=row["finished_at"])


def _differences(db: sqlite3.Connection) -> Iterator[str]:
    """One sentence for each value of `_COMPARED` that is another in `main` than in `source`."""
    for table, columns in _COMPARED.items():
        folded = _rows_by_key(db, f"main.{table}", columns)
        stored = _rows_by_key(db, f"source.{table}", columns)
        for name in sorted(folded.keys() | stored.keys()):
            folded_row = folded.get(name)
            stored_row = stored.get(name)
            if folded_row is None or stored_row is None:
                where = "events" if stored_row is None else "table"
                yield f"{table} {name} is only in the {where}"
                continue
            values = zip(columns, folded_row, stored_row, strict=True)
            for column, expected, actual in values:
                if expected != actual:
                    said = f"stored {actual!r}, events say {expected!r}"
                    yield f"{table} {name} {column}: {said}"


def _rows_by_key(
    db: sqlite3.Connection, table: str, columns: tuple[str, ...]
) -> dict[tuple[object, ...], tuple[object, ...]]:
    """Rows of a table, schema included, by its key: the first column of `_COMPARED`, or the first two."""
    has_single_key = table.partition(".")[2] in {"item", "episode", "hot_snapshot"}
    key = 1 if has_single_key else 2
    query = f"SELECT {', '.join(columns)} FROM {table}"
    rows = map(tuple, db.execute(query))
    return {row[:key]: row for row in rows}


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
        item, uid = row["id"], row["uid"]
        if item in unsure or item not in names:
            continue
        known_as = names[item]
        parts = (known_as & items) - {uid}
        last_event = last_events.get(item, 0)
        evidence = episodes.evidence(uid, known_as, parts, last_event)
        has_evidence = row["n_ret"] or row["u_m"]
        if not has_evidence and evidence == Evidence():
            continue
        stored_operators = decode(operators_of(db, item), list[tuple[str, int]])
        stored = {
            "u_m": row["u_m"],
            "n_ret": row["n_ret"],
            "n_ado": row["n_ado"],
            OPERATORS: sorted(name for name, _position in stored_operators),
        }
        expected = {
            "u_m": evidence.u,
            "n_ret": evidence.n_ret,
            "n_ado": evidence.n_ado,
            OPERATORS: sorted(evidence.operators),
        }
        for name, value in stored.items():
            if value != expected[name]:
                said = f"stored {value!r}, its episodes say {expected[name]!r}"
                yield item, evidence, f"item {uid} {name}: {said}"
                break


class _EpisodesAsCounted:
    """The episodes of a memory by item uid, folded in the order in which they came to count here."""

    def __init__(self, db: sqlite3.Connection) -> None:
        own = own_episodes(db)
        applied = db.execute("SELECT uid, seq FROM episode WHERE status = 'applied'")
        self._seq = dict(applied.fetchall())
        brought = db.execute("SELECT uid, coalesce(brought_by, 0) FROM foreign_episode")
        self._brought = dict(brought.fetchall())
        # An episode of this memory may come back with a merge; it counts once, as its own.
        foreign = [each for each in foreign_episodes(db) if each.uid not in self._seq]
        self._of = EvidenceFolder((*own, *foreign)).episodes

    def evidence(
        self, uid: str, names: set[str], parts: set[str], written: int
    ) -> Evidence:
        """Fold what the item `uid` got under any of its `names`.

        Up to the last time its evidence was counted as a whole, by a merge or the event at `written`, the
        order is that of merging; the episodes applied here since follow as they were applied. What came
        since to `parts`, items of this memory merged into it, stays with them until it is counted again.
        """
        merges = [self._brought.get(other, 0) for other in self._of(names - parts)]
        last = max([written, *merges])
        of_all = self._of(names).values()
        whole = [episode for episode in of_all if self._position(episode) <= last]
        own = sorted(self._of({uid}).values(), key=self._position)
        since = [episode for episode in own if self._position(episode) > last]
        before = fold_in_sequence(names, in_order(whole))
        return fold_in_sequence({uid}, since, start=before)

    def _position(self, episode: EpisodeRecord) -> int:
        """When it came to count here, as a position of the event sequence."""
        uid = episode.uid
        return int(self._seq.get(uid) or self._brought.get(uid, 0))


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
            counted = {"u_m", "n_ret", "n_ado"}
            item_ids = [item for item in changes if changes[item].keys() & counted]
            events_of_item |= dict.fromkeys(item_ids, row["seq"])
            if row["kind"] == "merge":
                merging.update(item_ids)
        elif row["kind"] == "merge-memory":
            # What the merge brought has the position of its last event.
            events_of_item |= dict.fromkeys(merging, row["seq"])
            merging.clear()
    return events_of_item, unsure
