"""The other forms a memory travels in: a SQLite file, and records without the traces behind them."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.errors import InvalidInput, SageError
from core.exchange.bank_files import read_any_bank, write_bank
from core.exchange.memory_file import export_bank
from core.exchange.merge import MergeReport, merge_bank
from core.memory.reading import read_items
from core.memory.records import CodeDiff, ItemState, Origin
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.scenario import add_items, experience, play_episode


def merge(store: MemoryStore, path: Path) -> MergeReport:
    return merge_bank(store, read_any_bank(path), source=path.name)


def record(**changes: object) -> dict[str, object]:
    """A record as the paper's schema has it."""
    return {
        "id": 10035,
        "title": "Reduce algorithmic complexity and branches",
        "type": "algorithmic_optimization",
        "category": "Scan/Reduction",
        "error_message": "Quadratic polynomial evaluation with redundant writes",
        "code_diff": {"wrong_code": "pow(x, i);", "correct_code": "acc = acc * x + c;"},
        "summary": "Replace repeated powers with Horner evaluation",
        "u_m": 0.42,
        "n_ret": 6,
        "n_ado": 4,
        "adopted_operators": ["GroupGemm", "Abs", "Lerp"],
        "sigma": "consolidated",
        "L_m": 96,
        "hot_region": True,
        "hot_last_used_episode": 18,
        "p_hat": 0.35,
        "n_elig": 18,
        "density": 0.00153,
    } | changes


def write(path: Path, *records: dict[str, object]) -> Path:
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in records), encoding="utf-8"
    )
    return path


def other(tmp_path: Path, name: str = "other") -> MemoryStore:
    return MemoryStore(Workspace.open(tmp_path / f"{name}.sage"))


def test_a_sqlite_export_is_the_same_memory_as_json_lines(
    store: MemoryStore, tmp_path: Path
) -> None:
    add_items(store, 3)
    play_episode(store, "e1", {"m1": True, "m2": False})
    store.set_rule("m1", "A rule.")
    write_bank(store.workspace, tmp_path / "copy.db", "sqlite")
    write_bank(store.workspace, tmp_path / "copy.jsonl", "jsonl")
    assert sorted(
        path.name for path in tmp_path.iterdir() if path.name.startswith(("copy", "."))
    ) == [
        "copy.db",
        "copy.jsonl",
    ]
    assert read_any_bank(tmp_path / "copy.db") == read_any_bank(tmp_path / "copy.jsonl")
    with Workspace.open_readonly(tmp_path / "copy.db") as copy:
        assert verify(copy) == ()
        assert export_bank(copy.db) == export_bank(store.workspace.db)
    with pytest.raises(SageError, match="exists already"):
        write_bank(store.workspace, tmp_path / "copy.db", "sqlite")


def test_a_bank_without_traces_is_a_prior_counted_once(
    store: MemoryStore, tmp_path: Path
) -> None:
    bank = write(tmp_path / "bank.jsonl", record())
    (uid,) = merge(store, bank).added
    again = merge(store, bank)
    assert (again.credited, again.episodes) == ((), 0)
    item = store.item(uid)
    assert item.state is ItemState.QUARANTINED
    assert (item.u_m, item.n_ret, item.n_ado, item.n_elig) == (0.42, 6, 4, 18)
    assert set(item.adopted_operators) == {"Abs", "GroupGemm", "Lerp"}
    assert not item.hot_region
    Curator(store).accept(uid)
    play_episode(store, "e1", {uid: True})
    assert store.item(uid).u_m == pytest.approx(0.42 + (1 - 0.42) / 7)
    assert verify(store.workspace) == ()


def test_priors_and_episodes_merge_alike_in_both_orders(tmp_path: Path) -> None:
    first = write(tmp_path / "first.jsonl", record())
    second = tmp_path / "second.json"
    second.write_text(
        json.dumps([record(u_m=-0.1, n_ret=2, n_ado=0, adopted_operators=[], n_elig=3)])
    )
    learned = other(tmp_path, "learned")
    (uid,) = merge(learned, first).added
    Curator(learned).accept(uid)
    play_episode(learned, "l1", {uid: False}, operator="Tril")
    exported = tmp_path / "learned.jsonl"
    write_bank(learned.workspace, exported, "jsonl")
    exports = []
    for name, order in (
        ("one", (second, exported, first)),
        ("two", (first, exported, second, second)),
    ):
        store = other(tmp_path, name)
        for path in order:
            merge(store, path)
        item = store.item(uid)
        mean = (0.42 * 6 - 0.1 * 2) / 8
        assert item.u_m == pytest.approx(mean + (-0.2 - mean) / 9)
        assert (item.n_ret, item.n_ado) == (9, 4)
        assert verify(store.workspace) == ()
        exports.append(
            [
                line
                for line in export_bank(store.workspace.db).splitlines()
                if '"episode"' in line
            ]
        )
        exports[-1].append(f"{item.u_m!r} {item.n_elig}")
        store.workspace.close()
    learned.workspace.close()
    assert exports[0] == exports[1]


def test_what_is_written_in_the_papers_form_can_be_read_back(
    store: MemoryStore, tmp_path: Path
) -> None:
    add_items(store, 1)
    play_episode(store, "e1", {"m1": True})
    write_bank(store.workspace, tmp_path / "paper.jsonl", "paper")
    target = other(tmp_path)
    (uid,) = merge(target, tmp_path / "paper.jsonl").added
    one, two = store.item("m1"), target.item(uid)
    assert (one.title, one.code_diff, one.u_m, one.n_ret, one.n_ado, one.n_elig) == (
        two.title,
        two.code_diff,
        two.u_m,
        two.n_ret,
        two.n_ado,
        two.n_elig,
    )
    target.workspace.close()


@pytest.mark.parametrize(
    ("records", "place"),
    [
        ([record(), record(u_m=1.5)], "record 2: u_m"),
        ([record(n_ado=7)], "record 1: n_ado"),
        ([record(title=" ")], "record 1"),
        ([record(n_ret="six")], "record 1"),
        ([record(), record()], "record 2"),
    ],
)
def test_records_that_cannot_be_true_are_refused_with_the_place(
    tmp_path: Path, records: list[dict[str, object]], place: str
) -> None:
    with pytest.raises(InvalidInput, match=place):
        read_any_bank(write(tmp_path / "bad.jsonl", *records))


def test_records_of_what_is_here_already_do_not_double_it(
    store: MemoryStore, tmp_path: Path
) -> None:
    add_items(store, 3)
    play_episode(store, "e1", {"m1": True, "m2": False})
    before = export_bank(store.workspace.db)
    write_bank(store.workspace, tmp_path / "p.jsonl", "paper")
    with (tmp_path / "p.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(record()) + "\n")
    report = merge(store, tmp_path / "p.jsonl")
    assert (len(report.added), report.unchanged) == (1, 3)
    new = report.added[0]
    store_items = {item.uid: item for item in read_items(store.workspace.db, None)}
    assert (store_items[new].n_ret, store_items["m1"].n_ret) == (6, 1)
    kept = [line for line in before.splitlines() if '"kind":"item"' in line]
    assert set(kept) <= set(export_bank(store.workspace.db).splitlines())
    assert verify(store.workspace) == ()
    assert merge(store, tmp_path / "p.jsonl").added == ()


def test_the_papers_form_numbers_episodes_from_one(
    store: MemoryStore, tmp_path: Path
) -> None:
    add_items(store, 1)
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True}, operator=operator)
    store.set_rule("m1", "Handle the tail.")
    play_episode(store, "promoted", {}, operator="D")
    play_episode(store, "used", {}, operator="E", used=("m1",))
    play_episode(store, "after", {}, operator="F")
    path = tmp_path / "items.jsonl"
    write_bank(store.workspace, path, "paper")
    assert json.loads(path.read_text())["hot_last_used_episode"] == 5


def test_a_large_memory_is_exported_without_being_held(
    store: MemoryStore, tmp_path: Path
) -> None:
    for number in range(1_500):
        code = CodeDiff(f"wrong({number}); " * 100, f"right({number}); " * 100)
        store.add_item(experience(number, code_diff=code), origin=Origin.SEED)
    path = tmp_path / "memory.jsonl"
    tracemalloc.start()
    try:
        write_bank(store.workspace, path, "jsonl")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = path.stat().st_size
    assert len(read_any_bank(path).items) == 1_500
    assert peak < size / 4, (peak, size)
