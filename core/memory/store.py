"""The memory of a workspace: items, the records of an episode, and its application.

Example:
    >>> store = MemoryStore(workspace)
    >>> store.begin_episode("t1-corr", "t1", "RmsNorm", Objective.CORR, MethodParameters())
    >>> store.record_retrieval("t1-corr", 1, retrieved)
    >>> store.record_adoption("t1-corr", 1, {"seed-0001": (AdoptionState.ADOPTED, "names the missing tail")})
    >>> effect = store.apply_episode(EpisodeOutcome("t1-corr", correct=True))
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from core.errors import InvalidInput, SageError
from core.memory import episodes, ledger
from core.memory.content import content_columns, content_hash, require_content
from core.memory.frozen import FrozenMemory
from core.memory.ledger import Value, current_seq, encode, next_seq
from core.memory.reading import (
    hot_block,
    item_id,
    read_effect,
    read_item,
    read_items,
    resident_uids,
    unruled_uids,
)
from core.memory.records import (
    AdoptionState,
    EpisodeEffect,
    EpisodeOutcome,
    EpisodeStart,
    Experience,
    ItemState,
    MemoryItem,
    Origin,
    Retrieved,
)
from core.memory.said import is_said
from core.memory.screening import screen
from core.memory.tokens import TokenCounter, chosen_counter, make_counter, rule_tokens
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.records_json import decode
from core.workspace import Workspace, now
from core.workspace.rows import insert, rows_as, update

_LEARNT = (Origin.DISTILLED, Origin.MINED)
_SCREENED = (ItemState.ACTIVE, ItemState.PENDING)


class MemoryStore:
    """Reads and writes M = (C, H) in one workspace; every method that writes is one transaction.

    A caller may put several calls into one `workspace.transaction()` of its own.

    Attributes:
        workspace: The open workspace.

    Args:
        workspace: The open workspace.
        counter: Counts tokens of rules instead of the one chosen for this memory.
        frozen: The memory episodes read their resident rules from, instead of this one.
    """

    def __init__(
        self,
        workspace: Workspace,
        counter: TokenCounter | None = None,
        *,
        frozen: FrozenMemory | None = None,
    ) -> None:
        self.workspace = workspace
        self._counter = counter
        self._frozen = frozen

    @property
    def counter(self) -> TokenCounter:
        """Counts the tokens of rules: the one given, else the one chosen for this memory."""
        return self._counter or make_counter(chosen_counter(self.workspace.db))

    # ---- items

    def add_item(
        self,
        experience: Experience,
        *,
        origin: Origin,
        uid: str = "",
        state: ItemState = ItemState.ACTIVE,
        actor: str = "engine",
        reason: str = "",
    ) -> str:
        """Write a new experience to cold memory; the same one twice is written once.

        One whose coming was undone comes again.

        Text that teaches evasion of the judge goes to quarantine with the reason (`screening.screen`); only
        seeds, which a person has chosen, are taken as they are.

        Args:
            experience: Title, type and category must not be empty.
            origin: How it came about.
            uid: Identity to use; when empty it is `exp-` and the head of the content's sha256.
            state: First state; only active items are retrieved.
            actor: Who wrote it.
            reason: Why it has this state, e.g. why it is quarantined.

        Returns:
            The uid.

        Raises:
            InvalidInput: For an empty field, or a uid that already names other content.
        """
        require_content(experience)
        suspicion = (
            screen(experience)
            if state in _SCREENED and origin is not Origin.SEED
            else ""
        )
        if not suspicion and origin in _LEARNT and state is ItemState.ACTIVE:
            says_nothing = is_said("", experience.title, experience.summary)
            suspicion = "every prompt says it already" if says_nothing else ""
        if suspicion:
            state, reason = ItemState.QUARANTINED, suspicion
        digest = content_hash(experience)
        uid = uid or f"exp-{digest[:12]}"
        with self.workspace.transaction() as db:
            stored = db.execute(
                "SELECT id, rev, created_seq, state, state_reason FROM item WHERE uid = ?",
                (uid,),
            ).fetchone()
            if stored is None:
                row = content_columns(experience) | {
                    "uid": uid,
                    "origin": origin.value,
                    "state": state.value,
                    "state_reason": "" if state is ItemState.ACTIVE else reason,
                    "content_hash": digest,
                }
                ledger.record_new(db, row, actor, reason)
            elif (
                stored["rev"] == stored["created_seq"]
                and content_hash(self.item(uid).experience) != digest
            ):
                raise InvalidInput(
                    "memory item",
                    "uid",
                    "{uid!r} is already the name of another experience",
                    uid=uid,
                )
            elif (stored["state"], stored["state_reason"]) == (
                ItemState.ARCHIVED,
                ledger.TAKEN_BACK,
            ):
                columns = ledger.revived(db, state.value, reason)
                ledger.record_change(
                    db,
                    "add-again",
                    stored["id"],
                    {stored["id"]: columns},
                    actor=actor,
                    reason=reason,
                )
        return uid

    def item(self, uid: str) -> MemoryItem:
        """Return one item with its evidence.

        Raises:
            SageError: When there is no such item.
        """
        return read_item(self.workspace.db, uid)

    def items(
        self,
        uids: Iterable[str] | None = None,
        *,
        states: Iterable[ItemState] = tuple(ItemState),
    ) -> tuple[MemoryItem, ...]:
        """Return the named items in the given order, or all items of the given states by id."""
        return read_items(self.workspace.db, uids, tuple(states))

    def residents(self) -> tuple[MemoryItem, ...]:
        """Return H in admission order, the order of the hot block."""
        return read_items(self.workspace.db, resident_uids(self.workspace.db))

    def hot_block(self) -> str:
        """Return the rendered resident rules as they stand in the prompt, empty when there are none."""
        return hot_block(self.workspace.db)

    # ---- episodes

    def seen_now(self) -> EpisodeStart:
        """What an episode that began now would see of the memory; none is opened."""
        db = self.workspace.db
        source = self._frozen.workspace.db if self._frozen else db
        residents = tuple(resident_uids(source))
        return EpisodeStart("", current_seq(db), hot_block(source), residents)

    def begin_episode(
        self,
        uid: str,
        trajectory_uid: str,
        operator: str,
        objective: Objective,
        parameters: MethodParameters,
    ) -> EpisodeStart:
        """Open an episode, or return the start of an already open one (resuming).

        The memory state is fixed here: items written later are not available to the episode, and the hot
        block does not change while it lasts.
        """
        with self.workspace.transaction() as db:
            stored = db.execute(
                "SELECT 1 FROM episode WHERE uid = ?", (uid,)
            ).fetchone()
            if stored is None:
                snapshot = db.execute("SELECT max(seq) FROM hot_snapshot").fetchone()[0]
                source = self._frozen.workspace.db if self._frozen else db
                block = self.workspace.put_text(hot_block(source))
                residents = resident_uids(source)
                if self._frozen:
                    self._frozen.require_unchanged()
                    self._frozen.note(self.workspace, residents)
                insert(
                    db,
                    "episode",
                    uid=uid,
                    trajectory_uid=trajectory_uid,
                    operator=operator,
                    objective=objective.value,
                    parameters=parameters.to_json(),
                    memory_seq_at_start=current_seq(db),
                    hot_snapshot_seq=snapshot,
                    hot_block=block,
                    residents=encode(residents),
                    started_at=now(),
                )
        return self.episode_start(uid)

    def episode_start(self, uid: str) -> EpisodeStart:
        """Return what an episode saw at its start.

        Raises:
            SageError: When there is no such episode.
        """
        row = self._episode(uid)
        return EpisodeStart(
            uid,
            row["memory_seq_at_start"],
            self.workspace.text(row["hot_block"]),
            tuple(decode(row["residents"], list[str])),
        )

    def record_retrieval(
        self, episode_uid: str, round_number: int, retrieved: Sequence[Retrieved]
    ) -> None:
        """Store R_t with its explain fields, every item unresolved. A repeated call changes nothing."""
        with self.workspace.transaction() as db:
            self._require_open(episode_uid)
            db.executemany(
                "INSERT OR IGNORE INTO trace(episode_uid, round, item_id, rank, rank_before, coverage, "
                "cosine, s_rel, u_at, s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        episode_uid,
                        round_number,
                        item_id(db, hit.uid),
                        hit.rank,
                        hit.rank_before,
                        hit.coverage,
                        hit.cosine,
                        hit.s_rel,
                        hit.u,
                        hit.s,
                    )
                    for hit in retrieved
                ],
            )

    def retrieved(self, episode_uid: str, round_number: int) -> tuple[Retrieved, ...]:
        """Return the stored R_t of a round in rank order, for resuming and for display."""
        rows = self.workspace.db.execute(
            "SELECT item.uid, item.id, rank, rank_before, coverage, cosine, s_rel, u_at AS u, s FROM trace "
            "JOIN item ON item.id = trace.item_id WHERE episode_uid = ? AND round = ? ORDER BY rank",
            (episode_uid, round_number),
        )
        return rows_as(rows, Retrieved)

    def record_adoption(
        self,
        episode_uid: str,
        round_number: int,
        records: Mapping[str, tuple[AdoptionState, str]],
    ) -> None:
        """Store adoption states with their rationales for items of R_t; the last word on an item counts.

        Raises:
            InvalidInput: When an item was not retrieved in the round.
        """
        with self.workspace.transaction() as db:
            self._require_open(episode_uid)
            for uid, (state, rationale) in records.items():
                changed = db.execute(
                    "UPDATE trace SET state = ?, rationale = ? WHERE episode_uid = ? AND round = ? "
                    "AND item_id = (SELECT id FROM item WHERE uid = ?)",
                    (state.value, rationale, episode_uid, round_number, uid),
                ).rowcount
                if not changed:
                    raise InvalidInput(
                        "adoption record",
                        uid,
                        "was not retrieved in round {round_number}",
                        round_number=round_number,
                    )

    def record_hot_use(
        self, episode_uid: str, round_number: int, uses: Mapping[str, str]
    ) -> None:
        """Store which resident rules the round applied and why (uid -> rationale).

        Raises:
            InvalidInput: When an item was not resident at the start of the episode.
        """
        residents = set(self.episode_start(episode_uid).residents)
        with self.workspace.transaction() as db:
            self._require_open(episode_uid)
            for uid, rationale in uses.items():
                if uid not in residents:
                    raise InvalidInput(
                        "resident rule", uid, "is not in hot memory in this episode"
                    )
                insert(
                    db,
                    "hot_use",
                    "replace",
                    episode_uid=episode_uid,
                    round=round_number,
                    item_id=item_id(db, uid),
                    rationale=rationale,
                )

    def apply_episode(self, outcome: EpisodeOutcome) -> EpisodeEffect:
        """Apply a finished episode in one transaction, once: a second call changes nothing.

        Only records whose round reached an evaluation (`round.step` is evaluated and the verdict is not
        void) earn credit and counts.

        Raises:
            episodes.IncompleteTrace: When an evaluated round has unresolved records.
            SageError: When the episode is unknown or void, or of a trajectory that a person edited.
        """
        with self.workspace.transaction() as db:
            status = self._episode(outcome.uid)["status"]
            if status == "void":
                raise SageError(
                    "Episode {uid} is void and cannot be applied.", uid=outcome.uid
                )
            if status == "open":
                self._require_unedited(outcome.uid)
                episodes.count_evaluated_rounds(db, outcome.uid)
                episodes.apply(db, outcome, seq=next_seq(db), at=now())
        return read_effect(self.workspace.db, outcome.uid)

    def _require_unedited(self, uid: str) -> None:
        row = self.workspace.db.execute(
            "SELECT t.forked_from FROM trajectory t JOIN episode e ON e.trajectory_uid = t.uid "
            "WHERE e.uid = ?",
            (uid,),
        ).fetchone()
        if row is not None and row[0]:
            raise SageError(
                "Episode {uid} belongs to a trajectory that a person edited, which earns no credit.",
                uid=uid,
            )

    def void_episode(self, uid: str, reason: str) -> None:
        """Close an open episode without any credit or count (environment fault, cancelled by a person)."""
        with self.workspace.transaction() as db:
            if self._episode(uid)["status"] == "applied":
                raise SageError(
                    "Episode {uid} has been applied and cannot become void.", uid=uid
                )
            update(
                db,
                "episode",
                {"uid": uid},
                status="void",
                void_reason=reason,
                finished_at=now(),
            )

    # ---- rules

    def hold_if_said(self, uid: str) -> bool:
        """Keep an item out of hot memory where every prompt says what it says; whether it does."""
        item = self.item(uid)
        if item.barred or not is_said(uid, item.title, item.summary):
            return False
        with self.workspace.transaction() as db:
            ledger.record_change(
                db,
                "block",
                item.id,
                {item.id: {"barred": 1}},
                actor="engine",
                reason="every prompt says it",
            )
        return True

    def needs_rule(self) -> tuple[str, ...]:
        """Return the validated items that no rule was written for yet: the abstraction jobs to do."""
        return unruled_uids(self.workspace.db)

    def set_rule(
        self,
        uid: str,
        rule: str,
        example: str = "",
        *,
        auto_title: bool = False,
        reason: str = "abstracted",
    ) -> bool:
        """Store the rule abstracted from an item, in a transaction of its own; it competes from the next UGC.

        Args:
            uid: The source item; rule and source share it.
            rule: One paragraph. Empty together with `auto_title`: the title serves as rule.
            example: Minimal code, may be empty.
            auto_title: No model wrote the rule.
            reason: Why.

        Returns:
            False when the item had a rule already and nothing was changed.
        """
        with self.workspace.transaction() as db:
            item = read_item(db, uid)
            if item.rule_text:
                return False
            text = " ".join(rule.split()) or (item.title if auto_title else "")
            if not text:
                raise InvalidInput("rule", uid, "is empty")
            columns = self.rule_columns(item, text, example, auto_title=auto_title)
            ledger.record_change(
                db, "rule", item.id, {item.id: columns}, actor="engine", reason=reason
            )
        return True

    def rule_columns(
        self, item: MemoryItem, text: str, example: str, *, auto_title: bool
    ) -> dict[str, Value]:
        """Return the columns that hold a rule, its token cost included."""
        counter = self.counter
        return {
            "rule_text": text,
            "rule_example": example,
            "auto_title": int(auto_title),
            "L_m": rule_tokens(item.uid, item.title, text, example, counter),
            "tokenizer_id": counter.id,
        }

    def _episode(self, uid: str) -> sqlite3.Row:
        row: sqlite3.Row | None = self.workspace.db.execute(
            "SELECT * FROM episode WHERE uid = ?", (uid,)
        ).fetchone()
        if row is None:
            raise SageError("There is no episode {uid}.", uid=uid)
        return row

    def _require_open(self, uid: str) -> None:
        status = self._episode(uid)["status"]
        if status != "open":
            raise SageError(
                "Episode {uid} is {status}; its records cannot be changed.",
                uid=uid,
                status=status,
            )
