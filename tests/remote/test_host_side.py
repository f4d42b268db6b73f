"""The host side of the twin: what contexts, platform, attributes and tiling data hand to an operator."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.operators.spec import (
    AttributeSpec,
    DType,
    InputSpec,
    OperatorSpec,
    TensorSpec,
    TestCase,
)
from remote.judge.judge import Judge
from remote.judge.running.requests import MOST_VALUES
from tests.remote.helpers import HOST, ROOT, candidate, edited, job, judge_job, operator

PROBE = ROOT / "tests" / "data" / "probe"
SOC = "Ascend910B3"


@pytest.fixture
def probe(tmp_path: Path) -> OperatorSpec:
    """An operator with an optional input, a value-dependent one and every type of attribute."""
    (tmp_path / "reference.py").write_text(
        "def reference(x, sizes, mask=None, **attributes):\n    return x * 0.5\n"
    )
    kinds = {
        "whole": "int",
        "part": "float",
        "yes": "bool",
        "text": "str",
        "wholes": "int_list",
        "parts": "float_list",
    }
    values: dict[str, Any] = {
        "whole": -7,
        "part": 0.25,
        "yes": True,
        "text": "tab\there",
        "wholes": (1, 2, 1 << 40),
        "parts": (0.5, -1.5),
    }
    case = TestCase(
        name="all",
        inputs={
            "x": InputSpec((3, 5), DType.FLOAT32),
            "sizes": InputSpec((3,), DType.INT64, fill="values(4,5,9)"),
        },
        attributes=values,
    )
    return OperatorSpec(
        name="Probe",
        level=0,
        category="Test",
        summary="",
        folder=tmp_path,
        digest="probe-1",
        inputs=(
            TensorSpec("x", (DType.FLOAT32,)),
            TensorSpec("mask", (DType.BOOL,), optional=True),
            TensorSpec("sizes", (DType.INT64,)),
        ),
        outputs=(TensorSpec("y", (DType.FLOAT32,)),),
        attributes=tuple(AttributeSpec(name, kind) for name, kind in kinds.items()),
        cases=(case,),
    )


@pytest.mark.system
def test_every_answer_of_the_host_side_is_right(
    judge: Judge, build_cache: Path, probe: OperatorSpec
) -> None:
    result = judge_job(judge, job(probe, read_candidate(PROBE), build_cache, soc=SOC))
    assert (result["verdict"], result["cause"]) == ("pass", "")


@pytest.mark.system
def test_what_op_host_logs_explains_a_failed_tiling(
    judge: Judge, build_cache: Path, probe: OperatorSpec
) -> None:
    result = judge_job(
        judge, job(probe, read_candidate(PROBE), build_cache, soc="Ascend910B1")
    )
    assert result["verdict"] == "fail-run"
    assert "Probe do tiling failed, ret is -1." in result["cause"]
    assert "expected platform.GetCoreNumAiv() == 40" in result["cause"]


@pytest.mark.system
def test_an_attribute_of_the_wrong_type_is_the_definitions_mistake(
    judge: Judge, build_cache: Path, probe: OperatorSpec
) -> None:
    files = dict(read_candidate(PROBE).files)
    path = "op_host/probe.cpp"
    files[path] = files[path].replace(
        'Attr("part").AttrType(OPTIONAL).Float(1.0)',
        'Attr("part").AttrType(OPTIONAL).Int(1)',
    )
    result = judge_job(judge, job(probe, Candidate(files), build_cache, soc=SOC))
    assert result["verdict"] == "fail-run"
    assert "attribute part" in result["cause"]


def strided(layout: str) -> OperatorSpec:
    spec = operator()
    case = TestCase("strided", {"x": InputSpec((6, 40), DType.FLOAT32, layout=layout)})
    return replace(spec, cases=(case,))


DECLARED = "\n            .AutoContiguous()"


@pytest.mark.parametrize("layout", ["transposed", "strided"])
def test_a_non_contiguous_input_is_converted_where_that_is_declared(
    judge: Judge, build_cache: Path, layout: str
) -> None:
    declared = judge_job(judge, job(strided(layout), candidate(), build_cache))
    assert (declared["verdict"], declared["cause"], declared["findings"]) == (
        "pass",
        "",
        [],
    )
    config = 'OpAICoreConfig config;\n        config.Input("x").AutoContiguous();\n'
    of_unit = edited(
        (HOST, DECLARED, ""),
        (HOST, "this->AICore().SetTiling", f"{config}        this->AICore().SetTiling"),
        (HOST, '.AddConfig("ascend910b")', '.AddConfig("ascend910b", config)'),
    )
    result = judge_job(judge, job(strided(layout), of_unit, build_cache))
    assert (result["verdict"], result["cause"]) == ("pass", "")


@pytest.mark.parametrize("layout", ["transposed", "strided"])
def test_a_non_contiguous_input_is_refused_where_nothing_is_declared(
    judge: Judge, build_cache: Path, layout: str
) -> None:
    plain = edited((HOST, DECLARED, ""))
    result = judge_job(judge, job(strided(layout), plain, build_cache))
    assert (result["verdict"], result["cases"][0]["status"]) == (
        "fail-run",
        "run-error",
    )
    assert (
        result["cases"][0]["statistics"] == []
    )  # no numbers are compared, so none can be wrong
    (finding,) = result["findings"]
    assert (finding["rule"], finding["severity"], finding["tensor"]) == (
        "contiguity",
        "error",
        "x",
    )
    for words in (
        "x: not contiguous",
        ".AutoContiguous()",
        "IgnoreContiguous",
        "OpDef AbsMath",
    ):
        assert words in finding["message"]
    assert finding["message"] in result["cause"]
    # A view whose memory is contiguous all the same is none: CANN skips axes of one element, too.
    case = TestCase(
        "row", {"x": InputSpec((1, 40), DType.FLOAT32, layout="transposed")}
    )
    result = judge_job(
        judge, job(replace(operator(), cases=(case,)), plain, build_cache)
    )
    assert (result["verdict"], result["cause"]) == ("pass", "")


HIDDEN = [
    "aligned-float32",
    "hidden-non-contiguous-int32",
    "hidden-non-contiguous-float32",
]


@pytest.mark.system
@pytest.mark.parametrize("declares", [0, 1, 2])
def test_one_input_that_asks_has_the_others_converted_and_is_told(
    judge: Judge, build_cache: Path, declares: int
) -> None:
    """As CANN documents from 9.1 on; where none asks, all cases share one finding."""
    host = "op_host/less_equal.cpp"
    files = dict(candidate("LessEqual").files)
    parts = files[host].split("\n            .AutoContiguous()")
    assert len(parts) == 3
    files[host] = "".join(
        part + "\n            .AutoContiguous()" * (number < declares)
        for number, part in enumerate(parts)
    )
    result = judge_job(
        judge, job(operator("LessEqual"), Candidate(files), build_cache, HIDDEN)
    )
    contiguity = [hit for hit in result["findings"] if hit["severity"] != "note"]
    if declares == 2:
        assert (result["verdict"], contiguity) == ("pass", [])
        return
    (finding,) = contiguity
    assert (finding["rule"], finding["count"]) == ("contiguity", 2)
    assert finding["tensor"] == ("x1, x2" if declares == 0 else "x2")
    assert not any(shape in finding["message"] for shape in ("31", "13"))
    assert (
        len(finding["message"]) < 400
    )  # longer ones are cut where the model reads them
    if declares:
        assert (result["verdict"], finding["severity"]) == ("pass", "warning")
        assert "9.1" in finding["message"]
    else:
        assert (result["verdict"], finding["severity"]) == ("fail-run", "error")
        assert result["cause"].endswith("run-error: contiguity")


def test_an_operator_that_computes_with_strides_gets_the_memory_as_it_lies(
    judge: Judge, build_cache: Path
) -> None:
    raw = edited((HOST, ".AutoContiguous()", ".IgnoreContiguous()"))
    result = judge_job(judge, job(strided("transposed"), raw, build_cache))
    assert (result["verdict"], result["findings"][0]["rule"]) == (
        "fail-result",
        "result-wrong",
    )


@pytest.mark.system
@pytest.mark.parametrize(
    ("declared", "shape", "seen"),
    [
        ("NCHW", (2, 3, 4, 5), "NCHW"),
        ("NCHW", (6, 20), "ND"),
        ("ND", (2, 3, 4, 5), "ND"),
    ],
)
def test_tiling_sees_the_format_the_definition_asks_for(
    judge: Judge, build_cache: Path, declared: str, shape: tuple[int, ...], seen: str
) -> None:
    """PyTorch's adapter calls four dimensions NCHW; an operator that knows only ND is given ND."""
    line = "    return ge::GRAPH_SUCCESS;"
    formats = " && ".join(
        f"context->Get{side}Desc(0)->GetFormat().GetStorageFormat() == ge::FORMAT_{seen}"
        for side in ("Input", "Output")
    )
    checked = f"    return {formats} ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;"
    both = f"FORMAT_{declared}, ge::FORMAT_{declared}"
    kernel = edited((HOST, line, checked), (HOST, "FORMAT_ND, ge::FORMAT_ND", both))
    case = TestCase("formats", {"x": InputSpec(shape, DType.FLOAT32)})
    result = judge_job(
        judge, job(replace(operator(), cases=(case,)), kernel, build_cache)
    )
    assert (result["verdict"], result["cause"]) == ("pass", "")


def test_a_zero_sized_and_a_scalar_tensor_run(judge: Judge, build_cache: Path) -> None:
    cases = (
        TestCase("empty", {"x": InputSpec((0, 7), DType.FLOAT32)}),
        TestCase("scalar", {"x": InputSpec((), DType.FLOAT16)}),
    )
    result = judge_job(
        judge, job(replace(operator(), cases=cases), candidate(), build_cache)
    )
    assert (result["verdict"], result["cause"]) == ("pass", "")


def test_the_reference_and_the_refusal_name_how_many_values_op_host_gets() -> None:
    skill = "skills/ascend-kernel-generator/references/quick-reference.md"
    for place in (skill, "twin/src/run.h"):
        text = resources.files("resources").joinpath(place).read_text(encoding="utf-8")
        assert f"at most {MOST_VALUES} integers" in text, place
