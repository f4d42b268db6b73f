"""Whether the evidence of every item is the sum of its episodes.

The log cannot tell: an event that wrote a wrong number, as a merge of an earlier release could, is replayed
faithfully with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from core.memory.evidence import (
    EpisodeRecord,
    EvidenceFolder,
    fold_in_sequence,
    foreign_episodes,
    in_order,
    own_episodes,
    owners,
)
from core.memory.ledger import (
    OPERATORS,
    RECOUNTED,
    REPLAYED,
    operators_of,
    payload_changes,
)
from core.method.fold import Evidence
from core.records_json import decode


def evidence_differences(db: sqlite3.Connection) -> Iterator[tuple[int, Evidence, str]]:
    """Give the items whose stored evidence is another than their episodes say.

    Left out are archived items, parts of others, those whose evidence a person reset or a change of which was
    taken back, and those of a fixed bank with utilities by another credit rule: theirs is not the sum of all
    episodes.

    Yields:
        Item, what its evidence should be, and a sentence about the first number that is not so.
    """
    written, unsure = _evidence_events(db)
    names: dict[int, set[str]] = {}
    for uid, item in owners(db).items():
        names.setdefault(item, set()).add(uid)
    known = _Known(db)
    rows = db.execute(
        "SELECT id, uid, u_m, n_ret, n_ado, state FROM item ORDER BY id"
    ).fetchall()
    items = {row["uid"] for row in rows}
    for row in rows:
        if row["state"] == "archived" or row["id"] in unsure or row["id"] not in names:
            continue
        parts = (names[row["id"]] & items) - {row["uid"]}
        found = known.evidence(
            row["uid"], names[row["id"]], parts, written.get(row["id"], 0)
        )
        if not (row["n_ret"] or row["u_m"] or found != Evidence()):
            continue
        operators = sorted(
            name
            for name, _ in decode(operators_of(db, row["id"]), list[tuple[str, int]])
        )
        stored = (row["u_m"], row["n_ret"], row["n_ado"], operators)
        should = (found.u, found.n_ret, found.n_ado, sorted(found.operators))
        for name, is_now, expected in zip(
            ("u_m", "n_ret", "n_ado", OPERATORS), stored, should, strict=True
        ):
            if is_now != expected:
                line = f"item {row['uid']} {name}: stored {is_now!r}, its episodes say {expected!r}"
                yield row["id"], found, line
                break


class _Known:
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
    written: dict[int, int] = {}
    unsure: set[int] = set()
    for row in db.execute("SELECT seq, kind, payload FROM memory_event ORDER BY seq"):
        changes = payload_changes(row["payload"])
        if row["kind"] in {"undo", "redo", "reset-evidence", REPLAYED}:
            unsure |= changes.keys()
        elif row["kind"] in {"merge", "merge-items", RECOUNTED}:
            written |= {
                item: row["seq"]
                for item, columns in changes.items()
                if "u_m" in columns
            }
    return written, unsure
