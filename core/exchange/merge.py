"""Joining two memories.

By uid, by union, the same result in any order and however often.

Whether an item is in use is each memory's own decision. One that is new here comes
archived when it was archived there, and is in use as soon as a memory arrives that uses
it.

Content is the fold of everything ever written, the last writer of a field wins and the
other text stays in the history; evidence is folded again from the union of the
episodes. What a person should look at is reported.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.exchange.conflicts import Conflict, note
from core.exchange.memory_file import Bank, BankItem, content_changes
from core.memory import residency
from core.memory.content import (
    ItemContent,
    content_hash,
    folded_content,
    is_title,
    without_rule,
)
from core.memory.evidence import (
    HOLDS,
    EpisodeRecord,
    EvidenceFolder,
    any_merged,
    counts,
    foreign_episodes,
    merged_into,
    own_episodes,
    owners,
)
from core.memory.ledger import (
    ARRIVED_ARCHIVED,
    OPERATORS,
    TAKEN_BACK,
    Value,
    close_step,
    create,
    current_seq,
    encode,
    episodes_applied,
    has_events,
    known_uids,
    next_seq,
    revived,
    set_columns,
    write_change,
)
from core.memory.reading import latest_parameters, read_item, read_items
from core.memory.records import (
    ContentChange,
    ItemState,
    MemoryItem,
)
from core.memory.retrieval.sparse_index import SparseIndex
from core.memory.store import MemoryStore
from core.memory.time_models import hold_superseded
from core.memory.tokens import rule_tokens
from core.records_json import decode
from core.workspace.rows import LISTED, listed

# Stands for the seq of the merge until that is drawn, as the last of its events.
_NOW = -1


@dataclass(frozen=True)
class MergeReport:
    """What a merge did, or would do.

    Attributes:
        added: uids new here, in the state asked for.
        updated: uids whose content changed.
        credited: uids whose evidence changed.
        unchanged: How many items were the same already.
        episodes: Episodes that are new here.
        conflicts: Fields changed on both sides.
    """

    added: tuple[str, ...]
    updated: tuple[str, ...]
    credited: tuple[str, ...]
    unchanged: int
    episodes: int
    conflicts: tuple[Conflict, ...]


def merge_bank(
    store: MemoryStore,
    bank: Bank,
    *,
    source: str,
    state: ItemState = ItemState.QUARANTINED,
    dry_run: bool = False,
) -> MergeReport:
    """Merge a bank into the memory of a workspace, in one transaction.

    Args:
        store: Where to.
        bank: What.
        source: Where it comes from, kept as the reason of every event.
        state: State of items that are new here; quarantined until a person has looked.
        dry_run: Only report.
    """
    reason = f"merged from {source}"
    with (
        store.workspace.rehearsal() if dry_run else store.workspace.transaction() as db
    ):
        merged = _without_known(db, bank) if bank.names_are_content else bank
        report = _Merge(store, db, merged, reason, state).run()
        omitted = len(bank.items) - len(merged.items)
        report = replace(report, unchanged=report.unchanged + omitted)
        if not dry_run:
            # Refreshed now, so that the first search need not wait for it.
            SparseIndex(store.workspace).refresh()
        note(store.workspace, report.conflicts, source)
        return report


def _without_known(db: sqlite3.Connection, bank: Bank) -> Bank:
    """Leave out items whose content is here under another uid.

    They were in this memory before they were written without their uids. The counters
    of such a record stand for episodes that are here, or cannot be told from them.
    """
    named = {item.uid for item in bank.items}
    present = {
        _wording(item)
        for item in read_items(db, None)
        if item.uid not in named and item.state_reason != TAKEN_BACK
    }
    new = (item for item in bank.items if _wording(item) not in present)
    return replace(bank, items=tuple(new))


def _wording(item: MemoryItem | BankItem) -> tuple[object, ...]:
    """What the paper's record tells of an item: nothing of its scope and source."""
    return (
        item.title,
        item.type,
        item.category,
        item.error_message,
        item.code_diff,
        item.summary,
    )


class _Merge:
    """One merge, within a transaction.

    Args:
        store: Memory that takes the bank in.
        db: Connection inside a transaction.
        bank: What comes.
        reason: Of every event.
        state: Of items that are new here.
    """

    def __init__(
        self,
        store: MemoryStore,
        db: sqlite3.Connection,
        bank: Bank,
        reason: str,
        state: ItemState,
    ) -> None:
        self._store = store
        self._db = db
        self._bank = bank
        self._reason = reason
        self._state = state
        self._conflicts: list[Conflict] = []
        self._recount: set[int] = set()
        brings_aliases = any(item.aliases for item in bank.items)
        self._any_alias = brings_aliases or any_merged(db)

    def run(self) -> MergeReport:
        """Take episodes, then items, then count what they changed, as one step."""
        first = current_seq(self._db) + 1
        new_episodes = self._take_episodes()
        touched = {uid for episode in new_episodes for uid in episode.credit}
        mine, taken_back = known_uids(self._db)
        evidence = EvidenceFolder(
            [*own_episodes(self._db), *foreign_episodes(self._db)]
        )
        nothing_new = self._without_news(touched, taken_back)
        added, updated, credited = [], [], []
        # Wholes come before their parts, which refer to them.
        wholes_first = sorted(
            self._bank.items, key=lambda item: (bool(item.part_of), item.uid)
        )
        for item in wholes_first:
            if item.uid not in mine:
                self._add(item, evidence)
                mine.add(item.uid)
                added.append(item.uid)
                continue
            if item.uid in nothing_new:
                continue
            content, credit = self._update(item, evidence, touched)
            if item.uid in taken_back:
                added.append(item.uid)
                continue
            updated += [item.uid] * content
            credited += [item.uid] * credit
        credited += self._count_again(touched, evidence)
        hold_superseded(self._db)
        self._keep_budget()
        if has_events(self._db, first) or new_episodes:
            self._close(first)
        changed = {*added, *updated, *credited}
        unchanged = {item.uid for item in self._bank.items} - changed
        return MergeReport(
            tuple(added),
            tuple(dict.fromkeys(updated)),
            tuple(dict.fromkeys(credited)),
            len(unchanged),
            len(new_episodes),
            tuple(self._conflicts),
        )

    def _count_again(self, touched: set[str], evidence: EvidenceFolder) -> list[str]:
        """Count the items that new episodes speak of, whether or not the bank has them.

        Also those that gained or lost a part. Returns the uids of those that changed.
        """
        owner = owners(self._db)
        items = {owner[uid] for uid in touched if uid in owner}
        items |= self._recount
        changed = []
        for number in sorted(items):
            uid = self._db.execute(
                "SELECT uid FROM item WHERE id = ?", (number,)
            ).fetchone()[0]
            names = {uid, *merged_into(self._db, (number,))}
            if self._write(number, counts(evidence.of(names))):
                changed.append(uid)
        return changed

    def _without_news(self, touched: set[str], taken_back: set[str]) -> set[str]:
        """Return the items of the bank that bring nothing.

        Their changes, names and counts are all here.

        Most of what travels between two who exchange often; it is found without a query
        for each.
        """
        owner = owners(self._db)
        credited = {owner[uid] for uid in touched if uid in owner}
        own_changes = {
            tuple(row)
            for row in self._db.execute(
                "SELECT item_id, at, fields FROM content_change"
            )
        }
        rows = self._db.execute(
            "SELECT uid, id, created_at, elig_foreign FROM item "
            "WHERE NOT (state = 'archived' AND state_reason = ?)",
            (ARRIVED_ARCHIVED,),
        )
        mine = {uid: columns for uid, *columns in rows}
        nothing_new = set()
        for item in self._bank.items:
            if item.uid not in mine or item.uid in taken_back or item.aliases:
                continue
            number, created_at, elig_foreign = mine[item.uid]
            eligible = decode(elig_foreign, dict[str, int])
            is_written = all(
                (number, change.at, encode(change.fields)) in own_changes
                for change in item.changes
            )
            is_counted = all(
                eligible.get(bank, 0) >= count
                for bank, count in self._foreign_counts(item.eligible).items()
            )
            is_older = item.created_at < created_at
            is_credited = owner[item.uid] in credited
            if is_written and is_counted and not is_older and not is_credited:
                nothing_new.add(item.uid)
        return nothing_new

    def _close(self, first: int) -> None:
        """Make one step of everything, which also undoes what came with it."""
        seq = close_step(
            self._db, "merge-memory", first, actor="user", reason=self._reason
        )
        for table in ("foreign_episode", "item_alias"):
            self._db.execute(
                f"UPDATE {table} SET brought_by = ? WHERE brought_by = ?", (seq, _NOW)
            )

    def _take_episodes(self) -> list[EpisodeRecord]:
        """Store the episodes that are not here yet; returns them."""
        new = []
        for episode in self._bank.episodes:
            own = self._db.execute(
                "SELECT 1 FROM episode WHERE uid = ?", (episode.uid,)
            ).fetchone()
            if own is None:
                row = (episode.uid, episode.finished_at, encode(episode))
                inserted = self._db.execute(
                    "INSERT INTO foreign_episode VALUES (?, ?, ?, ?) ON CONFLICT (uid) DO UPDATE "
                    f"SET brought_by = excluded.brought_by WHERE NOT ({HOLDS})",
                    (*row, _NOW),
                ).rowcount
                new += [episode] * inserted
        return new

    def _add(self, item: BankItem, evidence: EvidenceFolder) -> None:
        """Write an item that is new here, with the evidence of all its names."""
        content = _folded_changes(item.changes)
        eligible = self._foreign_counts(item.eligible)
        names = {item.uid, *self._effective_aliases(item)}
        columns: dict[str, Value] = {
            **self._content_columns(item.uid, content),
            **counts(evidence.of(names)),
            "uid": item.uid,
            "origin": item.origin.value,
            "created_at": item.created_at,
            **self._new_state(item),
            "elig_foreign": encode(eligible),
            "elig_acc": sum(eligible.values()),
        }
        operators = columns.pop(OPERATORS)
        item_id = create(
            self._db, columns, kind="import", actor="user", reason=self._reason
        )
        self._remember(item_id, item)
        self._loses_alias(item.uid)
        if item.part_of:
            self._recount.add(self._whole_of(item) or item_id)
        if operators != "[]":
            self._write(item_id, {OPERATORS: operators})

    def _effective_aliases(self, item: BankItem) -> set[str]:
        """Return the uids that stand for the item because no item here has them."""
        items = self._db.execute(
            f"SELECT uid FROM item WHERE uid IN {LISTED}", (listed(item.aliases),)
        )
        return {*item.aliases} - {row[0] for row in items}

    def _loses_alias(self, uid: str) -> None:
        """Count the item again for which `uid` stood until it came itself."""
        rows = self._db.execute("SELECT item_id FROM item_alias WHERE uid = ?", (uid,))
        self._recount |= {row[0] for row in rows}

    def _whole_of(self, item: BankItem) -> int | None:
        """Return the number of the item that `item` is a part of, if that is here."""
        row = self._db.execute(
            "SELECT id FROM item WHERE uid = ?", (item.part_of,)
        ).fetchone()
        return None if row is None else int(row[0])

    def _new_state(self, item: BankItem) -> dict[str, Value]:
        """Return the columns of the state of an item that is new here; archived where it comes from stays so."""
        if not item.archived:
            reason = "" if self._state is ItemState.ACTIVE else self._reason
            return {"state": self._state.value, "state_reason": reason}
        return {
            "state": ItemState.ARCHIVED.value,
            "state_reason": ARRIVED_ARCHIVED,
            "superseded_by": self._whole_of(item) if item.part_of else None,
        }

    def _arrived_state(self, mine: MemoryItem, item: BankItem) -> dict[str, Value]:
        """Return the columns of the state of an item that was not decided about here.

        In use stands above archived, archived above a part of another, and of several
        wholes the one whose uid sorts first: the order of merging leaves no trace.
        """
        former = self._db.execute(
            "SELECT whole.id, whole.uid FROM item JOIN item AS whole "
            "ON whole.id = item.superseded_by WHERE item.id = ?",
            (mine.id,),
        ).fetchone()
        former_id, former_uid = former or (None, "")
        if not item.archived:
            new = revived(self._db, self._state, self._reason)
            new["superseded_by"] = None
        elif former is None or (item.part_of and item.part_of >= former_uid):
            return {}
        else:
            new = {"superseded_by": self._whole_of(item) if item.part_of else None}
        # Evidence of a part counts for its whole: both wholes and the item are counted again.
        for number in (former_id, new["superseded_by"], mine.id):
            if isinstance(number, int):
                self._recount.add(number)
        return new

    def _update(
        self, item: BankItem, evidence: EvidenceFolder, touched: set[str]
    ) -> tuple[bool, bool]:
        """Bring an item that is here up to date; whether content changed, and evidence."""
        mine = read_item(self._db, item.uid)
        before = content_changes(self._db, mine.id)
        before_names = self._names(mine)
        self._remember(mine.id, item)
        after = _union_of_changes(before, item.changes)
        content = _folded_changes(after)
        self._conflicts += _conflicting(item.uid, before, item.changes, content)
        columns: dict[str, Value] = {}
        has_new_changes = len(after) != len(before)
        content_changed = has_new_changes and content != _content_of(mine)
        if content_changed:
            columns |= self._content_columns(mine.uid, content)
        names = self._names(mine)
        if names & touched or names - before_names:
            columns |= counts(evidence.of(names))
        columns |= self._eligibility(mine, item)
        columns["created_at"] = min(mine.created_at, item.created_at)
        # Only what the other memory archived, or an undone import, follows the bank again.
        if mine.state is ItemState.ARCHIVED:
            if mine.state_reason == TAKEN_BACK:
                self._loses_alias(item.uid)
                columns |= (
                    self._new_state(item)
                    if item.archived
                    else revived(self._db, self._state, self._reason)
                )
            elif mine.state_reason == ARRIVED_ARCHIVED:
                columns |= self._arrived_state(mine, item)
        changed = self._write(mine.id, columns, content_changed)
        return content_changed, bool(changed & {"u_m", "n_ret", "n_ado", OPERATORS})

    def _names(self, mine: MemoryItem) -> set[str]:
        return {
            mine.uid,
            *(merged_into(self._db, (mine.id,)) if self._any_alias else ()),
        }

    def _content_columns(self, uid: str, content: ItemContent) -> dict[str, Value]:
        """Return the columns of content, with its hash and the cost of its rule."""
        columns = content.columns() | {
            "content_hash": content_hash(content.experience),
            "L_m": 0,
            "tokenizer_id": "",
        }
        if content.rule_text:
            counter = self._store.counter
            columns["tokenizer_id"] = counter.id
            columns["L_m"] = rule_tokens(
                uid,
                content.experience.title,
                content.rule_text,
                content.rule_example,
                counter,
            )
        return columns

    def _eligibility(self, mine: MemoryItem, item: BankItem) -> dict[str, Value]:
        """Return the columns of N_elig: episodes of each bank count once, however often it is merged."""
        row = self._db.execute(
            "SELECT elig_acc, elig_foreign FROM item WHERE id = ?", (mine.id,)
        ).fetchone()
        own = decode(row["elig_foreign"], dict[str, int])
        incoming = self._foreign_counts(item.eligible)
        joined = {
            bank: max(own.get(bank, 0), incoming.get(bank, 0))
            for bank in sorted({*own, *incoming})
        }
        # What was accumulated here itself, and what the banks brought.
        of_this_memory = row["elig_acc"] - sum(own.values())
        accumulated = of_this_memory + sum(joined.values())
        return {"elig_foreign": encode(joined), "elig_acc": accumulated}

    def _foreign_counts(self, eligible: dict[str, int]) -> dict[str, int]:
        """Bank -> eligible episodes, without those of this memory, which counts its own."""
        own = self._store.workspace.meta("bank_id")
        return {bank: eligible[bank] for bank in sorted(eligible) if bank != own}

    def _remember(self, item_id: int, item: BankItem) -> None:
        """Store the other names of an item and what was written to it elsewhere."""
        self._db.executemany(
            "INSERT INTO item_alias VALUES (?, ?, ?) "
            f"ON CONFLICT (uid) DO UPDATE SET brought_by = excluded.brought_by WHERE NOT ({HOLDS})",
            [(alias, item_id, _NOW) for alias in item.aliases],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO content_change VALUES (?, ?, ?)",
            [(item_id, change.at, encode(change.fields)) for change in item.changes],
        )

    def _write(
        self, item_id: int, columns: dict[str, Value], content_changed: bool = False
    ) -> set[str]:
        """Write columns as one event; returns those that were not so already."""
        seq = next_seq(self._db)
        if content_changed:
            columns = columns | {"rev": seq}
        inverse = set_columns(self._db, {item_id: columns})
        changed = {
            name: value
            for name, value in columns.items()
            if inverse[item_id][name] != value
        }
        if changed:
            old = {name: inverse[item_id][name] for name in changed}
            write_change(
                self._db,
                seq,
                "merge",
                item_id,
                {item_id: changed},
                {item_id: old},
                actor="user",
                reason=self._reason,
                note={"applied": episodes_applied(self._db)},
                history=False,
            )
        return set(changed)

    def _keep_budget(self) -> None:
        """Let Algorithm 1 choose again where merged evidence or rules made hot memory too large."""
        parameters = latest_parameters(self._db)
        if residency.over_budget(self._db, parameters):
            residency.reselect(self._db, parameters, actor="user", reason=self._reason)


def _union_of_changes(
    *histories: tuple[ContentChange, ...],
) -> tuple[ContentChange, ...]:
    """Return what was written in any of several histories of an item, oldest first."""
    changes = {encode(change): change for history in histories for change in history}
    return tuple(sorted(changes.values(), key=_time_and_text))


def _time_and_text(change: ContentChange) -> tuple[str, str]:
    """Key that orders changes by nothing but themselves, so that two memories order them alike."""
    return change.at, encode(change.fields)


def _content_of(item: MemoryItem) -> ItemContent:
    return ItemContent(
        item.experience, item.rule_text, item.rule_example, item.auto_title
    )


def _folded_changes(changes: Iterable[ContentChange]) -> ItemContent:
    """Return the content that changes add up to, in whatever order they are given."""
    ordered = sorted(changes, key=_time_and_text)
    return folded_content(change.fields for change in ordered)


def _conflicting(
    uid: str,
    own: tuple[ContentChange, ...],
    incoming: tuple[ContentChange, ...],
    content: ItemContent,
) -> list[Conflict]:
    """Return the fields that both sides wrote differently after what they share."""
    # A field that was changed on one side only is no conflict: the newer text holds.
    in_use = content.columns()
    own_changes = {encode(change): change for change in own}
    incoming_changes = {encode(change): change for change in incoming}
    shared = own_changes.keys() & incoming_changes.keys()
    own_only = _last_values(own_changes[key] for key in own_changes.keys() - shared)
    incoming_only = _last_values(
        incoming_changes[key] for key in incoming_changes.keys() - shared
    )
    conflicts = []
    for name in sorted(own_only.keys() & incoming_only.keys()):
        own_value = own_only[name]
        incoming_value = incoming_only[name]
        if own_value == incoming_value:
            continue
        used = in_use[name]
        unused = incoming_value if used == own_value else own_value
        conflicts.append(Conflict(uid, name, str(used), str(unused)))
    return conflicts


def _last_values(changes: Iterable[ContentChange]) -> dict[str, str | int]:
    """The content of an item after all of its changes, in an order that depends on nothing but them."""
    values: dict[str, str | int] = {}
    for change in sorted(changes, key=_time_and_text):
        fields = change.fields
        # A title that serves as rule is no rule that would take the place of a written one.
        values |= without_rule(fields) if is_title(fields) else fields
    return values
