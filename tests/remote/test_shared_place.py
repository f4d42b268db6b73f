"""A team's file on a host, behind a job server near and a real SSH server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import SageError
from core.exchange import shared_file
from core.memory.store import MemoryStore
from core.workspace import Workspace
from remote.hosts.detached import DetachedHost
from remote.hosts.shared_place import HostPlace, on_host
from sage_desktop.cli import main
from tests.core.memory.conftest import add
from tests.remote.machines import far, near
from tests.remote.sshd import ALIAS, Sshd

pytestmark = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)


@pytest.fixture(params=["local", "ssh"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostPlace]:
    base = tmp_path / "base"
    bench = (
        near(base)
        if request.param == "local"
        else far(base, request.getfixturevalue("sshd"))
    )
    (tmp_path / "shared").mkdir(mode=0o770)
    (tmp_path / "shared").chmod(0o770)
    made = HostPlace(
        DetachedHost("lab", "lab", bench.connection()), str(tmp_path / "shared")
    )
    yield made
    made.close()
    bench.end_all()


@pytest.mark.system
def test_a_file_on_a_host_is_read_and_replaced_by_who_knows_what_it_held(
    place: HostPlace, tmp_path: Path
) -> None:
    assert place.read() is None
    data = os.urandom(3 << 20)
    assert place.replace(data, "")
    assert not place.replace(b"other", "")
    assert place.read() == data
    assert place.replace(b"other", shared_file.digest(data))
    made = tmp_path / "shared" / "team.sage"
    assert (made.read_bytes(), oct(made.stat().st_mode & 0o777)) == (b"other", "0o660")
    assert [entry.name for entry in made.parent.iterdir()] == ["team.sage"]
    assert list((tmp_path / "base" / "jobs").iterdir()) == []


def test_a_folder_that_is_not_there_is_named(place: HostPlace, tmp_path: Path) -> None:
    place._path = str(tmp_path / "nowhere" / "team.sage")
    with pytest.raises(
        SageError, match=r"lab: there is no folder .*nowhere\. Check the path"
    ):
        place.read()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lab7:/data/team.sage", ("lab7", "/data/team.sage")),
        ("me@lab7:team.sage", ("me@lab7", "team.sage")),
        ("/data/team.sage", None),
        ("team.sage", None),
        ("./a:b", None),
        (r"C:\team.sage", None),
    ],
)
def test_what_names_a_host(text: str, found: tuple[str, str] | None) -> None:
    assert on_host(text) == found


@pytest.mark.system
def test_two_people_share_over_ssh_and_a_third_clones(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SAGE_SSH_CONFIG", str(sshd.config))
    (tmp_path / "shared").mkdir()
    team = f"{ALIAS}:{tmp_path}/shared"

    def sage(*arguments: object) -> str:
        result = CliRunner().invoke(
            main, ["memory", *(str(argument) for argument in arguments)]
        )
        assert result.exit_code == 0, result.output
        return result.stdout

    for name, first in (("ada", 1), ("ben", 3)):
        with Workspace.open(tmp_path / f"{name}.sage") as workspace:
            add(MemoryStore(workspace), 3, first)
    assert "share: 3 new" in sage(
        "sync", team, "--author", "ada", "--workspace", tmp_path / "ada.sage"
    )
    assert "receive: 2 new" in sage(
        "sync", team, "--author", "ben", "--workspace", tmp_path / "ben.sage"
    )
    assert sage("trust", "ben", "--workspace", tmp_path / "ada.sage") == "ben\n"
    assert "would share: 0 new" in sage(
        "sync", team, "--dry-run", "--workspace", tmp_path / "ada.sage"
    )
    assert sage("clone", team, "--workspace", tmp_path / "fay.sage").endswith(
        "5 items, 0 episodes\n"
    )
