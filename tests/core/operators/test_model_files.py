"""Python files with `class Model`: any is a task, inside a benchmark or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.operators.importers import (
    import_benchmark,
    read_benchmark,
)
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec
from remote.operator_check import OperatorCheck, check_operators

pytestmark = pytest.mark.outside

TASK = """
import torch
import torch.nn as nn

rows, columns = 3, 8


class Model(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x, parts, exponent, call=torch.relu):
        return call(x) * self.factor + sum(parts) ** exponent
"""
ONE = """

def get_inputs():
    power = 2
    return [torch.randn(rows, columns), [torch.rand(columns), torch.rand(columns)], power]


def get_init_inputs():
    return [0.5]
"""
SEVERAL = """

def get_inputs_dyn_list():
    small = torch.randn(2, 4)
    large = torch.randn(7, 33)
    return [[small, [torch.rand(4)], 1], [large, [torch.rand(33)], 2], [large + 1, [torch.rand(33)], 3]]


def get_init_inputs():
    return [0.5]
"""
LISTED = """
import torch

CASES = [
    {"shape": [2, 3]},
    {"shape": [5, 7]},
]


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, more: list[torch.Tensor]):
        return x + more[0]


def get_input_groups():
    return [[torch.randn(case["shape"]), [torch.randn(case["shape"])]] for case in CASES]
"""


def _put(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_py", ".py").replace(
            "_json", ".json"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def _imported(folder: Path, **files: str) -> list[OperatorSpec]:
    _put(folder, **files)
    report, folders = import_benchmark(folder, folder / "operators")
    assert report.faults == ()
    return [load_operator(made) for made in folders]


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, OperatorSpec]:
    """The tasks whose cases are run, by what they show."""
    one, several, large, wide, fixed, big = (
        tmp_path_factory.mktemp("task") for _ in range(6)
    )
    listed, grouped = _imported(several, several_py=TASK + SEVERAL, listed_py=LISTED)
    only = LARGE.replace("batch_size * 16, features", "1 << 12, 1 << 12").format(
        check="pass"
    )
    (all_big,) = _imported(
        big, big_py=only.replace("return [torch", "a = [4096]\n    return [torch")
    )
    specification = all_big.folder / "operator.toml"
    named = 'name = "group-0"'
    specification.write_text(
        specification.read_text().replace(named, f"{named}\nbig = true")
    )
    return {
        "one": _imported(one, scaled_sum_py=TASK + ONE)[0],
        "listed": listed,
        "several": grouped,
        "large": _imported(large, large_py=LARGE.format(check="pass"))[0],
        "wide": _imported(
            wide, wide_py=LARGE.format(check="assert x.shape[1] == 2 * 8192")
        )[0],
        "fixed": _imported(
            fixed, fixed_py=LARGE.format(check="assert x.shape == (1024, 2 * 8192)")
        )[0],
        "all big": load_operator(all_big.folder),
    }


@pytest.fixture(scope="module")
def checks(
    specs: dict[str, OperatorSpec], build_cache: Path
) -> dict[str, OperatorCheck]:
    """What the quality gates say of them."""
    return dict(
        zip(specs, check_operators(list(specs.values()), build_cache), strict=True)
    )


@pytest.mark.system
def test_one_python_file_is_a_task_whose_cases_all_run(
    specs: dict[str, OperatorSpec], checks: dict[str, OperatorCheck]
) -> None:
    spec, check = specs["one"], checks["one"]
    assert spec.benchmark == "model file"
    # A number that is handed over is an attribute, a function that may be is no part of the interface.
    assert [tensor.name for tensor in spec.inputs] == ["x", "parts"]
    assert [(a.name, a.type) for a in spec.attributes] == [
        ("factor", "float"),
        ("exponent", "int"),
    ]
    assert (check.cases, check.problems) == (1, ())


@pytest.mark.system
def test_every_group_of_inputs_is_a_case(
    specs: dict[str, OperatorSpec], checks: dict[str, OperatorCheck]
) -> None:
    assert [
        (specs[what].name, len(specs[what].cases)) for what in ("listed", "several")
    ] == [("Listed", 2), ("Several", 3)]
    assert [tensor.is_list for tensor in specs["listed"].inputs] == [False, True]
    rows = [checks["listed"], checks["several"]]
    assert [(row.cases, row.problems) for row in rows] == [(2, ()), (3, ())]


def test_a_folder_of_files_is_searched_and_what_is_no_task_is_no_error(
    tmp_path: Path,
) -> None:
    task = TASK + ONE
    root = _put(
        tmp_path / "mine",
        a__first_py=task,
        b__c__second_py=task,
        helper_py="import torch\n",
    )
    report = read_benchmark(root)
    assert sorted(task.identifier for task in report.tasks) == [
        "file/a/first",
        "file/b/c/second",
    ]
    assert report.faults == ()


def test_a_file_that_is_no_task_or_of_another_framework_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("print('nothing ran')\n")
    with pytest.raises(
        InvalidInput, match="written for something else, not for PyTorch"
    ):
        read_benchmark(tmp_path / "plain.py")
    (tmp_path / "other.py").write_text(
        "import mindspore\nclass Model:\n    def construct(self): ...\n"
    )
    with pytest.raises(InvalidInput, match="written for mindspore"):
        read_benchmark(tmp_path / "other.py")
    (tmp_path / "plain.py").write_text(
        "import torch\nclass Model:\n    def forward(self, x): return x\n"
    )
    with pytest.raises(InvalidInput, match="function get_inputs"):
        read_benchmark(tmp_path / "plain.py")
    (tmp_path / "extra.py").write_text("import somepackage\n" + TASK + ONE)
    (task,) = read_benchmark(tmp_path / "extra.py").tasks
    assert "imports somepackage" in task.notes[0]
    level = tmp_path / "bench" / "KernelBench" / "level1"
    level.mkdir(parents=True)
    (level / "1_Extra.py").write_text("import somepackage\n" + TASK + ONE)
    (task,) = read_benchmark(tmp_path / "bench").tasks
    assert task.notes == (), (
        "a note enters the digest, and the tasks of that benchmark had none"
    )


LARGE = """
import torch

batch_size, features = 64, 2 * 8192
shape = (features,)


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, 4)

    def forward(self, x, y):
        {check}
        return self.linear(x) + y.sum()


def get_inputs():
    return [torch.randn(batch_size * 16, features), torch.randn(*shape)]


def get_init_inputs():
    return [features]
"""


@pytest.mark.system
def test_a_task_with_one_large_case_gets_a_small_one_that_runs(
    specs: dict[str, OperatorSpec], checks: dict[str, OperatorCheck]
) -> None:
    spec, check = specs["large"], checks["large"]
    assert [(case.name, case.big) for case in spec.cases] == [
        ("group-0", True),
        ("group-0-derived", False),
    ]
    (first, *_) = json.loads(str(spec.cases[1].row["derived"]))
    assert first["features"] < 2 * 8192
    assert (check.cases, check.skipped, check.problems) == (1, 1, ())


def test_code_that_insists_on_a_size_gets_the_plan_it_accepts(
    checks: dict[str, OperatorCheck],
) -> None:
    """Its constructor's size is fixed, so only the other one may change."""
    accepted, refused = checks["wide"], checks["fixed"]
    assert (accepted.cases, accepted.problems) == (1, ())
    assert refused.cases == 0
    assert "permits no smaller sizes" in refused.problems[0]


def test_a_task_none_of_whose_cases_was_checked_has_not_passed(
    checks: dict[str, OperatorCheck],
) -> None:
    assert checks["all big"].problems == (
        "none of the 1 cases was checked: all are big",
    )


CLIPPED = """
import json
import os

import torch


class Model(torch.nn.Module):
    def forward(self, x, low=0, other=None, parts=None):
        return x


def get_input_groups():
    with open(os.path.join(os.path.dirname(__file__), "clip.json")) as file:
        return [[torch.randn(2, 3)] for line in file]
"""


def test_a_file_of_cases_decides_what_the_code_leaves_open(tmp_path: Path) -> None:
    (tmp_path / "clip.py").write_text(CLIPPED)
    rows: list[list[dict[str, object]]] = [
        [
            {"name": "x", "type": "tensor", "dtype": "float32", "shape": [2, 3]},
            {"name": "low", "type": "attr", "dtype": "float", "value": low},
            {"name": "other", "type": "scalar", "dtype": "fp32", "shape": None},
            {"name": "parts", "type": "tensor_list", "shapes": [[2], [3]]},
        ]
        for low in (0, 0.5)
    ]
    (tmp_path / "clip.json").write_text(
        "".join(json.dumps({"inputs": row}) + "\n" for row in rows)
    )
    (task,) = read_benchmark(tmp_path / "clip.py").tasks
    assert [(a.name, a.type) for a in task.attributes] == [
        ("low", "float"),
        ("other", "float"),
    ]
    assert [(tensor.name, tensor.is_list) for tensor in task.inputs] == [
        ("x", False),
        ("parts", True),
    ]
