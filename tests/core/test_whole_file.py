"""What a person saves is written whole or not at all, and what was there stays until it is."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import SageError
from core.exchange.bank_files import write_bank
from core.memory.store import MemoryStore
from core.memory.views.csv_file import write_table
from core.memory.views.rows import ItemSort, TableFilter
from core.whole_file import write_text
from core.workspace import Workspace
from tests.scenario import add_items

SMALL = 4096  # bytes a file may have on the full disk


@contextmanager
def full_disk() -> Iterator[None]:
    """A limit on the size of files stands for a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "run.sage") as workspace:
        add_items(MemoryStore(workspace), 40)
        yield workspace


def _write_text(_workspace: Workspace, path: Path) -> object:
    return write_text(path, "x" * 2 * SMALL)


@pytest.mark.parametrize("form", ["jsonl", "paper"])
def test_an_export_does_not_take_the_place_of_a_workspace(
    form: str, opened: Workspace, tmp_path: Path
) -> None:
    other = opened.backup(tmp_path / "other.sage").read_bytes()
    with pytest.raises(
        SageError, match=r"other\.sage is a database, such as a workspace"
    ):
        write_bank(opened, tmp_path / "other.sage", form, replace=True)
    for path in (tmp_path / "other.sage", opened.path):
        with pytest.raises(SageError, match="is a database, such as a workspace"):
            write_table(opened.db, TableFilter(), ItemSort.ID, path, descending=False)
    assert (tmp_path / "other.sage").read_bytes() == other
    assert len(MemoryStore(opened).items()) == 40


WRITERS: dict[str, Callable[[Workspace, Path], object]] = {
    "text": _write_text,
    "export": lambda workspace, path: write_bank(
        workspace, path, "jsonl", replace=True
    ),
    "export as a workspace": lambda workspace, path: write_bank(
        workspace, path, "sqlite", replace=True
    ),
    "backup": lambda workspace, path: workspace.backup(path, replace=True),
    "item table": lambda workspace, path: write_table(
        workspace.db, TableFilter(), ItemSort.ID, path, descending=False
    ),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_the_old_file_stays_when_the_disk_is_full_and_is_replaced_when_not(
    writer: str, opened: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "kept.jsonl"
    target.write_text("the old one")
    target.chmod(0o600)
    with full_disk(), pytest.raises(SageError, match=r"kept\.jsonl") as refused:
        WRITERS[writer](opened, target)
    assert any(word in str(refused.value) for word in ("too large", "full", "I/O")), (
        "it names the reason"
    )
    assert target.read_text() == "the old one"
    assert [path.name for path in folder.iterdir()] == ["kept.jsonl"]
    WRITERS[writer](opened, target)
    assert target.stat().st_size > SMALL
    assert target.stat().st_mode & 0o777 == 0o600, "who may read it is as before"
    assert [path.name for path in folder.iterdir()] == ["kept.jsonl"]


@pytest.mark.parametrize("writer", ["export", "export as a workspace", "backup"])
@pytest.mark.parametrize("link", [False, True])
def test_an_open_workspace_is_never_replaced_by_its_copy(
    writer: str, link: bool, opened: Workspace, tmp_path: Path
) -> None:
    target = tmp_path / "link.sage" if link else opened.path
    if link:
        target.symlink_to(opened.path)
    before = opened.path.stat().st_ino
    with pytest.raises(SageError, match="the workspace itself"):
        WRITERS[writer](opened, target)
    assert opened.path.stat().st_ino == before


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", ["folder", "n" * 300, "gone/file"])
def test_a_name_that_cannot_be_written_is_told_with_its_reason(
    writer: str, name: str, opened: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SageError, match=r"directory|too long|no folder") as refused:
        WRITERS[writer](opened, tmp_path / name)
    assert name.partition("/")[0] in str(refused.value)


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    file, link = tmp_path / "file.txt", tmp_path / "link.txt"
    file.write_text("old")
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
