"""Limits: nothing is asked once one is reached, the reason is stored, what was spent stays spent."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from core.agent.limits import Limits
from core.agent.records import StopKind
from core.errors import InvalidInput
from core.memory.parameters import MethodParameters
from core.memory.records import ItemState
from core.models.port import ModelReply, ModelRequest, Purpose, Stream, Usage
from tests.core.agent.conftest import Bench
from tests.core.agent.scripted import Model, files, reply_text
from tests.core.engine.conftest import Lab, lab

__all__ = ["lab"]  # the fixture


class Counted(Model):
    """Every call costs 1000 prompt tokens, 600 of them cached, and 100 reply tokens."""

    async def complete(self, request: ModelRequest, stream: Stream | None = None) -> ModelReply:
        reply = await super().complete(request, stream)
        return replace(reply, usage=Usage(1000, 100, 600), seconds=2.0)


def endless(request: ModelRequest) -> str:
    if request.purpose is Purpose.DIAGNOSE:
        return "## Diagnosis\nslow\n"
    if request.purpose in {Purpose.DISTIL, Purpose.ABSTRACT}:
        return "Nothing new."
    return reply_text(dict.fromkeys(request.retrieved, "not_adopted"), files("AbsMath", "pass 20.0"))


@pytest.mark.parametrize(
    ("limits", "calls", "said"),
    [
        (Limits(tokens=3300), 3, "3300 tokens per operator"),
        (Limits(tokens=3301), 4, "3301 tokens per operator"),
        (Limits(seconds=4.0), 2, "4 s per operator"),
        (Limits(cost=0.002, price_input=1.0, price_cached=0.5, price_output=3.0), 2, "0.002 per operator"),
        (Limits(run_tokens=2200), 2, "2200 tokens per run"),
    ],
)
def test_no_request_after_the_limit(bench: Bench, limits: Limits, calls: int, said: str) -> None:
    bench.limits = limits
    model = Counted(endless)
    assert asyncio.run(bench.run(model)).kind is StopKind.LIMIT
    assert len(model.requests) == calls
    assert said in bench.journal.trajectory("t1").stop_reason
    assert bench.status("corr") == "applied", "what was reached counts"
    again = Counted(endless)
    asyncio.run(bench.run(again))
    assert again.requests == []


def test_what_was_learnt_is_not_lost_with_the_limit(bench: Bench) -> None:
    """No model may be asked to distil any more, so drafts made without one wait for a person."""

    def failing_first(request: ModelRequest) -> str:
        verdict = "pass 20.0" if request.round > 1 else "fail-build"
        return reply_text(dict.fromkeys(request.retrieved, "not_adopted"), files("AbsMath", verdict))

    bench.limits = Limits(tokens=3300)
    assert asyncio.run(bench.run(Counted(failing_first))).kind is StopKind.LIMIT
    drafts = bench.store.items(states=[ItemState.PENDING])
    assert [draft.origin.value for draft in drafts] == ["distilled"]
    assert "which may not be asked" in drafts[0].state_reason


def test_tokens_that_are_not_told_are_estimated(bench: Bench) -> None:
    bench.limits = Limits(tokens=1)
    model = Model(endless)
    assert asyncio.run(bench.run(model)).kind is StopKind.LIMIT
    assert len(model.requests) == 1


def test_an_optimization_without_gain_ends(bench: Bench) -> None:
    bench.parameters = MethodParameters(patience=3)
    model = Model(endless)
    assert asyncio.run(bench.run(model)).kind is StopKind.NO_GAIN
    assert len(bench.verdicts()) == 4


def test_no_operator_is_begun_once_the_run_is_over(lab: Lab) -> None:
    model = Counted(
        lambda r: endless(r).replace("abs_math", {"AbsMath": "abs_math", "Lerp": "lerp"}.get(r.subject, "x"))
    )
    engine = lab.engine(provider_factory=lambda: model, limits=Limits(run_tokens=2000))
    engine.start()
    assert engine.wait_idle(20)
    states = engine.submit(
        lambda w: [row[0] for row in w.db.execute("SELECT state FROM queue_entry ORDER BY position")]
    ).result(5)
    assert states == ["done", "queued", "queued", "queued"]


def test_limits_that_cannot_be_counted_are_refused() -> None:
    with pytest.raises(InvalidInput, match="prices"):
        Limits(cost=1.0)
    with pytest.raises(InvalidInput, match="negative"):
        Limits(tokens=-1)
