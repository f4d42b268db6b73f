"""The table of experiences, one item in full, hot memory, curation with undo."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.panels.memory.item_model import ITEM, PAGE, RETRIEVED, UTILITY
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences


@pytest.fixture
def panel(memory_panel: MemoryPanel) -> MemoryPanel:
    return memory_panel


def test_an_item_opened_before_the_table_is_read_stays_in_front(
    operations: Operations,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
    settled: Callable[[], None],
) -> None:
    """As by a click on an experience in Review, which is the first to turn to the page."""
    made = MemoryPanel(operations, registry, preferences)
    qtbot.addWidget(made)
    made.show()
    made.activate()
    made.open_item("seed-0003")
    settled()
    assert made.item_page.item is not None
    assert made.item_page.item.uid == "seed-0003"
    assert made.model.place("seed-0003") == made.left.table.currentIndex().row()


def test_an_item_that_has_moved_meanwhile_is_seen_in_the_table(
    panel: MemoryPanel, workspace: Path, settled: Callable[[], None]
) -> None:
    with Workspace.open(workspace) as opened, opened.transaction():
        store = MemoryStore(opened)
        for number in range(60):
            store.add_item(
                Experience(f"rule {number}", "api_misuse", "Math"), origin=Origin.MINED
            )
    panel.activate()
    settled()
    last = panel.model.rowCount() - 1
    moved = panel.model.item(last)
    assert moved is not None
    with Workspace.open(workspace) as opened, opened.transaction():
        opened.db.execute("UPDATE item SET u_m = 0.999 WHERE uid = ?", (moved.uid,))
    panel.activate()
    panel.open_item(moved.uid)
    settled()
    table = panel.left.table
    place = table.visualRect(table.currentIndex())
    assert panel.model.place(moved.uid) == table.currentIndex().row() < last
    assert table.viewport().rect().contains(place)


def _column(panel: MemoryPanel, column: int) -> list[str]:
    model = panel.model
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def _page_text(panel: MemoryPanel) -> str:
    return "\n".join(
        label.text() for label in panel.item_page.widget().findChildren(QLabel)
    )


def test_items_stand_by_utility_and_the_first_is_open(panel: MemoryPanel) -> None:
    assert panel.model.rowCount() == 6
    utilities = [float(text.replace("−", "-")) for text in _column(panel, UTILITY)]
    assert utilities == sorted(utilities, reverse=True)
    assert utilities[0] > 0 > utilities[-1]
    assert panel.item_page.page.item.title == _column(panel, ITEM)[0]


def test_a_click_on_a_header_sorts_and_one_on_a_row_opens(
    panel: MemoryPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    header = panel.table.horizontalHeader()
    place = header.sectionViewportPosition(RETRIEVED) + 8
    qtbot.mouseClick(
        header.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(place, header.height() // 2),
    )
    settled()
    retrieved = [int(text) for text in _column(panel, RETRIEVED)]
    assert retrieved == sorted(retrieved)
    row = panel.table.visualRect(panel.model.index(0, ITEM)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    settled()
    assert panel.item_page.page.item.uid == "seed-0006"


def test_searching_as_one_types_and_by_facet(
    panel: MemoryPanel, qtbot: QtBot, settled: Callable[[], None]
) -> None:
    qtbot.keyClicks(panel.search, "cores getblock")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    assert _column(panel, ITEM) == [
        "Spread the rows over all cores with GetBlockNum and GetBlockIdx"
    ]
    assert panel.search.count.text().startswith("1")
    panel.search.clear()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 6)
    box = panel.facets["type"]
    box.setCurrentIndex(box.findData("algorithmic_optimization"))
    box.activated.emit(box.currentIndex())
    settled()
    assert panel.model.rowCount() == 2
    assert "2" in box.currentText()


def test_the_page_shows_evidence_curve_rationales_and_code(
    panel: MemoryPanel, settled: Callable[[], None]
) -> None:
    panel.open_item("seed-0001")
    settled()
    text = _page_text(panel)
    assert "Gates to hot memory: adopted 2 of 3, by 2 of 3 operators" in text
    assert "I use the correct one." in text
    assert "AbsMath · correctness · round 3 · Adopted" in text
    assert "shipped with the program" in text
    assert len(panel.item_page.curve.points()) == 3
    assert "ξ" in panel.item_page.curve.tip(0)


def test_the_page_says_that_a_demotion_holds_and_how_far_newer_evidence_is(
    panel: MemoryPanel, registry: ActionRegistry, settled: Callable[[], None]
) -> None:
    panel.open_item("seed-0001")
    settled()
    for action in ("memory.pin", "memory.demote"):
        registry[action].trigger()
        settled()
        settled()
    text = _page_text(panel)
    assert "Demoted by a person until newer evidence passes the gates." in text
    assert "Since then: adopted 0 of 3, by 0 of 3 operators" in text
    assert "Demote · user (holds until newer evidence passes the gates)" in text


def test_pin_promotes_and_undo_takes_it_back(
    panel: MemoryPanel, registry: ActionRegistry, settled: Callable[[], None]
) -> None:
    panel.open_item("seed-0001")
    settled()
    registry["memory.pin"].trigger()
    settled()
    settled()
    assert panel.item_page.page.item.pinned
    assert panel.item_page.page.item.hot_region
    assert panel.hot_page.residents.rowCount() == 1
    assert "of 10,000 tokens" in panel.hot_page.bar.text()
    assert registry["edit.undo"].text() == "&Undo Pin seed-0001"
    registry["edit.undo"].trigger()
    settled()
    settled()
    assert not panel.item_page.page.item.pinned
    assert not registry["memory.pin"].isChecked()
    registry["edit.redo"].trigger()
    settled()
    settled()
    assert panel.item_page.page.item.pinned


def test_an_item_is_edited_with_a_reason(
    panel: MemoryPanel,
    registry: ActionRegistry,
    settled: Callable[[], None],
    qtbot: QtBot,
) -> None:
    panel.open_item("seed-0002")
    settled()
    registry["memory.edit"].trigger()
    editor = panel.curation.editor
    editor.title.clear()
    assert not editor.buttons.buttons()[0].isEnabled()
    qtbot.keyClicks(editor.title, "Always pair EnQue and DeQue")
    qtbot.keyClicks(editor.reason, "shorter")
    editor.accept()
    settled()
    settled()
    assert panel.item_page.page.item.title == "Always pair EnQue and DeQue"
    assert "shorter" in _page_text(panel)


def test_an_archived_item_says_so_and_comes_back(
    panel: MemoryPanel, registry: ActionRegistry, settled: Callable[[], None]
) -> None:
    panel.open_item("seed-0003")
    settled()
    registry["memory.archive"].trigger()
    settled()
    settled()
    assert "Archived" in _page_text(panel)
    registry["memory.archive"].trigger()
    settled()
    settled()
    assert "Archived" not in _page_text(panel)


def test_a_row_of_hot_memory_leads_to_its_item(
    panel: MemoryPanel, registry: ActionRegistry, settled: Callable[[], None]
) -> None:
    panel.open_item("seed-0004")
    settled()
    registry["memory.promote"].trigger()
    settled()
    panel.open_item("seed-0001")
    settled()
    panel.hot_page.residents.itemActivated.emit(panel.hot_page.residents.item(0, 0))
    settled()
    assert panel.item_page.page.item.uid == "seed-0004"
    assert "GetBlockNum" in panel.hot_page.block.toPlainText()


def test_the_model_keeps_qts_rules(
    panel: MemoryPanel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(panel.model)


@pytest.mark.system
def test_thousands_of_items_scroll_page_by_page(
    panel: MemoryPanel, workspace: Path, settled: Callable[[], None], qtbot: QtBot
) -> None:
    with Workspace.open(workspace) as opened, opened.transaction():
        store = MemoryStore(opened)
        for number in range(3000):
            store.add_item(
                Experience(f"rule {number}", "api_misuse", "Math"), origin=Origin.MINED
            )
    panel.activate()
    settled()
    assert panel.model.rowCount() == 3006
    assert panel.model.fetched <= 2 * PAGE
    panel.table.scrollToBottom()
    panel.table.viewport().repaint()
    settled()
    assert panel.model.index(3005, ITEM).data() is not None
    started = time.thread_time()
    for place in range(0, panel.table.verticalScrollBar().maximum(), 4000):
        panel.table.verticalScrollBar().setValue(place)
        panel.table.viewport().repaint()
    frames = panel.table.verticalScrollBar().maximum() // 4000 + 1
    assert (time.thread_time() - started) / frames < 0.1
    settled()


def test_an_item_tells_which_lines_it_taught_and_leads_to_them(
    panel: MemoryPanel, settled: Callable[[], None]
) -> None:
    panel.open_item("seed-0001")
    settled()
    text = _page_text(panel)
    assert "AbsMath · round 3 · declared as adopted" in text
    assert "first correct kernel in round 3: 21.84 µs, modelled" in text
    assert (
        "Lines with its code: 2, of which 2 are still in the kernel of round 6." in text
    )
    opened: list[object] = []
    panel.item_page.line_opened.connect(opened.append)
    buttons = panel.item_page.taught.findChildren(QToolButton)
    first = next(
        button for button in buttons if button.text().startswith("abs_math.cpp:")
    )
    first.click()
    line = int(first.text().partition(":")[2])
    assert opened[0][1:] == (3, "op_kernel/abs_math.cpp", line)
    panel.open_item("seed-0006")
    settled()
    assert "No round declares that it used this." in _page_text(panel)
