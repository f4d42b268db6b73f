"""A broken rule inside a trajectory costs its round, names rule and line, earns and teaches nothing."""

from __future__ import annotations

import asyncio

from core.agent.run.records import RoundEvaluated
from core.evaluation.integrity.verdict import Guarded
from core.evaluation.records import VerdictClass
from core.models.port import ModelRequest, Purpose
from tests.core.agent.scripted import CommentEvaluator, Model, files, reply_text
from tests.scenario import PlayedOperator

KERNEL = "op_kernel/abs_math.cpp"
CHEAT = "static int cheat = 1; int Cheat() { return cheat++; }\n"


def test_a_broken_rule_earns_and_teaches_nothing(bench: PlayedOperator) -> None:
    judge = CommentEvaluator()
    bench.evaluator = Guarded(judge)  # type: ignore[assignment]

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad\n"
        if request.purpose in {Purpose.DISTIL, Purpose.ABSTRACT}:
            return "Nothing new."
        adopted = "seed-0001" if request.round == 1 else "seed-0002"
        records = {
            uid: "adopted" if uid == adopted else "not_adopted"
            for uid in request.retrieved
        }
        if request.round == 3:
            return reply_text(records, {}).replace("## Files", "## Done\nenough")
        project = files("AbsMath", "pass 9.0")
        project[KERNEL] += "DataCopy(y, x, 8);\n" + (
            CHEAT if request.round == 1 else ""
        )
        return reply_text(records, project)

    model = Model(answer)
    asyncio.run(bench.run(model))
    assert bench.verdicts()[:2] == [("corr", "fail-integrity"), ("corr", "pass")]
    assert len(judge.asked) == 1, "the offender never reached the compiler"
    first = next(event for event in bench.events if isinstance(event, RoundEvaluated))
    assert first.verdict is VerdictClass.FAIL_INTEGRITY
    assert "kept-state" in first.cause
    assert f"{KERNEL}:4" in first.cause
    assert (
        "kept-state"
        in next(r for r in model.requests if r.round == 2).messages[1].content
    )
    assert bench.rows("SELECT DISTINCT counted FROM trace WHERE round = 1") == [(0,)]
    assert bench.rows(
        "SELECT n_ado FROM item WHERE uid IN ('seed-0001', 'seed-0002') ORDER BY uid"
    ) == [
        (0,),
        (1,),
    ]
    distilled = (
        next(r for r in model.requests if r.purpose is Purpose.DISTIL)
        .messages[0]
        .content
    )
    assert "cheat" not in distilled
    assert bench.rows("SELECT rounds_used, first_correct_round FROM trajectory")[0] == (
        2,
        2,
    )
