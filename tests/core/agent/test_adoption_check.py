"""The adoption check doubts what the revision contradicts, and only that; it changes no record."""

from __future__ import annotations

import asyncio

import pytest

from core.agent.adoption_check import doubt_about
from core.engine.audit import audit_adoption
from core.memory.records import AdoptionState, CodeDiff
from core.models.port import ModelRequest, Purpose
from tests.core.agent.conftest import Bench
from tests.core.agent.scripted import Model, files, reply_text

PAIR = CodeDiff("DataCopy(dst, src, n);", "DataCopyExtParams p;\nDataCopyPad(dst, src, p, pad);")
KERNEL = "op_kernel/k.cpp"
BEFORE = {KERNEL: "void f() {\n  DataCopy(y, x, n);\n  Abs(y, y, n);\n}\n"}
PADDED = {KERNEL: "void f() {\n  DataCopyExtParams q;\n  DataCopyPad(y, x, q, r);\n  Abs(y, y, n);\n}\n"}
OTHER = {KERNEL: "void f() {\n  DataCopy(y, x, n);\n  Muls(y, y, n);\n}\n"}


@pytest.mark.parametrize(
    ("state", "after", "doubtful"),
    [
        (AdoptionState.ADOPTED, PADDED, False),
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


def test_taking_out_the_wrong_code_counts() -> None:
    pair = CodeDiff("PipeBarrier<PIPE_ALL>();", "SetFlag<HardEvent::MTE2_V>(e);")
    before = {KERNEL: "PipeBarrier<PIPE_ALL>();\nAbs(y, x, n);\n"}
    assert doubt_about("m", 2, AdoptionState.ADOPTED, pair, before, {KERNEL: "Abs(y, x, n);\n"}) is None


def test_the_audit_leaves_record_and_credit_alone(bench: Bench) -> None:
    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad\n"
        if request.purpose in {Purpose.DISTIL, Purpose.ABSTRACT}:
            return "Nothing new."
        records = {uid: "adopted" if uid == "seed-0001" else "not_adopted" for uid in request.retrieved}
        if request.round == 3:
            return reply_text(records, {}).replace("## Files", "## Done\nenough")
        project = files("AbsMath", "fail-build" if request.round == 1 else "pass 9.0")
        if request.round == 2:
            project["op_kernel/abs_math.cpp"] += "DataCopyPad(a, b, p, q);\n"
        return reply_text(records, project)

    asyncio.run(bench.run(Model(answer)))
    tables = ("SELECT state, rationale FROM trace", "SELECT xi, u_after FROM credit_event")
    before = [bench.rows(query) for query in tables]
    audit = audit_adoption(bench.workspace)
    doubts = {(row.doubt.round, row.doubt.uid) for row in audit.doubtful}
    assert (1, "seed-0001") in doubts
    assert (2, "seed-0001") not in doubts
    assert audit.records == len(bench.rows("SELECT 1 FROM trace WHERE counted = 1"))
    assert [bench.rows(query) for query in tables] == before
