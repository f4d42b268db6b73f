"""What the loop and an agent that works by tools tell each other: reply, last verdict, what is next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.agent.prompt.feedback import feedback_text
from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.records import best_of
from core.method.objective import Objective
from core.models.manual import shown_messages
from core.models.port import LEARNING, ModelRequest, Purpose

if TYPE_CHECKING:
    from core.operators.spec import OperatorSpec


@dataclass
class Records:
    """What the agent has said so far about the experiences of one round; it is stored with the candidate."""

    of: tuple[int, str, int] = (0, "", 0)  # entries ended before, operator, round
    claims: dict[str, tuple[bool, str]] = field(default_factory=dict)
    residents: dict[str, str] | None = None


def reply_text(said: Records, diagnosis: str, ending: str) -> str:
    """The reply a tool call stands for, in the protocol's sections; empty ones are left out."""
    claims = [
        f"- [{uid}] {'adopted' if adopted else 'not_adopted'}: {why}"
        for uid, (adopted, why) in said.claims.items()
    ]
    parts = [f"## Diagnosis\n{diagnosis.strip()}" if diagnosis.strip() else ""]
    parts.append("## Adoption\n" + "\n".join(claims) if claims else "")
    if said.residents is not None:
        uses = "\n".join(f"- [{uid}]: {why}" for uid, why in said.residents.items())
        parts.append(f"## Resident rules used\n{uses or 'none'}")
    return "\n\n".join(part for part in (*parts, ending) if part)


def judged_text(
    journal: Journal, record: TrajectoryRecord, operator: OperatorSpec
) -> str:
    """The feedback on the round of a trajectory that was judged last; empty before the first."""
    rounds = journal.rounds(record.uid)
    judged = [entry for entry in rounds if entry.evaluation]
    if not judged:
        return ""
    last = judged[-1]
    evaluation = journal.evaluation(last.evaluation)
    winner = best_of([entry for entry in rounds if entry.round < last.round])
    best = journal.evaluation(winner.evaluation).latency if winner else None
    head = f"Round {last.round} of {record.parameters.T}: {evaluation.verdict.value}"
    return f"{head}\n\n{feedback_text(evaluation, best, operator=operator)}"


def next_text(request: ModelRequest) -> str:
    """Which tool a question of the loop waits for."""
    if request.purpose in LEARNING:
        asked = shown_messages(request.messages)
        return f"# Before it goes on\n\nMemory asks; answer with `learn`.\n\n{asked}"
    if request.purpose is Purpose.DIAGNOSE:
        faster = "The kernel is correct; make it faster (`task` shows the optimizer's skill). "
        hint = faster if request.objective == Objective.OPT.value else ""
        return f"Next, round {request.round}: {hint}Call `retrieve` with your diagnosis of this feedback."
    return f"Next, round {request.round}: `retrieve`, `record_adoption`, write the files, `evaluate`."
