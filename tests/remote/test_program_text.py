"""What may change in a source without a new compile: comments and blanks, never tokens or line numbers."""

from __future__ import annotations

import pytest

from remote.judge.building.source_text import program_text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("int a;  // old\nint b;\n", "int a; // new words\nint b;\n"),
        ("int a;\nint b;\n", "int a;   \nint b; // b\n"),
        ("    f(a,  b);\n", "\tf(a, b); /* said */\n"),
        ("int a;\n#define B\n", "  int a;\n  #define B // b\n"),
        ("\nint a;\n", "  // said\n /* so */ int a;\n"),
        ("/* one\n two */ int a;\n", "/* 1\n 2 */ int a;\n"),
        ("int n = 1'000; // 'x\n", "int n = 1'000; // y\n"),
    ],
)
def test_comments_and_blanks_make_no_other_program(one: str, other: str) -> None:
    assert program_text(one) == program_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("int a;\n", "int b;\n"),
        ("int a;\nint b;\n", "// said\nint a;\nint b;\n"),  # findings name lines
        ('f("a  b");\n', 'f("a b");\n'),
        ('f("// a");\n', 'f("// b");\n'),
        ('char q = \'"\', *s = "// a";\n', 'char q = \'"\', *s = "// b";\n'),
        ('f(R"x(a\n  b // c)x");\n', 'f(R"x(a\n b // d)x");\n'),
        ("#define X /* \n */ 1\n", "#define X\n 1\n"),
        ("#define F(x) x\n", "#define F (x) x\n"),
        ("int a; // so \\\nint b;\n", "int a; // so \\\nint c;\n"),
        ("int x\\\n  y;\n", "int x\\\ny;\n"),
        ("#include <a//b.h>\n", "#include <a//c.h>\n"),
        ("a = b+ +c;\n", "a = b++c;\n"),
        (
            "int n = 1'0; char c = '/'; int d; // x'\n",
            "int n = 1'0; char c = '/'; int e; // x'\n",
        ),
    ],
)
def test_whatever_the_compiler_reads_makes_another_program(
    one: str, other: str
) -> None:
    assert program_text(one) != program_text(other)
