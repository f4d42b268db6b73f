"""What is damaged in a workspace file: structure, references, stored texts and JSON, each named.

SQLite notices a torn page; a byte changed within a text it does not. Texts are stored under their sha256, so
reading them again tells.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from datetime import datetime

from core.text import Text
from core.workspace.errors import CorruptWorkspace
from core.workspace.foreign import missing_entries
from core.workspace.schema import migrate

# Findings of one kind; a file that has more is lost anyway.
MOST = 100

# Where texts are referred to by their sha256, and what they are.
TEXTS = (
    ("episode", "hot_block", "hot memory of an episode"),
    ("round", "evaluation", "evaluation of a round"),
    ("model_call", "prompt", "prompt"),
    ("model_call", "reply", "reply"),
    ("model_call", "reasoning", "reasoning"),
    ("diagnostic", "result", "result of a diagnostic"),
    ("look_up", "answer", "answer of a look-up"),
    ("inquiry", "result", "result of a diagnostic"),
)
# Columns of JSON, and what they hold: an object unless said otherwise.
_JSON = {
    "item": {"code_diff": "object", "scope": "object", "elig_foreign": "object"},
    "content_change": {"fields": "object"},
    "foreign_episode": {"data": "object"},
    "memory_event": {"payload": "object", "inverse": "object"},
    "trajectory": {"parameters": "object"},
    "episode": {"parameters": "object", "residents": "array", "effect": "object"},
    "look_up": {"queries": "array"},
    "candidate": {"files": "object"},
    "hot_snapshot": {"hot_entries": "array"},
}

_ONE_OF = re.compile(r"CHECK \((\w+) IN \(((?:'\w*'(?:, )?)+)\)\)")


def damage(db: sqlite3.Connection) -> tuple[str, ...]:
    """One sentence per thing that is damaged; empty when all is well. Reads the whole file."""
    faults: list[str] = []
    for check in (
        _structure,
        _integrity,
        _unreadable,
        _texts,
        _json,
        _counters,
        _times,
    ):
        try:
            faults += check(db)
        except sqlite3.Error as error:
            faults.append(f"the file cannot be read to its end ({error})")
        if faults and check is not _texts:  # the checks that follow would fail on it
            break
    return tuple(faults)


def stored_text(db: sqlite3.Connection, digest: str) -> str | None:
    """The text stored under `digest`, None when there is none.

    Raises:
        CorruptWorkspace: It is not the text it was; names the file.
    """
    row = db.execute("SELECT data FROM blob WHERE sha256 = ?", (digest,)).fetchone()
    if row is None:
        return None
    data = row[0]
    if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != digest:
        raise damaged(
            db,
            Text(
                "the text {digest}… is not the one that was stored", digest=digest[:12]
            ),
        )
    return data.decode()


def damaged(db: sqlite3.Connection, what: str | Text) -> CorruptWorkspace:
    """The error that says what of which file is damaged."""
    file_of = {name: file for _, name, file in db.execute("PRAGMA database_list")}
    return CorruptWorkspace(
        "{file} is damaged: {what}.",
        "Nothing was changed. `sage memory verify` lists all that is; restore a backup.",
        file=str(file_of.get("main", "")),
        what=what,
    )


def _structure(db: sqlite3.Connection) -> Iterator[str]:
    """Tables, columns, views, triggers and indexes that are not there."""
    present = _columns(db)
    # What a whole file has, a new one tells.
    whole = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(whole)
        expected = _columns(whole)
    finally:
        whole.close()
    for table, columns in expected.items():
        if table not in present:
            yield f"the table {table} is missing"
            continue
        missing = sorted(columns - present[table])
        if missing:
            names = ", ".join(missing)
            yield f"the table {table} lacks {names}"
    for entry in missing_entries(db):
        yield f"the {entry} is missing"


def _columns(db: sqlite3.Connection, kind: str = "%") -> dict[str, set[str]]:
    """Columns of every table, those of one type only when it is named."""
    query = (
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND c.type LIKE ?"
    )
    columns: dict[str, set[str]] = {}
    for table, column in db.execute(query, (kind,)):
        names = columns.setdefault(str(table), set())
        names.add(str(column))
    return columns


def _integrity(db: sqlite3.Connection) -> Iterator[str]:
    """What SQLite itself finds, and columns of fixed words that hold another."""
    for (line,) in db.execute(f"PRAGMA integrity_check({MOST})"):
        if line != "ok":
            yield str(line)
    for row in db.execute("PRAGMA foreign_key_check"):
        table, row_number, other_table = row[:3]
        yield f"{table} row {row_number} refers to a missing row of {other_table}"
    # SQLite leaves CHECK constraints out when the file is open for reading only.
    tables = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    for table, text in tables.fetchall():
        for column, words in _ONE_OF.findall(text):
            wrong = f"SELECT count(*) FROM {table} WHERE {column} NOT IN ({words})"
            count = db.execute(wrong).fetchone()[0]
            if count:
                yield f"{count} values of {table}.{column} are none of {words}"


def _unreadable(db: sqlite3.Connection) -> Iterator[str]:
    """Columns of text that hold bytes which are no UTF-8."""
    columns = [
        (table, name)
        for table, names in _columns(db, "TEXT").items()
        for name in sorted(names)
    ]
    # As bytes: read as text, the first bad value would end the search.
    reader = db.text_factory
    db.text_factory = bytes
    try:
        for table, column in columns:
            rows = db.execute(f'SELECT "{column}" FROM "{table}"')
            # One by one: the texts of a column may be larger than memory.
            bad = sum(
                isinstance(value, bytes) and not _is_text(value) for (value,) in rows
            )
            if bad:
                yield f"{bad} values of {table}.{column} are no text"
    finally:
        db.text_factory = reader


def _counters(db: sqlite3.Connection) -> Iterator[str]:
    """Counters of the file that are missing, no number, or behind what they count."""
    meta = dict(db.execute("SELECT key, value FROM meta").fetchall())
    if not meta.get("bank_id"):
        yield "meta.bank_id, the identity of the memory, is missing"
    least = {
        "seq": "SELECT max(coalesce((SELECT max(seq) FROM memory_event), 0), "
        "coalesce((SELECT max(seq) FROM episode), 0))",
        "episodes_applied": "SELECT count(*) FROM episode WHERE status = 'applied'",
        "index_seq": "SELECT 0",
    }
    for key, query in least.items():
        value = str(meta.get(key, ""))
        if not value.isascii() or not value.isdecimal():
            yield f"meta.{key} is {value!r}, not a number"
            continue
        smallest = db.execute(query).fetchone()[0]
        if int(value) < smallest:
            yield f"meta.{key} is {value}, but {smallest} were written"


def _times(db: sqlite3.Connection) -> Iterator[str]:
    """Columns of times that hold something else."""
    for table, columns in _columns(db, "TEXT").items():
        for column in sorted(columns):
            if column != "at" and not column.endswith("_at"):
                continue
            rows = db.execute(
                f"SELECT DISTINCT {column} FROM {table} WHERE {column} <> ''"
            )
            values = [str(value) for (value,) in rows]
            wrong = [value for value in values if not _is_time(value)]
            if wrong:
                count = len(wrong)
                first = wrong[0][:40]
                yield f"{count} values of {table}.{column} are no time: {first!r}"


def _is_time(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _texts(db: sqlite3.Connection) -> Iterator[str]:
    """Stored texts that are not what their name says, or that are referred to and not there."""
    bad = []
    for digest, data in db.execute("SELECT sha256, data FROM blob"):
        if hashlib.sha256(bytes(data)).hexdigest() != digest:
            bad.append(str(digest))
    for digest in bad[:MOST]:
        name = f"{digest[:12]}…"
        use = _use_of(db, digest)
        yield f"the text {name} ({use}) is not the one that was stored"
    for table, column, what in TEXTS:
        missing = db.execute(
            f"SELECT DISTINCT {column} FROM {table} WHERE {column} <> '' "
            f"AND {column} NOT IN (SELECT sha256 FROM blob) LIMIT {MOST}"
        )
        for (digest,) in missing:
            name = f"{str(digest)[:12]}…"
            yield f"the text {name} ({what}) is missing"


def _use_of(db: sqlite3.Connection, digest: str) -> str:
    """What the text under `digest` is, for a person who looks what is lost."""
    for table, column, what in TEXTS:
        if db.execute(
            f"SELECT 1 FROM {table} WHERE {column} = ?", (digest,)
        ).fetchone():
            return what
    if db.execute(
        "SELECT 1 FROM candidate WHERE instr(files, ?)", (digest,)
    ).fetchone():
        return "source of a kernel"
    return "used nowhere"


def _json(db: sqlite3.Connection) -> Iterator[str]:
    """Columns of JSON that hold something else."""
    for table, columns in _JSON.items():
        for column, kind in columns.items():
            stored_kind = (
                f"CASE WHEN json_valid({column}) THEN json_type({column}) ELSE '' END"
            )
            query = (
                f"SELECT count(*) FROM {table} "
                f"WHERE {column} <> '' AND {stored_kind} <> '{kind}'"
            )
            count = db.execute(query).fetchone()[0]
            if count:
                yield f"{count} values of {table}.{column} are not the JSON they were"
