"""Differential mining: what an expert solution does that a generated kernel of the same operator does not.

Paper, "Cold-start knowledge construction": kernels are generated for simple operators,
and once one compiles it is compared with an expert solution. The operators must not
occur in the evaluation; that is enforced here. These drafts need no model;
`core.agent.learning.mining_job` has one write them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from core.agent.learning.distillation import changed_code
from core.cpp_text import without_comments
from core.errors import SageError
from core.memory.records import CodeDiff, Experience
from core.operators.spec import plain_name

_AROUND = 4  # lines of code on both sides of a pattern
_CALL = re.compile(r"\b([A-Z]\w{2,})\s*(?:<[^;{}()]*>)?\s*\(")
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
            one or has its kernel entry, whatever it is called here.
    """
    refuse_evaluated(operator, evaluated, candidate, expert)
    ours, theirs = _code(candidate), _code(expert)
    source = f"mined from an expert solution of {operator}"
    drafts = [
        Experience(
            title=title,
            type="implementation_pattern",
            category=category,
            error_message="the generated kernel lacks this pattern",
            code_diff=CodeDiff(correct_code=_around(theirs, pattern)),
            summary=f"The expert's {operator} does it, the generated kernel does not.",
            source=source,
        )
        for title, pattern in _FEATURES
        if pattern.search(theirs) and not pattern.search(ours)
    ]
    missing = sorted(set(_CALL.findall(theirs)) - set(_CALL.findall(ours)))
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
    return "\n".join(without_comments(files[path]) for path in sorted(files))


def _around(text: str, pattern: re.Pattern[str]) -> str:
    match = pattern.search(text)
    if match is None:
        return ""
    rows = text.splitlines()
    row = text.count("\n", 0, match.start())
    return "\n".join(rows[max(0, row - _AROUND) : row + _AROUND + 1])
