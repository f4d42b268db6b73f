"""Experience from a trajectory without a model: what changed between a failure and its fix, or slow and fast.

The deterministic draft is used when the model writes none. It is dry but true: the
cause line, the changed lines, and what the change achieved, in the paper's item schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.agent.run.records import StoredRound
from core.diff.lines import changed_blocks, lines_of
from core.memory.records import CodeDiff, Experience
from core.visible import first_sentence, shortened

LARGEST_SNIPPET = 40  # lines
_LONGEST_LINE = 300  # characters
_LONGEST_REASON = 600
_MIN_GAIN = 0.05
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")
_TYPES = {
    "fail-build": "build_failure",
    "fail-run": "runtime_failure",
    "fail-result": "wrong_result",
}


@dataclass(frozen=True)
class Attempt:
    """One evaluated round as the extractor sees it.

    Attributes:
        round: Round number.
        verdict: Verdict class, e.g. `fail-build` or `pass`.
        cause: The line that explains a failure.
        diagnosis: What the model thought, may be empty.
        files: Path -> text of the candidate.
        latency_us: Latency of a correct candidate.
    """

    round: int
    verdict: str
    cause: str
    diagnosis: str
    files: Mapping[str, str]
    latency_us: float | None = None

    @property
    def correct(self) -> bool:
        """Whether the candidate passed."""
        return self.verdict in {"pass", "pass-with-hazard"}


def extract(
    operator: str, category: str, attempts: Sequence[Attempt]
) -> tuple[Experience, ...]:
    """Return drafts for each failure that was overcome and each clear speed-up, in order of appearance.

    A failure counts as overcome by the next attempt that fails for another reason or
    passes.

    Args:
        operator: Operator name, for the source note.
        category: Operator category, e.g. `Norm`.
        attempts: Evaluated rounds in order.
    """
    drafts = []
    for index, attempt in enumerate(attempts[:-1]):
        following = attempts[index + 1]
        if (
            not attempt.correct
            and attempt.verdict in _TYPES
            and not same_failure(attempt, following)
        ):
            drafts.append(_from_failure(operator, category, attempt, following))
        elif (
            attempt.correct
            and following.correct
            and _gain(attempt, following) >= _MIN_GAIN
        ):
            drafts.append(_from_speed_up(operator, category, attempt, following))
    unique = {draft.title: draft for draft in drafts if draft.code_diff != CodeDiff()}
    return tuple(unique.values())


def changed_code(before: Mapping[str, str], after: Mapping[str, str]) -> CodeDiff:
    """Return the changed lines of both sides with a line of context, at most `LARGEST_SNIPPET` lines each."""
    wrong: list[str] = []
    right: list[str] = []
    for path in sorted({*before, *after}):
        old, new = lines_of(before.get(path)), lines_of(after.get(path))
        for block in changed_blocks(old, new):
            old_start = max(0, block.old_start - 1)
            new_start = max(0, block.new_start - 1)
            wrong += [f"// {path}", *old[old_start : block.old_end + 1]]
            right += [f"// {path}", *new[new_start : block.new_end + 1]]
    return CodeDiff(snippet(wrong), snippet(right))


def _from_failure(
    operator: str, category: str, attempt: Attempt, fix: Attempt
) -> Experience:
    """The experience of a failure and the change that overcame it, or led to another failure."""
    cause = " ".join(attempt.cause.split()) or attempt.verdict
    diagnosis = attempt.diagnosis or fix.diagnosis
    reason = shortened(first_sentence(diagnosis), _LONGEST_REASON)
    outcome = "the kernel passed"
    if not fix.correct:
        next_cause = " ".join(fix.cause.split())
        outcome = f"the next failure was: {next_cause}"
    return Experience(
        title=shortened(reason or f"Cure for: {cause}"),
        type=_TYPES[attempt.verdict],
        category=category,
        error_message=cause,
        code_diff=changed_code(attempt.files, fix.files),
        summary=f"{reason or cause} After this change {outcome}.",
        source=f"extracted from rounds {attempt.round} and {fix.round} of {operator}",
    )


def _from_speed_up(
    operator: str, category: str, slow: Attempt, fast: Attempt
) -> Experience:
    """The experience of a change that lowered the latency, from one correct kernel to another."""
    gain = _gain(slow, fast)
    reason = shortened(first_sentence(fast.diagnosis), _LONGEST_REASON)
    return Experience(
        title=shortened(reason or f"A change that made {operator} faster"),
        type="performance",
        category=category,
        error_message=f"slow: {slow.latency_us:.2f} us in round {slow.round}",
        code_diff=changed_code(slow.files, fast.files),
        summary=f"{reason} The change lowered the latency by {gain:.0%}.".strip(),
        source=f"extracted from rounds {slow.round} and {fast.round} of {operator}",
    )


def same_failure(one: Attempt | StoredRound, other: Attempt | StoredRound) -> bool:
    """Return whether two rounds failed alike, numbers in the cause aside."""
    return one.verdict == other.verdict and _NUMBERS.sub(
        "#", one.cause
    ) == _NUMBERS.sub("#", other.cause)


def _gain(slow: Attempt, fast: Attempt) -> float:
    if not slow.latency_us or not fast.latency_us:
        return 0.0
    return 1.0 - fast.latency_us / slow.latency_us


def snippet(lines: list[str]) -> str:
    """Return at most `LARGEST_SNIPPET` lines, none of them endless, and say how many more there are."""
    snippet_lines = [
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} …"
        for line in lines
    ]
    if len(snippet_lines) <= LARGEST_SNIPPET:
        return "\n".join(snippet_lines)
    return "\n".join(
        [
            *snippet_lines[:LARGEST_SNIPPET],
            f"// {len(lines) - LARGEST_SNIPPET} more lines",
        ]
    )
