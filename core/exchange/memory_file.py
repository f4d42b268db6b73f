"""A memory as a file that travels: JSON lines, in an order and form that depend on nothing but the content.

Line 1 is a header, then the items by uid, then the episodes that gave them credit. What is derived (utility,
counts, operators) is written for readers and computed again on import.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from core.errors import InvalidInput
from core.memory.evidence import EpisodeRecord, foreign_episodes, merged_into, own_episodes
from core.memory.ledger import CONTENT, encode
from core.memory.reading import read_items
from core.memory.records import CodeDiff, ItemState, MemoryItem, Origin, Scope
from core.outside import read_text
from core.records_json import decode

FORMAT = 2
_WITHOUT_HOT_CREDIT = 1  # an older release reads it rightly; it would count credited residents as retrieved
_RECORDS = (("code_diff", CodeDiff), ("scope", Scope))


@dataclass(frozen=True, slots=True)
class ContentChange:
    """What was written to an item at a time: column -> value as stored."""

    at: str
    fields: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class BankItem:
    """An item as it travels.

    Attributes:
        changes: Everything ever written to it, oldest first; the content is their fold.
        aliases: uids of items that were merged into it; their credit is its credit.
        eligible: Memory id -> episodes in which that memory could retrieve it; merged by the larger number.
    """

    uid: str
    origin: Origin
    created_at: str
    title: str
    type: str
    category: str
    error_message: str
    code_diff: CodeDiff
    summary: str
    scope: Scope
    source: str
    rule_text: str
    rule_example: str
    auto_title: bool
    u_m: float
    n_ret: int
    n_ado: int
    adopted_operators: tuple[str, ...]
    changes: tuple[ContentChange, ...]
    eligible: dict[str, int]
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bank:
    """A memory read from a file."""

    items: tuple[BankItem, ...]
    episodes: tuple[EpisodeRecord, ...]


class _Header(msgspec.Struct, tag_field="kind", tag="memory"):
    format: int


class _Item(msgspec.Struct, tag_field="kind", tag="item"):
    item: BankItem


class _Episode(msgspec.Struct, tag_field="kind", tag="episode"):
    episode: EpisodeRecord


def export_bank(db: sqlite3.Connection) -> str:
    """Return the memory as JSON lines, archived items left out; equal memories give equal bytes."""
    episodes = {episode.uid: _travelling(episode) for episode in (*own_episodes(db), *foreign_episodes(db))}
    ordered = sorted(episodes.values(), key=lambda e: (e.finished_at, e.uid))
    credited = any(record.resident for episode in ordered for record in episode.credit.values())
    lines = [encode(_Header(FORMAT if credited else _WITHOUT_HOT_CREDIT))]
    items = (item for item in read_items(db, None) if item.state is not ItemState.ARCHIVED)
    lines += [encode(_Item(_bank_item(db, item))) for item in sorted(items, key=lambda item: item.uid)]
    lines += [encode(_Episode(episode)) for episode in ordered]
    return "\n".join(lines) + "\n"


def read_bank(path: Path) -> Bank:
    """Read a file of `export_bank`'s form.

    Raises:
        InvalidInput: Naming the file and line that is not as expected.
    """
    return parse_bank(str(path), read_text(path))


def parse_bank(source: str, text: str) -> Bank:
    """Read `export_bank`'s form; `source` names it in errors.

    Raises:
        InvalidInput: Naming the line that is not as expected.
    """
    rows = list(_rows(source, text.splitlines()))
    if not rows or not isinstance(rows[0], _Header):
        raise InvalidInput(source, "line 1", "is not the header of an exported memory")
    if rows[0].format > FORMAT:
        raise InvalidInput(
            source, "format", f"{rows[0].format} is newer than {FORMAT}", "Update SAGE Desktop."
        )
    return Bank(
        tuple(row.item for row in rows if isinstance(row, _Item)),
        tuple(row.episode for row in rows if isinstance(row, _Episode)),
    )


def paper_item(item: MemoryItem) -> str:
    """Return an item as JSON in exactly the paper's schema ("Schema of a memory-item record")."""
    names = (
        "id",
        "title",
        "type",
        "category",
        "error_message",
        "code_diff",
        "summary",
        "u_m",
        "n_ret",
        "n_ado",
        "adopted_operators",
        "sigma",
        "L_m",
        "hot_region",
        "hot_last_used_episode",
        "p_hat",
        "n_elig",
        "density",
    )
    return msgspec.json.encode({name: getattr(item, name) for name in names}).decode()


def eligible_counts(db: sqlite3.Connection, uid: str, n_elig: int) -> dict[str, int]:
    """Return memory id -> eligible episodes of an item, this memory's own part included."""
    row = db.execute("SELECT elig_foreign FROM item WHERE uid = ?", (uid,)).fetchone()
    counts = msgspec.json.decode(row[0], type=dict[str, int])
    own = n_elig - sum(counts.values())
    bank = db.execute("SELECT value FROM meta WHERE key = 'bank_id'").fetchone()[0]
    return counts | {bank: own} if own > 0 else counts


def content_changes(db: sqlite3.Connection, item_id: int) -> tuple[ContentChange, ...]:
    """Return everything ever written to an item, oldest first."""
    rows = db.execute(
        "SELECT at, fields FROM content_change WHERE item_id = ? ORDER BY at, fields", (item_id,)
    )
    return tuple(
        ContentChange(row[0], canonical(msgspec.json.decode(row[1], type=dict[str, str | int])))
        for row in rows
    )


def canonical(fields: dict[str, str | int]) -> dict[str, str | int]:
    """Return content columns with their JSON written out whole, so that equal content is equal text."""
    whole = {name: encode(decode(str(fields[name]), kind)) for name, kind in _RECORDS if name in fields}
    return fields | whole


def _travelling(episode: EpisodeRecord) -> EpisodeRecord:
    """Return an episode without the residents that were used and got nothing: they are no evidence."""
    credit = {uid: r for uid, r in episode.credit.items() if not r.resident or r.xi is not None}
    return replace(episode, credit=credit)


def _bank_item(db: sqlite3.Connection, item: MemoryItem) -> BankItem:
    return BankItem(
        uid=item.uid,
        origin=item.origin,
        created_at=item.created_at,
        title=item.title,
        type=item.type,
        category=item.category,
        error_message=item.error_message,
        code_diff=item.code_diff,
        summary=item.summary,
        scope=item.scope,
        source=item.source,
        rule_text=item.rule_text,
        rule_example=item.rule_example,
        auto_title=item.auto_title,
        u_m=item.u_m,
        n_ret=item.n_ret,
        n_ado=item.n_ado,
        adopted_operators=tuple(sorted(item.adopted_operators)),
        changes=content_changes(db, item.id),
        eligible=eligible_counts(db, item.uid, item.n_elig),
        aliases=merged_into(db, (item.id,)),
    )


def _rows(source: str, lines: list[str]) -> Iterator[_Header | _Item | _Episode]:
    decoder = msgspec.json.Decoder(_Header | _Item | _Episode)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
            if isinstance(row, _Item):
                _check(source, number, row.item)
                changes = (ContentChange(change.at, canonical(change.fields)) for change in row.item.changes)
                row = _Item(replace(row.item, changes=tuple(changes)))
        except (ValueError, RecursionError) as error:  # of msgspec, a lone surrogate, brackets without end
            deep = isinstance(error, RecursionError)
            problem = "nests too many lists or objects in each other" if deep else str(error)
            raise InvalidInput(source, f"line {number}", problem) from error
        yield row


def _check(source: str, number: int, item: BankItem) -> None:
    written = {name for change in item.changes for name in change.fields}
    unknown = sorted(written - set(CONTENT))
    if unknown:
        raise InvalidInput(
            source, f"line {number}: item.changes", f"{unknown[0]!r} is not a field of an item"
        )
    for name in ("title", "type", "category"):
        if name not in written or not str(getattr(item, name)).strip():
            raise InvalidInput(source, f"line {number}: item.{name}", "is empty or was never written")
