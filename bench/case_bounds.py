"""What a timed case of the catalogue takes at least: bound by work or by its launch, within L2 or beyond it.

    python bench/case_bounds.py

The bounds are analytic: shapes alone go through `reference.py` (tensors on torch's device `meta`), which gives
the bytes of all inputs and outputs and the operations of its products. Where a reference needs values, its
smallest inputs have theirs; where that is not enough, its inputs alone are counted. So all bounds are lower
ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType

import torch
from torch.utils.flop_counter import FlopCounterMode

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.operators.catalogue import (
    catalogue_folder,
    catalogue_operator,
    operator_names,
)
from core.operators.spec import TestCase
from remote.judge.building.processors import processors
from remote.judge.faults import EnvironmentFault
from remote.judge.inputs.fills import DTYPES, GivenTensor, make_inputs
from remote.judge.inputs.reference_module import module_in
from remote.judge.inputs.reference_results import compute
from remote.judge.job import Operator
from remote.toolchains.twin.toolchain import describe_operator

TABLE = catalogue_folder().parent / "twin" / "processors.toml"
ON = processors(TABLE).modelled["Ascend910B1"]
LAUNCH_US = ON.start_us(ON.vector_cores)  # and entry, with all cores
CUBE_OPERATIONS = 8192  # of one cube core in a cycle, half
FEW = 64  # elements of an input that may have values: sizes, steps, one scalar


@dataclass(frozen=True)
class Bound:
    """Least of one timed case: bytes moved, and microseconds for them and for its products."""

    name: str
    big: bool
    moved_bytes: int
    work_us: float

    @property
    def total_us(self) -> float:
        """With launch and entry."""
        return LAUNCH_US + self.work_us


def _inputs(operator: str, case: TestCase, most: int) -> dict[str, list[GivenTensor]]:
    """The inputs of a case, without values where they have more than `most` elements."""
    inputs: dict[str, list[GivenTensor]] = {}
    for name, spec in case.inputs.items():
        if sum(torch.Size(shape).numel() for shape in spec.all_shapes) <= most:
            inputs |= make_inputs(operator, replace(case, inputs={name: spec}))
            continue
        dtype = DTYPES[spec.dtype]
        tensors = [
            torch.empty(shape, dtype=dtype, device="meta") for shape in spec.all_shapes
        ]
        inputs[name] = [GivenTensor(name, tensor, tensor, ()) for tensor in tensors]
    return inputs


def _bytes(tensors: Iterator[torch.Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _bound(operator: Operator, case: TestCase, module: ModuleType) -> Bound:
    inputs = _inputs(operator.name, case, 0)
    moved = _bytes(t.logical for tensors in inputs.values() for t in tensors)
    operations = 0
    for most in (0, FEW):
        inputs = _inputs(operator.name, case, most)
        try:
            with torch.device("meta"), FlopCounterMode(display=False) as counter:
                results = compute(operator, case, inputs, module)
        except EnvironmentFault:
            continue  # it needs values
        moved += _bytes(result for _, result in results)
        operations = counter.get_total_flops()
        break
    hbm = ON.hbm_bytes_per_s * ON.constants["memory.hbm_reached"]
    rate = ON.l2_bytes_per_s if moved <= ON.l2_bytes else hbm
    cube_rate = ON.cube_cores * CUBE_OPERATIONS * ON.clock_mhz
    work_us = max(1e6 * moved / rate, operations / cube_rate)
    return Bound(case.name, case.big, moved, work_us)


@cache
def bounds(name: str) -> tuple[Bound, ...]:
    """Of all timed cases of an operator that a candidate sees."""
    operator = catalogue_operator(name)
    described = describe_operator(operator)
    module = module_in(operator.folder / "reference.py")
    visible = [case for case in operator.cases if case.timed and not case.hidden]
    return tuple(_bound(described, case, module) for case in visible)


def main() -> None:
    """Print each operator's bounds."""
    for name in operator_names():
        cases = bounds(name)
        small = [bound.total_us for bound in cases if not bound.big]
        heaviest = max(bound.work_us for bound in cases) / LAUNCH_US
        on_twin = max(b.work_us for b in cases if not b.big) / LAUNCH_US
        most = max(bound.moved_bytes for bound in cases) / ON.l2_bytes
        print(
            f"{name:40} {catalogue_operator(name).category:14} work {heaviest:6.1f} "
            f"on the twin {on_twin:5.2f} launches, {most:5.2f} of L2, "
            f"largest share {max(small) / sum(small):.2f} of {len(small)}"
        )


if __name__ == "__main__":
    main()
