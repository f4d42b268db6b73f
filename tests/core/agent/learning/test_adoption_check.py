"""The adoption check doubts what the revision contradicts, and only that; it changes no record."""

from __future__ import annotations

import re

import pytest

from core.agent.learning.adoption_check import api_names, is_doubtful
from core.exchange.seeds import cold_start_bank
from core.memory.records import AdoptionState, CodeDiff

PAIR = CodeDiff(
    "DataCopy(dst, src, n);", "DataCopyExtParams p;\nDataCopyPad(dst, src, p, pad);"
)
KERNEL = "op_kernel/k.cpp"
BEFORE = {KERNEL: "void f() {\n  DataCopy(y, x, n);\n  Abs(y, y, n);\n}\n"}
PADDED = {
    KERNEL: "void f() {\n  DataCopyExtParams q;\n  DataCopyPad(y, x, q, r);\n  Abs(y, y, n);\n}\n"
}
COUNTED = {KERNEL: f"{BEFORE[KERNEL]}++seen[DataCopyPad(y, x, q, r)];\n"}
OTHER = {KERNEL: "void f() {\n  DataCopy(y, x, n);\n  Muls(y, y, n);\n}\n"}


@pytest.mark.parametrize(
    ("state", "after", "doubtful"),
    [
        (AdoptionState.ADOPTED, PADDED, False),
        (AdoptionState.ADOPTED, COUNTED, False),
        (AdoptionState.ADOPTED, OTHER, True),
        (AdoptionState.ADOPTED, BEFORE, True),
        (AdoptionState.NOT_ADOPTED, PADDED, True),
        (AdoptionState.NOT_ADOPTED, OTHER, False),
        (AdoptionState.UNRESOLVED, PADDED, False),
    ],
)
def test_claims_are_compared_with_the_change(
    state: AdoptionState, after: dict[str, str], doubtful: bool
) -> None:
    assert is_doubtful(state, PAIR, BEFORE, after) is doubtful


def test_what_cannot_be_checked_is_not_doubted() -> None:
    for code in (CodeDiff("", ""), CodeDiff("int n;", "int32_t n = 0;")):
        assert not is_doubtful(AdoptionState.ADOPTED, code, BEFORE, OTHER)


def _renamed(text: str) -> str:
    """The same code by somebody who calls everything else differently."""
    chosen = r"\b(?!const|auto|float|half|for|if|while|static|void|return|sizeof|int|bool|true|false)"
    chosen += r"(?!double|template|uint|reinterpret|class|typename|using)[a-z]\w*\b"
    return re.sub(chosen, lambda match: f"my{len(match[0])}{match[0][::-1]}", text)


SEEDS = {
    uid: seed.code_diff
    for uid, seed in cold_start_bank()
    if seed.code_diff.correct_code.strip()
}


@pytest.mark.parametrize("uid", SEEDS)
def test_honest_adoption_is_not_doubted_because_variables_have_other_names(
    uid: str,
) -> None:
    after = {KERNEL: f"{BEFORE[KERNEL]}{_renamed(SEEDS[uid].correct_code)}\n"}

    assert not is_doubtful(AdoptionState.ADOPTED, SEEDS[uid], BEFORE, after)


def test_most_claims_of_another_lesson_are_doubted() -> None:
    """A revision that follows one lesson of the bank does not bear out the claims of all the others."""
    uids, doubted, compared = list(SEEDS), 0, 0
    for place, uid in enumerate(uids):
        other = SEEDS[uids[(place + len(uids) // 2) % len(uids)]]
        after = {KERNEL: f"{BEFORE[KERNEL]}{_renamed(other.correct_code)}\n"}
        names = api_names(SEEDS[uid].correct_code)
        if not names or names & api_names(other.correct_code):
            continue
        compared += 1
        doubted += is_doubtful(AdoptionState.ADOPTED, SEEDS[uid], BEFORE, after)

    assert compared > 25
    assert doubted >= 0.8 * compared


def test_structure_speaks_where_there_is_no_api() -> None:
    wrong, correct = (
        "share = total / cores;",
        "share = (total / 8 + cores - 1) / cores * 8;",
    )
    pair = CodeDiff(f"uint32_t {wrong}", f"uint32_t {correct}")
    split = {
        KERNEL: f"{BEFORE[KERNEL]}const uint32_t perCore = (blocks / 16 + n - 1) / n * 16;\n"
    }

    assert not is_doubtful(AdoptionState.ADOPTED, pair, BEFORE, split)
    assert is_doubtful(AdoptionState.ADOPTED, pair, BEFORE, OTHER)


def test_taking_out_the_wrong_code_counts() -> None:
    pair = CodeDiff("PipeBarrier<PIPE_ALL>();", "SetFlag<HardEvent::MTE2_V>(e);")
    before = {KERNEL: "PipeBarrier<PIPE_ALL>();\nAbs(y, x, n);\n"}
    after = {KERNEL: "Abs(y, x, n);\n"}
    assert not is_doubtful(AdoptionState.ADOPTED, pair, before, after)
