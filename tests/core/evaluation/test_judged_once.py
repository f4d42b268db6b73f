"""A kernel that comes again is judged again only where its inputs are others."""

from __future__ import annotations

import asyncio

import pytest

from core.evaluation.judged_once import JudgedOnce
from core.evaluation.records import Candidate, VerdictClass
from core.evaluation.secret_seeds import with_secret_seeds
from core.operators.catalogue import catalogue_operator
from tests.core.agent.scripted import CommentEvaluator, files

SECRETS = ("0" * 32, "1" * 32)


@pytest.mark.parametrize(
    ("verdict", "asked"),
    [("pass 10.0", 2), ("fail-result", 2), ("fail-build", 1), ("void", 4)],
)
def test_inputs_decide_for_kernels_that_build(verdict: str, asked: int) -> None:
    bench = CommentEvaluator()
    judge = JudgedOnce(bench, {})
    kernel = Candidate(files("AbsMath", verdict))

    async def twice_each() -> set[VerdictClass]:
        verdicts = set()
        for secret in (*SECRETS, *SECRETS):
            operator = with_secret_seeds(catalogue_operator("AbsMath"), secret)
            found = await judge.evaluate(operator, kernel, lambda _text: None)
            verdicts.add(found.verdict)
        return verdicts

    assert asyncio.run(twice_each()) == {VerdictClass(verdict.split(maxsplit=1)[0])}
    assert len(bench.asked) == asked
