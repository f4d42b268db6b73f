"""A rule whose gains were those of launch cost alone says so: on larger inputs it would bring nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.agent.learning.rule_evidence import (
    LAUNCH_ONLY,
    evidence_counts,
    launch_share,
    scoped,
)
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation
from core.method.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.operators.spec import OperatorSpec
from core.workspace import Workspace
from tests.core.agent.scripted import CommentEvaluator, files, reply_text
from tests.scenario import PlayedOperator

LATENCIES = {1: "pass 40.0", 2: "pass 30.0", 3: "pass 25.0"}


class Launching(CommentEvaluator):
    """Says how much of each latency is launch."""

    def __init__(self, launch: Callable[[float], float | None]) -> None:
        super().__init__()
        self._launch = launch

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        found = await super().evaluate(operator, candidate, progress, ticket)
        assert found.latency is not None
        return replace(
            found,
            latency=replace(found.latency, launch=self._launch(found.latency.value)),
        )


def adopter(request: ModelRequest) -> str:
    if request.purpose is Purpose.DIAGNOSE:
        return "## Diagnosis\nDataCopyPad blockLen counts bytes\n"
    if request.purpose in (Purpose.DISTIL, Purpose.ABSTRACT):
        return "Nothing new."
    records = dict.fromkeys(request.retrieved, "adopted")
    if request.round not in LATENCIES:
        return reply_text(records, {}).replace("## Files", "## Done\nno idea left")
    return reply_text(records, files("AbsMath", LATENCIES[request.round]))


@pytest.mark.parametrize(
    ("launch", "share"),
    [
        (lambda us: us - 20.0, 1.0),
        (lambda us: 10.0, 0.0),
        (lambda us: us / 2, 0.5),
        (lambda us: None, None),
    ],
    ids=["launch alone", "work alone", "both", "not known"],
)
def test_gains_are_parted_into_launch_and_work(
    workspace: Workspace, launch: Callable[[float], float | None], share: float | None
) -> None:
    bench = PlayedOperator(workspace, evaluator=Launching(launch))
    bench.parameters = MethodParameters(k=2)
    asyncio.run(bench.run(adopter))
    ((uid,),) = bench.rows(
        "SELECT DISTINCT i.uid FROM trace t JOIN item i ON i.id = t.item_id LIMIT 1"
    )
    found = launch_share(workspace, str(uid))
    assert found == (share if share is None else pytest.approx(share))
    told = evidence_counts(bench.store.item(str(uid)), found)
    assert ("launch cost" in told) == (share is not None)
    assert (LAUNCH_ONLY in scoped("Use fewer cores.", found)) == (share == 1.0)


def test_a_rule_gets_its_scope_once() -> None:
    rule = scoped("Use fewer cores.", 0.95)
    assert scoped(rule, 0.95) == rule
    assert scoped("Use fewer cores.", 0.89) == "Use fewer cores."
