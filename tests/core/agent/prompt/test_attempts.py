"""The ledger says what each round tried, so that a model without a memory does not try it again."""

from __future__ import annotations

import asyncio
import time

from core.agent.prompt.attempts import attempt_text, changes, ledger_line
from core.evaluation.records import DiagnosticResult, VerdictClass
from core.memory.tokens import EstimatedTokens
from core.models.port import ModelRequest, Purpose
from tests.core.agent.scripted import (
    LOOK,
    LookingEvaluator,
    Model,
    files,
    judged,
    reply_text,
)
from tests.scenario import PlayedOperator

HOST = 'this->Input("x").DataType({ge::DT_FLOAT})'


def test_changed_files_and_calls_are_named() -> None:
    before = {
        "op_host/a.cpp": f"{HOST};\n// calls Old()\n",
        "op_kernel/a.cpp": "DataCopy(z, y, n);\nif (n) {}\n",
    }
    after = {
        "op_host/a.cpp": f"{HOST}.AutoContiguous();\n// calls Old()\n",
        "op_kernel/a.cpp": "DataCopyPad(z, y, p);\nif (n) {}\n",
    }
    assert changes(before, after) == (
        "op_host/a.cpp +1 -1; op_kernel/a.cpp +1 -1; new: AutoContiguous, DataCopyPad; gone: DataCopy"
    )
    assert changes(before, before) == "nothing"


def test_two_long_kernels_are_compared_at_once() -> None:
    """Hundreds of lines that are nearly alike took minutes, in which the run stood still."""
    before, after = (
        "\n".join(
            f"Mul(work[{i}], left[{i}], right[{i}], {step * i});"
            for i in range(1, 1500)
        )
        for step in (3, 5)
    )
    started = time.process_time()
    assert (
        changes({"op_kernel/a.cpp": before}, {"op_kernel/a.cpp": after})
        == "op_kernel/a.cpp +1499 -1499"
    )
    assert time.process_time() - started < 5


def playing(request: ModelRequest) -> str:
    """Three failing kernels, a look within the second round; every diagnosis in words of its own."""
    if request.purpose is Purpose.DIAGNOSE:
        return f"## Diagnosis\nthe copy of round {request.round}\nis short by 8 bytes\n"
    if request.purpose is Purpose.REPAIR and request.round == 2:
        return LOOK
    adoption = dict.fromkeys(request.retrieved, "not_adopted")
    project = files("AbsMath", "fail-result" if request.round < 4 else "pass 20.0")
    project["op_kernel/abs_math.cpp"] += (
        f"void Step{request.round}() {{ Copy{request.round}(x); }}\n"
    )
    return reply_text(adoption, project, diagnosis="first idea")


def ledgers(model: Model) -> list[str]:
    asked = [
        request for request in model.requests if request.purpose is Purpose.DIAGNOSE
    ]
    texts = [request.messages[-1].content for request in asked]
    return [
        text.partition("# Attempts so far\n\n")[2].partition("\n\n# ")[0]
        for text in texts
    ]


def test_diagnosis_changes_and_probes_of_every_round_stay_in_the_prompt(
    bench: PlayedOperator,
) -> None:
    bench.evaluator = LookingEvaluator()
    model = Model(playing)
    asyncio.run(bench.run(model))
    second, third = ledgers(model)[1:3]
    assert "diagnosis: first idea" in second
    assert "diagnosis: the copy of round 2 is short by 8 bytes" in second
    assert (
        "changed: op_kernel/abs_math.cpp +1 -1; new: Copy2, Step2; gone: Copy1, Step1"
        in second
    )
    assert "sanitizer (small) said: case small: 1 finding" in second
    assert third.startswith(second), "what was written once is never changed"
    assert "diagnosis: the copy of round 3 is short" in third


def test_an_entry_is_bounded_whatever_a_model_or_a_probe_writes() -> None:
    long = "words and more words " * 400
    result = DiagnosticResult("output", ok=True, summary="printed", log=long)
    before = {f"op_kernel/{n}.h": "" for n in range(40)}
    after = {path: "Call" + str(n) * 30 + "();\n" for n, path in enumerate(before)}
    acted = attempt_text(long, before, after, [("case", result)] * 9)
    line = ledger_line(
        7,
        "corr",
        judged("Lerp", "d", VerdictClass.FAIL_RESULT),
        long,
        new_best=False,
        acted_on=acted,
    )
    assert EstimatedTokens().count(line) < 450
    assert "and 6 earlier diagnostics" in line
