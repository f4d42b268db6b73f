"""Curation as a person does it: several items at once, items that wait, two side by side, another budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QLabel, QTableWidget, QToolButton
from pytestqt.qtbot import QtBot

from core.curation.curator import Curator
from core.errors import SageError
from core.exchange.conflicts import Conflict, note
from core.memory.reading import read_item
from core.memory.records import Experience, ItemState, MemoryItem, Origin
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.workspace import Workspace
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.ui.actions import ActionRegistry, plain
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.operations import Operations
from tests.gui import sample_workspace

WAIT_MS = 60_000


@pytest.fixture
def panel(memory_panel: MemoryPanel) -> MemoryPanel:
    return memory_panel


def _uids(panel: MemoryPanel) -> list[str]:
    return [panel.model.item(row).uid for row in range(panel.model.rowCount())]


def _select(panel: MemoryPanel, uids: list[str]) -> None:
    selection = panel.table.selectionModel()
    selection.clearSelection()
    for uid in uids:
        flags = (
            QItemSelectionModel.SelectionFlag.Select
            | QItemSelectionModel.SelectionFlag.Rows
        )
        selection.select(panel.model.index(_uids(panel).index(uid), 0), flags)


def _row(table: QTableWidget, part: str) -> int:
    return next(
        row for row in range(table.rowCount()) if part in table.item(row, 0).text()
    )


def _page_text(panel: MemoryPanel) -> str:
    return "\n".join(
        label.text() for label in panel.item_page.widget().findChildren(QLabel)
    )


def test_several_items_change_at_once_and_one_undo_takes_all_back(
    panel: MemoryPanel,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    assert panel.left.bulk.isHidden()
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert panel.left.count.text() == "6 selected"
    assert not panel.left.bulk.isHidden()
    assert not registry["memory.edit"].isEnabled()
    _select(panel, ["seed-0001", "seed-0003", "seed-0004"])
    registry["memory.archive"].trigger()
    settled()
    settled()
    assert _archived(panel, settled) == 3
    assert registry["edit.undo"].text() == "&Undo Archive 3 items"
    registry["edit.undo"].trigger()
    settled()
    settled()
    assert _archived(panel, settled) == 0
    assert registry["edit.redo"].text() == "&Redo Archive 3 items"
    registry["edit.redo"].trigger()
    settled()
    settled()
    assert _archived(panel, settled) == 3


def _archived(panel: MemoryPanel, settled: Callable[[], None]) -> int:
    """How many items the search for archived ones lists."""
    panel.search.setText("state:archived")
    panel.search.filter_now()
    settled()
    count = panel.model.rowCount()
    panel.search.clear()
    panel.search.filter_now()
    settled()
    return count


def test_one_item_demoted_with_the_keyboard_is_told_and_no_other_button_waits(
    panel: MemoryPanel,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    _select(panel, ["seed-0001"])
    with qtbot.waitSignal(panel.curation.offered) as offered:
        registry["memory.pin"].trigger()
    assert offered.args[0] == "Pinned one item. Its rule is in hot memory now."
    settled()
    settled()
    assert "Rule in hot memory" in _headings(panel)
    (demote,) = [
        button
        for button in panel.item_page.findChildren(QToolButton)
        if button.defaultAction() is registry["memory.demote"]
    ]
    demote.setFocus()
    assert demote.hasFocus()
    with qtbot.waitSignal(panel.curation.offered) as offered:
        qtbot.keyClick(demote, Qt.Key.Key_Space)
    assert offered.args[0] == "Demoted one item. It is no longer pinned."
    assert offered.args[1][0] == "Undo"
    settled()
    settled()
    assert panel.item_page.hasFocus(), "the next Space would press a neighbour"
    assert "Rule in hot memory" not in _headings(panel)
    assert "Rule" in _headings(panel), "it is kept, and no longer resident"


def _headings(panel: MemoryPanel) -> list[str]:
    return [label.text() for label in panel.item_page.findChildren(QLabel)]


def test_commands_shown_as_an_icon_alone_are_named_by_their_tip(
    panel: MemoryPanel,
) -> None:
    for button in panel.left.bulk.findChildren(QToolButton):
        tip = button.toolTip()
        assert tip.startswith(f"{plain(button.defaultAction().text())}: "), tip


@pytest.fixture
def sixty(
    panel: MemoryPanel,
    workspace: Path,
    registry: ActionRegistry,
    settled: Callable[[], None],
) -> MemoryPanel:
    """The panel with 60 waiting items, all selected together with one that does not wait."""
    with Workspace.open(workspace) as opened, opened.transaction():
        for number in range(60):
            MemoryStore(opened).add_item(
                Experience(f"Waiting {number}", "api_misuse", "Queues"),
                origin=Origin.IMPORT,
                state=ItemState.PENDING,
                uid=f"wait-{number}",
            )
    panel.activate()
    settled()
    settled()
    panel.table.selectAll()
    registry["memory.accept"].trigger()
    settled()
    return panel


def _waiting(panel: MemoryPanel) -> str:
    return panel.left.waiting.text()


def test_a_decision_on_many_items_asks_with_their_number_and_is_one_step(
    sixty: MemoryPanel,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    question = sixty.curation.decisions.question
    assert question.text() == "Accept 60 items?"
    assert "6 of the 66 selected items do not wait" in question.informativeText()
    question.reject()
    settled()
    assert _waiting(sixty) == "Waiting: 60"
    registry["memory.accept"].trigger()
    settled()
    sixty.table.clearSelection()  # what was asked about is decided, whatever is selected by then
    shown: list[str] = []
    sixty.curation.decisions.moved.connect(
        lambda *_: shown.append(sixty.left.progress.words.text())
    )
    with qtbot.waitSignal(sixty.curation.offered) as offered:
        sixty.curation.decisions.question.accept()
        settled()
    settled()
    assert "of 60" in shown[-1]
    assert sixty.left.progress.isHidden()
    assert _waiting(sixty) == "Waiting: 0"
    assert offered.args[0] == "Accepted 60 items"
    assert registry["edit.undo"].text() == "&Undo Accept 60 items"
    offered.args[1][1]()  # the button of the message
    settled()
    settled()
    assert _waiting(sixty) == "Waiting: 60"
    assert registry["edit.redo"].text() == "&Redo Accept 60 items"


def test_what_a_decision_brings_is_not_said_of_the_one_before(
    panel: MemoryPanel, qtbot: QtBot
) -> None:
    decisions = panel.curation.decisions
    with qtbot.waitSignal(panel.curation.offered) as offered:
        decisions.start("pin", ["seed-0001"], "Its rule is in hot memory now.")
        decisions.start("demote", ["seed-0001"], "It is no longer pinned.")
    assert offered.args[0] == "Pinned one item. Its rule is in hot memory now."


def test_a_decision_on_many_items_can_be_stopped_and_changes_nothing_then(
    sixty: MemoryPanel, operations: Operations, settled: Callable[[], None]
) -> None:
    told: list[SageError] = []
    operations.failed.disconnect()
    operations.failed.connect(told.append)
    decisions = sixty.curation.decisions
    decisions.moved.connect(
        lambda *_: sixty.left.progress.stop.click(), Qt.ConnectionType.DirectConnection
    )
    decisions.question.accept()
    settled()
    settled()
    assert [str(error) for error in told] == ["Stopped; nothing was changed."]
    assert _waiting(sixty) == "Waiting: 60"
    assert sixty.left.progress.isHidden()


def test_what_waits_behind_a_search_is_not_said_to_be_nothing(
    panel: MemoryPanel,
    workspace: Path,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    def words() -> list[str]:
        return [
            label.text()
            for label in panel.left.findChildren(QLabel)
            if label.isVisible()
        ]

    hidden = "Hidden by the search or the filters: 1 that wait"
    with Workspace.open(workspace) as opened:
        MemoryStore(opened).add_item(
            Experience("Looked at by nobody", "api_misuse", "Queues"),
            origin=Origin.IMPORT,
            state=ItemState.PENDING,
            uid="wait-1",
        )
    panel.activate()
    settled()
    panel.left.search.setText("no such word")
    qtbot.mouseClick(panel.left.waiting, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: hidden in words(), timeout=WAIT_MS)
    assert "Nothing waits for a decision" not in words()
    panel.left.search.clear()
    qtbot.waitUntil(lambda: _uids(panel) == ["wait-1"], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "Looked at by nobody" in _page_text(panel), timeout=WAIT_MS)
    qtbot.keyClick(panel.table, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: "Nothing waits for a decision" in words(), timeout=WAIT_MS)
    panel.left.search.setText("no such word")
    settled()
    assert "Nothing waits for a decision" in words()


def test_waiting_items_are_decided_with_single_keys(
    panel: MemoryPanel,
    workspace: Path,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    with Workspace.open(workspace) as opened:
        store = MemoryStore(opened)
        for number, state in enumerate(
            (ItemState.PENDING, ItemState.QUARANTINED, ItemState.PENDING)
        ):
            store.add_item(
                Experience(f"Waiting {number}", "api_misuse", "Queues"),
                origin=Origin.IMPORT,
                state=state,
                uid=f"wait-{number}",
                reason="an import nobody has looked at",
            )
    panel.activate()
    settled()
    settled()
    assert panel.left.waiting.text() == "Waiting: 3"
    qtbot.mouseClick(panel.left.waiting, Qt.MouseButton.LeftButton)
    settled()
    settled()
    assert _uids(panel) == ["wait-0", "wait-1", "wait-2"]
    assert "nobody has looked at" in _page_text(panel)
    qtbot.keyClick(panel.table, Qt.Key.Key_A)
    settled()
    settled()
    assert _uids(panel) == ["wait-1", "wait-2"]
    assert panel.item_page.item.uid == "wait-1"  # the next one is in front by itself
    qtbot.keyClick(panel.table, Qt.Key.Key_R)
    settled()
    settled()
    assert _uids(panel) == ["wait-2"]
    qtbot.mouseClick(panel.left.waiting, Qt.MouseButton.LeftButton)
    settled()
    panel.open_item("wait-1")
    settled()
    assert panel.item_page.item.state is ItemState.ARCHIVED
    assert not registry["memory.accept"].isEnabled()


def test_where_nothing_is_in_conflict_that_is_told(
    panel: MemoryPanel,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    with qtbot.waitSignal(panel.curation.notice) as told:
        registry["memory.conflicts"].trigger()
    assert "No conflicts" in told.args[0]
    assert panel.curation.dialog is None, "there is nothing to show"


def test_what_two_memories_changed_apart_is_shown_side_by_side_and_decided(
    panel: MemoryPanel,
    operations: Operations,
    workspace: Path,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    item = _item(workspace, "seed-0005")
    found = [
        Conflict("seed-0005", "summary", item.summary, "What they say."),
        Conflict("seed-0005", "title", item.title, "Another title"),
    ]
    operations.write(panel, lambda ws: _noted(ws, found), topics=frozenset({"memory"}))
    settled()
    registry["memory.conflicts"].trigger()
    settled()
    dialog = panel.curation.dialog
    assert dialog.list.count() == 2
    assert "What they say." in "\n".join(dialog.view.document.right)
    qtbot.mouseClick(dialog.take, Qt.MouseButton.LeftButton)
    settled()
    assert _item(workspace, "seed-0005").summary == "What they say."
    assert dialog.list.count() == 1
    qtbot.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    settled()
    assert _item(workspace, "seed-0005").title == item.title
    registry["edit.undo"].trigger()
    settled()
    assert _item(workspace, "seed-0005").summary == item.summary


def _item(workspace: Path, uid: str) -> MemoryItem:
    with Workspace.open_readonly(workspace) as opened:
        return read_item(opened.db, uid)


def _noted(workspace: Workspace, found: list[Conflict]) -> None:
    with workspace.transaction():
        note(workspace, found, "other.sage")


def test_two_items_side_by_side_are_joined(
    panel: MemoryPanel,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    assert not registry["memory.compare"].isEnabled()
    _select(panel, ["seed-0005", "seed-0006"])
    registry["memory.compare"].trigger()
    settled()
    dialog = panel.curation.dialog
    sides = (
        "\n".join(side)
        for side in (dialog.view.document.left, dialog.view.document.right)
    )
    assert sorted("Accumulate float16 sums" in side for side in sides) == [False, True]
    panel.item_page.compared.emit("seed-0006", "seed-0001")
    settled()
    dialog = panel.curation.dialog
    assert dialog.keep[1].isChecked()  # the one with more evidence
    dialog.keep[0].click()
    qtbot.keyClicks(dialog.reason, "the same")
    qtbot.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    settled()
    settled()
    settled()
    assert panel.item_page.item.uid == "seed-0006"
    assert panel.item_page.item.n_ado > 0
    panel.open_item("seed-0001")
    settled()
    assert panel.item_page.item.state_reason == "merged into seed-0006"


def test_a_page_shows_earlier_content_and_evidence_is_reset(
    panel: MemoryPanel,
    workspace: Path,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    with Workspace.open(workspace) as opened:
        Curator(MemoryStore(opened)).edit_rule(
            "seed-0003", "Use two buffers. Never more than the UB holds."
        )
    panel.open_item("seed-0003")
    settled()
    text = _page_text(panel)
    assert "Rule" in text.splitlines()
    assert "Rule in hot memory" not in text  # a person wrote it, it earned nothing
    assert "Source" in text
    assert "Adopted by AbsMath" in text
    earlier = next(
        button
        for button in panel.item_page.widget().findChildren(QToolButton)
        if button.text().startswith("Earlier content (")
    )
    before = len(panel.item_page.widget().findChildren(DiffView))
    earlier.click()
    assert len(panel.item_page.widget().findChildren(DiffView)) > before
    assert panel.item_page.neighbours[0].uid.startswith("seed-")
    registry["memory.reset"].trigger()
    qtbot.mouseClick(panel.curation.dialog.main_button, Qt.MouseButton.LeftButton)
    settled()
    settled()
    assert panel.item_page.item.n_ret == 0


def test_a_page_says_who_keeps_an_item_out_of_hot_memory(
    panel: MemoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with Workspace.open(workspace) as opened:
        store = MemoryStore(opened)
        assert store.hold_if_said("seed-0001")
        Curator(store).block("seed-0002")
    panel.open_item("seed-0001")
    settled()
    assert "every prompt says it already" in _page_text(panel)
    panel.open_item("seed-0002")
    settled()
    assert "Blocked from hot memory by a person" in _page_text(panel)


def test_another_budget_is_tried_without_changing_anything(
    panel: MemoryPanel,
    workspace: Path,
    registry: ActionRegistry,
    settled: Callable[[], None],
) -> None:
    for uid in ("seed-0003", "seed-0004"):
        panel.open_item(uid)
        settled()
        registry["memory.pin"].trigger()
        settled()
        settled()
    page = panel.hot_page
    assert page.tried.text() == "10,000 tokens"
    assert "consolidation: 2, of" in page.answer.text()
    page.slider.setValue(page.slider.minimum())
    settled()
    assert page.tried.text() == "250 tokens"
    assert (
        "consolidation: 2, of" in page.answer.text()
    )  # pinned ones stay as long as they fit
    registry["memory.pin"].trigger()
    settled()
    settled()
    assert page.answer.text().endswith(
        "0 enter, 1 leave."
    )  # seed-0004 has not earned its place
    assert (
        not page.residents.item(_row(page.residents, "GetBlockNum"), 0).icon().isNull()
    )
    registry["memory.demote"].trigger()
    settled()
    settled()
    assert page.tabs.tabText(2) == "Removed 1"
    assert (
        page.removed.item(0, 0)
        .text()
        .endswith("by a person; newer evidence must pass the gates")
    )
    with Workspace.open_readonly(workspace) as opened:
        assert [row.uid for row in queries.hot_view(opened.db).residents] == [
            "seed-0003"
        ]


def test_snapshots_are_compared_exported_and_restored(
    panel: MemoryPanel,
    workspace: Path,
    registry: ActionRegistry,
    tmp_path: Path,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    with Workspace.open(workspace) as opened:
        Curator(MemoryStore(opened)).pin("seed-0001")
        sample_workspace.run(opened, 3)
        Curator(MemoryStore(opened)).pin("seed-0002")
        sample_workspace.run(opened, 4)
    page = panel.snapshots_page
    panel.details.setCurrentWidget(page)
    settled()
    settled()
    rules = [page.table.item(row, 3).text() for row in range(page.table.rowCount())]
    assert rules[0] == "2"
    assert rules[2] == "1"
    page.before.setCurrentIndex(page.before.count() - 1)
    page.before.activated.emit(0)
    settled()
    assert page.words.text().startswith("2 added, 0 removed")
    assert page.difference.item(0, 1).text() == "added"
    page.export.click()
    target = tmp_path / "hot.json"
    page.exporting.fileSelected.emit(str(target))
    page.exporting.close()
    settled()
    assert '"hot_entries"' in target.read_text()
    page.table.setCurrentCell(2, 0)
    qtbot.mouseClick(page.restore, Qt.MouseButton.LeftButton)
    settled()
    settled()
    assert panel.hot_page.residents.rowCount() == 1
    assert registry["edit.undo"].text() == "&Undo Restore Snapshot"


def test_the_retriever_answers_as_in_a_round_and_says_why(
    panel: MemoryPanel, settled: Callable[[], None], qtbot: QtBot
) -> None:
    page = panel.search_page
    panel.details.setCurrentWidget(page)
    qtbot.keyClicks(page.question, "DataCopy tail of 32 bytes")
    qtbot.mouseClick(page.ask, Qt.MouseButton.LeftButton)
    settled()
    assert page.hits.item(0, 0).text().startswith("1  DataCopy needs whole blocks")
    assert page.hits.item(0, 4).text() == "–"
    s, s_rel, u = (
        float(page.hits.item(0, column).text().replace("−", "-"))
        for column in (1, 2, 5)
    )
    assert s == pytest.approx(s_rel * (1 + page.answer.gamma * u), abs=0.02)
    assert page.sum.text().endswith(f"= {s:.2f}")
    page.hits.cellActivated.emit(0, 0)
    settled()
    assert panel.item_page.item.uid == "seed-0001"
