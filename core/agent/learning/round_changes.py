"""What a distillation is shown of a trajectory: failures overcome, gains, and the code that carries them.

Bounded in tokens: the changes share a budget, short ones leave what they do not need to
long ones.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.agent.learning.distillation import same_failure
from core.agent.run.records import StoredRound, best_of, counts_as_correct, progress_of
from core.diff.patch import diff_lines
from core.memory.tokens import TokenCounter
from core.visible import first_sentence, shortened

MOST_TOKENS = 6000  # of code in one distillation
_LONGEST_THOUGHT = 160  # characters
_THOUGHTS = 6  # of a run of equal failures
_SIDES = ("before", "after")
_ROUND = re.compile(r"^- round (\d+) (.*)$", re.DOTALL)
FilesOf = Callable[[str], Mapping[str, str]]


@dataclass(frozen=True)
class _Change:
    """A heading and the lines of code below it."""

    head: str
    language: str
    lines: tuple[str, ...]


def changes_text(
    rounds: Sequence[StoredRound],
    distilled: int,
    files_of: FilesOf,
    counter: TokenCounter,
) -> str:
    """Return the changes that mattered, oldest first; empty when nothing was evaluated.

    Args:
        rounds: Evaluated rounds from the first one on.
        distilled: How many of them an earlier distillation had.
        files_of: Files of a candidate by its digest.
        counter: Of tokens.
    """
    changes = list(_changes(rounds, distilled, files_of))
    if not changes:
        changes = list(_whole(rounds, files_of))
    parts = zip(
        changes, _fitted([change.lines for change in changes], counter), strict=True
    )
    return "\n\n".join(
        f"{change.head}\n````{change.language}\n{text}\n````" for change, text in parts
    )


def folded_ledger(ledger: Sequence[str], rounds: Sequence[StoredRound]) -> str:
    """Return the ledger with runs of equal outcomes folded into one entry, which lists what was tried."""
    diagnoses = {entry.round: entry.diagnosis for entry in rounds}
    lines: list[str] = []
    for rest, group in itertools.groupby(ledger, key=_after_number):
        entries = list(group)
        if len(entries) == 1:
            lines += entries
            continue
        numbers = [
            int(match.group(1)) for entry in entries if (match := _ROUND.match(entry))
        ]
        lines.append(f"- rounds {numbers[0]} to {numbers[-1]} {rest}")
        thoughts = (
            shortened(first_sentence(diagnoses.get(n, "")), _LONGEST_THOUGHT)
            for n in numbers
        )
        tried = [thought for thought in dict.fromkeys(thoughts) if thought]
        lines += [f"  - tried: {thought}" for thought in tried[:_THOUGHTS]]
    return "\n".join(lines)


def _after_number(line: str) -> str:
    """Outcome of a ledger entry, beside its number.

    The entry's first line where it has none.
    """
    outcome = line.partition("\n")[0]
    match = _ROUND.match(outcome)
    return match.group(2) if match else outcome


def _outcome(entry: StoredRound) -> str:
    return f"{entry.verdict}: {entry.cause}" if entry.cause else str(entry.verdict)


def _changes(
    rounds: Sequence[StoredRound],
    distilled: int,
    files_of: FilesOf,
) -> Iterator[_Change]:
    """Diffs out of each failure that was overcome, and from each best kernel to the next one."""
    for number in range(max(1, distilled), len(rounds)):
        before, after = rounds[number - 1], rounds[number]
        best = best_of(rounds[:number])
        if progress_of(rounds[: number + 1]).best_round != after.round:
            if counts_as_correct(before.verdict) or same_failure(before, after):
                continue
        elif best is not None:
            before = best
        head = f"## Round {before.round} ({_outcome(before)}) to round {after.round}"
        same_origin = before.latency_origin == after.latency_origin
        if before.latency_us and after.latency_us and same_origin:
            head += f", {before.latency_us:.2f} to {after.latency_us:.2f} us"
        elif not counts_as_correct(after.verdict):
            head += f" ({_outcome(after)})"
        lines = diff_lines(
            files_of(before.candidate), files_of(after.candidate), _SIDES, around=2
        )
        if lines:
            yield _Change(head, "diff", tuple(lines))


def _whole(rounds: Sequence[StoredRound], files_of: FilesOf) -> Iterator[_Change]:
    """Without a change that mattered: the kernel that was correct, or what all the failed rounds changed."""
    correct = [entry for entry in rounds if counts_as_correct(entry.verdict)]
    if correct:
        entry = correct[0]
        files = files_of(entry.candidate)
        order = sorted(
            files, key=lambda path: (not path.startswith("op_kernel/"), path)
        )
        lines = [
            line for path in order for line in (f"// {path}", *files[path].splitlines())
        ]
        yield _Change(
            f"## Round {entry.round} was correct and stayed the best",
            "cpp",
            tuple(lines),
        )
    elif len(rounds) > 1:
        first, last = rounds[0], rounds[-1]
        lines = diff_lines(
            files_of(first.candidate), files_of(last.candidate), _SIDES, around=2
        )
        if lines:
            yield _Change(
                f"## Round {first.round} to round {last.round}, none correct",
                "diff",
                tuple(lines),
            )


def _fitted(parts: Sequence[Sequence[str]], counter: TokenCounter) -> list[str]:
    """Each part cut to its share of the budget."""
    costs = [[counter.count(f"{line}\n") for line in part] for part in parts]
    budget, texts = MOST_TOKENS, [""] * len(parts)
    order = sorted(range(len(parts)), key=lambda place: sum(costs[place]))
    for fitted_parts, place in enumerate(order):
        share = budget // (len(parts) - fitted_parts)
        line_count, used = 0, 0
        while (
            line_count < len(parts[place]) and used + costs[place][line_count] <= share
        ):
            used += costs[place][line_count]
            line_count += 1
        rest = len(parts[place]) - line_count
        texts[place] = "\n".join(
            [*parts[place][:line_count], *([f"… {rest} more lines"] if rest else [])]
        )
        budget -= used
    return texts
