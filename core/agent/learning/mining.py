"""Differential mining: what an expert's kernel does that a generated one does not.

Paper, "Cold-start knowledge construction": kernels are generated for simple operators,
and once one compiles it is compared with an expert solution. The operators must not
occur in the evaluation; that is enforced here. A person starts it before an evaluation.
The model writes the patterns, which are pending until a person has read them; without a
usable reply drafts made without it take their place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agent.learning.corrections import answered
from core.agent.learning.distillation import changed_code
from core.agent.learning.learning_replies import read_experiences
from core.agent.prompt import templates
from core.cpp_text import code_of
from core.diff.patch import diff_lines
from core.errors import InvalidInput, SageError
from core.memory.ledger import one_step
from core.memory.records import MINED_TYPES, CodeDiff, Experience, ItemState, Origin
from core.memory.store import MemoryStore
from core.models.port import Message, ModelProvider, ModelRequest, Purpose
from core.operators.kinds_of_work import KINDS
from core.operators.spec import plain_name

MOST_PATTERNS = 5
_DIFF_LINES = 600
_AROUND = 4  # lines of code on both sides of a pattern
_CALL = re.compile(r"\b([A-Z]\w{2,})\s*+(?:<[^;{}()]{0,400}>)?\s*+\(")
_FEATURES = (
    ("Split the work over all cores", re.compile(r"\bGetBlockIdx\s*\(")),
    (
        "Use two buffers a queue, so that copying and computing overlap",
        re.compile(r"\bBUFFER_NUM\s*=\s*2\b|,\s*2\s*,"),
    ),
    (
        "Pad copies whose length is not a multiple of 32 bytes",
        re.compile(r"\bDataCopyPad\b"),
    ),
    ("Compute half precision in float32", re.compile(r"\bCast\s*\(")),
    (
        "Ask the platform for sizes instead of assuming them",
        re.compile(r"\bPlatformAscendC\b|GetCoreMemSize"),
    ),
)
_REGISTERED = re.compile(
    r"(?:\bOP_ADD\s*\(|\b__global__\s+__aicore__\s+void\b)\s*(\w+)"
)


class NotDisjoint(SageError):
    """The operator is one of those the memory will be evaluated on."""


def mine(
    operator: str,
    category: str,
    candidate: Mapping[str, str],
    expert: Mapping[str, str],
    evaluated: Collection[str],
) -> tuple[Experience, ...]:
    """Return drafts of patterns the expert uses and the candidate does not.

    Args:
        operator: The simple operator both implement.
        category: Its category.
        candidate: Path -> text of a generated project that compiles.
        expert: Path -> text of the expert's.
        evaluated: Names of all evaluation operators.

    Raises:
        NotDisjoint: When the operator is one of the evaluated, or a project registers
            one or has its kernel entry, under any name.
    """
    refuse_evaluated(operator, evaluated, candidate, expert)
    own_code, expert_code = _code(candidate), _code(expert)
    source = f"mined from an expert solution of {operator}"
    drafts = [
        Experience(
            title=title,
            type="implementation_pattern",
            category=category,
            error_message="the generated kernel lacks this pattern",
            code_diff=CodeDiff(correct_code=_around(expert_code, pattern)),
            summary=f"The expert's {operator} does it, the generated kernel does not.",
            source=source,
        )
        for title, pattern in _FEATURES
        if pattern.search(expert_code) and not pattern.search(own_code)
    ]
    missing = sorted(set(_CALL.findall(expert_code)) - set(_CALL.findall(own_code)))
    if missing:
        drafts.append(
            Experience(
                title=f"Calls an expert uses for {category} operators: {', '.join(missing[:6])}",
                type="api_usage",
                category=category,
                error_message="the generated kernel solves it without them",
                code_diff=changed_code(candidate, expert),
                summary=f"Found by comparing with an expert's {operator}: {', '.join(missing)}.",
                source=source,
            )
        )
    return tuple(drafts)


def refuse_evaluated(
    operator: str, evaluated: Collection[str], *projects: Mapping[str, str]
) -> None:
    """Refuse what a memory must not learn from before it is evaluated.

    Raises:
        NotDisjoint: As `mine` says.
    """
    forbidden = {plain_name(name) for name in evaluated}
    for name in (operator, *(name for files in projects for name in _declared(files))):
        if plain_name(name) in forbidden:
            raise NotDisjoint(
                "{name} is an evaluation operator.",
                "Learn beforehand only from operators the memory will not be evaluated on.",
                name=name,
            )


def _declared(files: Mapping[str, str]) -> list[str]:
    """Operators a project registers, and its kernel entries."""
    return _REGISTERED.findall(_code(files))


def _code(files: Mapping[str, str]) -> str:
    return "\n".join(code_of(files[path]) for path in sorted(files))


def _around(text: str, pattern: re.Pattern[str]) -> str:
    match = pattern.search(text)
    if match is None:
        return ""
    rows = text.splitlines()
    row = text.count("\n", 0, match.start())
    return "\n".join(rows[max(0, row - _AROUND) : row + _AROUND + 1])


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
    """What a model needs to say what an expert's kernel does better than a generated one."""
    lines = diff_lines(candidate, expert, ("generated", "expert"), around=8)
    rest = len(lines) - _DIFF_LINES
    if rest > 0:
        lines = [*lines[:_DIFF_LINES], f"… {rest} more lines"]
    return templates.fill(
        "mine",
        operator=operator,
        category=category,
        most=MOST_PATTERNS,
        types=", ".join(MINED_TYPES),
        kinds=", ".join(KINDS),
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
