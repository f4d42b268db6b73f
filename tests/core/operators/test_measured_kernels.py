"""What CANN's own kernels took in profiles stands beside operators, always with its origin."""

from __future__ import annotations

from dataclasses import replace

from click.testing import CliRunner

from core.operators.catalogue import catalogue_operator
from core.operators.measured_kernels import measured_kernels
from sage_desktop.cli import main


def test_the_facts_of_an_operator_name_the_kernel_of_cann_with_its_origin() -> None:
    shown = CliRunner().invoke(main, ["operators", "list", "RmsNorm"]).stdout
    line = next(line for line in shown.splitlines() if line.startswith("CANN's"))
    assert line.startswith("CANN's RmsNorm: ")
    assert "bfloat16 on Ascend910B4 (profile qwen3-rank0)" in line


def test_the_nearest_row_of_each_part_is_shown() -> None:
    parts = [kernel.part for kernel in measured_kernels(catalogue_operator("CastMath"))]
    assert parts == ["Ascend910B2", "Ascend910B4"]


def test_operators_without_the_same_kernel_in_a_profile_have_none() -> None:
    assert measured_kernels(catalogue_operator("TopKV3")) == ()
    imported = replace(catalogue_operator("RmsNorm"), benchmark="another")
    assert measured_kernels(imported) == ()
