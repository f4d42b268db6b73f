"""`sage headers …` as a person types it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sage_desktop.cli import main
from tests.own_kernels import KERNELS, few_cases
from tests.remote.headers.stand_in import INSTALLED, VERSION, kept_stand_in
from tests.remote.test_far_demo import rounds
from tests.scripted_session import played, two_played


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The application's, empty."""
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    return tmp_path


def sage(*arguments: str, code: int = 0, group: str = "headers") -> Result:
    result = CliRunner().invoke(main, [group, *arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.usefixtures("data_folder")
def test_headers_are_added_listed_and_removed() -> None:
    assert "not checked against CANN" in sage("list").stdout
    assert f"headers of CANN {VERSION}: added" in sage("add", str(INSTALLED)).stdout
    assert "here already" in sage("add", str(INSTALLED)).stdout
    assert sage("list").stdout.splitlines()[-1].startswith(VERSION)
    assert sage("remove", VERSION).stdout == f"headers of CANN {VERSION} removed\n"
    assert "not checked against CANN" in sage("list").stdout


def test_what_is_no_cann_and_what_is_not_there_are_named(data_folder: Path) -> None:
    said = sage("add", str(data_folder), code=2).stderr
    assert f"no CANN is in {data_folder}" in said
    assert "no CANN is in" in sage("add", str(data_folder / "none"), code=2).stderr
    assert "Added: none." in sage("remove", "8.1", code=2).stderr


@pytest.mark.system
def test_an_evaluation_and_what_a_model_is_told_say_that_they_were_asked(
    data_folder: Path,
) -> None:
    kept_stand_in(data_folder / "headers")
    said = f"accepted by the headers of CANN {VERSION}"
    kernel = [
        "--operator",
        few_cases(data_folder),
        "--candidate",
        str(KERNELS / "AbsMath"),
    ]
    assert f"\n\n{said}\n" in sage(*kernel, group="evaluate").stdout
    told = sage(*kernel, "--feedback", group="evaluate").stdout
    assert f"Build: {said}\n" in told


@pytest.mark.system
def test_a_replay_is_judged_as_it_was_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command, undisturbed, _ = two_played()
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    kept_stand_in(tmp_path / "headers")  # they lack most of what the kernels call
    again, _ = played(command, tmp_path / "again.sage")
    assert rounds(again) == rounds(undisturbed)
