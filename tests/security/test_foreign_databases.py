"""SQLite files of others: nothing in them runs, whatever command they reach."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.workspace import CorruptWorkspace, Workspace, foreign
from sage_desktop import cli
from tests.gui import sample_workspace

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
ACTIVATING = (
    "CREATE TRIGGER t AFTER INSERT ON item BEGIN "
    "UPDATE item SET state = 'active' WHERE id = NEW.id; END"
)
FILLING = (
    "CREATE TRIGGER t AFTER INSERT ON memory_event BEGIN INSERT INTO blob "
    f"SELECT hex(randomblob(32)), randomblob(4096) FROM ({ENDLESS} SELECT n FROM c); END"
)
HANGING = (
    "ALTER TABLE item RENAME TO item_before; "
    f"CREATE VIEW item AS {ENDLESS} SELECT b.* FROM item_before AS b, c"
)
EVIL = {
    "w1, a trigger that activates": ACTIVATING,
    "w2, a view for a table": "ALTER TABLE meta RENAME TO m; "
    "CREATE VIEW meta AS SELECT * FROM m",
    "w4, a view that cannot be read": "DROP VIEW memory_item; "
    "CREATE VIEW memory_item AS SELECT absent FROM nowhere",
    "w5, a view without end": HANGING,
    "w8, a trigger without end": FILLING,
    "an index over an expression": "CREATE INDEX i ON item(hex(summary))",
    "a trigger on the list of migrations": "CREATE TRIGGER t AFTER INSERT ON "
    "_sqlite_migrations BEGIN DELETE FROM item; END",
    "a table of their own": "CREATE TABLE mine(a)",
    "a table that computes": "ALTER TABLE meta ADD COLUMN "
    "more TEXT GENERATED ALWAYS AS (hex(value))",
}
COMMANDS = (
    "memory list --workspace {evil}",
    "memory verify --workspace {evil}",
    "memory verify --repair --workspace {evil}",
    "memory archive m1 --workspace {evil}",
    "memory merge {mine} --workspace {evil}",
    "memory merge {evil} --workspace {mine}",
    "workspace export-run {evil} {out}",
    "workspace backup {evil} {out}",
    "session record {evil} {out}",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_workspace.build(tmp_path_factory.mktemp("whole") / "whole.sage")


def changed(whole: Path, target: Path, script: str) -> Path:
    shutil.copy(whole, target)
    with closing(sqlite3.connect(target)) as db:
        db.execute("PRAGMA legacy_alter_table = 1")
        db.executescript(script)
    return target


@pytest.mark.parametrize("script", EVIL.values(), ids=EVIL.keys())
def test_what_others_put_into_a_file_reaches_no_statement(
    whole: Path, tmp_path: Path, script: str
) -> None:
    evil = changed(whole, tmp_path / "evil.sage", script)
    mine = Path(shutil.copy(whole, tmp_path / "mine.sage"))
    before = evil.read_bytes(), mine.read_bytes()
    for line in COMMANDS:
        words = line.format(evil=evil, mine=mine, out=tmp_path / "out").split()
        result = CliRunner().invoke(cli.main, words)
        assert result.exit_code == 2, f"{line}: {result.output}"
        assert "evil.sage" in result.output, line
    assert (evil.read_bytes(), mine.read_bytes()) == before
    assert not (tmp_path / "out").exists()


def test_the_error_names_what_is_not_ours(whole: Path, tmp_path: Path) -> None:
    evil = changed(whole, tmp_path / "evil.sage", ACTIVATING)
    with pytest.raises(CorruptWorkspace, match=r"no release makes its trigger t\b"):
        Workspace.open(evil)


def test_a_value_has_an_end(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """w7, with a limit that takes less to reach."""
    script = "UPDATE blob SET data = zeroblob(300000)"
    large = changed(whole, tmp_path / "large.sage", script)
    monkeypatch.setattr(foreign, "LONGEST_VALUE", 200_000)
    result = CliRunner().invoke(
        cli.main, ["memory", "verify", "--workspace", str(large)]
    )
    assert result.exit_code == 1
    assert "cannot be read to its end (string or blob too big)" in result.output


def test_a_missing_trigger_is_told(whole: Path, tmp_path: Path) -> None:
    cut = changed(whole, tmp_path / "cut.sage", "DROP TRIGGER edited_earns_nothing")
    result = CliRunner().invoke(cli.main, ["memory", "verify", "--workspace", str(cut)])
    assert result.exit_code == 1
    assert "the trigger edited_earns_nothing is missing" in result.output


def test_statistics_of_sqlite_are_no_fault(whole: Path, tmp_path: Path) -> None:
    with Workspace.open(changed(whole, tmp_path / "w.sage", "ANALYZE")) as workspace:
        assert workspace.check() == ()


def test_pages_that_lead_back_to_pages_are_not_walked(
    whole: Path, tmp_path: Path
) -> None:
    """Branches that all lead to one page have more rows than the file has atoms."""
    evil = Path(shutil.copy(whole, tmp_path / "evil.sage"))
    with closing(sqlite3.connect(evil)) as db:
        (root,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'memory_event'"
        ).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    data = evil.read_bytes()
    pages = [data[start : start + size] for start in range(0, len(data), size)]
    pages.append(pages[root - 1])
    for _level in range(12):
        pages.append(_branches(len(pages), size))
    pages[root - 1] = _branches(len(pages), size)
    count = len(pages).to_bytes(4, "big")
    pages[0] = pages[0][:28] + count + pages[0][32:]
    evil.write_bytes(b"".join(pages))
    mine = Path(shutil.copy(whole, tmp_path / "mine.sage"))
    for words in (
        ["memory", "merge", str(evil), "--workspace", str(mine)],
        ["memory", "verify", "--workspace", str(evil)],
    ):
        result = CliRunner().invoke(cli.main, words)
        assert result.exit_code in (1, 2)
        assert "out of order" in result.output


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_a_pipe_beside_a_file_is_not_waited_for(
    whole: Path, tmp_path: Path, ending: str
) -> None:
    mine = Path(shutil.copy(whole, tmp_path / "mine.sage"))
    os.mkfifo(mine.with_name(mine.name + ending))
    for line in (
        "memory list --workspace {mine}",
        "memory archive m1 --workspace {mine}",
    ):
        result = CliRunner().invoke(cli.main, line.format(mine=mine).split())
        assert result.exit_code == 2
        assert "is not a regular file" in result.output


def test_a_journal_deletes_no_other_file(whole: Path, tmp_path: Path) -> None:
    """One that names a journal of several databases has SQLite delete what it names."""
    mine = Path(shutil.copy(whole, tmp_path / "mine.sage"))
    evil = tmp_path / "evil.sage"
    other = tmp_path / "thesis.tex"
    other.write_text("years of work")
    with closing(sqlite3.connect(mine, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN IMMEDIATE")
        rows = [(f"key {number}", "x" * 3000) for number in range(300)]
        db.executemany("INSERT INTO meta VALUES (?, ?)", rows)
        shutil.copy(mine, evil)
        journal = mine.with_name("mine.sage-journal").read_bytes()
        db.execute("ROLLBACK")
    name = str(other).encode()
    numbers = ((0x40000000 // 4096 + 1), len(name), sum(name))
    page, length, checksum = (number.to_bytes(4, "big") for number in numbers)
    magic = bytes.fromhex("d9d505f920a163d7")
    evil.with_name("evil.sage-journal").write_bytes(
        journal + page + name + length + checksum + magic
    )
    for line in (
        "memory list --workspace {evil}",
        "memory archive m1 --workspace {evil}",
    ):
        result = CliRunner().invoke(cli.main, line.format(evil=evil).split())
        assert result.exit_code == 2
        assert "names another file" in result.output
    assert other.read_text() == "years of work"


def _branches(child: int, size: int, cells: int = 200) -> bytes:
    """An inner page of a table that leads `cells` times to one page."""
    page = bytearray(size)
    start = size - 5 * cells
    page[0] = 5
    page[3:5] = cells.to_bytes(2, "big")
    page[5:7] = start.to_bytes(2, "big")
    page[8:12] = child.to_bytes(4, "big")
    for cell in range(cells):
        place = start + 5 * cell
        page[12 + 2 * cell : 14 + 2 * cell] = place.to_bytes(2, "big")
        page[place : place + 4] = child.to_bytes(4, "big")
        page[place + 4] = 1 + cell % 100
    return bytes(page)
