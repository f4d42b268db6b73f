"""The tables of a workspace file: the numbered migrations in `resources/migrations`, applied in their order.

Names of memory fields are the paper's ("Memory Record Schemas"). Events (`episode`, `trace`, `hot_use`,
`memory_event`) are the truth and share one sequence; the counters in `item` are a projection that can be
rebuilt from them. STRICT tables keep other programs from storing the wrong type.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database

_FOLDER = resources.files("resources") / "migrations"
_SUFFIX = ".sql"
# every migration of this release, oldest first
KNOWN = tuple(
    sorted(file.name.removesuffix(_SUFFIX) for file in _FOLDER.iterdir() if file.name.endswith(_SUFFIX))
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database up to date; each migration is one transaction. Under a lock of the caller.

    sqlite-utils is imported only here: it pulls in numpy, and a workspace that is up to date needs neither.
    """
    from sqlite_utils import Database, Migrations

    migrations = Migrations("sage")
    for name in KNOWN:
        migrations(name=name)(_statements_of(name))
    migrations.apply(Database(connection, execute_plugins=False))


def _statements_of(name: str) -> Callable[[Database], None]:
    """What runs the statements of a migration one by one: `executescript` would end the transaction."""

    def run(db: Database) -> None:
        for statement in (_FOLDER / f"{name}{_SUFFIX}").read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                db.conn.execute(statement)

    return run
