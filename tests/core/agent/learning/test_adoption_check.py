"""The adoption check doubts what the revision contradicts, and only that; it changes no record."""

from __future__ import annotations

import asyncio
import re

import pytest

from core.agent.learning.adoption_check import api_names, doubt_about
from core.engine.audit import audit_adoption
from core.exchange.seeds import cold_start_bank
from core.memory.records import AdoptionState, CodeDiff
from core.models.port import ModelRequest, Purpose
from tests.core.agent.conftest import Bench
from tests.core.agent.scripted import Model, files, reply_text

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
    found = doubt_about("m", 2, state, PAIR, BEFORE, after)
    assert (found is not None) is doubtful


def test_what_cannot_be_checked_is_not_doubted() -> None:
    for code in (CodeDiff("", ""), CodeDiff("int n;", "int32_t n = 0;")):
        assert doubt_about("m", 2, AdoptionState.ADOPTED, code, BEFORE, OTHER) is None


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

    assert doubt_about(uid, 2, AdoptionState.ADOPTED, SEEDS[uid], BEFORE, after) is None


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
        doubted += (
            doubt_about(uid, 2, AdoptionState.ADOPTED, SEEDS[uid], BEFORE, after)
            is not None
        )

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

    assert doubt_about("m", 2, AdoptionState.ADOPTED, pair, BEFORE, split) is None
    assert doubt_about("m", 2, AdoptionState.ADOPTED, pair, BEFORE, OTHER) is not None


def test_taking_out_the_wrong_code_counts() -> None:
    pair = CodeDiff("PipeBarrier<PIPE_ALL>();", "SetFlag<HardEvent::MTE2_V>(e);")
    before = {KERNEL: "PipeBarrier<PIPE_ALL>();\nAbs(y, x, n);\n"}
    assert (
        doubt_about(
            "m", 2, AdoptionState.ADOPTED, pair, before, {KERNEL: "Abs(y, x, n);\n"}
        )
        is None
    )


def test_the_audit_leaves_record_and_credit_alone(bench: Bench) -> None:
    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad\n"
        if request.purpose in {Purpose.DISTIL, Purpose.ABSTRACT}:
            return "Nothing new."
        records = {
            uid: "adopted" if uid == "seed-0001" else "not_adopted"
            for uid in request.retrieved
        }
        if request.round == 3:
            return reply_text(records, {}).replace("## Files", "## Done\nenough")
        project = files("AbsMath", "fail-build" if request.round == 1 else "pass 9.0")
        if request.round == 2:
            project["op_kernel/abs_math.cpp"] += "DataCopyPad(a, b, p, q);\n"
        return reply_text(records, project)

    asyncio.run(bench.run(Model(answer)))
    tables = (
        "SELECT state, rationale FROM trace",
        "SELECT xi, u_after FROM credit_event",
    )
    before = [bench.rows(query) for query in tables]
    audit = audit_adoption(bench.workspace)
    doubts = {(row.doubt.round, row.doubt.uid) for row in audit.doubtful}
    assert (1, "seed-0001") in doubts
    assert (2, "seed-0001") not in doubts
    assert audit.records == len(bench.rows("SELECT 1 FROM trace WHERE counted = 1"))
    assert [bench.rows(query) for query in tables] == before
