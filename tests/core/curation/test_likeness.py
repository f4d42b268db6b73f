"""Near-doubles: proposed to a person at once, left out of R only where a parameter says so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.agent.run.records import JobFinished
from core.curation.curator import Curator
from core.curation.duplicates import doubles, proposal
from core.exchange.seeds import add_seeds, cold_start_bank
from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.models.port import ModelRequest, Purpose
from core.workspace import Workspace
from tests.core.agent.scripted import Model, files, reply_text
from tests.scenario import PlayedOperator

TAIL = Experience(
    title="Use DataCopyPad for tails that are not a multiple of 32 bytes",
    type="wrong_result",
    category="DataMovement",
    error_message="Output mismatch in the last elements of the slice of a core",
    summary="DataCopy moves whole 32-byte blocks and drops the tail; DataCopyPad takes its length in bytes.",
)
QUERY = (
    "DataCopyPad tail not a multiple of 32 bytes, output mismatch in the last elements"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    made = MemoryStore(Workspace.open(tmp_path / "bank.sage"))
    add_seeds(made, cold_start_bank())
    yield made
    made.workspace.close()


def test_a_paraphrase_is_proposed_for_joining_and_can_be_joined(
    store: MemoryStore,
) -> None:
    uid = store.add_item(TAIL, origin=Origin.DISTILLED)

    pairs = doubles(store.workspace, uid)

    assert [(pair.kept, pair.other) for pair in pairs] == [("seed-0001", uid)]
    assert f"`sage memory duplicates --join seed-0001 {uid}`" in proposal(pairs)
    Curator(store).join(pairs[0].kept, pairs[0].other)
    assert doubles(store.workspace, uid) == ()


def test_a_new_thought_is_not_proposed(store: MemoryStore) -> None:
    summary = "Proposal regions of 8 bytes."
    fresh = Experience(
        "Sort with Sort32 and MrgSort", "api_misuse", "Sort", summary=summary
    )

    assert (
        doubles(store.workspace, store.add_item(fresh, origin=Origin.DISTILLED)) == ()
    )


def test_a_run_says_so_when_it_writes_a_double(workspace: Workspace) -> None:
    bench = PlayedOperator(workspace)
    bench.store.add_item(TAIL, origin=Origin.SEED, uid="there")

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DISTIL:
            return (
                f"## Experience\ntitle: {TAIL.title}, always\ntype: wrong_result\ncategory: DataMovement\n"
                f"error_message: {TAIL.error_message}\nsummary: {TAIL.summary}\n"
            )
        records = dict.fromkeys(request.retrieved, "adopted")
        if request.round > 1:
            return reply_text(records, {}).replace("## Files", "## Done\nno")
        return reply_text(records, files("AbsMath", "pass 20.0"))

    asyncio.run(bench.run(Model(answer)))

    (told,) = [
        e
        for e in bench.events
        if isinstance(e, JobFinished) and e.purpose == Purpose.DISTIL.value
    ]
    assert "sage memory duplicates --join there " in told.detail
    assert bench.rows("SELECT detail FROM job WHERE purpose = 'distil'") == [
        (told.detail,)
    ]
    assert (
        len(
            bench.rows(
                "SELECT uid FROM item WHERE origin = 'distilled' AND state = 'active'"
            )
        )
        == 1
    )
