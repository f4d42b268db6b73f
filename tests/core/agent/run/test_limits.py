"""Limits: nothing is asked once one is reached, nothing is credited for it, what was spent stays spent."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from core.agent.run.limits import LimitReached, Limits
from core.agent.run.records import StopKind
from core.errors import InvalidInput
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation
from core.method.parameters import MethodParameters
from core.models.port import ModelReply, ModelRequest, Purpose, Stream, Usage
from core.operators.spec import OperatorSpec
from tests.core.agent.scripted import CommentEvaluator, Model, files, reply_text
from tests.scenario import PlayedOperator


class Counted(Model):
    """Every call costs 1000 prompt tokens, 600 of them cached, and 100 reply tokens."""

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        reply = await super().complete(request, stream)
        return replace(reply, usage=Usage(1000, 100, 600), seconds=2.0)


def endless(request: ModelRequest) -> str:
    if request.purpose is Purpose.DIAGNOSE:
        return "## Diagnosis\nslow\n"
    if request.purpose in {Purpose.DISTIL, Purpose.ABSTRACT}:
        return "Nothing new."
    return reply_text(
        dict.fromkeys(request.retrieved, "not_adopted"), files("AbsMath", "pass 20.0")
    )


@pytest.mark.parametrize(
    ("limits", "calls", "said"),
    [
        (Limits(tokens=3300), 3, "3300 tokens per operator"),
        (Limits(tokens=3301), 4, "3301 tokens per operator"),
        (Limits(seconds=4.0), 2, "4 s per operator"),
        (
            Limits(cost=0.002, price_input=1.0, price_cached=0.5, price_output=3.0),
            2,
            "0.002 per operator",
        ),
        (Limits(run_tokens=2200), 2, "2200 tokens per run"),
    ],
)
def test_no_request_after_the_limit(
    bench: PlayedOperator, limits: Limits, calls: int, said: str
) -> None:
    bench.limits = limits
    model = Counted(endless)
    with pytest.raises(LimitReached, match=said):
        asyncio.run(bench.run(model))
    assert len(model.requests) == calls
    if limits.run_tokens:
        return  # another run may spend as much again
    again = Counted(endless)
    with pytest.raises(LimitReached, match=said):
        asyncio.run(bench.run(again))
    assert again.requests == []


def test_a_limit_credits_nothing_and_an_exhausted_t_still_does(
    bench: PlayedOperator,
) -> None:
    """Two of thirty rounds were once counted as a failed episode: every item retrieved was debited."""

    def failing(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad blockLen counts bytes\n"
        if request.purpose is Purpose.DISTIL:
            return "Nothing new."
        return reply_text(
            dict.fromkeys(request.retrieved, "adopted"), files("AbsMath", "fail-build")
        )

    bench.parameters = MethodParameters(T=4)
    bench.limits = Limits(tokens=3300)
    with pytest.raises(LimitReached):
        asyncio.run(bench.run(Counted(failing)))
    assert bench.verdicts()[:2] == [("corr", "fail-build"), ("corr", "fail-build")]
    assert bench.status("corr") == "open"
    assert bench.rows("SELECT sum(n_ret), sum(abs(u_m)) FROM item") == [(0, 0.0)]
    bench.limits = Limits(tokens=100_000)
    assert asyncio.run(bench.run(Counted(failing))).kind is StopKind.BUDGET
    assert bench.rows("SELECT z FROM episode") == [(-0.2,)]
    assert bench.rows("SELECT count(*) FROM item WHERE u_m < 0") != [(0,)]


def test_the_lessons_of_an_interrupted_trajectory_are_asked_for_when_it_goes_on(
    bench: PlayedOperator,
) -> None:
    def failing_first(request: ModelRequest) -> str:
        if request.purpose is Purpose.DISTIL:
            return "## Experience\ntitle: learnt\ntype: api_misuse\ncategory: Math\nsummary: s\n"
        verdict = "pass 20.0" if request.round > 1 else "fail-build"
        return reply_text(
            dict.fromkeys(request.retrieved, "not_adopted"), files("AbsMath", verdict)
        )

    bench.parameters = MethodParameters(T=2)
    bench.limits = Limits(tokens=3300)
    with pytest.raises(LimitReached):
        asyncio.run(bench.run(Counted(failing_first)))
    assert bench.status("corr") == "applied"
    assert bench.rows("SELECT count(*) FROM item WHERE origin = 'distilled'") == [(0,)]
    bench.limits = Limits()
    model = Counted(failing_first)
    asyncio.run(bench.run(model))
    assert [request.purpose for request in model.requests] == [Purpose.DISTIL]
    assert bench.rows("SELECT title, state FROM item WHERE origin = 'distilled'") == [
        ("learnt", "active")
    ]


def test_tokens_that_are_not_told_are_estimated(bench: PlayedOperator) -> None:
    bench.limits = Limits(tokens=1)
    model = Model(endless)
    with pytest.raises(LimitReached):
        asyncio.run(bench.run(model))
    assert len(model.requests) == 1


def test_a_run_counts_only_what_it_spent_itself(bench: PlayedOperator) -> None:
    """What the judge took for a trajectory in an earlier run once used up the minutes of every later one."""

    class Slow(CommentEvaluator):
        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            return replace(
                await super().evaluate(operator, candidate, progress, ticket),
                seconds=100.0,
            )

    bench.evaluator = Slow()
    bench.limits = Limits(run_seconds=90.0)
    for _ in range(3):
        before = len(bench.verdicts())
        with pytest.raises(LimitReached, match="90 s per run"):
            asyncio.run(bench.run(Counted(endless)))
        assert len(bench.verdicts()) > before


def test_an_optimization_without_gain_ends(bench: PlayedOperator) -> None:
    bench.parameters = MethodParameters(patience=3)
    model = Model(endless)
    assert asyncio.run(bench.run(model)).kind is StopKind.NO_GAIN
    assert len(bench.verdicts()) == 4


def test_limits_that_cannot_be_counted_are_refused() -> None:
    with pytest.raises(InvalidInput, match="prices"):
        Limits(cost=1.0)
    with pytest.raises(InvalidInput, match="negative"):
        Limits(tokens=-1)
