"""How the texts of a workspace were made: beside a column's English its template and fields, once per text.

Columns hold plain English, for other programs and for releases that know no templates. A text that was
written before has nothing here and is shown as it stands.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from core.sentence import Sentence, from_json, to_json

Row = TypeVar("Row")


def keep(db: sqlite3.Connection, text: str) -> str:
    """Note how `text` was made, in the transaction of the caller; returns it, for its column."""
    if isinstance(text, Sentence) and text.fields:
        db.execute(
            "INSERT OR IGNORE INTO sentence VALUES (?, ?)", (text, to_json(text))
        )
    return text


def kept(db: sqlite3.Connection, rows: Iterable[Row], *columns: str) -> tuple[Row, ...]:
    """Frozen records with those of their texts as sentences whose making is known."""
    return tuple(
        replace(
            row,
            **{
                name: made(db, getattr(row, name))
                for name in columns
                if getattr(row, name)
            },
        )  # type: ignore[type-var]
        for row in rows
    )


def made(db: sqlite3.Connection, text: str) -> str:
    """`text` as a sentence where its making is known.

    The file may come from elsewhere: what is no sentence, or says something else, is left aside.
    """
    found = db.execute("SELECT made FROM sentence WHERE text = ?", (text,)).fetchone()
    if found is None:
        return text
    try:
        sentence = from_json(found[0])
    except ValueError:
        return text
    return sentence if sentence == text else text
