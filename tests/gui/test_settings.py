"""The settings dialog and the start page: defaults of the paper, search, models that are really asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDoubleSpinBox, QPushButton, QSpinBox
from pytestqt.qtbot import QtBot

from core.method.parameters import MethodParameters
from core.models.endpoint import Endpoint
from sage_desktop.panels.preferences.dialog import SettingsDialog
from sage_desktop.panels.run.dialog import RunDialog
from sage_desktop.panels.start.panel import StartPage
from sage_desktop.services.models.check import ANY
from sage_desktop.services.models.profiles import profiles, save_profiles
from sage_desktop.services.run_setup import MANUAL
from sage_desktop.services.settings_table import (
    Value,
    limits,
    method_parameters,
    read,
    setting,
    settings,
)
from sage_desktop.ui import theme
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from tests.core.models.server import Server

Settled = Callable[[], None]


def _dialog(
    preferences: Preferences, operations: Operations, qtbot: QtBot, page: str
) -> SettingsDialog:
    made = SettingsDialog(preferences, operations, page)
    qtbot.addWidget(made)
    made.show()
    return made


def test_untouched_settings_are_the_paper_s(preferences: Preferences) -> None:
    assert method_parameters(preferences) == MethodParameters()
    assert all(
        entry.meaning and not re.search(r"\s{2}", entry.meaning) for entry in settings()
    )
    assert {entry.name for entry in settings() if entry.page == "method"} == set(
        MethodParameters.__dataclass_fields__
    )


def test_a_changed_parameter_is_kept_marked_and_reset(
    preferences: Preferences, operations: Operations, qtbot: QtBot
) -> None:
    dialog = _dialog(preferences, operations, qtbot, "method")
    row = dialog.rows["method/k"]
    assert isinstance(row.editor, QSpinBox)
    assert row.back.isHidden()
    row.editor.setValue(9)
    assert not row.back.isHidden()
    gamma = dialog.rows["method/gamma"].editor
    assert isinstance(gamma, QDoubleSpinBox)
    gamma.setValue(7.0)  # the paper needs gamma < 1
    assert gamma.value() < 1
    assert method_parameters(preferences).k == 9
    row.back.click()
    assert method_parameters(preferences).k == 5
    dialog.rows["method/workers"].set_value(3)
    assert method_parameters(preferences).workers == 3
    dialog.reset.click()
    assert method_parameters(preferences) == MethodParameters()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method/k", 9),
        ("method/gamma", 0.5),
        ("appearance/theme", "dark"),
        ("appearance/notify", False),
        ("appearance/editor", "code"),
    ],
)
def test_a_setting_that_is_set_is_announced_once(
    preferences: Preferences,
    operations: Operations,
    qtbot: QtBot,
    name: str,
    value: Value,
) -> None:
    dialog = _dialog(preferences, operations, qtbot, name.partition("/")[0])
    row = dialog.rows[name]
    announced: list[Value] = []
    row.changed.connect(lambda _entry, now: announced.append(now))
    row.set_value(value)
    assert announced == [value]
    assert row.value() == value


def test_words_find_settings_of_any_page(
    preferences: Preferences, operations: Operations, qtbot: QtBot
) -> None:
    dialog = _dialog(preferences, operations, qtbot, "appearance")
    dialog.search.setText("token run")
    dialog.search.changed.emit("token run")
    shown = [key for key, row in dialog.rows.items() if not row.isHidden()]
    assert shown == ["budget/run_tokens"]
    assert dialog.pages.currentItem().text() == "Limits"


def test_appearance_changes_at_once(
    preferences: Preferences, operations: Operations, look: theme.Theme, qtbot: QtBot
) -> None:
    dialog = _dialog(preferences, operations, qtbot, "appearance")
    dialog.rows["appearance/theme"].set_value("dark")
    assert theme.theme().dark
    before = look.px(2)
    dialog.rows["appearance/zoom"].set_value(5)
    assert look.px(2) > before


def test_a_spoiled_value_is_the_default(preferences: Preferences) -> None:
    preferences.set("method/k", "many")
    preferences.set("method/T", "0")
    preferences.set("method/goal", "squeeze")
    assert [
        read(preferences, setting(f"method/{name}")) for name in ("k", "T", "goal")
    ] == [5, 30, "fast"]


def test_a_model_is_added_tested_and_renamed(
    preferences: Preferences, operations: Operations, qtbot: QtBot, settled: Settled
) -> None:
    with Server() as server:
        dialog = _dialog(preferences, operations, qtbot, "models")
        page = dialog.models
        page.add.click()
        page.address.setText("no address")
        page.address.editingFinished.emit()
        assert "is not an HTTP address" in page.message.words.text()
        page.address.setText(server.url)
        page.test.click()
        settled()
        assert "✓ server: serves" in page.message.words.text()
        assert page.model.text() in page.message.words.text(), "the one it serves"
        page.name.setText("lab")
        page.name.editingFinished.emit()
        page.prices["price_output"].setValue(2.5)
    kept = profiles(preferences)
    assert list(kept) == ["lab"]
    assert kept["lab"].base_url == server.url
    assert kept["lab"].model not in ("", "*")
    assert kept["lab"].price_output == 2.5


def test_the_first_model_is_named_without_pressing_add(
    preferences: Preferences, operations: Operations, qtbot: QtBot
) -> None:
    dialog = _dialog(preferences, operations, qtbot, "models")
    page = dialog.models
    assert page.list.count() == 0
    page.address.editingFinished.emit()
    assert page.list.count() == 0, "nothing was typed yet"
    page.address.setText("http://npu-box:8000/v1")
    page.address.editingFinished.emit()
    page.model.setText("coder-7b")
    page.model.editingFinished.emit()
    (kept,) = profiles(preferences).values()
    assert (kept.base_url, kept.model) == ("http://npu-box:8000/v1", "coder-7b")
    assert page.address.text() == "http://npu-box:8000/v1"


def test_a_model_made_while_a_run_is_set_up_is_chosen_for_it(
    preferences: Preferences, qtbot: QtBot
) -> None:
    dialog = RunDialog(preferences, ())
    qtbot.addWidget(dialog)
    assert dialog.model.currentData() == MANUAL
    lab = Endpoint("http://npu-box:8000/v1", "coder-7b")
    save_profiles(preferences, {"lab": lab})
    dialog.fill_models()
    assert dialog.model.currentText() == "lab · coder-7b"
    save_profiles(preferences, {"lab": replace(lab, model=ANY)})
    dialog.fill_models()
    assert dialog.model.currentText() == "lab", "the server is asked what it serves"
    save_profiles(preferences, {"lab": lab})
    dialog.fill_models()
    save_profiles(preferences, {"office": lab})
    dialog.fill_models()
    assert dialog.model.currentText() == "office · coder-7b", "only renamed"
    dialog.model.setCurrentIndex(dialog.model.findData(MANUAL))
    save_profiles(preferences, {"desk": lab})
    dialog.fill_models()
    assert dialog.model.currentData() == MANUAL, "a person chose it"


def test_profiles_with_commas_and_unknown_fields_survive(
    preferences: Preferences, tmp_path: Path
) -> None:
    one = Endpoint("http://h/v1", "a, b", headers={"x": "1,2"})
    save_profiles(preferences, {"one, two": one})
    again = Preferences(tmp_path / "window.ini")
    assert profiles(again) == {"one, two": one}
    file = tmp_path / "models.json"
    file.write_text('{"new": {"base_url": "http://h", "model": "m", "later": 1}}')
    assert profiles(preferences) == {"new": Endpoint("http://h", "m")}, (
        "of a newer release"
    )
    file.write_text("not json")
    assert profiles(preferences) == {}
    save_profiles(preferences, {"one": one})
    assert (tmp_path / "models.json.spoiled").read_text() == "not json", (
        "nothing of the person's is lost"
    )
    assert profiles(preferences) == {"one": one}


def test_a_limit_of_cost_takes_the_prices_of_the_model(
    preferences: Preferences,
) -> None:
    preferences.set("budget/cost", "1.5")
    assert limits(preferences, (1.0, 0.0, 2.0)).cost == 1.5


def test_the_start_page_gives_the_commands_of_the_window(
    registry: ActionRegistry, preferences: Preferences, qtbot: QtBot
) -> None:
    page = StartPage(registry, preferences, lambda: True)
    qtbot.addWidget(page)
    done: list[str] = []
    buttons = {button.text(): button for button in page.findChildren(QPushButton)}
    assert not buttons["Add Host…"].isEnabled()
    registry.bind("file.add_host", lambda: done.append("file.add_host"))
    assert buttons["Add Host…"].isEnabled()
    buttons["Add Host…"].click()
    assert done == ["file.add_host"]
    page.again.setChecked(True)
    assert preferences.flag("start/always", default=False)
    with qtbot.waitSignal(page.models_wanted):
        buttons["Models…"].click()


@pytest.mark.parametrize("is_replay", [True, False])
def test_the_start_page_runs_the_demonstration_only_where_it_is_open(
    registry: ActionRegistry, preferences: Preferences, qtbot: QtBot, *, is_replay: bool
) -> None:
    page = StartPage(registry, preferences, lambda: is_replay)
    qtbot.addWidget(page)
    page.activate()
    offered = {
        button.text()
        for button in page.findChildren(QPushButton)
        if not button.isHidden()
    }
    assert ("Run the Queue" in offered) is is_replay
    assert ("Open the Demonstration" in offered) is not is_replay
