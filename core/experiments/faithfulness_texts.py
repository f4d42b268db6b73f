"""The retrieved experiences of a stored prompt, altered; all else stays byte for byte."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from core.agent.prompt.round_prompt import experience_text
from core.errors import SageError
from core.experiments.faithfulness import Condition
from core.memory.records import CodeDiff, MemoryItem
from core.models.port import Message

_SECTION = "# Retrieved experiences\n\n"
_FOREIGN = 0.5  # share of words that a corrupted text takes from other experiences
_WORD = re.compile(r"\S+")


def altered_items(
    condition: Condition,
    items: Sequence[MemoryItem],
    bank: Sequence[MemoryItem],
    mask: str,
    rng: random.Random,
) -> tuple[MemoryItem, ...]:
    """What the prompt shows instead of `items`.

    Shuffled: the words of every text, and the lines of every code, in random order. Corrupted: wrong and
    correct code change places, and half of the words of title and summary are words of other experiences.
    Irrelevant: as many other experiences, of other categories where there are enough. Names stay, except
    for irrelevant ones, which have their own.

    Args:
        condition: One of them.
        items: R_t in rank order.
        bank: All that the memory holds.
        mask: uid left out when masked.
        rng: For the order and the choice.
    """
    if condition is Condition.REMOVED:
        return ()
    if condition is Condition.MASKED:
        return tuple(item for item in items if item.uid != mask)
    if condition is Condition.SHUFFLED:
        return tuple(_shuffled(item, rng) for item in items)
    if condition is Condition.CORRUPTED:
        words = [
            word
            for item in bank
            for word in _WORD.findall(f"{item.title} {item.summary}")
        ]
        return tuple(_corrupted(item, words, rng) for item in items)
    if condition is Condition.IRRELEVANT:
        return _irrelevant(items, bank, rng)
    return tuple(items)


def with_experiences(
    messages: Sequence[Message],
    before: Sequence[MemoryItem],
    after: Sequence[MemoryItem],
) -> tuple[Message, ...]:
    """The messages of a stored prompt with other experiences in the place of `before`.

    Raises:
        SageError: `before` does not stand in the prompt as it is rendered today.
    """
    for brief in (False, True):
        old = _section(before, brief=brief)
        for place, message in enumerate(messages):
            if message.content.count(old) == 1:
                changed = Message(
                    message.role,
                    message.content.replace(old, _section(after, brief=brief)),
                )
                return (*messages[:place], changed, *messages[place + 1 :])
    names = ", ".join(item.uid for item in before)
    raise SageError(
        "The experiences {names} do not stand in the stored prompt as they are rendered today.",
        "One of them was edited since, or the prompt is of an older release: leave this round out.",
        names=names,
    )


def _section(items: Sequence[MemoryItem], *, brief: bool) -> str:
    """The section with the blank line after it; nothing where nothing is shown."""
    if not items:
        return ""
    return (
        _SECTION
        + "\n\n".join(experience_text(item, brief=brief) for item in items)
        + "\n\n"
    )


def _shuffled(item: MemoryItem, rng: random.Random) -> MemoryItem:
    def words(text: str) -> str:
        found = text.split()
        return " ".join(rng.sample(found, len(found)))

    def lines(code: str) -> str:
        found = code.split("\n")
        return "\n".join(rng.sample(found, len(found)))

    code = CodeDiff(
        lines(item.code_diff.wrong_code), lines(item.code_diff.correct_code)
    )
    return replace(
        item,
        title=words(item.title),
        error_message=words(item.error_message),
        summary=words(item.summary),
        code_diff=code,
    )


def _corrupted(
    item: MemoryItem, words: Sequence[str], rng: random.Random
) -> MemoryItem:
    def mixed(text: str) -> str:
        return " ".join(
            rng.choice(words) if rng.random() < _FOREIGN else word
            for word in text.split()
        )

    code = CodeDiff(item.code_diff.correct_code, item.code_diff.wrong_code)
    return replace(
        item, title=mixed(item.title), summary=mixed(item.summary), code_diff=code
    )


def _irrelevant(
    items: Sequence[MemoryItem], bank: Sequence[MemoryItem], rng: random.Random
) -> tuple[MemoryItem, ...]:
    shown, categories = {item.uid for item in items}, {item.category for item in items}
    others = [item for item in bank if item.uid not in shown]
    foreign = [item for item in others if item.category not in categories]
    if len(foreign) < len(items):  # a bank of few categories
        foreign = others
    return tuple(rng.sample(foreign, min(len(items), len(foreign))))
