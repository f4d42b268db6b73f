"""Kernels judged without a sandbox, by a person's word: kept, but without credit, rank or T_best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from core.agent.run.records import EpisodeVoided, StopKind
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation
from core.operators.spec import OperatorSpec
from core.workspace import Workspace
from tests.core.agent.loop.test_trajectory import run
from tests.core.agent.scripted import CommentEvaluator
from tests.scenario import PlayedOperator


class Loose(CommentEvaluator):
    """Judges some calls without a sandbox."""

    def __init__(self, is_loose: Callable[[int], bool]) -> None:
        super().__init__()
        self._is_loose = is_loose

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        found = await super().evaluate(operator, candidate, progress, ticket)
        name = (
            "unconfined"
            if self._is_loose(len(self.asked))
            else "bubblewrap, Landlock, seccomp"
        )
        return replace(found, facts={"sandbox": name})


def test_nothing_is_credited_or_learnt_and_no_latency_counts(
    workspace: Workspace,
) -> None:
    bench = PlayedOperator(workspace, evaluator=Loose(lambda _call: True))
    assert (
        run(bench, {1: "fail-build", 2: "pass 20.0", 3: "pass 10.0"})
        is StopKind.CORRECT
    )
    assert bench.rows("SELECT verdict FROM round ORDER BY round") == [
        ("fail-build",),
        ("pass",),
    ]
    assert bench.rows(
        "SELECT rounds_used, t_first, t_best, best_round FROM trajectory"
    ) == [(2, None, None, None)]
    assert bench.rows("SELECT sum(n_ret), sum(n_ado), sum(abs(u_m)) FROM item") == [
        (0, 0, 0.0)
    ]
    assert bench.status("corr") == "void"
    assert bench.rows("SELECT count(*) FROM job") == [(0,)]
    (voided,) = [event for event in bench.events if isinstance(event, EpisodeVoided)]
    assert "sandbox" in voided.reason


@pytest.mark.parametrize("loose", [2, 3])
def test_one_such_kernel_is_never_the_best_and_its_episode_earns_nothing(
    workspace: Workspace, loose: int
) -> None:
    bench = PlayedOperator(workspace, evaluator=Loose(lambda call: call == loose))
    run(
        bench,
        {
            1: "pass 20.0",
            2: "pass 5.0" if loose == 2 else "pass 15.0",
            3: "pass 6.0",
            4: "pass 12.0",
        },
    )
    best = {2: 6.0, 3: 12.0}[loose]
    assert bench.rows("SELECT t_first, t_best FROM trajectory") == [(20.0, best)]
    assert bench.status("corr") == "applied"
    assert bench.status("opt") == "void"
    assert bench.rows("SELECT count(DISTINCT episode_uid) FROM credit_event") == [(1,)]
