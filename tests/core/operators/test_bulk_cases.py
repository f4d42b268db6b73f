"""One timed case of every operator is decided by moving data, not by what it costs to start cores."""

from __future__ import annotations

import importlib.util
import random

import pytest

from core.operators.catalogue import (
    catalogue_folder,
    catalogue_operator,
    operator_names,
)
from remote.judge.building.processors import processors
from remote.judge.inputs.reference_module import case_inputs
from remote.judge.inputs.reference_results import compute
from remote.toolchains.twin.toolchain import describe_operator

pytestmark = pytest.mark.outside

SHARE = 2 / 3  # of the modelled time, all cores started and the tensors in L2
SOC = "Ascend910B1"
BULK = "bulk"
NAMES = operator_names()
SAMPLE = random.Random(16).sample(NAMES, 8)


def shares_us(moved: int) -> tuple[float, float]:
    """Microseconds to start every vector core, and to move `moved` bytes as fast as memory allows."""
    table = catalogue_folder().parent / "twin/processors.toml"
    on = processors(table).modelled[SOC]
    in_l2 = moved <= on.l2_bytes
    rate = (
        on.l2_bytes_per_s
        if in_l2
        else on.hbm_bytes_per_s * on.constants["memory.hbm_reached"]
    )
    return on.start_us(on.vector_cores), 1e6 * moved / rate


def bytes_moved(name: str) -> int:
    """Bytes of all inputs and outputs of the bulk case: what a kernel has to move at least, or nearly so."""
    operator = catalogue_operator(name)
    case = next(case for case in operator.cases if case.name == BULK)
    assert (case.timed, case.hidden, case.big) == (True, False, False), name
    found = importlib.util.spec_from_file_location(
        name, operator.folder / "reference.py"
    )
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    described = describe_operator(operator)
    inputs = case_inputs(described, case, module)
    results = compute(described, case, inputs, module)
    tensors = [tensor.logical for tensors in inputs.values() for tensor in tensors]
    tensors += [result for _, result in results if not result.is_meta]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


@pytest.mark.system
@pytest.mark.parametrize(
    "name",
    [
        name if name in SAMPLE else pytest.param(name, marks=pytest.mark.slow)
        for name in NAMES
    ],
)
def test_moving_data_dominates_the_bulk_case(name: str) -> None:
    launch_us, moving_us = shares_us(bytes_moved(name))
    assert moving_us / (moving_us + launch_us) >= SHARE


def test_every_operator_has_a_bulk_case_that_the_twin_runs() -> None:
    cases = {
        name: [case.name for case in catalogue_operator(name).cases] for name in NAMES
    }
    assert [name for name in NAMES if BULK not in cases[name]] == []
