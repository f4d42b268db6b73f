"""`sage api` and `sage references`: the model's look-up, for a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sage_desktop.cli import main


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))


def sage(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_a_name_and_words_are_looked_up() -> None:
    by_name, by_words = sage("api", "DataCopyPad"), sage("api", "prefix", "sum")
    assert by_name.exit_code == by_words.exit_code == 0
    assert "void DataCopyPad(const LocalTensor<T>& dst" in by_name.output
    assert "### CumSum" in by_words.output


def test_nothing_found_is_an_exit_code() -> None:
    assert sage("api", "zzqqxx").exit_code == 1


def test_nothing_asked_is_a_mistake_and_no_answer() -> None:
    refused = sage("api", "")
    assert refused.exit_code == 2
    assert "Name what to look up" in refused.stderr


def test_a_folder_is_added_listed_found_and_removed(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "Gizmo.md").write_text(
        "# Gizmo\n\nTurns about by itself \x1b[31m now.\n", encoding="utf-8"
    )
    added = sage("references", "add", str(docs))
    assert "1 files, 1 sections, 1 read" in added.output
    before = sage("references", "list").output
    assert "digest: " in before
    found = sage("api", "Gizmo").output
    assert "*docs/Gizmo.md*" in found
    assert sage("references", "remove", str(docs)).exit_code == 0
    assert sage("references", "list").output != before
    assert sage("api", "Gizmo").exit_code == 1
    assert sage("references", "remove", str(docs)).exit_code == 2
