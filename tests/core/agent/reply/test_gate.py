"""Nothing is evaluated before every retrieved experience is resolved and there is a project to judge."""

from __future__ import annotations

from core.agent.reply.gate import validate_reply
from core.agent.reply.protocol import read_reply
from core.agent.reply.record import Reply

FILES = "## Files\n### op_host/a.cpp\n```\nh\n```\n### op_kernel/a.cpp\n```\nk\n```\n"


def rules(
    reply: Reply,
    retrieved: tuple[str, ...],
    files: dict[str, str] | None = None,
    *,
    opt: bool = False,
) -> list[str]:
    return [
        entry.rule
        for entry in validate_reply(reply, retrieved, files or {}, may_finish=opt)
    ]


def test_every_retrieved_item_needs_a_record() -> None:
    reply = read_reply("## Adoption\n- [m1] adopted: a\n" + FILES)
    assert rules(reply, ("m1",)) == []
    (complaint,) = validate_reply(reply, ("m1", "m2", "m3"), {}, may_finish=False)
    assert complaint.rule == "unresolved"
    assert "[m2], [m3]" in complaint.message
    assert "[m1]" not in complaint.message


def test_an_unreadable_record_is_complained_of_once() -> None:
    assert rules(read_reply("## Adoption\n- [m1] perhaps\n" + FILES), ("m1",)) == [
        "adoption-unreadable"
    ]


def test_the_first_candidate_is_a_whole_project_and_later_ones_replace_files() -> None:
    kernel_only = read_reply("## Files\n### op_kernel/a.cpp\n```\nk\n```\n")
    assert rules(kernel_only, ()) == ["files-missing"]
    assert (
        rules(kernel_only, (), {"op_host/a.cpp": "h", "op_kernel/a.cpp": "old"}) == []
    )
    assert rules(read_reply("## Diagnosis\nhm"), (), {"op_host/a.cpp": "h"}) == [
        "files-missing"
    ]


def test_done_is_an_answer_in_optimization_only() -> None:
    done = read_reply("## Done\nno gain left")
    assert rules(done, (), {"op_host/a.cpp": "h"}) == ["done-early"]
    assert rules(done, (), {"op_host/a.cpp": "h"}, opt=True) == []
    assert rules(done, ("m1",), opt=True) == [], "nothing is judged after it"
    assert rules(read_reply("## Give up\nno time"), ("m1",)) == []


def test_a_malformed_question_is_not_answered_with_demands_for_records() -> None:
    two_tools = read_reply("## Diagnostic\nsanitizer small\nprofile small\n")
    assert rules(two_tools, ("m1",)) == ["diagnostic"]
    assert rules(read_reply("## Look up\n"), ("m1",)) == ["look-up"]


def test_records_of_items_that_were_not_retrieved_do_no_harm() -> None:
    assert rules(read_reply("## Adoption\n- [zz] adopted: a\n" + FILES), ()) == []
