"""What a person's version of a kernel teaches: the failure it cured, or the time it saved, as measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.agent.distillation import Attempt, extract
from core.errors import SageError
from core.evaluation.records import Evaluation
from core.memory.records import Experience
from core.operators.spec import OperatorSpec


def lesson_of(
    operator: OperatorSpec, before: Attempt, files: Mapping[str, str], found: Evaluation, note: str,
    title: str = "",
) -> Experience:  # fmt: skip
    """Return the experience that the change from one judged kernel to the next is.

    Args:
        operator: What both compute.
        before: The kernel of the round that was edited.
        files: The person's version.
        found: What its judge said of it.
        note: What the person says about it.
        title: What the experience is to be called; empty: the first sentence of the note.

    Raises:
        SageError: The version cures no failure and is not clearly faster: there is nothing to teach.
    """
    latency = found.latency.value if found.latency else None
    after = Attempt(before.round + 1, found.verdict.value, found.cause, note, files, latency)
    lessons = extract(operator.name, operator.category, (before, after))
    if not lessons or (not before.correct and not after.correct):
        raise SageError(
            "This version teaches nothing: it neither passes where the round failed, nor is it 5 % faster.",
            "Change it further and evaluate it again.",
        )
    source = f"written by a person after round {before.round} of {operator.name}"
    return replace(lessons[0], title=title.strip() or lessons[0].title, source=source)
