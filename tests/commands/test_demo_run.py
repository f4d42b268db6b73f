"""`sage run` plays the recorded run as a user plays it: its results, and what a kill -9 in the middle leaves.

The quick tests play one of its operators, slow ones all that `sage run --demo` plays and a kill of two.
What is killed quickly is the engine alone, see `core/engine/test_kill.py`; on a far host slow tests do it.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.engine.shipped import demonstration, recorded_run
from core.evaluation.records import TIME_MODEL
from core.replay.session_file import Session
from sage_desktop.cli import main
from tests.scripted_session import SAGE, played, plays

PLAYED, TWO = (
    recorded_run().only(("MaskedSelectV3",)),
    recorded_run().only(("BatchedMatmul", "MaskedSelectV3")),
)
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
def command(tmp_path_factory: pytest.TempPathFactory, build_cache: Path) -> list[str]:
    """Plays an operator of the recorded run."""
    return plays(PLAYED, tmp_path_factory.mktemp("session"))


@pytest.fixture(scope="module")
def undisturbed(
    command: list[str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    return played(command, tmp_path_factory.mktemp("undisturbed") / "one.sage")


def assert_as_recorded(summary: dict[str, Any], session: Session) -> None:
    assert [row["name"] for row in summary["operators"]] == list(
        session.header.operators
    )
    assert all(row["correct"] for row in summary["operators"])
    assert {row["latency_origin"] for row in summary["operators"]} == {
        f"modelled-{TIME_MODEL}"
    }
    assert all(row["adopted"] < row["retrieved"] for row in summary["operators"])
    assert any(row["adopted"] for row in summary["operators"])
    found = [row["recording"] for row in summary["operators"]]
    assert sum(row["rounds"] for row in found) == len(session.outcomes)
    assert [row["verdicts_changed"] for row in found] == [[]] * len(found)
    # Flags that all cores wait for cost more since it was recorded.
    assert max(row["largest_latency_change"] for row in found) < 0.12


@pytest.mark.system
def test_every_kernel_is_judged_as_it_was_recorded(
    undisturbed: tuple[Path, dict[str, Any]],
) -> None:
    assert_as_recorded(undisturbed[1], PLAYED)


@pytest.mark.slow
def test_the_demonstration_ends_correct_and_faster_and_loses_a_round(
    build_cache: Path, tmp_path: Path
) -> None:
    path, summary = played([*SAGE, "run", "--demo", "--json"], tmp_path / "demo.sage")
    assert_as_recorded(summary, demonstration())
    assert len(summary["operators"]) >= 6
    faster = [
        row
        for row in summary["operators"]
        if row["latency_best_us"] < row["latency_first_us"]
    ]
    assert len(faster) >= 4
    verdicts = rows(
        path,
        "SELECT operator, verdict FROM round r JOIN episode e ON e.uid = r.episode_uid",
    )
    assert ("ApplyAdamWV2", "pass-with-hazard") in verdicts


@pytest.mark.system
def test_a_finished_run_is_not_run_again(
    undisturbed: tuple[Path, dict[str, Any]], command: list[str]
) -> None:
    path, summary = undisturbed
    before = rows(path, "SELECT count(*) FROM model_call")
    again = CliRunner().invoke(
        main, [*command[len(SAGE) :], "--workspace", str(path)], prog_name="sage"
    )
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout) == summary
    assert rows(path, "SELECT count(*) FROM model_call") == before


@pytest.mark.system
def test_a_diagnostic_can_be_asked_about_any_round(
    undisturbed: tuple[Path, dict[str, Any]],
) -> None:
    path, _ = undisturbed
    ask = [
        "diagnose",
        "build",
        "--operator",
        "MaskedSelectV3",
        "--workspace",
        str(path),
        "--json",
        "--round",
    ]
    done = CliRunner().invoke(main, [*ask, "1"], prog_name="sage")
    assert done.exit_code == 0, done.stderr
    assert "compiles" in done.stdout
    none = CliRunner().invoke(main, [*ask, "31"], prog_name="sage")
    assert none.exit_code == 2
    assert "no kernel of MaskedSelectV3 in round 31" in none.stderr


@pytest.mark.slow
def test_killed_in_the_middle_it_goes_on_and_ends_alike(
    tmp_path: Path, build_cache: Path
) -> None:
    command = plays(TWO, tmp_path)
    killed_it_ends_like(
        played(command, tmp_path / "undisturbed.sage"),
        command,
        tmp_path / "killed.sage",
        14,
    )


def killed_it_ends_like(
    undisturbed: tuple[Path, dict[str, Any]], command: list[str], path: Path, lines: int
) -> None:
    """Kill a command three times, each within its first `lines` lines, and compare what it comes to.

    Alike but for latencies: two kernels move what their random inputs say, which differ by workspace.
    """
    reference, summary = undisturbed
    chance = random.Random(20)
    for _ in range(3):
        with subprocess.Popen(
            [*command, "--workspace", path], stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            for _line in range(chance.randrange(3, lines)):
                process.stderr.readline()
            process.kill()
    done = subprocess.run(
        [*command, "--workspace", path],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "continues where it was interrupted" in done.stderr
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
