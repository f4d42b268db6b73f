"""Diagnostics as tools of the model: asked for instead of a candidate, counted apart, never made twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from core.agent.reply.protocol import read_reply
from core.agent.reply.record import DiagnosticAsked
from core.agent.run.records import DiagnosticMade, StopKind
from core.evaluation.integrity.verdict import Guarded
from core.evaluation.records import Candidate, DiagnosticResult
from core.method.parameters import DIAGNOSTICS_PER_TRAJECTORY
from core.models.port import ModelRequest, Purpose
from core.operators.catalogue import catalogue_operator
from tests.core.agent.scripted import (
    LOOK,
    CommentEvaluator,
    LookingEvaluator,
    Model,
    files,
    reply_text,
)
from tests.scenario import PlayedOperator


def kernel(request: ModelRequest, judge: str) -> str:
    adoption = dict.fromkeys(request.retrieved, "not_adopted")
    return reply_text(adoption, files("AbsMath", judge))


def play(
    bench: PlayedOperator, answer: Callable[[ModelRequest], str]
) -> tuple[Model, LookingEvaluator]:
    evaluator = LookingEvaluator()
    bench.evaluator = evaluator
    model = Model(answer)
    asyncio.run(bench.run(model))
    return model, evaluator


def looking(request: ModelRequest) -> str:
    """A failing kernel, then two looks (the second at a probe), then a correct one, then done."""
    if request.purpose is Purpose.DIAGNOSE:
        return "## Diagnosis\nthe copy\n"
    if request.objective == "opt" and request.round:
        records = "\n".join(f"- [{uid}] not_adopted: no" for uid in request.retrieved)
        return f"## Adoption\n{records}\n## Done\nfast enough\n"
    if request.round == 1:
        return kernel(request, "fail-run")
    if request.purpose is Purpose.REPAIR:
        return LOOK
    if request.purpose is Purpose.EXAMINED:
        probe = "## Diagnostic\nsanitizer\n" + reply_text({}, files("AbsMath", "probe"))
        return probe if request.attempt == 1 else kernel(request, "pass 20.0")
    return ""


def test_a_look_costs_no_round_and_its_answer_reaches_the_model_in_the_same_trajectory(
    bench: PlayedOperator,
) -> None:
    model, evaluator = play(bench, looking)
    assert bench.verdicts()[:2] == [("corr", "fail-run"), ("corr", "pass")]
    assert [(case, ticket) for case, ticket, _ in evaluator.looked] == [
        ("small", "t1/2/diagnostic/1"),
        ("", "t1/2/diagnostic/2"),
    ]
    examined = [
        request for request in model.requests if request.purpose is Purpose.EXAMINED
    ]
    asked = next(
        request for request in model.requests if request.purpose is Purpose.REPAIR
    )
    assert examined[0].messages[: len(asked.messages)] == asked.messages, (
        "the conversation goes on"
    )
    assert (
        "gm-out-of-bounds at op_kernel/abs_math.cpp:12"
        in examined[0].messages[-1].content
    )
    assert "8 further diagnostics" in examined[1].messages[-1].content
    assert bench.rows("SELECT round, number, tool, test_case FROM diagnostic") == [
        (2, 1, "sanitizer", "small"),
        (2, 2, "sanitizer", ""),
    ]
    assert [e.left for e in bench.events if isinstance(e, DiagnosticMade)] == [9, 8]


def test_a_probe_is_looked_at_and_never_judged(bench: PlayedOperator) -> None:
    _, evaluator = play(bench, looking)
    current, probe = (candidate for _, _, candidate in evaluator.looked)
    assert "// judge: fail-run" in current.files["op_kernel/abs_math.cpp"], (
        "no files: the last one"
    )
    assert "// judge: probe" in probe.files["op_kernel/abs_math.cpp"]
    assert probe.digest not in evaluator.asked
    assert bench.rows("SELECT rounds_used FROM trajectory") == [(2,)]


def test_an_interrupted_round_asks_neither_the_model_nor_the_tool_again(
    bench: PlayedOperator,
) -> None:
    evaluator = LookingEvaluator()
    bench.evaluator = evaluator

    def interrupted(request: ModelRequest) -> str:
        if request.purpose is Purpose.EXAMINED and request.attempt == 2:
            raise KeyError("the power goes")
        return looking(request)

    with pytest.raises(KeyError, match="power"):
        asyncio.run(bench.run(interrupted))
    model = Model(looking)
    asyncio.run(bench.run(model))
    assert len(evaluator.looked) == 2
    assert [
        (r.purpose, r.attempt)
        for r in model.requests
        if r.round == 2 and r.objective == "corr"
    ] == [
        (Purpose.EXAMINED, 2),
        (Purpose.DISTIL, 0),
    ]


def looking_first(request: ModelRequest) -> str:
    """As `looking`, with a look before the cause is named as well."""
    if request.purpose is Purpose.DIAGNOSE and request.objective == "corr":
        look_only = "## Diagnostic\nsanitizer small\n"
        return look_only if request.attempt == 0 else "## Diagnosis\nthe copy\n"
    return looking(request)


@pytest.mark.parametrize(
    "question",
    [
        (Purpose.DIAGNOSE, 0),
        (Purpose.DIAGNOSE, 1),
        (Purpose.REPAIR, 0),
        (Purpose.EXAMINED, 2),
        None,
    ],
)
def test_a_look_before_the_diagnosis_is_made_once_whatever_interrupts(
    bench: PlayedOperator, question: tuple[Purpose, int] | None
) -> None:
    """An agent need not name a cause before it may look for one."""
    evaluator = LookingEvaluator()
    bench.evaluator = evaluator

    def interrupted(request: ModelRequest) -> str:
        if (request.purpose, request.attempt) == question:
            raise KeyError("the power goes")
        return looking_first(request)

    if question is not None:
        with pytest.raises(KeyError, match="power"):
            asyncio.run(bench.run(interrupted))
    model = Model(looking_first)
    asyncio.run(bench.run(model))
    assert [ticket for _, ticket, _ in evaluator.looked] == [
        "t1/2/diagnostic/1",
        "t1/2/diagnostic/2",
    ]
    assert bench.rows("SELECT diagnosis FROM round WHERE round = 2") == [("the copy",)]
    assert [e.left for e in bench.events if isinstance(e, DiagnosticMade)] == [9, 8]
    if question is None:
        second = [r for r in model.requests if r.purpose is Purpose.DIAGNOSE][1]
        assert "gm-out-of-bounds" in second.messages[-1].content
        assert "Now answer with the diagnosis" in second.messages[-1].content


def test_the_limit_is_told_and_an_unknown_tool_is_named(bench: PlayedOperator) -> None:
    complaints: list[str] = []

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.CORRECTION:
            complaints.append(request.messages[-1].content)
            return LOOK if len(complaints) == 1 else kernel(request, "pass 20.0")
        if request.round == 2 and request.purpose is Purpose.REPAIR:
            return LOOK.replace("sanitizer", "debugger")
        return LOOK if request.purpose is Purpose.EXAMINED else looking(request)

    model, evaluator = play(bench, answer)
    assert len(evaluator.looked) == DIAGNOSTICS_PER_TRAJECTORY
    assert "no diagnostic debugger; there are sanitizer" in complaints[0]
    assert "All diagnostics of this task are used" in complaints[1]
    assert "at most 10 times" in model.requests[0].messages[0].content


def test_where_there_is_nothing_to_ask_the_model_is_not_told_of_it(
    bench: PlayedOperator,
) -> None:
    model = Model(lambda request: kernel(request, "pass 1.0"))
    asyncio.run(bench.run(model))  # an evaluator without tools
    assert "# Diagnostics" not in model.requests[0].messages[0].content


def test_what_may_not_be_judged_may_not_be_run_by_a_tool_either() -> None:
    evaluator = LookingEvaluator()
    guarded = Guarded(evaluator)
    assert not Guarded(CommentEvaluator()).tools
    broken = Candidate(
        {"op_host/abs_math.cpp": 'void f() { system("cat /etc/passwd"); }'}
    )

    async def ask() -> DiagnosticResult:
        operator = catalogue_operator("AbsMath")
        return await guarded.diagnose(
            operator, broken, "sanitizer", "", lambda _text: None
        )

    result = asyncio.run(ask())
    assert not result.ok
    assert result.summary.startswith("integrity rule")
    assert evaluator.looked == []


@pytest.mark.parametrize(
    ("section", "asked"),
    [
        ("sanitizer", DiagnosticAsked("sanitizer")),
        ("- `profile` ragged-float32", DiagnosticAsked("profile", "ragged-float32")),
        ("Output: small", DiagnosticAsked("output", "small")),
        ("```\nbuild\n```", DiagnosticAsked("build")),
    ],
)
def test_a_tool_is_named_in_one_line(section: str, asked: DiagnosticAsked) -> None:
    assert read_reply(f"## Diagnostic\n{section}\n").diagnostic == asked


@pytest.mark.parametrize(
    "section", ["", "sanitizer\nprofile", "please look at everything"]
)
def test_anything_else_is_refused_not_guessed(section: str) -> None:
    reply = read_reply(f"## Diagnostic\n{section}\n")
    assert reply.diagnostic is None
    assert [complaint.rule for complaint in reply.complaints] == ["diagnostic"]


def test_a_look_that_is_asked_for_again_and_again_ends_with_the_limit(
    bench: PlayedOperator,
) -> None:
    bench.evaluator = LookingEvaluator()
    probe = "## Diagnostic\nsanitizer\n" + reply_text({}, files("AbsMath", "probe"))
    stop = asyncio.run(bench.run(lambda _request: probe))
    assert stop.kind is StopKind.UNRESOLVED
    assert len(bench.evaluator.looked) == DIAGNOSTICS_PER_TRAJECTORY  # type: ignore[attr-defined]
    assert bench.evaluator.asked == []
