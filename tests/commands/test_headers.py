"""`sage headers …` as a person types it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sage_desktop.cli import main
from tests.remote.headers.stand_in import INSTALLED, VERSION


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))


def sage(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["headers", *arguments])
    assert result.exit_code == code, result.output
    return result


def test_headers_are_added_listed_and_removed() -> None:
    assert "not checked against CANN" in sage("list").stdout
    assert f"headers of CANN {VERSION}: added" in sage("add", str(INSTALLED)).stdout
    assert "here already" in sage("add", str(INSTALLED)).stdout
    assert sage("list").stdout.splitlines()[-1].startswith(VERSION)
    assert sage("remove", VERSION).stdout == f"headers of CANN {VERSION} removed\n"
    assert "not checked against CANN" in sage("list").stdout


def test_what_is_no_cann_and_what_is_not_there_are_named(tmp_path: Path) -> None:
    said = sage("add", str(tmp_path), code=2).stderr
    assert f"no CANN is in {tmp_path}" in said
    assert "no CANN is in" in sage("add", str(tmp_path / "none"), code=2).stderr
    assert "Added: none." in sage("remove", "8.1", code=2).stderr
