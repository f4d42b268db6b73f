"""What the window makes of a workspace it may not write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.analysis.queries import queue_ids, queue_rows
from core.bundle import export_run, unpack
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.shell.opening.workspace import Opening
from tests.gui import sample_workspace as sample
from tests.gui.sample_workspace import add_bank

UNDO_LAST_MIGRATION = (
    "DROP TRIGGER edited_earns_nothing",
    "DROP TABLE worth",
    "ALTER TABLE round DROP COLUMN author",
    "ALTER TABLE trajectory DROP COLUMN forked_from",
    "ALTER TABLE trajectory DROP COLUMN forked_round",
    "DROP TABLE pause",
    "DELETE FROM _sqlite_migrations WHERE name >= 'm_0014'",
)


def test_a_run_from_a_bundle_is_shown_for_reading(qtbot: QtBot, tmp_path: Path) -> None:
    source = sample.build(tmp_path / "w.sage")
    path = unpack(export_run(source, tmp_path / "run.zip"), tmp_path / "elsewhere")
    opening = Opening(path, lambda event: None)
    with qtbot.waitSignal(opening.foreign, timeout=30_000) as seen:
        opening.start()
    opening.wait()
    assert seen.args == [path]
    with Workspace.open_readonly(path) as workspace:
        rows = queue_rows(workspace.db, queue_ids(workspace.db)).values()
        assert [row.operator for row in rows] == ["AbsMath"]
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "report.json",
        "report.md",
        "run.sage",
    ]


def test_a_new_workspace_where_nothing_can_be_written_fails(
    qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    opening = Opening(folder / "new.sage", lambda event: None)
    with qtbot.waitSignal(opening.failed, timeout=30_000) as seen:
        opening.start()
    opening.wait()
    assert "cannot be written" in str(seen.args[0])


def test_a_workspace_of_an_older_release_is_brought_up_to_date(
    qtbot: QtBot, tmp_path: Path
) -> None:
    path = sample.build(tmp_path / "old.sage")
    with Workspace.open(path) as workspace:
        for statement in UNDO_LAST_MIGRATION:
            workspace.db.execute(statement)
    opening = Opening(path, lambda event: None)
    with qtbot.waitSignal(opening.opened, timeout=30_000) as seen:
        opening.start()
    opening.wait()
    assert seen.args[0].workspace_path == path
    with Workspace.open_readonly(path) as opened:
        assert len(queue_ids(opened.db)) == 4


def test_the_first_window_is_made_without_numpy() -> None:
    """It takes a tenth of a second, and only pages behind the first one compute with it."""
    code = (
        "import sys, sage_desktop.app; "
        "print(sorted({'numpy', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.system
def test_the_program_ends_when_its_queue_is_finished(tmp_path: Path) -> None:
    """The window closes in the moment the queue has finished; the process goes with it."""
    path = tmp_path / "done.sage"
    with Workspace.open(path) as workspace:
        add_bank(MemoryStore(workspace))
    options = ("--workspace", str(path), "--autorun", "--exit-when-done")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path), "SAGE_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "sage_desktop.app", *options]
    done = subprocess.run(command, env=environment, timeout=60, check=False)
    assert done.returncode == 0


def test_a_window_without_a_connection_reads_no_ssh_library() -> None:
    """It keeps 20 MB of memory; most workspaces are judged on this computer."""
    code = (
        "import sys, sage_desktop.panels.hosts.panel, sage_desktop.services.wiring; "
        "import remote.hosts.registry; print('paramiko' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
