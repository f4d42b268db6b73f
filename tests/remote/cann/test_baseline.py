"""T_torch: which call is timed, when reference.py stands in for it, and that a failure is tried again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from core.errors import InvalidInput
from core.evaluation.records import Latency, LatencyOrigin
from core.operators.baselines import read_baseline
from core.operators.spec import Baseline, DecidingRule, TestCase
from remote.judge.cann.baseline import NoBaseline, baseline_call
from remote.judge.cann.device_case import DeviceRow
from remote.judge.cann.reference_latency import ReferenceLatencies
from remote.judge.job import Operator

OPERATOR = Operator(
    "TopK",
    "top_k",
    (),
    (),
    (),
    DecidingRule.PAPER,
    {},
    "d",
    "",
    baseline=Baseline("torch.topk(x, count)"),
)
CASE = TestCase("a", {}, seed=1)
MEASURED = Latency(
    3.0, "us", LatencyOrigin.MEASURED, "torch.npu.Event", 4, None, "Ascend910B1"
)


def test_what_a_call_needs_is_made_before_the_clock_runs() -> None:
    values = {"x": torch.tensor([3.0, 1.0, 2.0]), "k": torch.tensor(2), "sorted": True}
    call = baseline_call(
        Baseline("torch.topk(x, count)", {"count": "int(k)"}, when="sorted"),
        values,
    )
    assert call().values.tolist() == [3.0, 2.0]
    with pytest.raises(NoBaseline, match="only when not sorted"):
        baseline_call(Baseline("x", when="not sorted"), values)
    with pytest.raises(NoBaseline, match="no such call"):
        baseline_call(Baseline(none="no such call"), values)
    with pytest.raises(NoBaseline, match="names no call"):
        baseline_call(None, values)


def test_what_failed_is_tried_again_and_what_was_measured_is_kept(
    tmp_path: Path,
) -> None:
    environment = SimpleNamespace(
        cann="8.5.1", driver="25", variables={"SAGE_SOC": "Ascend910B1"}
    )
    latencies = ReferenceLatencies(tmp_path, environment)  # type: ignore[arg-type]
    latencies.keep(
        OPERATOR, CASE, "Ascend910B1", DeviceRow(problem="RuntimeError: busy")
    )
    assert not latencies.known(OPERATOR, CASE)
    assert latencies.of(OPERATOR, CASE, "Ascend910B1") is None
    latencies.keep(OPERATOR, CASE, "Ascend910B1", DeviceRow(reference=MEASURED))
    assert latencies.known(OPERATOR, CASE)
    assert not latencies.known(
        replace(OPERATOR, baseline=Baseline("torch.sort(x)")), CASE
    ), "of another call"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[Op]", "is needed"),
        ('[Op]\ncall = "x"\nnone = "y"', "not both"),
        ('[Op]\ncall = "x +"', "not an expression"),
        ('[Op]\ncall = "x"\nsinse = "2.1"', "sinse"),
        ("Op = 1", "is not a table"),
    ],
)
def test_a_file_of_baselines_that_is_not_as_it_should_be_is_refused(
    tmp_path: Path, text: str, problem: str
) -> None:
    assert read_baseline(tmp_path / "Op", "Op") is None
    (tmp_path / "baselines.toml").write_text(text)
    with pytest.raises(InvalidInput, match=problem):
        read_baseline(tmp_path / "Op", "Op")
