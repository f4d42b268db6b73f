"""The retrieval query of a round: what failed, what the model makes of it, and the kind of operator."""

from __future__ import annotations

from core.agent.prompt.feedback import visible_cause
from core.agent.retrieval.operator_structure import aspects
from core.evaluation.records import Evaluation
from core.operators.spec import OperatorSpec
from core.visible import first_sentence

_LONGEST = 4000  # characters; retrievers weigh every term, a long text drowns the cause


def retrieval_query(
    operator: OperatorSpec, evaluation: Evaluation | None, diagnosis: str
) -> str:
    """Query for R_t: at t=1 structure and gist of the operator, later the failure and its diagnosis.

    Args:
        operator: The task; its category closes every query.
        evaluation: Feedback of the round before, None at the first round.
        diagnosis: What the model made of it.
    """
    if evaluation is None:
        parts = [operator.name, *aspects(operator), first_sentence(operator.summary)]
    else:
        parts = [visible_cause(evaluation), diagnosis]
    body = "\n".join(part.strip() for part in parts if part.strip())
    return f"{body[:_LONGEST]}\n{operator.category}"
