"""What an agent that works by tools reads of the loop: the last verdict, and what is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.agent.prompt.feedback import feedback_text
from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.records import best_of
from core.method.objective import Objective
from core.models.manual import shown_messages
from core.models.port import LEARNING, ModelRequest, Purpose

if TYPE_CHECKING:
    from core.operators.spec import OperatorSpec


def judged_text(
    journal: Journal, record: TrajectoryRecord, operator: OperatorSpec
) -> str:
    """The feedback on the round of a trajectory that was judged last.

    Empty before the first.
    """
    rounds = journal.rounds(record.uid)
    judged = [entry for entry in rounds if entry.evaluation]
    if not judged:
        return ""
    last = judged[-1]
    evaluation = journal.evaluation(last.evaluation)
    winner = best_of([entry for entry in rounds if entry.round < last.round])
    best = journal.evaluation(winner.evaluation).latency if winner else None
    head = (
        f"Round {last.round} of {record.parameters.T}: {evaluation.verdict.value} "
        f"({record.operator})"
    )
    return f"{head}\n\n{feedback_text(evaluation, best, operator=operator)}"


def next_text(request: ModelRequest) -> str:
    """Which tool a question of the loop waits for."""
    if request.purpose in LEARNING:
        messages = shown_messages(request.messages)
        return f"# Before it goes on\n\nMemory asks; answer with `learn`.\n\n{messages}"
    if request.purpose is Purpose.DIAGNOSE:
        faster = "The kernel is correct; make it faster (`task` shows the optimizer's skill). "
        hint = faster if request.objective == Objective.OPT.value else ""
        return (
            f"Next, round {request.round}: {hint}Call `retrieve` with your diagnosis of "
            "this feedback; `diagnose` may come first."
        )
    return f"Next, round {request.round}: `retrieve`, `record_adoption`, write the files, `evaluate`."
