"""One bank, three rankings: only the utility of cold items differs, and the file says so itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.memory.replay.credit import replay_credit
from core.memory.replay.fixed_bank import RELEVANCE, write_fixed_bank
from core.memory.replay.verification import verify
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.workspace import Workspace, WorkspaceError
from sage_desktop.cli import main
from tests.scenario import add_items, play_episode


@pytest.fixture
def taught(store: MemoryStore) -> MemoryStore:
    """m1 is resident; m2 was adopted once, m3 only retrieved, m4 never."""
    add_items(store, 4)
    for number, operator in enumerate("ABC"):
        play_episode(store, f"e{number}", {"m1": True, "m3": False}, operator=operator)
    store.set_rule("m1", "Pad every row.")
    play_episode(store, "e4", {"m2": True, "m3": False}, operator="D")
    assert [item.uid for item in store.residents()] == ["m1"]
    return store


def rest(workspace: Workspace) -> list[tuple[object, ...]]:
    """Everything of the items but the utility of cold ones."""
    rows = workspace.db.execute("SELECT * FROM item ORDER BY id").fetchall()
    names = [name for name in rows[0].keys() if name != "u_m"]  # noqa: SIM118 - rows are not mappings
    return [
        (*(row[name] for name in names), row["u_m"] if row["hot_region"] else None)
        for row in rows
    ]


@pytest.mark.parametrize("credit", ["atu", "uniform", RELEVANCE])
def test_only_the_utility_of_cold_items_differs(
    taught: MemoryStore, tmp_path: Path, credit: str
) -> None:
    before = rest(taught.workspace)
    written = write_fixed_bank(taught.workspace, tmp_path / "bank.sage", credit)
    with Workspace.open_frozen(written.path) as bank:
        assert bank.digest() == written.sha256
        assert rest(bank) == before
        assert verify(bank) == ()
        rule = "none" if credit == RELEVANCE else credit
        replayed = {
            row.uid: row.replayed
            for row in replay_credit(taught.workspace, credit_rule=rule)
        }
        stored = dict(
            bank.db.execute("SELECT uid, u_m FROM item WHERE hot_region = 0").fetchall()
        )
        assert stored == {uid: replayed.get(uid, 0.0) for uid in ("m2", "m3", "m4")}
    assert (written.cold, written.residents) == (3, 1)
    assert rest(taught.workspace) == before


def test_rankings_of_the_three_banks_differ_as_the_rules_do(
    taught: MemoryStore, tmp_path: Path
) -> None:
    first = {}
    for credit in ("atu", "uniform", RELEVANCE):
        written = write_fixed_bank(
            taught.workspace, tmp_path / f"{credit}.sage", credit
        )
        with Workspace.open_frozen(written.path) as bank:
            hits = Retriever(bank).retrieve("do the right thing rule number")
            first[credit] = {
                hit.uid: hit.s / hit.s_rel for hit in hits if hit.s and hit.s_rel
            }
    assert first["atu"]["m2"] > 1 > first["atu"]["m3"]
    assert first["uniform"]["m2"] == first["uniform"]["m3"] > 1
    assert set(first[RELEVANCE].values()) == {1.0}
    assert "m1" not in first["atu"]


def test_an_existing_file_is_not_written_over(
    taught: MemoryStore, tmp_path: Path
) -> None:
    target = tmp_path / "bank.sage"
    write_fixed_bank(taught.workspace, target, "uniform")
    before = target.read_bytes()
    with pytest.raises(WorkspaceError, match="exists already"):
        write_fixed_bank(taught.workspace, target, "atu")
    assert target.read_bytes() == before


def test_the_command_writes_the_same_bank(taught: MemoryStore, tmp_path: Path) -> None:
    target = tmp_path / "bank.sage"
    source = str(taught.workspace.path)
    arguments = ["memory", "export", str(target), "--workspace", source]
    arguments += ["--credit", "uniform"]
    told = CliRunner().invoke(main, [*arguments, "--json"])
    assert told.exit_code == 0, told.output
    report = json.loads(told.stdout)
    with Workspace.open_frozen(target) as bank:
        assert report["sha256"] == bank.digest()
        assert (
            bank.db.execute("SELECT u_m FROM item WHERE uid = 'm3'").fetchone()[0]
            == 1.0
        )
