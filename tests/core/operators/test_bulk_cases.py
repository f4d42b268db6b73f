"""One timed case of every operator is decided by moving data, not by what it costs to start cores."""

from __future__ import annotations

import importlib.util
import math
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

SHARE = 2 / 3  # of the modelled time
SOC = "Ascend910B1"
BULK = "bulk"
NAMES = operator_names()
SAMPLE = random.Random(16).sample(NAMES, 8)


def most_launch() -> tuple[float, float]:
    """Launch cost in us of the cores that use up the bandwidth, and that bandwidth in bytes a us."""
    on = processors(catalogue_folder().parent / "twin/processors.toml").modelled[SOC]
    cores = math.ceil(on.hbm_bytes_per_s / on.core_bytes_per_s)
    launch = on.launch_one_us + (on.launch_all_us - on.launch_one_us) * (cores - 1) / (
        on.vector_cores - 1
    )
    return launch, on.hbm_bytes_per_s / 1e6


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
    given = case
    inputs = case_inputs(described, given, module)
    results = compute(described, given, inputs, module)
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
    launch, bandwidth = most_launch()
    moving = bytes_moved(name) / bandwidth
    assert moving / (moving + launch) >= SHARE


def test_every_operator_has_a_bulk_case_that_the_twin_runs() -> None:
    cases = {
        name: [case.name for case in catalogue_operator(name).cases] for name in NAMES
    }
    assert [name for name in NAMES if BULK not in cases[name]] == []
