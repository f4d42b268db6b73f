"""Evidence of an item as a fold over credit records, wherever they were earned."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.evaluation.records import LatencyOrigin
from core.memory.ledger import OPERATORS, TAKEN_BACK, Value, encode
from core.method.fold import Advance, CreditRecord, Evidence, Occasion, advance
from core.method.parameters import MethodParameters
from core.records_json import decode
from core.workspace.rows import LISTED, listed, named

# Of a row a merge brought: that the merge was not undone.
HOLDS = "NOT EXISTS (SELECT 1 FROM memory_event WHERE seq = brought_by AND undone_by IS NOT NULL)"
# Of a row of `item_alias`: that the uid it names is not an item of its own here.
_STANDS_FOR_ANOTHER = (
    f"{HOLDS} AND NOT EXISTS (SELECT 1 FROM item AS other WHERE other.uid = item_alias.uid "
    f"AND NOT (other.state = 'archived' AND other.state_reason = '{TAKEN_BACK}'))"
)


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """An applied episode as it travels between memories.

    Attributes:
        uid: Identity of the episode everywhere.
        finished_at: Time stamp; episodes are folded in the order of (finished_at, uid).
        trajectory: uid of its trajectory.
        operator: Operator name.
        objective: corr or opt.
        z: Terminal score.
        parameters: JSON of the method parameters it was applied with.
        credit: Item uid -> what it got; earlier releases also wrote which resident rules were used, which is no
            evidence (docs/method.md, O).
        latency_origin: Where T_first and T_best come from, as stored; memories exported before there was a
            second time model of the twin do not say, and theirs are of the first.
        proven: Whether its gain is larger than what the time model leaves open; an unproven one admits no rule
            (docs/method.md, H″). Memories exported before there were ranges do not say.
    """

    uid: str
    finished_at: str
    trajectory: str
    operator: str
    objective: str
    z: float
    parameters: str
    credit: dict[str, CreditRecord]
    latency_origin: str = LatencyOrigin.MODELLED.value
    proven: bool = True

    def __post_init__(self) -> None:
        retrieved = {
            uid: record for uid, record in self.credit.items() if not record.resident
        }
        object.__setattr__(self, "credit", retrieved)

    def occasion(self, **changes: bool | float | str) -> Occasion:
        """Return what the fold must know of it, some parameters replaced."""
        parameters = MethodParameters.from_json(self.parameters, f"episode {self.uid}")
        used = replace(parameters, **changes) if changes else parameters  # type: ignore[arg-type]
        return Occasion(self.operator, used)


# What each episode did to an item.
Steps: TypeAlias = list[tuple[EpisodeRecord, Advance]]
# Uid -> episode.
_Episodes: TypeAlias = dict[str, EpisodeRecord]


def in_order(episodes: Iterable[EpisodeRecord]) -> list[EpisodeRecord]:
    """Return episodes in the order they are folded in, which depends on nothing but themselves."""
    return sorted(episodes, key=lambda episode: (episode.finished_at, episode.uid))


def fold(
    uids: Collection[str],
    episodes: Iterable[EpisodeRecord],
    steps: Steps | None = None,
) -> Evidence:
    """Return the evidence of an item known under `uids` from episodes in the order of (finished_at, uid).

    The order depends on nothing but the episodes, so two memories that know the same ones agree. Priors have
    no time and come first: u is their mean weighted by retrievals, counts are added.

    Args:
        uids: The item's own and those of items merged into it.
        episodes: Those it may have been retrieved in.
        steps: Gets what each of them did.
    """
    return fold_in_sequence(uids, in_order(episodes), steps)


class EvidenceFolder:
    """Folds evidence of items, each known under its own uid and those of items merged into it."""

    def __init__(self, episodes: Iterable[EpisodeRecord]) -> None:
        self._by_item: dict[str, _Episodes] = {}
        for episode in episodes:
            for uid in episode.credit:
                of_item = self._by_item.setdefault(uid, {})
                of_item[episode.uid] = episode

    def of(self, uids: Collection[str]) -> Evidence:
        """Return the evidence of an item known under `uids`."""
        return fold(uids, self.episodes(uids).values())

    def episodes(self, uids: Collection[str]) -> _Episodes:
        """Return the episodes that gave an item known under `uids` something, by uid."""
        episodes: _Episodes = {}
        for uid in uids:
            episodes |= self._by_item.get(uid, {})
        return episodes


def fold_in_sequence(
    uids: Collection[str],
    episodes: Iterable[EpisodeRecord],
    steps: Steps | None = None,
    *,
    start: Evidence | None = None,
) -> Evidence:
    """Return the evidence of an item from `start` on and episodes in the given order; see `fold`."""
    evidence = start or Evidence()
    # By name, so that the order of equal records hangs on nothing else.
    uids = sorted(uids)
    for episode in episodes:
        credit = episode.credit
        records = [credit[uid] for uid in uids if uid in credit]
        if not records:
            continue
        step = advance(evidence, records, episode.occasion())
        evidence = step.after
        if steps is not None:
            steps.append((episode, step))
    return evidence


def owners(db: sqlite3.Connection) -> dict[str, int]:
    """Return which item each known uid stands for: itself, or the one it was merged into."""
    own = db.execute("SELECT uid, id FROM item")
    items = dict(own.fetchall())
    aliases = db.execute(
        f"SELECT uid, item_id FROM item_alias WHERE {_STANDS_FOR_ANOTHER}"
    )
    items |= dict(aliases.fetchall())
    into = merged_items(db)
    return {uid: whole_item(item, into) for uid, item in items.items()}


def merged_items(db: sqlite3.Connection) -> dict[int, int]:
    """Return merged item -> the item it was merged into, by number."""
    rows = db.execute(
        "SELECT id, superseded_by FROM item WHERE superseded_by IS NOT NULL"
    )
    return {row[0]: row[1] for row in rows}


def whole_item(item: int, into: Mapping[int, int]) -> int:
    """Return the item that `item` is a part of today; see `merged_items`."""
    # Two items that were merged into each other, in two memories, are no reason to go round for ever.
    path = {item}
    while item in into and into[item] not in path:
        item = into[item]
        path.add(item)
    return item


def counts(evidence: Evidence) -> dict[str, Value]:
    """Return evidence as item columns; operators by name, so that the order of merging leaves no trace."""
    names = sorted(evidence.operators)
    operators = [(name, position) for position, name in enumerate(names, start=1)]
    return {
        "u_m": evidence.u,
        "n_ret": evidence.n_ret,
        "n_ado": evidence.n_ado,
        OPERATORS: encode(operators),
    }


def any_merged(db: sqlite3.Connection) -> bool:
    """Return whether any item was ever merged into another, so that `merged_into` can find something."""
    merged = "SELECT 1 FROM item_alias UNION ALL SELECT 1 FROM item WHERE superseded_by IS NOT NULL"
    return db.execute(merged).fetchone() is not None


def merged_into(db: sqlite3.Connection, items: Collection[int]) -> tuple[str, ...]:
    """Return the uids of items that were merged into one of `items`, here or before they came here."""
    rows = db.execute(
        f"WITH RECURSIVE whole(id) AS (SELECT id FROM item WHERE id IN {LISTED} "
        "UNION SELECT item.id FROM item JOIN whole ON item.superseded_by = whole.id) "
        "SELECT uid FROM item WHERE id IN whole AND superseded_by IS NOT NULL "
        f"UNION SELECT uid FROM item_alias WHERE item_id IN whole AND {_STANDS_FOR_ANOTHER} "
        "ORDER BY 1",
        (listed(items),),
    )
    return tuple(row[0] for row in rows)


def own_episodes(
    db: sqlite3.Connection, items: Collection[int] | None = None, after: int = 0
) -> list[EpisodeRecord]:
    """Return the episodes applied in this memory, in order of application.

    Args:
        db: Any connection.
        items: Only what these items got; episodes that gave them nothing are left out. None: everything.
        after: Only episodes applied after this position of the event sequence.
    """
    credit = _credit(db, items, after)
    rows = named(
        db.execute(
            "SELECT e.uid, e.finished_at, e.trajectory_uid AS trajectory, e.operator, e.objective, e.z, "
            "e.parameters, coalesce(t.latency_origin, '') AS latency_origin, "
            "json_extract(e.effect, '$.unproven') IS NULL AS proven "
            "FROM episode e LEFT JOIN trajectory t ON t.uid = e.trajectory_uid "
            "WHERE e.status = 'applied' AND e.seq > ? ORDER BY e.seq",
            (after,),
        )
    )
    episodes = []
    for row in rows:
        uid = row["uid"]
        if items is None or uid in credit:
            columns = {**row, "proven": bool(row["proven"])}
            episodes.append(EpisodeRecord(**columns, credit=credit.get(uid, {})))
    return episodes


def foreign_episodes(db: sqlite3.Connection) -> list[EpisodeRecord]:
    """Return the episodes that came with merged memories, without those of merges that were undone."""
    rows = db.execute(
        f"SELECT data FROM foreign_episode WHERE {HOLDS} ORDER BY finished_at, uid"
    )
    return [decode(row[0], EpisodeRecord) for row in rows]


def _credit(
    db: sqlite3.Connection, items: Collection[int] | None, after: int
) -> dict[str, dict[str, CreditRecord]]:
    """Return episode -> item uid -> what it got as traced."""
    of_items = ""
    if items is not None:
        numbers = ", ".join(map(str, sorted(items)))
        of_items = f"AND t.item_id IN ({numbers}) "
    rows = db.execute(
        "SELECT e.uid, item.uid, max(t.state = 'adopted'), c.xi FROM trace AS t "
        "JOIN episode AS e ON e.uid = t.episode_uid JOIN item ON item.id = t.item_id "
        "LEFT JOIN credit_event AS c ON c.episode_uid = t.episode_uid AND c.item_id = t.item_id "
        f"WHERE t.counted = 1 AND e.status = 'applied' AND e.seq > ? {of_items}"
        "GROUP BY t.episode_uid, t.item_id ORDER BY item.uid",
        (after,),
    )
    credit: dict[str, dict[str, CreditRecord]] = {}
    for episode, uid, adopted, xi in rows:
        of_episode = credit.setdefault(episode, {})
        of_episode[uid] = CreditRecord(bool(adopted), xi)
    return credit
