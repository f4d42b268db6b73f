"""A second look at adoption records: does the code revision show what the record claims?

Compares the identifiers of an item's code pair with those of the changed lines. A doubtful record is marked
for the audit; the record itself, and the credit it leads to, are never changed by it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.memory.records import AdoptionState, CodeDiff

_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w{3,}\b")
_COMMON = """
auto const constexpr static void bool true false float half double short char long unsigned signed
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t return this else while
break continue class struct public private template typename using namespace inline sizeof define
include ifdef ifndef endif extern AscendC LocalTensor GlobalTensor __aicore__ __global__ __gm__
input output local tile tensor index count length offset AllocTensor FreeTensor EnQue DeQue
"""
_EVERYWHERE = frozenset(_COMMON.split())
_MOST = 0.8  # share of an item's new identifiers that, appearing in the change, contradicts `not_adopted`
_FEWEST = 2


@dataclass(frozen=True)
class Doubt:
    """A record the revision does not bear out; `reason` is what the auditor reads."""

    uid: str
    round: int
    state: AdoptionState
    reason: str


def doubt_about(
    uid: str,
    round_number: int,
    state: AdoptionState,
    code: CodeDiff,
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> Doubt | None:
    """Compare one record with the change from `before` to `after`.

    An item without code, or whose code has no identifier of its own, cannot be checked: no doubt. Guidance
    may also show in a diagnosis alone, so a doubt is a question, not a finding.
    """
    wanted = _new_identifiers(code)
    if not wanted or state is AdoptionState.UNRESOLVED:
        return None
    added, removed = _changed(before, after)
    shown = wanted & (added | removed)
    if state is AdoptionState.ADOPTED:
        gone = _identifiers(code.wrong_code) & removed
        if shown or gone:
            return None
        names = ", ".join(sorted(wanted)[:4])
        return Doubt(uid, round_number, state, f"nothing of it ({names}) is in the changed lines")
    fresh = wanted & (added - removed - _identifiers("\n".join(before.values())))
    if before and len(fresh) >= _FEWEST and len(fresh) >= _MOST * len(wanted):
        names = ", ".join(sorted(fresh)[:4])
        return Doubt(uid, round_number, state, f"the change introduces what it recommends ({names})")
    return None


def matching_lines(
    code: CodeDiff, before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[tuple[str, int], ...]:
    """Where a revision shows the code of an item: (path, 0-based line of `after`), one for each run of lines.

    A changed line counts when it holds an identifier that only the item's correct code has.
    """
    wanted = _new_identifiers(code)
    found = []
    for path in sorted(after):
        old, new = before.get(path, "").splitlines(), after[path].splitlines()
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, _start, _end, first, last in matcher.get_opcodes():
            if tag == "equal":
                continue
            line = next((n for n in range(first, last) if wanted & _identifiers(new[n])), None)
            if line is not None:
                found.append((path, line))
    return tuple(found)


def _new_identifiers(code: CodeDiff) -> frozenset[str]:
    """What the correct code has and the wrong one has not; all of it when that is nothing."""
    correct, wrong = _identifiers(code.correct_code), _identifiers(code.wrong_code)
    return correct - wrong or correct


def _identifiers(text: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(text)) - _EVERYWHERE


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[frozenset[str], frozenset[str]]:
    """Identifiers of the added and of the removed lines."""
    added, removed = [], []
    for path in sorted({*before, *after}):
        old, new = before.get(path, "").splitlines(), after.get(path, "").splitlines()
        for line in difflib.unified_diff(old, new, lineterm="", n=0):
            if line.startswith("+") and not line.startswith("+++"):
                added.append(line[1:])
            elif line.startswith("-") and not line.startswith("---"):
                removed.append(line[1:])
    return _identifiers("\n".join(added)), _identifiers("\n".join(removed))
