"""The whole demonstration through the real window on a real X server, as `make run` shows it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.engine.queries import queue_ids, queue_rows
from core.workspace import Workspace


@pytest.mark.slow
def test_the_demonstration_runs_in_a_window_on_an_x_server(tmp_path: Path, build_cache: Path) -> None:
    if shutil.which("xvfb-run") is None:
        pytest.skip("NO X SERVER: install xvfb, or the window is tested off screen only")
    workspace, pictures = tmp_path / "demo.sage", tmp_path / "pictures"
    command = [
        "xvfb-run", "--auto-servernum", "--server-args=-screen 0 1920x1200x24", sys.executable, "-m",
        "sage_desktop.app", "--workspace", str(workspace), "--autorun", "--screenshot", str(pictures),
    ]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    environment |= {
        "QT_QPA_PLATFORM": "xcb",
        "SAGE_DATA_DIR": str(tmp_path / "data"),
        "SAGE_CACHE_DIR": str(build_cache),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    with Workspace.open_readonly(workspace) as opened:
        rows = queue_rows(opened.db, queue_ids(opened.db)).values()
        assert [row.state for row in rows] == ["done"] * 6
        assert all(row.t_best is not None for row in rows)
    taken = {file.name for file in pictures.iterdir()}
    pages = ("review", "memory", "trajectory", "results", "hosts", "start")
    assert taken == {f"{page}-{look}.png" for page in pages for look in ("light", "dark")}
    assert "Traceback" not in done.stderr
