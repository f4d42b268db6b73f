"""Whatever happens to a memory, in any order: the log explains it, H fits its budget, undo leads back."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from core.curation.curator import Curator
from core.errors import SageError
from core.exchange.memory_file import Bank, export_bank, parse_bank, read_bank
from core.exchange.merge import merge_bank
from core.memory.ledger import current_seq, has_events
from core.memory.records import EpisodeOutcome, ItemState, Origin
from core.memory.replay.credit import replay_credit
from core.memory.replay.verification import verify
from core.memory.retrieval.retriever import Retriever
from core.memory.snapshots import restore_snapshot
from core.memory.store import MemoryStore
from core.memory.tokens import EstimatedTokens
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.workspace import Workspace
from tests.scenario import add_items, experience, play_episode

ITEM = st.integers(0, 7)

ACTIONS = (
    "pin",
    "unpin",
    "block",
    "unblock",
    "promote",
    "demote",
    "archive",
    "restore",
    "reset_evidence",
    "edit",
    "edit_rule",
    "join",
)

PARAMETERS = MethodParameters(B=24 + 40, K_ado=2, K_op=2)


@cache
def another_memory() -> Bank:
    """What somebody else learnt from some of the same experiences and some others."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace.open(Path(folder) / "theirs.sage") as workspace,
    ):
        store = MemoryStore(workspace)
        add_items(store, 4, first=3)
        for number, operator in enumerate("XYC"):
            records = {"m3": True, "m4": False, "m6": True}
            play_episode(
                store, f"t{number}", records, operator=operator, parameters=PARAMETERS
            )
        Curator(store, parameters=PARAMETERS).edit(
            "m4", experience(4, title="title of theirs")
        )
        return parse_bank("theirs", export_bank(workspace.db))


class AnyHistory(RuleBasedStateMachine):
    """Random episodes, curation, undo, merging and retrieval on one workspace."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.workspace = Workspace.open(self.folder / "w.sage")
        self.store = MemoryStore(self.workspace)
        self.curator = Curator(self.store, parameters=PARAMETERS)
        self.retriever = Retriever(self.workspace)
        self.episodes = 0
        self.open_episode = ""
        self.history: list[list[tuple[object, ...]]] = []
        add_items(self.store, 4)
        for number, operator in enumerate(
            "AB"
        ):  # a memory that has learned something already
            play_episode(
                self.store,
                f"s{number}",
                {f"m{i}": True for i in (1, 2, 3)},
                operator=operator,
                parameters=PARAMETERS,
            )
        self.write_rules_now()
        play_episode(self.store, "s2", {}, parameters=PARAMETERS)
        self.theirs = another_memory()

    def write_rules_now(self) -> None:
        for uid in self.store.needs_rule():
            self.store.set_rule(uid, "Do it right.")

    def uid(self, number: int) -> str:
        uids = [
            row[0]
            for row in self.workspace.db.execute("SELECT uid FROM item ORDER BY id")
        ]
        return str(uids[number % len(uids)])

    def projection(self) -> list[tuple[object, ...]]:
        rows = self.workspace.db.execute("SELECT * FROM item ORDER BY id").fetchall()
        return [tuple(row) for row in rows]

    @rule(number=st.integers(1, 12))
    def write(self, number: int) -> None:
        self.store.add_item(experience(number), origin=Origin.USER, uid=f"m{number}")
        self.history.clear()

    @rule(
        items=st.dictionaries(ITEM, st.booleans(), max_size=4),
        used=st.booleans(),
        operator=st.sampled_from("ABC"),
        correct=st.booleans(),
        optimise=st.booleans(),
        late=st.booleans(),
    )
    def episode(
        self,
        items: dict[int, bool],
        used: bool,
        operator: str,
        correct: bool,
        optimise: bool,
        late: bool,
    ) -> None:
        self.episodes += 1
        uid = f"e{self.episodes}"
        resident = {item.uid for item in self.store.residents()}
        records = {self.uid(number): adopted for number, adopted in items.items()}
        play_episode(
            self.store,
            uid,
            {
                name: adopted
                for name, adopted in records.items()
                if name not in resident
            },
            operator=operator,
            objective=Objective.OPT if optimise else Objective.CORR,
            correct=correct,
            t_first=10.0,
            t_best=8.0 if correct else 10.0,
            used=tuple(sorted(resident)) if used else (),
            parameters=PARAMETERS,
            apply=not late or bool(self.open_episode),
        )
        if late and not self.open_episode:
            self.open_episode = uid
        elif correct:
            self.write_rules_now()
        self.history.clear()

    @precondition(lambda self: self.open_episode)
    @rule(void=st.booleans())
    def end_late_episode(self, void: bool) -> None:
        if void:
            self.store.void_episode(self.open_episode, "test")
        else:
            self.store.apply_episode(EpisodeOutcome(self.open_episode, correct=True))
        self.open_episode = ""
        self.history.clear()

    @rule()
    def write_rules(self) -> None:
        self.write_rules_now()
        self.history.clear()

    @rule(
        number=ITEM,
        other=ITEM,
        action=st.sampled_from(ACTIONS),
    )
    def curate(self, number: int, other: int, action: str) -> None:
        before = self.projection()
        uid = self.uid(number)
        try:
            if action == "edit":
                done = self.curator.edit(uid, experience(other, title=f"title {other}"))
            elif action == "edit_rule":
                done = self.curator.edit_rule(uid, "Rule " + "x " * (3 * other))
            elif action == "join":
                done = self.curator.join(uid, self.uid(other))
            else:
                done = getattr(self.curator, action)(uid)
        except SageError:
            assert self.projection() == before
            return
        assert done or self.projection() == before
        if done:
            self.history.append(before)

    @precondition(lambda self: self.history)
    @rule(redo=st.booleans())
    def undo(self, redo: bool) -> None:
        present = self.projection()
        self.curator.undo()
        before = self.history.pop()
        assert (
            self.projection()[: len(before)] == before
        )  # what came since is archived and comes last
        if redo:
            former = self.projection()
            self.curator.redo()
            assert self.projection() == present
            self.history.append(former)

    @precondition(lambda self: self.episodes > 1)
    @rule(number=st.integers(0, 20))
    def restore(self, number: int) -> None:
        seqs = [
            row[0]
            for row in self.workspace.db.execute(
                "SELECT seq FROM hot_snapshot ORDER BY seq"
            )
        ]
        if not seqs:
            return
        before = self.projection()
        try:
            if restore_snapshot(self.workspace, seqs[number % len(seqs)]):
                self.history.append(before)
        except SageError:
            assert self.projection() == before

    @rule()
    def there_and_back(self) -> None:
        path = self.folder / "bank.jsonl"
        path.write_text(export_bank(self.workspace.db))
        before = self.projection()
        report = merge_bank(self.store, read_bank(path), source="itself")
        assert (report.added, report.updated, report.credited, report.episodes) == (
            (),
            (),
            (),
            0,
        )
        assert self.projection() == before

    @rule(trust=st.booleans())
    def take_theirs(self, trust: bool) -> None:
        before, first = self.projection(), current_seq(self.workspace.db) + 1
        state = ItemState.ACTIVE if trust else ItemState.QUARANTINED
        merge_bank(self.store, self.theirs, source="theirs", state=state)
        if has_events(self.workspace.db, first):
            self.history.append(before)

    @rule(number=st.integers(20, 23))
    def write_by_hand(self, number: int) -> None:
        before, first = self.projection(), current_seq(self.workspace.db) + 1
        self.store.add_item(
            experience(number), origin=Origin.USER, uid=f"m{number}", actor="user"
        )
        if has_events(self.workspace.db, first):
            self.history.append(before)

    @rule(word=st.sampled_from(["right", "rule number 2", "title"]))
    def search(self, word: str) -> None:
        for hit in self.retriever.retrieve(word):
            item = self.store.item(hit.uid)
            assert item.state is ItemState.ACTIVE
            assert not item.hot_region

    @invariant()
    def the_log_explains_the_memory(self) -> None:
        if hasattr(self, "workspace"):
            assert verify(self.workspace) == ()

    @invariant()
    def evidence_is_sane(self) -> None:
        if not hasattr(self, "workspace"):
            return
        for item in self.store.items():
            assert -0.2 - 1e-9 <= item.u_m <= 1.0
            assert 0.0 <= item.p_hat <= 1.0
            assert 0 <= item.n_ado <= item.n_ret
            assert item.n_elig >= 0
            assert item.hot_region == (item.sigma.value == "consolidated")
            assert not (
                item.hot_region and (item.barred or item.state is not ItemState.ACTIVE)
            )
        block = self.store.hot_block()
        assert EstimatedTokens().count(block) <= PARAMETERS.B
        replay_credit(self.workspace)

    def teardown(self) -> None:
        if hasattr(self, "workspace"):
            assert self.workspace.check() == ()
            self.workspace.close()
            shutil.rmtree(self.folder)


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
