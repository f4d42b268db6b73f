"""Five people's memories come to the same, in whatever order they are merged."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.curation.curator import Curator
from core.errors import SageError
from core.exchange.memory_file import Bank, export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.memory.records import ItemState
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.scenario import add_items, experience, play_episode

PEOPLE = 5
ITEM = st.integers(1, 5)
PERSON = st.integers(0, PEOPLE - 1)
STEP = st.one_of(
    st.tuples(
        st.sampled_from(("archive", "restore", "edit", "undo", "write")), PERSON, ITEM
    ),
    st.tuples(st.sampled_from(("join", "episode")), PERSON, ITEM, ITEM),
    st.tuples(st.just("merge"), PERSON, PERSON),
)


@dataclass
class Team:
    """Workspaces that begin with the same three experiences and an episode."""

    folder: Path
    opened: ExitStack
    stores: list[MemoryStore] = field(default_factory=list)
    episodes: int = 0

    def begin(self) -> None:
        self.stores = [self.new(f"person{number}") for number in range(PEOPLE)]
        first = self.stores[0]
        add_items(first, 3)
        self.episode(0, 1, 2)
        for store in self.stores[1:]:
            merge_bank(store, bank(first), source="first", state=ItemState.ACTIVE)

    def new(self, name: str) -> MemoryStore:
        workspace = Workspace.open(self.folder / f"{name}.sage")
        return MemoryStore(self.opened.enter_context(workspace))

    def episode(self, person: int, adopted: int, other: int) -> None:
        store = self.stores[person]
        here = {
            item.uid for item in store.items() if item.state is not ItemState.ARCHIVED
        }
        records = {f"m{other}": False, f"m{adopted}": True}
        traced = {uid: is_adopted for uid, is_adopted in records.items() if uid in here}
        self.episodes += 1
        play_episode(store, f"e{self.episodes}", traced, operator="ABC"[adopted % 3])

    def take(self, step: Sequence[str | int]) -> None:
        action, person, *numbers = step
        store = self.stores[int(person)]
        curator = Curator(store)
        if action == "merge":
            theirs = bank(self.stores[int(numbers[0])])
            merge_bank(store, theirs, source="them", state=ItemState.ACTIVE)
            return
        if action == "episode":
            self.episode(int(person), int(numbers[0]), int(numbers[1]))
            return
        uids = [f"m{number}" for number in numbers]
        try:
            if action == "write":
                add_items(store, 1, first=int(numbers[0]))
            elif action == "edit":
                curator.edit(uids[0], experience(int(numbers[0]), title=f"by {person}"))
            elif action == "undo":
                curator.undo()
            else:
                getattr(curator, str(action))(*uids)
        except SageError:  # no such item, not in use, nothing to undo
            return


def bank(store: MemoryStore) -> Bank:
    return parse_bank("theirs", export_bank(store.workspace.db))


def without_decisions(store: MemoryStore) -> list[tuple[object, ...]]:
    """What a memory holds, but for what its owner decided about use."""
    return [
        (item.uid, item.title, item.changes, item.eligible)
        for item in bank(store).items
    ]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    steps=st.lists(STEP, max_size=25),
    orders=st.lists(st.permutations(range(PEOPLE)), min_size=2, max_size=2),
)
def test_five_memories_come_to_the_same_in_any_order(
    steps: list[tuple[str | int, ...]], orders: list[list[int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        team = Team(Path(folder), opened)
        team.begin()
        for step in steps:
            team.take(step)
            assert verify(team.stores[int(step[1])].workspace) == ()
        banks = [bank(store) for store in team.stores]
        exports = []
        for number, order in enumerate(orders):
            target = team.new(f"target{number}")
            for person in order:
                merge_bank(target, banks[person], source=f"person{person}")
                assert verify(target.workspace) == ()
            exports.append(export_bank(target.workspace.db))
            for person in order:  # and what came twice counts once
                merge_bank(target, banks[person], source="again")
            assert export_bank(target.workspace.db) == exports[-1]
        assert exports[0] == exports[1]
        for person in orders[0] * 2:
            for other in team.stores:
                if other is not team.stores[person]:
                    merge_bank(other, bank(team.stores[person]), source="round")
        for store in team.stores:
            assert verify(store.workspace) == ()
        held = [without_decisions(store) for store in team.stores]
        assert all(one == held[0] for one in held)
