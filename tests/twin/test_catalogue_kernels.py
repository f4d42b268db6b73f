"""Our own kernels for operators of the catalogue, judged as `sage evaluate` does: every case and dtype."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.evaluation.records import Candidate, Evaluation, Severity, VerdictClass
from core.operators.catalogue import catalogue_operator, operator_names
from sage_desktop.services.wiring import evaluator_for
from tests.own_kernels import own_kernel

KERNELS = Path(__file__).parents[1] / "data" / "kernels"
WRITTEN = sorted(set(operator_names()) & {folder.name for folder in KERNELS.iterdir()})
# One element-wise kernel, one on tensor lists and one that reduces; the others are slow for their number.
QUICK = {"AbsMath", "AddSigmoidMulReduceSumD", "ForeachAbs"}


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Callable[[str, Candidate], Evaluation]]:
    """Judges a kernel for an operator; one judge serves them all."""
    evaluator = evaluator_for("local", "twin")
    with asyncio.Runner() as runner:

        def judge(operator: str, candidate: Candidate) -> Evaluation:
            spec = catalogue_operator(operator)
            return runner.run(evaluator.evaluate(spec, candidate, lambda _text: None))

        yield judge
        runner.run(evaluator.close())


@pytest.mark.system
@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for name in WRITTEN
    ],
)
def test_kernel_is_right_for_every_case(
    operator: str, evaluate: Callable[[str, Candidate], Evaluation]
) -> None:
    found = evaluate(operator, own_kernel(operator))
    assert (found.verdict, found.cause) == (VerdictClass.PASS, "")
    harmless = {Severity.WARNING, Severity.NOTE}
    assert [entry for entry in found.findings if entry.severity not in harmless] == []
    spec = catalogue_operator(operator)
    assert {row.case for row in found.cases} == {case.name for case in spec.cases}
    skipped = {row.case for row in found.cases if row.status == "skipped"}
    assert skipped == {case.name for case in spec.cases if case.big}


@pytest.mark.system
def test_a_kernel_reads_its_tiling_as_an_array(
    evaluate: Callable[[str, Candidate], Evaluation],
) -> None:
    files = dict(own_kernel("AbsMath").files)
    path, whole = "op_kernel/abs_math.cpp", "GET_TILING_DATA(tilingData, tiling);"
    assert whole in files[path]
    files[path] = files[path].replace(
        whole,
        "COPY_TILING_WITH_ARRAY(uint32_t, 3, tiling, parts);"
        "AbsMathTilingData tilingData;"
        "tilingData.totalLength = (*parts)[0];"
        "tilingData.coreLength = (*parts)[1];"
        "tilingData.tileLength = (*parts)[2];",
    )
    found = evaluate("AbsMath", Candidate(files))
    assert (found.verdict, found.cause) == (VerdictClass.PASS, "")


def test_every_folder_is_a_complete_project() -> None:
    for operator in WRITTEN:
        for file in (KERNELS / operator).rglob("*"):
            assert file.is_dir() or file.resolve().is_relative_to(KERNELS), file
        assert own_kernel(operator).files


def test_the_hard_half_of_the_catalogue_is_written() -> None:
    wanted = {
        name for name in operator_names() if catalogue_operator(name).level in {0, 3}
    }
    assert wanted <= set(WRITTEN), (
        "every operator of Level 3 and of the xCCL set has a kernel of ours"
    )
    assert len(WRITTEN) >= 100
