"""Getting work going from the window: operators are queued, a run is set up, a person writes a reply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from core.method.parameters import NO_ENCODER
from core.models.endpoint import Endpoint
from core.workspace import Workspace
from sage_desktop.app import Desktop, arguments
from sage_desktop.panels.adding.catalogue_dialog import CatalogueDialog
from sage_desktop.panels.adding.custom_dialog import CustomDialog
from sage_desktop.panels.adding.import_dialog import ImportDialog
from sage_desktop.panels.run.dialog import RunDialog
from sage_desktop.services import wiring
from sage_desktop.services.models.profiles import profiles, save_profiles
from sage_desktop.services.settings_table import read, setting
from sage_desktop.ui.preferences import Preferences
from tests.gui import sample_workspace

WAIT_MS = 20_000


@pytest.fixture
def desktop(
    qapp: QApplication, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desktop]:
    """The window on an empty workspace of one's own."""
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    path = tmp_path / "mine.sage"
    Workspace.open(path).close()
    preferences = Preferences(tmp_path / "window.ini")
    preferences.set("method/encoder", NO_ENCODER)  # search by words is enough here
    made = Desktop(qapp, arguments(["--workspace", str(path)]), preferences)
    made.start()
    qtbot.waitUntil(made.window.actions_["queue.add"].isEnabled, timeout=WAIT_MS)
    yield made
    made.window.set_busy(busy=False)
    made.window.close()
    made.shut_down()


def _names(desktop: Desktop) -> list[str]:
    return [row.operator for row in desktop.window.queue.model.rows()]


def _dialog(desktop: Desktop, action: str, kind: type) -> object:
    desktop.window.actions_[action].trigger()
    assert isinstance(desktop.run_commands.dialog, kind)
    return desktop.run_commands.dialog


def _settled(desktop: Desktop, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: desktop.operations.idle, timeout=WAIT_MS)


def test_operators_are_found_by_words_and_facets_and_queued_with_a_label(
    desktop: Desktop, qtbot: QtBot
) -> None:
    dialog = _dialog(desktop, "queue.add", CatalogueDialog)
    assert isinstance(dialog, CatalogueDialog)
    assert dialog.focusWidget() is dialog.search, "typed while operators are read"
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 104, timeout=WAIT_MS)
    level = dialog.facets["level"]
    level.setCurrentIndex(level.findData("1"))
    level.activated.emit(level.currentIndex())
    assert dialog.model.rowCount() == 20
    qtbot.keyClicks(dialog.search, "math")
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    found = [row.name for row in dialog.model.listed]
    assert 0 < len(found) < 20
    assert not dialog.main_button.isEnabled()
    dialog.table.selectAll()
    qtbot.keyClicks(dialog.label, "first try")
    dialog.main_button.click()
    _settled(desktop, qtbot)
    assert _names(desktop) == found
    assert {row.label for row in desktop.window.queue.model.rows()} == {"first try"}
    assert any(
        "were added to the queue" in text for text in desktop.window.toasts.texts
    )


@pytest.mark.qt_log_ignore("^This plugin does not support QPlatformServices")
def test_an_operator_of_one_s_own_is_made_corrected_and_queued(
    desktop: Desktop, qtbot: QtBot
) -> None:
    dialog = _dialog(desktop, "queue.custom", CustomDialog)
    assert isinstance(dialog, CustomDialog)
    qtbot.keyClicks(dialog.name, "not pascal")
    dialog.main_button.click()
    qtbot.waitUntil(
        lambda: "PascalCase" in dialog.message.words.text(), timeout=WAIT_MS
    )
    dialog.name.setText("FusedAxpy")
    dialog.main_button.click()
    qtbot.waitUntil(lambda: dialog.spec is not None, timeout=WAIT_MS)
    (opening,) = [
        button
        for button in dialog.findChildren(QPushButton)
        if button.text() == "Open Folder"
    ]
    opening.click()
    assert "FusedAxpy could not be opened" in dialog.message.words.text()
    editor = dialog.editors["operator.toml"]
    good = editor.toPlainText()
    editor.setPlainText(good.replace("[[case]]", "[[cose]]"))
    dialog.main_button.click()
    qtbot.waitUntil(
        lambda: "operator.toml" in dialog.message.words.text(), timeout=WAIT_MS
    )
    assert _names(desktop) == []
    editor.setPlainText(good)
    dialog.main_button.click()
    qtbot.waitUntil(lambda: _names(desktop) == ["FusedAxpy"], timeout=WAIT_MS)
    assert (
        wiring.data_dir() / "operators" / "own" / "FusedAxpy" / "operator.toml"
    ).is_file()


def test_a_checkout_is_recognised_reported_and_queued(
    desktop: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    checkout = tmp_path / "KernelBench" / "KernelBench" / "level1"
    checkout.mkdir(parents=True)
    (checkout / "1_Square.py").write_text(
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n\n"
        "    def forward(self, x):\n        return x * x\n\n\n"
        "def get_inputs():\n    return [torch.rand(16, 16)]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    (checkout / "2_Broken.py").write_text("class Model(:\n")
    dialog = _dialog(desktop, "queue.import", ImportDialog)
    assert isinstance(dialog, ImportDialog)
    dialog.folder.setText(str(tmp_path / "nothing"))
    qtbot.keyClick(dialog.folder, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: "does not exist" in dialog.message.words.text(), timeout=WAIT_MS
    )
    assert not dialog.main_button.isEnabled()
    dialog.folder.setText(str(tmp_path / "KernelBench"))
    qtbot.keyClick(dialog.folder, Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.main_button.isEnabled, timeout=WAIT_MS)
    assert dialog.tasks.topLevelItemCount() == 1
    assert "2_Broken.py" in dialog.faults.topLevelItem(0).text(1)
    assert not (wiring.data_dir() / "operators").exists()
    dialog.main_button.click()
    qtbot.waitUntil(lambda: len(_names(desktop)) == 1, timeout=WAIT_MS)
    assert desktop.window.queue.model.rows()[0].source.startswith(
        str(wiring.data_dir() / "operators")
    )
    dialog.reject()


def test_a_person_writes_the_kernels(desktop: Desktop, qtbot: QtBot) -> None:
    desktop.run_commands.enqueue([("catalogue", "AbsMath")], "")
    _settled(desktop, qtbot)
    dialog = _dialog(desktop, "queue.setup", RunDialog)
    assert isinstance(dialog, RunDialog)
    dialog.model.setCurrentIndex(dialog.model.findData("manual"))
    dialog.rounds.setValue(3)
    dialog.main_button.click()
    pane = desktop.window.manual
    qtbot.waitUntil(lambda: pane.chooser.count() == 1, timeout=WAIT_MS)
    assert desktop.window.manual_dock.isVisible()
    assert "AbsMath" in pane.prompt.toPlainText()
    qtbot.waitUntil(
        lambda: "your reply" in desktop.window.queue.now.doing.text(), timeout=WAIT_MS
    )
    pane.copy.click()
    assert QGuiApplication.clipboard().text() == pane.prompt.toPlainText()
    assert not pane.send.isEnabled()
    assert "The run is at work" in pane.empty.hint.text(), "between two prompts"
    first = pane.prompt.toPlainText()
    pane.reply.setPlainText("I would rather not.")
    pane.send.click()
    qtbot.waitUntil(
        lambda: pane.chooser.count() == 1 and pane.prompt.toPlainText() != first,
        timeout=WAIT_MS,
    )
    assert pane.reply.toPlainText() == ""
    qtbot.waitUntil(
        lambda: desktop.window.queue.model.rows()[0].budget == 3, timeout=WAIT_MS
    )


def test_a_run_reads_a_frozen_memory_and_says_so(
    desktop: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    memory = tmp_path / "learnt.sage"
    with Workspace.open(sample_workspace.build(tmp_path / "sample.sage")) as learnt:
        learnt.backup(memory)
    before = memory.read_bytes()
    desktop.run_commands.enqueue([("catalogue", "AbsMath")], "")
    dialog = _dialog(desktop, "queue.setup", RunDialog)
    assert isinstance(dialog, RunDialog)
    dialog.model.setCurrentIndex(dialog.model.findData("manual"))
    assert dialog.frozen.isHidden() or not dialog.frozen.isVisible()
    dialog.memory.setCurrentIndex(dialog.memory.findData("frozen"))
    assert dialog.frozen.isVisible()
    dialog.main_button.click()
    assert "No frozen memory is named" in dialog.message.words.text()
    dialog.frozen.setText(str(memory))
    dialog.method.setCurrentIndex(dialog.method.findData("refinement"))
    dialog.main_button.click()
    qtbot.waitUntil(
        lambda: "is not read by this method" in dialog.message.words.text(),
        timeout=WAIT_MS,
    )
    dialog.method.setCurrentIndex(dialog.method.findData("sage"))
    dialog.main_button.click()
    pane = desktop.window.manual
    qtbot.waitUntil(lambda: pane.chooser.count() == 1, timeout=WAIT_MS)
    assert "Spread the rows over all cores" in pane.prompt.toPlainText()
    banner = desktop.window.banner
    assert (banner.text(), banner.isVisible()) == ("Frozen memory", True), (
        "and no recorded session is named"
    )
    assert "learnt.sage" in banner.accessibleName()
    assert memory.read_bytes() == before
    _settled(desktop, qtbot)
    again = _dialog(desktop, "queue.setup", RunDialog)
    assert isinstance(again, RunDialog)
    qtbot.waitUntil(lambda: not again.memory.isEnabled(), timeout=WAIT_MS)
    assert "holds results for learnt.sage" in again.memory_words.text()
    again.model.setCurrentIndex(again.model.findData("replay:"))
    assert again.chosen_memory() is None, "a recording brings its own"
    again.model.setCurrentIndex(again.model.findData("manual"))
    assert again.chosen_memory() == memory
    again.reject()


def test_a_model_that_is_not_there_is_refused_where_it_was_chosen(
    desktop: Desktop, qtbot: QtBot
) -> None:
    save_profiles(
        desktop.preferences, {"lab": Endpoint("http://127.0.0.1:9/v1", "m", attempts=1)}
    )
    assert profiles(desktop.preferences)["lab"].model == "m"
    dialog = _dialog(desktop, "queue.setup", RunDialog)
    assert isinstance(dialog, RunDialog)
    dialog.model.setCurrentIndex(dialog.model.findData("profile:lab"))
    dialog.main_button.click()
    qtbot.waitUntil(
        lambda: "127.0.0.1:9" in dialog.message.words.text(), timeout=WAIT_MS
    )
    assert dialog.isVisible()
    assert dialog.main_button.isEnabled()
    dialog.hosts.item(0).setCheckState(Qt.CheckState.Unchecked)
    dialog.main_button.click()
    assert "No host is chosen" in dialog.message.words.text()
    dialog.reject()


def test_nothing_runs_before_a_model_was_chosen(
    desktop: Desktop, qtbot: QtBot, tmp_path: Path
) -> None:
    desktop.run_commands.enqueue([("catalogue", "AbsMath")], "")
    _settled(desktop, qtbot)
    desktop.window.actions_["queue.run"].trigger()
    qtbot.waitUntil(
        lambda: any(
            "No model was chosen" in text for text in desktop.window.toasts.texts
        ),
        timeout=WAIT_MS,
    )
    assert [row.state for row in desktop.window.queue.model.rows()] == ["queued"]


def test_a_run_is_judged_with_the_toolchain_chosen(desktop: Desktop) -> None:
    dialog = _dialog(desktop, "queue.setup", RunDialog)
    assert isinstance(dialog, RunDialog)
    dialog.model.setCurrentIndex(dialog.model.findData("manual"))
    assert dialog.setup().toolchain == "twin"
    dialog.toolchain.setCurrentIndex(dialog.toolchain.findData("cann"))
    assert dialog.setup().toolchain == "cann"
    assert read(desktop.preferences, setting("judge/toolchain")) == "cann", (
        "the next run begins with it"
    )
    dialog.reject()
