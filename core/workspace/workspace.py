"""One workspace = one SQLite file. Opening, transactions, backups and texts addressed by their sha256."""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from core.errors import InvalidInput, SageError
from core.held_file import HeldFile
from core.private import private_file, private_folder, tighten
from core.text import Text
from core.whole_file import whole_file
from core.workspace import place
from core.workspace.damage import damage, damaged, stored_text
from core.workspace.errors import (
    CorruptWorkspace,
    NewerWorkspace,
    NotAWorkspace,
    ReplacedWorkspace,
    WorkspaceBusy,
    WorkspaceError,
    explain,
)
from core.workspace.foreign import (
    applied_migrations,
    bound_pages,
    bound_steps,
    defend,
    strange_entry,
)
from core.workspace.schema import KNOWN, migrate
from core.workspace.shadow import Shadow

_LOG = logging.getLogger(__name__)
_BUSY_SECONDS = 10.0
# What reading a changed value can raise; of `InvalidInput` the file behind it is not always known.
_MAYBE_DAMAGE = (
    InvalidInput,
    sqlite3.Error,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
_GROWTH = 8 << 30  # bytes that one opening may add; a run of 104 operators adds a tenth
_CLOSING_MS = 1000  # how long closing waits for others
_LOOK_MS = 500


def now() -> str:
    """Return the present time in UTC as ISO 8601 with microseconds: every time stamp in the file."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class _Rehearsed(Exception):
    pass


class Workspace:
    """An open workspace file. Use it from the thread that opened it; every reader opens its own.

    Example:
        >>> with Workspace.open(path) as workspace, workspace.transaction() as db:
        ...     db.execute("UPDATE queue_entry SET position = 0 WHERE id = 1")

    Attributes:
        path: The file.
        db: The connection, in autocommit mode, rows as `sqlite3.Row`.
        readonly: Whether writing is refused.
        replaced: What is raised once another file lies at the path, or its content there.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        held_file: HeldFile,
        *,
        readonly: bool,
    ) -> None:
        self.path = path
        self.db = connection
        self.readonly = readonly
        # Until the connection is closed no descriptor of the file may be.
        self._held = held_file
        self._depth = 0
        self._patience = 0.0  # beyond what SQLite waits
        self._goes_on: Callable[[], bool] = lambda: True
        self._identity = place.identity(path)
        self._shadow: Shadow | None = None
        self.replaced: ReplacedWorkspace | None = None

    @classmethod
    def open(cls, path: Path | str, *, create: bool = True) -> Workspace:
        """Open a workspace for writing, creating or migrating it when needed.

        Args:
            path: The file; its folder is made when missing.
            create: Whether a missing file is created.

        Raises:
            WorkspaceError: With the reason, the file untouched.
        """
        path = Path(path)
        place.require_local(path)
        place.require_writable(path)
        if path.exists() and path.stat().st_size > 0:
            # a copy made by `backup` has no write-ahead log: who was killed writing to it left a journal that
            # only a writer may take back
            journal = path.with_name(path.name + "-journal")
            _inspect(path, "mode=rw" if journal.exists() else "mode=ro")
        elif not create:
            raise WorkspaceError(
                "There is no workspace {path}.",
                "Check the path, or create a new workspace.",
                path=path,
            )
        else:
            private_folder(path.parent, ours=False)
        private_file(path)
        with place.holding(path) as held_file:
            try:
                connection = _connect(path)
                _trust_own_schema(path, connection)
                connection.execute("PRAGMA synchronous = NORMAL")
                bound_pages(connection, _GROWTH)
                if not _is_current(connection):
                    _set_up(path, connection)
            except sqlite3.Error as error:
                raise (explain(error, path) or error) from error
            return cls(path, connection, held_file, readonly=False)

    @classmethod
    def open_readonly(cls, path: Path | str) -> Workspace:
        """Open an existing workspace that cannot be changed through this object.

        Raises:
            WorkspaceError: When there is no such workspace or it cannot be read.
        """
        return cls._open_to_read(Path(path), "mode=ro")

    @classmethod
    def open_foreign(cls, path: Path | str) -> Workspace:
        """Open a file of others to read: its pages are looked through, its work is bounded.

        Raises:
            WorkspaceError: As `open_readonly`; also where pages do not hold together, which
                could let a small file be read for ever.
        """
        workspace = cls.open_readonly(path)
        try:
            workspace.require_whole_pages()
        except BaseException:
            workspace.close()
            raise
        return workspace

    def require_whole_pages(self) -> None:
        """Have SQLite look through all pages once; what is read later is bounded."""
        self.bound_work()
        try:
            answer = self.db.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            raise (explain(error, self.path) or error) from error
        if answer != "ok":
            raise damaged(self.db, str(answer))

    @classmethod
    def _open_to_read(cls, path: Path, options: str) -> Workspace:
        if not path.exists():
            raise WorkspaceError(
                "There is no workspace {path}.", "Check the path.", path=path
            )
        _inspect(path, options)
        with place.holding(path) as held_file:
            try:
                connection = _connect(path, options)
                _trust_own_schema(path, connection)
                connection.execute("PRAGMA query_only = 1")
                if not _is_current(connection):
                    connection.close()
                    raise WorkspaceError(
                        "{path} was written by an older release.",
                        "Open it in the window or with `sage run --workspace`: both bring it up to date.",
                        path=path,
                    )
            except sqlite3.Error as error:
                raise (explain(error, path) or error) from error
            return cls(path, connection, held_file, readonly=True)

    @classmethod
    def open_frozen(cls, path: Path | str) -> Workspace:
        """Open a finished snapshot (a backup) that nothing may change: transfer evaluation reads from one.

        SQLite opens the file as immutable, so that not even a lock or a journal touches its folder.
        `digest` before and after proves it.

        Raises:
            WorkspaceError: When it cannot be read, or is in use and therefore not finished.
        """
        path = Path(path)
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            raise WorkspaceError(
                "{path} is in use.", "Make a backup and open that.", path=path
            )
        return cls._open_to_read(path, "mode=ro&immutable=1")

    def bound_work(self) -> None:
        """Interrupt whatever takes far longer than files of this size take."""
        bound_steps(self.db, self.path.stat().st_size)

    def digest(self) -> str:
        """Return the sha256 of the file, the identity of a frozen memory in reports."""
        digest = hashlib.sha256()
        for piece in self._held.pieces():
            digest.update(piece)
        return digest.hexdigest()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write atomically: BEGIN IMMEDIATE … COMMIT, ROLLBACK on any exception.

        The write lock is taken at once, so what is read inside cannot be changed by another process
        before the commit. A transaction inside a transaction becomes a savepoint of the outer one.

        Raises:
            ReplacedWorkspace: Another file lies at the path by now; what was written here is kept beside it.
        """
        if self.readonly:
            raise WorkspaceError("{path} is open for reading only.", path=self.path)
        if self.replaced is not None:
            raise self.replaced
        nested = f"nested_{self._depth}" if self._depth else ""
        self._begin(nested)
        self._depth += 1
        try:
            if not nested:
                self._look_for_others()
            yield self.db
            if not nested:
                self._look_for_others()
        except BaseException as error:
            self._depth -= 1
            # What was read of a file that is another by now may be anything.
            other_file = (
                self._set_aside_if_overwritten()
                if isinstance(error, sqlite3.Error)
                else None
            )
            self._undo(nested)
            if other_file is not None:
                raise other_file from error
            if isinstance(error, sqlite3.Error) and (
                explained := explain(error, self.path)
            ):
                raise explained from error
            raise
        self._depth -= 1
        try:
            self.db.execute(f"RELEASE {nested}" if nested else "COMMIT")
        except sqlite3.Error as error:
            self._undo(nested)
            raise (explain(error, self.path) or error) from error
        if not nested:
            if place.identity(self.path) != self._identity:
                raise self._set_aside()
            self._follow_commit()

    def keep_shadow(self) -> None:
        """Keep a copy from now on, by which a file that is written over in place is noticed.

        Costs the size of the file in the folder of temporary files, see
        `core.workspace.shadow`.
        """
        mode = self.db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            return
        with self.transaction():
            try:
                self._shadow = Shadow(self.path, self._held, self.db)
            except OSError as error:
                _LOG.warning("%s has no shadow: %s", self.path, error)

    def _look_for_others(self) -> None:
        """Raise ReplacedWorkspace where the file was written over in place."""
        if self._shadow is None:
            return
        other_file = self._set_aside_if_overwritten()
        if other_file is not None:
            raise other_file
        self._shadow.catch_up()

    def _follow_commit(self) -> None:
        if self._shadow is None:
            return
        try:
            self._shadow.follow_commit()
        except OSError as error:  # the disk is full
            _LOG.warning("%s has no shadow any more: %s", self.path, error)
            self._shadow.close()
            self._shadow = None

    def _set_aside_if_overwritten(self) -> ReplacedWorkspace | None:
        """Write the shadow beside the path where the file was written over; returns what to tell."""
        if self._shadow is None or not self._shadow.is_overwritten():
            return None
        rescue = self._rescue_path()
        try:
            self._shadow.write_to(rescue)
        except OSError as error:
            remedy = _not_kept(error.strerror or str(error))
        else:
            remedy = _kept_file_text(rescue)
        self._shadow.forget_log()
        self.replaced = ReplacedWorkspace(
            "{path} was written over by another program while it was in use.",
            remedy,
            path=self.path,
        )
        return self.replaced

    def _rescue_path(self) -> Path:
        moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        return self.path.with_name(f"{self.path.stem}.kept-{moment}{self.path.suffix}")

    def _set_aside(self) -> ReplacedWorkspace:
        """Copy what this connection wrote to a file beside the path; returns what to tell the person."""
        rescue = self._rescue_path()
        happened = (
            "{path} was replaced by another file while it was in use."
            if self.path.exists()
            else "{path} was deleted or moved away while it was in use."
        )
        # The log lies beside the path and would be taken for that of the other file.
        with suppress(sqlite3.OperationalError):
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            tighten(self.backup(rescue))
        except SageError as error:
            remedy = _not_kept(error.message)
        else:
            remedy = _kept_file_text(rescue)
        self.replaced = ReplacedWorkspace(happened, remedy, path=self.path)
        return self.replaced

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Read one state in a block, whatever others write meanwhile."""
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("COMMIT")

    def wait_for_writers(self, seconds: float, goes_on: Callable[[], bool]) -> None:
        """Let transactions wait longer for other programs that write, and be given up meanwhile.

        Args:
            seconds: How long, instead of ten.
            goes_on: Asked about twice a second while another holds the lock; false gives up.
        """
        self.db.execute(f"PRAGMA busy_timeout = {_LOOK_MS}")
        self._patience, self._goes_on = seconds, goes_on

    def _begin(self, nested: str) -> None:
        """Take the write lock, or open a savepoint within the transaction that has it."""
        began = time.monotonic()
        while True:
            try:
                self.db.execute(f"SAVEPOINT {nested}" if nested else "BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                explained = explain(error, self.path)
                waited = time.monotonic() - began
                if (
                    isinstance(explained, WorkspaceBusy)
                    and waited < self._patience
                    and self._goes_on()
                ):
                    continue
                raise (explained or error) from error
            return

    @contextmanager
    def rehearsal(self) -> Iterator[sqlite3.Connection]:
        """Write as in `transaction` and then roll everything back: for reports on what would happen."""
        with suppress(_Rehearsed), self.transaction() as db:
            yield db
            raise _Rehearsed

    def _undo(self, nested: str) -> None:
        # SQLite has already rolled back by itself, e.g. when the disk is full.
        if not self.db.in_transaction:
            return
        if nested:
            self.db.execute(f"ROLLBACK TO {nested}")
            self.db.execute(f"RELEASE {nested}")
        else:
            self.db.execute("ROLLBACK")

    def put_text(self, text: str) -> str:
        """Store a text once and return its sha256. Equal texts share a row."""
        data = text.encode()
        digest = hashlib.sha256(data).hexdigest()
        self.db.execute(
            "INSERT OR IGNORE INTO blob(sha256, data) VALUES (?, ?)", (digest, data)
        )
        return digest

    def text(self, digest: str) -> str:
        """Return the text stored under `digest`; raises CorruptWorkspace when it is not there, or changed."""
        text = stored_text(self.db, digest)
        if text is None:
            raise damaged(
                self.db, Text("the text {digest}… is missing", digest=digest[:12])
            )
        return text

    def meta(self, key: str, default: str = "") -> str:
        """Return a named value of the workspace itself."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return default if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Store a named value of the workspace itself."""
        self.db.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def refuse_as_target(self, target: Path, *, replace: bool) -> None:
        """Raise WorkspaceError where `target` is this very file, or there and not to be replaced."""
        # Raises nothing where the folder may not be read.
        if not os.access(target, os.F_OK):
            return
        if target.samefile(self.path):
            raise WorkspaceError(
                "{target} is the workspace itself.",
                "Choose another name.",
                target=target,
            )
        if not replace:
            raise WorkspaceError(
                "{target} exists already.", "Choose a new name.", target=target
            )

    def backup(self, target: Path | str, *, replace: bool = False) -> Path:
        """Write a whole, self-contained copy of the present state, safe while others write.

        Args:
            target: Must not exist unless `replace`; never this workspace itself.
            replace: A file that is there may be replaced; it is kept when the copy cannot be written.

        Raises:
            SageError: When `target` may not or cannot be written.
        """
        target = Path(target)
        self.refuse_as_target(target, replace=replace)
        with whole_file(target, over_database=True) as draft:
            self._copy_to(draft, target)
        return target

    def _copy_to(self, draft: Path, target: Path) -> None:
        try:
            # It also refuses to write another file.
            self.db.execute("PRAGMA query_only = 0")
            self.db.execute("VACUUM INTO ?", (str(draft),))
        except sqlite3.Error as error:
            if "malformed" in str(error):
                raise (explain(error, self.path) or error) from error
            raise WorkspaceError(
                "The backup {target} could not be written ({error}).",
                "Check the disk and the folder.",
                target=target,
                error=error,
            ) from error
        finally:
            self.db.execute(f"PRAGMA query_only = {int(self.readonly)}")

    def check(self) -> tuple[str, ...]:
        """Say what is damaged (see `core.workspace.damage`); empty when all is well. Slow on big files."""
        return damage(self.db)

    def close(self) -> None:
        """Fold the write-ahead log into the file, so that the closed file alone is the whole workspace.

        Where that cannot be done now (disk full, others at work) the log stays beside the file and is a part
        of it: nothing is lost, the next to close it tries again.
        """
        try:
            if self._shadow is not None:
                self._close_shadow(self._shadow)
            if not self.readonly:
                with suppress(sqlite3.OperationalError):
                    self.db.execute(f"PRAGMA busy_timeout = {_CLOSING_MS}")
                    self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self.db.close()
            self._held.release()
        if self.readonly:
            _tidy(self.path)

    def _close_shadow(self, shadow: Shadow) -> None:
        """Look a last time whether the file is still the one that was worked in."""
        moved = place.identity(self.path) != self._identity
        if moved or shadow.is_overwritten():
            # A transaction looks under the lock; what it raises comes from `replaced`.
            with suppress(WorkspaceError, sqlite3.Error), self.transaction():
                pass
        shadow.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; a fault of the file that was met inside is raised in words a user can act on."""
        fault = self.explained(error)
        if fault is None:
            self.close()
            return
        with suppress(sqlite3.Error):
            self.close()
        raise fault from error

    def explained(self, error: BaseException | None) -> WorkspaceError | None:
        """The fault of the file behind an error; None when the file is whole, then it is a bug."""
        if self.readonly and "readonly" in str(error):  # a reader that writes: a bug
            return None
        fault = explain(error, self.path) if isinstance(error, sqlite3.Error) else None
        if fault is not None or not isinstance(error, _MAYBE_DAMAGE):
            return fault
        # The fault is in another file than the one that was to be opened.
        if isinstance(error, InvalidInput) and Path(error.source).exists():
            return None
        from msgspec import MsgspecError  # windows paint first

        try:
            faults = self.check()
            if not faults and (
                isinstance(error, MsgspecError) or " is not a valid " in str(error)
            ):
                faults = (f"it holds a value that no release wrote ({error})",)
            return damaged(self.db, faults[0]) if faults else None
        except sqlite3.Error as worse:
            return explain(worse, self.path)


def _kept_file_text(path: Path) -> Text:
    return Text(
        "The file it was, with all work since, is {kept}: to go on with it, move it to its place.",
        kept=path,
    )


def _not_kept(error: str | Text) -> Text:
    return Text("Its work could not be kept: {error}", error=error)


def _connect(path: Path, options: str = "mode=rwc") -> sqlite3.Connection:
    place.require_own_journal(path)
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        isolation_level=None,
        timeout=_BUSY_SECONDS,
        cached_statements=512,
    )
    connection.row_factory = sqlite3.Row
    defend(connection)
    connection.execute("PRAGMA foreign_keys = 1")
    return connection


def _is_current(connection: sqlite3.Connection) -> bool:
    return applied_migrations(connection) == set(KNOWN)


def _inspect(path: Path, options: str = "mode=ro") -> None:
    """Look at an existing file read-only and refuse what is not ours, newer, or damaged."""
    place.require_database(path)
    try:
        connection = _connect(path, options)
        try:
            # Both reads see one state, even while another process creates the file.
            connection.execute("BEGIN")
            applied = applied_migrations(connection)
            # a file with nothing but the empty list of migrations is one of ours whose creation is under way
            tables = connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE tbl_name <> '_sqlite_migrations'"
            ).fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise (
            explain(error, path)
            or CorruptWorkspace(
                "{path} cannot be read ({error}).", path=path, error=error
            )
        ) from error
    if not applied and tables:
        raise NotAWorkspace(
            "{path} is a database of another program.",
            "Choose another file; this one was not touched.",
            path=path,
        )
    newer = sorted(applied - set(KNOWN))
    if newer:
        raise NewerWorkspace(
            "{path} was written by a newer release (it has {newer}).",
            "Update SAGE Desktop; the file was not touched.",
            path=path,
            newer=newer[-1],
        )


def _trust_own_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Let views of ours run; raise CorruptWorkspace where one entry is not of a release.

    A view of ours asks `json_extract`, which SQLite before 3.41 allows no view of an
    untrusted schema.
    """
    strange = strange_entry(connection)
    if strange:
        connection.close()
        raise CorruptWorkspace(
            "{path} was changed by another program: no release makes its {strange}.",
            "Nothing of it ran. Restore a backup, or take what is not ours out with "
            "`sqlite3 FILE 'DROP …'`; of a file that was sent to you ask for "
            "`sage memory export` instead.",
            path=path,
            strange=strange,
        )
    connection.execute("PRAGMA trusted_schema = 1")


def _set_up(path: Path, connection: sqlite3.Connection) -> None:
    """Create or migrate under a file lock: SQLite's busy timeout does not cover the switch to WAL."""
    from filelock import FileLock  # with asyncio: windows paint first

    try:
        with FileLock(lock_path(path), timeout=_BUSY_SECONDS, mode=0o600):
            connection.execute("PRAGMA journal_mode = WAL")
            migrate(connection)
    except TimeoutError as error:
        raise WorkspaceBusy(
            "{path} is in use by another program and must be brought up to date.",
            "Close the other program first.",
            path=path,
        ) from error


def _tidy(path: Path) -> None:
    """Remove the empty log and its index that a reader had to make and may not remove.

    SQLite does so when the last connection that may write is closed; one of another
    program that works on the file keeps them.
    """
    log = path.with_name(path.name + "-wal")
    with suppress(OSError, SageError, sqlite3.Error):
        if log.stat().st_size > 0:
            return
        place.require_writable(path)
        with place.holding(path) as held_file:
            connection = _connect(path, "mode=rw")
            try:
                connection.execute("PRAGMA wal_checkpoint")
            finally:
                connection.close()
                held_file.release()


def lock_path(path: Path) -> Path:
    """Return the lock file beside a workspace: held while it is set up and while an engine runs."""
    return path.with_name(path.name + ".lock")
