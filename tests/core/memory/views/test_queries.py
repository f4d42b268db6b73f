"""What the window asks: ids in order, rows, facets, an item's page, the hot view."""

from __future__ import annotations

import json

import pytest

from core.curation.curator import Curator
from core.memory.reading import NoSuchItem
from core.memory.records import ItemState, Lifecycle, Origin
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.memory.views.rows import ItemSort, TableFilter
from core.workspace import Workspace
from tests.scenario import add_items, experience, play_episode


@pytest.fixture
def learned(store: MemoryStore) -> MemoryStore:
    add_items(store, 4)
    store.add_item(
        experience(5, title="100%_sure", category="Norm"),
        origin=Origin.USER,
        uid="m5",
        state=ItemState.PENDING,
    )
    for number, operator in enumerate("ABC"):
        play_episode(
            store,
            f"e{number}",
            {"m1": True, "m2": number > 0, "m3": False},
            operator=operator,
        )
    store.set_rule("m1", "Handle the tail.")
    play_episode(store, "e3", {}, operator="D")
    play_episode(store, "e4", {}, operator="E", used=("m1",))
    return store


def test_table_filters_sorts_and_pages(learned: MemoryStore) -> None:
    with Workspace.open_readonly(learned.workspace.path) as reader:
        db = reader.db
        by_utility = queries.item_ids(db, sort=ItemSort.UTILITY, descending=True)
        rows = queries.item_rows(db, by_utility)
        values = [rows[item].u_m for item in by_utility]
        assert values == sorted(values, reverse=True)
        assert rows[by_utility[0]].operators == 3
        for sort in ItemSort:
            assert sorted(queries.item_ids(db, sort=sort)) == [1, 2, 3, 4, 5]
        assert queries.item_ids(db, TableFilter(resident=True)) == [1]
        assert queries.item_ids(db, TableFilter(states=(ItemState.PENDING,))) == [5]
        assert queries.item_ids(db, TableFilter(text="right thing 3")) == [3]
        assert queries.item_ids(db, TableFilter(text="100%_")) == [5]
        assert queries.item_ids(
            db, TableFilter(lifecycles=(Lifecycle.CONSOLIDATED,))
        ) == [1]
        assert queries.facets(db)["category"] == {"Math": 4, "Norm": 1}
        assert queries.facets(db, TableFilter(resident=True))["sigma"] == {
            "consolidated": 1
        }


def test_item_page_tells_every_credit_and_why(learned: MemoryStore) -> None:
    page = queries.item_page(learned.workspace.db, "m1")
    assert [(c.operator, c.z, c.adopted_together, c.xi) for c in page.credits] == [
        ("A", 1.0, 1, 1.0),
        ("B", 1.0, 2, 0.5),
        ("C", 1.0, 2, 0.5),
    ]
    assert page.credits[-1].u_after == page.item.u_m
    assert [(a.operator, a.state, a.rationale) for a in page.adoptions] == [
        (name, "adopted", "because") for name in "ABC"
    ]
    assert [(use.operator, use.rationale) for use in page.uses] == [("E", "applied")]
    assert [event.kind for event in page.events] == ["add", "rule"]
    with pytest.raises(NoSuchItem, match="nobody"):
        queries.item_page(learned.workspace.db, "nobody")


def test_hot_view_shows_budget_residents_and_next_in_line(learned: MemoryStore) -> None:
    view = queries.hot_view(learned.workspace.db)
    assert view.budget == 10_000
    assert [row.uid for row in view.residents] == ["m1"]
    assert 0 < view.residents[0].L_m < view.tokens <= view.budget
    assert view.block == learned.hot_block()


def test_snapshot_export_has_exactly_the_papers_fields(learned: MemoryStore) -> None:
    newest, _ = queries.snapshots(learned.workspace.db)[-1]
    exported = json.loads(queries.exported_snapshot(learned.workspace.db, newest))
    assert list(exported) == [
        "session_id",
        "created_at",
        "budget",
        "n_ops",
        "hot_entries",
    ]
    assert list(exported["hot_entries"][0]) == [
        "id",
        "title",
        "c_tokens",
        "u",
        "p_hat",
        "density",
    ]
    assert exported["n_ops"] == 5
    entry = exported["hot_entries"][0]
    assert entry["density"] == entry["u"] * entry["p_hat"] / entry["c_tokens"]
    assert entry["title"] == "Handle the tail.", "the consolidated rule"


def test_a_snapshot_is_exported_with_the_rule_of_its_time(learned: MemoryStore) -> None:
    newest, _ = queries.snapshots(learned.workspace.db)[-1]
    Curator(learned).edit_rule("m1", "Handle every tail.")
    play_episode(learned, "e5", {}, operator="F")
    latest, _ = queries.snapshots(learned.workspace.db)[-1]
    titles = [
        json.loads(queries.exported_snapshot(learned.workspace.db, seq))["hot_entries"][
            0
        ]["title"]
        for seq in (newest, latest)
    ]
    assert titles == ["Handle the tail.", "Handle every tail."]
