"""A coding agent as the generator, from the window: set up, watched while it works, stopped, gone on with."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.engine import queue
from core.method.parameters import NO_ENCODER
from core.models.endpoint import Endpoint
from core.models.pieces import AgentStep, Thought
from core.workspace import Workspace
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.run.dialog import RunDialog
from sage_desktop.panels.trajectory.live import LiveText
from sage_desktop.services.models.agent_check import try_agent
from sage_desktop.services.models.profiles import save_profiles
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from tests.core.harness.conftest import small_agent_command
from tests.core.models.server import Recipe, Say, Server

WAIT_MS = 30_000


@contextmanager
def window_on(path: Path, qtbot: QtBot) -> Iterator[Desktop]:
    """The window on a workspace of one operator."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    preferences = Preferences(path.with_suffix(".ini"))
    preferences.set("method/encoder", NO_ENCODER)  # search by words is enough here
    made = Desktop(app, arguments(["--workspace", str(path)]), preferences)
    made.start()
    qtbot.waitUntil(made.window.actions_["queue.add"].isEnabled, timeout=WAIT_MS)
    try:
        yield made
    finally:
        made.window.set_busy(busy=False)
        made.window.close()
        made.shut_down()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which one operator waits."""
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    with Workspace.open(tmp_path / "mine.sage") as workspace, workspace.transaction():
        queue.enqueue(workspace, "AbsMath")
    return tmp_path / "mine.sage"


@pytest.fixture
def desktop(path: Path, qtbot: QtBot) -> Iterator[Desktop]:
    """The window on it."""
    with window_on(path, qtbot) as made:
        yield made


def dialog_of(desktop: Desktop) -> RunDialog:
    desktop.window.actions_["queue.setup"].trigger()
    dialog = desktop.run_commands.dialog
    assert isinstance(dialog, RunDialog)
    return dialog


def choose_small_agent(dialog: RunDialog) -> None:
    command, reads = small_agent_command()
    dialog.model.setCurrentIndex(dialog.model.findData("acp:"))
    dialog.agent.agent.setCurrentIndex(dialog.agent.agent.findData("other"))
    dialog.agent.words.setText(command)
    dialog.agent.reads.setText(reads)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.system
def test_an_agent_is_watched_stopped_at_once_and_gone_on_with_in_its_round(
    path: Path, qtbot: QtBot, build_cache: Path
) -> None:
    asked: list[str] = []

    def acts(request: dict[str, Any]) -> Recipe:
        messages = [str(message["content"]) for message in request["messages"]]
        if len(messages) == 1:  # a turn begins
            asked.append(messages[0])
            return Say(
                "THINK one tile at a time\nWRITE op_kernel/a.cpp int a;\nREAD /etc/hostname"
            )
        return Say("HANG")

    def starts(desktop: Desktop) -> None:
        save_profiles(desktop.preferences, {"lab": Endpoint(server.url, "m")})
        dialog = dialog_of(desktop)
        choose_small_agent(dialog)
        dialog.main_button.click()
        live = desktop.window.trajectory.texts.live
        qtbot.waitUntil(lambda: "hanging" in live.toPlainText(), timeout=WAIT_MS)

    with Server(act=acts, models={"m": 131_072}) as server:
        with window_on(path, qtbot) as desktop:
            starts(desktop)
            texts = desktop.window.trajectory.texts
            assert texts.live.toPlainText() == (
                "one tile at a time\n\n✓ Edit op_kernel/a.cpp +1 −0\n@@ -0,0 +1 @@\n+int a;\n"
                "✗ Read /etc/hostname\n\nhanging"
            )
            assert texts.following, "nothing else is there to read"
            engine = desktop.session.engine
            assert engine is not None
            (spinning,) = busy_agents()
            began = time.monotonic()
            engine.stop()
            assert time.monotonic() - began < 1.0
            assert not alive(spinning)
        with window_on(path, qtbot) as desktop:
            starts(desktop)
    assert len(asked) == 2, "the turn was broken off, and begins again"
    assert asked[0] == asked[1], "in the round it was in"
    with Workspace.open_readonly(path) as workspace:
        rounds = workspace.db.execute("SELECT round, step FROM round").fetchall()
        assert [tuple(row) for row in rounds] == [(1, "retrieved")]


def busy_agents() -> list[int]:
    """Processes of the small agent outside their namespace: ours to look for, by the file they run."""
    command, _reads = small_agent_command()
    script = command.rsplit(" ", 1)[1].encode()
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                words = (place / "cmdline").read_bytes().split(b"\0")
                ours = f"PPid:\t{os.getpid()}" in (place / "status").read_text()
            except OSError:
                continue
            if ours and script in words:
                found.append(int(place.name))
    return found


def test_what_is_missing_is_said_with_what_installs_it(
    desktop: Desktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    dialog = dialog_of(desktop)
    assert dialog.model.currentData() == "manual", "without a model the person writes"
    assert not dialog.agent.agent.isVisible()
    dialog.model.setCurrentIndex(dialog.model.findData("acp:"))
    assert dialog.agent.agent.isVisible()
    said = dialog.agent.found.words
    assert "npm install -g opencode-ai@1.18.33" in said
    assert "apt install ripgrep" in said
    assert "apt install bubblewrap" in said
    dialog.main_button.click()
    assert "The agent has no model" in dialog.message.words.text()
    save_profiles(desktop.preferences, {"lab": Endpoint("http://127.0.0.1:1/v1", "m")})
    desktop.run_commands.models_changed()
    dialog.main_button.click()
    assert "no program opencode on the PATH" in dialog.message.words.text()
    dialog.reject()


def test_an_agent_is_tried_before_it_is_relied_on(
    desktop: Desktop, qtbot: QtBot, build_cache: Path
) -> None:
    save_profiles(desktop.preferences, {"lab": Endpoint("http://127.0.0.1:1/v1", "m")})
    dialog = dialog_of(desktop)
    choose_small_agent(dialog)
    dialog.agent.check.click()
    qtbot.waitUntil(dialog.agent.check.isEnabled, timeout=WAIT_MS)
    assert "nothing else" in dialog.agent.found.words
    assert all(check.ok for check in try_agent(*_small()))
    assert [check.ok for check in try_agent("no-such-agent --acp")] == [False]
    dialog.reject()


def _small() -> tuple[str, list[Path]]:
    command, reads = small_agent_command()
    return command, [Path(path) for path in reads.split(os.pathsep)]


def test_a_step_is_written_again_where_it_stands(qtbot: QtBot) -> None:
    view = LiveText()
    qtbot.addWidget(view)
    view.show_pieces(
        [Thought("first"), AgentStep("1", "edit", "write", "pending"), "and then"]
    )
    view.add(
        [
            AgentStep(
                "1",
                "edit",
                "write",
                "completed",
                ("op_kernel/a.cpp",),
                "@@ -1 +1 @@\n-a\n+b",
            )
        ]
    )
    view.add([" more"])
    shown = (
        "first\n\n✓ Edit op_kernel/a.cpp +1 −1\n@@ -1 +1 @@\n-a\n+b\n\nand then more"
    )
    assert view.toPlainText() == shown
    theme().changed.emit()
    assert view.toPlainText() == shown, "other colours, the same words"
    cursor = QTextCursor(view.document().findBlockByNumber(5))
    assert cursor.blockFormat().background().color() == theme().tint("success", 0.1)
