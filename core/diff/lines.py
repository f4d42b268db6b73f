"""Lines of a text, and how the lines of two versions correspond. The one place that splits and aligns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Of equal lines: 200 braces in both versions.
_MOST_PAIRS = 40_000


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `old_start` to before `old_end` of one version that became those of the other.

    `equal` blocks have the same lines on both sides; of the others one side may be empty.
    """

    equal: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def lines_of(text: str | None) -> list[str]:
    """Lines as editors number them: only a line feed ends one. None, like an empty text, has none."""
    return text.removesuffix("\n").split("\n") if text else []


def blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Both versions cut into blocks that are equal or changed, in order, nothing left out.

    `difflib` compares without its "junk" guess: kernels repeat blocks (unrolled loops), and the guess would
    throw away exactly those lines. Where few different lines fill both versions it makes the guess: without,
    a thousand of them took a minute.
    """
    is_monotonous = _pairs(old, new) > _MOST_PAIRS
    matcher = SequenceMatcher(None, old, new, autojunk=is_monotonous)
    return [Block(tag == "equal", *place) for tag, *place in matcher.get_opcodes()]


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    """Pairs of equal lines of both versions, all of which a comparison looks at again and again."""
    counts = Counter(new)
    return sum(number * counts[line] for line, number in Counter(old).items())


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The blocks that are not equal."""
    return [block for block in blocks(old, new) if not block.equal]


def equal_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The blocks that are equal."""
    return [block for block in blocks(old, new) if block.equal]
