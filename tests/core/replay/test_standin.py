"""The stand-in: by stated rules, of kernels that are what their grade says, and the same answers every time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.agent.learning.learning_replies import read_experiences, read_rule
from core.agent.reply.gate import validate_reply
from core.agent.reply.protocol import read_reply
from core.errors import SageError
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.models.port import Message, ModelRequest, Purpose
from core.operators.catalogue import catalogue_operator
from core.replay.standin import StandIn, covered_operators, fits
from core.replay.standin_kernels import GRADES, graded_kernels, lessons
from sage_desktop.services.wiring import evaluator_for

ROOT = Path(__file__).parents[3]
ITEMS = "\n".join(
    f"### [m{number}] Experience number {number}\ntype: tiling; category: Math"
    for number in range(5)
)
REQUEST = ModelRequest(
    Purpose.CANDIDATE,
    "Lerp",
    "corr",
    1,
    (Message("user", ITEMS),),
    tuple(f"m{number}" for number in range(5)),
)


def ask(request: ModelRequest, seed: str = "0", name: str = "") -> str:
    return asyncio.run(StandIn(seed, name).complete(request)).text


def played(seed: str, items: str = ITEMS) -> list[str]:
    """Grades of the kernels of Lerp, as if every verdict were the one of its grade."""
    digests = {row.digest: row.grade for row in graded_kernels()["Lerp"]}
    request, grades = replace(REQUEST, messages=(Message("user", items),)), list[str]()
    for number in range(1, 31):
        reply = read_reply(ask(replace(request, round=number), seed))
        if reply.done:
            break
        grades.append(digests[Candidate(reply.files).digest])
        objective = "opt" if grades[-1] in GRADES[2:] else "corr"
        request = replace(
            request, purpose=Purpose.REPAIR, files=reply.files, objective=objective
        )
    return grades


def test_every_reply_passes_the_gate() -> None:
    for operator in covered_operators():
        for number, kernel in enumerate(graded_kernels()[operator]):
            request = replace(
                REQUEST,
                purpose=Purpose.REPAIR,
                subject=operator,
                round=number + 2,
                files=kernel.files,
                objective="opt",
                residents=("m1",),
            )
            reply = read_reply(ask(request))
            assert (
                validate_reply(
                    reply,
                    request.retrieved,
                    kernel.files,
                    may_finish=kernel.grade in GRADES[2:],
                    residents=("m1",),
                )
                == ()
            )


def test_it_answers_the_same_whenever_it_is_asked() -> None:
    assert ask(REQUEST) == ask(REQUEST)
    assert len({tuple(played(str(seed))) for seed in range(20)}) > 10


def test_experiences_that_fit_make_it_faster() -> None:
    helpful = "\n".join(
        f"### [m{number}] {lesson}" for number, lesson in enumerate(list(lessons())[:5])
    )
    plain = "\n".join(
        f"### [m{number}] -"
        for number in range(5)
        if not any(fits("-", grade) for grade in GRADES)
    )
    seeds = list(map(str, range(60)))

    def solved(items: str) -> float:
        return sum(
            grades[-1:] == ["best"]
            for grades in (played(seed, items) for seed in seeds)
        )

    assert solved(helpful) > solved(plain)
    assert 0 < solved(plain) < len(seeds), "neither everything nor nothing"


def test_what_it_learns_can_be_read() -> None:
    slow = next(row for row in graded_kernels()["Lerp"] if row.grade == "slow")
    line = slow.wrong.splitlines()[0]
    record = f"-    {line}\n+    better\n# Experiences the memory already gave\n"
    request = replace(
        REQUEST, purpose=Purpose.DISTIL, messages=(Message("user", record),)
    )
    (experience,) = read_experiences(ask(request))
    assert (experience.title, experience.type) == (slow.lesson, "performance")
    known = replace(request, messages=(Message("user", record + slow.lesson),))
    assert read_experiences(ask(known)) == ()
    abstract = replace(
        REQUEST,
        purpose=Purpose.ABSTRACT,
        messages=(Message("user", f"# Experience [m]\n### [m] {slow.lesson}"),),
    )
    assert read_rule(ask(abstract)).rule == f"{slow.lesson}."


def test_an_operator_without_kernels_is_named() -> None:
    with pytest.raises(SageError, match="no kernels for Mla"):
        ask(replace(REQUEST, subject="Mla"))


def test_the_kernels_that_ship_are_those_of_the_tool(tmp_path: Path) -> None:
    code = "import sys, pathlib; from tools import standin_kernels as t; t.TARGET = pathlib.Path(sys.argv[1]); t.main()"
    made = tmp_path / "kernels.jsonl.gz"
    subprocess.run([sys.executable, "-c", code, str(made)], cwd=ROOT, check=True)
    assert (
        made.read_bytes()
        == (ROOT / "resources" / "standin" / "kernels.jsonl.gz").read_bytes()
    )


@pytest.fixture(scope="module")
def latencies() -> Callable[[str], dict[str, float]]:
    """Judges every kernel of an operator, and gives the latencies of the correct ones by grade."""

    async def judged(operator: str) -> list[tuple[str, Evaluation]]:
        evaluator, spec = evaluator_for("local", "twin"), catalogue_operator(operator)
        try:
            return [
                (
                    row.grade,
                    await evaluator.evaluate(
                        spec, Candidate(row.files), lambda _text: None
                    ),
                )
                for row in graded_kernels()[operator]
            ]
        finally:
            await evaluator.close()

    def by_grade(operator: str) -> dict[str, float]:
        found = {}
        for grade, evaluation in asyncio.run(judged(operator)):
            assert (evaluation.verdict is VerdictClass.FAIL_BUILD) == (
                grade == "build"
            ), evaluation.cause
            assert (evaluation.verdict is VerdictClass.PASS) == (grade in GRADES[2:]), (
                evaluation.cause
            )
            if evaluation.latency:
                found[grade] = evaluation.latency.value
        return found

    return by_grade


@pytest.mark.system
@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(name, marks=() if name == "ForeachAddScalar" else pytest.mark.slow)
        for name in covered_operators()
    ],
)
def test_every_kernel_is_what_its_grade_says(
    operator: str, latencies: Callable[[str], dict[str, float]]
) -> None:
    found = latencies(operator)
    assert found["slow"] > found["better"] > found["best"]
