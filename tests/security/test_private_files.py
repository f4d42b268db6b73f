"""What we make is for its owner alone, also when it was wider before; what the user made stays as it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from core import bundle
from core.models.endpoint import Endpoint
from core.models.profiles import read_profiles, write_profiles
from core.private import process_folder
from core.workspace import EngineLock, Workspace
from remote.hosts.registry import HostRegistry
from sage_desktop.cli import main
from sage_desktop.services import bug_report, wiring
from tests.gui import sample_workspace


@pytest.fixture(autouse=True)
def _wide_umask() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_workspace_is_private_with_everything_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "w.sage"
    with Workspace.open(path) as workspace:
        lock = EngineLock(workspace)
        assert lock.try_acquire()
        workspace.put_text("x")
        assert {mode(file) for file in path.parent.iterdir()} == {0o600}
        assert len(list(path.parent.iterdir())) >= 3
        lock.release()
    assert mode(path.parent) == 0o700


def test_a_wider_workspace_is_tightened_but_not_the_folder_of_the_user(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w.sage"
    Workspace.open(path).close()
    path.chmod(0o644)
    tmp_path.chmod(0o755)
    with Workspace.open_readonly(path):
        pass
    assert mode(path) == 0o644  # who only reads changes nothing
    Workspace.open(path).close()
    assert (mode(path), mode(tmp_path)) == (0o600, 0o755)


def test_our_own_folders_are_tightened_and_named_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, variable, folder in (
        ("DATA", "XDG_DATA_HOME", wiring.data_dir),
        ("CACHE", "XDG_CACHE_HOME", wiring.cache_dir),
    ):
        monkeypatch.delenv(f"SAGE_{name}_DIR", raising=False)
        monkeypatch.setenv(variable, str(tmp_path / name))
        assert mode(folder()) == 0o700
        folder().chmod(0o755)
        assert mode(folder()) == 0o700
        theirs = tmp_path / f"theirs-{name}"
        theirs.mkdir(mode=0o755)
        monkeypatch.setenv(f"SAGE_{name}_DIR", str(theirs))
        assert (folder(), mode(theirs)) == (theirs, 0o755)
        monkeypatch.setenv(f"SAGE_{name}_DIR", str(tmp_path / f"made-{name}"))
        assert mode(folder()) == 0o700


def test_hosts_and_profiles_are_private(tmp_path: Path) -> None:
    registry = HostRegistry(tmp_path)
    registry.change("lab7", python="/opt/python")
    registry.trust("lab7", "ssh-ed25519", "AAAA")
    registry.quarantined("lab7").put("npu3", "broken")
    write_profiles(tmp_path / "models.json", {"a": Endpoint("http://h/v1", "m")})
    assert {mode(file) for file in tmp_path.iterdir()} == {0o600}
    for file in tmp_path.iterdir():
        file.chmod(0o644)
    assert registry.settings()["lab7"].python == "/opt/python"
    assert "a" in read_profiles(tmp_path / "models.json")
    assert (mode(tmp_path / "hosts.toml"), mode(tmp_path / "models.json")) == (
        0o600,
        0o600,
    )


def test_what_came_with_a_bundle_is_private(tmp_path: Path) -> None:
    whole = sample_workspace.build(tmp_path / "w.sage")
    made = bundle.export_run(whole, tmp_path / "run.zip")
    bundle.unpack(made, tmp_path / "came")
    assert mode(tmp_path / "came") == 0o700
    assert mode(tmp_path / "came" / "run.sage") & 0o077 == 0


def test_a_bug_is_reported_from_a_bare_checkout_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def not_installed(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_installed)
    assert bug_report.report_of(ValueError("no")).startswith(
        "SAGE Desktop development\n"
    )


def test_a_report_of_a_bug_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("LAB_API_KEY", "sk-verysecretindeed")
    path = bug_report.save_report(
        bug_report.report_of(ValueError("it said sk-verysecretindeed"))
    )
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert "sk-verysecretindeed" not in path.read_text()


def test_a_bug_is_one_line_a_file_and_an_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))

    def fails(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("core.replay.session_file.parse_session", fails)
    (tmp_path / "s.jsonl").write_text("{}\n")
    result = CliRunner().invoke(main, ["session", "replay", str(tmp_path / "s.jsonl")])
    assert result.exit_code == 70
    assert result.output.count("\n") == 1
    saved = next((tmp_path / "data" / "reports").iterdir())
    assert str(saved) in result.output
    assert "ZeroDivisionError: a bug" in saved.read_text()


def test_what_a_killed_process_left_is_removed_a_day_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command = (
        "import os; from core.private import process_folder; "
        "print(process_folder('preflight'), flush=True); os.kill(os.getpid(), 9)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", command],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    left, other = Path(ended.stdout.strip()), tmp_path / "sage-preflight-work"
    other.mkdir()
    (left / "draft").write_text("half")
    ours = process_folder("preflight")
    assert left.is_dir(), "not before a day has passed"
    for folder in (left, other, ours):
        os.utime(folder, (0, 0))
    second = process_folder("preflight")
    assert sorted(tmp_path.iterdir()) == sorted([ours, other, second])
    assert stat.S_IMODE(second.stat().st_mode) == 0o700
