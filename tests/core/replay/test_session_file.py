"""A session file is read whole or refused by row and field; what is written can be read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.replay.session_file import (
    SessionReply,
    parse_session,
    read_session,
    render_session,
    write_session,
)
from tests.core.agent.scripted import session


def rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in render_session(session()).splitlines()]


def parse(changed: list[dict[str, object]]) -> None:
    parse_session("\n".join(json.dumps(row) for row in changed), "demo.jsonl")


def test_written_sessions_are_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_session(path, session())
    assert read_session(path) == session()
    assert path.read_text(encoding="utf-8") == render_session(read_session(path))


@pytest.mark.parametrize(
    ("row", "field", "value", "named"),
    [
        (0, "format", 2, "row 1: format"),
        (0, "origin", "live", "row 1: origin"),
        (0, "operators", ["AbsMath", "Nope"], "operators"),
        (0, "kind", "item", "row 1: kind"),
        (2, "title", 7, "row 3: title"),
        (2, "colour", "red", "row 3: colour"),
        (2, "summary", "edited", "bank_sha256"),
        (2, "uid", "seed-0001", "bank_sha256"),
        (6, "purpose", "chat", "row 7: purpose"),
        (6, "round", 0, "row 7: round"),
        (6, "objective", "fast", "row 7: objective"),
        (6, "retrieved", ["seed-0001", "zz"], "retrieved"),
        (6, "kind", "answer", "row 7: kind"),
    ],
)
def test_a_wrong_row_is_named_with_its_field(
    row: int, field: str, value: object, named: str
) -> None:
    changed = rows()
    changed[row][field] = value
    with pytest.raises(InvalidInput) as refused:
        parse(changed)
    assert named in str(refused.value)
    assert "demo.jsonl" in str(refused.value)


def test_garbage_and_doubles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="row 1"):
        parse_session("not json", "x")
    with pytest.raises(InvalidInput, match="empty"):
        parse_session("", "x")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_session(tmp_path / "missing.jsonl")
    with pytest.raises(InvalidInput, match="appears twice"):
        parse([*rows(), rows()[-1]])


def test_an_unreadable_session_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    wrong = replace(
        session(),
        replies=(SessionReply("AbsMath", "corr", 1, "candidate", "t", 0, ("zz",)),),
    )
    with pytest.raises(InvalidInput):
        write_session(path, wrong)
    assert not path.exists()
