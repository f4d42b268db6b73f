"""The page Workload: from nothing over a sample to an operator in the queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from sage_desktop.panels.workload.panel import WorkloadPanel
from sage_desktop.ui.operations import Operations
from tests.core.workload.profiles import step_of_a_model, write_rank, write_table


@pytest.fixture
def page(
    operations: Operations,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> WorkloadPanel:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    made = WorkloadPanel(operations, tmp_path / "tasks")
    qtbot.addWidget(made)
    made.show()
    made.activate()
    qtbot.waitUntil(made.importing.isEnabled)
    return made


def rows(page: WorkloadPanel) -> dict[str, str]:
    """Operator -> what to do, as the table shows them."""
    shown = {}
    for row in range(page.table.rowCount()):
        operator, words = page.table.item(row, 0), page.table.item(row, 1)
        assert operator is not None
        assert words is not None
        shown[operator.text()] = words.text()
    return shown


def test_an_empty_page_offers_a_sample(page: WorkloadPanel, qtbot: QtBot) -> None:
    assert not page.table.isVisible()
    page.sample.trigger()
    qtbot.waitUntil(page.table.isVisible)
    assert page.workload.currentText() == "sample"
    shown = rows(page)
    assert shown["SwiGlu"] == "worth a look"
    assert shown["FlashAttentionScore"] == "work unknown: products only"
    assert "hcom_allReduce_" not in shown
    assert "Ascend910B4" in page.summary.text()
    assert page.summary.text().startswith("A step of ")
    assert "invented" in page.notes.text()


def test_an_operator_of_a_profile_goes_into_the_queue(
    page: WorkloadPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    page.import_folder(write_rank(tmp_path, 0, step_of_a_model()))
    qtbot.waitUntil(page.table.isVisible)
    page.table.selectRow(list(rows(page)).index("RmsNorm"))
    with qtbot.waitSignal(page.created) as queued:
        page.make.click()
    [(folder, name)], label = queued.args
    assert (name, label) == ("RmsNorm", page.workload.currentText())
    assert (Path(folder) / "operator.toml").is_file()
    with qtbot.waitSignals([page.notice, page.created]):
        page.make.click()
    (Path(folder) / "operator.toml").write_text("changed")
    with qtbot.waitSignal(page.refused) as refused:
        page.make.click()
    assert "not what this profile makes" in str(refused.args[0])


def test_one_without_a_reference_asks_for_it(
    page: WorkloadPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    page.import_folder(write_rank(tmp_path, 0, step_of_a_model()))
    qtbot.waitUntil(page.table.isVisible)
    page.table.selectRow(list(rows(page)).index("Add"))
    with qtbot.waitSignal(page.unwritten) as made:
        page.make.click()
    assert (made.args[0] / "reference.py").is_file()


def test_a_folder_without_a_profile_changes_nothing(
    page: WorkloadPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "none").mkdir()
    with qtbot.waitSignal(page.refused) as refused:
        page.import_folder(tmp_path / "none")
    assert "holds no kernel_details.csv" in str(refused.args[0])
    assert page.importing.isEnabled()


def test_a_stopped_import_leaves_the_page_as_it_was(
    page: WorkloadPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    page.import_folder(write_rank(tmp_path, 0, step_of_a_model() * 3000))
    assert page.progress.isVisible()
    assert "Reading" in page.progress.words.text()
    page.progress.stop.click()
    qtbot.waitUntil(lambda: not page.progress.isVisible())
    assert page.sample.isEnabled()
    assert not page.table.isVisible()


def test_a_processor_that_the_profile_does_not_tell_is_named(
    page: WorkloadPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    untold = [
        {name: cell for name, cell in row.items() if "cycles" not in name}
        for row in step_of_a_model()
    ]
    folder = tmp_path / "untold"
    folder.mkdir()
    write_table(folder / "kernel_details.csv", untold)
    page.import_folder(folder)
    qtbot.waitUntil(page.processor.isVisible)
    assert not rows(page)
    assert "does not tell the processor" in page.notes.text()
    page.processor.choose("Ascend910B4")
    qtbot.waitUntil(lambda: bool(rows(page)))
    assert "Ascend910B4" in page.summary.text()
    page.activate()
    qtbot.waitUntil(page.processor.isEnabled)
    assert page.processor.currentData() == "Ascend910B4"


def test_a_workload_that_cannot_be_read_hides_no_other(
    page: WorkloadPanel, tmp_path: Path, qtbot: QtBot
) -> None:
    page.sample.trigger()
    qtbot.waitUntil(page.table.isVisible)
    damaged = tmp_path / "data" / "workloads" / "damaged.json"
    damaged.write_text("{")
    with qtbot.waitSignal(page.refused) as refused:
        page.workload.offer([("damaged", "damaged")], "damaged")
        page.activate()
    assert "damaged.json" in str(refused.args[0])
    qtbot.waitUntil(page.importing.isEnabled)
    assert page.workload.currentText() == "sample"
    assert rows(page)
