"""Blame through versions of a kernel, as texts."""

from __future__ import annotations

from core.diff.line_history import Origin, line_history
from core.diff.lines import lines_of

FILL = [
    "int first = Begin(block);",
    "int second = Count(first);",
    "Run(first, second, tail);",
]


def origins(*versions: dict[str, list[str]]) -> dict[str, list[int]]:
    """Path -> version that wrote each line of the last of `versions`, which are numbered from 1."""
    texts = [
        {path: "\n".join(lines) for path, lines in files.items()} for files in versions
    ]
    last = line_history(enumerate(texts, start=1))[-1]
    return {
        path: [origin.version for origin in row] for path, row in last.origins.items()
    }


def test_a_line_keeps_the_round_that_wrote_it_last() -> None:
    first = {"k.cpp": ["a();", "b();", "c();", "d();"]}
    second = {"k.cpp": ["a();", "b2();", "c();", "new();", "d();"]}
    third = {"k.cpp": ["    a();", "b2();", "\tc(); ", "new();", "d(1);"]}
    assert origins(first, second, third) == {"k.cpp": [1, 2, 1, 2, 3]}


def test_moved_code_keeps_its_round_in_another_place_and_another_file() -> None:
    rest = ["void F()", "{", "return;", "}"]
    assert (
        origins({"k.cpp": [*FILL, *rest]}, {"k.cpp": [*rest, *FILL]})["k.cpp"]
        == [1] * 7
    )
    assert origins(
        {"k.cpp": [*FILL, *rest]}, {"k.cpp": rest, "part.h": ["// new", *FILL]}
    ) == {
        "k.cpp": [1, 1, 1, 1],
        "part.h": [2, 1, 1, 1],
    }


def test_code_that_comes_back_keeps_the_round_that_wrote_it() -> None:
    good, bad = (
        {"k.cpp": ["x();", *FILL, "y();"]},
        {"k.cpp": ["x();", "Other(1, 2, 3);", "y();"]},
    )
    assert origins(good, bad, good) == {"k.cpp": [1] * 5}
    again = {"k.cpp": ["x();", *FILL, "y(2);"]}
    assert origins(good, bad, again) == {"k.cpp": [1, 1, 1, 1, 3]}


def test_where_a_line_stood_when_it_was_written_is_kept() -> None:
    version = line_history([(3, {"k.cpp": "a\nb\n"}), (5, {"k.cpp": "new\na\nb\n"})])[1]
    assert version.origins["k.cpp"] == (
        Origin(5, "k.cpp", 0),
        Origin(3, "k.cpp", 0),
        Origin(3, "k.cpp", 1),
    )
    assert version.base == 3
    assert version.own_lines() == {"k.cpp": frozenset({0})}


def test_lines_are_counted_as_editors_count_them() -> None:
    assert lines_of("a\fb\n\n") == ["a\fb", ""]
    assert lines_of("") == []
