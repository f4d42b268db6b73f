"""Ways in which a workspace file gets damaged, each repeatable by its seed."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path


def flip_bytes(path: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(dice.choice((1, 8, 64, 400))):
        data[dice.randrange(100, len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def flip_header(path: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[dice.randrange(100)] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def truncate(path: Path, dice: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: dice.randrange(len(data))])


def zero_page(path: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    page = dice.randrange(1, len(data) // 4096)
    data[page * 4096 : (page + 1) * 4096] = bytes(4096)
    path.write_bytes(data)


def drop_table(path: Path, dice: random.Random) -> None:
    with _opened(path) as db:
        names = [
            row[0]
            for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        db.execute(f'DROP TABLE "{dice.choice(names)}"')


def drop_column(path: Path, dice: random.Random) -> None:
    with _opened(path) as db:
        for table, column in dice.sample(_columns(db), 60):
            try:
                db.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"')
            except sqlite3.Error:
                continue
            return


def wrong_values(path: Path, dice: random.Random) -> None:
    values = [
        "",
        "x",
        "{",
        "[]",
        "null",
        "{}",
        '{"a": []}',
        -1,
        1 << 62,
        0.5,
        b"\xff\xfe",
        "\x1b]0;x\x07",
        "[" * 5000,
        '{"a":' * 3000,
        "nan",
        "é" * 100,
    ]
    with _opened(path) as db:
        db.execute("PRAGMA writable_schema = 1")
        db.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')') WHERE type = 'table'"
        )
        db.commit()
    with _opened(path) as db:
        db.execute("PRAGMA ignore_check_constraints = 1")
        for table, column in dice.sample(_columns(db), 40):
            try:
                db.execute(
                    f'UPDATE "{table}" SET "{column}" = ?', (dice.choice(values),)
                )
            except sqlite3.Error:
                continue


def no_text(path: Path, dice: random.Random) -> None:
    with _opened(path) as db:
        for table, column in dice.sample(_columns(db, "TEXT"), 8):
            try:
                db.execute(
                    f'UPDATE "{table}" SET "{column}" = CAST(x\'61ff62\' AS TEXT)'
                )
            except sqlite3.Error:
                continue


def damage_texts(path: Path, dice: random.Random) -> None:
    with _opened(path) as db:
        for (digest,) in db.execute("SELECT sha256 FROM blob").fetchall():
            if dice.random() < 0.5:
                junk = dice.choice(
                    (b"", b"\xff\x00", b"{}", b"[[[", b"null", b"x" * 1000)
                )
                db.execute("UPDATE blob SET data = ? WHERE sha256 = ?", (junk, digest))


def lose_texts(path: Path, dice: random.Random) -> None:
    with _opened(path) as db:
        db.execute("DELETE FROM blob WHERE abs(random() % 2) = 0")


def wrong_words(path: Path, dice: random.Random) -> None:
    """Values of the right type that no release wrote."""
    with _opened(path) as db:
        db.execute("PRAGMA ignore_check_constraints = 1")
        for table, column in (
            ("item", "origin"),
            ("item", "state"),
            ("item", "sigma"),
            ("trace", "state"),
            ("round", "verdict"),
            ("round", "step"),
            ("trajectory", "provider_origin"),
            ("trajectory", "latency_origin"),
            ("model_call", "purpose"),
            ("round", "latency_origin"),
            ("queue_entry", "state"),
            ("episode", "objective"),
            ("job", "purpose"),
            ("memory_event", "kind"),
            ("meta", "value"),
        ):
            if dice.random() < 0.4:
                db.execute(
                    f"UPDATE {table} SET {column} = ?",
                    (dice.choice(("", "pbss", "9" * 50, "\x00")),),
                )


def odd_records(path: Path, dice: random.Random) -> None:
    """JSON of the right outer kind with other things in it."""
    odd = [
        {"a": 1},
        {"code_diff": 5},
        {"1": {"u_m": "x"}},
        {"set": {"1": 5}},
        {"soc": "x"},
        {"op_host/a": 7},
    ]
    with _opened(path) as db:
        for table, column in (
            ("item", "code_diff"),
            ("item", "scope"),
            ("item", "elig_foreign"),
            ("memory_event", "payload"),
            ("memory_event", "inverse"),
            ("trajectory", "parameters"),
            ("episode", "parameters"),
            ("episode", "effect"),
            ("candidate", "files"),
            ("content_change", "fields"),
        ):
            if dice.random() < 0.5:
                db.execute(
                    f"UPDATE OR IGNORE {table} SET {column} = ?",
                    (json.dumps(dice.choice(odd)),),
                )


WAYS: tuple[Callable[[Path, random.Random], None], ...] = (
    flip_bytes,
    flip_header,
    truncate,
    zero_page,
    drop_table,
    drop_column,
    wrong_values,
    no_text,
    damage_texts,
    lose_texts,
    wrong_words,
    odd_records,
)


class _opened:  # noqa: N801 - reads as a statement
    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path)

    def __enter__(self) -> sqlite3.Connection:
        return self._db

    def __exit__(self, *_: object) -> None:
        self._db.commit()
        self._db.close()


def _columns(db: sqlite3.Connection, kind: str = "%") -> list[tuple[str, str]]:
    query = (
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND c.type LIKE ? AND m.name NOT LIKE 'sqlite%'"
    )
    return [(row[0], row[1]) for row in db.execute(query, (kind,))]
