"""An experience library of another agent: into quarantine, with what the screening noticed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.curation.curator import Curator
from core.errors import InvalidInput
from core.exchange.library import import_library, read_library, reasons
from core.memory.records import ItemState, Origin
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.cli import main

FIXTURE = Path(__file__).parents[2] / "data" / "importers" / "experiences"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy that a test may break."""
    return Path(shutil.copytree(FIXTURE, tmp_path / "experiences"))


def sage(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(
        main, ["memory", *(str(argument) for argument in arguments)]
    )
    assert result.exit_code == code, result.output
    return result


def test_records_become_experiences_with_both_sides_of_the_diff() -> None:
    entries = {entry.place: entry for entry in read_library(FIXTURE).entries}
    copy = entries["scaled_shift.json[0]"].experience
    assert copy.title == "DataCopy needs the element count as its third argument."
    assert copy.type == "compile_error"
    assert copy.error_message.endswith(
        "error: no matching function for call to 'DataCopy'"
    )
    assert copy.code_diff.wrong_code.splitlines()[1] == "    DataCopy(yLocal, xGm);"
    assert copy.code_diff.correct_code.splitlines() == [
        "for (uint32_t tile = 0; tile < tiles; ++tile) {",
        "    DataCopy(yLocal, xGm[tile * length], length);",
        "}",
    ]
    assert (
        copy.source
        == "experience library experiences, scaled_shift.json[0], operator scaled_shift"
    )
    tail = entries["scaled_shift.json[1]"].experience
    assert tail.type == "wrong_result"
    assert "// …" in tail.code_diff.correct_code, "hunks are set apart"


def test_the_screening_notices_tricks_and_not_the_operators_own_binding() -> None:
    noticed = {entry.place: entry.suspicion for entry in read_library(FIXTURE).entries}
    assert noticed["scaled_shift.json[0]"] == ""
    assert noticed["scaled_shift.json[1]"] == "", (
        "aclnnScaledShiftCustom is its own operator"
    )
    assert "passing a check" in noticed["row_centre.json[0]"]
    assert "built-in operator" in noticed["row_centre.json[1]"]
    assert "names no cause" in noticed["row_centre.json[2]"]


def test_the_cause_is_found_between_the_words_of_a_build(library: Path) -> None:
    log = "Exit Code: 1\nError Output:\nrunning build\ng++ -O3 -c a.cpp -o error.o\n"
    cause = "a.cpp:3: error: 'x' was not declared"
    diff = "@@ -1 +1 @@\n+at::Tensor y = at::empty_like(x);"
    rows = [
        {
            "op": "a",
            "error": f"{log}note: fault\n{cause}",
            "code_diff": diff,
            "summary": "One.",
        },
        {"op": "a", "error": log, "code_diff": diff, "summary": "Two."},
    ]
    (library / "reference/issues/build.json").write_text(json.dumps(rows))
    found = {entry.place: entry for entry in read_library(library).entries}
    assert found["build.json[0]"].experience.error_message == cause
    assert found["build.json[0]"].suspicion == "", (
        "allocating an output computes nothing"
    )
    assert "names no cause" in found["build.json[1]"].suspicion


def test_a_trick_behind_the_cut_of_a_long_diff_is_noticed(library: Path) -> None:
    long = "\n".join(
        [
            "@@ -1 +1 @@",
            *(f"+int line_{n};" for n in range(200)),
            "+return at::softmax(x, 0);",
        ]
    )
    record = {
        "op": "a",
        "error": "error: x",
        "code_diff": long,
        "summary": "Split the loop.",
    }
    (library / "reference/issues/long.json").write_text(json.dumps([record]))
    entry = next(
        entry
        for entry in read_library(library).entries
        if entry.place == "long.json[0]"
    )
    assert "softmax" not in entry.experience.code_diff.correct_code
    assert "at::softmax" in entry.suspicion


def test_all_of_it_waits_in_quarantine_until_a_person_enables_it(
    store: MemoryStore,
) -> None:
    rehearsed = import_library(store, read_library(FIXTURE), dry_run=True)
    assert store.items() == ()
    report = import_library(store, read_library(FIXTURE))
    assert report == rehearsed
    assert sum(reasons(report).values()) == 3
    items = store.items()
    assert [item.uid for item in items] == list(report.added)
    assert {(item.state, item.origin) for item in items} == {
        (ItemState.QUARANTINED, Origin.IMPORT)
    }
    for item in items:
        reason = store.workspace.db.execute(
            "SELECT state_reason FROM item WHERE uid = ?", (item.uid,)
        ).fetchone()
        assert reason[0] == report.added[item.uid] != ""
    retriever = Retriever(store.workspace)
    assert retriever.retrieve("DataCopy element count") == ()
    copy = next(item for item in items if item.title.startswith("DataCopy needs"))
    Curator(store).enable(copy.uid)
    assert [hit.uid for hit in retriever.retrieve("DataCopy element count")] == [
        copy.uid
    ]
    again = import_library(store, read_library(FIXTURE))
    assert (again.added, again.known) == ({}, 5)
    assert store.item(copy.uid).state is ItemState.ACTIVE, "what a person decided stays"


def test_a_broken_record_is_named_and_the_others_stay(library: Path) -> None:
    issues = library / "reference/issues"
    rows = json.loads((issues / "row_centre.json").read_text())
    rows[1]["summary"] = 7
    del rows[2]["op"]
    (issues / "row_centre.json").write_text(json.dumps(rows))
    (issues / "torn.json").write_text('[{"op": ')
    found = read_library(library)
    assert [(fault.file, fault.field) for fault in found.faults] == [
        ("row_centre.json", "[1].summary"),
        ("row_centre.json", "[2]"),
        ("torn.json", "file"),
    ]
    assert "op" in found.faults[1].problem
    assert len(found.entries) == 3
    shutil.rmtree(issues)
    with pytest.raises(InvalidInput, match="reference/issues"):
        read_library(library)


def test_from_the_command_line(library: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.sage"
    Workspace.open(path).close()
    dry = sage("import", library, "--workspace", path, "--dry-run").stdout
    assert "5 records, 3 noticed by the screening, 0 left out" in dry
    assert "row_centre.json[0]: it is about passing a check" in dry
    assert "would go to quarantine: 5" in dry
    assert json.loads(sage("list", "--workspace", path, "--json").stdout) == []
    inside = library / "reference" / "issues"
    assert (
        "put into quarantine: 5" in sage("import", inside, "--workspace", path).stdout
    )
    rows = json.loads(
        sage("list", "--workspace", path, "--state", "quarantined", "--json").stdout
    )
    assert len(rows) == 5
    exported = tmp_path / "memory.jsonl"
    sage("export", exported, "--workspace", path)
    assert (
        "would add 0"
        in sage("import", exported, "--workspace", path, "--dry-run").stdout
    )
    (tmp_path / "empty").mkdir()
    assert (
        "no experience library"
        in sage("import", tmp_path / "empty", "--workspace", path, code=2).stderr
    )
