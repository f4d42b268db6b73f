"""Rows as records: what SQLite cannot say becomes what the record says, and a wrong value is named."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec
import pytest

from core.analysis import queries
from core.workspace import Workspace
from core.workspace.rows import rows_as


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Thing:
    name: str
    colour: Colour
    works: bool
    share: float | None
    parts: tuple[str, ...] | None


def _things(values: str) -> tuple[Thing, ...]:
    db = sqlite3.connect(":memory:")
    try:
        cursor = db.execute(
            f"WITH t(share, name, colour, works, parts, more) AS (VALUES {values}) SELECT * FROM t"
        )
        return rows_as(cursor, Thing, json=("parts",))
    finally:
        db.close()


def test_columns_are_taken_by_name() -> None:
    found = _things(
        """(0.5, 'a', 'red', 1, '["x", "y"]', 7), (NULL, '1', 'red', 0, NULL, 7)"""
    )
    assert found == (
        Thing("a", Colour.RED, works=True, share=0.5, parts=("x", "y")),
        Thing("1", Colour.RED, works=False, share=None, parts=None),
    )


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ("(1, 'a', 'blue', 1, '[]', 0)", "colour"),
        ("(1, NULL, 'red', 1, '[]', 0)", "name"),
        ("(1, 'a', 'red', 2, '[]', 0)", "works"),
    ],
)
def test_a_value_the_record_cannot_hold_is_named(values: str, named: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=rf"\.{named}`"):
        _things(values)


def test_a_changed_workspace_is_called_damaged_and_not_a_mistake_of_ours(
    tmp_path: Path,
) -> None:
    with Workspace.open(tmp_path / "w.sage") as workspace:
        workspace.db.execute(
            "INSERT INTO queue_entry(operator, position, enqueued_at) VALUES ('Abs', 1, '')"
        )
        workspace.db.execute("UPDATE queue_entry SET cancel_requested = 7")
        with pytest.raises(msgspec.ValidationError) as error:
            queries.queue_rows(workspace.db, [1])
        told = workspace.explained(error.value)
    assert told is not None
    assert "w.sage is damaged" in str(told)
