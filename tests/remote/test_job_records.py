"""Jobs and results are records of one form on both sides; what has another form is refused by its field."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.evaluation import records
from core.operators import spec
from remote.judge import job, result
from remote.judge.comparing import error_map, error_statistics
from remote.judge.json_records import Unfit, plain, read
from remote.judge.judge import guarded
from remote.judge.processes.children import ChildGroup
from remote.toolchains.cann.toolchain import CannToolchain
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
        (("cases", 0, "hiden"), True, "job.cases[0].hiden: Case has no such field"),
        (("operator",), None, "job.operator: expected Operator, found None"),
        (("toolchain",), "other", "job.toolchain: 'other' is not known"),
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
    assert answer["verdict"] == "void"
    assert said in answer["cause"]


def _no_judge(_job: job.Job) -> Any:
    raise AssertionError("a job that cannot be read is judged")


def test_a_missing_field_is_named(payload: dict[str, Any]) -> None:
    kept = {
        name: value for name, value in payload["operator"].items() if name != "digest"
    }
    with pytest.raises(Unfit, match=r"job\.operator\.digest: is missing"):
        job.read_job({**payload, "operator": kept})


@pytest.mark.parametrize(
    ("ours", "theirs", "apart"),
    [
        (result.Finding, records.Finding, set()),
        (result.Latency, records.Latency, set()),
        (result.Verdicts, records.RuleVerdicts, set()),
        (result.CaseRow, records.CaseResult, set()),
        (result.CompilerMessage, records.CompilerMessage, set()),
        (result.BuildReport, records.BuildReport, set()),
        (result.PipeTimes, records.PipeTimes, set()),
        (result.Profile, records.PipeProfile, set()),
        (error_statistics.Errors, records.ErrorStatistics, set()),
        (error_map.ErrorMap, records.ErrorMap, set()),
        (error_map.WrongElement, records.WrongElement, set()),
        # who judged it is told by the toolchain; logs and devices are read there
        (
            result.Result,
            records.Evaluation,
            {"candidate", "host", "toolchain", "device", "logs", "devices"},
        ),
        (job.Tensor, spec.TensorSpec, set()),
        (job.Attribute, spec.AttributeSpec, set()),
        (job.Input, spec.InputSpec, set()),
        (job.Case, spec.TestCase, set()),
    ],
)
def test_the_judges_records_have_the_fields_of_the_applications(
    ours: Any, theirs: Any, apart: set[str]
) -> None:
    """The judge is copied to hosts without `core`; this test is what keeps the two schemas one."""
    assert {f.name for f in dataclasses.fields(ours)} ^ {
        f.name for f in dataclasses.fields(theirs)
    } == apart


def test_a_result_is_read_by_the_application(tmp_path: Path) -> None:
    latency = result.Latency(
        2.5, "us", "modelled", "twin cycle model", 0, None, "Ascend910B1 model", 1.0
    )
    row = result.CaseRow("c", hidden=False, timed=True, status="pass", latency=latency)
    finding = result.Finding(
        "gm-unwritten", "hazard", "3 elements are written by no core", tensor="y"
    )
    answer = result.Result(
        "AbsMath",
        "pass-with-hazard",
        "hazard",
        result.BuildReport(ok=True),
        (row,),
        (finding,),
        latency,
    )
    sent = json.loads(json.dumps(plain(answer)))
    evaluation = TwinToolchain(tmp_path, TWIN).read(candidate(), "here", sent)
    assert evaluation.latency == msgspec.convert(plain(latency), records.Latency)
    assert [found.tensor for found in evaluation.findings] == ["y"]
    assert evaluation.cases[0].timed


def test_numbers_and_texts_are_not_mixed_up() -> None:
    assert read(job.Input, {"shape": [], "dtype": "float32"}).all_shapes == ((),)
    assert (
        read(
            result.Latency, {**plain(result.Latency(1, "us", "m", "c", 0, None, "d"))}
        ).value
        == 1.0
    )
    with pytest.raises(Unfit, match=r"spread: expected float, found '2'"):
        read(
            result.Latency,
            {**plain(result.Latency(1, "us", "m", "c", 0, None, "d")), "spread": "2"},
        )
