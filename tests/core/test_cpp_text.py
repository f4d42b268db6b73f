"""Nothing that a compiler reads as code is taken for a comment or a string."""

from __future__ import annotations

import pytest

from core.cpp_text import without_comments
from core.evaluation.integrity.source import read_source


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('auto s = "//"; f();', 'auto s = "//"; f();'),
        ('auto s = "/*"; f(); auto t = "*/";', 'auto s = "/*"; f(); auto t = "*/";'),
        ('auto s = "\\"//"; f(); // g', 'auto s = "\\"//"; f();  '),
        ("char c = '\"'; f(); // \"", "char c = '\"'; f();  "),
        ("int n = 1'000; f(); int m = 2'000;", "int n = 1'000; f(); int m = 2'000;"),
        ('auto s = R"x(//)x"; f();', 'auto s = R"x(//)x"; f();'),
        ('PAIR"("; f(); PAIR")";', 'PAIR"("; f(); PAIR")";'),
        ("a // b \\\n c\nd", "a  \n\nd"),
        ("a /* b\nc */ d", "a  \n d"),
        ("a /* b", "a  "),
    ],
)
def test_only_comments_go_and_lines_stay(text: str, left: str) -> None:
    assert without_comments(text) == left


@pytest.mark.parametrize(
    "code",
    [
        "a = 1'0; Sigmoid(y, x, 8); b = 1'0;",
        'XR"("; Sigmoid(y, x, 8); XR")";',
        '"//", Sigmoid(y, x, 8)',
    ],
)
def test_no_literal_hides_code_from_the_integrity_rules(code: str) -> None:
    assert "Sigmoid(y, x, 8)" in read_source("op_kernel/a.cpp", code).code
