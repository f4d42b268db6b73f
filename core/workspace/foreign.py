"""What an SQLite file may bring that others made: rows, and nothing that runs.

A trigger, a view in the place of a table, an index over an expression or a generated
column are programs, which SQLite runs within statements of ours. So the schema of every
file is compared with the one the migrations make before anything but `sqlite_master` is
read ("Defense Against The Dark Arts", sqlite.org/security.html).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache

from core.workspace.schema import KNOWN, statements

LONGEST_VALUE = 256 << 20  # bytes of one text; the largest of ours are kernels
_STEPS_EACH = 1 << 20  # of SQLite's machine, between two looks at what is left
_STEPS_ANYWAY = 1 << 29  # seconds; `memory verify` of the demonstration takes 50,000
_STEPS_A_BYTE = 100

_COPY_ANYWAY = 64 << 20  # bytes
_COPY_FACTOR = 8

_MIGRATIONS = "_sqlite_migrations"
_STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
# Every release of sqlite-utils writes the list of migrations with these words alone.
_PLAIN = re.compile(
    r"create|table|unique|index|on|primary|key|integer|text|not|null|[(),]"
    r'|["\[]?(?:id|migration_set|name|applied_at|(?:idx_)?_sqlite_migrations\w*)["\]]?'
)
_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\[[^\]]*\]|`[^`]*`|\w+|\S""",
    re.DOTALL,
)

Entry = tuple[str, str, str, str]  # type, name, table and statement


def defend(connection: sqlite3.Connection) -> None:
    """Have SQLite trust neither the pages nor, until it is compared, the schema."""
    connection.execute("PRAGMA trusted_schema = 0")
    connection.execute("PRAGMA cell_size_check = 1")
    connection.execute("PRAGMA mmap_size = 0")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    defensive = getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE", None)
    if defensive is not None:  # Python 3.12; before it no writable_schema is ever set
        connection.setconfig(defensive)  # type: ignore[attr-defined]


def strange_entry(connection: sqlite3.Connection) -> str:
    """The first thing in a workspace that no release makes; empty when there is none.

    What is missing is damage and told by `core.workspace.damage`. Runs no statement of
    the file.
    """
    applied = applied_migrations(connection)
    if applied != frozenset(KNOWN[: len(applied)]):
        return "list of migrations"  # with a gap: none builds on what is missing
    ours = _expected(applied)
    for kind, name, table, statement in _entries(connection):
        if table == _MIGRATIONS or (kind == "index" and not statement):
            # Looked at already, or made by SQLite for a key of a table.
            continue
        if kind == "table" and _STATISTICS.get(name) == statement:
            continue
        if ours.get((kind, name)) != (table, _words(statement)):
            return f"{kind} {name}"
    return ""


def missing_entries(connection: sqlite3.Connection) -> Iterator[str]:
    """Views, triggers and indexes of the migrations that are not there, as `view memory_item`."""
    there = {(kind, name) for kind, name, _, _ in _entries(connection)}
    for kind, name in _expected(frozenset(KNOWN)):
        if kind != "table" and (kind, name) not in there:
            yield f"{kind} {name}"


def applied_migrations(connection: sqlite3.Connection) -> frozenset[str]:
    """Names of the migrations a file has had; empty where it is none of ours."""
    entries = [entry for entry in _entries(connection) if entry[2] == _MIGRATIONS]
    if not entries or not all(_is_plain(*entry) for entry in entries):
        return frozenset()
    rows = connection.execute(
        f"SELECT name FROM {_MIGRATIONS} WHERE migration_set = 'sage'"
    )
    return frozenset(str(row[0]) for row in rows)


def bound_steps(connection: sqlite3.Connection, file_bytes: int) -> None:
    """Interrupt what takes far more steps than files of that size take."""
    remaining = (_STEPS_ANYWAY + _STEPS_A_BYTE * file_bytes) // _STEPS_EACH

    def spent() -> bool:
        nonlocal remaining
        remaining -= 1
        return remaining < 0

    connection.set_progress_handler(spent, _STEPS_EACH)


def bound_copy(connection: sqlite3.Connection, file_bytes: int) -> None:
    """Bound steps and pages of a database that is filled from a file of that size."""
    bound_steps(connection, file_bytes)
    bound_pages(connection, _COPY_ANYWAY + _COPY_FACTOR * file_bytes)


def bound_pages(connection: sqlite3.Connection, more_bytes: int) -> None:
    """Let a database grow by so many bytes and no further."""
    page_bytes, pages = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_size", "page_count")
    )
    most = pages + more_bytes // page_bytes
    connection.execute(f"PRAGMA max_page_count = {most}")


def _entries(connection: sqlite3.Connection) -> list[Entry]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    try:
        rows = connection.execute(query).fetchall()
    except UnicodeDecodeError as error:
        # Of SQLite's own complaint, which quotes the damaged schema.
        raise sqlite3.DatabaseError("malformed database schema") from error
    return [(str(row[0]), str(row[1]), str(row[2]), str(row[3] or "")) for row in rows]


def _is_plain(kind: str, _name: str, _table: str, statement: str) -> bool:
    """Whether an entry of the list of migrations holds nothing that runs."""
    return kind in {"table", "index"} and all(
        _PLAIN.fullmatch(word) for word in _words(statement)
    )


@cache
def _expected(applied: frozenset[str]) -> dict[tuple[str, str], tuple[str, object]]:
    """Table and statement of each entry that these migrations make, by type and name."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        for migration in KNOWN:
            for statement in statements(migration) if migration in applied else ():
                new.execute(statement)
        return {
            (kind, name): (table, _words(statement))
            for kind, name, table, statement in _entries(new)
        }


@cache
def _words(statement: str) -> tuple[str, ...]:
    """A statement without its comments and spaces; quoted texts stay as they are."""
    tokens = _TOKEN.findall(statement)
    return tuple(
        token if token[0] in "'\"[`" else token.lower()
        for token in tokens
        if not token.startswith(("--", "/*"))
    )
