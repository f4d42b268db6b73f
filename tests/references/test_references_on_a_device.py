"""References run where their inputs are: on a device nothing may be made in the memory of the host.

No device is needed to see it. Tensors that come from inputs count as lying on one; what a factory makes
without being told a device does not, and may not meet them.
"""

from __future__ import annotations

import ast
import builtins
import math
import tomllib
import types
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from core.operators.catalogue import (
    catalogue_folder,
    catalogue_operator,
    operator_names,
)
from core.operators.spec import OperatorSpec, TestCase
from remote.judge.cann.baseline import NoBaseline, baseline_call
from remote.judge.inputs.reference_module import case_inputs
from remote.toolchains.twin.toolchain import describe_operator

NAMES = operator_names()


class OnADevice(TorchFunctionMode):
    """Refuses operations between tensors of the host and others, as a device does; but for numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.host: dict[int, torch.Tensor] = {}

    def __torch_function__(
        self, func: Any, _types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [
            leaf
            for leaf in tree_leaves((args, kwargs))
            if isinstance(leaf, torch.Tensor)
        ]
        of_host = [tensor for tensor in given if id(tensor) in self.host]
        if len(of_host) < len(given) and any(tensor.dim() for tensor in of_host):
            raise AssertionError(
                f"{getattr(func, '__name__', func)} mixes a tensor of the host with others"
            )
        found = func(*args, **kwargs)
        if (not given and kwargs.get("device") is None) or (
            given and len(of_host) == len(given)
        ):
            for leaf in tree_leaves(found):
                if isinstance(leaf, torch.Tensor):
                    self.host[id(leaf)] = leaf
        return found


def module_of(operator: OperatorSpec) -> types.ModuleType:
    path = operator.folder / "reference.py"
    module = types.ModuleType(operator.name)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def smallest(operator: OperatorSpec) -> Iterator[TestCase]:
    """One small case of each dtype combination of the interface."""
    seen = set()

    def size(case: TestCase) -> int:
        return sum(math.prod(spec.shape or (1,)) for spec in case.inputs.values())

    for case in sorted(operator.cases, key=size):
        dtypes = tuple(
            sorted((name, str(spec.dtype)) for name, spec in case.inputs.items())
        )
        if dtypes not in seen and size(case) < 200_000:
            seen.add(dtypes)
            yield case


def values_of(
    operator: OperatorSpec, case: TestCase, module: types.ModuleType
) -> dict[str, Any]:
    """Inputs in the dtypes of the interface, and attributes."""
    made = case_inputs(describe_operator(operator), case, module)
    lists = {tensor.name for tensor in operator.inputs if tensor.is_list}
    inputs = {
        name: [one.logical for one in given] if name in lists else given[0].logical
        for name, given in made.items()
    }
    attributes = {a.name: a.default for a in operator.attributes}
    return {**attributes, **case.attributes, **inputs}


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_stays_on_the_device_of_its_inputs(name: str) -> None:
    operator = catalogue_operator(name)
    module = module_of(operator)
    for case in list(smallest(operator))[:3]:
        values = values_of(operator, case, module)
        with OnADevice() as device:
            found = module.reference(**values)
        left = [
            leaf
            for leaf in tree_leaves(found)
            if isinstance(leaf, torch.Tensor) and id(leaf) in device.host
        ]
        assert not left, f"{case.name}: an output lies in the memory of the host"


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_names_what_its_kernel_replaces(name: str) -> None:
    operator = catalogue_operator(name)
    baseline = operator.baseline
    assert baseline is not None
    if baseline.none:
        return
    known = {tensor.name for tensor in operator.inputs} | {
        a.name for a in operator.attributes
    }
    known |= {"torch", "torch_npu", *baseline.given}
    for text in (baseline.call, baseline.when or "None", *baseline.given.values()):
        assert free_names(text) <= known | set(dir(builtins))
    assert ("torch_npu" in baseline.call) == bool(baseline.since), "whose version it is"
    if "torch_npu" in f"{baseline.call}{baseline.given}":
        return
    module = module_of(operator)
    for case in list(smallest(operator))[:2]:
        if any(
            str(spec.dtype) in {"float16", "bfloat16", "int8"}
            for spec in case.inputs.values()
        ):
            continue  # of a CPU some calls have no such kernel; of an NPU they do
        values = values_of(operator, case, module)
        expected = module.reference(**values)
        try:
            call = baseline_call(
                baseline,
                {**{tensor.name: None for tensor in operator.inputs}, **values},
            )
        except NoBaseline:
            continue
        found = call()
        if baseline.call.startswith("var.__setitem__"):
            found = values["var"]
        wanted, got = tree_leaves(expected)[0], tree_leaves(found)[0]
        torch.testing.assert_close(
            got.to(wanted.dtype), wanted, rtol=1e-3, atol=1e-3, equal_nan=True
        )


def free_names(text: str) -> set[str]:
    tree = ast.parse(text, mode="eval")
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - made


def test_the_file_names_operators_of_the_catalogue_only() -> None:
    named = tomllib.loads((catalogue_folder() / "baselines.toml").read_text())
    assert set(named) == set(NAMES)
