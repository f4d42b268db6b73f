"""Rows by the names of their columns: those of a query as frozen records, and those that are written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from json import dumps
from typing import Any, TypeVar

Row = TypeVar("Row")
LISTED = "(SELECT value FROM json_each(?))"  # behind IN; `listed` gives the parameter
Value = str | bytes | int | float | None


def listed(values: Iterable[int | str]) -> str:
    """Any number of values as the one parameter of `LISTED`."""
    return dumps(list(values))


def named(cursor: sqlite3.Cursor, *, json: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the rows that are left of a query, column -> value.

    Args:
        cursor: Of any connection.
        json: Columns whose text is JSON; they are decoded, NULL stays None.

    Raises:
        msgspec.DecodeError: A text is not JSON.
    """
    # Imported here: it needs msgspec, and windows paint before the first question.
    from core.records_json import (
        decode,
    )

    columns = [column[0] for column in cursor.description]
    rows = [dict(zip(columns, row, strict=True)) for row in cursor]
    for row in rows if json else ():
        row |= {
            name: decode(row[name], object) for name in json if row[name] is not None
        }
    return rows


def rows_as(
    cursor: sqlite3.Cursor, kind: type[Row], *, json: Sequence[str] = ()
) -> tuple[Row, ...]:
    """Return the rows that are left of a query as records; other columns than those of `kind` are let be.

    SQLite has no booleans: 0 and 1 become what the record says. NULL is None.

    Raises:
        msgspec.ValidationError: A value is none of the record's; names the column. See `Workspace.explained`.
    """
    from core.records_json import convert

    return convert(named(cursor, json=json), kind)


def row_as(cursor: sqlite3.Cursor, kind: type[Row]) -> Row | None:
    """Return the first row of a query as a record, None when there is none."""
    return next(iter(rows_as(cursor, kind)), None)


def insert(
    db: sqlite3.Connection, table: str, conflict: str = "", /, **columns: Value
) -> int:
    """Write one row and return its rowid.

    Args:
        db: In a transaction.
        table: A name of ours.
        conflict: What becomes of a row with the key of one that is there: `ignore`, `replace`, else an error.
        columns: Value of each; those left out get their default.
    """
    verb = f"INSERT OR {conflict}" if conflict else "INSERT"
    marks = ", ".join("?" * len(columns))
    statement = f"{verb} INTO {table}({', '.join(columns)}) VALUES ({marks})"
    return int(db.execute(statement, tuple(columns.values())).lastrowid or 0)


def update(
    db: sqlite3.Connection, table: str, key: Mapping[str, Value], **columns: Value
) -> None:
    """Set columns of the rows whose columns equal those of `key`; names are ours."""
    changes = ", ".join(f"{name} = ?" for name in columns)
    condition = " AND ".join(f"{name} = ?" for name in key)
    db.execute(
        f"UPDATE {table} SET {changes} WHERE {condition}",
        (*columns.values(), *key.values()),
    )
