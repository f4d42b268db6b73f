"""Paths and secrets leave, everything else stays as it is."""

from __future__ import annotations

import json

import pytest

from core.bundle.redaction import Redactor, secrets_of


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("/home/alice/.cache/build/abs.cpp:12: error", "<path>/abs.cpp:12: error"),
        ("g++ -I/opt/include -L/usr/lib/x", "g++ -I<path>/include -L<path>/x"),
        ("\x1b[1m\x1b[Kfrom /tmp/a/b.h,", "\x1b[1m\x1b[Kfrom <path>/b.h,"),
        ("\x1b[1m/tmp/a/b.h", "\x1b[1m<path>/b.h"),
        ('File "/srv/app/judge.py", line 3', 'File "<path>/judge.py", line 3'),
        (r"C:\Users\Alice\kernel.cpp(3)", r"<path>/kernel.cpp(3)"),
        (
            "Authorization: Bearer abcdefghij0123456789",
            "Authorization: Bearer <secret>",
        ),
        ("key sk-abcdefghij0123456789", "key <secret>"),
        ("https://user:pass@host/v1", "https://<secret>@host/v1"),
        ("api_key = 'abcdefgh1234'", "<secret>'"),
    ],
)
def test_paths_and_secrets_are_taken_out(text: str, kept: str) -> None:
    assert Redactor().text(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "op_kernel/abs_math.cpp:4: error",
        "a/home/b; x = (n)/tmp/k;",
        "https://www.hiascend.com/home/doc/detail",
        "// a comment / another, 1/2",
        "std::vector<int> v; // see /aclnn/x",
        "token = tokens_of(rule_of_the_item);",
        '{"a": 1, "wrong_code": "x"}',
    ],
)
def test_code_and_relative_paths_stay(text: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == text
    assert redactor.changed == 0


def test_paths_are_found_however_deep_json_lies_in_json() -> None:
    inner = json.dumps({"log": "first\n/home/alice/x.cpp"})
    clean = json.loads(Redactor().text(json.dumps({"outer": [inner, 1.5, None]})))
    assert clean["outer"][1:] == [1.5, None]
    assert json.loads(clean["outer"][0]) == {"log": "first\n<path>/x.cpp"}


def test_values_of_secret_variables_are_secrets() -> None:
    found = secrets_of(
        {"MY_API_KEY": "longenough", "TOKEN": "short", "PATH": "/usr/bin:/bin"}
    )
    assert found == ("longenough",)
    assert Redactor(found).text("it said longenough.") == "it said <secret>."
