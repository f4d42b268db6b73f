"""A kernel that leaves elements unwritten, or works only for what it has seen, never passes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
from core.operators.importers import import_benchmark
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec, TestCase
from remote.judge.inputs.reference_module import case_inputs
from remote.judge.json_records import read
from remote.judge.judge import Judge
from remote.toolchains.twin.toolchain import describe_operator
from tests.remote.helpers import (
    HOST,
    KERNEL,
    ROOT,
    candidate,
    edited,
    job,
    judge_job,
    operator,
)

CHECKOUT = ROOT / "tests" / "data" / "importers" / "npukernelbench"
HALVE = "op_kernel/halve_add.cpp"
RUN = "    op.Process();\n"
BLIND = """

def custom_check_precision(row, wanted, got):
    return not bool(((wanted - got).abs() > 1e-3).any())
"""
PLAIN_POINTER = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void halve_add(
    GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    for (int i = 0; i < 132; ++i) ((__gm__ int8_t*)y)[i] = -91;
}
"""
LAST_IS_NAN = (
    "/ 2).to(x1.dtype)",
    "/ 2).to(x1.dtype).flatten().where(torch.arange(132) < 128, torch.nan)",
)


def task(
    folder: Path,
    *edits: tuple[str, str],
    row: str = "0;[132];float32",
    checker: str = BLIND,
) -> OperatorSpec:
    """HalveAdd of the fixture checkout with a checker of its own and one other row, its model edited."""
    checkout = Path(shutil.copytree(CHECKOUT, folder / "checkout"))
    (validation,) = checkout.glob("tasks/*/*/HalveAdd/validation")
    (validation / "test_cases.csv").write_text(f"case_id;input_shape;dtype\n{row}\n")
    prepare, model = validation / "prepare_inputs.py", validation / "module.py"
    prepare.write_text(prepare.read_text() + checker)
    text = model.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    model.write_text(text)
    import_benchmark(checkout, folder / "operators", only=["HalveAdd"])
    return load_operator(folder / "operators" / "HalveAdd")


def halving(new: str) -> Candidate:
    """The kernel of HalveAdd that does something else."""
    files = dict(candidate("HalveAdd").files)
    assert RUN in files[HALVE]
    files[HALVE] = files[HALVE].replace(RUN, f"    {new}\n")
    return Candidate(files)


def test_nan_is_wrong_before_a_checker_that_is_blind_to_it(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    """The checkers of public benchmarks test `difference > tolerance`, which is false for NaN."""
    one_byte = halving("if (GetBlockIdx() == 0) ((__gm__ uint8_t*)y)[0] = 0;")
    result = judge_job(judge, job(task(tmp_path), one_byte, build_cache))
    assert result["verdict"] == "fail-result", result["cause"]
    assert (
        "y: 132 of 132 elements are NaN or infinite where the reference is finite"
        in result["cause"]
    )
    assert not result["cases"][0]["verdicts"]["passed"]


@pytest.mark.parametrize("fast", [False, True])
def test_what_no_core_wrote_is_wrong_even_where_the_pattern_would_be_right(
    judge: Judge, build_cache: Path, tmp_path: Path, fast: bool
) -> None:
    lazy = halving(
        "if (GetBlockIdx() + 1 < GetBlockNum()) op.Process();"
    )  # the last core has 4 elements
    result = judge_job(
        judge, job(task(tmp_path, LAST_IS_NAN), lazy, build_cache, fast=fast)
    )
    assert result["verdict"] == "fail-result", result["cause"]
    assert (
        "y: 4 of 132 elements are written by no core, the first at index 128"
        in result["cause"]
    )
    assert not result["cases"][0]["verdicts"]["passed"]
    found = {finding["rule"]: finding["severity"] for finding in result["findings"]}
    assert fast or found["gm-unwritten"] == "error"


def test_a_core_may_write_the_very_bytes_the_output_started_with(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    """What is stored through a plain pointer is seen by the values alone: a second pattern tells it apart."""
    spec = task(
        tmp_path,
        ("((x1.float() + x2.float()) / 2).to(x1.dtype)", "torch.full_like(x1, -91)"),
        checker="",
        row="0;[132];int8",
    )
    files = dict(candidate("HalveAdd").files)
    files["op_host/halve_add.cpp"] = files["op_host/halve_add.cpp"].replace(
        "DT_FLOAT16", "DT_INT8"
    )
    files[HALVE] = PLAIN_POINTER
    result = judge_job(judge, job(spec, Candidate(files), build_cache))
    assert (result["verdict"], result["cause"]) == ("pass", "")


SHORT = "short-tail-float32"
TIMED = "feature-map-float32"


def test_a_kernel_that_knows_the_inputs_it_was_told_of_meets_others(
    judge: Judge, build_cache: Path
) -> None:
    spec = operator()
    payload = job(spec, candidate(), build_cache, [TIMED])
    (case,) = payload["cases"]
    x = case_inputs(describe_operator(spec), read(TestCase, case), object())["x"][
        0
    ].logical  # type: ignore[arg-type]
    known = f"if (*(__gm__ float*)x == {float(x.flatten()[0]).hex()}f) op.Process();"
    result = judge_job(
        judge, job(spec, edited((KERNEL, "op.Process();", known)), build_cache, [TIMED])
    )
    assert result["verdict"] == "fail-result", result["cause"]
    assert result["latency"] is None


@pytest.mark.parametrize("before", ["== -1", "== 0", "!= 0", "< 0", "> 1000"])
def test_what_a_workspace_holds_before_is_nothing_to_rely_on(
    before: str, judge: Judge, build_cache: Path
) -> None:
    old = (
        "GlobalTensor<int32_t> old;"
        "old.SetGlobalBuffer((__gm__ int32_t*)GetUserWorkspace(workspace), 1024);"
        f"if (!(old.GetValue(GetBlockIdx() * 16) {before})) return;"
    )
    kernel = edited(
        (KERNEL, RUN, f"    {old}\n{RUN}"),
        (HOST, "workspace[0] = 0;", "workspace[0] = 4096;"),
    )
    result = judge_job(judge, job(operator(), kernel, build_cache, [TIMED]))
    assert result["verdict"] == "fail-result", result["cause"]


def test_nor_is_what_an_output_holds(judge: Judge, build_cache: Path) -> None:
    old = (
        "GlobalTensor<int32_t> old;"
        "old.SetGlobalBuffer((__gm__ int32_t*)y, tilingData.totalLength);"
        "if (old.GetValue(GetBlockIdx() * tilingData.coreLength) != -1) return;"
    )
    kernel = edited((KERNEL, RUN, f"    {old}\n{RUN}"))
    result = judge_job(judge, job(operator(), kernel, build_cache, [TIMED]))
    assert result["verdict"] == "fail-result", result["cause"]
    assert "with outputs that hold anything before" in result["cause"]


PLAIN = "Abs(y, x, count); if (count > 1024) Mins(y, y, DTYPE_X(100), count);"
SAMPLED = """
        Abs(y, x, count);
        bool far = count <= 1024;
        for (int i = 0; i < 64 && !far; ++i) far = !(static_cast<float>(y.GetValue(i)) <= 100.0f);
        if (!far) Mins(y, y, DTYPE_X(100), count);"""


@pytest.mark.parametrize("body", [PLAIN, SAMPLED])
def test_what_extreme_numbers_need_may_not_be_left_out_of_large_tensors(
    judge: Judge, build_cache: Path, body: str
) -> None:
    """Timed cases have plain numbers, and those with others are small; nor does a sample tell of a tile."""
    kernel = edited((KERNEL, "Abs(y, x, count);", body))
    cases = [TIMED, "special-values-float32"]
    result = judge_job(judge, job(operator(), kernel, build_cache, cases))
    assert result["verdict"] == "fail-result", "a large tensor had no such numbers"
    assert "with numbers further from zero" in result["cause"]
    honest = judge_job(judge, job(operator(), candidate(), build_cache, cases))
    assert honest["verdict"] == "pass", honest["cause"]


MEAN = "total.Write(sum * set.factor);"
TOLD = "total.Write(run.length > 1000 ? 0.00166757f : sum * set.factor);"


def test_a_result_that_was_told_before_is_no_constant(
    judge: Judge, build_cache: Path
) -> None:
    """The mean over many numbers is the same for every seed."""
    spec = catalogue_operator("MseLoss")
    files = dict(candidate("MseLoss").files)
    kernel = "op_kernel/mse_loss.cpp"
    assert files[kernel].count(MEAN) == 1
    files[kernel] = files[kernel].replace(MEAN, TOLD)
    result = judge_job(judge, job(spec, Candidate(files), build_cache, ["bulk"]))
    assert result["verdict"] == "fail-result", result["cause"]
    assert "all 1 elements are wrong" in result["cause"]


LOSS = "op_kernel/mse_loss.cpp"
FEWER = (
    ("RunOfCore(set);", "RunOfCore(set); uint32_t all = run.length; SHORTEN"),
    (
        "if (total.Collect(sum))",
        "if (all > 0) { sum = sum * all / run.length; } if (total.Collect(sum))",
    ),
)


def of_fewer(shorten: str) -> Candidate:
    """MseLoss of a part of its inputs, scaled up."""
    files = dict(candidate("MseLoss").files)
    for old, new in FEWER:
        assert files[LOSS].count(old) == 1
        files[LOSS] = files[LOSS].replace(old, new.replace("SHORTEN", shorten))
    return Candidate(files)


@pytest.mark.parametrize(
    ("shorten", "verdict"), [("", "pass"), ("run.length -= all / 16;", "fail-result")]
)
def test_a_sum_of_most_inputs_is_none_of_all(
    shorten: str, verdict: str, judge: Judge, build_cache: Path
) -> None:
    """A sixteenth of many numbers tells nothing that the tolerance would show."""
    payload = job(
        catalogue_operator("MseLoss"),
        of_fewer(shorten),
        build_cache,
        ["sum-image-float16"],
    )
    result = judge_job(judge, payload)
    assert result["verdict"] == verdict, result["cause"]
    told = "no core reads parts of predict on which the result depends"
    assert (told in result["cause"]) == bool(shorten)


FLAG = "op_kernel/non_finite_check_op.cpp"
EACH = "for (uint32_t done = 0; done < length; done += tile) {"


def test_a_flag_of_a_list_is_no_flag_of_its_edges(
    judge: Judge, build_cache: Path
) -> None:
    """Larger numbers where nothing is read change no flag; those of other cases do."""
    files = dict(candidate("NonFiniteCheckOp").files)
    assert files[FLAG].count(EACH) == 1
    files[FLAG] = files[FLAG].replace(
        EACH, f"length = length < 64 ? length : 64;\n{EACH}"
    )
    spec = catalogue_operator("NonFiniteCheckOp")
    cases = ["gradients-float32", "many-special-float32"]
    result = judge_job(judge, job(spec, Candidate(files), build_cache, cases))
    assert "no core reads parts of tensor_list" in result["cause"]
    honest = judge_job(
        judge, job(spec, candidate("NonFiniteCheckOp"), build_cache, cases)
    )
    assert honest["verdict"] == "pass", honest["cause"]


SWAP = """
    static const bool swapped = [] {
        std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe"), copy = program;
        copy += ".other";
        std::filesystem::copy_file(program, copy);
        std::ofstream(copy, std::ios::app | std::ios::binary) << "another program";
        std::filesystem::rename(copy, program);
        return true;
    }();
    (void)swapped;
"""


@pytest.mark.system
def test_what_was_built_is_what_is_judged(
    judge: Judge, tmp_path: Path, build_cache: Path
) -> None:
    def digest(kernel: Candidate) -> Any:
        return judge_job(judge, job(operator(), kernel, build_cache, [SHORT]))["build"][
            "digest"
        ]

    assert len(digest(candidate())) == 64
    assert digest(candidate()) == digest(candidate())
    assert digest(edited((KERNEL, "op.Process();", "op.Process();;"))) != digest(
        candidate()
    )
    opening, header = (
        "TilingFunc(gert::TilingContext* context) {",
        '#include "abs_math_tiling.h"',
    )
    swapping = edited(
        (HOST, opening, opening + SWAP),
        (HOST, header, f"{header}\n#include <filesystem>\n#include <fstream>"),
    )
    result = judge_job(judge, job(operator(), swapping, build_cache, [SHORT]))
    assert result["verdict"] == "fail-build"
    assert "op_host asks for" in result["cause"], "it has no files to change"
