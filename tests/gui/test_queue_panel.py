"""The list of operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.analysis.queries import QueueRow
from core.engine import queue
from core.workspace import Workspace
from sage_desktop.panels.queue.model import (
    BEST,
    GAIN,
    OPERATOR,
    PROGRESS,
    duration_text,
    seconds_left,
    seconds_worked,
    shown_state,
)
from sage_desktop.panels.queue.panel import QueuePanel
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.widgets.verdicts import latency_text
from tests.gui import sample_workspace
from tests.gui.conftest import DirectWriter


@pytest.fixture
def panel(
    operations: Operations,
    registry: ActionRegistry,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> Iterator[QueuePanel]:
    made = QueuePanel(operations, registry)
    qtbot.addWidget(made)
    made.resize(520, 400)
    made.show()
    made.refresh()
    settled()
    return made


def _texts(panel: QueuePanel, column: int) -> list[str]:
    model = panel.model
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def _begin(workspace: Path, operator: str) -> None:
    """Its entry is at work, with a round."""
    with Workspace.open(workspace) as opened:
        (entry,) = opened.db.execute(
            "SELECT id FROM queue_entry WHERE operator = ?", (operator,)
        ).fetchone()
        sample_workspace.run(opened, entry, sample_workspace.STEPS[:1], finish=False)


def _click(panel: QueuePanel, operator: str, qtbot: QtBot) -> None:
    names = [row.operator for row in panel.model.rows()]
    cell = panel.model.index(names.index(operator), 0)
    place = panel.table.visualRect(cell).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_rows_tell_progress_latency_origin_and_gain(panel: QueuePanel) -> None:
    assert [text.split(",")[0] for text in _texts(panel, OPERATOR)] == [
        "AbsMath",
        "Lerp",
        "SwiGlu",
        "RmsNorm",
    ]
    assert _texts(panel, PROGRESS) == ["6", "4 / 30", "", ""]
    assert _texts(panel, BEST)[:2] == ["9.63 µs modelled", "15.02 µs modelled"]
    assert _texts(panel, GAIN) == ["2.27×", "1.45×", "–", "–"]


def test_the_running_operator_comes_to_the_front_until_another_is_picked(
    panel: QueuePanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    assert panel.current_row().operator == "Lerp"
    _click(panel, "SwiGlu", qtbot)
    assert panel.current_row().operator == "SwiGlu"
    panel.refresh()
    settled()
    assert panel.current_row().operator == "SwiGlu"


def test_an_operator_that_is_read_stays_in_front_until_its_row_is_clicked(
    panel: QueuePanel,
    workspace: Path,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    def begin(operator: str) -> None:
        _begin(workspace, operator)
        panel.refresh()
        settled()

    assert panel.current_row().operator == "Lerp", "begun last"
    panel.hold()
    _click(panel, "Lerp", qtbot)
    begin("SwiGlu")
    assert panel.current_row().operator == "SwiGlu", "clicked since"
    panel.hold()
    begin("RmsNorm")
    assert panel.current_row().operator == "SwiGlu"


def test_of_several_at_work_the_one_a_person_picked_stays_in_front(
    panel: QueuePanel,
    workspace: Path,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    _begin(workspace, "SwiGlu")
    panel.refresh()
    settled()
    assert panel.current_row().operator == "SwiGlu", "begun last"
    at_work = [row.operator for row in panel.model.rows() if row.state == "running"]
    assert at_work == ["Lerp", "SwiGlu"]
    _click(panel, "Lerp", qtbot)
    panel.refresh()
    settled()
    assert panel.current_row().operator == "Lerp"


def test_the_model_keeps_qts_rules(
    panel: QueuePanel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(panel.model)


def test_selection_survives_new_rows_and_hidden_ones(
    panel: QueuePanel,
    workspace: Path,
    registry: ActionRegistry,
    settled: Callable[[], None],
) -> None:
    with Workspace.open(workspace) as open_workspace:
        sample_workspace.enqueue(open_workspace, "Tril")
    panel.refresh()
    settled()
    assert panel.model.rowCount() == 5
    assert panel.current_row().operator == "Lerp"
    registry["queue.hide_finished"].trigger()
    settled()
    assert [row.operator for row in panel.model.rows()] == [
        "Lerp",
        "SwiGlu",
        "RmsNorm",
        "Tril",
    ]
    assert panel.current_row().operator == "Lerp"


def test_without_a_writer_nothing_can_be_changed(
    panel: QueuePanel, registry: ActionRegistry
) -> None:
    assert not any(
        registry[f"queue.{name}"].isEnabled() for name in ("cancel", "retry", "next")
    )


@pytest.mark.parametrize(
    ("command", "picked", "expected"),
    [
        ("next", ["RmsNorm"], ["AbsMath", "Lerp", "RmsNorm", "SwiGlu"]),
        ("retry", ["AbsMath"], ["Lerp", "SwiGlu", "RmsNorm", "AbsMath"]),
    ],
)
def test_commands_reorder_and_retry(
    panel: QueuePanel,
    operations: Operations,
    writer: DirectWriter,
    registry: ActionRegistry,
    settled: Callable[[], None],
    command: str,
    picked: list[str],
    expected: list[str],
) -> None:
    operations.set_writer(writer)
    names = [row.operator for row in panel.model.rows()]
    panel.table.selectRow(names.index(picked[0]))
    registry[f"queue.{command}"].trigger()
    if command == "retry":  # it has a kernel
        panel.question.accept()
    settled()
    panel.refresh()
    settled()
    assert [row.operator for row in panel.model.rows()] == expected


def test_a_retry_names_the_finished_kernel_it_takes_away(
    panel: QueuePanel,
    operations: Operations,
    writer: DirectWriter,
    registry: ActionRegistry,
    settled: Callable[[], None],
) -> None:
    operations.set_writer(writer)
    finished = panel.model.rows()[0]
    panel.table.selectRow(0)
    registry["queue.retry"].trigger()
    assert panel.question.text() == "Retry AbsMath?"
    named = f"AbsMath: {latency_text(finished.t_best)} in round {finished.best_round}"
    assert named in panel.question.informativeText()
    panel.question.reject()
    settled()
    panel.refresh()
    settled()
    assert panel.model.rows()[0] == finished, "kept"


def test_an_operator_without_a_kernel_is_retried_at_once(
    panel: QueuePanel,
    operations: Operations,
    writer: DirectWriter,
    registry: ActionRegistry,
    settled: Callable[[], None],
) -> None:
    writer(
        lambda workspace: workspace.db.execute(
            "UPDATE queue_entry SET state = 'failed' WHERE operator = 'SwiGlu'"
        )
    ).result()
    operations.set_writer(writer)
    panel.refresh()
    settled()
    names = [row.operator for row in panel.model.rows()]
    panel.table.selectRow(names.index("SwiGlu"))
    registry["queue.retry"].trigger()
    settled()
    panel.refresh()
    settled()
    states = {row.operator: row.state for row in panel.model.rows()}
    assert states["SwiGlu"] == "queued"


def test_durations_read_naturally() -> None:
    assert [duration_text(s) for s in (None, 8.2, 184, 4320)] == [
        "",
        "8 s",
        "3:04 min",
        "1:12 h",
    ]


def test_waiting_operators_are_dragged_several_at_once(
    panel: QueuePanel,
    operations: Operations,
    writer: DirectWriter,
    settled: Callable[[], None],
) -> None:
    model = panel.model
    before = [row.operator for row in model.rows()]
    refused: list[object] = []
    operations.failed.connect(refused.append)
    waiting = [n for n, row in enumerate(model.rows()) if row.state == "queued"]
    assert [
        bool(model.flags(model.index(n, 0)) & Qt.ItemFlag.ItemIsDragEnabled)
        for n in range(4)
    ] == [n in waiting for n in range(4)]
    asked: list[tuple[list[int], int | None]] = []
    model.dragged.connect(lambda ids, before: asked.append((ids, before)))
    everything = model.mimeData([model.index(n, c) for n in range(4) for c in (0, 1)])
    model.dropMimeData(everything, Qt.DropAction.MoveAction, 0, 0, QModelIndex())
    settled()
    panel.refresh()
    settled()
    assert [row.operator for row in model.rows()] == before  # nobody may write here
    assert refused == []  # and nobody is told of it
    operations.set_writer(writer)
    model.dropMimeData(everything, Qt.DropAction.MoveAction, 0, 0, QModelIndex())
    assert asked == [([model.listed[2], model.listed[3]], model.listed[0])] * 2
    settled()
    panel.refresh()
    settled()
    assert [row.operator for row in model.rows()] == [
        "SwiGlu",
        "RmsNorm",
        "AbsMath",
        "Lerp",
    ]


def test_batches_are_named_shown_and_chosen(
    panel: QueuePanel,
    operations: Operations,
    writer: DirectWriter,
    registry: ActionRegistry,
    settled: Callable[[], None],
) -> None:
    operations.set_writer(writer)
    assert panel.filters.batch.isHidden()
    panel.table.selectRow(2)
    registry["queue.label"].trigger()
    assert panel.dialog is not None
    panel.dialog.setTextValue("night run")
    panel.dialog.accept()
    settled()
    panel.refresh()
    settled()
    assert panel.model.rows()[2].label == "night run"
    assert "Batch: night run" in panel.model.index(2, 0).data(
        Qt.ItemDataRole.ToolTipRole
    )
    panel.filters.batch.setCurrentIndex(panel.filters.batch.findData("night run"))
    panel.filters.batch.activated.emit(1)
    settled()
    assert [row.operator for row in panel.model.rows()] == ["SwiGlu"]


def test_a_retried_operator_says_why_it_is_there_again(
    panel: QueuePanel, writer: DirectWriter, settled: Callable[[], None]
) -> None:
    entry = panel.model.listed[2]
    writer(
        lambda workspace: queue.mark(workspace, entry, "failed", "the server is gone")
    )
    writer(lambda workspace: queue.retry(workspace, entry))
    panel.refresh()
    settled()
    row = panel.model.row(entry)
    assert row is not None
    assert panel.model.subtitle(row) == "Waiting · before: the server is gone"


def test_an_interrupted_operator_says_so_and_which_limit_it_was(
    panel: QueuePanel, writer: DirectWriter, settled: Callable[[], None]
) -> None:
    entry = panel.model.listed[1]
    limit = "the limit of 5000 tokens per operator is reached (5120 used)"
    writer(lambda workspace: queue.mark(workspace, entry, "queued", limit))
    panel.refresh()
    settled()
    row = panel.model.row(entry)
    assert row is not None
    subtitle = panel.model.subtitle(row)
    assert subtitle.endswith(f" · Interrupted; resumes here · {limit}")
    later = datetime.fromisoformat(row.last_step_at) + timedelta(hours=1)
    assert duration_text(seconds_worked(row, later)) == subtitle.split(" · ")[0]


def test_the_rest_of_a_running_operator_is_estimated_from_its_rounds(
    panel: QueuePanel,
) -> None:
    row = panel.model.rows()[1]
    start = datetime.fromisoformat(row.started_at)
    assert seconds_left(row, start + timedelta(seconds=40)) == pytest.approx(
        40 / 4 * 26
    )
    assert seconds_left(panel.model.rows()[0], start) is None
    by_hand = replace(row, provider_origin="manual")
    later = start + timedelta(seconds=40)
    assert seconds_left(by_hand, later) is None, "a person takes the time it takes"


def test_a_version_of_one_s_own_that_never_began_waits(panel: QueuePanel) -> None:
    row = panel.model.rows()[1]
    begun = replace(row, state="queued", interrupted=True)
    assert shown_state(begun) == "interrupted"
    edited = replace(begun, forked_from="trajectory-1", reason="")
    assert shown_state(edited) == "queued"
    stopped = replace(edited, reason="stopped by the person")
    assert shown_state(stopped) == "interrupted"


def test_a_narrow_list_leaves_the_estimate_to_the_card_below(panel: QueuePanel) -> None:
    row = next(row for row in panel.model.rows() if row.state == "running")
    assert "at most" in panel.model.subtitle(row)
    assert "at most" not in panel.model.subtitle(row, brief=True)


def test_the_list_is_narrowed_by_benchmark_level_and_category(
    panel: QueuePanel, settled: Callable[[], None]
) -> None:
    shown = [
        panel.filters.facet.itemText(n) for n in range(panel.filters.facet.count())
    ]
    assert shown[0] == "All operators"
    assert "Level 1 (2)" in shown
    place = next(n for n, text in enumerate(shown) if text.startswith("Category Norm"))
    panel.filters.facet.setCurrentIndex(place)
    panel.filters.facet.activated.emit(place)
    settled()
    assert [row.operator for row in panel.model.rows()] == ["RmsNorm"]
    assert panel.summary.text().startswith("1 of 4 done")
    panel.filters.facet.setCurrentIndex(0)
    panel.filters.facet.activated.emit(0)
    settled()
    assert panel.model.rowCount() == 4


def test_a_measured_reference_stands_below_the_gain(panel: QueuePanel) -> None:
    row = panel.model.rows()[0]
    assert row.host
    assert f"Host and device: {row.host}" in panel.model.tip(row)
    assert "Reference / best" not in panel.model.tip(row), (
        "modelled latencies have none"
    )
    panel.model.set_rows(
        (row.id,), {row.id: replace(row, t_best=8.0, t_reference=10.0)}
    )
    assert _texts(panel, GAIN) == ["2.73×, 1.25× of the reference"]
    panel.grab()


def test_home_and_end_lead_to_the_first_and_the_last_operator(
    panel: QueuePanel, qtbot: QtBot
) -> None:
    qtbot.keyClick(panel.table, Qt.Key.Key_End)
    assert panel.current_row().operator == "RmsNorm"
    qtbot.keyClick(panel.table, Qt.Key.Key_Home)
    assert panel.current_row().operator == "AbsMath"


def test_an_operator_is_announced_when_it_comes_to_the_front_and_not_again(
    panel: QueuePanel, settled: Callable[[], None]
) -> None:
    announced: list[QueueRow | None] = []
    panel.selected.connect(announced.append)
    panel.refresh()
    settled()
    assert announced == [], "those who show it read it again themselves"
    other = next(entry for entry in panel.model.listed if entry != panel.current_id())
    panel.select(other)
    assert [row.id for row in announced if row is not None] == [other]
