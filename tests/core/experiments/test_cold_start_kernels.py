"""The ten operators of the cold start: what they compute, their two kernels, and the bank mined from them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.shipped import mined_experiences
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.port import Evaluator
from core.evaluation.records import Evaluation, VerdictClass
from core.experiments.running.cold_start import CANDIDATE, EXPERT, read_sources
from core.operators.catalogue import find_operator, operator_names
from sage_desktop.services.wiring import evaluator_for

FOLDER = Path(__file__).parents[3] / "resources" / "cold_start"
OPERATORS = operator_names(FOLDER)
WORD = re.compile(r"\w{4,}")


@pytest.fixture(scope="module")
def judge() -> Iterator[tuple[asyncio.Runner, Evaluator]]:
    evaluator = evaluator_for("local", "twin")
    with asyncio.Runner() as runner:
        yield runner, evaluator
        runner.run(evaluator.close())


@pytest.mark.slow
@pytest.mark.parametrize("operator", OPERATORS)
def test_both_kernels_are_right_and_the_experts_is_faster(
    operator: str, judge: tuple[asyncio.Runner, Evaluator]
) -> None:
    runner, evaluator = judge
    place = FOLDER / operator
    spec = find_operator(str(place), operator)
    latencies = {}
    for kernel in (CANDIDATE, EXPERT):
        candidate = read_candidate(place / kernel)
        judged: Evaluation = runner.run(
            evaluator.evaluate(spec, candidate, lambda _text: None)
        )
        assert (judged.verdict, judged.cause) == (VerdictClass.PASS, ""), kernel
        assert judged.latency is not None
        latencies[kernel] = judged.latency.value
    assert latencies[EXPERT] < latencies[CANDIDATE]


def test_ten_pairs_may_be_mined_and_none_is_evaluated() -> None:
    sources = read_sources(FOLDER, operator_names())
    assert len(sources) == 10
    assert all(source.candidate for source in sources)


def test_every_mined_pattern_shows_code_of_the_expert_it_names() -> None:
    bank = mined_experiences()
    named = {re.findall(r"solution of (\w+)", seed.source)[0] for _, seed in bank}
    assert named == set(OPERATORS)
    for uid, seed in bank:
        (operator,) = re.findall(r"solution of (\w+)", seed.source)
        expert = read_candidate(FOLDER / operator / EXPERT).files
        theirs = set(WORD.findall("\n".join(expert.values())))
        shown = set(WORD.findall(seed.code_diff.correct_code))
        assert len(shown & theirs) * 2 >= len(shown), uid
