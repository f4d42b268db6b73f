"""The cold-start bank is complete, honest and can be found by the errors it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.memory.retrieval import Retriever
from core.memory.screening import screen
from core.memory.seeds import add_seeds, cold_start_bank, read_seeds
from core.memory.store import MemoryStore


def test_bank_is_large_complete_and_clean() -> None:
    bank = cold_start_bank()
    assert len(bank) >= 60
    for uid, seed in bank:
        assert seed.error_message, uid
        assert seed.summary, uid
        assert seed.source, uid
        assert seed.code_diff.wrong_code, uid
        assert seed.code_diff.correct_code, uid
        assert screen(seed) == "", uid
        assert len(seed.title) <= 120, uid
    assert len({seed.title for _, seed in bank}) == len(bank)


def test_every_seed_is_found_by_its_own_error(store: MemoryStore) -> None:
    bank = cold_start_bank()
    assert add_seeds(store, bank) == len(bank)
    assert add_seeds(store, bank) == 0
    retriever = Retriever(store.workspace)
    first = [retriever.retrieve(seed.error_message, k=3)[0].uid == uid for uid, seed in bank]
    assert sum(first) >= 0.95 * len(bank)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[item]\n", "file"),
        ('[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\n', "category"),
        ('[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\ncategory = "c"\ncolour = "red"\n', "colour"),
        ('[[item]]\nuid = "a"\ntitle = " "\ntype = "x"\ncategory = "c"\n', "title"),
        ('[[item]]\nuid = "a"\ntitle = "t"\ntype = "x"\ncategory = "c"\n' * 2, "twice"),
    ],
)
def test_a_bank_with_a_fault_is_refused_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "bank.toml").write_text(text)
    with pytest.raises(InvalidInput, match=problem):
        read_seeds(tmp_path)
