"""The items a table lists, as a CSV file in its order."""

from __future__ import annotations

import csv
import sqlite3
from pathlib import Path

from core.memory.views import queries
from core.memory.views.rows import ItemSort, TableFilter
from core.whole_file import whole_file

COLUMNS = (
    "uid",
    "title",
    "type",
    "category",
    "tags",
    "sigma",
    "state",
    "u_m",
    "n_ret",
    "n_ado",
    "operators",
    "p_hat",
    "n_elig",
    "L_m",
    "density",
    "hot_region",
    "pinned",
    "barred",
    "origin",
    "created_at",
)
_BATCH = 2000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def write_table(
    db: sqlite3.Connection,
    table_filter: TableFilter,
    sort: ItemSort,
    path: Path,
    *,
    descending: bool,
) -> int:
    """Write the items a table shows to `path`, replacing it; returns how many there are.

    Raises:
        SageError: The file cannot be written.
    """
    ids = queries.item_ids(db, table_filter, sort, descending=descending)
    with (
        whole_file(path) as draft,
        draft.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for start in range(0, len(ids), _BATCH):
            rows = queries.item_rows(db, part := ids[start : start + _BATCH])
            for item in part:
                if item in rows:
                    writer.writerow(
                        _safe(getattr(rows[item], name)) for name in COLUMNS
                    )
    return len(ids)


def _safe(value: object) -> str:
    """A cell; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if isinstance(value, bool):
        return str(int(value))
    text = " ".join(value) if isinstance(value, tuple) else str(value)
    return (
        f"'{text}"
        if isinstance(value, str | tuple) and text.startswith(_FORMULA)
        else text
    )
