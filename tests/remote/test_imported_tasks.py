"""Tasks of public benchmarks on the CPU twin: their own inputs, model and checker, no NPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.evaluation.records import Candidate
from core.operators.importers import import_benchmark
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec
from remote.judge.judge import Judge
from remote.judge.stand_in import check_precision
from tests.remote.helpers import ROOT, candidate, job, judge_job

CHECKOUT = ROOT / "tests" / "data" / "importers" / "npukernelbench"
KERNEL = "op_kernel/halve_add.cpp"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> OperatorSpec:
    folder = tmp_path_factory.mktemp("operators")
    import_benchmark(CHECKOUT, folder, only=["HalveAdd"])
    return load_operator(folder / "HalveAdd")


def test_a_kernel_passes_the_cases_of_an_imported_task(
    judge: Judge, task: OperatorSpec, build_cache: Path
) -> None:
    result = judge_job(judge, job(task, candidate("HalveAdd"), build_cache))
    assert result["verdict"] == "pass", result["cause"]
    rows = {row["case"]: row for row in result["cases"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "case-0": "pass", "case-1": "pass", "case-2": "skipped",
    }  # fmt: skip
    assert (rows["case-0"]["dtype"], rows["case-1"]["dtype"]) == ("float32", "float16")
    # All verdicts are kept; the benchmark's own rule decides.
    assert rows["case-1"]["verdicts"]["deciding"] == "benchmark"
    assert rows["case-1"]["verdicts"]["ulp"]
    assert rows["case-0"]["latency"]["origin"] == "modelled"


def test_a_wrong_kernel_fails_an_imported_task(judge: Judge, task: OperatorSpec, build_cache: Path) -> None:
    files = dict(candidate("HalveAdd").files)
    assert "Muls(sum, sum, 0.5f, count);" in files[KERNEL]
    files[KERNEL] = files[KERNEL].replace("Muls(sum, sum, 0.5f, count);", "Muls(sum, sum, 0.51f, count);")
    result = judge_job(judge, job(task, Candidate(files), build_cache))
    assert result["verdict"] == "fail-result"
    statuses = {row["case"]: row["status"] for row in result["cases"]}
    assert (statuses["case-0"], statuses["case-1"]) == ("pass", "wrong-result")


def test_the_default_rule_of_the_benchmark() -> None:
    ones = torch.ones(3)
    passed, absolute, relative = check_precision(ones, ones + torch.tensor([0.0, 0.0005, 0.0]), 1e-3, 1e-3)
    assert passed == 1
    assert absolute.tolist() == pytest.approx([0, 0.0005, 0], abs=1e-6)
    assert relative.tolist() == pytest.approx([0, 0.0005, 0], abs=1e-6)
    # Only one of the two limits is exceeded: that is no failure.
    assert check_precision(1000 * ones, 1000 * ones + 0.5, 1e-3, 1e-3)[0] == 1
    assert check_precision([ones], [ones + 0.01], 1e-3, 1e-3)[0] == 0
    assert check_precision(ones / 0, ones / 0, 1e-3, 1e-3)[0] == 0
    assert check_precision(ones.bool(), ones.bool(), 1e-3, 1e-3)[0] == 1
