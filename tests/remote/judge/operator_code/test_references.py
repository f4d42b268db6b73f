"""Reference results: computed exactly, kept, and whose fault it is when they fail."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.operators.spec import InputSpec, TestCase
from remote.judge.faults import EnvironmentFault
from remote.judge.inputs.reference_results import output_dtypes
from remote.judge.inputs.tensor_memory import tensor_bytes
from remote.judge.job import Operator
from remote.judge.operator_code.references import References
from remote.judge.sandbox import Sandbox
from tests.remote.helpers import toy_operator


def toy(
    source: str, outputs: list[dict[str, Any]] | None = None, digest: str = "d1"
) -> Operator:
    return toy_operator(
        digest=digest,
        reference_source=source,
        inputs=[{"name": "x", "dtypes": ["float32", "float16"]}],
        outputs=outputs or [{"name": "y", "dtypes": ["float32", "float16"]}],
    )


def toy_case(dtype: str = "float16") -> TestCase:
    return TestCase("c", {"x": InputSpec((3, 4), dtype)}, seed=1)


def test_references_are_computed_in_float64_and_rounded_once(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    source = (
        "import torch\ndef reference(x):\n    assert x.dtype == torch.float64\n"
        "    return x * 0 + 1 + 2.0**-11 + 2.0**-40"
    )
    data = References(tmp_path, sandbox).case(toy(source), toy_case())
    assert data.expected[0].dtype == torch.float16
    assert float(data.expected[0][0, 0]) == 1 + 2**-10
    wanted = data.inputs["x"][0]
    assert (wanted.dtype, wanted.shape, wanted.strides) == ("float16", (3, 4), ())
    assert wanted.path.stat().st_size == 24


def test_results_are_kept_and_a_damaged_one_is_made_again(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    source = "def reference(x):\n    return x"
    first = References(tmp_path / "r", sandbox).case(toy(source), toy_case())
    made = first.outputs[0].path.stat().st_mtime_ns
    again = References(tmp_path / "r", sandbox).case(toy(source), toy_case())
    assert torch.equal(first.expected[0], again.expected[0])
    assert again.outputs[0].path.stat().st_mtime_ns == made
    first.outputs[0].path.write_bytes(b"\0" * 24)
    damaged = first.outputs[0].path.stat().st_mtime_ns
    repaired = References(tmp_path / "r", sandbox).case(toy(source), toy_case())
    assert torch.equal(first.expected[0], repaired.expected[0])
    assert repaired.outputs[0].path.stat().st_mtime_ns > damaged
    other = References(tmp_path / "r", sandbox).case(
        toy(source, digest="d2"), toy_case()
    )
    assert other.outputs[0].path != first.outputs[0].path


def test_a_cache_deleted_meanwhile_is_filled_again_and_old_cases_go_first(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    references = References(tmp_path, sandbox)
    source = "def reference(x):\n    return x"
    first = references.case(toy(source), toy_case())
    shutil.rmtree(tmp_path / "cases")
    again = references.case(toy(source), toy_case())
    assert again.inputs["x"][0].path.exists()
    assert torch.equal(first.expected[0], again.expected[0])
    older = again.outputs[0].path.parent
    os.utime(older / "case.json", (1000, 1000))
    younger = (
        references.case(toy(source), replace(toy_case(), seed=5)).outputs[0].path.parent
    )
    size = sum(path.stat().st_size for path in younger.iterdir())
    assert references.collect(size) > 0
    assert (older.exists(), younger.exists()) == (False, True)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def reference(x):\n    raise KeyError('w')", "fails on case c: KeyError"),
        ("def other(x):\n    return x", "defines no function"),
        ("import nothing_like_this", "cannot be loaded"),
        (
            "def reference(x):\n    return x, x",
            "returns 2 results where the interface has 1",
        ),
    ],
)
def test_a_broken_reference_is_the_operators_fault(
    tmp_path: Path, sandbox: Sandbox, source: str, words: str
) -> None:
    with pytest.raises(EnvironmentFault, match=words):
        References(tmp_path, sandbox).case(toy(source), toy_case())


def test_output_dtypes_follow_the_interface_the_file_or_the_result(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    two = [
        {"name": "y", "dtypes": ["float32", "float16"]},
        {"name": "rstd", "dtypes": ["float32", "float32"]},
    ]
    assert output_dtypes(toy("", two), {"x": "float16"}, None) == ("float16", "float32")
    assert output_dtypes(toy(""), {"x": "int32"}, None) == ("",)
    named = "import torch\ndef OUTPUT_DTYPES(dtypes):\n    return ('bool',)\ndef reference(x):\n    return x > 0"
    assert (
        References(tmp_path, sandbox).case(toy(named), toy_case()).expected[0].dtype
        == torch.bool
    )
    free = "import torch\ndef reference(x):\n    return torch.argmax(x, -1)"
    outputs = [{"name": "y", "dtypes": []}]
    found = References(tmp_path, sandbox).case(toy(free, outputs, "d3"), toy_case())
    assert found.expected[0].dtype == torch.int64


def test_what_is_kept_names_everything_it_depends_on(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    same = toy("def reference(x):\n    return x")
    data = References(tmp_path, sandbox).case(same, toy_case())
    rows = json.loads((data.outputs[0].path.parent / "case.json").read_text())
    assert rows["outputs"][0]["name"] == "y"
    other = References(tmp_path, sandbox).case(same, replace(toy_case(), seed=2))
    assert other.outputs[0].path.parent != data.outputs[0].path.parent


@pytest.mark.slow
def test_a_tensor_may_be_larger_than_two_gibibytes() -> None:
    count = (2 << 30) + 3
    tensor = torch.zeros(count, dtype=torch.int8)
    tensor[-1] = 7
    data = tensor_bytes(tensor)
    assert (len(data), data[-1]) == (count, 7)
