"""Every command on a damaged workspace ends in an answer or in one clear line that names the file."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.workspace import Workspace
from sage_desktop import cli
from tests.gui import sample_workspace
from tests.security.damaging import WAYS, damage_texts

READING = (
    "memory list",
    "memory list --json",
    "memory show {item}",
    "memory show --history",
    "memory show {item} --history",
    "memory search tail",
    "memory snapshots",
    "memory verify",
    "memory duplicates",
    "memory export --credit uniform {out}.uniform",
    "memory export {out}.jsonl",
    "memory export --form paper {out}.paper",
    "memory export --form sqlite {out}.sqlite",
)
WRITING = (
    "memory pin {item}",
    "memory demote {item}",
    "memory block {item}",
    "memory archive {item}",
    "memory undo",
    "memory edit {item} --rule Pad.",
    "memory import",
    "memory verify --repair",
    "memory restore {item}",
)
OF_FILES = (
    "session record {file} {out}.session",
    "workspace export-run {file} {out}.bundle",
    "workspace backup {file} {out}.copy",
    "memory merge --workspace {other} {file}",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_workspace.build(tmp_path_factory.mktemp("whole") / "whole.sage")


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "reports"


def commands(item: str) -> list[str]:
    named = [f"{line} --workspace {{file}}" for line in (*READING, *WRITING)]
    return [line.replace("{item}", item) for line in (*named, *OF_FILES)]


def run(line: str, folder: Path, whole: Path, damage: Callable[[Path], None]) -> str:
    """Run a command on a damaged copy; returns what is wrong with its answer, empty when nothing is."""
    folder.mkdir(parents=True)
    file, other = folder / "w.sage", folder / "other.sage"
    shutil.copy(whole, file)
    if "{other}" in line:
        shutil.copy(whole, other)
    damage(file)
    words = [
        word.format(file=file, other=other, out=folder / "out")
        for word in line.split(" ")
    ]
    result = CliRunner().invoke(cli.main, words)
    shutil.rmtree(folder)
    if "Traceback" in result.output:
        return "a traceback"
    if result.exit_code == cli.BUG or not isinstance(
        result.exception, SystemExit | None
    ):
        return f"a mistake of ours: {result.exception!r} {result.output[-300:]}"
    if result.exit_code == 2 and "Usage:" in result.output:
        return f"the test misspells it: {result.output[-300:]}"
    return ""


def first_item(whole: Path) -> str:
    with Workspace.open_readonly(whole) as workspace:
        return str(workspace.db.execute("SELECT uid FROM item LIMIT 1").fetchone()[0])


def faults(whole: Path, folder: Path, seeds: range, every: int = 1) -> list[str]:
    found = []
    lines = commands(first_item(whole))
    for seed in seeds:
        way = WAYS[seed % len(WAYS)]
        for number in range(seed % every, len(lines), every):
            wrong = run(
                lines[number],
                folder / f"{seed}-{number}",
                whole,
                lambda path, way=way, seed=seed: way(path, random.Random(seed)),
            )
            if wrong:
                found.append(f"{way.__name__} seed {seed}: {lines[number]}: {wrong}")
    return found


@pytest.mark.usefixtures("reports")
def test_the_commands_work_on_a_whole_file(whole: Path, tmp_path: Path) -> None:
    wrong = [
        run(line, tmp_path / str(number), whole, lambda _path: None)
        for number, line in enumerate(commands(first_item(whole)))
    ]
    assert wrong == [""] * len(wrong)


@pytest.mark.usefixtures("reports")
def test_no_damage_reaches_the_person_as_a_traceback(
    whole: Path, tmp_path: Path
) -> None:
    assert not faults(whole, tmp_path, range(len(WAYS)), every=5)


@pytest.mark.slow
@pytest.mark.usefixtures("reports")
def test_no_damage_of_many_reaches_the_person_as_a_traceback(
    whole: Path, tmp_path: Path
) -> None:
    assert not faults(whole, tmp_path, range(5 * len(WAYS)))


@pytest.mark.parametrize(
    "line",
    [
        "memory verify --workspace {file}",
        "workspace export-run {file} {out}",
    ],
)
def test_a_damaged_text_is_named_with_its_file(
    whole: Path, tmp_path: Path, line: str
) -> None:
    file = tmp_path / "w.sage"
    shutil.copy(whole, file)
    damage_texts(file, random.Random(1))
    words = [word.format(file=file, out=tmp_path / "out") for word in line.split(" ")]
    result = CliRunner().invoke(cli.main, words)
    assert result.exit_code in (1, 2)
    assert "is not the one that was stored" in result.output
    assert str(file) in result.output or "verify" in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("DELETE FROM meta WHERE key = 'seq'", "meta.seq"),
        ("DELETE FROM meta WHERE key = 'episodes_applied'", "meta.episodes_applied"),
        (
            "UPDATE meta SET value = 'x' WHERE key = 'episodes_applied'",
            "meta.episodes_applied",
        ),
        ("UPDATE meta SET value = 1 WHERE key = 'seq'", "meta.seq"),
        ("DELETE FROM meta WHERE key = 'bank_id'", "meta.bank_id"),
        (
            "UPDATE hot_snapshot SET created_at = 'soon'",
            "hot_snapshot.created_at",
        ),
        (
            "UPDATE _sqlite_migrations SET name = CAST(x'ff41' AS TEXT) WHERE id = 1",
            "cannot be read",
        ),
    ],
)
def test_verify_names_a_damaged_counter_or_time(
    whole: Path, tmp_path: Path, statement: str, name: str
) -> None:
    file = tmp_path / "w.sage"
    shutil.copy(whole, file)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(statement)
    words = ["memory", "verify", "--workspace", str(file)]
    result = CliRunner().invoke(cli.main, words)
    assert result.exit_code in (1, 2)
    assert name in result.output


@pytest.mark.parametrize("command", ["memory verify", "memory snapshots", "queue"])
def test_a_gap_in_the_migrations_is_damage(
    whole: Path, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "w.sage"
    shutil.copy(whole, file)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("DELETE FROM _sqlite_migrations WHERE id = 1")
    words = [*command.split(" "), "--workspace", str(file)]
    result = CliRunner().invoke(cli.main, words)
    assert result.exit_code == 2
    assert "no release makes its list of migrations" in result.output


def test_a_schema_that_is_no_text_is_damage(whole: Path, tmp_path: Path) -> None:
    """SQLite's complaint quotes it, and then is no text either."""
    file = tmp_path / "w.sage"
    data = whole.read_bytes()
    assert data.count(b"CREATE TABLE item(") == 1
    file.write_bytes(data.replace(b"CREATE TABLE item(", b"CREATE TABL\xed item("))
    result = CliRunner().invoke(cli.main, ["memory", "list", "--workspace", str(file)])
    assert result.exit_code == 2
    assert "is damaged" in result.output
