"""`sage run --demo` as a user runs it: its results, and what a kill -9 in the middle leaves behind."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.engine.shipped import demonstration

COMMAND = [sys.executable, "-c", "from sage_desktop.cli import main; main()", "run", "--demo", "--json"]
CREDIT = """
  SELECT e.operator, e.objective, i.uid, c.adopted, round(c.xi, 3), c.eta, round(c.u_after, 3)
  FROM credit_event c JOIN episode e ON e.uid = c.episode_uid JOIN item i ON i.id = c.item_id
  WHERE i.uid LIKE 'seed-%' ORDER BY e.seq, i.uid
"""


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, build_cache: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path_factory.mktemp("undisturbed") / "demo.sage"
    done = subprocess.run(
        [*COMMAND, "--workspace", path], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr
    return path, json.loads(done.stdout)


def test_all_operators_end_correct_and_most_get_faster(undisturbed: tuple[Path, dict[str, Any]]) -> None:
    _, summary = undisturbed
    assert [row["name"] for row in summary["operators"]] == list(demonstration().header.operators)
    assert len(summary["operators"]) >= 6
    assert all(row["correct"] for row in summary["operators"])
    faster = [row for row in summary["operators"] if row["latency_best_us"] < row["latency_first_us"]]
    assert len(faster) >= 4
    assert {row["latency_origin"] for row in summary["operators"]} == {"modelled"}
    assert all(0 < row["adopted"] < row["retrieved"] for row in summary["operators"])


def test_every_kernel_is_judged_as_it_was_recorded(undisturbed: tuple[Path, dict[str, Any]]) -> None:
    _, summary = undisturbed
    found = [row["recording"] for row in summary["operators"]]
    assert sum(row["rounds"] for row in found) == len(demonstration().outcomes)
    assert [row["verdicts_changed"] for row in found] == [[]] * len(found)
    changes = {row["name"]: row["recording"]["largest_latency_change"] for row in summary["operators"]}
    # Recorded when the pipes of a library product waited for each other in the model; the replay says so.
    assert 0.01 < changes.pop("BatchedMatmul") < 0.1
    assert max(changes.values()) < 0.01


def test_promoted_items_passed_the_gates(undisturbed: tuple[Path, dict[str, Any]]) -> None:
    path, summary = undisturbed
    assert summary["promoted"]
    evidence = {
        uid: (u, n_ado, operators)
        for uid, u, n_ado, operators in rows(
            path,
            "SELECT uid, u_m, n_ado, "
            "(SELECT count(*) FROM item_operator o WHERE o.item_id = item.id) FROM item",
        )
    }
    for uid in summary["promoted"]:
        u, n_ado, operators = evidence[uid]
        assert u > 0
        assert n_ado >= 3
        assert operators >= 3


def test_a_finished_demo_is_not_run_again(undisturbed: tuple[Path, dict[str, Any]]) -> None:
    path, summary = undisturbed
    before = rows(path, "SELECT count(*) FROM model_call")
    again = subprocess.run(
        [*COMMAND, "--workspace", path], capture_output=True, text=True, timeout=60, check=False
    )
    assert json.loads(again.stdout) == summary
    assert rows(path, "SELECT count(*) FROM model_call") == before


def test_a_diagnostic_can_be_asked_about_any_round(undisturbed: tuple[Path, dict[str, Any]]) -> None:
    path, _ = undisturbed
    ask = [*COMMAND[:3], "diagnose", "build", "--operator", "Less", "--workspace", path, "--json"]
    done = subprocess.run([*ask, "--round", "1"], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert "compiles" in done.stdout
    none = subprocess.run([*ask, "--round", "31"], capture_output=True, text=True, timeout=200, check=False)
    assert none.returncode == 2
    assert "no kernel of Less in round 31" in none.stderr


def test_killed_in_the_middle_it_goes_on_and_ends_alike(
    undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Alike but for latencies: two kernels move what their random inputs say, which differ by workspace."""
    path = tmp_path / "killed.sage"
    chance = random.Random(20)
    for _ in range(3):
        command = [*COMMAND, "--workspace", path]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            for _line in range(chance.randrange(3, 14)):
                process.stderr.readline()
            process.kill()
    done = subprocess.run(
        [*COMMAND, "--workspace", path], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "continues where it was interrupted" in done.stderr
    reference, summary = undisturbed
    killed = json.loads(done.stdout)
    assert killed["promoted"] == summary["promoted"]
    names = (
        "name",
        "state",
        "reason",
        "rounds",
        "first_correct_round",
        "retrieved",
        "adopted",
        "diagnostics",
    )
    assert [[row[name] for name in names] for row in killed["operators"]] == [
        [row[name] for name in names] for row in summary["operators"]
    ]
    assert rows(path, CREDIT) == rows(reference, CREDIT)
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
