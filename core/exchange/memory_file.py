"""A memory as a file that travels.

JSON lines, in an order and form that depend on nothing but the content.

Line 1 is a header, then the items by uid, then the episodes that gave them credit. What
is derived (utility, counts, operators) is written for readers and computed again on
import.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from core.errors import InvalidInput
from core.memory.content import require_uid
from core.memory.evidence import (
    EpisodeRecord,
    any_merged,
    foreign_episodes,
    in_order,
    merged_into,
    merged_items,
    own_episodes,
    whole_item,
)
from core.memory.ledger import CONTENT, TAKEN_BACK, encode
from core.memory.reading import read_items
from core.memory.records import (
    CodeDiff,
    ContentChange,
    ItemState,
    MemoryItem,
    Origin,
    Scope,
)
from core.outside import read_text
from core.records_json import decode
from core.same_fields import record_of, values_of
from core.workspace.rows import LISTED, listed

# 1 had no archived items. Earlier releases wrote 2 where used residents had earned
# credit, which counts nothing now.
FORMAT = 3
# Characters of a field; earlier releases took more than a prompt does.
_MOST_TEXT = 1 << 16
_ITEMS_READ = 100  # at a time
_RECORDS = (("code_diff", CodeDiff), ("scope", Scope))


@dataclass(frozen=True, slots=True)
class BankItem:
    """An item as it travels.

    Attributes:
        changes: Everything ever written to it, oldest first; the content is their fold.
        aliases: uids of items that were merged into it and are not in the file
            themselves; their credit is its credit.
        eligible: Memory id -> episodes in which that memory could retrieve it; merged
            by the larger number.
        archived: It was out of use where the file was written.
        part_of: uid of the item it was merged into; its credit is credit of that one.
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
    archived: bool = False
    part_of: str = ""


@dataclass(frozen=True, slots=True)
class Bank:
    """A memory as it travels: read from a file, or to be written to one.

    Attributes:
        items: In order of uid.
        episodes: What gave them credit.
        names_are_content: The file names no uid: those here are made of the content.
    """

    items: tuple[BankItem, ...]
    episodes: tuple[EpisodeRecord, ...]
    names_are_content: bool = False


class _Header(msgspec.Struct, tag_field="kind", tag="memory"):
    format: int


class _Item(msgspec.Struct, tag_field="kind", tag="item"):
    item: BankItem


class _Episode(msgspec.Struct, tag_field="kind", tag="episode"):
    episode: EpisodeRecord


def export_bank(db: sqlite3.Connection) -> str:
    """Return the memory as one text, see `bank_lines`."""
    return "".join(bank_lines(db))


def bank_lines(db: sqlite3.Connection) -> Iterator[str]:
    """Yield the memory as JSON lines, archived items included and marked.

    Items whose coming was undone are left out. Equal memories give equal lines. Items
    are read a few at a time, in a transaction where others may write meanwhile.
    """
    yield f"{encode(_Header(FORMAT))}\n"
    for item in _bank_items(db):
        yield f"{encode(_Item(item))}\n"
    # One uid is one episode, whichever memory it came from.
    episodes = {
        episode.uid: episode for episode in (*own_episodes(db), *foreign_episodes(db))
    }
    for episode in in_order(episodes.values()):
        yield f"{encode(_Episode(episode))}\n"


def _bank_items(db: sqlite3.Connection) -> Iterator[BankItem]:
    """Yield the items as they travel, in order of uid."""
    rows = db.execute(
        "SELECT uid, id FROM item WHERE NOT (state = ? AND state_reason = ?) ORDER BY uid",
        (ItemState.ARCHIVED.value, TAKEN_BACK),
    )
    number_of = {row[0]: row[1] for row in rows}
    beside = _Beside(db, number_of)
    names = list(number_of)
    for first in range(0, len(names), _ITEMS_READ):
        uids = names[first : first + _ITEMS_READ]
        details = _Details(db, [number_of[uid] for uid in uids])
        for item in read_items(db, uids):
            yield _bank_item(beside, details, item)


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
    # The whole file is checked before anything of it is used.
    rows = list(_rows(source, text.splitlines()))
    if not rows or not isinstance(rows[0], _Header):
        raise InvalidInput(source, "line 1", "is not the header of an exported memory")
    if rows[0].format > FORMAT:
        raise InvalidInput(
            source,
            "format",
            "{format} is newer than {ours}",
            "Update SAGE Desktop.",
            format=rows[0].format,
            ours=FORMAT,
        )
    return Bank(
        tuple(row.item for row in rows if isinstance(row, _Item)),
        tuple(row.episode for row in rows if isinstance(row, _Episode)),
    )


def paper_item(item: MemoryItem, last_used: int | None) -> str:
    """Return an item as JSON in the schema of the paper's memory-item record.

    Args:
        item: Of this memory.
        last_used: Number of the episode that last used its rule, counted from 1; None: no one did.
    """
    values = values_of(item) | {"hot_last_used_episode": last_used}
    names = list(values)
    # The fields of the paper come first in `MemoryItem`, density is their last.
    paper = names[: names.index("density") + 1]
    return msgspec.json.encode({name: values[name] for name in paper}).decode()


def _with_own(elsewhere: str, n_elig: int, bank: str) -> dict[str, int]:
    # Counts travel by memory: a merge takes the larger one of each and adds none twice.
    counts = msgspec.json.decode(elsewhere, type=dict[str, int])
    own = n_elig - sum(counts.values())
    return counts | {bank: own} if own > 0 else counts


def content_changes(db: sqlite3.Connection, item_id: int) -> tuple[ContentChange, ...]:
    """Return everything ever written to an item, oldest first."""
    rows = db.execute(
        "SELECT at, fields FROM content_change WHERE item_id = ? ORDER BY at, fields",
        (item_id,),
    )
    return tuple(_content_change(row[0], row[1]) for row in rows)


def _content_change(at: str, fields: str) -> ContentChange:
    return ContentChange(
        at, canonical(msgspec.json.decode(fields, type=dict[str, str | int]))
    )


def canonical(fields: dict[str, str | int]) -> dict[str, str | int]:
    """Return content columns with their JSON written whole.

    Equal content, equal text.
    """
    whole = {
        name: encode(decode(str(fields[name]), kind))
        for name, kind in _RECORDS
        if name in fields
    }
    return fields | whole


class _Beside:
    """What is known of all items that travel."""

    def __init__(self, db: sqlite3.Connection, number_of: Mapping[str, int]) -> None:
        self.db = db
        self._number_of = number_of
        self._uid_of = {number: uid for uid, number in number_of.items()}
        self._merged = merged_items(db)
        self._any_alias = any_merged(db)
        self.bank = str(
            db.execute("SELECT value FROM meta WHERE key = 'bank_id'").fetchone()[0]
        )

    def aliases(self, item: MemoryItem) -> tuple[str, ...]:
        """Return the uids that stand for the item and do not travel themselves."""
        if not self._any_alias or self.whole(item):
            return ()
        names = merged_into(self.db, (item.id,))
        return tuple(uid for uid in names if uid not in self._number_of)

    def whole(self, item: MemoryItem) -> str:
        """Return the uid of the item that `item` is a part of; empty where of none."""
        whole = whole_item(item.id, self._merged)
        return "" if whole == item.id else self._uid_of.get(whole, "")


class _Details:
    """What is kept of some items in tables beside theirs, and of no other.

    Attributes:
        eligible: Item -> JSON of how often other memories could retrieve it.
        changes: Item -> everything ever written to it, oldest first.
    """

    def __init__(self, db: sqlite3.Connection, items: Sequence[int]) -> None:
        rows = db.execute(
            f"SELECT id, elig_foreign FROM item WHERE id IN {LISTED}", (listed(items),)
        )
        self.eligible = {row[0]: row[1] for row in rows}
        self.changes: dict[int, list[ContentChange]] = {}
        rows = db.execute(
            "SELECT item_id, at, fields FROM content_change "
            f"WHERE item_id IN {LISTED} ORDER BY item_id, at, fields",
            (listed(items),),
        )
        for item, at, fields in rows:
            self.changes.setdefault(item, []).append(_content_change(at, fields))


def _bank_item(beside: _Beside, details: _Details, item: MemoryItem) -> BankItem:
    """An item as it travels: its content with its history, its evidence, its other names and where it is a part."""
    return record_of(
        BankItem,
        item,
        adopted_operators=tuple(sorted(item.adopted_operators)),
        changes=tuple(details.changes.get(item.id, ())),
        eligible=_with_own(details.eligible[item.id], item.n_elig, beside.bank),
        aliases=beside.aliases(item),
        archived=item.state is ItemState.ARCHIVED,
        part_of=beside.whole(item),
    )


def _rows(source: str, lines: list[str]) -> Iterator[_Header | _Item | _Episode]:
    """The rows of a bank file, checked.

    Raises:
        InvalidInput: Naming the line, and the field where one is wrong.
    """
    decoder = msgspec.json.Decoder(_Header | _Item | _Episode)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
            if isinstance(row, _Item):
                _check(source, number, row.item)
                changes = (
                    ContentChange(change.at, canonical(change.fields))
                    for change in row.item.changes
                )
                row = _Item(replace(row.item, changes=tuple(changes)))
        except (ValueError, RecursionError) as error:
            # From msgspec: a lone surrogate, or brackets without end.
            deep = isinstance(error, RecursionError)
            problem = (
                "nests too many lists or objects in each other" if deep else str(error)
            )
            raise InvalidInput(source, f"line {number}", problem) from error
        yield row


def _check(source: str, number: int, item: BankItem) -> None:
    """Refuse an item whose texts or numbers no memory could hold: the file comes from elsewhere."""
    place = f"{source}: line {number}"
    for uid in (item.uid, *item.aliases, *filter(None, [item.part_of])):
        require_uid(uid, place, "item")
    for change in item.changes:
        for name, value in change.fields.items():
            if isinstance(value, str) and len(value) > _MOST_TEXT:
                raise InvalidInput(
                    place,
                    f"item.changes.{name}",
                    "has {count} characters, at most {limit} fit",
                    count=len(value),
                    limit=_MOST_TEXT,
                )
    names = {name for change in item.changes for name in change.fields}
    unknown = sorted(names - set(CONTENT))
    if unknown:
        raise InvalidInput(
            source,
            f"line {number}: item.changes",
            "{unknown!r} is not a field of an item",
            unknown=unknown[0],
        )
    for name in ("title", "type", "category"):
        if name not in names or not str(getattr(item, name)).strip():
            raise InvalidInput(
                source, f"line {number}: item.{name}", "is empty or was never written"
            )
