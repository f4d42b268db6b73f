"""On a device too, a kernel passes only for what it wrote, computed from its inputs, as it was built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.spec import TestCase
from remote.hosts.soc import soc_script
from remote.judge.cann.judge import CannJudge
from remote.judge.inputs.reference_module import case_inputs
from remote.judge.json_records import read
from remote.judge.processes.children import ChildGroup
from remote.judge.serving.guarded import guarded
from remote.toolchains.cann import CannToolchain
from remote.toolchains.twin.toolchain import describe_operator
from tests.remote.cann_stand_in import DEVICE
from tests.remote.helpers import HOST, KERNEL, candidate, edited, operator

TILING = "TilingFunc(gert::TilingContext* context) {"


@pytest.mark.system
def test_elements_that_keep_two_patterns_are_unwritten(
    toolchain: CannToolchain,
) -> None:
    """The reference is NaN throughout, and so is memory that nobody wrote."""
    kernel = edited((KERNEL, "op.Process();", ""))
    payload = dict(toolchain.request(operator(), kernel).payload)
    case = next(
        case for case in payload["cases"] if case["name"] == "short-tail-float32"
    )
    payload["cases"] = [
        {**case, "inputs": {"x": {**case["inputs"]["x"], "fill": "constant(nan)"}}}
    ]
    answer = guarded(
        lambda _job: CannJudge(toolchain.cache_dir),
        payload,
        ChildGroup("test"),
        lambda _text, **_fields: None,
    )
    result = answer["evaluation"]
    assert result["verdict"] == "fail-result", result["cause"]
    assert "y: 231 of 231 elements are written by no core" in result["cause"]


def knowing(toolchain: CannToolchain) -> Candidate:
    """A kernel that does not answer for the inputs of the first case as it was given, which no text draws."""
    visible = next(
        case for case in toolchain.request(operator(), candidate()).payload["cases"]
    )
    x = case_inputs(describe_operator(operator()), read(TestCase, visible), object())[
        "x"
    ][0].logical  # type: ignore[arg-type]
    known = f"if (*(__gm__ float*)x != {float(x.flatten()[0]).hex()}f) op.Process();"
    return edited((KERNEL, "op.Process();", known))


@pytest.mark.system
def test_the_answer_is_checked_with_other_inputs_after_timing(
    judged: Callable[..., Evaluation], toolchain: CannToolchain
) -> None:
    evaluation = judged(knowing(toolchain), extra_seeds=0)
    assert evaluation.verdict is VerdictClass.FAIL_RESULT
    assert "after timing, with other inputs: " in evaluation.cause
    assert evaluation.cases[0].latency is None
    assert evaluation.cases[0].verdicts is not None
    assert not evaluation.cases[0].verdicts.passed


@pytest.mark.slow
def test_what_was_built_is_what_is_judged_on_a_device(
    judged: Callable[..., Evaluation], toolchain: CannToolchain, set_env: Path
) -> None:
    right = judged(candidate())
    assert len(right.build.digest) == 64
    assert judged(candidate()).build.digest == right.build.digest
    write = (
        '{ std::ofstream library(std::string(std::getenv("ASCEND_CUSTOM_OPP_PATH")) + '
        '"/op_api/lib/libcust_opapi.so", std::ios::app); library << "more"; }'
    )
    header = '#include "abs_math_tiling.h"'
    changing = edited(
        (HOST, TILING, TILING + write),
        (
            HOST,
            header,
            f"{header}\n#include <cstdlib>\n#include <fstream>\n#include <string>",
        ),
    )
    assert judged(changing).verdict is VerdictClass.PASS, (
        "the sandbox lets nobody write what was built"
    )
    open_to_all = f"export SAGE_CANN_WRITE=$SAGE_CANN_WRITE:{toolchain.work_dir}"
    evaluation = judged(
        changing, environment=f"source {set_env}\n{soc_script(DEVICE)}\n{open_to_all}"
    )
    assert evaluation.verdict is VerdictClass.FAIL_RUN, evaluation.cause
    assert "what was built was changed while it was run" in evaluation.cause
    assert evaluation.build.digest != right.build.digest
