"""Edits apply exactly or not at all; cut-off replies are known as such; the best kernel can be the base."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.reply.edits import Edit, EditRefused, apply_edits, read_edits
from core.agent.reply.protocol import read_diagnosis, read_reply
from core.agent.reply.reply_edits import apply_reply_edits, combine
from core.agent.run.records import CorrectionAsked, StopKind
from core.models.port import TRUNCATED, ModelRequest, Purpose
from tests.core.agent.scripted import Model, files, reply_text
from tests.scenario import PlayedOperator

KERNEL = "op_kernel/abs_math.cpp"


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def edit_reply(*edits: str, head: str = "") -> str:
    return f"{head}## Files\n### {KERNEL}\n```\n{''.join(edits)}```\n"


def test_edits_are_applied_one_after_the_other() -> None:
    edits = read_edits(block("b\n", "B\nC\n") + "\n" + block("C\n", ""))
    assert apply_edits("a\nb\nc\n", edits) == "a\nB\nc\n"


@pytest.mark.parametrize(
    ("text", "old", "said"),
    [
        ("int a;\nint b;\n", "int  a;\n", "closest line there is 'int a;'"),
        ("int a;\nint a;\n", "int a;\n", "2 times"),
        ("    int a;\n", "int a;\n", "does not stand in the file exactly"),
        ("int a;\r\n", "int a;\n", "does not stand in the file exactly"),
    ],
)
def test_what_does_not_stand_there_exactly_once_is_refused(
    text: str, old: str, said: str
) -> None:
    with pytest.raises(EditRefused, match=said):
        apply_edits(text, (Edit(old, "x\n"),))


def test_long_lines_are_compared_by_their_beginning() -> None:
    """Character by character a reply of such lines would take hours."""
    letters = "".join(chr(0x4E00 + number) for number in range(300))
    line = letters * 1000
    with pytest.raises(EditRefused, match="The closest line there is") as refused:
        apply_edits(f"{line}\n", (Edit(f"x{line}\n", ""),))
    assert len(str(refused.value)) < 500


def test_so_many_edits_are_no_edit() -> None:
    edits = (Edit("a\n", "a\n"),) * 501
    with pytest.raises(EditRefused, match="send it whole"):
        apply_edits("a\n", edits)


@pytest.mark.parametrize(
    ("text", "old", "said"),
    [
        (
            "int a;\nint b;\n",
            "int a;\nint c;\n",
            "line 2 of it, 'int c;': line 2 of the file is 'int b;'",
        ),
        (
            "x;\nint a;\n\tint b;\n",
            "int a;\n    int b;\n",
            "line 3 of the file is '\\tint b;'",
        ),
        (
            "a;\nx;\na;\nb;\nc;\n",
            "a;\nb;\nd;\n",
            "line 3 of it, 'd;': line 5 of the file is 'c;'",
        ),
        ("a;\nb;", "a;\nb;\nc;\n", "file ends where line 3 of it, 'c;', should stand"),
        ("    int a;\n", "int a;\n", "closest line there is '    int a;'"),
    ],
)
def test_a_refused_edit_names_the_first_line_that_differs(
    text: str, old: str, said: str
) -> None:
    with pytest.raises(EditRefused) as refused:
        apply_edits(text, (Edit(old, "x\n"),))

    assert said in str(refused.value)


def test_a_file_lies_in_few_folders() -> None:
    path = f"op_kernel/{'d/' * 2000}x.h"
    reply = read_reply(f"## Files\n### {path}\n```\nint a;\n```\n")
    assert path not in reply.files
    assert "folders" in "".join(str(each) for each in reply.complaints)


def test_several_blocks_under_one_path_are_one_list_of_edits() -> None:
    blocks = "".join(
        f"```\n{block(old, new)}```\nand\n"
        for old, new in (("a\n", "A\n"), ("b\n", "B\n"))
    )

    reply = apply_reply_edits(
        read_reply(f"## Files\n### {KERNEL}\n{blocks}"), {KERNEL: "a\nb\n"}
    )

    assert reply.complaints == ()
    assert reply.files == {KERNEL: "A\nB\n"}


@pytest.mark.parametrize(
    "text",
    [
        "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\na\n=======\nb\n",
        "<<<<<<< SEARCH\n\n=======\nb\n>>>>>>> REPLACE\n",
        block("a\n", "b\n") + "trailing words\n",
    ],
)
def test_unreadable_edits_are_refused(text: str) -> None:
    with pytest.raises(EditRefused):
        read_edits(text)


def test_edits_of_a_reply_become_whole_files() -> None:
    base = {KERNEL: "a\nb\n", "op_host/abs_math.cpp": "h\n"}
    settled = apply_reply_edits(
        read_reply(edit_reply(block("b\n", "B\n"), block("a\n", "A\n"))), base
    )
    assert settled.files == {KERNEL: "A\nB\n"}
    assert settled.complaints == ()
    (complaint,) = apply_reply_edits(
        read_reply(edit_reply(block("z\n", "B\n"))), base
    ).complaints
    assert (complaint.rule, complaint.subject) == ("edit", KERNEL)


def test_a_cut_off_reply_is_known_even_between_files() -> None:
    cut = read_reply(f"## Files\n### {KERNEL}\n```cpp\nint a;\n```\n{TRUNCATED}")
    assert [complaint.rule for complaint in cut.complaints] == ["truncated"]
    inside = read_reply(f"## Files\n### {KERNEL}\n```cpp\nint a\n{TRUNCATED}")
    assert [complaint.rule for complaint in inside.complaints] == ["truncated"]
    assert TRUNCATED not in read_diagnosis(f"## Diagnosis\nthe tail\n{TRUNCATED}")
    fixed = combine(cut, read_reply(f"## Files\n### {KERNEL}\n```cpp\nint a;\n```\n"))
    assert fixed.complaints == ()


def answers(by_round: dict[int, list[str]]) -> Model:
    """Replies by round and attempt; round 1 is correct with 20 us."""

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nslow\n"
        if request.purpose in {Purpose.DISTIL, Purpose.ABSTRACT}:
            return "Nothing new."
        records = dict.fromkeys(request.retrieved, "not_adopted")
        if request.round == 1:
            return reply_text(records, files("AbsMath", "pass 20.0"))
        head = reply_text(records, {}).replace("## Files\n", "")
        texts = by_round.get(request.round, ["## Done\nenough\n"])
        return head + texts[min(request.attempt, len(texts) - 1)]

    return Model(answer)


def test_an_edited_kernel_is_evaluated(bench: PlayedOperator) -> None:
    model = answers(
        {2: [edit_reply(block("// judge: pass 20.0\n", "// judge: pass 12.0\n"))]}
    )
    assert asyncio.run(bench.run(model)).kind is StopKind.DONE
    assert bench.rows("SELECT t_first, t_best FROM trajectory") == [(20.0, 12.0)]


def test_two_failed_edits_force_whole_files(bench: PlayedOperator) -> None:
    wrong, right = (
        edit_reply(block("nowhere\n", "x\n")),
        edit_reply(block("// judge: pass 20.0\n", "x\n")),
    )
    whole = (
        f"## Files\n### {KERNEL}\n```cpp\n{files('AbsMath', 'pass 9.0')[KERNEL]}```\n"
    )
    model = answers({2: [wrong, wrong, right, whole]})
    asyncio.run(bench.run(model))
    asked = [event for event in bench.events if isinstance(event, CorrectionAsked)]
    assert len(asked) == 3
    assert "does not stand in the file" in asked[0].complaints[0]
    assert "send the whole file" in asked[2].complaints[0], (
        "a right edit comes too late"
    )
    assert bench.rows("SELECT t_best FROM trajectory") == [(9.0,)]


def test_a_round_can_build_on_the_best_kernel_instead_of_the_last(
    bench: PlayedOperator,
) -> None:
    slow = (
        f"## Files\n### {KERNEL}\n```cpp\n{files('AbsMath', 'fail-run')[KERNEL]}```\n"
    )
    back = "## Base\nbest\n" + edit_reply(
        block("// judge: pass 20.0\n", "// judge: pass 15.0\n")
    )
    model = answers({2: [slow], 3: [back]})
    asyncio.run(bench.run(model))
    assert bench.verdicts()[:3] == [
        ("corr", "pass"),
        ("opt", "fail-run"),
        ("opt", "pass"),
    ]
    assert bench.rows("SELECT t_best FROM trajectory") == [(15.0,)]
    third = next(
        r for r in model.requests if r.round == 3 and r.purpose is Purpose.REPAIR
    )
    second = next(
        r for r in model.requests if r.round == 2 and r.purpose is Purpose.REPAIR
    )
    assert "judge: pass 20.0" in third.messages[1].content, "the best kernel is shown"
    assert "# Best correct kernel" not in second.messages[1].content, "but not twice"
