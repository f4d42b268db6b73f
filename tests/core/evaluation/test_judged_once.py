"""A kernel that comes again is judged again only where its inputs are others."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.evaluation.judged_once import JudgedOnce, Verdicts
from core.evaluation.port import Evaluator, Progress
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.evaluation.secret_seeds import with_secret_seeds
from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec
from tests.core.agent.scripted import CommentEvaluator, files

SECRETS = ("0" * 32, "1" * 32)


@pytest.mark.parametrize(
    ("verdict", "asked"),
    [("pass 10.0", 2), ("fail-result", 2), ("fail-build", 1), ("void", 4)],
)
def test_inputs_decide_for_kernels_that_build(verdict: str, asked: int) -> None:
    bench = CommentEvaluator()
    judge = JudgedOnce(bench, Verdicts())
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


class Held(CommentEvaluator):
    """Judges when it is let go; tells when it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        self.is_asked.set()
        await self.may_go_on.wait()
        return await super().evaluate(operator, candidate, progress, ticket)


def asked(judge: Evaluator, secret: str) -> asyncio.Task[Evaluation]:
    operator = with_secret_seeds(catalogue_operator("AbsMath"), secret)
    kernel = Candidate(files("AbsMath", "pass 10.0"))
    return asyncio.create_task(judge.evaluate(operator, kernel, lambda _text: None))


def test_a_kernel_in_work_is_waited_for() -> None:
    async def play() -> None:
        first, second, verdicts = Held(), CommentEvaluator(), Verdicts()
        at_work = asked(JudgedOnce(first, verdicts), SECRETS[0])
        await first.is_asked.wait()
        waiting = [
            asked(JudgedOnce(second, verdicts), secret)
            for secret in (*SECRETS, SECRETS[0])
        ]
        await asyncio.sleep(0)
        waiting[2].cancel()  # one that stops waiting leaves the others alone
        first.may_go_on.set()
        evaluations = await asyncio.gather(at_work, *waiting[:2])
        assert evaluations[0] is evaluations[1]
        assert len(first.asked) == 1
        assert len(second.asked) == 1, "the other inputs"

    asyncio.run(play())


def test_a_kernel_whose_judge_was_stopped_is_judged_by_who_waits() -> None:
    async def play() -> None:
        first, second, verdicts = Held(), CommentEvaluator(), Verdicts()
        at_work = asked(JudgedOnce(first, verdicts), SECRETS[0])
        await first.is_asked.wait()
        waiting = asked(JudgedOnce(second, verdicts), SECRETS[0])
        await asyncio.sleep(0)
        at_work.cancel()
        assert (await waiting).verdict is VerdictClass.PASS
        assert len(second.asked) == 1

    asyncio.run(play())


def test_judges_of_two_threads_share_their_verdicts() -> None:
    bench, verdicts = CommentEvaluator(), Verdicts()

    async def judge() -> Evaluation:
        return await asked(JudgedOnce(bench, verdicts), SECRETS[0])

    with ThreadPoolExecutor(2) as threads:
        evaluations = list(threads.map(lambda _: asyncio.run(judge()), range(8)))
    assert len(bench.asked) == 1
    assert all(each is evaluations[0] for each in evaluations)
