"""Whole evaluations with the machine's compiler: a right kernel, and each way of being wrong."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from core.evaluation.records import TIME_MODEL, Candidate
from core.operators.spec import InputSpec, TestCase
from remote.judge.inputs.memory_needs import available_bytes, reference_bytes, refusal
from remote.judge.judge import Judge
from tests.remote.helpers import (
    HOST,
    KERNEL,
    TILING,
    TWIN,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

SHORT = ["short-tail-float32"]
TWO = ["aligned-float32", "short-tail-float32"]


def test_a_right_kernel_passes_every_case_in_both_dtypes(
    judge: Judge, build_cache: Path
) -> None:
    lines: list[str] = []
    result = judge_job(judge, job(operator(), candidate(), build_cache), lines.append)
    assert (result["verdict"], result["cause"], result["findings"]) == ("pass", "", [])
    big = {case.name for case in operator().cases if case.big}
    assert {row["status"] for row in result["cases"] if row["case"] not in big} == {
        "pass"
    }
    assert {row["status"] for row in result["cases"] if row["case"] in big} == {
        "skipped"
    }
    assert {row["dtype"] for row in result["cases"]} == {"float32", "float16"}
    by_name = {row["case"]: row for row in result["cases"]}
    assert by_name["short-tail-float16"]["verdicts"]["deciding"] == "ulp"
    assert by_name["short-tail-float32"]["verdicts"]["deciding"] == "catalogue"
    timed = [
        row
        for row in result["cases"]
        if row["timed"] and not row["hidden"] and row["case"] not in big
    ]
    assert result["latency"]["value"] == pytest.approx(
        sum(row["latency"]["value"] for row in timed)
    )
    assert (
        result["latency"]["origin"],
        result["latency"]["n"],
        result["latency"]["unit"],
    ) == (
        "modelled",
        0,
        "us",
    )
    assert result["profile"]["bound"] in ("mte2", "mte3", "vector", "scalar")
    count = len(operator().cases) - len(big)
    assert lines[-1].startswith(f"case {count} of {count}")


def test_a_first_launch_takes_longer_than_one_whose_tensors_lie_in_l2(
    judge: Judge, build_cache: Path
) -> None:
    cases = ["aligned-float32"]
    warm, cold = (
        judge_job(judge, job(operator(), candidate(), build_cache, cases, cold=cold))
        for cold in (False, True)
    )
    assert warm["verdict"] == cold["verdict"] == "pass"
    warm_time, cold_time = (result["cases"][0]["latency"] for result in (warm, cold))
    assert cold_time["value"] > warm_time["value"]
    assert warm_time["low"] < warm_time["value"] < warm_time["high"]
    assert warm_time["clock"] == "twin cycle model, warm L2"
    assert cold_time["clock"] == "twin cycle model, cold L2"
    assert warm_time["time_model"] == cold_time["time_model"] == TIME_MODEL


def test_the_same_candidate_again_is_not_compiled_and_gives_the_same_numbers(
    judge: Judge, build_cache: Path
) -> None:
    first = judge_job(judge, job(operator(), candidate(), build_cache))
    started = time.monotonic()
    again = judge_job(judge, job(operator(), candidate(), build_cache))
    assert again["build"]["cached"]
    assert again["build"]["seconds"] <= 0.1
    assert time.monotonic() - started < 3
    assert again["latency"] == first["latency"]
    assert [row["statistics"] for row in again["cases"]] == [
        row["statistics"] for row in first["cases"]
    ]


@pytest.mark.parametrize(
    ("edit", "rule", "line_of", "words"),
    [
        (
            (
                KERNEL,
                "DataCopyPad(yGm[offset], local",
                "DataCopyPad(yGm[offset + 1000000], local",
            ),
            "gm-out-of-bounds",
            "DataCopyPad(yGm[offset + 1000000]",
            ["kernel abs_math", "DataCopyPad", "core 0"],
        ),
        (
            (
                KERNEL,
                "pipe.InitBuffer(outQueue, BUFFER_NUM, tileLength * sizeof(DTYPE_Y));",
                "pipe.InitBuffer(unused, 196608); pipe.InitBuffer(outQueue, BUFFER_NUM, 512);",
            ),
            "ub-overflow",
            "Abs(y, x, count);",
            ["kernel abs_math", "Abs", "core 0", "196608 bytes of UB"],
        ),
        (
            (KERNEL, "inQueue.EnQue(local);", ""),
            "queue-undelivered",
            "inQueue.DeQue",
            ["kernel abs_math", "DeQue", "core 0"],
        ),
        (
            (KERNEL, "Abs(y, x, count);", "Abs(y[3], x, count);"),
            "alignment",
            "Abs(y[3]",
            ["Abs", "32-byte"],
        ),
        (
            (KERNEL, "op.Process();", "op.Process(); *(volatile int*)16 = 1;"),
            "crash",
            "outQueue.FreeTensor(local);",
            ["kernel abs_math", "SIGSEGV", "core"],
        ),
    ],
)
def test_an_unsafe_kernel_is_told_where_and_why(
    judge: Judge,
    build_cache: Path,
    edit: tuple[str, str, str],
    rule: str,
    line_of: str,
    words: list[str],
) -> None:
    declared = (
        KERNEL,
        "    TPipe pipe;",
        "    TPipe pipe;\n    TBuf<QuePosition::VECCALC> unused;",
    )
    kernel = edited(edit, declared)
    result = judge_job(judge, job(operator(), kernel, build_cache, ["aligned-float32"]))
    assert result["verdict"] == "fail-run"
    assert result["latency"] is None
    error = next(
        finding for finding in result["findings"] if finding["severity"] == "error"
    )
    assert error["rule"] == rule
    lines = kernel.files[KERNEL].splitlines()
    assert error["file"] == KERNEL
    assert line_of in lines[error["line"] - 1]
    for word in [*words, f"{KERNEL}:{error['line']}"]:
        assert word in result["cause"]


@pytest.mark.system
@pytest.mark.parametrize(
    "loop",
    [
        "op.Process();\n    while (true) op.Process();",
        "volatile int turns = 0;\n    while (true) turns = 1;",
    ],
)
def test_a_kernel_that_never_ends_is_stopped_and_the_rest_is_skipped(
    judge: Judge, build_cache: Path, loop: str
) -> None:
    started = time.monotonic()
    kernel = edited((KERNEL, "op.Process();", loop))
    cases = [
        "aligned-float32",
        "short-tail-float32",
        "one-element-float32",
        "special-values-float32",
    ]
    result = judge_job(
        judge, job(operator(), kernel, build_cache, cases, time_limit_s=0.6)
    )
    assert result["verdict"] == "fail-run"
    for word in ("time-limit", "kernel abs_math", "0.6 s", "core 0"):
        assert word in result["cause"]
    assert "skipped" in [row["status"] for row in result["cases"]]
    assert time.monotonic() - started < 60


@pytest.mark.slow
def test_clang_gives_the_same_numbers_and_places(
    judge: Judge, build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [
        f"clang++{suffix}"
        for suffix in ("", *(f"-{version}" for version in range(14, 22)))
    ]
    clang = next((name for name in names if shutil.which(name)), None)
    if clang is None:
        pytest.skip("no clang++ on this machine")
    expected = judge_job(judge, job(operator(), candidate(), build_cache))
    monkeypatch.setenv("SAGE_CXX", clang)
    other = Judge(build_cache, TWIN, workers=2)
    found = judge_job(other, job(operator(), candidate(), build_cache))
    assert found["build"]["compiler"].startswith("clang")
    assert (found["verdict"], found["latency"]) == ("pass", expected["latency"])
    unsafe = edited((KERNEL, "Abs(y, x, count);", "Abs(y[3], x, count);"))
    assert (
        f"{KERNEL}:38: alignment"
        in judge_job(other, job(operator(), unsafe, build_cache, SHORT))["cause"]
    )
    nameless = edited((KERNEL, "void abs_math(", "void abs_maths("))
    cause = judge_job(other, job(operator(), nameless, build_cache, SHORT))["cause"]
    assert "kernel entry `abs_math' not implement" in cause


def test_a_dropped_tail_is_a_wrong_result_with_its_place(
    judge: Judge, build_cache: Path
) -> None:
    kernel = edited(
        (
            KERNEL,
            "DataCopyPad(yGm[offset], local, params);",
            "DataCopy(yGm[offset], local, count);",
        )
    )
    result = judge_job(judge, job(operator(), kernel, build_cache, TWO))
    assert result["verdict"] == "fail-result"
    assert "the last 7 of 231 elements are wrong" in result["cause"]
    assert "short-tail-float32" in result["cause"]
    statuses = {row["case"]: row["status"] for row in result["cases"]}
    assert statuses == {"aligned-float32": "pass", "short-tail-float32": "wrong-result"}
    assert any(finding["rule"] == "copy-tail" for finding in result["findings"])


@pytest.mark.system
def test_shape_and_dtype_come_before_values(judge: Judge, build_cache: Path) -> None:
    shape = edited(
        (
            HOST,
            "*context->GetOutputShape(0) = *context->GetInputShape(0);",
            "context->GetOutputShape(0)->AppendDim(1);",
        )
    )
    result = judge_job(judge, job(operator(), shape, build_cache, SHORT))
    assert (result["verdict"], result["cases"][0]["status"]) == (
        "fail-result",
        "wrong-shape",
    )
    assert "[1], it is [7, 33]; apart from that the values are right" in result["cause"]
    wrong = edited(
        (HOST, "*context->GetOutputShape(0) = *context->GetInputShape(0);", ""),
        (KERNEL, "Abs(", "Exp("),
    )
    result = judge_job(judge, job(operator(), wrong, build_cache, SHORT))
    assert result["cases"][0]["status"] == "wrong-shape"
    assert "apart from that y" in result["cause"]
    assert result["cases"][0]["statistics"][0]["max_abs"] > 0
    beyond = edited(
        (HOST, "*context->GetOutputShape(0) = *context->GetInputShape(0);", ""),
        (KERNEL, "Abs(y, x, count)", "Abs(y, x, count << 20)"),
    )
    result = judge_job(judge, job(operator(), beyond, build_cache, SHORT))
    assert result["cases"][0]["status"] == "wrong-shape"
    assert "apart from that op_kernel/abs_math.cpp:" in result["cause"]
    dtype = edited(
        (
            HOST,
            "SetOutputDataType(0, context->GetInputDataType(0))",
            "SetOutputDataType(0, ge::DT_FLOAT16)",
        )
    )
    result = judge_job(judge, job(operator(), dtype, build_cache, SHORT))
    assert (result["verdict"], result["cases"][0]["status"]) == (
        "fail-result",
        "wrong-dtype",
    )


def test_a_hidden_case_tells_its_shape_class_but_no_values(
    judge: Judge, build_cache: Path
) -> None:
    hidden = ["hidden-prime-length-float32"]
    kernel = edited(
        (
            KERNEL,
            "DataCopyPad(yGm[offset], local, params);",
            "DataCopy(yGm[offset], local, count);",
        )
    )
    result = judge_job(
        judge, job(operator(), kernel, build_cache, ["aligned-float32", *hidden])
    )
    row = next(row for row in result["cases"] if row["hidden"])
    assert (result["verdict"], row["status"]) == ("fail-result", "wrong-result")
    assert "hidden case" in result["cause"]
    assert "no multiple of 32 bytes" in row["detail"]
    assert "expected" not in result["cause"] + row["detail"]


@pytest.mark.system
def test_tiling_data_may_be_declared_in_the_source_itself(
    judge: Judge, build_cache: Path
) -> None:
    kernel = candidate()
    files = dict(kernel.files)
    structs = (
        files.pop(TILING)
        .split('#include "register/tilingdata_base.h"\n')[1]
        .replace("#endif\n", "")
    )
    files[HOST] = (
        files[HOST]
        .replace('#include "abs_math_tiling.h"\n', "")
        .replace(
            "\nnamespace optiling {\nconstexpr",
            '\n#include "register/tilingdata_base.h"\n'
            + structs
            + "\nnamespace optiling {\nconstexpr",
        )
    )
    result = judge_job(
        judge, {**job(operator(), kernel, build_cache, SHORT), "candidate": files}
    )
    assert (result["verdict"], result["cause"]) == ("pass", "")


@pytest.mark.system
def test_operators_may_share_a_tiling_struct(judge: Judge, build_cache: Path) -> None:
    files = dict(candidate().files)
    register = "REGISTER_TILING_DATA_CLASS(AbsMath, AbsMathTilingData)"
    assert register in files[TILING]
    files["op_host/shared_tiling.h"] = (
        files[TILING].replace(register, "").replace("ABS_MATH", "SHARED")
    )
    files[TILING] = (
        f'#pragma once\n#include "shared_tiling.h"\nnamespace optiling {{\n{register}\n}}\n'
    )
    result = judge_job(
        judge, {**job(operator(), candidate(), build_cache, SHORT), "candidate": files}
    )
    assert (result["verdict"], result["cause"]) == ("pass", "")


@pytest.mark.system
def test_an_operator_may_be_called_like_a_function_of_the_c_library(
    judge: Judge, build_cache: Path
) -> None:
    renamed = {
        path.replace("abs_math", "sqrt"): text.replace("abs_math", "sqrt").replace(
            "AbsMath", "Sqrt"
        )
        for path, text in candidate().files.items()
    }
    payload = job(operator(), candidate(), build_cache, SHORT)
    payload["operator"] = {**payload["operator"], "name": "Sqrt", "snake": "sqrt"}
    result = judge_job(judge, {**payload, "candidate": renamed})
    assert (result["verdict"], result["cause"]) == ("pass", "")


def test_what_the_kernel_prints_is_noted(judge: Judge, build_cache: Path) -> None:
    kernel = edited(
        (
            KERNEL,
            "op.Process();",
            'op.Process();\n    AscendC::printf("block %d\\n", (int)GetBlockIdx());',
        )
    )
    result = judge_job(
        judge, job(operator(), kernel, build_cache, ["one-element-float32"])
    )
    assert result["verdict"] == "pass"
    assert any("block 0" in note for note in result["notes"])


def test_a_kernel_that_changes_its_input_is_wrong(
    judge: Judge, build_cache: Path
) -> None:
    kernel = edited(
        (
            KERNEL,
            "DataCopyPad(yGm[offset], local, params);",
            "DataCopyPad(yGm[offset], local, params);\n        DataCopyPad(xGm[offset], local, params);",
        )
    )
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT))
    assert result["verdict"] == "fail-result"
    assert "changed its input x" in result["cause"]


@pytest.mark.slow
def test_a_definition_in_a_file_of_its_own_may_repeat_a_function(
    judge: Judge, build_cache: Path
) -> None:
    files = dict(candidate().files)
    twice = "int Half(int n) { return n / 2; }\n"
    files[HOST] = twice + files[HOST]
    extra = {"op_host/abs_math_infer.cpp": twice + "// OP_ADD is elsewhere\n"}
    result = judge_job(
        judge,
        job(operator(), Candidate(files | extra), build_cache, ["short-tail-float32"]),
    )
    assert (result["verdict"], result["build"]["stage"]) == ("fail-build", "link")
    moved = files | {"op_host/abs_math_def.cpp": extra["op_host/abs_math_infer.cpp"]}
    result = judge_job(
        judge, job(operator(), Candidate(moved), build_cache, ["short-tail-float32"])
    )
    assert result["verdict"] == "pass", result["cause"]
    (warning,) = result["build"]["messages"]
    assert warning["severity"] == "warning"
    assert warning["text"].startswith(
        "Half(int) is defined in several files of op_host"
    )


def test_a_big_case_the_machine_has_no_memory_for_is_not_started(
    judge: Judge, build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = ["short-tail-float32", "large-float32"]
    payload = job(operator(), candidate(), build_cache, cases, run_big=True)
    assert [case["name"] for case in payload["cases"] if case.get("big")] == [
        "large-float32"
    ]
    monkeypatch.setattr(
        "remote.judge.inputs.memory_needs.available_bytes", lambda: 100 << 20
    )
    result = judge_job(judge, payload)
    assert result["verdict"] == "pass", result["cause"]
    by_name = {row["case"]: row for row in result["cases"]}
    assert by_name["short-tail-float32"]["status"] == "pass"
    large = by_name["large-float32"]
    assert large["status"] == "skipped"
    assert "GiB of memory, of which this machine has 0.1 GiB free" in large["detail"]


def test_the_memory_of_a_case_is_estimated_from_its_shapes() -> None:
    spec = InputSpec((1000, 1000), "float32")
    assert available_bytes() > 100 << 20
    assert reference_bytes(TestCase("c", {"x": spec}), 1) == 1000 * 1000 * (4 + 8 * 4)
    row = {"shape": "[[10, 100], [7]]", "dtype": "float16", "k": 512}
    assert reference_bytes(TestCase("c", {}, row=row), 1) == 1007 * 4 * 8
    assert refusal(1 << 62).startswith("takes about 4294967296.0 GiB of memory")
    assert refusal(1) == ""
