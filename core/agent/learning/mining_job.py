"""Differential mining with a model: patterns of an expert solution, written through a validated reply.

Not part of a trajectory: a person starts it before an evaluation, for operators that do
not occur in it. The drafts are pending until a person has read them; without a usable
reply the deterministic ones take their place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agent.learning.corrections import answered
from core.agent.learning.learning_replies import read_experiences
from core.agent.learning.mining import mine
from core.agent.prompt import templates
from core.diff.patch import diff_lines
from core.errors import InvalidInput
from core.memory.ledger import one_step
from core.memory.records import MINED_TYPES, Experience, ItemState, Origin
from core.memory.store import MemoryStore
from core.models.port import Message, ModelProvider, ModelRequest, Purpose

MOST_PATTERNS = 5
_DIFF_LINES = 600


@dataclass(frozen=True)
class Mined:
    """Drafts and who wrote them.

    Attributes:
        experiences: In the paper's item schema.
        reason: Why they wait for a person, and why no model wrote them if one was
            asked.
    """

    experiences: tuple[Experience, ...]
    reason: str


async def mine_with_model(
    provider: ModelProvider,
    operator: str,
    category: str,
    candidate: Mapping[str, str],
    expert: Mapping[str, str],
    evaluated: Collection[str],
) -> Mined:
    """Have the model compare a generated project with an expert's.

    Args:
        provider: The model.
        operator: The simple operator both implement.
        category: Its category.
        candidate: Path -> text of a generated project that compiles.
        expert: Path -> text of the expert's.
        evaluated: Names of all evaluation operators.

    Raises:
        NotDisjoint: When the operator is one of the evaluated; the model is not asked.
        ModelFault: When the model cannot be reached.
    """
    drafts = mine(operator, category, candidate, expert, evaluated)
    prompt = Message("user", _prompt(operator, category, drafts, candidate, expert))
    request = ModelRequest(Purpose.MINE, operator, "", 0, (prompt,))
    try:
        patterns = await answered(
            request, provider.complete, lambda text: _patterns(text, expert)
        )
    except InvalidInput as problem:
        return Mined(
            drafts,
            f"mined without the model, whose answers could not be read: {problem.what}",
        )
    source = f"mined from an expert solution of {operator} by {provider.label}"
    return Mined(
        tuple(replace(pattern, source=source) for pattern in patterns),
        "mined, not reviewed",
    )


def store_mined(store: MemoryStore, mined: Mined) -> tuple[str, ...]:
    """Write the drafts as pending items in one transaction, suspicious ones quarantined; returns uids."""
    with (
        store.workspace.transaction() as db,
        one_step(db, "add-mined", actor="user", reason=mined.reason),
    ):
        return tuple(
            store.add_item(
                draft, origin=Origin.MINED, state=ItemState.PENDING, reason=mined.reason
            )
            for draft in mined.experiences
        )


def _prompt(
    operator: str,
    category: str,
    drafts: Sequence[Experience],
    candidate: Mapping[str, str],
    expert: Mapping[str, str],
) -> str:
    lines = diff_lines(candidate, expert, ("generated", "expert"), around=8)
    if len(lines) > _DIFF_LINES:
        lines = [*lines[:_DIFF_LINES], f"… {len(lines) - _DIFF_LINES} more lines"]
    return templates.fill(
        "mine",
        operator=operator,
        category=category,
        most=MOST_PATTERNS,
        types=", ".join(MINED_TYPES),
        findings="\n".join(f"- {draft.title}" for draft in drafts)
        or "- nothing that stands out",
        changes="\n".join(lines),
    )


def _patterns(text: str, expert: Mapping[str, str]) -> tuple[Experience, ...]:
    """Read the reply; what is mined must be shown in code and come from the expert.

    Raises:
        InvalidInput: Naming the part that is not as asked.
    """
    patterns = read_experiences(text, MOST_PATTERNS)
    if not patterns and "none" not in text.casefold():
        raise InvalidInput(
            "reply",
            "Experience",
            "there is neither a `## Experience` nor the word none",
        )
    words = set(_words("\n".join(expert.values())))
    for number, pattern in enumerate(patterns, start=1):
        used = {
            word for word in _words(pattern.code_diff.correct_code) if len(word) > 3
        }
        if not used:
            raise InvalidInput(
                "reply", f"Experience {number}: Correct", "shows no code of the expert"
            )
        if len(used & words) * 2 < len(used):
            raise InvalidInput(
                "reply",
                f"Experience {number}: Correct",
                "is mostly code the expert's solution does not have",
            )
    return patterns


def _words(code: str) -> list[str]:
    return "".join(
        letter if letter.isalnum() or letter == "_" else " " for letter in code
    ).split()
