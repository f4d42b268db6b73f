"""Weights, calls and strides of cases: what a latency is the sum of, and how an input lies in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evaluation.records import (
    BuildReport,
    CaseResult,
    Evaluation,
    Latency,
    LatencyOrigin,
    VerdictClass,
    weighted_sum,
)
from core.operators.case_text import case_text
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec
from core.operators.template import create_operator

MEASURED = Latency(
    10.0, "us", LatencyOrigin.MEASURED, "torch.npu.Event", 100, 0.5, "card"
)


def operator_with(case: str, tmp_path: Path) -> OperatorSpec:
    """The template with one more case."""
    folder = create_operator("FusedAxpy", tmp_path).folder
    path = folder / "operator.toml"
    rows = f'\n[[case]]\nname = "own"\ndtype = ["float32"]\n{case}\n'
    path.write_text(path.read_text() + rows)
    return load_operator(folder)


def plain(shape: str, more: str = "") -> str:
    return (
        f"inputs.x = {{ shape = {shape}{more} }}\ninputs.offset = {{ shape = {shape} }}"
    )


def test_calls_are_the_weight_where_none_is_given(tmp_path: Path) -> None:
    spec = operator_with(f"calls = 28\n{plain('[4, 8]')}", tmp_path / "calls")
    own = spec.cases[-1]
    assert (own.calls, own.weight) == (28.0, 28.0)
    assert case_text(own, spec).endswith("28 calls a step")
    assert {case.weight for case in spec.cases[:-1]} == {1.0}
    both = operator_with(f"calls = 28\nweight = 0.5\n{plain('[4, 8]')}", tmp_path / "b")
    assert both.cases[-1].weight == 0.5


@pytest.mark.parametrize("line", ["weight = 0", "weight = -1.0", "calls = nan"])
def test_a_weight_is_positive(line: str, tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"case\[\d+\]\.(weight|calls): .* is not a positive"
    ):
        operator_with(f"{line}\n{plain('[4, 8]')}", tmp_path)


def test_an_input_lies_as_its_strides_say(tmp_path: Path) -> None:
    spec = operator_with(plain("[4, 8]", ", stride = [1, 4]"), tmp_path)
    own = spec.cases[-1]
    assert own.inputs["x"].strides == (1, 4)
    assert "x [4, 8] float32 stride [1, 4]" in case_text(own, spec)


@pytest.mark.parametrize(
    ("stride", "problem"),
    [
        ("[8]", "has 1 entries where the shape has 2"),
        ("[4, 1]", "several elements"),
        ("[0, 1]", "several elements"),
        ("[-8, 1]", "is not a dimension"),
    ],
)
def test_strides_that_cannot_be_are_refused(
    stride: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        operator_with(plain("[4, 8]", f", stride = {stride}"), tmp_path)


def test_a_latency_is_the_weighted_sum_of_its_cases() -> None:
    low = replace(MEASURED, value=3.0, spread=0.1, low=2.0, high=4.0)
    both = weighted_sum([(low, 28.0), (replace(low, value=5.0), 2.0)])
    assert both is not None
    assert both.value == pytest.approx(94.0)
    assert both.spread == pytest.approx((2.8**2 + 0.2**2) ** 0.5)
    assert (both.low, both.high) == (60.0, 120.0)
    assert weighted_sum([(low, 1.0), (None, 1.0)]) is None


def test_a_speed_up_is_the_ratio_of_sums_with_the_least_beside_it() -> None:
    def case(name: str, ours: float, theirs: float, weight: float) -> CaseResult:
        mine, other = (replace(MEASURED, value=value) for value in (ours, theirs))
        return CaseResult(
            name,
            hidden=False,
            timed=True,
            status="pass",
            latency=mine,
            reference=other,
            weight=weight,
        )

    cases = (case("often", 10.0, 20.0, 9.0), case("large", 100.0, 50.0, 1.0))
    latency = weighted_sum([(one.latency, one.weight) for one in cases])
    build = BuildReport(ok=True)
    judged = Evaluation("", "Op", VerdictClass.PASS, "", build, cases, latency=latency)
    assert judged.latency is not None
    assert judged.t_reference == 230.0
    assert judged.t_reference / judged.latency.value == pytest.approx(230 / 190)
    assert judged.slowest_gain == ("large", 0.5)
