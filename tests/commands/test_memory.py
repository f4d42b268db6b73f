"""`sage memory …` on a real workspace, as a person types it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.exchange.seeds import cold_start_bank
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.scenario import add_items, play_episode


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.sage"
    with Workspace.open(path) as workspace:
        store = MemoryStore(workspace)
        add_items(store, 3)
        for number, operator in enumerate("ABC"):
            play_episode(
                store, f"e{number}", {"m1": True, "m2": False}, operator=operator
            )
        store.set_rule("m1", "Pad the tail.")
        play_episode(store, "e3", {}, operator="D")
        play_episode(store, "e4", {}, operator="E", used=("m1",))
    return path


def sage(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(
        main, ["memory", *(str(argument) for argument in arguments)]
    )
    assert result.exit_code == code, result.output
    return result


def test_list_show_and_history(bank: Path) -> None:
    rows = json.loads(sage("list", "--workspace", bank, "--json").stdout)
    assert [row["uid"] for row in rows] == ["m1", "m3", "m2"]
    table, _blank, legend = sage(
        "list", "--workspace", bank, "--resident"
    ).stdout.partition("\n\n")
    assert table.count("\n") == 2
    assert legend.startswith("sigma: lifecycle")
    assert (
        sage("list", "--limit", "2", "--workspace", bank).stderr
        == "2 of 3 shown; --limit shows more\n"
    )
    text = sage("show", "m1", "--workspace", bank).stdout
    assert "adopted 3 by A, B, C" in text
    assert "rule: Pad the tail." in text
    events = json.loads(
        sage("show", "m1", "--history", "--workspace", bank, "--json").stdout
    )
    assert [event["kind"] for event in events] == ["add", "rule"]
    assert "Name an item" in sage("show", "--workspace", bank, code=2).stderr
    assert "no memory item m9" in sage("show", "m9", "--workspace", bank, code=2).stderr


def test_a_residents_frequency_is_a_moving_average_and_no_share_of_episodes(
    bank: Path,
) -> None:
    assert "p 0.000 of 5 episodes" in sage("show", "m3", "--workspace", bank).stdout
    resident = next(
        row
        for row in json.loads(sage("list", "--workspace", bank, "--json").stdout)
        if row["hot_region"]
    )
    shown = sage("show", resident["uid"], "--workspace", bank).stdout
    assert f"p {resident['p_hat']:.3f} moving average of use as a resident" in shown


def test_search_keeps_to_type_category_and_scope(bank: Path, tmp_path: Path) -> None:
    for name, soc in (("on910", "Ascend910B"), ("on310", "Ascend310P")):
        fields = {
            "title": f"right thing {name}",
            "type": "api_misuse",
            "category": "Copy",
        }
        (tmp_path / name).write_text(json.dumps(fields | {"scope": {"soc": [soc]}}))
        sage("add", tmp_path / name, "--workspace", bank)

    def found(*options: str) -> set[str]:
        said = sage(
            "search", "right thing", "--workspace", bank, "--json", *options
        ).stdout
        rows = json.loads(sage("list", "--workspace", bank, "--json").stdout)
        titles = {row["uid"]: row["title"] for row in rows}
        return {titles[hit["uid"]].split()[-1] for hit in json.loads(said)["hits"]}

    assert found("--category", "Copy") == {"on910", "on310"}
    assert found("--category", "Copy", "--soc", "Ascend910B1") == {"on910"}
    assert found("--type", "no_such_type") == set()
    assert "on310" not in found("--soc", "Ascend910B1")
    assert (
        "is not one of"
        in sage("list", "--workspace", bank, "--type", "no_such_type", code=2).stderr
    )


def test_search_explains_itself(bank: Path) -> None:
    result = sage("search", "right thing", "--workspace", bank, "--explain")
    assert "by words only" in result.stderr
    assert "m3" in result.stdout
    found = json.loads(
        sage("search", "right thing", "--workspace", bank, "--json").stdout
    )
    assert [hit["uid"] for hit in found["hits"]] == ["m3", "m2"]  # m1 is resident


def test_items_are_decided_about_and_undone(bank: Path, tmp_path: Path) -> None:
    where = ("--workspace", bank)

    def resident() -> list[str]:
        rows = json.loads(sage("list", "--resident", "--json", *where).stdout)
        return [row["uid"] for row in rows]

    assert sage("block", "m1", *where).stderr == "no longer resident: m1\n"
    sage("block", "m1", "--off", *where)
    sage("pin", "m2", "m3", *where)
    assert set(resident()) >= {"m2", "m3"}
    sage("undo", *where)
    assert resident() == []
    sage("promote", "m1", *where)
    assert "nothing to change" in sage("promote", "m1", *where).stdout
    long = sage("edit", "m1", "--rule", "word " * 12_000, *where)
    assert long.stderr == "no longer resident: m1\n"

    sage("archive", "m3", *where, "--reason", "doubtful")
    assert "state-archived m3 (doubtful)" in sage("undo", *where).stdout
    assert "takes back event" in sage("undo", "--redo", *where).stdout
    sage("restore", "m3", *where)
    assert " active " in sage("show", "m3", *where).stdout
    assert "is active" in sage("accept", "m3", *where, code=2).stderr


def test_content_and_rule_are_edited_and_the_history_shows_both(
    bank: Path, tmp_path: Path
) -> None:
    where = ("--workspace", bank)
    file = tmp_path / "lesson.json"
    file.write_text(sage("show", "m3", "--content", *where).stdout)
    assert sage("edit", "m3", file, *where).stdout == "nothing to change\n"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"title": "New title"}))
    sage("edit", "m3", file, "--rule", "Count in blocks.", *where)
    shown = sage("show", "m3", *where).stdout
    assert "m3  New title" in shown
    assert "rule: Count in blocks." in shown
    history = sage("show", "m3", "--history", *where).stdout
    assert "+New title" in history
    assert "+Count in blocks." in history
    assert "Give FILE" in sage("edit", "m3", *where, code=2).stderr


def test_two_items_are_joined_and_the_event_is_undone_by_its_number(
    bank: Path, tmp_path: Path
) -> None:
    where = ("--workspace", bank)
    assert "No two" in sage("duplicates", *where).stdout
    file = tmp_path / "twin.json"
    file.write_text(
        json.dumps({"title": "Rule number 1", "type": "api_misuse", "category": "c"})
    )
    twin, state = sage("add", file, *where).stdout.split()
    assert state == "active"
    assert twin in sage("duplicates", *where).stdout
    sage("duplicates", "--join", "m1", twin, *where)
    assert "archived" in sage("show", twin, *where).stdout
    seq = json.loads(sage("show", "--history", *where, "--json").stdout)[-1]["seq"]
    assert sage("undo", "--event", seq, *where).stdout.startswith("event")
    assert "archived" not in sage("show", twin, *where).stdout


def test_snapshots_are_shown_compared_and_restored(bank: Path) -> None:
    where = ("--workspace", bank)
    listed = sage("snapshots", *where).stdout.splitlines()[2:]
    first, last = listed[0].split()[0], listed[-1].split()[0]
    snapshot = json.loads(sage("snapshots", "--show", last, *where).stdout)
    assert [entry["title"] for entry in snapshot["hot_entries"]] == ["Pad the tail."]
    compared = sage("snapshots", "--compare", first, last, *where).stdout
    assert "+ 1 rule number 1" in compared
    sage("demote", "m1", *where)
    restored = sage("snapshots", "--restore", last, *where)
    assert restored.stderr == "resident now: m1\n"


def test_a_memory_is_exported_merged_and_imported(bank: Path, tmp_path: Path) -> None:
    export, other = tmp_path / "bank.jsonl", tmp_path / "other.sage"
    sage("export", export, "--workspace", bank)
    again = sage("export", export, "--workspace", bank, code=2)
    assert "exists already" in again.stderr
    Workspace.open(other).close()
    where = ("--workspace", other)
    assert "would add 3" in sage("merge", export, "--dry-run", *where).stdout
    assert "added 3" in sage("merge", export, *where).stdout
    assert "unchanged 3" in sage("import", export, *where).stdout
    assert "0 differences" in sage("verify", *where).stderr

    new = tmp_path / "new.sage"
    count = len(cold_start_bank())
    for fresh in (count, 0):
        words = f"{fresh} of {count} seeds are new"
        assert words in sage("import", "--workspace", new).stdout
    assert "seed-0001" in sage("list", "--workspace", new, "--limit", 100).stdout
    seeds = tmp_path / "own.toml"
    seeds.write_text(
        '[[item]]\nuid = "own-1"\ntitle = "t"\ntype = "b"\ncategory = "c"\n'
    )
    assert "1 of 1 seeds are new" in sage("import", seeds, "--workspace", new).stdout


def test_the_tokens_of_rules_are_counted_again(bank: Path) -> None:
    counted = sage("verify", "--recount", "wordpiece", "--workspace", bank)
    assert counted.stdout.startswith("event")
    sage("verify", "--workspace", bank)


def test_verify_tells_and_repairs_a_wrong_counter(bank: Path) -> None:
    with Workspace.open(bank) as workspace:
        workspace.db.execute("UPDATE item SET n_ado = 9 WHERE uid = 'm1'")
    assert (
        "n_ado: stored 9, events say 3"
        in sage("verify", "--workspace", bank, code=1).stdout
    )
    sage("verify", "--repair", "--workspace", bank)
    sage("verify", "--workspace", bank)


def test_wrong_files_are_named_and_nothing_is_lost(bank: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    good = {"title": "Drain the queue", "type": "api_misuse", "category": "Copy"}
    for change, said in (
        (
            {"sumary": "lost by a slip"},
            "mine.json: sumary: is no field of an experience. Available: title",
        ),
        ({"code_diff": {"wrong": "x"}}, "mine.json: code_diff.wrong: is no field"),
        (
            {"title": "x" * 301},
            "title: has 301 characters, at most 300 fit. Shorten it.",
        ),
        (
            {"code_diff": {"wrong_code": "x" * 16_001}},
            "wrong_code: has 16001 characters",
        ),
        ({"code_diff": "x"}, "Expected `object`, got `str`"),
    ):
        file.write_text(json.dumps(good | change))
        assert said in sage("add", file, "--workspace", bank, code=2).stderr
        assert said in sage("edit", "m1", file, "--workspace", bank, code=2).stderr
    file.write_text(json.dumps(good))
    file.write_text(json.dumps(good), encoding="utf-8-sig")  # as some editors save it
    first = sage("add", file, "--workspace", bank).stdout.split()
    assert first[1:] == ["active"]
    assert sage("add", file, "--workspace", bank).stdout.split()[:1] == first[:1]
    assert "there already" in sage("add", file, "--workspace", bank).stdout
    absent = tmp_path / "absent" / "out.jsonl"
    assert (
        f"There is no folder {absent.parent}"
        in sage("export", absent, "--workspace", bank, code=2).stderr
    )
    (tmp_path / "code.cpp").write_bytes(b"\xff")
    rule = sage(
        "edit",
        "m1",
        "--rule",
        "text",
        "--example",
        tmp_path / "code.cpp",
        "--workspace",
        bank,
        code=2,
    )
    assert "code.cpp: byte 0: is not UTF-8" in rule.stderr


def test_a_demoted_item_says_what_would_bring_its_rule_back(bank: Path) -> None:
    sage("demote", "m1", "--workspace", bank)
    shown = sage("show", "m1", "--workspace", bank).stdout
    assert (
        "until newer evidence passes the gates; since then adopted 0 of 3, by 0 of 3 operators"
        in shown
    )
    sage("promote", "m1", "--workspace", bank)
    assert "newer evidence" not in sage("show", "m1", "--workspace", bank).stdout


def test_a_search_says_what_it_leaves_out(bank: Path) -> None:
    found = sage("search", "zebra", "--workspace", bank)
    assert found.stdout == "nothing found\n"
    assert "not searched: 1 resident rules" in found.stderr


def test_a_file_that_cannot_be_written_is_one_line(bank: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["session", "record", str(bank), str(tmp_path / "absent" / "s.jsonl")]
    )
    assert result.exit_code == 2
    assert result.stderr.startswith("sage: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow  # starts the text encoder
def test_a_search_that_may_wait_reads_items_no_run_has_read(bank: Path) -> None:
    """It once showed no meaning at all and did not say so: only runs stored vectors."""
    found = json.loads(
        sage(
            "search", "right thing", "--wait", "60", "--json", "--workspace", bank
        ).stdout
    )
    assert found["weights"]["reason"] == ""
    assert found["hits"]
    assert all(hit["cosine"] is not None for hit in found["hits"])


def test_without_a_name_the_workspace_of_runs_is_meant_then_that_of_the_demo(
    bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sage run` and `sage memory` once meant two files, and nothing said so."""
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    assert "There is no workspace yet" in sage("list", code=2).stderr
    (tmp_path / "data").mkdir(exist_ok=True)
    for name in ("demo.sage", "workspace.sage"):
        shutil.copy(bank, tmp_path / "data" / name)
        assert sage("list").stderr == f"workspace {tmp_path}/data/{name}\n"
    assert "event" in sage("pin", "m3").stdout
    assert (
        sage(
            "list", "--resident", "--workspace", tmp_path / "data" / "demo.sage"
        ).stdout.count("m3")
        == 0
    )


def test_the_first_search_of_many_items_keeps_their_index(tmp_path: Path) -> None:
    """Each search of a memory that no run had read rebuilt it: seconds."""
    path = tmp_path / "many.sage"
    with Workspace.open(path) as workspace:
        add_items(MemoryStore(workspace), 250)
    assert "m7" in sage("search", "item 7", "-k", "250", "--workspace", path).stdout
    with Workspace.open_readonly(path) as workspace:
        count = "SELECT count(*) FROM document"
        assert workspace.db.execute(count).fetchone()[0] == 250
