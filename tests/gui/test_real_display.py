"""The whole demonstration through the real window on a real X server, as `make run` shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.analysis.queries import queue_ids, queue_rows, rounds
from core.workspace import Workspace
from sage_desktop.shell.main_window import PAGES


def _in_a_display(
    arguments: list[str], place: Path, cache: Path
) -> subprocess.CompletedProcess[str]:
    """Run a module of ours on an X server of its own, with user folders that are empty."""
    if shutil.which("xvfb-run") is None:
        pytest.skip(
            "NO X SERVER: install xvfb, or the window is tested off screen only"
        )
    screen = ["xvfb-run", "--auto-servernum", "--server-args=-screen 0 1920x1200x24"]
    environment = os.environ | {
        "QT_QPA_PLATFORM": "xcb",
        "SAGE_DATA_DIR": str(place / "data"),
        "SAGE_CACHE_DIR": str(cache),
        "XDG_CONFIG_HOME": str(place / "config"),
    }
    command = [*screen, sys.executable, "-m", *arguments]
    return subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.mark.slow
def test_the_demonstration_runs_in_a_window_on_an_x_server(
    tmp_path: Path, build_cache: Path
) -> None:
    workspace, pictures = tmp_path / "demo.sage", tmp_path / "pictures"
    arguments = [
        "--workspace",
        str(workspace),
        "--autorun",
        "--screenshot",
        str(pictures),
    ]
    done = _in_a_display(["sage_desktop.app", *arguments], tmp_path, build_cache)
    assert done.returncode == 0, done.stderr
    with Workspace.open_readonly(workspace) as opened:
        rows = queue_rows(opened.db, queue_ids(opened.db)).values()
        assert [row.state for row in rows] == ["done"] * 6
        assert all(row.t_best is not None for row in rows)
    taken = {file.name for file in pictures.iterdir()}
    assert taken == {
        f"{page}-{look}.png" for page in PAGES for look in ("light", "dark")
    }
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_first_day_with_nothing_but_the_keyboard(
    tmp_path: Path, build_cache: Path
) -> None:
    done = _in_a_display(["tests.gui.keyboard_run"], tmp_path, build_cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1] == "seen: the end"
    with Workspace.open_readonly(tmp_path / "data" / "demo.sage") as opened:
        rows = [
            queue_rows(opened.db, queue_ids(opened.db))[entry]
            for entry in queue_ids(opened.db)
        ]
        assert [row.id for row in rows] == [1, 2, 3, 4, 5, 6]
        (said,) = opened.db.execute(
            "SELECT candidate, decision FROM candidate_review"
        ).fetchall()
        best = next(
            r
            for r in rounds(opened.db, rows[0].trajectory_uid)
            if r.round == rows[0].best_round
        )
        assert tuple(said) == (best.candidate, "accepted")
        last = opened.db.execute(
            "SELECT kind FROM memory_event ORDER BY seq DESC LIMIT 2"
        ).fetchall()
        assert [row[0] for row in last] == ["undo", "promote"]
