"""What a person's version of a kernel teaches: the failure it cured, or the time it saved, as measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.agent.learning.distillation import Attempt, extract
from core.errors import SageError
from core.evaluation.records import Evaluation
from core.memory.records import Experience, Origin
from core.memory.store import MemoryStore
from core.operators.spec import OperatorSpec
from core.workspace import Workspace


def lesson_of(
    operator: OperatorSpec,
    before: Attempt,
    files: Mapping[str, str],
    evaluation: Evaluation,
    note: str,
    title: str = "",
) -> Experience:
    """Return the experience that the change from one judged kernel to the next is.

    Args:
        operator: Of both.
        before: The kernel of the round that was edited.
        files: The person's version.
        evaluation: How it was judged.
        note: What the person says about it.
        title: What the experience is to be called; empty: the first sentence of that.

    Raises:
        SageError: The version cures no failure and is not clearly faster: there is
            nothing to teach.
    """
    latency = evaluation.latency.value if evaluation.latency else None
    after = Attempt(
        before.round + 1,
        evaluation.verdict.value,
        evaluation.cause,
        note,
        files,
        latency,
    )
    drafts = extract(operator.name, operator.category, (before, after))
    if not drafts or (not before.correct and not after.correct):
        raise SageError(
            "This version teaches nothing: it neither passes where the round failed, nor is it 5 % faster.",
            "Change it further and evaluate it again.",
        )
    source = f"written by a person after round {before.round} of {operator.name}"
    return replace(drafts[0], title=title.strip() or drafts[0].title, source=source)


def keep_lesson(workspace: Workspace, lesson: Experience, note: str) -> str:
    """Store a lesson as the person's own, with what they said about it.

    Returns its uid.
    """
    return MemoryStore(workspace).add_item(
        lesson, origin=Origin.USER, actor="user", reason=note
    )
