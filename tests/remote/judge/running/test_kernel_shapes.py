"""Outputs whose shape the kernel decides, and outputs that start from a value of the definition."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from core.operators.spec import DType, InputSpec, OperatorSpec, TensorSpec, TestCase
from remote.judge.judge import Judge
from remote.toolchains.preflight.client import Preflight
from remote.toolchains.twin.toolchain import describe_operator
from tests.remote.helpers import TWIN, job, judge_job

HOST = "op_host/keep_positive.cpp"
KERNEL = "op_kernel/keep_positive.cpp"
HOST_TEXT = """\
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(KeepPositiveTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(KeepPositive, KeepPositiveTilingData)

static ge::graphStatus Tile(gert::TilingContext* context) {
    KeepPositiveTilingData tiling;
    tiling.set_count(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(2);
    context->SetNeedAtomic(true);
    // The caller has room for everything: how much is kept is not known before the kernel ran.
    const bool room = context->GetOutputShape(0)->GetStorageShape().GetDim(0) == tiling.get_count();
    return room ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
}  // namespace optiling

namespace ops {
static ge::graphStatus Bound(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    *context->GetOutputShape(1) = gert::Shape{8};
    return ge::GRAPH_SUCCESS;
}

class KeepPositive : public OpDef {
public:
    explicit KeepPositive(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("kept")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT})
            .Format({ge::FORMAT_ND})
            .OutputShapeDependOnCompute();
        this->Output("total").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).InitValue(0);
        this->SetInferShape(Bound);
        this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b");
    }
};
OP_ADD(KeepPositive);
}  // namespace ops
"""
KERNEL_TEXT = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void keep_positive(GM_ADDR x, GM_ADDR kept, GM_ADDR total, GM_ADDR shapes,
                                                    GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    GlobalTensor<float> sums;
    sums.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(total), 8);
    LocalTensor<float> made = queue.AllocTensor<float>();
    Duplicate(made, 1.0f, 8);
    queue.EnQue(made);
    LocalTensor<float> ones = queue.DeQue<float>();
    SetAtomicAdd<float>();
    DataCopy(sums, ones, 8);
    SetAtomicNone();
    queue.FreeTensor(ones);
    if (GetBlockIdx() != 0) {
        return;
    }
    GlobalTensor<float> given, result;
    given.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), data.count);
    result.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(kept), data.count);
    uint64_t found = 0;
    for (uint32_t place = 0; place < data.count; ++place) {
        const float value = given.GetValue(place);
        if (value > 0.0f) {
            result.SetValue(found++, value);
        }
    }
    GlobalTensor<uint64_t> shape;
    shape.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(shapes), 9);
    shape.SetValue(0, 1);
    shape.SetValue(1, found);
}
"""


def _candidate(*edits: tuple[str, str, str]) -> Candidate:
    files = {HOST: HOST_TEXT, KERNEL: KERNEL_TEXT}
    for path, old, new in edits:
        assert old in files[path], old
        files[path] = files[path].replace(old, new)
    return Candidate(files)


@pytest.fixture
def spec(tmp_path: Path) -> OperatorSpec:
    """Keeps the positive elements of x, however many; `total` is 2 in every place."""
    (tmp_path / "reference.py").write_text(
        "import torch\n\n\ndef reference(x):\n    return x[x > 0], torch.full((8,), 2.0)\n"
    )
    return OperatorSpec(
        name="KeepPositive",
        level=0,
        category="Test",
        summary="",
        folder=tmp_path,
        digest="keep-1",
        inputs=(TensorSpec("x", (DType.FLOAT32,)),),
        outputs=(
            TensorSpec("kept", (DType.FLOAT32,)),
            TensorSpec("total", (DType.FLOAT32,)),
        ),
        attributes=(),
        cases=(TestCase(name="some", inputs={"x": InputSpec((600,), DType.FLOAT32)}),),
    )


@pytest.mark.system
def test_a_kernel_may_decide_the_shape_of_its_output(
    judge: Judge, build_cache: Path, spec: OperatorSpec
) -> None:
    result = judge_job(judge, job(spec, _candidate(), build_cache))
    assert (result["verdict"], result["cause"]) == ("pass", "")
    assert [finding["rule"] for finding in result["findings"]] == []
    assert result["cases"][0]["statistics"][0]["elements"] < 400


_COUNTED = (
    (HOST, "\n            .OutputShapeDependOnCompute();", ";"),
    (
        HOST,
        "return room ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;",
        "return ge::GRAPH_SUCCESS;",
    ),
    (HOST, "const bool room", "[[maybe_unused]] const bool room"),
    (KERNEL, "GM_ADDR total, GM_ADDR shapes,", "GM_ADDR total,"),
    (
        KERNEL,
        "shape.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(shapes), 9);",
        "",
    ),
    (KERNEL, "shape.SetValue(0, 1);", ""),
    (KERNEL, "shape.SetValue(1, found);", ""),
)


@pytest.mark.system
@pytest.mark.parametrize(
    ("told", "from_data", "status"),
    [
        ("gert::Shape{-1}", True, "pass"),
        ("*context->GetInputShape(0)", True, "pass"),
        ("gert::Shape{8}", True, "wrong-shape"),
        ("gert::Shape{-1}", False, "wrong-shape"),
    ],
)
def test_infershape_cannot_know_what_the_data_decide(
    judge: Judge,
    build_cache: Path,
    spec: OperatorSpec,
    told: str,
    from_data: bool,
    status: str,
) -> None:
    """CANN's -1 for an unknown length, or room for the most; the caller has counted what there will be."""
    kept, total = spec.outputs
    spec = replace(spec, outputs=(replace(kept, shape_from_data=from_data), total))
    first = "*context->GetOutputShape(0) = "
    bound = (HOST, f"{first}*context->GetInputShape(0);", f"{first}{told};")
    result = judge_job(judge, job(spec, _candidate(*_COUNTED, bound), build_cache))
    assert [row["status"] for row in result["cases"]] == [status], result["cause"]


@pytest.mark.parametrize(
    ("old", "new", "status", "words"),
    [
        (
            "SetValue(1, found)",
            "SetValue(1, found + 1)",
            "wrong-shape",
            "the kernel gives kept the shape",
        ),
        pytest.param(
            "shape.SetValue(0, 1);",
            "",
            "wrong-shape",
            "the kernel gives kept the shape []",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "result.SetValue(found++, value)",
            "++found",
            "wrong-result",
            "kept",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["one too many", "no rank", "nothing written"],
)
def test_a_wrong_shape_is_told(
    judge: Judge,
    build_cache: Path,
    spec: OperatorSpec,
    old: str,
    new: str,
    status: str,
    words: str,
) -> None:
    result = judge_job(judge, job(spec, _candidate((KERNEL, old, new)), build_cache))
    assert result["cases"][0]["status"] == status
    assert words in result["cases"][0]["detail"]


@pytest.mark.system
def test_another_kernel_that_fills_an_output_before_takes_its_time(
    judge: Judge, build_cache: Path, spec: OperatorSpec
) -> None:
    def latency(kernel: Candidate) -> float:
        timed = replace(spec, cases=(replace(spec.cases[0], timed=True),))
        result = judge_job(judge, job(timed, kernel, build_cache))
        (row,) = result["cases"]
        return float(row["latency"]["value"])

    ones = (
        KERNEL,
        "SetAtomicAdd<float>();",
        "Muls(ones, ones, 2.0f, 8); PipeBarrier<PIPE_ALL>();",
    )
    by_itself = _candidate(
        (HOST, "context->SetNeedAtomic(true);", ""),
        ones,
        (KERNEL, "SetAtomicNone();", ""),
    )
    launch_us = 1.5
    assert latency(_candidate(ones)) > latency(by_itself) + launch_us


@pytest.mark.slow
def test_outputs_start_from_their_value_only_where_tiling_asks_for_it(
    judge: Judge, build_cache: Path, spec: OperatorSpec
) -> None:
    silent = _candidate((HOST, "context->SetNeedAtomic(true);", ""))
    result = judge_job(judge, job(spec, silent, build_cache))
    assert (result["verdict"], result["cases"][0]["status"]) == (
        "fail-result",
        "wrong-result",
    )
    halves = _candidate(
        (HOST, "InitValue(0)", "InitValue({{ScalarType::FLOAT32, -1.5}})")
    )
    result = judge_job(judge, job(spec, halves, build_cache))
    assert "expected 2, got 0.5" in result["cases"][0]["detail"]


@pytest.mark.slow
def test_the_lint_counts_the_address_of_the_shapes(
    build_cache: Path, spec: OperatorSpec
) -> None:
    preflight = Preflight(TWIN, build_cache / "preflight")

    def broken(candidate: Candidate) -> list[str]:
        report = asyncio.run(preflight.lint(describe_operator(spec), candidate))
        assert report.note == ""
        return [error.rule for error in report.errors]

    assert broken(_candidate()) == []
    without = _candidate((KERNEL, "GM_ADDR total, GM_ADDR shapes", "GM_ADDR shapes"))
    assert broken(without) == ["preflight/entry-signature"]
