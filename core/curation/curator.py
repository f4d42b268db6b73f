"""What a person changes in the memory, each change an event that can be undone.

Example:
    >>> curator = Curator(store, actor="user")
    >>> curator.pin("seed-0003", reason="holds for every kernel here")
    >>> curator.undo()
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from core.curation.undo import redo_last, undo_event, undo_last
from core.errors import InvalidInput, SageError
from core.memory import residency
from core.memory.content import content_columns, content_hash, require_content
from core.memory.evidence import (
    counts,
    fold,
    foreign_episodes,
    merged_into,
    own_episodes,
)
from core.memory.ledger import (
    OPERATORS,
    Changes,
    Value,
    episodes_applied,
    next_seq,
    set_columns,
    write_change,
)
from core.memory.reading import latest_parameters, read_item
from core.memory.records import Experience, ItemState, MemoryItem
from core.memory.store import MemoryStore
from core.memory.tokens import HOT_HEADER, block_tokens, chosen_counter, make_counter
from core.memory.views.queries import item_tags
from core.method.parameters import MethodParameters

WAITING = (ItemState.PENDING, ItemState.QUARANTINED)  # for a person to accept or reject


class DoesNotFit(SageError):
    """The rule is longer than what is left of the token budget."""


class Curator:
    """Changes items on behalf of `actor`.

    Every method is one transaction and returns the seq of its event.

    A call that would change nothing writes no event and returns 0.
    """

    def __init__(
        self,
        store: MemoryStore,
        *,
        actor: str = "user",
        parameters: MethodParameters | None = None,
    ) -> None:
        self._store = store
        self._workspace = store.workspace
        self._actor = actor
        self._own_parameters = parameters

    def edit(self, uid: str, experience: Experience, *, reason: str = "") -> int:
        """Replace the content of an item. Evidence stays.

        What was there before is kept.
        """
        require_content(experience)
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            if item.experience == experience:
                return 0
            seq = next_seq(db)
            columns = content_columns(experience) | {
                "rev": seq,
                "content_hash": content_hash(experience),
            }
            if item.rule_text:
                renamed = replace(item, title=experience.title)
                text = experience.title if item.auto_title else item.rule_text
                columns |= self._store.rule_columns(
                    renamed, text, item.rule_example, auto_title=item.auto_title
                )
            return self._write(db, "edit", item, {item.id: columns}, reason, seq=seq)

    def edit_rule(
        self, uid: str, rule: str, example: str = "", *, reason: str = ""
    ) -> int:
        """Write or replace the rule of an item by hand; L_m is counted again."""
        if not rule.strip():
            raise InvalidInput("rule", uid, "is empty")
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            columns = self._store.rule_columns(
                item, " ".join(rule.split()), example, auto_title=False
            )
            return self._write(db, "edit-rule", item, {item.id: columns}, reason)

    def accept(self, uid: str, *, reason: str = "") -> int:
        """Put a pending or quarantined item into use."""
        self._require_waiting(uid)
        return self.set_state(uid, ItemState.ACTIVE, reason=reason)

    def reject(self, uid: str, *, reason: str = "") -> int:
        """Put a pending or quarantined item away; it stays readable."""
        self._require_waiting(uid)
        return self.set_state(uid, ItemState.ARCHIVED, reason=reason or "rejected")

    def tag(self, uid: str, tags: Iterable[str], *, reason: str = "") -> int:
        """Give an item exactly these tags, words of a person to find it again.

        Nothing else changes.

        Raises:
            InvalidInput: A tag holds a blank or is empty.
        """
        bare_tags = {tag.strip().lstrip("#").lower() for tag in tags}
        words = sorted(bare_tags)
        for word in words:
            if not word or any(letter.isspace() for letter in word):
                raise InvalidInput(
                    "tag", uid, "{word!r} is not a single word", word=word
                )
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            present = item_tags(db, [item.id]).get(item.id, ())
            if tuple(words) == present:
                return 0
            note: dict[str, Value] = {"tags": " ".join(words)}
            return self._write(db, "tag", item, {}, reason, note=note)

    def pin(self, uid: str, *, reason: str = "") -> int:
        """Keep an item resident at any density.

        It counts against B and may displace others at once.

        Raises:
            DoesNotFit: When it does not fit B beside the other pinned items.
            SageError: When it is not active, or has no rule and titles may not serve as
                rules.
        """
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            if item.pinned:
                return 0
            columns: dict[str, Value] = {
                "pinned": 1,
                "barred": 0,
            } | self._rule_if_missing(item)
            seq = self._write(
                db, "pin", item, {item.id: columns}, reason, reselect=True
            )
            if not read_item(db, uid).hot_region:
                raise DoesNotFit(
                    "The rule of {uid} does not fit the token budget beside the pinned ones.",
                    uid=uid,
                )
            return seq

    def unpin(self, uid: str, *, reason: str = "") -> int:
        """Let Algorithm 1 decide again.

        The item stays resident until the next consolidation.
        """
        return self._set(uid, "unpin", {"pinned": 0}, reason)

    def block(self, uid: str, *, reason: str = "") -> int:
        """Keep an item out of hot memory; it can still be retrieved."""
        columns: dict[str, Value] = {"barred": 1, "pinned": 0}
        return self._set(uid, "block", columns, reason, leave=True)

    def unblock(self, uid: str, *, reason: str = "") -> int:
        """Let an item compete for hot memory again."""
        return self._set(uid, "unblock", {"barred": 0}, reason)

    def promote(self, uid: str, *, reason: str = "") -> int:
        """Admit an item to hot memory now, without the gates.

        Later consolidations treat it as any resident.

        Raises:
            DoesNotFit: When the budget has no room for it.
        """
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            if item.hot_region:
                return 0
            columns = self._rule_if_missing(item)
            cost = columns.get("L_m", item.L_m)
            resident_costs = [
                row[0]
                for row in db.execute("SELECT L_m FROM item WHERE hot_region = 1")
            ]
            parameters = self._parameters(db)
            needed = block_tokens([*resident_costs, int(cost or 0)])
            if needed > parameters.B:
                raise DoesNotFit(
                    "Hot memory with {uid} would take {needed} of {budget} tokens.",
                    "Demote another rule first, or pin this one.",
                    uid=uid,
                    needed=needed,
                    budget=parameters.B,
                )
            seq = next_seq(db)
            row = residency.item_row(db, item.id)
            columns |= residency.promotion(row, seq, episodes_applied(db))
            columns["barred"] = 0
            return self._write(db, "promote", item, {item.id: columns}, reason, seq=seq)

    def demote(self, uid: str, *, reason: str = "") -> int:
        """Remove a rule from hot memory; its source can be retrieved again.

        It comes back when the episodes from now on alone pass the gates
        (docs/method.md, H′), or when a person promotes or pins it. `block` keeps it out
        until `unblock`.
        """
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            if not item.hot_region:
                return 0
            seq = next_seq(db)
            columns: dict[str, Value] = {"pinned": 0, "demoted_seq": seq}
            return self._write(
                db, "demote", item, {item.id: columns}, reason, seq=seq, leave=True
            )

    def set_state(self, uid: str, state: ItemState, *, reason: str = "") -> int:
        """Move an item between pending, active, quarantined and archived.

        Only active items are retrieved, counted as eligible, or resident; nothing is
        ever deleted.
        """
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            if item.state is state:
                return 0
            seq = next_seq(db)
            note = "" if state is ItemState.ACTIVE else reason
            columns: dict[str, Value] = {"state": state.value, "state_reason": note}
            if state is ItemState.ACTIVE:
                columns |= {"elig_mark": episodes_applied(db), "elig_since_seq": seq}
            elif not item.hot_region:
                columns |= {"elig_acc": item.n_elig, "elig_mark": None}
            if state is not ItemState.ACTIVE:
                columns["pinned"] = 0
            kind = f"state-{state.value}"
            return self._write(
                db,
                kind,
                item,
                {item.id: columns},
                reason,
                seq=seq,
                leave=item.hot_region,
            )

    def archive(self, uid: str, *, reason: str = "") -> int:
        """Take an item out of use; it stays readable, and `restore` brings it back."""
        return self.set_state(uid, ItemState.ARCHIVED, reason=reason)

    def restore(self, uid: str, *, reason: str = "") -> int:
        """Put an archived item back into use; also one an older release disabled.

        Raises:
            SageError: The item waits for a decision, or was joined into another one.
        """
        item = self._store.item(uid)
        joined = self._workspace.db.execute(
            "SELECT kept.uid FROM item JOIN item AS kept ON kept.id = item.superseded_by "
            "WHERE item.uid = ?",
            (uid,),
        ).fetchone()
        if joined is not None:
            raise SageError(
                "{uid} was joined into {kept}.",
                "Undo that to have both again.",
                uid=uid,
                kept=joined[0],
            )
        if item.state in WAITING:
            raise SageError(
                "{uid} is {state} and was never in use.",
                "Accept or reject it.",
                uid=uid,
                state=item.state.value,
            )
        return self.set_state(uid, ItemState.ACTIVE, reason=reason)

    def reset_evidence(self, uid: str, *, reason: str = "") -> int:
        """Forget utility and counts of an item whose meaning an edit has changed."""
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            seq = next_seq(db)
            is_active = item.state is ItemState.ACTIVE
            columns: dict[str, Value] = {
                "u_m": 0.0,
                "n_ret": 0,
                "n_ado": 0,
                OPERATORS: "[]",
                "sigma": "normal",
                "pinned": 0,
                "hot_region": 0,
                "hot_admitted_seq": None,
                "ever_hot": 0,
                "demoted_seq": None,
                "p_hat_ema": None,
                "elig_acc": 0,
                "elig_mark": episodes_applied(db) if is_active else None,
                "elig_since_seq": seq,
            }
            return self._write(
                db, "reset-evidence", item, {item.id: columns}, reason, seq=seq
            )

    def join(self, kept: str, other: str, *, reason: str = "") -> int:
        """Make one item of two: `other` is archived, `kept` takes over its evidence.

        The evidence is folded again from the episodes of both, each episode counted
        once (docs/method.md, V).

        Raises:
            SageError: When both are the same item or one is not in use.
        """
        with self._workspace.transaction() as db:
            first = read_item(db, kept)
            second = read_item(db, other)
            is_away = ItemState.ARCHIVED in (first.state, second.state)
            if first.id == second.id or is_away:
                raise SageError(
                    "{other} cannot be joined into {kept}.",
                    "Choose two items that are in use.",
                    other=other,
                    kept=kept,
                )
            parts = merged_into(db, (first.id, second.id))
            names = (kept, other, *parts)
            episodes = [*own_episodes(db), *foreign_episodes(db)]
            evidence = fold(names, episodes)
            seq = next_seq(db)
            applied = episodes_applied(db)
            retired: dict[str, Value] = {}
            if second.hot_region:
                row = residency.item_row(db, second.id)
                retired = residency.demotion(row, seq, applied, self._parameters(db))
            retired |= {
                "state": ItemState.ARCHIVED.value,
                "state_reason": f"merged into {kept}",
                "superseded_by": first.id,
                "pinned": 0,
                "elig_acc": second.n_elig,
                "elig_mark": None,
            }
            changes: Changes = {first.id: counts(evidence), second.id: retired}
            return self._write(db, "merge-items", first, changes, reason, seq=seq)

    def recount(self, counter: str = "", *, reason: str = "") -> int:
        """Count the tokens of every rule again, and select H again: one event.

        Costs of different counters are never mixed in one ranking, so a new counter
        counts everything. Undoing the event brings the former counter back with its
        costs.

        Args:
            counter: Name of the counter from now on (`core.memory.tokens`); empty: the
                present one.
            reason: Why.

        Raises:
            SageError: The counter cannot be used; nothing is changed.
        """
        with self._workspace.transaction() as db:
            store = self._store
            if counter:
                store = MemoryStore(self._workspace, make_counter(counter))
            store.counter.count(HOT_HEADER)  # one that cannot count is refused here
            with_rule = db.execute(
                "SELECT uid FROM item WHERE rule_text <> '' ORDER BY id"
            ).fetchall()
            changes: Changes = {}
            for (uid,) in with_rule:
                item = read_item(db, uid)
                columns = store.rule_columns(
                    item, item.rule_text, item.rule_example, auto_title=item.auto_title
                )
                cost = {name: columns[name] for name in ("L_m", "tokenizer_id")}
                changes[item.id] = cost
            note: dict[str, Value] = {}
            if counter and counter != chosen_counter(db):
                note["counter"] = counter
            return self._write(
                db, "recount", None, changes, reason, reselect=True, note=note
            )

    def undo(self, seq: int | None = None, *, reason: str = "") -> int:
        """Undo the latest event of curation that still holds, or a given one.

        Repeat to go further back.

        Raises:
            undo.CannotUndo: When there is nothing to undo, or a later change stands in
                the way.
        """
        with self._workspace.transaction() as db:
            parameters = self._parameters(db)
            if seq is None:
                return undo_last(db, parameters, actor=self._actor, reason=reason)
            return undo_event(db, seq, parameters, actor=self._actor, reason=reason)

    def redo(self, *, reason: str = "") -> int:
        """Take back the latest undo."""
        with self._workspace.transaction() as db:
            return redo_last(db, self._parameters(db), actor=self._actor, reason=reason)

    def _require_waiting(self, uid: str) -> None:
        """Refuse a decision about an item that waits for none."""
        item = self._store.item(uid)
        if item.state not in WAITING:
            raise SageError(
                "{uid} is {state}; it waits for no decision.",
                "Archive it.",
                uid=uid,
                state=item.state.value,
            )

    def _set(
        self,
        uid: str,
        kind: str,
        columns: dict[str, Value],
        reason: str,
        *,
        leave: bool = False,
    ) -> int:
        """Write columns of one item as an event of `kind`, in a transaction of its own; returns its seq."""
        with self._workspace.transaction() as db:
            item = read_item(db, uid)
            return self._write(db, kind, item, {item.id: columns}, reason, leave=leave)

    def _write(
        self,
        db: sqlite3.Connection,
        kind: str,
        item: MemoryItem | None,
        changes: Changes,
        reason: str,
        *,
        seq: int = 0,
        reselect: bool = False,
        leave: bool = False,
        note: dict[str, Value] | None = None,
    ) -> int:
        """Apply columns and what they mean for residency, and store both as one event.

        Changes that name their event give the `seq` they drew for it.
        """
        seq = seq or next_seq(db)
        applied = episodes_applied(db)
        parameters = self._parameters(db)
        inverse = set_columns(db, changes)
        follow: Changes = {}
        if reselect or residency.over_budget(db, parameters):
            follow = residency.select(db, parameters, seq=seq, applied=applied)
        elif leave and item is not None and item.hot_region:
            row = residency.item_row(db, item.id)
            follow = {item.id: residency.demotion(row, seq, applied, parameters)}
        for touched, old in set_columns(db, follow).items():
            # Of a column that was written twice the first old value and the last new one.
            inverse[touched] = old | inverse.get(touched, {})
            changes[touched] = changes.get(touched, {}) | follow[touched]
        # What changes nothing is no event: there would be nothing to undo.
        is_same = all(changes[touched] == inverse[touched] for touched in changes)
        if is_same and not note:
            return 0
        write_change(
            db,
            seq,
            kind,
            item.id if item else None,
            changes,
            inverse,
            actor=self._actor,
            reason=reason,
            note={"applied": applied} | (note or {}),
        )
        return seq

    def _rule_if_missing(self, item: MemoryItem) -> dict[str, Value]:
        """Columns of a rule for an item that has none: its title, as where no model wrote one."""
        if item.state is not ItemState.ACTIVE:
            raise SageError(
                "{uid} is {state}.",
                "Restore or accept it first.",
                uid=item.uid,
                state=item.state.value,
            )
        if item.rule_text:
            return {}
        return self._store.rule_columns(item, item.title, "", auto_title=True)

    def _parameters(self, db: sqlite3.Connection) -> MethodParameters:
        return self._own_parameters or latest_parameters(db)
