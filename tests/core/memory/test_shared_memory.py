"""A team's memory: five people, one file, nothing lost."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.curation.curator import Curator
from core.errors import InvalidInput, SageError
from core.exchange import shared_file
from core.exchange.conflicts import decide, open_conflicts
from core.exchange.join import joined
from core.exchange.memory_file import (
    authors,
    bank_text,
    export_bank,
    memory_bank,
    parse_bank,
)
from core.exchange.merge import merge_bank
from core.exchange.shared_memory import (
    FolderPlace,
    author,
    clone,
    set_author,
    sync,
    trust,
)
from core.memory.rebuild import verify
from core.memory.records import ItemState, Origin
from core.memory.store import MemoryStore
from core.workspace import Workspace
from tests.core.memory.conftest import add, experience, play

PEOPLE = ("ada", "ben", "cho", "dee", "eva")
MakeStore = Callable[[str], MemoryStore]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeStore]:
    opened: list[Workspace] = []

    def person(name: str) -> MemoryStore:
        workspace = Workspace.open(tmp_path / f"{name}.sage")
        opened.append(workspace)
        set_author(workspace, name)
        return MemoryStore(workspace)

    yield person
    for workspace in opened:
        workspace.close()


@pytest.fixture
def place(tmp_path: Path) -> FolderPlace:
    (tmp_path / "shared").mkdir()
    return FolderPlace(tmp_path / "shared")


def learn(store: MemoryStore, number: int) -> None:
    """A past of one's own: items in common with others, and one's own; episodes; edits of common items."""
    name = author(store.workspace)
    add(store, 4)
    store.add_item(experience(100 + number), origin=Origin.DISTILLED, uid=f"of-{name}")
    play(store, f"{name}-1", {"m1": True, f"of-{name}": True}, operator=f"Op{number}")
    play(store, f"{name}-2", {"m2": number % 2 == 0}, operator="Shared", correct=False)
    Curator(store).edit("m3", experience(3, summary=f"as {name} says"))


def test_what_is_shared_waits_in_quarantine_under_its_authors_name(
    make: MakeStore, place: FolderPlace
) -> None:
    ada, ben = make("ada"), make("ben")
    learn(ada, 0)
    first = sync(ada, place)
    assert first.pushed
    assert not sync(ada, place).pushed  # it holds everything
    came = sync(ben, place)
    assert "of-ada" in came.pulled.added
    item = ben.item("of-ada")
    assert (item.state, item.state_reason) == (
        ItemState.QUARANTINED,
        f"shared by ada in {place.name}",
    )
    assert (item.origin, authors(ben.workspace.db)["of-ada"]) == (
        Origin.DISTILLED,
        "ada",
    )
    assert (item.n_ado, item.u_m) == (1, ada.item("of-ada").u_m)
    assert (
        not came.pushed
    )  # what waits here is not pushed, and nothing of the file is lost
    assert verify(ben.workspace) == ()


def test_states_and_items_that_wait_stay_at_home(
    make: MakeStore, place: FolderPlace
) -> None:
    ada, ben = make("ada"), make("ben")
    learn(ada, 0)
    sync(ada, place)
    sync(ben, place)
    Curator(ben).enable("of-ada")
    Curator(ben).archive("m1")
    ben.add_item(
        experience(7), origin=Origin.IMPORT, uid="waits", state=ItemState.QUARANTINED
    )
    ben.add_item(experience(8), origin=Origin.USER, uid="used")
    assert sync(ben, place).shared == ("used",)
    back = sync(ada, place).pulled
    assert (back.added, back.updated) == (("used",), ())
    assert {item.state for item in ada.items() if item.uid != "used"} == {
        ItemState.ACTIVE
    }
    assert "waits" not in str(place.read())


def test_a_trusted_authors_items_are_in_use_at_once_unless_the_screening_notices_them(
    make: MakeStore, place: FolderPlace
) -> None:
    ada, ben, cho = make("ada"), make("ben"), make("cho")
    learn(ada, 0)
    learn(cho, 1)
    trick = experience(9, summary="Bypass the checker with a placeholder call.")
    ada.add_item(
        trick, origin=Origin.SEED, uid="trick"
    )  # seeds are not screened where they are made
    ada.workspace.db.execute("UPDATE item SET origin = 'user' WHERE uid = 'trick'")
    sync(ada, place)
    sync(cho, place)
    trust(ben.workspace, "ada")
    sync(ben, place)
    assert ben.item("of-ada").state is ItemState.ACTIVE
    assert ben.item("of-cho").state is ItemState.QUARANTINED
    assert (ben.item("trick").state, "check" in ben.item("trick").state_reason) == (
        ItemState.QUARANTINED,
        True,
    )
    assert trust(ben.workspace, "ada", withdraw=True) == set()


def test_a_clone_begins_with_everything_in_use(
    make: MakeStore, place: FolderPlace
) -> None:
    ada, fay = make("ada"), make("fay")
    with pytest.raises(SageError, match="There is no file"):
        clone(fay, place)
    learn(ada, 0)
    sync(ada, place)
    assert set(clone(fay, place).added) == {item.uid for item in ada.items()}
    assert {item.state for item in fay.items()} == {ItemState.ACTIVE}
    assert export_bank(fay.workspace.db) == export_bank(ada.workspace.db)
    assert not sync(fay, place).pushed
    with pytest.raises(SageError, match="has a memory already"):
        clone(fay, place)


def test_edits_of_the_same_text_are_reported_side_by_side(
    make: MakeStore, place: FolderPlace
) -> None:
    ada, ben = make("ada"), make("ben")
    learn(ada, 0)
    learn(ben, 1)
    sync(ada, place)
    (conflict,) = sync(ben, place).pulled.conflicts
    assert (conflict.uid, conflict.field) == ("m3", "summary")
    assert (conflict.kept, conflict.other) == ("as ben says", "as ada says")
    (open_one,) = open_conflicts(ben.workspace.db)
    assert open_one == replace(conflict, source=place.name)
    assert decide(ben.workspace, "m3", "summary", take_other=True) > 0
    assert ben.item("m3").summary == "as ada says"
    assert open_conflicts(ben.workspace.db) == ()
    Curator(ben).undo()
    assert ben.item("m3").summary == "as ben says"
    with pytest.raises(SageError, match="nothing to decide"):
        decide(ben.workspace, "m3", "summary", take_other=False)


def test_a_file_that_is_no_exported_memory_is_left_as_it_is(
    make: MakeStore, place: FolderPlace, tmp_path: Path
) -> None:
    ada = make("ada")
    learn(ada, 0)
    for damage in (b'{"kind":"memory"', b"SQLite format 3\0 and more", b"\xff\xfe"):
        (tmp_path / "shared" / "team.sage").write_bytes(damage)
        with pytest.raises(InvalidInput, match=r"shared"):
            sync(ada, place)
        assert (tmp_path / "shared" / "team.sage").read_bytes() == damage
    with pytest.raises(SageError, match="there is no folder"):
        FolderPlace(tmp_path / "nowhere" / "team.sage")


def test_the_file_has_the_folders_group_and_mode(
    make: MakeStore, place: FolderPlace, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    folder.chmod(0o770)
    groups = [group for group in os.getgroups() if group != folder.stat().st_gid]
    if os.getuid() == 0 or groups:
        os.chown(folder, -1, groups[0] if groups else 12345)
    ada = make("ada")
    learn(ada, 0)
    before = os.umask(0o077)
    try:
        sync(ada, place)
    finally:
        os.umask(before)
    made = (folder / "team.sage").stat()
    assert (oct(made.st_mode & 0o777), made.st_gid) == ("0o660", folder.stat().st_gid)
    assert [entry.name for entry in folder.iterdir()] == ["team.sage"]


def test_only_who_knows_what_the_file_held_replaces_it(tmp_path: Path) -> None:
    path = tmp_path / "team.sage"
    assert shared_file.replace(path, b"one", "")
    assert not shared_file.replace(path, b"two", "")
    assert not shared_file.replace(path, b"two", shared_file.digest(b"three"))
    assert shared_file.replace(path, b"two", shared_file.digest(b"one"))
    assert path.read_bytes() == b"two"


def test_the_lease_of_one_that_died_expires_and_a_living_one_is_waited_for(
    tmp_path: Path,
) -> None:
    path, lease = tmp_path / "team.sage", tmp_path / ".team.sage.lease"
    lease.write_text("of one that died")
    began = time.monotonic()
    assert shared_file.replace(path, b"one", "", lease_s=0.3)
    assert 0.2 < time.monotonic() - began < 20
    assert not lease.exists()
    lease.write_text("of one that died long ago")
    long_ago = time.time() - 100
    os.utime(lease, (long_ago, long_ago))
    assert shared_file.replace(path, b"two", shared_file.digest(b"one"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["team.sage"]


def serial(people: Path, order: tuple[str, ...], target: Path) -> bytes:
    """The file after people whose memories lie in a folder came one after the other."""
    shutil.copytree(people, target)
    place = FolderPlace(target)
    for name in order:
        with Workspace.open(target / f"{name}.sage") as workspace:
            sync(MemoryStore(workspace), place)
    return place.read() or b""


@pytest.mark.system
def test_five_at_once_cut_at_random_instants_end_as_if_one_came_after_the_other(
    make: MakeStore, place: FolderPlace, tmp_path: Path
) -> None:
    people, fresh = tmp_path / "people", tmp_path / "fresh"
    people.mkdir()
    fresh.mkdir()
    for number, name in enumerate(PEOPLE):
        store = make(name)
        learn(store, number)
        store.workspace.backup(people / f"{name}.sage")
        store.workspace.backup(fresh / f"{name}.sage")
    chance = random.Random(int(os.environ.get("SAGE_SEED", "22")))

    def begin(name: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "tests.core.memory.sync_worker",
            str(people / f"{name}.sage"),
        ]
        return subprocess.Popen(
            [*command, str(tmp_path / "shared"), "0.5"],
            stdout=subprocess.PIPE,
            text=True,
        )

    cuts = 0
    for deadline in (0.05, 0.3):  # seconds after it opened its workspace, at most
        running = [begin(name) for name in PEOPLE]
        for process in running:
            assert process.stdout is not None
            process.stdout.readline()
        for process in running:
            try:
                process.wait(chance.uniform(0, deadline))
            except subprocess.TimeoutExpired:
                process.kill()
                cuts += 1
            process.communicate()
    assert cuts
    last = [begin(name) for name in PEOPLE]
    assert [process.wait() for process in last] == [0] * 5
    for process in last:
        process.communicate()

    found = place.read()
    for number, order in enumerate(
        (PEOPLE, PEOPLE[::-1], ("cho", "eva", "ada", "dee", "ben"))
    ):
        assert serial(fresh, order, tmp_path / f"order{number}") == found
    for name in PEOPLE:
        with Workspace.open(people / f"{name}.sage") as workspace:
            assert verify(workspace) == ()
            sync(MemoryStore(workspace), place)
            item = MemoryStore(workspace).item("m1")
            assert (item.n_ret, item.n_ado) == (5, 5)
            assert {f"of-{other}" for other in PEOPLE} <= {
                row.uid for row in MemoryStore(workspace).items()
            }
    assert place.read() == found


@pytest.mark.slow
def test_two_memories_of_ten_thousand_items_are_merged_in_five_seconds(
    make: MakeStore, place: FolderPlace
) -> None:
    ada, ben = make("ada"), make("ben")
    for store, first in ((ada, 0), (ben, 5000)):
        with store.workspace.transaction():
            add(store, 10_000, first)
    play(ben, "b", {"m6000": True, "m14000": True})
    bank = parse_bank("ben", bank_text(memory_bank(ben.workspace.db)))
    began = time.process_time()
    report = merge_bank(ada, bank, source="ben")
    assert time.process_time() - began <= 5
    assert (len(report.added), report.credited, report.unchanged) == (
        5000,
        ("m6000",),
        4999,
    )
    mine = memory_bank(ada.workspace.db)
    began = time.process_time()
    assert len(joined(mine, bank).items) == 15_000
    assert time.process_time() - began <= 5


def test_a_folder_named_with_a_slash_is_made_and_the_file_lies_in_it(
    tmp_path: Path,
) -> None:
    place = FolderPlace(f"{tmp_path}/new/")
    assert place.name == str(tmp_path / "new" / "team.sage")
    assert (tmp_path / "new").is_dir()
    assert FolderPlace(f"{tmp_path}/plain").name == str(tmp_path / "plain"), (
        "without one it is the file's name"
    )
    with pytest.raises(SageError, match="there is no folder"):
        FolderPlace(f"{tmp_path}/no/such/")
