"""Every kind of interface reaches the kernel: one that writes nothing is wrong and never spoils the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import Candidate
from core.operators.catalogue import operator_names
from core.operators.spec import OperatorSpec, TestCase
from remote.judge.judge import Judge
from remote.judge.machine.artifacts import ArtifactStore
from remote.judge.machine.compiler import find_compiler
from remote.judge.operator_code.references import References
from remote.judge.sandbox import Sandbox
from remote.toolchains.twin.toolchain import describe_operator
from tests.remote.helpers import job, judge_job, operator

TYPES = {
    "float32": "DT_FLOAT",
    "float16": "DT_FLOAT16",
    "bfloat16": "DT_BF16",
    "int8": "DT_INT8",
    "int16": "DT_INT16",
    "int32": "DT_INT32",
    "int64": "DT_INT64",
    "uint8": "DT_UINT8",
    "bool": "DT_BOOL",
}
ATTRIBUTES = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "String",
    "int_list": "ListInt",
    "float_list": "ListFloat",
    "bool_list": "ListBool",
}
TILING = """#include "register/tilingdata_base.h"
namespace optiling {{
BEGIN_TILING_DATA_DEF(Idle{name}Data)
TILING_DATA_FIELD_DEF(uint32_t, unused);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS({name}, Idle{name}Data)
}}
"""
HOST = """#include "{snake}_tiling.h"
#include "register/op_def_registry.h"
namespace optiling {{
static ge::graphStatus TilingFunc(gert::TilingContext* context) {{
    Idle{name}Data tiling;
    context->SetBlockDim(1);
    gert::TilingData* raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}}
}}
namespace ops {{
class {name} : public OpDef {{
public:
    explicit {name}(const char* name) : OpDef(name) {{
        {definition}
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }}
}};
OP_ADD({name});
}}
"""
KERNEL = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void {snake}({arguments}GM_ADDR workspace, GM_ADDR tiling) {{
    GET_TILING_DATA(tilingData, tiling);
}}
"""


def idle_candidate(
    spec: OperatorSpec, given: Mapping[str, str], results: Sequence[str]
) -> Candidate:
    """A project with the operator's interface for one dtype signature, whose kernel does nothing."""
    lines = []
    for tensor in spec.inputs:
        kind = (
            "DYNAMIC"
            if tensor.is_list
            else "OPTIONAL"
            if tensor.optional
            else "REQUIRED"
        )
        dtype = TYPES[given.get(tensor.name, tensor.dtypes[0].value)]
        lines.append(
            f'this->Input("{tensor.name}").ParamType({kind}).DataType({{ge::{dtype}}})'
            ".Format({ge::FORMAT_ND}).AutoContiguous();"
        )
    for tensor, result in zip(spec.outputs, results, strict=True):
        kind = "DYNAMIC" if tensor.is_list else "REQUIRED"
        lines.append(
            f'this->Output("{tensor.name}").ParamType({kind}).DataType({{ge::{TYPES[result]}}})'
            ".Format({ge::FORMAT_ND});"
        )
    for attribute in spec.attributes:
        lines.append(
            f'this->Attr("{attribute.name}").AttrType(REQUIRED).{ATTRIBUTES[attribute.type]}();'
        )
    snake = spec.snake_name
    arguments = "".join(
        f"GM_ADDR tensor{index}, "
        for index in range(len(spec.inputs) + len(spec.outputs))
    )
    return Candidate(
        {
            f"op_host/{snake}.cpp": HOST.format(
                name=spec.name, snake=snake, definition="\n        ".join(lines)
            ),
            f"op_host/{snake}_tiling.h": TILING.format(name=spec.name),
            f"op_kernel/{snake}.cpp": KERNEL.format(snake=snake, arguments=arguments),
        }
    )


def judged_idle(judge: Judge, cache: Path, name: str) -> dict[str, Any]:
    """Judge the idle candidate on the cases of the most frequent dtype signature: one compilation."""
    spec = operator(name)
    described = describe_operator(spec)
    sandbox = Sandbox(
        ArtifactStore(cache / "builds"), find_compiler(), cache / "sandbox"
    )
    references = References(cache / "references", sandbox)
    cases = [case for case in spec.cases if not case.big]

    def signature(
        case: TestCase,
    ) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        given = {key: value.dtype for key, value in case.inputs.items()}
        return tuple(given.items()), references.output_dtypes(described, case)

    chosen, _ = Counter(map(signature, cases)).most_common(1)[0]
    names = [case.name for case in cases if signature(case) == chosen]
    return judge_job(
        judge, job(spec, idle_candidate(spec, dict(chosen[0]), chosen[1]), cache, names)
    )


def passing(result: Mapping[str, Any]) -> set[str]:
    assert result["verdict"] == "fail-result", result["cause"]
    assert {row["status"] for row in result["cases"]} <= {"pass", "wrong-result"}
    return {row["case"] for row in result["cases"] if row["status"] == "pass"}


@pytest.mark.parametrize(
    ("name", "passes"),
    [
        ("IsFinite", {"empty", "hidden-empty"}),  # bool: unwritten memory is no true
        ("ScatterList", {"nothing-written"}),  # a list in place, an optional mask
        # outputs that some calls leave unwritten
        pytest.param("GroupNormSwishGrad", {"empty"}, marks=pytest.mark.system),
        ("CastMath", {"empty"}),  # a dtype that an attribute decides
    ],
)
def test_a_kernel_that_writes_nothing_is_wrong(
    judge: Judge, build_cache: Path, name: str, passes: set[str]
) -> None:
    assert passing(judged_idle(judge, build_cache, name)) <= passes


@pytest.mark.slow
@pytest.mark.parametrize("name", operator_names())
def test_no_operator_of_the_catalogue_accepts_a_kernel_that_writes_nothing(
    judge: Judge, build_cache: Path, name: str
) -> None:
    for case in passing(judged_idle(judge, build_cache, name)):
        assert "empty" in case or case in (
            "nothing-written",
            "none-taken",
            "hidden-no-indices",
        ), case
