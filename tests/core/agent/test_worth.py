"""What an adopted experience was worth: its lines are taken out, and only its lines."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

import pytest

from core.engine.worth import (
    Removal,
    adopted_rounds,
    keep_why_not,
    keep_worth,
    measured,
    removal_of,
    weighable,
    worths_of,
)
from core.errors import SageError
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.memory.queries import item_page
from core.models.port import ModelRequest
from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec
from core.workspace import Workspace
from tests.core.agent.conftest import Bench
from tests.core.agent.scripted import CommentEvaluator, judged, reply_text

KERNEL = "op_kernel/abs_math.cpp"
FIRST = (
    "// judge: pass 20.0\nint kernel;\nDataCopy(a, b, n);\nint tail;\nint other;\nint e;\n"
    "DataCopy(c, d, n);\n"
)
SECOND = (
    "// judge: pass 10.0\nint kernel;\nDataCopyPad(a, b, p, q);\nint tail;\nint another;\n"
    "int e;\nDataCopyPad(c, d, p, q);\n"
)


class WithoutPad(CommentEvaluator):
    """Slower, or wrong, without DataCopyPad."""

    without = "20.0"
    verdict = VerdictClass.FAIL_RESULT

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        if "DataCopyPad" in candidate.files[KERNEL]:
            return judged(operator.name, candidate.digest, VerdictClass.PASS, "10.0")
        verdict = VerdictClass.PASS if self.without else self.verdict
        return judged(operator.name, candidate.digest, verdict, self.without or None)


@pytest.fixture
def bench(workspace: Workspace) -> Bench:
    def answer(request: ModelRequest) -> str:
        text = FIRST if request.round == 1 else SECOND
        if request.round > 2:
            return (
                "## Diagnosis\nd\n## Adoption\n"
                + "\n".join(f"- [{uid}] not_adopted: no" for uid in request.retrieved)
                + "\n## Done\nfast enough\n"
            )
        told = {
            uid: "adopted"
            if uid == "seed-0001" and request.round == 2
            else "not_adopted"
            for uid in request.retrieved
        }
        host = {
            "op_host/abs_math.cpp": "// host\n",
            "op_host/abs_math_tiling.h": "// tiling\n",
        }
        return reply_text(told, {KERNEL: text, **(host if request.round == 1 else {})})

    made = Bench(workspace)
    asyncio.run(made.run(answer))
    return made


def removal(bench: Bench) -> Removal:
    (place,) = adopted_rounds(bench.workspace.db, "seed-0001")
    assert place == ("t1", 2)
    return removal_of(bench.workspace.db, *place, "seed-0001")


def test_only_the_changes_that_show_the_experience_is_taken_out(bench: Bench) -> None:
    found = removal(bench)
    assert found.whole[KERNEL] == SECOND
    assert found.rest[KERNEL] == SECOND.replace(
        "DataCopyPad(a, b, p, q)", "DataCopy(a, b, n)"
    ).replace("DataCopyPad(c, d, p, q)", "DataCopy(c, d, n)")
    assert "-DataCopyPad(a, b, p, q);\n+DataCopy(a, b, n);" in found.patch


@pytest.mark.parametrize(
    ("without", "verdict", "gain", "outcome"),
    [
        ("20.0", VerdictClass.PASS, 10.0, "timed"),
        ("", VerdictClass.FAIL_RESULT, None, "needed"),
        ("", VerdictClass.FAIL_BUILD, None, "bound"),
        ("", VerdictClass.VOID, None, "unknown"),
    ],
)
def test_the_answer_is_kept_beside_the_record(
    bench: Bench, without: str, verdict: VerdictClass, gain: float | None, outcome: str
) -> None:
    evaluator = WithoutPad()
    evaluator.without, evaluator.verdict = without, verdict
    found = removal(bench)
    judged = asyncio.run(
        measured(nullcontext(evaluator), catalogue_operator("AbsMath"), found)
    )
    keep_worth(bench.workspace, *judged)
    (worth,) = worths_of(bench.workspace.db, "seed-0001")
    assert (worth.operator, worth.round, worth.gain_us, worth.outcome) == (
        "AbsMath",
        2,
        gain,
        outcome,
    )
    assert worth.latency_origin == "modelled"
    assert bench.workspace.check() == ()
    shown = {
        record.round: record
        for record in item_page(bench.workspace.db, "seed-0001").adoptions
    }
    assert (shown[2].with_us, shown[2].without_us) == (10.0, 20.0 if without else None)
    assert shown[1].with_verdict == ""


def test_what_cannot_be_taken_out_is_said(bench: Bench) -> None:
    db = bench.workspace.db
    assert weighable(db, "seed-0001") == (("t1", 2, "seed-0001"), removal(bench))
    with pytest.raises(SageError, match="No evaluated round adopted seed-0002"):
        weighable(db, "seed-0002")
    db.execute(
        "UPDATE trace SET state = 'adopted' WHERE item_id = (SELECT id FROM item WHERE uid = 'seed-0002')"
    )
    db.execute(
        "UPDATE item SET code_diff = '{}' WHERE uid = 'seed-0002'"
    )  # nothing to look for
    place, why = weighable(db, "seed-0002")
    assert place == ("t1", 2, "seed-0002"), (
        "the latest of two that cannot be taken apart"
    )
    assert "No line that round 2" in str(why)
    with pytest.raises(
        SageError, match="No line that round 2 wrote shows the code of seed-0002"
    ):
        removal_of(db, "t1", 2, "seed-0002")
    keep_why_not(bench.workspace, ("t1", 2, "seed-0001"), "nothing to take out")
    assert worths_of(db, "seed-0001")[0].why_not == "nothing to take out"
    assert adopted_rounds(db, "seed-0001", "Lerp") == ()
