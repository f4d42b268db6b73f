"""Nothing that a compiler reads as code is taken for a comment or a string."""

from __future__ import annotations

import subprocess

import pytest

from core.cpp_text import code_in_place, code_of, without_comments
from core.evaluation.integrity.source import read_source
from remote.judge.building.source_text import program_text


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


JOINED = {
    "line comment": "/\\\n/ /*\nread();\n/* */\n",
    "blank after the backslash": "// a \\ \n/*\nread();\n/* */\n",
    "two backslashes": "// a \\\\\n/*\nread();\n/* */\n",
    "escape": 'auto a = "a\\\\\nn"; read(); f("");\n',
    "number": "a = 1\\\n'0; read(); b = 1\\\n'0;\n",
    "name before a raw string": 'X\\\nR"("; read(); X\\\nR")";\n',
    "raw string": 'auto a = R\\\n"(" /* )"; read(); /* */\n',
    "raw string with a backslash": 'auto a = R"()\\\n" /* )"; read(); /* */\n',
    "form feed": "/\\\f\n/ /*\nread();\n/* */\n",
    "carriage return": "int a; // b \rread();\n",
    "quote in a header": '#define A #include <">/*"\nread();\n/* */\n',
}


@pytest.mark.parametrize("text", JOINED.values(), ids=JOINED)
def test_what_is_joined_by_a_backslash_hides_nothing(text: str) -> None:
    """What the preprocessor of the compiler leaves is seen by the rules, and tells two programs apart."""
    assert "read();" in preprocessed(text)
    for left in (code_of(text), code_in_place(text), read_source("a.cpp", text).code):
        assert "read();" in left
    assert len(code_in_place(text)) == len(text)
    assert code_of(text).count("\n") == text.count("\n")
    assert program_text(text) != program_text(text.replace("read", "other"))


def preprocessed(text: str) -> str:
    done = subprocess.run(
        ["g++", "-std=c++17", "-E", "-P", "-xc++", "-w", "-"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


# What stands in none of them may be a line of its own, `read();` and `skipped();` are the compiler's to decide.
CONDITIONS = {
    "off": "#if 0\nskipped();\n#endif\nread();\n",
    "else": "#if 0\nskipped();\n#else // c\nread();\n#endif\n",
    "on": "#if 1\nread();\n#else\nskipped();\n#endif\n",
    "brackets": "# if (0) /* why */\nskipped();\n# endif\nread();\n",
    "inner": "#if 0\n#if A\nskipped();\n#else\nskipped();\n#endif\n#endif\nread();\n",
    "chain": "#if 0\nskipped();\n#elif 1\nread();\n#else\nskipped();\n#endif\n",
    "spliced": "#if 0\nskipped();\n#el\\\nse\nread();\n#endif\n",
    "spliced CRLF": "#if 0\r\nskipped();\r\n#el\\\r\nse\r\nread();\r\n#endif\r\n",
    "no directive": "#if 0\nx \\\n#if 1\n#endif\nread();\n/*\n#endif\n*/\n",
    "after a comment": "#if 0\nx /*\n*/ #if 1\n#endif\nread();\n",
    "directive after a comment": "#if 0\nskipped();\n/*\n*/ #else\nread();\n#endif\n",
    "digraph": "%:if 0\nskipped();\n%:else\nread();\n%:endif\n",
    "lone quote": "#if 0\ndon't /*\n#endif\nread();\n/* '*/\n",
    "lone double quote": '#if 0\nsay "hello /*\n#endif\nread();\n/* " */\n',
    "string": 'auto s = "\\\n#if 0";\nread();\nauto t = "\\\n#endif";\n',
    "raw string": 'auto s = R"(\n#if 0\n)"; read();\nauto t = R"(\n#endif\n)";\n',
    "comment": "/*\n#if 0\n*/\nread();\n/*\n#endif\n*/\n",
    "sum": "#if 0 + 1\nread();\n#endif\n",
    "not": "#if !0\nread();\n#endif\n",
}


@pytest.mark.parametrize("text", CONDITIONS.values(), ids=CONDITIONS)
def test_what_is_switched_off_is_no_code(text: str) -> None:
    """The preprocessor of the compiler is asked as well: nothing that it reads may be hidden."""
    left = preprocessed(text)
    assert "read();" in left
    assert "skipped();" not in left
    assert "read();" in code_of(text)
    assert "skipped();" not in code_of(text)
    assert len(code_in_place(text)) == len(text)
    assert code_of(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "#if 0\nread();\n",
        "#endif\n#if 0\nread();\n#endif\n",
        "#if A\nread();\n#elif B\nread();\n#else\nread();\n#endif\n",
        "#if 0 || A\nread();\n#endif\n",
        "#if 0\n??=else\nread();\n#endif\n",
        "#if 0\n// x \\ \n#if 1\n#endif\nread();\n",
    ],
)
def test_what_may_be_code_stays(text: str) -> None:
    assert code_of(text).count("read();") == text.count("read();")
