"""What every prompt says, and what another item says, is not learnt, not retrieved and never resident."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.records import Experience, ItemFilter, ItemState, Origin
from core.memory.replay.verification import verify
from core.memory.retrieval.retriever import Retriever
from core.memory.said import is_said, labels, said_share
from core.memory.store import MemoryStore

# In the words of nobody, what the quick reference says of copies.
TAIL = Experience(
    title="Use DataCopyPad for tails that are not a multiple of 32 bytes",
    type="wrong_result",
    category="DataMovement",
    error_message="Output mismatch in the last elements of the slice of a core",
    summary="DataCopy moves whole 32-byte blocks and drops the tail; DataCopyPad takes its length in bytes.",
)
VOTE = Experience(
    title="Count set lanes with GatherMask and its rsvdCnt",
    type="performance",
    category="Reduction",
    summary="Compare gives bits; GatherMask returns how many it kept, one instruction for a histogram bin.",
)
ADDING = ItemFilter(once=True, news=True)


def test_a_lesson_that_repeats_the_quick_reference_waits_for_a_person(
    store: MemoryStore,
) -> None:
    said = store.add_item(TAIL, origin=Origin.DISTILLED)
    new = store.add_item(VOTE, origin=Origin.DISTILLED)
    own = store.add_item(replace(TAIL, category="Mine"), origin=Origin.USER)
    assert store.item(said).state is ItemState.QUARANTINED
    assert store.item(said).state_reason == "every prompt says it already"
    assert store.item(new).state is ItemState.ACTIVE
    assert store.item(own).state is ItemState.ACTIVE  # a person says what is kept


def test_a_prompt_is_given_nothing_it_says_and_nothing_twice(
    store: MemoryStore,
) -> None:
    add_seeds(store, cold_start_bank())
    twin = replace(VOTE, title=f"{VOTE.title}, always", error_message="slow histogram")
    first, second = (
        store.add_item(lesson, origin=Origin.DISTILLED) for lesson in (VOTE, twin)
    )
    retriever = Retriever(store.workspace)
    query = "DataCopyPad tail of 32 bytes, GatherMask rsvdCnt histogram, Compare bits"
    plain = [hit.uid for hit in retriever.retrieve(query, 5)]
    adding = retriever.retrieve(query, 5, filters=ADDING)
    assert {"seed-0001", first, second} <= set(plain)
    found = [hit.uid for hit in adding]
    assert len({first, second} & set(found)) == 1
    assert [hit.rank for hit in adding] == [1, 2, 3, 4, 5]
    items = store.items(found)
    assert not [
        item.uid for item in items if is_said(item.uid, item.title, item.summary)
    ]
    # After a failure, to have been told was not enough.
    failed = retriever.retrieve(query, 5, filters=ItemFilter(once=True))
    assert "seed-0001" in [hit.uid for hit in failed]


def test_what_every_prompt_says_never_becomes_resident(store: MemoryStore) -> None:
    add_seeds(store, cold_start_bank())
    assert store.hold_if_said("seed-0001")
    assert store.item("seed-0001").barred
    assert not store.hold_if_said("seed-0130")
    assert not store.item("seed-0130").barred
    assert verify(store.workspace) == ()


@pytest.mark.parametrize(
    "lesson", [VOTE, replace(TAIL, summary=f"{TAIL.summary} Set rightPadding.")]
)
def test_a_name_that_no_prompt_holds_is_news(lesson: Experience) -> None:
    assert said_share(lesson.title, lesson.summary) == 0.0


def test_the_lessons_that_ship_were_read_one_by_one() -> None:
    known = labels()
    assert len(known) == len(cold_start_bank())
    assert 20 < sum(known.values()) < 45
    (uid, title, summary) = next(key for key, said in known.items() if said)
    assert not is_said(uid, title, f"{summary} New since: WholeReduceMax.")
