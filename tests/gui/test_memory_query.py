"""Finding items: query words, counts, marks, tags, saved filters, columns, CSV, near-duplicates."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from core.memory.records import Experience, ItemState, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace
from sage_desktop.panels.memory.item_model import (
    DENSITY,
    FREQUENCY,
    OPERATORS,
    TOKENS,
    marks,
)
from sage_desktop.panels.memory.panel import MemoryPanel
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.theme import theme


@pytest.fixture
def find(
    memory_panel: MemoryPanel, settled: Callable[[], None], qtbot: QtBot
) -> Callable[[str], list[str]]:
    """Type into the search field and answer what is listed then."""

    def search(text: str) -> list[str]:
        if text == memory_panel.search.text():
            memory_panel.left.refilter()
        else:
            with qtbot.waitSignal(memory_panel.search.changed):
                memory_panel.search.setText(text)
        settled()
        settled()
        return _uids(memory_panel)

    return search


def _uids(panel: MemoryPanel) -> list[str]:
    return [panel.model.item(row).uid for row in range(panel.model.rowCount())]


def _entry(menu: QMenu, title: str) -> None:
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == title).trigger()


def test_query_words_narrow_the_table_and_the_count_tells_of_how_many(
    memory_panel: MemoryPanel, find: Callable[[str], list[str]]
) -> None:
    assert memory_panel.left.bar.count.text() == "6 of 6 items"
    assert find("type:optim adopted:>0") == ["seed-0003", "seed-0004"]
    assert memory_panel.left.bar.count.text() == "2 of 6 items"
    assert [memory_panel.facets["type"].itemText(n) for n in range(1, 2)] == [
        "Algorithmic optimization  2"
    ]
    assert find("operator:abs category:tiling") == ["seed-0004"]
    assert memory_panel.left.fault.isHidden()
    assert len(find("utility:high")) == 6
    assert (
        memory_panel.left.fault.text()
        == "utility:high: a number is needed, for example >0"
    )


def test_what_was_searched_for_is_marked(
    memory_panel: MemoryPanel, find: Callable[[str], list[str]], qtbot: QtBot
) -> None:
    assert marks("DataCopy copies data", ("data",)) == [(0, 4), (16, 20)]
    mark = theme().tint("warning", 0.35).rgb()

    def marked() -> int:
        area = memory_panel.table.visualRect(memory_panel.model.index(0, 0))
        picture = memory_panel.table.viewport().grab(area).toImage()
        row = range(picture.height() // 5, picture.height() // 2, 2)
        return sum(
            picture.pixel(x, y) == mark for y in row for x in range(picture.width())
        )

    assert find("uid:seed-0001") == ["seed-0001"]
    assert marked() == 0
    assert find("whole blocks") == ["seed-0001"]
    assert marked() > 100


def test_tags_are_given_to_several_items_shown_and_found(
    memory_panel: MemoryPanel,
    registry: ActionRegistry,
    find: Callable[[str], list[str]],
    settled: Callable[[], None],
) -> None:
    find("type:optim")
    memory_panel.table.selectAll()
    registry["memory.tag"].trigger()
    settled()
    question = memory_panel.curation.question
    question.textValueSelected.emit("fast #Tile")
    question.close()
    settled()
    settled()
    assert registry["edit.undo"].text() == "&Undo Tag 2 items"
    assert find("tag:tile") == ["seed-0003", "seed-0004"]
    assert memory_panel.model.item(0).tags == ("fast", "tile")
    memory_panel.left.select(0)
    registry["memory.tag"].trigger()
    settled()
    question = memory_panel.curation.question
    assert question.textValue() == "fast tile"
    assert "In use: fast tile" in question.labelText()
    question.textValueSelected.emit("tile")
    question.close()
    settled()
    settled()
    assert find("tag:fast") == ["seed-0004"]
    registry["edit.undo"].trigger()
    settled()
    settled()
    assert find("tag:fast") == ["seed-0003", "seed-0004"]


def test_a_filter_is_saved_applied_and_removed(
    memory_panel: MemoryPanel,
    find: Callable[[str], list[str]],
    settled: Callable[[], None],
) -> None:
    bar, box = memory_panel.left.bar, memory_panel.facets["type"]
    box.setCurrentIndex(box.findData("algorithmic_optimization"))
    box.activated.emit(box.currentIndex())
    assert find("utility:<0 buffers") == ["seed-0003"]
    _entry(bar.saved_menu, "Save This Filter…")
    bar.question.textValueSelected.emit("A & B")
    bar.question.close()
    box.setCurrentIndex(0)
    assert len(find("")) == 6
    _entry(bar.saved_menu, "A && B")
    settled()
    settled()
    assert _uids(memory_panel) == ["seed-0003"]
    assert memory_panel.search.text() == "utility:<0 buffers"
    bar.saved_menu.aboutToShow.emit()
    removing = bar.saved_menu.actions()[-1].menu()
    removing.actions()[0].trigger()
    assert bar.filters() == {}


def test_columns_are_chosen_and_remembered(memory_panel: MemoryPanel) -> None:
    table, bar = memory_panel.table, memory_panel.left.bar
    assert table.isColumnHidden(TOKENS)
    _entry(bar.columns_menu, "Tokens")
    assert not table.isColumnHidden(TOKENS)
    _entry(bar.columns_menu, "Operators")
    hidden = [
        column
        for column in (OPERATORS, FREQUENCY, DENSITY, TOKENS)
        if table.isColumnHidden(column)
    ]
    memory_panel.resize(500, 700)  # what was chosen stays, however narrow it is
    assert [
        column
        for column in (OPERATORS, FREQUENCY, DENSITY, TOKENS)
        if table.isColumnHidden(column)
    ] == hidden
    assert TOKENS not in hidden
    _entry(bar.columns_menu, "What Fits")
    assert table.isColumnHidden(TOKENS)


def test_the_listed_items_are_written_as_csv(
    memory_panel: MemoryPanel,
    registry: ActionRegistry,
    workspace: Path,
    find: Callable[[str], list[str]],
    settled: Callable[[], None],
    tmp_path: Path,
) -> None:
    with Workspace.open(workspace) as opened:
        odd = Experience("=HYPERLINK(1)", "api_misuse", "Queues")
        MemoryStore(opened).add_item(
            odd, origin=Origin.USER, uid="odd", state=ItemState.ACTIVE
        )
    memory_panel.activate()
    listed = find("-type:optim")
    registry["memory.csv"].trigger()
    exporting = memory_panel.curation.exporting
    exporting.fileSelected.emit(str(tmp_path / "items.csv"))
    exporting.close()
    settled()
    rows = list(
        csv.DictReader(
            (tmp_path / "items.csv").read_text(encoding="utf-8").splitlines()
        )
    )
    assert [row["uid"] for row in rows] == listed
    assert next(row["title"] for row in rows if row["uid"] == "odd") == "'=HYPERLINK(1)"


def test_near_duplicates_are_offered_and_joined_one_by_one(
    memory_panel: MemoryPanel,
    registry: ActionRegistry,
    workspace: Path,
    settled: Callable[[], None],
) -> None:
    with Workspace.open(workspace) as opened:
        store = MemoryStore(opened)
        again = store.item("seed-0002").experience
        store.add_item(
            replace(again, summary="Again."), origin=Origin.USER, uid="twin-1"
        )
    registry["memory.duplicates"].trigger()
    settled()
    dialog = memory_panel.curation.duplicates
    assert dialog.table.rowCount() == 1
    assert dialog.table.item(0, 0).text().startswith("seed-0002")
    assert dialog.table.item(0, 1).text().startswith("twin-1")
    dialog.compare.click()
    settled()
    memory_panel.curation.dialog.reject()
    dialog.main_button.click()
    settled()
    settled()
    assert dialog.table.rowCount() == 0
    assert "alike" in dialog.message.words.text()
    dialog.reject()
    with Workspace.open_readonly(workspace) as opened:
        assert MemoryStore(opened).item("twin-1").state is ItemState.ARCHIVED
    assert registry["edit.undo"].text() == "&Undo Join seed-0002"
