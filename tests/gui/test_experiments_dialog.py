"""The reports of experiments in the window: what is ticked stands in one table and is tested by pairs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.experiments.folder import Experiment
from sage_desktop.panels.results.experiments import ExperimentsDialog
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.typed import present
from tests.core.experiments.conftest import made, run

WAIT_MS = 30_000
REFINEMENT = '[[arms]]\nname = "refinement"\nmethod = "refinement"\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two experiments, of which the second has not begun."""
    folder = tmp_path_factory.mktemp("experiments")
    run(made(folder / "first", REFINEMENT))
    run(made(folder / "second", REFINEMENT))
    made(folder / "third", "")
    return folder


@pytest.fixture
def dialog(home: Path, tmp_path: Path, qtbot: QtBot) -> Iterator[ExperimentsDialog]:
    operations = Operations(tmp_path / "none.sage")
    shown = ExperimentsDialog(operations, home)
    shown.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitUntil(lambda: shown.table.rowCount() == 2, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not shown.figure.pixmap().isNull(), timeout=WAIT_MS)
    yield shown
    operations.close()


def tick(dialog: ExperimentsDialog, row: int) -> None:
    present(dialog.list.item(row)).setCheckState(Qt.CheckState.Checked)


def column(dialog: ExperimentsDialog, number: int) -> list[str]:
    return [
        present(dialog.table.item(row, number)).text()
        for row in range(dialog.table.rowCount())
    ]


@pytest.mark.system
def test_several_experiments_stand_in_one_table_and_are_tested(
    dialog: ExperimentsDialog, home: Path, qtbot: QtBot
) -> None:
    assert column(dialog, 0) == ["sage@model", "refinement@model"]
    assert "latencies are modelled" in dialog.marks.text()
    assert dialog.pairs.rowCount() == 1
    assert present(dialog.pairs.item(0, 0)).text() == "sage@model"
    tick(dialog, 1)
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 4, timeout=WAIT_MS)
    assert column(dialog, 0)[2:] == ["second:sage@model", "second:refinement@model"]
    assert dialog.pairs.rowCount() == 3
    dialog.against.setCurrentText("second:refinement@model")
    dialog.refresh()
    qtbot.waitUntil(
        lambda: present(dialog.pairs.item(0, 0)).text() == "second:refinement@model",
        timeout=WAIT_MS,
    )
    assert Experiment(home / "first").plan.title in dialog.title.text()


def test_what_is_not_finished_is_shown_and_not_tested(
    dialog: ExperimentsDialog, qtbot: QtBot
) -> None:
    tick(dialog, 2)
    qtbot.waitUntil(lambda: "unfinished" in dialog.marks.text(), timeout=WAIT_MS)
    assert "not finished" in dialog.marks.text()
    assert dialog.table.rowCount() == 2, "it has no row before its first result"


def test_a_folder_without_an_experiment_says_so(
    dialog: ExperimentsDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    rows = dialog.list.count()
    dialog.show_folder(tmp_path)
    qtbot.waitUntil(
        lambda: "holds no experiment" in dialog.fault.words.text(), timeout=WAIT_MS
    )
    assert dialog.fault.isVisible()
    assert dialog.list.count() == rows, "it is not listed"
    dialog.refresh()
    qtbot.waitUntil(lambda: not dialog.fault.isVisible(), timeout=WAIT_MS)
    assert dialog.table.rowCount() == 2


@pytest.mark.system
def test_a_damaged_experiment_hides_none_of_the_others(
    dialog: ExperimentsDialog, home: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "elsewhere" / "second"
    shutil.copytree(home / "second", folder)
    dialog.show_folder(folder)
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 4, timeout=WAIT_MS)
    (folder / "experiment.json").write_bytes(b"\xff{")
    tick(dialog, 1)
    qtbot.waitUntil(dialog.fault.isVisible, timeout=WAIT_MS)
    assert str(folder / "experiment.json") in dialog.fault.words.text()
    assert column(dialog, 0)[2:] == ["second:sage@model", "second:refinement@model"]


@pytest.mark.system
def test_an_experiment_is_listed_once_and_equal_names_are_told_apart(
    dialog: ExperimentsDialog, home: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    rows = dialog.list.count()
    dialog.show_folder(home / "second" / ".." / "second")
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 4, timeout=WAIT_MS)
    assert dialog.list.count() == rows, "it was listed and is ticked now"
    folder = tmp_path / "elsewhere" / "second"
    shutil.copytree(home / "second", folder)
    dialog.show_folder(folder)
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 6, timeout=WAIT_MS)
    names = [
        present(dialog.list.item(row)).text() for row in range(dialog.list.count())
    ]
    assert names == ["first", f"{home.name}/second", "third", "elsewhere/second"]
    assert column(dialog, 0)[4:] == [
        "elsewhere/second:sage@model",
        "elsewhere/second:refinement@model",
    ]
    assert dialog.pairs.rowCount() == 5, "every arm is tested"


def test_enter_closes_the_dialog_and_a_folder_is_asked_for_without_waiting(
    dialog: ExperimentsDialog, qtbot: QtBot
) -> None:
    dialog.add.click()
    assert dialog.asking.isVisible()
    dialog.asking.reject()
    dialog.list.setFocus()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()
