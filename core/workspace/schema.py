"""The tables of a workspace file: the numbered migrations in `resources/migrations`, applied in their order.

Names of memory fields are the paper's ("Memory Record Schemas"). Events (`episode`, `trace`, `hot_use`,
`memory_event`) are the truth and share one sequence; the counters in `item` are a projection that can be
rebuilt from them. STRICT tables keep other programs from storing the wrong type.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database

_FOLDER = resources.files("resources") / "migrations"
_SUFFIX = ".sql"
# every migration of this release, oldest first
KNOWN = tuple(
    sorted(
        file.name.removesuffix(_SUFFIX)
        for file in _FOLDER.iterdir()
        if file.name.endswith(_SUFFIX)
    )
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database up to date; each migration is one transaction. Under a lock of the caller.

    An empty one becomes a copy of the tables this process has made before, with an identity of its own.
    """
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None:
        _apply_migrations(connection)
        return
    with closing(sqlite3.connect(":memory:")) as new:
        new.deserialize(_new_tables())
        new.execute(
            "UPDATE meta SET value = lower(hex(randomblob(8))) WHERE key = 'bank_id'"
        )
        new.commit()
        new.backup(connection, progress=_refuse_when_locked)


def _refuse_when_locked(status: int, _remaining: int, _pages: int) -> None:
    """End a copy onto a file that another program writes: `backup` itself would wait for it for ever."""
    if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        raise sqlite3.OperationalError("database is locked")


@cache
def _new_tables() -> bytes:
    """The file of a workspace that holds nothing."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        _apply_migrations(new)
        return new.serialize()


def _apply_migrations(connection: sqlite3.Connection) -> None:
    """Apply what is missing; sqlite-utils pulls in numpy, which an up to date workspace does not need."""
    from sqlite_utils import Database, Migrations

    migrations = Migrations("sage")
    for name in KNOWN:
        migrations(name=name)(_statements_of(name))
    migrations.apply(Database(connection, execute_plugins=False))


def _statements_of(name: str) -> Callable[[Database], None]:
    """What runs the statements of a migration one by one: `executescript` would end the transaction.

    A file of `resources/migrations` is applied because it is there, in the order of names.
    Its statements are parted where a line ends with `;`, so the body of a trigger stands
    in one line.
    """

    def run(db: Database) -> None:
        for statement in statements(name):
            db.conn.execute(statement)

    return run


def statements(name: str) -> list[str]:
    """The statements of a migration, in their order."""
    text = (_FOLDER / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]
