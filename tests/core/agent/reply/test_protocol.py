"""Replies are read tolerantly and understood strictly: each deviation is named, nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.reply.candidate_files import check_path, elided_line
from core.agent.reply.protocol import read_diagnosis, read_reply, render_files
from core.agent.reply.reply_edits import combine
from core.evaluation.candidate_names import name_fault

WHOLE = """Here is my answer.

## Diagnosis
The tail of 7 floats is dropped.
```cpp
## Files is only a comment here
```

## Adoption
- [seed-0001] adopted: DataCopyPad for the tail
  in both directions
- [seed-0002] not_adopted: no cube unit involved

## Resident rules used
- [seed-0009]: queue pairs

## Files
### op_kernel/abs_math.cpp
```cpp
int a;  // values 0 ... 7
```
"""


def rules(text: str) -> list[str]:
    return [complaint.rule for complaint in read_reply(text).complaints]


def test_a_complete_reply_is_understood() -> None:
    reply = read_reply(WHOLE)
    assert reply.complaints == ()
    assert reply.diagnosis.startswith("The tail of 7 floats")
    assert [(claim.uid, claim.adopted) for claim in reply.adoption] == [
        ("seed-0001", True),
        ("seed-0002", False),
    ]
    assert reply.adoption[0].rationale == "DataCopyPad for the tail in both directions"
    assert [use.uid for use in reply.resident] == ["seed-0009"]
    assert reply.files == {"op_kernel/abs_math.cpp": "int a;  // values 0 ... 7\n"}


@pytest.mark.parametrize(
    "variant",
    [
        WHOLE.replace("## ", "# "),
        WHOLE.replace("## Files\n###", "## FILES:\n##"),
        WHOLE.replace("- [seed", "* **[seed")
        .replace("] adopted", "]** Adopted")
        .replace("] not_", "]** Not "),
        WHOLE.replace("### op_kernel/abs_math.cpp", "**`op_kernel/abs_math.cpp`**"),
        WHOLE.replace(
            "### op_kernel/abs_math.cpp\n",
            "### File: op_kernel/abs_math.cpp\n\nThe kernel, e.g. so.\n\n",
        ),
        WHOLE.replace("\n", "\r\n"),
        WHOLE.replace("```", "~~~~"),
    ],
)
def test_the_form_is_free_where_the_meaning_is_clear(variant: str) -> None:
    reply = read_reply(variant)
    assert reply.complaints == ()
    assert [claim.adopted for claim in reply.adoption] == [True, False]
    assert list(reply.files) == ["op_kernel/abs_math.cpp"]


def test_longer_fences_carry_files_that_contain_fences() -> None:
    body = 'const char *help = R"(\n```\n)";\n'
    assert read_reply("## Files\n" + render_files({"op_host/a.cpp": body})).files == {
        "op_host/a.cpp": body
    }


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("## Files\n### op_kernel/a.cpp\n```cpp\nint a;\n", "truncated"),
        ("## Files\n### /etc/passwd.cpp\n```\nx\n```", "path"),
        ("## Files\n### op_kernel/../../x.cpp\n```\nx\n```", "path"),
        ("## Files\n### op_host/build.sh\n```\nx\n```", "path"),
        ("## Files\n### kernel.cpp\n```\nx\n```", "path"),
        ("## Files\n```cpp\nint a;\n```", "file-unnamed"),
        ("## Files\n### op_kernel/a.cpp\n```\n\n```", "file-empty"),
        ("## Files\n### op_kernel/a.cpp\nsee above", "file-empty"),
        ("## Files\nnothing to change", "files-empty"),
        (
            "## Files\n### op_kernel/a.cpp\n```\nx\n```\n### op_kernel/a.cpp\n```\ny\n```",
            "file-twice",
        ),
        (
            "## Files\n### op_kernel/a.cpp\n```\nint a;\n// ... existing code ...\n```",
            "elided",
        ),
        (
            "## Files\n### op_kernel/a.cpp\n```\nint a;\n// rest of the class unchanged ...\n```",
            "elided",
        ),
        ("## Adoption\n- [m1] maybe useful", "adoption-unreadable"),
        ("## Adoption\n- [m1] adopted", "rationale-missing"),
        ("## Adoption\n- [m1] adopted: a\n- [m1] not_adopted: b", "adoption-twice"),
        (
            "## Done\nfast enough\n## Files\n### op_kernel/a.cpp\n```\nx\n```",
            "done-with-files",
        ),
    ],
)
def test_each_deviation_gives_exactly_one_complaint(text: str, rule: str) -> None:
    assert rules(text) == [rule]


def test_a_refused_file_is_not_among_the_files() -> None:
    assert read_reply("## Files\n### op_kernel/a.cpp\n```\n// ...\n```").files == {}


def test_ordinary_comments_with_dots_are_code() -> None:
    assert (
        elided_line(
            "// handles rows 0 ... n-1\nfoo(a, ...);\n/* see the manual */\n#define X(...) 1\n"
        )
        == 0
    )


def test_a_diagnosis_reply_without_heading_is_all_diagnosis() -> None:
    assert (
        read_diagnosis("UB overflows in InitBuffer.") == "UB overflows in InitBuffer."
    )
    assert read_diagnosis("Sure!\n## Diagnosis\nUB overflows.") == "UB overflows."


def test_a_correction_may_speak_only_of_what_was_wrong() -> None:
    first = read_reply(
        "## Diagnosis\nd\n## Adoption\n- [m1] adopted: x\n## Files\n### op_kernel/a.cpp\n```\n// ...\n```\n"
        "### op_host/a.cpp\n```\nhost\n```"
    )
    silent = combine(first, read_reply("## Adoption\n- [m2] not_adopted: y"))
    assert [complaint.rule for complaint in silent.complaints] == ["elided"], (
        "a refused file is not lost"
    )
    fixed = combine(
        silent, read_reply("## Files\n### op_kernel/a.cpp\n```\nkernel\n```")
    )
    assert fixed.complaints == ()
    assert fixed.files == {"op_host/a.cpp": "host\n", "op_kernel/a.cpp": "kernel\n"}
    assert [claim.uid for claim in fixed.adoption] == ["m1", "m2"]


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    read_reply(text)


@given(
    st.dictionaries(
        st.from_regex(r"op_(host|kernel)/[a-z_]{1,8}\.(cpp|h)", fullmatch=True).filter(
            lambda path: not name_fault(path)  # nul.cpp is a device elsewhere
        ),
        st.text("ab`~\n {", min_size=1),
    )
)
def test_rendered_files_are_read_back_verbatim(files: dict[str, str]) -> None:
    wanted = {
        path: body if body.endswith("\n") else body + "\n"
        for path, body in files.items()
        if body.strip()
    }
    assert read_reply("## Files\n" + render_files(wanted)).files == wanted


@pytest.mark.parametrize(
    "text",
    [
        "# a{} b",
        "## Files\n### op_kernel/k.cpp\n```cpp\n// a{} b\n```\n",
        "## Diagnostic\nrace{} !\n",
    ],
)
def test_wide_lines_are_read_at_once(text: str) -> None:
    """Expressions with two readings of a blank took hours for as many."""
    blanks = " " * 50_000
    read_reply(text.format(blanks))


@pytest.mark.parametrize(
    "path", ["op_kernel/a.cpp", "op_host/sub/b_tiling.h", "op_kernel/c.hpp"]
)
def test_good_paths(path: str) -> None:
    assert check_path(path) == ""
