"""Texts two memories changed apart: both are kept until a person has chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.errors import SageError
from core.exchange.conflicts import decide, open_conflicts
from core.exchange.memory_file import export_bank, parse_bank
from core.exchange.merge import merge_bank
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.scenario import add_items, experience


@pytest.fixture
def other(tmp_path: Path) -> Iterator[MemoryStore]:
    with Workspace.open(tmp_path / "other.sage") as workspace:
        yield MemoryStore(workspace)


def rewritten(store: MemoryStore, summary: str) -> None:
    add_items(store, 4)
    Curator(store).edit("m3", experience(3, summary=summary))


def test_the_later_text_is_in_use_until_a_person_takes_the_other(
    store: MemoryStore, other: MemoryStore
) -> None:
    rewritten(other, "as they say")
    rewritten(store, "as we say")
    report = merge_bank(
        store, parse_bank("other", export_bank(other.workspace.db)), source="other.sage"
    )
    (conflict,) = report.conflicts
    assert (conflict.uid, conflict.field) == ("m3", "summary")
    assert (conflict.kept, conflict.other) == ("as we say", "as they say")

    db = store.workspace.db
    assert open_conflicts(db) == (replace(conflict, source="other.sage"),)
    assert decide(store.workspace, "m3", "summary", take_other=True) > 0
    assert store.item("m3").summary == "as they say"
    assert open_conflicts(db) == ()

    Curator(store).undo()
    assert store.item("m3").summary == "as we say"
    with pytest.raises(SageError, match="nothing to decide"):
        decide(store.workspace, "m3", "summary", take_other=False)


@pytest.mark.slow
def test_two_memories_of_ten_thousand_items_are_merged(
    store: MemoryStore, other: MemoryStore
) -> None:
    for one, first in ((store, 0), (other, 5000)):
        with one.workspace.transaction():
            add_items(one, 10_000, first)
    report = merge_bank(
        store, parse_bank("other", export_bank(other.workspace.db)), source="other.sage"
    )
    assert (len(report.added), report.unchanged) == (5000, 5000)
