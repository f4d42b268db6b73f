"""The query words of the item table, and the tags a person gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.curation.curator import Curator
from core.curation.decisions import tag
from core.errors import InvalidInput
from core.memory.records import ItemState
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.memory.views.rows import TableFilter
from core.memory.views.search_words import parse
from tests.scenario import add_items, play_episode


@pytest.fixture
def bank(store: MemoryStore) -> MemoryStore:
    add_items(store, 4)
    play_episode(store, "e1", {"m1": True, "m2": False}, operator="AbsMath")
    play_episode(store, "e2", {"m1": True}, operator="SwiGlu")
    play_episode(store, "e3", {"m3": True}, operator="AbsMath", correct=False)
    curator = Curator(store)
    curator.set_state("m4", ItemState.DISABLED)
    tag(store, ["m1", "m2"], ["Tail", "#dma"])
    curator.tag("m2", ["tail"])
    return store


def _found(store: MemoryStore, text: str) -> list[str]:
    ids = queries.item_ids(store.workspace.db, parse(text).filter)
    return list(queries.item_uids(store.workspace.db, ids).values())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["m1", "m2", "m3", "m4"]),
        ("uid:m1", ["m1"]),
        ("utility:>0", ["m1"]),
        ("-utility:>0 state:active", ["m2", "m3"]),
        ("adopted:2", ["m1"]),
        ("retrieved:>=1 adopted:<1", ["m2"]),
        ("operator:abs", ["m1", "m3"]),
        ('operator:"SwiGlu" operators:>1', ["m1"]),
        ("state:disabled", ["m4"]),
        ("tag:tail", ["m1", "m2"]),
        ("tag:dma", ["m1"]),
        ("-tag:tail -state:disabled", ["m3"]),
        ("tag:tai", []),  # a tag is a whole word
        ("tag:t%", []),
        ("tag:_ma", []),
        ("tokens:0 pinned:no density:<=0 uid:m1", ["m1"]),
        ("pinned:yes", []),
    ],
)
def test_query_words_find_what_they_say(
    bank: MemoryStore, text: str, found: list[str]
) -> None:
    assert _found(bank, text) == found


def test_what_is_no_field_is_text_and_what_is_no_number_is_told() -> None:
    query = parse('std::max "two words" type:api utility:much tail')
    assert query.words == ("std::max", "two words", "tail")
    assert query.filter.text == "std::max two words tail"
    assert query.faults == (("utility:much", "number"),)
    assert [condition.field for condition in query.filter.conditions] == ["type"]
    beside = TableFilter(states=(ItemState.ACTIVE,))
    assert parse("hot:maybe", beside) == replace(
        parse("", beside), faults=(("hot:maybe", "flag"),)
    )


def test_tags_are_taken_back_and_change_nothing_else(bank: MemoryStore) -> None:
    db, one = bank.workspace.db, bank.item("m1").id
    assert queries.tag_counts(db) == {"tail": 2, "dma": 1}
    assert queries.item_rows(db, [one])[one].tags == ("dma", "tail")
    curator = Curator(bank)
    curator.undo()  # of m2 alone
    assert queries.tag_counts(db) == {"dma": 2, "tail": 2}
    curator.undo()  # of both at once
    assert queries.tag_counts(db) == {}
    curator.redo()
    assert queries.tag_counts(db) == {"dma": 2, "tail": 2}
    assert tag(bank, ["m1", "m2"], [], ["dma"]).items == 2
    assert queries.tag_counts(db) == {"tail": 2}
    assert verify(bank.workspace) == ()
    with pytest.raises(InvalidInput, match="two words"):
        curator.tag("m1", ["two words"])
