"""Opening, refusing, transactions, backup, locks: what happens to a person's file."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.memory.records import Experience, Origin
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.workspace import (
    CorruptWorkspace,
    EngineLock,
    NewerWorkspace,
    NotAWorkspace,
    ReadOnlyWorkspace,
    Workspace,
    WorkspaceBusy,
    WorkspaceError,
    engine_owner,
)
from core.workspace import workspace as module
from core.workspace.errors import ReplacedWorkspace
from core.workspace.place import file_system
from core.workspace.schema import migrate


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        for number in range(200):
            workspace.put_text(f"text {number} " * 50)
    return tmp_path / "w.sage"


def test_closed_file_alone_is_the_whole_workspace(closed: Path, tmp_path: Path) -> None:
    assert not closed.with_name("w.sage-wal").exists()
    copy = tmp_path / "copy.sage"
    copy.write_bytes(closed.read_bytes())
    with Workspace.open_readonly(copy) as workspace:
        assert workspace.db.execute("SELECT count(*) FROM blob").fetchone()[0] == 200
        assert workspace.check() == ()


def test_texts_are_stored_once_under_their_sha256(closed: Path) -> None:
    with Workspace.open(closed) as workspace:
        key = workspace.put_text("größer 返回")
        assert key == hashlib.sha256("größer 返回".encode()).hexdigest()
        assert workspace.put_text("größer 返回") == key
        assert workspace.text(key) == "größer 返回"
        with pytest.raises(CorruptWorkspace, match=str(closed)):
            workspace.text("0" * 64)


@pytest.mark.parametrize(
    "content",
    [b"hello, this is a text file of mine\n" * 9, b"SQLite format 3\0", b"\0" * 4096],
)
@pytest.mark.parametrize("opener", [Workspace.open, Workspace.open_readonly])
def test_other_files_are_refused_and_untouched(
    tmp_path: Path, content: bytes, opener: object
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(NotAWorkspace, match=r"notes\.txt"):
        opener(path)  # type: ignore[operator]
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_database_of_another_program_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE item(id INTEGER)")
    other.commit()
    other.close()
    before = digest(path)
    with pytest.raises(NotAWorkspace, match="another program"):
        Workspace.open(path)
    assert digest(path) == before


def _new_tables(*, by_steps: bool) -> set[str]:
    """What a new database holds; `by_steps` for one that is not empty, whose migrations all run."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        if by_steps:
            db.execute("CREATE TABLE other(x)")
        migrate(db)
        db.execute("DROP TABLE IF EXISTS other")
        db.execute("UPDATE _sqlite_migrations SET applied_at = ''")
        return set(db.iterdump())


def test_new_files_have_the_same_tables_and_an_identity_each() -> None:
    copies, steps = (
        [_new_tables(by_steps=by_steps) for _ in range(2)] for by_steps in (False, True)
    )
    assert copies[0] & copies[1] == steps[0] & steps[1]
    (own,) = copies[0] - copies[1]
    assert own.startswith("INSERT INTO \"meta\" VALUES('bank_id',")
    assert len(steps[0] - steps[1]) == 1, (
        "a new migration makes something at random: give a copy its own"
    )


def test_newer_schema_is_refused_and_untouched(closed: Path) -> None:
    with Workspace.open(closed) as workspace:
        workspace.db.execute(
            "INSERT INTO _sqlite_migrations(migration_set, name, applied_at) VALUES ('sage', "
            "'m_0999_future', '')"
        )
    before = digest(closed)
    for opener in (Workspace.open, Workspace.open_readonly):
        with pytest.raises(NewerWorkspace, match="m_0999_future"):
            opener(closed)
    assert digest(closed) == before


def test_cut_off_file_is_refused_and_untouched(closed: Path) -> None:
    closed.write_bytes(closed.read_bytes()[:-8192])
    before = digest(closed)
    with pytest.raises(CorruptWorkspace, match="cut off"):
        Workspace.open(closed)
    assert digest(closed) == before


def test_a_file_caught_in_a_checkpoint_is_whole_with_its_log(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        with workspace.transaction():
            keys = [workspace.put_text(f"text {number} " * 50) for number in range(200)]
        workspace.db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        for suffix in ("", "-wal"):
            data = (tmp_path / f"w.sage{suffix}").read_bytes()
            half = len(data) // 2 // 4096 * 4096
            (tmp_path / f"copy.sage{suffix}").write_bytes(
                data if suffix else data[:half]
            )
    with Workspace.open_readonly(tmp_path / "copy.sage") as copy:
        assert copy.text(keys[-1]).startswith("text 199")
        assert copy.check() == ()


def test_garbled_pages_are_reported_not_mended(closed: Path) -> None:
    data = bytearray(closed.read_bytes())
    data[100:4096] = b"\xff" * (4096 - 100)
    closed.write_bytes(data)
    before = digest(closed)
    with pytest.raises(CorruptWorkspace):
        Workspace.open(closed)
    assert digest(closed) == before


def test_read_only_file_is_refused_for_writing_but_can_be_read(closed: Path) -> None:
    closed.chmod(0o444)
    with pytest.raises(ReadOnlyWorkspace):
        Workspace.open(closed)
    with Workspace.open_readonly(closed) as workspace:
        assert workspace.meta("seq") == "0"
        with (
            pytest.raises(WorkspaceError, match="reading only"),
            workspace.transaction(),
        ):
            pass
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            workspace.db.execute("DELETE FROM meta")


def test_a_frozen_memory_is_read_without_touching_its_folder(
    closed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "frozen"
    folder.mkdir()
    with Workspace.open(closed) as workspace:
        MemoryStore(workspace).add_item(
            Experience("title", "type", "category"), origin=Origin.SEED
        )
        workspace.backup(folder / "m.sage")
        with pytest.raises(WorkspaceError, match="in use"):
            Workspace.open_frozen(closed)
    with Workspace.open_frozen(folder / "m.sage") as memory:
        before = memory.digest()
        assert Retriever(memory).retrieve("title")[0].rank == 1
        with pytest.raises(WorkspaceError, match="reading only"):
            MemoryStore(memory).add_item(Experience("a", "b", "c"), origin=Origin.USER)
        assert memory.digest() == before == digest(folder / "m.sage")
        assert list(folder.iterdir()) == [folder / "m.sage"]
    shutil.copy(
        closed, folder / "closed.sage"
    )  # in the journal mode workspaces are written in
    with Workspace.open_frozen(folder / "closed.sage") as memory:
        assert Retriever(memory).retrieve("title")[0].rank == 1
    assert sorted(folder.iterdir()) == [folder / "closed.sage", folder / "m.sage"]


def test_missing_file_is_not_invented(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="There is no workspace"):
        Workspace.open(tmp_path / "nothing.sage", create=False)
    with pytest.raises(WorkspaceError, match="There is no workspace"):
        Workspace.open_readonly(tmp_path / "nothing.sage")
    assert list(tmp_path.iterdir()) == []


def test_network_file_systems_are_recognised() -> None:
    mounts = (
        "22 1 0:1 / / rw - ext4 /dev/sda rw\n"
        "23 22 0:2 / /home rw - nfs4 server:/home rw\n"
        "24 23 0:3 / /home/local\\040disk rw - xfs /dev/sdb rw\n"
    )
    assert file_system(Path("/var/w.sage"), mounts) == "ext4"
    assert file_system(Path("/home/me/w.sage"), mounts) == "nfs4"
    assert file_system(Path("/home/local disk/w.sage"), mounts) == "xfs"
    assert file_system(Path("/homework/w.sage"), mounts) == "ext4"


def _set_and_fail(workspace: Workspace, value: str) -> None:
    with workspace.transaction():
        workspace.set_meta("a", value)
        raise RuntimeError


def test_transaction_is_all_or_nothing_and_nests(closed: Path) -> None:
    with Workspace.open(closed) as workspace:
        with pytest.raises(RuntimeError):
            _set_and_fail(workspace, "1")
        assert workspace.meta("a") == ""
        with workspace.transaction():
            workspace.set_meta("a", "1")
            with pytest.raises(RuntimeError):
                _set_and_fail(workspace, "2")
            with workspace.transaction():
                workspace.set_meta("b", "3")
        assert (workspace.meta("a"), workspace.meta("b")) == ("1", "3")


def test_a_writer_that_waits_too_long_says_so(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUSY_SECONDS", 0.05)
    with (
        Workspace.open(closed) as first,
        Workspace.open(closed) as second,
        first.transaction(),
        pytest.raises(WorkspaceBusy, match="another program"),
        second.transaction(),
    ):
        pass


def test_an_empty_file_that_another_program_writes_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that was killed between the switch to WAL and the tables leaves it."""
    path = tmp_path / "empty.sage"
    monkeypatch.setattr(module, "_BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(WorkspaceBusy, match="another program"):
            Workspace.open(path)
        other.execute("ROLLBACK")
        with Workspace.open(path) as opened:
            assert opened.meta("bank_id")


def test_backup_of_an_open_file_is_complete_and_never_overwrites(
    closed: Path, tmp_path: Path
) -> None:
    target = tmp_path / "backup.sage"
    with Workspace.open(closed) as workspace:
        workspace.set_meta("colour", "green")  # still in the write-ahead log
        workspace.backup(target)
        with pytest.raises(WorkspaceError, match="exists already"):
            workspace.backup(target)
    with Workspace.open(target, create=False) as copy:
        assert copy.meta("colour") == "green"
        assert copy.check() == ()


def test_a_backup_is_made_through_a_reader_too(closed: Path, tmp_path: Path) -> None:
    """`sage workspace backup` only reads its source; that reader stays a reader."""
    with Workspace.open_readonly(closed) as reader:
        copy = reader.backup(tmp_path / "backup.sage")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.db.execute("UPDATE meta SET value = 'x'")
    with Workspace.open_readonly(copy) as opened:
        assert opened.check() == ()


def test_a_copy_whose_writer_was_killed_opens_again(
    closed: Path, tmp_path: Path
) -> None:
    """A copy has no write-ahead log but a journal beside it, which only a writer may take back."""
    with Workspace.open(closed) as workspace:
        copy = workspace.backup(tmp_path / "backup.sage")
    code = (
        "import os, signal, sys\n"
        "from core.workspace import Workspace\n"
        "workspace = Workspace.open(sys.argv[1])\n"
        "workspace.db.execute('PRAGMA cache_size = 1')\n"
        "workspace.db.execute('BEGIN IMMEDIATE')\n"
        "workspace.db.executemany(\"INSERT INTO meta VALUES (?, 'x')\", ((str(n),) for n in range(5000)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(copy)], check=False)
    assert copy.with_name("backup.sage-journal").exists()
    with Workspace.open(copy) as opened:
        assert opened.meta("4999", "rolled back") == "rolled back"
        assert opened.check() == ()


def test_closing_on_a_full_disk_loses_nothing(closed: Path) -> None:
    """A limit on the size of files stands for the full disk: the log has room, the file has none to grow."""
    code = (
        "import resource, sys; from core.workspace import *\n"
        "limit = int(sys.argv[2]); resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "with Workspace.open(sys.argv[1]) as w, w.transaction():\n"
        "    w.put_text('x' * 60_000)\n"
        "print('closed')"
    )
    size = closed.stat().st_size
    done = subprocess.run(
        [sys.executable, "-c", code, str(closed), str(size)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "closed\n", done.stderr
    assert closed.stat().st_size == size, "the log could not be folded in"
    with Workspace.open(closed, create=False) as workspace:
        assert workspace.text(hashlib.sha256(b"x" * 60_000).hexdigest()) == "x" * 60_000
        assert workspace.check() == ()
    assert closed.stat().st_size > size


def test_a_lock_is_given_back_although_nothing_can_be_written(closed: Path) -> None:
    with Workspace.open(closed) as workspace, Workspace.open(closed) as other:
        lock = EngineLock(workspace)
        assert lock.try_acquire()
        workspace.db.execute("PRAGMA query_only = 1")
        lock.release()
        assert EngineLock(other).try_acquire()


def test_damage_in_the_middle_is_told_in_words(closed: Path) -> None:
    with closed.open("r+b") as file:  # the pages after the schema
        file.seek(4096 * 2)
        file.write(b"\xab" * (closed.stat().st_size - 4096 * 2))
    with (
        pytest.raises(CorruptWorkspace, match=r"w\.sage is damaged"),
        Workspace.open_readonly(closed) as opened,
    ):
        opened.db.execute("SELECT * FROM meta").fetchall()


def test_one_engine_at_a_time_and_a_killed_one_leaves_the_lock_free(
    closed: Path,
) -> None:
    code = (
        "import sys, time; from core.workspace import *\n"
        "w = Workspace.open(sys.argv[1]); lock = EngineLock(w)\n"
        "print(lock.try_acquire(), flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(closed)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with Workspace.open(closed) as workspace:
            lock = EngineLock(workspace)
            assert not lock.try_acquire()
            owner = engine_owner(workspace)
            assert owner is not None
            assert owner.pid == holder.pid
            with (
                workspace.transaction() as db
            ):  # a second process may still write, e.g. enqueue
                db.execute(
                    "INSERT INTO queue_entry(operator, position, enqueued_at) VALUES ('Lerp', 1, '')"
                )
            holder.kill()
            holder.wait()
            assert lock.try_acquire()
            owner = engine_owner(workspace)
            assert owner is not None
            assert owner.pid == os.getpid()
            lock.release()
            assert engine_owner(workspace) is None
    finally:
        holder.kill()
        holder.wait()
        for stream in (holder.stdin, holder.stdout):
            assert stream is not None
            stream.close()


def _open_and_count(path: str, rounds: int) -> None:
    with Workspace.open(path) as workspace:
        for _ in range(rounds):
            with workspace.transaction() as db:
                seen = int(
                    db.execute("SELECT value FROM meta WHERE key = 'seq'").fetchone()[0]
                )
                db.execute(
                    "UPDATE meta SET value = ? WHERE key = 'seq'", (str(seen + 1),)
                )


def test_four_processes_create_one_file_and_lose_no_update(tmp_path: Path) -> None:
    path = str(tmp_path / "shared.sage")
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_open_and_count, args=(path, 100)) for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    with Workspace.open(path) as workspace:
        assert workspace.meta("seq") == "400"
        assert workspace.check() == ()


def test_views_for_people_can_be_read(closed: Path) -> None:
    with Workspace.open_readonly(closed) as workspace:
        names = [
            d[0] for d in workspace.db.execute("SELECT * FROM memory_item").description
        ]
        paper = (
            "id, title, type, category, error_message, code_diff, summary, u_m, n_ret, n_ado, "
            "adopted_operators, "
            "sigma, L_m, hot_region, hot_last_used_episode, p_hat, n_elig, density"
        )
        assert set(paper.split(", ")) <= set(names)
        for view in ("credit_history", "adoption_record"):
            assert workspace.db.execute(f"SELECT * FROM {view}").fetchall() == []


@pytest.mark.parametrize("change", ["replaced", "deleted", "moved"])
def test_work_is_kept_when_the_file_is_no_longer_there(
    tmp_path: Path, change: str
) -> None:
    """Sync clients and restored backups put another file in the place of the open one."""
    path = tmp_path / "w.sage"
    with Workspace.open(tmp_path / "other.sage") as other:
        identity = other.meta("bank_id")
    workspace = Workspace.open(path)
    workspace.set_meta("work", "before")
    if change == "replaced":
        (tmp_path / "other.sage").replace(path)
    elif change == "deleted":
        path.unlink()
    else:
        path.rename(tmp_path / "away.sage")
    with (
        pytest.raises(ReplacedWorkspace, match=r"w\.kept-"),
        workspace.transaction(),
    ):
        workspace.set_meta("work", "since")
    with pytest.raises(ReplacedWorkspace), workspace.transaction():
        pass
    workspace.close()
    (kept,) = tmp_path.glob("w.kept-*.sage")
    assert kept.stat().st_mode & 0o077 == 0
    with Workspace.open_readonly(kept) as copy:
        assert (copy.meta("work"), copy.check()) == ("since", ())
    if change == "replaced":
        with Workspace.open_readonly(path) as there:
            assert (there.meta("bank_id"), there.check()) == (identity, ())


_NOTE = """
import sys
from core.workspace import Workspace
with Workspace.open(sys.argv[1]) as workspace, workspace.transaction():
    workspace.set_meta("note", "of another program")
"""


def test_another_program_that_comes_and_goes_takes_no_work_away(
    tmp_path: Path,
) -> None:
    """A look at the file from this process once let the other delete the open log."""
    path = tmp_path / "w.sage"
    with Workspace.open(path) as run:
        with run.transaction():
            run.set_meta("round", "1")
        with Workspace.open_readonly(path) as page:
            assert page.meta("round") == "1"
            assert page.digest()
        subprocess.run([sys.executable, "-c", _NOTE, str(path)], check=True)
        with run.transaction():
            run.set_meta("round", "2")
        with Workspace.open_readonly(path) as page:
            assert (page.meta("round"), page.meta("note")) == (
                "2",
                "of another program",
            )
    with Workspace.open_readonly(path) as after:
        assert after.meta("round") == "2"
        assert after.check() == ()


def test_reading_leaves_nothing_beside_the_file(closed: Path) -> None:
    before = closed.read_bytes()
    first = Workspace.open_readonly(closed)
    with Workspace.open_readonly(closed) as second:
        assert second.check() == ()
    assert first.check() == ()
    first.close()
    assert [path for path in closed.parent.iterdir() if "sage-" in path.name] == []
    assert closed.read_bytes() == before


_WRITE = """
import sys
with open(sys.argv[1], sys.argv[2]) as file:
    file.write(sys.stdin.buffer.read())
"""


def _write_over(path: Path, data: bytes, mode: str) -> None:
    """Write into the open file as `cp` (`wb`) and `rsync --inplace` (`r+b`) do."""
    command = [sys.executable, "-c", _WRITE, str(path), mode]
    subprocess.run(command, input=data, check=True)


@pytest.mark.parametrize("mode", ["wb", "r+b"])
@pytest.mark.parametrize("older", [False, True], ids=["another", "an older copy"])
def test_work_is_kept_when_the_file_is_written_over_in_place(
    tmp_path: Path, mode: str, *, older: bool
) -> None:
    path, other = tmp_path / "w.sage", tmp_path / "other.sage"
    with Workspace.open(path) as workspace, workspace.transaction():
        workspace.set_meta("work", "before")
    if older:
        shutil.copy(path, other)
    else:
        Workspace.open(other).close()
    with Workspace.open(path) as run:
        run.keep_shadow()
        for number in range(40):
            with run.transaction():
                workspace_text = f"{number} " * 5000
                run.put_text(workspace_text)
                run.set_meta("work", str(number))
        # Another program that writes and folds the log into the file is no fault.
        subprocess.run([sys.executable, "-c", _NOTE, str(path)], check=True)
        with run.transaction():
            run.set_meta("work", "since")
        _write_over(path, other.read_bytes(), mode)
        with (
            pytest.raises(ReplacedWorkspace, match=r"written over .*/w\.kept-"),
            run.transaction(),
        ):
            pass
    (kept,) = tmp_path.glob("w.kept-*.sage")
    assert kept.stat().st_mode & 0o077 == 0
    with Workspace.open_readonly(kept) as copy:
        assert (copy.meta("work"), copy.check()) == ("since", ())
        assert copy.meta("note") == "of another program"
        assert copy.text(hashlib.sha256(workspace_text.encode()).hexdigest())
    with Workspace.open_readonly(path) as there:
        assert (there.meta("work"), there.check()) == ("before" if older else "", ())
    if mode == "wb":
        assert path.read_bytes() == other.read_bytes()


def test_a_file_written_over_after_the_last_commit_is_noticed_at_the_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w.sage"
    Workspace.open(tmp_path / "other.sage").close()
    with Workspace.open(path) as run:
        run.keep_shadow()
        with run.transaction():
            run.set_meta("work", "done")
        _write_over(path, (tmp_path / "other.sage").read_bytes(), "wb")
    assert "written over" in str(run.replaced)
    (kept,) = tmp_path.glob("w.kept-*.sage")
    with Workspace.open_readonly(kept) as copy:
        assert copy.meta("work") == "done"
