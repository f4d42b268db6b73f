"""Jobs and results are records of one form on both sides; what has another form is refused by its field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.records import (
    BuildReport,
    CaseResult,
    Evaluation,
    Finding,
    Latency,
    LatencyOrigin,
    Severity,
    VerdictClass,
)
from core.operators.spec import DType, InputSpec, TestCase
from remote.judge import job
from remote.judge.json_records import Unfit, plain, read
from remote.judge.processes.children import ChildGroup
from remote.judge.result import Answer
from remote.judge.serving.guarded import guarded
from remote.toolchains.cann.toolchain import CannToolchain
from remote.toolchains.port import read_answer
from remote.toolchains.twin.toolchain import TwinToolchain
from tests.remote.helpers import TWIN, candidate, operator


@pytest.fixture(scope="module")
def payload(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    request = TwinToolchain(tmp_path_factory.mktemp("cache"), TWIN).request(
        operator(), candidate()
    )
    sent: dict[str, Any] = json.loads(json.dumps(request.payload))
    return sent


def test_a_job_comes_back_as_it_was_sent(payload: dict[str, Any]) -> None:
    got = job.read_job(payload)
    assert isinstance(got, job.TwinJob)
    assert json.loads(json.dumps(plain(got))) == payload
    assert got.operator.name == "AbsMath"
    assert all(case.inputs["x"].all_shapes for case in got.cases)
    toolchain = CannToolchain(Path("/cache"), soc="Ascend910B1")
    packed = json.loads(json.dumps(toolchain.request(operator(), candidate()).payload))
    assert json.loads(json.dumps(plain(job.read_job(packed)))) == packed


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("memory_mb",), "much", "job.memory_mb: expected int, found 'much'"),
        (("memory_mb",), True, "job.memory_mb: expected int, found True"),
        (
            ("cases", 0, "inputs", "x", "shape"),
            3,
            "job.cases[0].inputs.x.shape: expected a list, found 3",
        ),
        (("cases", 0, "hiden"), True, "job.cases[0].hiden: TestCase has no such field"),
        (("operator",), None, "job.operator: expected Operator, found None"),
        (
            ("toolchain",),
            "other",
            "job.toolchain: 'other' is no toolchain of this judge",
        ),
    ],
)
def test_what_does_not_fit_is_named_and_void(
    payload: dict[str, Any], place: tuple[Any, ...], value: object, said: str
) -> None:
    wrong = json.loads(json.dumps(payload))
    inner = wrong
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(Unfit) as refused:
        job.read_job(wrong)
    assert str(refused.value) == said
    answer = guarded(_no_judge, wrong, ChildGroup("j"), lambda _text, **_fields: None)
    assert answer["evaluation"]["verdict"] == "void"
    assert said in answer["evaluation"]["cause"]


def _no_judge(_job: job.Job) -> Any:
    raise AssertionError("a job that cannot be read is judged")


def test_a_missing_field_is_named(payload: dict[str, Any]) -> None:
    kept = {
        name: value for name, value in payload["operator"].items() if name != "digest"
    }
    with pytest.raises(Unfit, match=r"job\.operator\.digest: is missing"):
        job.read_job({**payload, "operator": kept})


def test_an_answer_is_read_by_the_application(tmp_path: Path) -> None:
    latency = Latency(
        2.5,
        "us",
        LatencyOrigin.MODELLED,
        "twin cycle model",
        0,
        None,
        "Ascend910B1 model",
        1.0,
    )
    row = CaseResult("c", hidden=False, timed=True, status="pass", latency=latency)
    finding = Finding("gm-unwritten", Severity.HAZARD, "3 elements", tensor="y")
    evaluation = Evaluation(
        candidate().digest,
        "AbsMath",
        VerdictClass.PASS_WITH_HAZARD,
        "hazard",
        BuildReport(ok=True),
        (row,),
        (finding,),
        latency,
        host="here",
        toolchain="twin",
        device="Ascend910B1 model",
    )
    sent = json.loads(json.dumps(plain(Answer(evaluation))))
    answer = read_answer(sent)
    toolchain = TwinToolchain(tmp_path, TWIN)
    assert toolchain.read(candidate(), "here", answer) == evaluation


def test_numbers_texts_and_members_are_not_mixed_up() -> None:
    spec = read(InputSpec, {"shape": [], "dtype": "float32"})
    assert spec.all_shapes == ((),)
    assert spec.dtype is DType.FLOAT32
    with pytest.raises(Unfit, match=r"dtype: 'float8' is no DType"):
        read(InputSpec, {"shape": [], "dtype": "float8"})
    latency = plain(Latency(1, "us", LatencyOrigin.MEASURED, "c", 0, None, "d"))
    assert read(Latency, latency).value == 1.0
    with pytest.raises(Unfit, match=r"spread: expected float, found '2'"):
        read(Latency, {**latency, "spread": "2"})


def test_a_value_of_several_kinds_keeps_its_own() -> None:
    attributes = {"flag": True, "n": 2, "x": 2.0, "axes": [0, 1], "scales": [1, 0.5]}
    case = read(TestCase, {"name": "c", "inputs": {}, "attributes": attributes})
    assert plain(case.attributes) == attributes
    assert [type(value) for value in case.attributes.values()][:3] == [bool, int, float]
    with pytest.raises(Unfit, match=r"attributes\.flag: expected one of bool, int"):
        read(TestCase, {"name": "c", "inputs": {}, "attributes": {"flag": {}}})
