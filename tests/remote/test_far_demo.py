"""The demonstration over SSH: verdicts as on this computer, whatever happens to the application meanwhile."""

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

from core.models.session_file import write_session
from remote.hosts.registry import HostRegistry
from tests.remote.machines import near
from tests.remote.sshd import ALIAS, Sshd
from tests.scripted_session import pack

COMMAND = [sys.executable, "-c", "from sage_desktop.cli import main; main()", "run", "--json"]
ROUNDS = """
  SELECT t.operator, r.round, r.verdict, r.cause, r.latency_us FROM round r
  JOIN trajectory t ON t.uid = r.trajectory_uid ORDER BY t.operator, r.round
"""


def rounds(path: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(ROUNDS).fetchall()
    finally:
        connection.close()


def part_of_the_demo(path: Path, *operators: str) -> list[object]:
    """Arguments that run only some operators of the demonstration."""
    whole = pack()
    kept = tuple(row for row in whole.replies if row.subject in operators)
    write_session(path, replace(whole, header=replace(whole.header, operators=operators), replies=kept))
    return ["--model", f"replay:{path}"]


def results(text: str) -> dict[str, Any]:
    """What a run printed, without what names a run and the place it was judged on."""
    summary: dict[str, Any] = json.loads(text)
    rows = [{**row, "trajectory": "", "judge": ""} for row in summary["operators"]]
    runs = [{**run, "judge": "", "origin": ""} for run in summary["runs"]]
    return {**summary, "operators": rows, "runs": runs, "hosts": sum(summary["hosts"].values())}


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the job server runs on Linux")
@pytest.mark.parametrize(
    ("kills", "operators"),
    [(2, ("AbsMath", "Lerp")), pytest.param(8, (), marks=pytest.mark.slow)],
    ids=["two operators", "the whole demonstration"],
)
def test_killed_again_and_again_it_ends_like_the_local_run_and_no_job_ran_twice(
    sshd: Sshd, tmp_path: Path, build_cache: Path, kills: int, operators: tuple[str, ...]
) -> None:
    base = tmp_path / "base"
    base.mkdir()
    build_cache.mkdir(parents=True, exist_ok=True)
    (base / "cache").symlink_to(build_cache)
    HostRegistry(tmp_path).change(
        ALIAS, python=sys.executable, base=str(base), locks=str(tmp_path / "locks"), slots=2
    )
    environment = {
        **os.environ,
        "SAGE_SSH_CONFIG": str(sshd.config),
        "SAGE_DATA_DIR": str(tmp_path),
    }
    far_file, local_file = tmp_path / "far.sage", tmp_path / "local.sage"
    what = part_of_the_demo(tmp_path / "part.jsonl", *operators) if operators else ["--demo"]
    far_run = [*map(str, (*COMMAND, *what, "--host", ALIAS, "--workspace", far_file))]
    chance = random.Random(kills)
    try:
        for _ in range(kills):
            with subprocess.Popen(far_run, stderr=subprocess.PIPE, text=True, env=environment) as process:
                assert process.stderr is not None
                for _line in range(chance.randrange(4, 12)):
                    process.stderr.readline()
                process.kill()
        done = subprocess.run(
            far_run, capture_output=True, text=True, timeout=900, check=False, env=environment
        )
        assert done.returncode == 0, done.stderr
        jobs = [folder.name for folder in (base / "jobs").iterdir() if not folder.name.startswith(".")]
    finally:
        near(base).end_all()
    near_run = [*map(str, (*COMMAND, *what, "--workspace", local_file))]
    local = subprocess.run(
        near_run, capture_output=True, text=True, timeout=900, check=False, env=environment
    )
    assert local.returncode == 0, local.stderr
    assert results(done.stdout) == results(local.stdout)
    assert rounds(far_file) == rounds(local_file)
    sent = [row for row in rounds(far_file) if "[shape-kind]" not in row[3]]  # found before anything is sent
    assert len(jobs) == len(sent), "one job for each round: begun ones were adopted"
