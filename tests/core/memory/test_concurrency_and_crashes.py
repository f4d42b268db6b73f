"""kill -9 at any instant, and several writers: every episode counts exactly once."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.memory.replay.verification import verify
from core.workspace import Workspace
from tests.core.memory.crash_worker import adoptions

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Size:
    """Items in the memory, and how many of them an episode retrieves."""

    items: int
    retrieved: int

    def totals(self, episodes: int) -> tuple[int, int]:
        """Sums of n_ret and n_ado over all items after the first `episodes` episodes."""
        adopted = (
            sum(adoptions(n, self.items, self.retrieved).values())
            for n in range(episodes)
        )
        return self.retrieved * episodes, sum(adopted)


SMALL, PAPER = Size(6, 3), Size(40, 30)


def start(path: Path, first: int, count: int, size: Size) -> subprocess.Popen[str]:
    numbers = (first, count, size.items, size.retrieved)
    command = [
        sys.executable,
        "-m",
        "tests.core.memory.crash_worker",
        str(path),
        *map(str, numbers),
    ]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def statistics(path: Path) -> list[tuple[object, ...]]:
    """Everything learned, without times."""
    with Workspace.open(path) as workspace:
        assert workspace.check() == ()
        assert verify(workspace) == ()
        rows = workspace.db.execute(
            "SELECT uid, u_m, n_ret, n_ado, sigma, hot_region, p_hat, n_elig, adopted_operators FROM "
            "memory_item "
            "ORDER BY id"
        )
        return [tuple(row) for row in rows]


def kill_often(path: Path, kills: int, episodes: int, seed: int, size: Size) -> None:
    chance = random.Random(seed)
    for _ in range(kills):
        worker = start(path, 0, episodes, size)
        assert worker.stdout is not None
        for _ in range(chance.randrange(1, 4)):
            if not worker.stdout.readline():
                break
        worker.kill()  # SIGKILL, usually in the middle of the next episode
        worker.wait()
        worker.stdout.close()
    last = start(path, 0, episodes, size)
    assert last.communicate(timeout=120)[0] is not None
    assert last.returncode == 0


def check_against_undisturbed_run(
    tmp_path: Path, kills: int, episodes: int, size: Size
) -> None:
    kill_often(tmp_path / "killed.sage", kills, episodes, kills, size)
    calm = start(tmp_path / "calm.sage", 0, episodes, size)
    calm.communicate(timeout=120)
    with Workspace.open(tmp_path / "killed.sage") as workspace:
        total = workspace.db.execute(
            "SELECT sum(n_ret), sum(n_ado) FROM item"
        ).fetchone()
        assert tuple(total) == size.totals(episodes)
    killed, undisturbed = (
        statistics(tmp_path / "killed.sage"),
        statistics(tmp_path / "calm.sage"),
    )
    assert killed == undisturbed
    assert any(
        row[5] for row in undisturbed
    )  # something was promoted, or the comparison would be weak


@pytest.mark.system
def test_kill_9_and_restart_gives_the_statistics_of_an_undisturbed_run(
    tmp_path: Path,
) -> None:
    check_against_undisturbed_run(tmp_path, 6, 24, SMALL)


@pytest.mark.slow
def test_forty_kills(tmp_path: Path) -> None:
    check_against_undisturbed_run(tmp_path, 40, 150, PAPER)


def run_writers(path: Path, writers: int, episodes: int, size: Size) -> None:
    workers = [
        start(path, number * episodes, episodes, size) for number in range(writers)
    ]
    for worker in workers:
        worker.communicate(timeout=300)
        assert worker.returncode == 0
    with Workspace.open(path) as workspace:
        total = workspace.db.execute(
            "SELECT sum(n_ret), sum(n_ado), count(*) FROM item"
        ).fetchone()
        assert tuple(total) == (*size.totals(writers * episodes), size.items)
        assert workspace.meta("episodes_applied") == str(writers * episodes)
        assert workspace.check() == ()
        assert verify(workspace) == ()


def test_two_processes_lose_no_update(tmp_path: Path) -> None:
    run_writers(tmp_path / "shared.sage", 2, 20, SMALL)


@pytest.mark.slow
def test_four_processes_lose_no_update(tmp_path: Path) -> None:
    run_writers(tmp_path / "shared.sage", 4, 150, PAPER)
