"""What a person's version of a kernel teaches: the failure it cured, or the time it saved, as measured."""

from __future__ import annotations

from dataclasses import replace

from core.agent.distillation import Attempt, extract
from core.errors import SageError
from core.memory.records import Experience


def lesson_of(operator: str, category: str, before: Attempt, after: Attempt, title: str = "") -> Experience:
    """Return the experience that the change from one judged kernel to the next is.

    Args:
        operator: Its name.
        category: Its category.
        before: The kernel of the round that was edited.
        after: The person's version; its `diagnosis` is what the person says about it.
        title: What the experience is to be called; empty: the first sentence of that.

    Raises:
        SageError: The version cures no failure and is not clearly faster: there is nothing to teach.
    """
    found = extract(operator, category, (before, after))
    if not found or (not before.correct and not after.correct):
        raise SageError(
            "This version teaches nothing: it neither passes where the round failed, nor is it 5 % faster.",
            "Change it further and evaluate it again.",
        )
    source = f"written by a person after round {before.round} of {operator}"
    return replace(found[0], title=title.strip() or found[0].title, source=source)
