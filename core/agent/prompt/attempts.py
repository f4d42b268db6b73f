"""The attempt ledger: what every round tried and what came of it, for a model that remembers nothing.

A line is written once and never changed, so that prompts share a prefix; each is
bounded, so that the ledger of thirty rounds stays within a few thousand tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from core.cpp_text import code_of
from core.diff.lines import changed_blocks, lines_of
from core.evaluation.records import (
    INSIDE_MODEL,
    DiagnosticResult,
    Evaluation,
    is_proven_gain,
    origin_words,
)
from core.visible import one_line

_CAUSE, _DIAGNOSIS, _CHANGES, _PROBE = 200, 240, 240, 160  # characters
_MOST_PROBES = 3
_MOST_NAMES = 6
# What a change is known by: calls, and members chained to one, as in
# `Input("x").AutoContiguous()`.
_CALL = re.compile(r"\b([A-Za-z_]\w*)(?=\s*+(?:<[^<>;(){}]{0,400}>)?\s*+\()")
_CONTROL = frozenset(
    {
        "if",
        "for",
        "while",
        "switch",
        "return",
        "sizeof",
        "static_cast",
        "reinterpret_cast",
    }
)


def ledger_line(
    round_number: int,
    objective: str,
    evaluation: Evaluation,
    cause: str,
    *,
    new_best: bool,
    best_before: float | None = None,
    acted_on: str = "",
) -> str:
    """The entry of one round.

    Args:
        round_number: Within the trajectory.
        objective: `corr` or `opt`.
        evaluation: What the environment answered.
        cause: The cause the model was told.
        new_best: Whether the round was the best so far.
        best_before: Latency of the best round before it, of the same stored origin.
        acted_on: What led to it, from `attempt_text`.
    """
    line = f"- round {round_number} ({objective}): {evaluation.verdict.value}"
    if evaluation.correct and evaluation.latency is not None:
        latency = evaluation.latency
        line += f", {latency.value:.2f} {latency.unit} {origin_words(latency.stored_origin)}"
        line += (
            f" ({latency.launch:.2f} of it launch)"
            if latency.launch is not None
            else ""
        )
        line += ", best so far" if new_best else ""
        if new_best and best_before is not None:
            proven = is_proven_gain(best_before, latency.value, latency.margin)
            line += "" if proven else f", a gain {INSIDE_MODEL}"
    elif cause:
        line += f": {cause[:_CAUSE]}"
    return f"{line}\n{acted_on}" if acted_on else line


def attempt_text(
    diagnosis: str,
    before: Mapping[str, str],
    after: Mapping[str, str],
    probes: Sequence[tuple[str, DiagnosticResult]],
) -> str:
    """What a round went by and did, as indented lines below its verdict.

    Args:
        diagnosis: In the model's words.
        before: Files of the round before, empty at the first.
        after: Files that were judged.
        probes: Case and answer of every diagnostic of the round, in order.
    """
    lines = []
    if diagnosis.strip():
        lines.append(f"  diagnosis: {one_line(diagnosis, _DIAGNOSIS)}")
    if before:
        lines.append(f"  changed: {one_line(changes(before, after), _CHANGES)}")
    last_probes = probes[-_MOST_PROBES:]
    for case, result in last_probes:
        place = f" ({case})" if case else ""
        lines.append(
            f"  {result.tool}{place} said: {one_line(f'{result.summary} {result.log}', _PROBE)}"
        )
    if len(probes) > len(last_probes):
        lines.append(f"  and {len(probes) - len(last_probes)} earlier diagnostics")
    return "\n".join(lines)


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Files with lines added and removed, and the calls that are new or gone.

    `nothing` when equal.
    """
    parts = []
    for path in sorted({*before, *after}):
        old, new = before.get(path, ""), after.get(path, "")
        if old != new:
            added, removed = _lines_changed(lines_of(old), lines_of(new))
            parts.append(f"{path} +{added} -{removed}")
    if not parts:
        return "nothing"
    old_calls, new_calls = _calls(before), _calls(after)
    for label, names in (
        ("new", new_calls - old_calls),
        ("gone", old_calls - new_calls),
    ):
        if names:
            more = ", …" if len(names) > _MOST_NAMES else ""
            parts.append(f"{label}: {', '.join(sorted(names)[:_MOST_NAMES])}{more}")
    return "; ".join(parts)


def _lines_changed(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Lines added and removed.

    By whole lines: likeness within lines would take minutes for long files.
    """
    changes = changed_blocks(old, new)
    added = sum(block.new_end - block.new_start for block in changes)
    removed = sum(block.old_end - block.old_start for block in changes)
    return added, removed


def _calls(files: Mapping[str, str]) -> frozenset[str]:
    return _calls_in("\n".join(files.values()))


@lru_cache(maxsize=64)  # every round lists the same earlier attempts again
def _calls_in(text: str) -> frozenset[str]:
    return frozenset(_CALL.findall(code_of(text))) - _CONTROL
