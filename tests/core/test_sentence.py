"""Sentences: what is filled in, what is written down, and what a foreign file may not make of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.sentence import Sentence, from_json, heard, to_json
from core.workspace.sentences import keep, made

FOUND = Sentence("{found!r} of {file}", found=["a", 1], file=Path("x.cpp"))


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE sentence(text TEXT PRIMARY KEY, made TEXT NOT NULL)"
    )
    yield connection
    connection.close()


def test_a_value_that_is_no_text_is_shown_the_same_when_changed_or_stored(
    db: sqlite3.Connection,
) -> None:
    assert FOUND == "['a', 1] of x.cpp"
    assert FOUND.map(lambda text: text) == FOUND
    again = from_json(to_json(FOUND))
    assert (again, again.template) == (FOUND, FOUND.template)
    assert (
        again.map(lambda text: text.replace("{found!r} of", "{found!r} von"))
        == "['a', 1] von x.cpp"
    )
    stored = made(db, keep(db, FOUND))
    assert isinstance(stored, Sentence)
    assert stored == FOUND


@pytest.mark.parametrize(
    ("template", "fields"),
    [
        ("{a.__class__.__init__}", {"a": "x"}),
        ("{a[0]}", {"a": "x"}),
        ("{a:999999999}", {"a": 1}),
        ("{a:.999999999f}", {"a": 1.5}),
        ("{a:{b}}", {"a": 1, "b": "999999999"}),
        ("{a:e}", {"a": 10**400}),
        ("{a:d}", {"a": "text"}),
        ("{missing}", {"a": 1}),
        ("{}", {"a": 1}),
        ("{a", {"a": 1}),
        ("{a}" * 10_000, {"a": "x" * 10_000}),
        ("{a}", {"a": [1]}),
        ("{a}", ["a"]),
        (5, {"a": 1}),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_hostile_template_is_no_sentence(
    db: sqlite3.Connection, template: object, fields: object
) -> None:
    stored = json.dumps({"template": template, "fields": fields})
    with pytest.raises(
        ValueError, match=r"sentence|longer|field|invalid|Unknown|format|brace|'\}'"
    ):
        from_json(stored)
    db.execute("INSERT INTO sentence VALUES ('the text', ?)", (stored,))
    assert made(db, "the text") == "the text"


def test_a_making_that_says_something_else_or_never_ends_is_left_aside(
    db: sqlite3.Connection,
) -> None:
    nested = '{"template": "{a}", "fields": {"a": ' * 5_000 + "1" + "}}" * 5_000
    db.execute("INSERT INTO sentence VALUES ('deep', ?)", (nested,))
    db.execute(
        "INSERT INTO sentence VALUES ('3 passed', ?)",
        (to_json(Sentence("{n} failed", n=3)),),
    )
    assert made(db, "deep") == "deep"
    said = made(db, "3 passed")
    assert said == "3 passed"
    assert not isinstance(said, Sentence)


@pytest.mark.parametrize(
    "line",
    [
        "plain",
        "3 passed\x1fno JSON",
        '3 passed\x1f{"template": "{n} failed", "fields": {"n": 3}}',
        "\x1f",
    ],
)
def test_a_line_of_a_host_says_what_it_says_in_english(line: str) -> None:
    """The kernel judged there may print anything."""
    found = heard(line)
    assert found == line.partition("\x1f")[0]
    assert not isinstance(found, Sentence)


def test_a_line_of_a_host_tells_how_it_was_made() -> None:
    found = heard("3 passed\x1f" + to_json(Sentence("{n} passed", n=3)))
    assert isinstance(found, Sentence)
    assert (found, found.template, found.fields) == ("3 passed", "{n} passed", {"n": 3})
