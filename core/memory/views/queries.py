"""What the window and the command line ask the memory: plain rows from any connection, read-only ones too.

A table asks for ids first and for the rows on screen later, so that a bank of 100,000 items costs no more to
show than one of a hundred.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec

from core.memory.evidence import (
    HOLDS,
    EpisodeRecord,
    Steps,
    fold,
    foreign_episodes,
    merged_into,
    own_episodes,
)
from core.memory.ledger import rules_at
from core.memory.reading import (
    hot_block,
    latest_parameters,
    read_item,
    read_snapshot,
    to_snapshot,
    unruled_uids,
)
from core.memory.records import ContentChange, HotSnapshot, MemoryItem
from core.memory.residency import evidence_since_demotion, held_back, unproven
from core.memory.time_models import earned_under
from core.memory.tokens import block_tokens
from core.memory.views.rows import (
    AdoptionRow,
    Condition,
    CreditRow,
    EventRow,
    HotView,
    ItemPage,
    ItemRow,
    ItemSort,
    SinceDemotion,
    TableFilter,
    UseRow,
)
from core.same_fields import record_of
from core.workspace.rows import LISTED, listed, rows_as

EVENTS = (
    "SELECT e.seq, e.kind, coalesce(item.uid, '') AS item_uid, e.actor, e.reason, e.at, e.undone_by "
    "FROM memory_event AS e LEFT JOIN item ON item.id = e.item_id"
)
# the latest word on the tags of an item, as long as it holds: max() chooses the row
_TAGS = (
    "SELECT item_id, json_extract(payload, '$.note.tags') AS tags, max(seq) FROM memory_event "
    "WHERE kind = 'tag' AND undone_by IS NULL GROUP BY item_id"
)
_OPERATORS = (
    "(SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) AS operators"
)
# Nearly all items are active: by the index of states they would be looked up one by one.
_ACTIVE = "+item.state = 'active'"
_TABLE = (
    "SELECT item.id, item.uid, item.title, item.type, item.category, item.sigma, item.state, item.u_m, "
    f"item.n_ret, item.n_ado, {_OPERATORS}, v.p_hat, v.n_elig, item.L_m, v.density, item.hot_region, "
    "item.hot_last_used_episode, item.pinned, item.barred, item.origin, item.created_at "
    "FROM item JOIN memory_item AS v ON v.id = item.id"
)


def item_ids(
    db: sqlite3.Connection,
    table_filter: TableFilter | None = None,
    sort: ItemSort = ItemSort.ID,
    *,
    descending: bool = False,
) -> list[int]:
    """Return the ids of the rows a table shows, in its order; equal values are ordered by id."""
    where, values = _conditions(table_filter or TableFilter())
    direction = "DESC" if descending else "ASC"
    source = "SELECT item.id FROM item"
    if sort is ItemSort.OPERATORS:
        source = f"SELECT item.id, {_OPERATORS} FROM item"
    elif sort in {ItemSort.FREQUENCY, ItemSort.DENSITY}:
        source = "SELECT item.id FROM item JOIN memory_item AS v ON v.id = item.id"
    order = f"{sort.value} {direction}, item.id"
    rows = db.execute(f"{source} WHERE {where} ORDER BY {order}", values)
    return [row[0] for row in rows]


def item_rows(db: sqlite3.Connection, ids: Sequence[int]) -> dict[int, ItemRow]:
    """Return the rows of some ids; ids without an item are left out."""
    rows = db.execute(f"{_TABLE} WHERE item.id IN {LISTED}", (listed(ids),))
    by_id = {row.id: row for row in rows_as(rows, ItemRow)}
    for item, tags in item_tags(db, ids).items():
        if item in by_id:
            by_id[item] = replace(by_id[item], tags=tags)
    return by_id


def item_tags(db: sqlite3.Connection, ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return the tags of those of some items that have any, in alphabetic order."""
    rows = db.execute(
        f"SELECT item_id, tags FROM ({_TAGS}) WHERE item_id IN {LISTED}", (listed(ids),)
    )
    return {item: tuple(tags.split()) for item, tags in rows if tags}


def tag_counts(db: sqlite3.Connection) -> dict[str, int]:
    """Return every tag in use with how many items have it, the most frequent first."""
    rows = db.execute(f"SELECT tags FROM ({_TAGS})")
    counts: Counter[str] = Counter()
    for (tags,) in rows:
        counts.update(tags.split())
    return _most_frequent_first(counts)


def _most_frequent_first(counts: Counter[str]) -> dict[str, int]:
    """The counts in falling order, equal ones by name."""
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return {name: counts[name] for name in names}


def item_uids(db: sqlite3.Connection, ids: Sequence[int]) -> dict[int, str]:
    """Return the uids of some ids; ids without an item are left out."""
    return dict(
        db.execute(
            f"SELECT id, uid FROM item WHERE id IN {LISTED}", (listed(ids),)
        ).fetchall()
    )


def ids_of(db: sqlite3.Connection, uids: Sequence[str]) -> list[int]:
    """Return the ids of items; uids without one are left out."""
    return [
        row[0]
        for row in db.execute(
            f"SELECT id FROM item WHERE uid IN {LISTED}", (listed(uids),)
        )
    ]


def facets(
    db: sqlite3.Connection, table_filter: TableFilter | None = None
) -> dict[str, dict[str, int]]:
    """Return how many items each type, category, sigma, state and origin has under a filter."""
    where, values = _conditions(table_filter or TableFilter())
    columns = ("type", "category", "sigma", "state", "origin")
    names = ", ".join(f"item.{column}" for column in columns)
    # One pass over the items for all of them.
    groups = db.execute(
        f"SELECT {names}, count(*) FROM item WHERE {where} GROUP BY {names}", values
    ).fetchall()
    counts: dict[str, dict[str, int]] = {}
    for number, column in enumerate(columns):
        sums: Counter[str] = Counter()
        for group in groups:
            value = str(group[number])
            sums[value] += int(group[-1])
        counts[column] = _most_frequent_first(sums)
    return counts


def item_page(db: sqlite3.Connection, uid: str) -> ItemPage:
    """Return everything known of one item; raises NoSuchItem."""
    item = read_item(db, uid)
    return ItemPage(
        item,
        _credits(db, item.id, uid),
        _adoptions(db, item.id),
        _uses(db, item.id),
        events(db, uid),
        _history(db, item.id),
        _since_demotion(db, item),
        earned_under(db, item.id),
        item.id in unproven(db, latest_parameters(db)),
    )


def _since_demotion(db: sqlite3.Connection, item: MemoryItem) -> SinceDemotion | None:
    """How far a demoted item is from coming back: its evidence since then beside the gates (docs/method.md, H′)."""
    if item.demoted_seq is None:
        return None
    newer = evidence_since_demotion(db, item.id, item.demoted_seq)
    parameters = latest_parameters(db)
    return SinceDemotion(
        item.demoted_seq,
        newer.u,
        newer.n_ado,
        len(newer.operators),
        parameters.K_ado,
        parameters.K_op,
    )


def events(
    db: sqlite3.Connection, uid: str = "", limit: int = 1000
) -> tuple[EventRow, ...]:
    """Return the memory events of one item, or the latest of all, oldest first."""
    rows = db.execute(
        f"{EVENTS} WHERE (:uid = '' OR item.uid = :uid) ORDER BY e.seq DESC LIMIT :limit",
        {"uid": uid, "limit": limit},
    )
    return rows_as(rows, EventRow)[::-1]


def imported_prior(db: sqlite3.Connection, uid: str) -> tuple[float, int] | None:
    """Return (u, n_ret) that came with an item without traces, None when all its evidence has them."""
    rows = db.execute(
        "SELECT json_extract(record.value, '$.prior.u'), "
        "json_extract(record.value, '$.prior.n_ret') "
        "FROM foreign_episode, json_each(data, '$.credit') AS record "
        f"WHERE record.key = ? AND json_extract(record.value, '$.prior') IS NOT NULL AND {HOLDS}",
        (uid,),
    ).fetchall()
    total = sum(n_ret for _u, n_ret in rows)
    if not total:
        return None
    # The mean by retrievals, as the fold takes priors in.
    weighted = sum(u * n_ret for u, n_ret in rows)
    return weighted / total, total


def hot_view(db: sqlite3.Connection) -> HotView:
    """Return hot memory as it is now; its budget is that of the latest episode."""
    parameters = latest_parameters(db)
    residents = _ranked(db, "item.hot_region = 1")
    waiting = _ranked(
        db,
        f"item.sigma = 'validated' AND {_ACTIVE} AND item.rule_text <> '' AND item.barred = 0",
    )
    out = held_back(db, parameters)
    return HotView(
        parameters.B,
        block_tokens(row.L_m for row in residents),
        residents,
        tuple(row for row in waiting if row.id not in out),
        unruled_uids(db),
        _blocked(db),
        hot_block(db),
    )


def _blocked(db: sqlite3.Connection) -> int:
    """How many validated items a person or the engine keeps out of hot memory."""
    where = f"sigma = 'validated' AND {_ACTIVE} AND barred = 1"
    (count,) = db.execute(f"SELECT count(*) FROM item WHERE {where}").fetchone()
    return int(count)


def snapshots(db: sqlite3.Connection) -> tuple[tuple[int, HotSnapshot], ...]:
    """Return every snapshot with its seq, oldest first."""
    return tuple(
        (row["seq"], to_snapshot(row))
        for row in db.execute("SELECT * FROM hot_snapshot ORDER BY seq")
    )


def _ranked(db: sqlite3.Connection, where: str) -> tuple[ItemRow, ...]:
    rows = db.execute(
        f"{_TABLE} WHERE {where} ORDER BY v.density DESC, item.L_m, item.n_ado DESC, item.id"
    )
    return rows_as(rows, ItemRow)


def _conditions(table_filter: TableFilter) -> tuple[str, list[str | float]]:
    """The SQL of a filter and its values; texts of a person are only ever values."""
    clauses = ["1"]
    values: list[str | float] = []
    for column, allowed in (
        ("type", table_filter.types),
        ("category", table_filter.categories),
        ("sigma", table_filter.lifecycles),
        ("state", table_filter.states),
        ("origin", table_filter.origins),
    ):
        if allowed:
            marks = ", ".join("?" * len(allowed))
            clauses.append(f"item.{column} IN ({marks})")
            values += [str(value) for value in allowed]
    for column, flag in (
        ("hot_region", table_filter.resident),
        ("pinned", table_filter.pinned),
    ):
        if flag is not None:
            clauses.append(f"item.{column} = ?")
            values.append(int(flag))
    columns = ("uid", "title", "category", "error_message", "summary", "rule_text")
    text = " || ' ' || ".join(f"item.{column}" for column in columns)
    for word in table_filter.text.split():
        clauses.append(f"({text}) LIKE ? ESCAPE '\\'")
        values.append(f"%{_escaped(word)}%")
    for condition in table_filter.conditions:
        clause, value = _condition(condition)
        clauses.append(f"NOT ({clause})" if condition.negated else clause)
        values.append(value)
    return " AND ".join(clauses), values


def _condition(condition: Condition) -> tuple[str, str | float]:
    """The SQL of a query word, with one value."""
    text = _escaped(str(condition.value))
    if condition.field in _PARTS:
        return _PARTS[condition.field], f"%{text}%"
    if condition.field == "tag":
        has_tag = f"item.id IN (SELECT item_id FROM ({_TAGS}) WHERE {_IS_TAG})"
        return has_tag, text
    number = _NUMBERS[condition.field].format(f"{condition.comparison} ?")
    return number, condition.value


_PARTS = {
    column: f"item.{name} LIKE ? ESCAPE '\\'"
    for column, name in (
        ("type", "type"),
        ("category", "category"),
        ("state", "state"),
        ("lifecycle", "sigma"),
        ("origin", "origin"),
        ("uid", "uid"),
    )
} | {
    "operator": "item.id IN (SELECT item_id FROM item_operator WHERE operator LIKE ? ESCAPE '\\')"
}
_IS_TAG = "' ' || tags || ' ' LIKE '% ' || ? || ' %' ESCAPE '\\'"
_OF_VIEW = "item.id IN (SELECT id FROM memory_item WHERE {0} {{0}})"
_NUMBERS = {
    "utility": "item.u_m {0}",
    "retrieved": "item.n_ret {0}",
    "adopted": "item.n_ado {0}",
    "tokens": "item.L_m {0}",
    "operators": "(SELECT count(*) FROM item_operator AS o WHERE o.item_id = item.id) {0}",
    "frequency": _OF_VIEW.format("p_hat"),
    "density": _OF_VIEW.format("density"),
    "hot": "item.hot_region {0}",
    "pinned": "item.pinned {0}",
    "blocked": "item.barred {0}",
}


def _escaped(word: str) -> str:
    """A word in which `LIKE` takes nothing for a wildcard."""
    for sign in ("\\", "%", "_"):
        word = word.replace(sign, f"\\{sign}")
    return word


def _credits(db: sqlite3.Connection, item_id: int, uid: str) -> tuple[CreditRow, ...]:
    """Return every credit of an item, with those that came with merged memories and joined items."""
    names = {uid, *merged_into(db, (item_id,))}
    foreign = [
        episode for episode in foreign_episodes(db) if names & episode.credit.keys()
    ]
    if foreign or len(names) > 1:
        return _folded_credits(db, names, foreign)
    rows = db.execute(
        "SELECT c.seq, c.episode_uid, e.trajectory_uid, e.operator, e.objective, c.rule, c.adopted, e.z, "
        "(SELECT count(*) FROM credit_event AS o WHERE o.episode_uid = c.episode_uid AND o.adopted = 1) "
        "AS adopted_together, "
        "c.xi, c.eta, c.u_before, c.u_after, e.finished_at AS at "
        "FROM credit_event AS c JOIN episode AS e ON e.uid = c.episode_uid WHERE c.item_id = ? ORDER BY "
        "c.seq",
        (item_id,),
    )
    return rows_as(rows, CreditRow)


def _folded_credits(
    db: sqlite3.Connection, names: Collection[str], foreign: Sequence[EpisodeRecord]
) -> tuple[CreditRow, ...]:
    """Return credits as they are folded when some were earned elsewhere; `seq` is 0 for those."""
    applied = db.execute("SELECT uid, seq FROM episode WHERE status = 'applied'")
    own = dict(applied.fetchall())
    # An episode of this memory may come back with a merge; it counts once, as its own.
    from_elsewhere = [episode for episode in foreign if episode.uid not in own]
    steps: Steps = []
    fold(names, [*own_episodes(db), *from_elsewhere], steps)
    return tuple(
        record_of(
            CreditRow,
            episode,
            seq=own.get(episode.uid, 0),
            episode_uid=episode.uid,
            trajectory_uid=episode.trajectory,
            rule=episode.occasion().parameters.credit_rule,
            adopted=step.record.adopted,
            adopted_together=sum(record.adopted for record in episode.credit.values()),
            xi=step.record.xi,
            eta=step.eta,
            u_before=step.before.u,
            u_after=step.after.u,
            at=episode.finished_at,
        )
        for episode, step in steps
        if step.record is not None and step.record.xi is not None
    )


def _adoptions(db: sqlite3.Connection, item_id: int) -> tuple[AdoptionRow, ...]:
    rows = db.execute(
        "SELECT t.episode_uid, e.trajectory_uid, e.operator, e.objective, t.round, t.rank, t.state, "
        "t.rationale, "
        "t.s_rel, t.u_at, t.s, t.counted "
        "FROM trace AS t JOIN episode AS e ON e.uid = t.episode_uid WHERE t.item_id = ? "
        "ORDER BY e.started_at, e.rowid, t.round",
        (item_id,),
    )
    return rows_as(rows, AdoptionRow)


def _history(db: sqlite3.Connection, item_id: int) -> tuple[ContentChange, ...]:
    rows = db.execute(
        "SELECT at, fields FROM content_change WHERE item_id = ? ORDER BY at, fields",
        (item_id,),
    )
    return rows_as(rows, ContentChange, json=("fields",))


def _uses(db: sqlite3.Connection, item_id: int) -> tuple[UseRow, ...]:
    rows = db.execute(
        "SELECT h.episode_uid, e.operator, e.objective, h.round, h.rationale, e.z FROM hot_use AS h "
        "JOIN episode AS e ON e.uid = h.episode_uid WHERE h.item_id = ? ORDER BY e.started_at, e.rowid, "
        "h.round",
        (item_id,),
    )
    return rows_as(rows, UseRow)


def exported_snapshot(db: sqlite3.Connection, seq: int) -> str:
    """Return the snapshot taken at an event as JSON in exactly the paper's schema.

    Its `title` is the consolidated rule, as it stood in the prompt then.

    Raises:
        SageError: There is none.
    """
    stored = read_snapshot(db, seq)
    rules = rules_at(db, seq)
    entries = tuple(
        replace(entry, title=rules.get(entry.id, entry.title))
        for entry in stored.hot_entries
    )
    snapshot = replace(stored, hot_entries=entries)
    return msgspec.json.format(msgspec.json.encode(snapshot), indent=2).decode()
