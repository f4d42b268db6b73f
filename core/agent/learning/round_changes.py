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
    texts = _fitted([change.lines for change in changes], counter)
    parts = []
    for change, text in zip(changes, texts, strict=True):
        block = f"````{change.language}\n{text}\n````"
        parts.append(f"{change.head}\n{block}")
    return "\n\n".join(parts)


def folded_ledger(ledger: Sequence[str], rounds: Sequence[StoredRound]) -> str:
    """Return the ledger with runs of equal outcomes folded into one entry, which lists what was tried."""
    diagnoses = {entry.round: entry.diagnosis for entry in rounds}
    lines: list[str] = []
    for rest, group in itertools.groupby(ledger, key=_after_number):
        entries = list(group)
        if len(entries) == 1:
            lines += entries
            continue
        matches = [match for match in map(_ROUND.match, entries) if match]
        numbers = [int(match[1]) for match in matches]
        first, last = numbers[0], numbers[-1]
        lines.append(f"- rounds {first} to {last} {rest}")
        # Each thought once, in the order of the rounds.
        thoughts: dict[str, None] = {}
        for number in numbers:
            sentence = first_sentence(diagnoses.get(number, ""))
            thoughts[shortened(sentence, _LONGEST_THOUGHT)] = None
        tried = [thought for thought in thoughts if thought]
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
    if entry.cause:
        return f"{entry.verdict}: {entry.cause}"
    return str(entry.verdict)


def _changes(
    rounds: Sequence[StoredRound],
    distilled: int,
    files_of: FilesOf,
) -> Iterator[_Change]:
    """Diffs out of each failure that was overcome, and from each best kernel to the next one."""
    for number in range(max(1, distilled), len(rounds)):
        before = rounds[number - 1]
        after = rounds[number]
        best = best_of(rounds[:number])
        progress = progress_of(rounds[: number + 1])
        if progress.best_round != after.round:
            if counts_as_correct(before.verdict) or same_failure(before, after):
                continue
        elif best is not None:
            # A new best kernel is compared with the best one before it, whatever came between.
            before = best
        outcome = _outcome(before)
        head = f"## Round {before.round} ({outcome}) to round {after.round}"
        old_us, new_us = before.latency_us, after.latency_us
        same_origin = before.latency_origin == after.latency_origin
        if old_us and new_us and same_origin:
            head += f", {old_us:.2f} to {new_us:.2f} us"
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
        lines: list[str] = []
        for path in sorted(files, key=_kernels_first):
            lines += [f"// {path}", *files[path].splitlines()]
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


def _kernels_first(path: str) -> tuple[bool, str]:
    return not path.startswith("op_kernel/"), path


def _fitted(parts: Sequence[Sequence[str]], counter: TokenCounter) -> list[str]:
    """Each part cut to its share of the budget."""

    def line_costs(part: Sequence[str]) -> list[int]:
        return [counter.count(f"{line}\n") for line in part]

    costs = [line_costs(part) for part in parts]
    budget = MOST_TOKENS
    texts = [""] * len(parts)
    # The shortest first: what it does not need of its share is divided among the others.
    shortest_first = sorted(range(len(parts)), key=lambda place: sum(costs[place]))
    waiting = len(parts)
    for place in shortest_first:
        share = budget // waiting
        lines: list[str] = []
        used = 0
        for line, cost in zip(parts[place], costs[place], strict=True):
            if used + cost > share:
                break
            used += cost
            lines.append(line)
        rest = len(parts[place]) - len(lines)
        if rest:
            lines.append(f"… {rest} more lines")
        texts[place] = "\n".join(lines)
        budget -= used
        waiting -= 1
    return texts
