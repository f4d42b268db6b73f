"""The six operators of the demonstration: references run on every case and the cases are worth something."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch

from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec, TestCase
from remote.judge.inputs.fills import make_inputs

DEMO = ("AbsMath", "Lerp", "SwiGlu", "RmsNorm", "MseLoss", "Tril")


@cache
def reference_of(name: str) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location(
        name, catalogue_operator(name).folder / "reference.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reference  # type: ignore[no-any-return]


def inputs_of(operator: OperatorSpec, case: TestCase) -> dict[str, torch.Tensor]:
    given = make_inputs(operator.name, case)
    return {name: tensors[0].logical.double() for name, tensors in given.items()}


def outputs_of(
    operator: OperatorSpec, case: TestCase, inputs: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    result = reference_of(operator.name)(**inputs, **case.attributes)
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.system
@pytest.mark.parametrize("name", DEMO)
def test_reference_answers_every_case(name: str) -> None:
    operator = catalogue_operator(name)
    for case in (case for case in operator.cases if not case.big):
        outputs = outputs_of(operator, case, inputs_of(operator, case))
        assert len(outputs) == len(operator.outputs), case.name
        assert all(isinstance(output, torch.Tensor) for output in outputs), case.name
        reduced = (
            case.attributes.get("reduction", "none") != "none"
        )  # of nothing, to one element
        empty = case.name.startswith(("hidden-empty", "empty")) and not reduced
        assert all((output.numel() == 0) == empty for output in outputs), case.name


@pytest.mark.parametrize("name", DEMO)
def test_every_input_influences_the_output(name: str) -> None:
    operator = catalogue_operator(name)
    case = operator.cases[0]
    inputs = inputs_of(operator, case)
    before = outputs_of(operator, case, inputs)
    for tensor in inputs:
        changed = {**inputs, tensor: inputs[tensor] * 1.5 + 0.25}
        after = outputs_of(operator, case, changed)
        assert any(not torch.equal(x, y) for x, y in zip(before, after, strict=True)), (
            tensor
        )


@pytest.mark.parametrize("name", DEMO)
def test_cases_cover_what_kernels_get_wrong(name: str) -> None:
    operator = catalogue_operator(name)
    visible = [case for case in operator.cases if not case.hidden and not case.big]
    hidden = [case for case in operator.cases if case.hidden]
    first = operator.inputs[0].name
    for dtype, size in (("float32", 4), ("float16", 2)):
        ours = [case for case in visible if case.inputs[first].dtype == dtype]
        assert len(ours) >= 5
        assert sum(case.inputs[first].dtype == dtype for case in hidden) >= 2
        lengths = [torch.Size(case.inputs[first].shape).numel() * size for case in ours]
        assert any(length % 32 for length in lengths)
        usual = [
            case for case in ours if case.timed and case.name != "bulk"
        ]  # as large as it must be
        timed = [torch.Size(case.inputs[first].shape).numel() for case in usual]
        assert len(timed) >= 2
        assert all(10_000 <= length <= 2_000_000 for length in timed)
    assert len({case.name.rsplit("-float", 1)[0] for case in hidden}) >= 3
    seen = {case.inputs[first].shape for case in visible}
    assert not seen & {case.inputs[first].shape for case in hidden}


def test_definitions_agree_with_torch() -> None:
    x = torch.tensor([[-3.0, 0.5, 2.0, -0.25]], dtype=torch.float64)
    gamma = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
    y, rstd = reference_of("RmsNorm")(x, gamma, epsilon=1e-5)
    torch.testing.assert_close(y, torch.nn.functional.rms_norm(x, (4,), gamma, 1e-5))
    torch.testing.assert_close(rstd, ((x**2).mean(-1, keepdim=True) + 1e-5).rsqrt())
    torch.testing.assert_close(
        reference_of("SwiGlu")(x), torch.nn.functional.silu(x[:, :2]) * x[:, 2:]
    )
    torch.testing.assert_close(
        reference_of("Lerp")(x, 2 * x, torch.full_like(x, 0.25)),
        torch.lerp(x, 2 * x, 0.25),
    )
    for reduction in ("none", "mean", "sum"):
        expected = torch.nn.functional.mse_loss(x, 2 * x, reduction=reduction)
        torch.testing.assert_close(
            reference_of("MseLoss")(x, 2 * x, reduction=reduction), expected
        )
