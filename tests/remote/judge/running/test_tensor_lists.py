"""Operators on lists of tensors: kernels get a descriptor, the judge compares every tensor of the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from remote.judge.judge import Judge
from tests.remote.helpers import candidate, job, judge_job, operator

SEVERAL = ["scalar-and-vector-float32", "odd-rows-float32", "hidden-strided-float32"]


def _changed(path: str, old: str, new: str) -> Candidate:
    files = dict(candidate("ForeachNeg").files)
    assert old in files[path]
    return Candidate({**files, path: files[path].replace(old, new)})


@pytest.mark.system
def test_a_kernel_finds_every_tensor_of_the_list(
    judge: Judge, build_cache: Path
) -> None:
    spec = operator("ForeachNeg")
    result = judge_job(judge, job(spec, candidate("ForeachNeg"), build_cache, SEVERAL))
    assert (result["verdict"], result["cause"]) == ("pass", "")
    by_name = {row["case"]: row for row in result["cases"]}
    compared = [
        statistics["output"] for statistics in by_name["odd-rows-float32"]["statistics"]
    ]
    assert compared == ["y[0]", "y[1]", "y[2]"]


@pytest.mark.system
def test_the_tensor_that_is_wrong_is_named(judge: Judge, build_cache: Path) -> None:
    path = "op_kernel/foreach_neg.cpp"
    skips = _changed(
        path, "ProcessTensor(index,", "ProcessTensor(index == 1 ? 0 : index,"
    )
    spec = operator("ForeachNeg")
    result = judge_job(
        judge, job(spec, skips, build_cache, ["scalar-and-vector-float32"])
    )
    # The second, longer tensor is worked on in the memory of the first, which has a single element.
    assert result["verdict"] == "fail-result", result["cause"]
    assert "gm-overwrite" in {finding["rule"] for finding in result["findings"]}
    early = _changed(
        path, "index < tilingData.tensorCount", "index + 1 < tilingData.tensorCount"
    )
    result = judge_job(
        judge, job(spec, early, build_cache, ["scalar-and-vector-float32"])
    )
    assert result["verdict"] == "fail-result", result["cause"]
    assert "y[1]" in result["cause"]


@pytest.mark.system
def test_a_list_declared_as_one_tensor_is_the_candidates_mistake(
    judge: Judge, build_cache: Path
) -> None:
    single = _changed(
        "op_host/foreach_neg.cpp", ".ParamType(DYNAMIC)", ".ParamType(REQUIRED)"
    )
    spec = operator("ForeachNeg")
    result = judge_job(judge, job(spec, single, build_cache, ["odd-rows-float32"]))
    assert result["verdict"] == "fail-run"
    assert "x is a tensor list; declare it ParamType(DYNAMIC)" in result["cause"]
