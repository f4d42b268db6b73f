"""A second start on a workspace brings the open window to the front; settings follow the data folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sage_desktop import app as program
from sage_desktop.services import places
from sage_desktop.services.models.choice import profiles_file
from sage_desktop.shell.opening import one_window
from sage_desktop.shell.opening.one_window import OneWindow, raise_open_window
from sage_desktop.ui.preferences import Preferences


@pytest.fixture(autouse=True)
def short_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Stands for the temporary folder of the machine."""
    folder = tmp_path_factory.mktemp("s")
    monkeypatch.setattr(one_window.tempfile, "gettempdir", lambda: str(folder))
    return folder


@pytest.fixture
def door(tmp_path: Path, qtbot: QtBot) -> Iterator[OneWindow]:
    made = OneWindow(tmp_path / "run.sage")
    yield made
    made.close()


def _start_again(argv: list[str]) -> tuple[threading.Thread, list[int | bool]]:
    """A second start, beside the window's thread."""
    answers: list[int | bool] = []
    asking = threading.Thread(target=lambda: answers.append(program.main(argv)))
    asking.start()
    return asking, answers


def test_a_second_start_on_the_same_workspace_raises_the_open_window(
    door: OneWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(door.wanted, timeout=10_000):
        asking, answers = _start_again(
            ["--workspace", str(tmp_path / "." / "run.sage")]
        )
    asking.join(10)
    assert answers == [0]


def test_another_workspace_or_a_closed_window_is_opened_as_ever(
    door: OneWindow, tmp_path: Path, qapp: QApplication
) -> None:
    assert not raise_open_window(tmp_path / "other.sage")
    door.close()
    assert not raise_open_window(tmp_path / "run.sage")
    killed = OneWindow(tmp_path / "run.sage")
    killed._listener.close()  # as after kill -9: the file stays, nobody listens
    assert not raise_open_window(tmp_path / "run.sage")
    again = OneWindow(tmp_path / "run.sage")
    assert again._listener is not None
    again.close()


def _no_folder() -> str:
    raise FileNotFoundError(2, "No usable temporary directory found")


@pytest.mark.parametrize(
    "obstacle", ["file", "dangling link", "link to a folder", "no temporary folder"]
)
def test_where_no_socket_can_lie_the_window_opens_without_one(
    obstacle: str,
    short_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qapp: QApplication,
) -> None:
    place, other = short_folder / f"sage-desktop-{os.getuid()}", tmp_path / "other"
    other.mkdir()
    if obstacle == "file":
        place.touch()
    elif obstacle == "no temporary folder":
        monkeypatch.setattr(one_window.tempfile, "gettempdir", _no_folder)
    else:
        place.symlink_to(other if "folder" in obstacle else tmp_path / "gone")
    door = OneWindow(tmp_path / "run.sage")
    assert not raise_open_window(tmp_path / "run.sage")
    door.close()
    assert not list(other.iterdir()), "somebody else's folder was written to"


def test_the_folder_of_the_sockets_is_closed_to_others(
    short_folder: Path, tmp_path: Path, qapp: QApplication
) -> None:
    place = short_folder / f"sage-desktop-{os.getuid()}"
    place.mkdir()
    place.chmod(0o777)
    door = OneWindow(tmp_path / "run.sage")
    assert place.stat().st_mode & 0o777 == 0o700
    assert len(list(place.iterdir())) == 1
    door.close()


def test_a_second_window_leaves_the_socket_of_the_first_alone(
    door: OneWindow, short_folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    def sockets() -> list[int]:
        return [path.lstat().st_ino for path in short_folder.glob("*/*")]

    before = sockets()
    second = OneWindow(tmp_path / "run.sage")
    assert sockets() == before
    second.close()
    assert sockets() == before
    with qtbot.waitSignal(door.wanted, timeout=10_000):
        asking, answers = _start_again(["--workspace", str(tmp_path / "run.sage")])
    asking.join(10)
    assert answers == [0]


def test_the_last_window_that_closes_leaves_nothing_in_the_temporary_folder(
    door: OneWindow, short_folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    killed = OneWindow(tmp_path / "killed.sage")
    killed._listener.close()  # as after kill -9: the file stays, nobody listens
    last = OneWindow(tmp_path / "last.sage")
    door.close()
    with qtbot.waitSignal(last.wanted, timeout=10_000):
        asking, _answers = _start_again(["--workspace", str(tmp_path / "last.sage")])
    asking.join(10)
    last.close()
    assert not list(short_folder.iterdir())


def test_a_window_removes_no_socket_but_its_own(
    door: OneWindow, short_folder: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    (mine,) = short_folder.glob("*/*")
    mine.rename(
        mine.with_name("aside")
    )  # a cleaner of temporary folders took it; another window came
    other = OneWindow(tmp_path / "run.sage")
    door.close()
    assert mine.is_socket()
    other.close()
    assert not mine.exists()


def test_settings_and_models_lie_where_the_data_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAGE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "trial"))
    Preferences().set("appearance/language", "zh_CN")
    assert Preferences().folder == tmp_path / "trial"
    assert profiles_file() == tmp_path / "trial" / "models.json"
    monkeypatch.setenv("SAGE_CONFIG_DIR", str(tmp_path / "own"))
    assert places.config_dir() == Preferences().folder == tmp_path / "own"


def test_settings_from_before_come_along_once_to_a_data_folder_that_was_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAGE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("SAGE_DATA_DIR", raising=False)
    old = places.config_dir()
    for name in ("window.ini", "models.json"):
        (old / name).write_text("of before")
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    assert not list(places.config_dir().iterdir()), "a new one begins with nothing"
    (tmp_path / "data" / "demo.sage").touch()
    for name in ("window.ini", "models.json"):
        copied = places.config_dir() / name
        assert copied.read_text() == "of before"
        assert copied.stat().st_mode & 0o077 == 0
    (tmp_path / "data" / "models.json").unlink()
    places.config_dir()
    assert not (tmp_path / "data" / "models.json").exists(), (
        "what was taken away since stays away"
    )
    assert (old / "models.json").read_text() == "of before"
