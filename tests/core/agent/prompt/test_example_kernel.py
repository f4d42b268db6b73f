"""The one example every prompt carries is a correct kernel: compiled, run and timed on the CPU twin."""

from __future__ import annotations

import asyncio
from importlib import resources
from pathlib import Path

import pytest

from core.agent.prompt import templates
from core.evaluation.records import Candidate, VerdictClass
from core.operators.loader import load_operator
from remote.evaluator import local_twin_evaluator

pytestmark = pytest.mark.outside


@pytest.mark.system
def test_the_designated_example_passes_on_the_twin(build_cache: Path) -> None:
    folder = (
        resources.files("resources")
        / "skills"
        / templates.GENERATOR
        / "examples"
        / "add_custom"
    )
    candidate = Candidate(
        {
            f"{root.name}/{file.name}": file.read_text()
            for root in folder.iterdir()
            for file in root.iterdir()
        }
    )
    evaluator = local_twin_evaluator(build_cache)

    async def judge() -> None:
        operator = load_operator(Path(__file__).parent / "AddCustom")
        try:
            evaluation = await evaluator.evaluate(
                operator, candidate, lambda text: None
            )
        finally:
            await evaluator.close()
        assert evaluation.verdict is VerdictClass.PASS, evaluation.cause
        assert not evaluation.findings
        assert len(evaluation.cases) == 8

    asyncio.run(judge())
