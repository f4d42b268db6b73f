"""A reply handed in as data: it comes back as it was, and is checked like one a model wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.reply.protocol import (
    read_diagnosis,
    read_reply,
    render_files,
    shown_reply,
)
from core.agent.reply.record import (
    AdoptionClaim,
    DiagnosticAsked,
    Reply,
    ResidentUse,
    checked,
    write_reply,
)

KERNEL, HOST = "op_kernel/a.cpp", "op_host/a.cpp"
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
spoken = texts.filter(lambda text: bool(text.strip()))
replies = st.builds(
    Reply,
    diagnosis=texts,
    adoption=st.lists(
        st.builds(AdoptionClaim, st.sampled_from(["m1", "m2"]), st.booleans(), spoken),
        max_size=2,
        unique_by=lambda claim: claim.uid,
    ).map(tuple),
    resident=st.lists(st.builds(ResidentUse, st.just("r1"), texts), max_size=1).map(
        tuple
    ),
    resident_stated=st.booleans(),
    files=st.dictionaries(
        st.sampled_from([KERNEL, HOST]),
        spoken.filter(lambda text: "..." not in text and "…" not in text),
    ),
    look_up=st.lists(texts, max_size=2).map(tuple),
)


@given(replies)
def test_a_reply_comes_back_as_it_was_written(reply: Reply) -> None:
    assert read_reply(write_reply(reply)) == reply


def test_headings_and_fences_in_a_file_are_the_file_s() -> None:
    code = "// ## Done\n````\n## Files\n### op_host/evil.cpp\n```\nint x;\n```\n"
    reply = read_reply(write_reply(Reply(files={KERNEL: code})))
    assert dict(reply.files) == {KERNEL: code}
    assert not reply.done


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("../a.cpp", "int a;\n"),
        ("build/a.cpp", "int a;\n"),
        (KERNEL, " \n"),
        (KERNEL, "int a;\n// ... existing code\n"),
        (KERNEL, "x" * 400_000 + "\n"),
    ],
)
def test_a_file_is_refused_alike_in_either_form(path: str, text: str) -> None:
    as_data = read_reply(write_reply(Reply(files={path: text})))
    in_words = read_reply(f"## Files\n{render_files({path: text})}\n")
    assert as_data.complaints
    assert as_data.complaints == in_words.complaints
    assert not as_data.files


def test_what_excludes_each_other_is_refused_in_either_form() -> None:
    both = Reply(done=True, done_reason="enough", files={KERNEL: "int a;\n"})
    in_words = read_reply(f"## Done\nenough\n## Files\n{render_files(both.files)}\n")
    assert checked(both).complaints == in_words.complaints != ()
    silent = checked(Reply(done=True, gives_up=True))
    assert [entry.rule for entry in silent.complaints] == ["give-up-reason"]
    odd = checked(Reply(diagnostic=DiagnosticAsked("sanitizer; rm", "")))
    assert [entry.rule for entry in odd.complaints] == ["diagnostic"]


def test_an_adoption_record_without_a_rationale_is_none() -> None:
    reply = checked(Reply(adoption=(AdoptionClaim("m1", adopted=True, rationale=" "),)))
    assert reply.adoption == ()
    assert [entry.subject for entry in reply.complaints] == ["m1"]


@pytest.mark.parametrize("text", ['{"sage_reply": 1}', '{"sage_reply":', "{}"])
def test_what_only_looks_like_data_is_read_as_words(text: str) -> None:
    assert read_reply(text) == Reply()


def test_a_person_reads_it_in_sections() -> None:
    reply = Reply(
        diagnosis="the tail",
        adoption=(AdoptionClaim("m1", adopted=False, rationale="other shape"),),
        resident_stated=True,
        files={KERNEL: "int a;\n"},
    )
    assert read_reply(shown_reply(write_reply(reply))) == reply
    assert shown_reply("## Done\nx") == "## Done\nx"
    assert read_diagnosis(write_reply(Reply(diagnosis="bound"))) == "bound"
