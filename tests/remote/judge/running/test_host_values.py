"""What op_host may know of the values of its inputs: those the interface keeps for it, and no data."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec
from remote.judge.inputs.case_data import CaseData, TensorFile
from remote.judge.running.requests import host_values
from remote.toolchains.twin.toolchain import describe_operator
from tests.remote.helpers import KERNELS, ROOT

_BYTES = {"int32": 4, "int64": 8, "bool": 1}
NAMES = sorted(
    path.name for path in (ROOT / "resources" / "operators").iterdir() if path.is_dir()
)


def shown(operator: OperatorSpec, folder: Path) -> set[str]:
    """Inputs whose values op_host gets in some case of the operator."""
    names: set[str] = set()
    for case in operator.cases:
        inputs = {}
        for name, made in case.inputs.items():
            size = math.prod(made.shape) * _BYTES.get(made.dtype, 4)
            path = folder / f"{size}.bin"
            if not path.exists() and size <= 1 << 14:
                path.write_bytes(bytes(size))
            inputs[name] = (
                TensorFile(name, str(made.dtype), made.shape, (), path, size),
            )
        data = CaseData(inputs, (), (), {}, ())
        names |= {name for name, _ in host_values(describe_operator(operator), data)[1]}
    return names


@pytest.mark.parametrize("name", NAMES)
def test_no_input_that_may_be_floating_point_reaches_op_host(
    name: str, tmp_path: Path
) -> None:
    operator = catalogue_operator(name)
    floats = {
        tensor.name
        for tensor in operator.inputs
        if not set(tensor.dtypes) <= {"int32", "int64", "bool"}
    }
    assert not shown(operator, tmp_path) & floats


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("StridedSliceAssignV2", {"begin", "end", "strides", "axes"}),
        ("GatherV3", {"axis"}),
        ("Fill", {"dims"}),
        ("TopKV3", {"k"}),
        ("ReverseSequence", {"seq_lengths"}),
        ("ForeachAddScalar", set()),
        ("CastMath", set()),
        ("AbsMath", set()),
    ],
)
def test_what_is_a_parameter_reaches_op_host(
    name: str, needed: set[str], tmp_path: Path
) -> None:
    found = shown(catalogue_operator(name), tmp_path)
    assert needed <= found
    assert needed or not found


@pytest.mark.parametrize(("count", "names"), [(128, {"indices"}), (129, set())])
def test_indices_of_many_rows_are_data(
    count: int, names: set[str], tmp_path: Path
) -> None:
    operator = describe_operator(catalogue_operator("GatherV3"))
    path = tmp_path / "indices.bin"
    path.write_bytes(bytes(8 * count))
    indices = TensorFile("indices", "int64", (count,), (), path, 8 * count)
    data = CaseData({"indices": (indices,)}, (), (), {}, ())
    assert {name for name, _ in host_values(operator, data)[1]} == names


def test_every_value_our_kernels_ask_for_is_there(tmp_path: Path) -> None:
    asking = {}
    for folder in KERNELS.iterdir():
        texts = [path.read_text() for path in folder.glob("op_host/*.cpp")]
        if any("GetInputTensor" in text for text in texts):
            asking[folder.name] = shown(catalogue_operator(folder.name), tmp_path)
    assert set(asking) == {"GatherV3", "StridedSliceAssignV2"}
    assert all(asking.values())
