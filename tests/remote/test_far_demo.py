"""The demonstration killed in the middle, here and over SSH: it ends as the undisturbed run does."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.replay.session_file import write_session
from remote.hosts.registry import HostRegistry
from tests.commands.test_demo_run import killed_it_ends_like
from tests.remote.machines import near
from tests.remote.sshd import ALIAS, Sshd
from tests.scripted_session import TWO, pack, played, two_played

COMMAND = [
    sys.executable,
    "-c",
    "from sage_desktop.cli import main; main()",
    "run",
    "--json",
]
ROUNDS = """
  SELECT t.operator, r.round, r.verdict, r.cause, r.latency_us FROM round r
  JOIN trajectory t ON t.uid = r.trajectory_uid ORDER BY t.operator, r.round
"""

RECORDING_PYTHON = """#!/bin/sh
case "$*" in *"remote.judge.serving.warm run"*) pwd >> {log} ;; esac
exec {python} "$@"
"""


def rounds(path: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(ROUNDS).fetchall()
    finally:
        connection.close()


def diagnostics(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM diagnostic").fetchone()[0])
    finally:
        connection.close()


def part_of_the_demo(path: Path, *operators: str) -> list[object]:
    """Arguments that run only some operators of the demonstration."""
    whole = pack()
    kept = tuple(row for row in whole.replies if row.subject in operators)
    write_session(
        path,
        replace(whole, header=replace(whole.header, operators=operators), replies=kept),
    )
    return ["--model", f"replay:{path}"]


def results(summary: dict[str, Any]) -> dict[str, Any]:
    """What a run told, without what names a run and the place it was judged on."""
    rows = [{**row, "trajectory": "", "judge": ""} for row in summary["operators"]]
    runs = [{**run, "judge": "", "origin": ""} for run in summary["runs"]]
    return {
        **summary,
        "operators": rows,
        "runs": runs,
        "hosts": sum(summary["hosts"].values()),
    }


@pytest.fixture(scope="module")
def two(build_cache: Path) -> tuple[list[str], Path, dict[str, Any]]:
    """Two operators of the scripted session, which asks no encoder: each start of one takes seconds."""
    return two_played()


@pytest.fixture
def command(two: tuple[list[str], Path, dict[str, Any]]) -> list[str]:
    return two[0]


@pytest.fixture
def undisturbed(
    two: tuple[list[str], Path, dict[str, Any]],
) -> tuple[Path, dict[str, Any]]:
    return two[1:]


@pytest.mark.slow  # quicker: `core/engine/test_kill.py` kills the engine alone
def test_killed_in_the_middle_it_goes_on_and_ends_alike(
    command: list[str], undisturbed: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    killed_it_ends_like(undisturbed, command, tmp_path / "killed.sage", 6)


@pytest.mark.slow  # quicker: `test_line_faults.py` cuts lines and restarts the application
@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)
@pytest.mark.parametrize(
    ("kills", "operators"),
    [(2, TWO), (8, ())],
    ids=["two operators", "the whole demonstration"],
)
def test_killed_again_and_again_it_ends_like_the_local_run_and_no_job_ran_twice(
    sshd: Sshd,
    tmp_path: Path,
    build_cache: Path,
    kills: int,
    operators: tuple[str, ...],
    command: list[str],
    undisturbed: tuple[Path, dict[str, Any]],
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    build_cache.mkdir(parents=True, exist_ok=True)
    (base / "cache").symlink_to(build_cache)
    judged, python = tmp_path / "judged", tmp_path / "python"
    python.write_text(RECORDING_PYTHON.format(log=judged, python=sys.executable))
    python.chmod(0o755)
    HostRegistry(tmp_path).change(
        ALIAS,
        python=str(python),
        base=str(base),
        locks=str(tmp_path / "locks"),
        slots=2,
    )
    environment = {
        **os.environ,
        "SAGE_SSH_CONFIG": str(sshd.config),
        "SAGE_DATA_DIR": str(tmp_path),
    }
    far_file = tmp_path / "far.sage"
    play = command if operators else [*COMMAND, "--demo"]
    far_run = [*play, "--host", ALIAS, "--workspace", str(far_file)]
    chance = random.Random(kills)
    try:
        for _ in range(kills):
            with subprocess.Popen(
                far_run, stderr=subprocess.PIPE, text=True, env=environment
            ) as process:
                assert process.stderr is not None
                for _line in range(chance.randrange(4, 12)):
                    process.stderr.readline()
                process.kill()
        done = subprocess.run(
            far_run,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
    finally:
        near(base).end_all()
    local_file, local = (
        undisturbed if operators else played(play, tmp_path / "local.sage")
    )
    assert results(json.loads(done.stdout)) == results(local)
    assert rounds(far_file) == rounds(local_file)
    # Not sent: the round in which a model says it is done, and what the lint finds
    sent = [row for row in rounds(far_file) if row[2] and "[shape-kind]" not in row[3]]
    jobs = judged.read_text().split()
    assert len(jobs) == len({*jobs}), "begun jobs were adopted: none ran twice"
    assert len(jobs) == len(sent) + diagnostics(far_file)
