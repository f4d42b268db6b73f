"""What "no equivalent high-level substitution" denies: core work, not the parts of a composite."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.evaluation.integrity.core_work import core_work, decision_on
from core.evaluation.integrity.rules import shipped_rules
from core.evaluation.integrity.verdict import violations
from core.evaluation.records import Candidate
from core.operators.catalogue import (
    catalogue_operator,
    operator_names,
    resolve_operator,
)
from core.operators.spec import OperatorSpec, snake_case
from sage_desktop.commands.operators import operators

PAPER = Path(__file__).parents[4] / "shared" / "paper" / "sage.tex"
PRINTED = re.compile(
    r"\\noindent\\textbf\{\\texttt\{(op_\w+/[^}]+)\}\}\s*\\begin\{lstlisting\}\[[^\n]*\]\n(.*?)\\end\{lstlisting\}",
    re.DOTALL,
)


def is_denied(operator: OperatorSpec, primitive: str) -> bool:
    """Whether a kernel for `operator` may not lean on `primitive`."""
    return primitive in shipped_rules().denied(operator)


def test_it_was_decided_for_every_operator_of_the_catalogue_and_said_why() -> None:
    assert set(core_work()) == set(operator_names())
    assert all(decision.reason for decision in core_work().values())


CORE = (  # the first is the paper's own example
    "Swish Sigmoid, SwiGlu Swish, Gelu FasterGelu, Gelu Erf, FastGelu FasterGelu, GeGluV2 Gelu, "
    "MulSigmoid Sigmoid, ForeachSigmoid Sigmoid, MulSigmoidMulAddCustom Sigmoid, FusedGeluSigmoid Gelu, "
    "DequantSwigluQuant SwiGLU, RmsNorm RmsNorm, AddRmsNorm RmsNorm, InplaceAddRmsNorm RmsNorm, "
    "RmsNormRope RmsNorm, LayerNormV4 LayerNorm, LayerNormV4 WelfordUpdate, AddLayerNorm LayerNorm, "
    "DeepNorm DeepNorm, GroupNormSwish GroupNorm, GroupNormSwishGrad LayerNormGrad, BatchNormV3 "
    "BatchNorm, InplaceAttnSoftmax SoftMax, CrossEntropyLoss LogSoftMax, "
    "SelectReduceMaxDSubExpReduceSumDRealDiv SoftMax, TopKV3 TopK, SinMath Sin, ForeachCos Cos, Arange "
    "ArithProgression, Fill Fill, ForeachZeroInplace InitGlobalMemory, ClipByValue ClampMax, ExpandV2 "
    "Broadcast"
)


@pytest.mark.parametrize("pair", CORE.split(", "))
def test_what_does_the_core_work_is_refused(pair: str) -> None:
    name, primitive = pair.split()
    assert is_denied(catalogue_operator(name), primitive)


PARTS = (
    "SparseFlashAttention SoftMax, Mla SoftMax, Mla AdjustSoftMaxRes, FlashAttentionScoreWithLargeHeadDim "
    "SoftmaxFlashV2, LightningIndexer TopK, LightningIndexer Sort, MlaPrologV3X RmsNorm, HcPostX RmsNorm, "
    "MoeGatingTopKRemap TopK, MoeGatingTopKRemap SoftMax, MoeDistDispatchMulExp AscendQuant, QuantMatmul "
    "AscendDequant, GroupedMatmulSliceMPerTokenDequant AscendDequant, GroupedMatmulSwigluQuantX SwiGLU, "
    "GmmDeqSwigluQuantGmmDeq AscendQuant, DequantSwigluQuant AscendQuant, DequantSwigluClampQuant "
    "ClampMax, GroupNormSwish Swish, GroupNormSwishGrad Sigmoid, AddSigmoidMulReduceSumD Sigmoid, "
    "BasicMatmul Matmul"
)


@pytest.mark.parametrize("pair", PARTS.split(", "))
def test_a_part_of_a_composite_may_be_used(pair: str) -> None:
    name, primitive = pair.split()
    assert not is_denied(catalogue_operator(name), primitive)


def test_an_imported_task_of_that_name_has_the_same_core_and_a_stranger_only_its_own_list() -> (
    None
):
    swish = replace(catalogue_operator("Swish"), benchmark="NPUKernelBench")
    assert is_denied(swish, "Sigmoid")
    own = replace(swish, name="Softplus", deny=("Ln",))
    assert decision_on(own) is None
    assert not is_denied(own, "Sigmoid")
    assert is_denied(own, "Ln")


@pytest.mark.parametrize("name", ["SparseFlashAttention", "sparse_flash_attention"])
def test_the_kernel_the_paper_prints_keeps_the_rules(name: str) -> None:
    if not PAPER.is_file():
        pytest.skip("the source of the paper does not lie beside this checkout")
    files = dict(PRINTED.findall(PAPER.read_text(encoding="utf-8").replace("\\_", "_")))
    assert set(files) == {
        "op_host/sparse_flash_attention.cpp",
        "op_host/sparse_flash_attention_tiling.h",
        "op_kernel/sparse_flash_attention.cpp",
    }
    assert "SoftMax<half, false>" in files["op_kernel/sparse_flash_attention.cpp"]
    assert violations(Candidate(files)) == ()


def test_an_operator_is_found_by_the_name_papers_print() -> None:
    for name in operator_names():
        assert resolve_operator(snake_case(name)).name == name


def test_show_says_what_is_denied_and_why() -> None:
    said = CliRunner().invoke(operators, ["list", "Swish"]).output
    assert (
        "leaned on: Swish, Silu, Sigmoid, SwiGLU (the paper's example: Sigmoid leaves a product)"
        in said
    )
    assert (
        "nothing (SoftMax is a part"
        in CliRunner().invoke(operators, ["list", "Mla"]).output
    )
