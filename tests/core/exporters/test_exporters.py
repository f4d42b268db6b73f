"""Exports read back to an equal candidate, and say what they cannot express."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.exporters import (
    export_answer_folder,
    export_six_strings,
    read_six_strings,
)
from core.operators.catalogue import catalogue_operator
from core.operators.importers import import_benchmark
from core.operators.loader import load_operator
from core.whole_file import write_files

DATA = Path(__file__).parents[2] / "data"
SPEC = catalogue_operator("AbsMath")
CANDIDATE = read_candidate(DATA / "kernels" / "AbsMath")


def test_six_strings_read_back_to_an_equal_candidate() -> None:
    text = export_six_strings(SPEC, CANDIDATE, ())
    assert read_six_strings(text, "answer").files == CANDIDATE.files
    strings = {node.targets[0].id: node.value.value for node in ast.parse(text).body}  # type: ignore[attr-defined]
    # The names the benchmark asks for, and no other change.
    assert json.loads(strings["project_json_src"])[0]["op"] == "AbsMathCustom"
    assert "OP_ADD(AbsMathCustom)" in strings["host_operator_src"]
    assert '#include "abs_math_custom_tiling.h"' in strings["host_operator_src"]
    assert "void abs_math_custom(GM_ADDR x, GM_ADDR y" in strings["kernel_src"]
    assert "EXEC_NPU_CMD(aclnnAbsMathCustom, x, y)" in strings["python_bind_src"]
    ast.parse(strings["model_src"])


@pytest.mark.parametrize("ending", ["\\", "'", "x", "'''", "\r\n"])
def test_six_strings_hold_any_text(ending: str) -> None:
    files = dict(CANDIDATE.files)
    files["op_kernel/abs_math.cpp"] += f"// \\n \\' {ending}"
    candidate = Candidate(files)
    assert (
        read_six_strings(export_six_strings(SPEC, candidate, ()), "answer").files
        == files
    )


def test_what_six_strings_cannot_hold_is_named() -> None:
    extra = Candidate({**CANDIDATE.files, "op_kernel/helpers.h": "#pragma once\n"})
    with pytest.raises(InvalidInput, match=r"op_kernel/helpers.h: has no place"):
        export_six_strings(SPEC, extra, ())
    taken = dict(CANDIDATE.files)
    taken["op_kernel/abs_math.cpp"] += "\n// AbsMathCustom\n"
    with pytest.raises(InvalidInput, match="AbsMathCustom"):
        export_six_strings(SPEC, Candidate(taken), ())
    with pytest.raises(InvalidInput, match="kernel_src: is not assigned"):
        read_six_strings(
            "project_json_src = ''\nhost_tiling_src = ''\nhost_operator_src = ''\n",
            "answer",
        )


@pytest.mark.parametrize(
    "odd", ["x = '\x00'", "x = " + "+".join(["1"] * 20_000), "x = ("]
)
def test_an_answer_python_cannot_read_is_refused_by_its_name(odd: str) -> None:
    with pytest.raises(InvalidInput, match="answer"):
        read_six_strings(odd, "answer")


LAYERED = {
    "op_host/abs_math_tiling.h": '#include "common.h"\nint tiling = kCommon;\n',
    "op_host/common.h": "#pragma once\nconstexpr int kCommon = 1;\n",
    "op_host/abs_math.cpp": (
        '#include "abs_math_tiling.h"\n#include "common.h"\nclass AbsMath {};\nint h = kCommon;\n'
    ),
    "op_kernel/abs_math.cpp": (
        '#if VARIANT\n#include "inner/tile.h"\n#endif\n#include "inner/tile.h"\n#include "guarded.h"\n'
        "int k = Tile() + kGuarded;\nvoid abs_math() {}"
    ),
    "op_kernel/inner/tile.h": (
        '#pragma once\n#include "../guarded.h"\ninline int Tile() { return kGuarded; }\n'
    ),
    "op_kernel/guarded.h": (
        "// a guard\n#ifndef GUARDED_H\n#define GUARDED_H\nconstexpr int kGuarded = 2;\n#endif"
    ),
}


@pytest.mark.parametrize("variant", [0, 1])
def test_helper_headers_are_written_where_they_are_included(
    tmp_path: Path, variant: int
) -> None:
    """The three C++ strings compile by themselves, each header once, and read back to the files they were."""
    text = export_six_strings(SPEC, Candidate(LAYERED), ())
    assert read_six_strings(text, "answer").files == LAYERED
    strings = {node.targets[0].id: node.value.value for node in ast.parse(text).body}  # type: ignore[attr-defined]
    (tmp_path / "abs_math_custom_tiling.h").write_text(
        "#pragma once\n" + strings["host_tiling_src"]
    )
    for key in ("host_operator_src", "kernel_src"):
        source = tmp_path / f"{key}.cpp"
        source.write_text(strings[key])
        command = ["g++", "-std=c++17", "-fsyntax-only", f"-DVARIANT={variant}", source]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_headers_that_cannot_be_written_out_are_named() -> None:
    circle = {**LAYERED, "op_kernel/guarded.h": '#include "inner/tile.h"\n'}
    with pytest.raises(InvalidInput, match="which includes it in turn"):
        export_six_strings(SPEC, Candidate(circle), ())


WEIGHTED = """
from __future__ import annotations

import torch

inner = 3


class Scale(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(width))

    def forward(self, x):
        return x * self.weight


class Model(torch.nn.Module):
    def __init__(self, width, rate: float, bias=True):
        super(Model, self).__init__()
        self.scale = Scale(width)
        self.linear = torch.nn.Linear(width, inner, bias=bias)
        self.register_buffer("shift", torch.rand(inner))
        self.rate = rate

    def forward(self, x, power: int, mask=None):
        y = self.linear(self.scale(x)) ** power * self.rate + self.shift
        return y if mask is None else y * mask


def get_inputs():
    return [torch.randn(4, 6), 2]


def get_init_inputs():
    return [6, 0.25]
"""


@pytest.mark.parametrize(
    "damaged",
    [
        b"class Model:\n  def forward(",
        b"class Model:\0",
        b"\xff\xfe",
        b"x = " + b"(" * 20_000,
        None,
    ],
    ids=["cut off", "NUL", "not UTF-8", "deep", "gone"],
)
def test_a_damaged_file_of_a_task_is_named(
    damaged: bytes | None, tmp_path: Path
) -> None:
    reference = tmp_path / "mkb" / "reference" / "fuse" / "weighted_power_2d.py"
    reference.parent.mkdir(parents=True)
    reference.write_text(WEIGHTED)
    _, (folder,) = import_benchmark(tmp_path / "mkb", tmp_path / "operators")
    spec, stored = load_operator(folder), next((folder / "task").glob("*.py"))
    stored.unlink()
    if damaged is not None:
        stored.write_bytes(damaged)
    files = {
        f"op_host/{spec.snake_name}.cpp": f"class {spec.name} {{}};\nOP_ADD({spec.name});\n",
        f"op_kernel/{spec.snake_name}.cpp": f"void {spec.snake_name}() {{}}\n",
    }
    with pytest.raises(InvalidInput, match=stored.name):
        export_six_strings(spec, Candidate(files), ())


@pytest.mark.system
@pytest.mark.outside
def test_an_answer_is_built_and_called_like_the_tasks_model(tmp_path: Path) -> None:
    """The benchmark's order: both models under the same seed, from the same arguments, called alike."""
    reference = tmp_path / "mkb" / "reference" / "fuse" / "weighted_power_2d.py"
    reference.parent.mkdir(parents=True)
    reference.write_text(WEIGHTED)
    _, (folder,) = import_benchmark(tmp_path / "mkb", tmp_path / "operators")
    spec = load_operator(folder)
    files = {
        f"op_host/{spec.snake_name}.cpp": f"class {spec.name} {{}};\nOP_ADD({spec.name});\n",
        f"op_kernel/{spec.snake_name}.cpp": f"void {spec.snake_name}() {{}}\n",
    }
    text = export_six_strings(spec, Candidate(files), ())
    assert read_six_strings(text, "answer", spec).files == files
    (tmp_path / "answer.py").write_text(text)
    names = json.dumps([entry.name for entry in (*spec.inputs, *spec.attributes)])
    command = [sys.executable, "-c", CALLED, names, tmp_path / "answer.py", reference]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    strings = json.loads(done.stdout)
    # Names come from the task's file, as the benchmark derives them.
    assert json.loads(strings["project_json_src"])[0]["op"] == "WeightedPower2dCustom"
    assert "OP_ADD(WeightedPower2dCustom)" in strings["host_operator_src"]


# The kernel is played by the reference model with the weights that come as arguments.
CALLED = """
import json, sys, types, torch

names = json.loads(sys.argv[1])
answer, reference = (open(path).read() for path in sys.argv[2:])
context, task = {}, {}
exec(answer, context)
exec(reference, task)

def weighted_power_2d_custom(*arguments):
    given = dict(zip(names, arguments, strict=True))
    model = task["Model"](given["width"], given["rate"], given["bias"])
    model.load_state_dict(dict(zip(model.state_dict(), given["parameters"], strict=True)))
    return model(given["x"], given["power"], given["mask"])

library = types.ModuleType("custom_ops_lib")
library.weighted_power_2d_custom = weighted_power_2d_custom
sys.modules["custom_ops_lib"] = library
exec(context["model_src"], context)
exec(reference, context)
models = []
for name in ("Model", "ModelNew"):
    torch.manual_seed(1024)
    models.append(context[name](*context["get_init_inputs"]()))
for inputs in (context["get_inputs"](), [torch.rand(2, 6), 3, torch.rand(3)]):
    wanted, got = (model(*inputs) for model in models)
    assert torch.equal(wanted, got), (wanted, got)
print(json.dumps({key: context[key] for key in ("project_json_src", "host_operator_src")}))
"""


def test_a_name_no_compiler_takes_is_said_in_the_answer(tmp_path: Path) -> None:
    _, folders = import_benchmark(DATA / "importers" / "multikernelbench", tmp_path)
    spec = load_operator(next(folder for folder in folders if folder.name == "AddRows"))
    files = {
        "op_host/add_rows.cpp": "class AddRows {};\n",
        "op_kernel/add_rows.cpp": "void add_rows() {}\n",
    }
    text = export_six_strings(spec, Candidate(files), ())
    assert "7AddRowsCustom" in text.split("project_json_src")[0]
    assert read_six_strings(text, "answer", spec).files == files


def test_bindings_name_attributes_optional_inputs_and_outputs_in_place() -> None:
    gemm = catalogue_operator("Gemm")
    files = {
        "op_host/gemm.cpp": "class Gemm {};\n",
        "op_kernel/gemm.cpp": "void gemm() {}\n",
    }
    text = export_six_strings(gemm, Candidate(files), ())
    assert "EXEC_NPU_CMD(aclnnGemmCustom, a, b, c, alpha, beta);" in text
    assert "return c;" in text
    quant = catalogue_operator("DequantSwigluClampQuant")
    files = {
        path.replace("gemm", quant.snake_name): text for path, text in files.items()
    }
    text = export_six_strings(quant, Candidate(files), ())
    assert "c10::optional<at::Tensor> quant_scale" in text
    assert 'TORCH_CHECK(false, "make y here: no case could be computed here");' in text


def test_answer_folder_reads_back_and_fits_the_benchmark(tmp_path: Path) -> None:
    """Exported into a checkout, the answer is where the benchmark (and our importer) expect one."""
    checkout = Path(
        shutil.copytree(DATA / "importers" / "npukernelbench", tmp_path / "checkout")
    )
    task = checkout / "tasks/level2/Norm/ShiftScaleV2"
    write_files(export_answer_folder(SPEC, CANDIDATE), tmp_path / "export")
    shutil.copytree(tmp_path / "export" / "answer", task / "answer")
    assert read_candidate(task / "answer" / "0").files == CANDIDATE.files
    assert (task / "answer" / "0" / "CMakeLists.txt").is_file()
    report, _ = import_benchmark(checkout, tmp_path / "operators")
    assert [entry.expert_answer for entry in report.tasks] == [True, True]
    with pytest.raises(InvalidInput, match="is not empty"):
        write_files(export_answer_folder(SPEC, CANDIDATE), tmp_path / "export")


PROJECT = """cmake_minimum_required(VERSION 3.16)
project(operators CXX)
set(ASCEND_IMPL_OUT_DIR impl)
function(add_ops_compile_options)
    cmake_parse_arguments(OPTIONS "" "OP_NAME" "OPTIONS" ${ARGN})
    message(STATUS "options of ${OPTIONS_OP_NAME}:")
endfunction()
foreach(library op_host_aclnn optiling opsproto)
    add_library(${library} SHARED)
endforeach()
add_subdirectory(answer/0)
foreach(library op_host_aclnn optiling opsproto)
    get_target_property(sources ${library} SOURCES)
    message(STATUS "${library}: ${sources}")
endforeach()
"""


def test_the_answer_fits_into_the_operator_project_of_the_benchmark(
    tmp_path: Path,
) -> None:
    """Its loader copies the answer into a project that enters it with CMake; here a small one."""
    second = 'static int Helper() { return 0; }\n#include "abs_math_tiling.h"\n'
    files = {
        **CANDIDATE.files,
        "op_host/helper.cpp": second,
        "op_kernel/inner/tile.h": "#pragma once\n",
    }
    write_files(export_answer_folder(SPEC, Candidate(files)), tmp_path / "project")
    (tmp_path / "project" / "CMakeLists.txt").write_text(PROJECT)
    build = tmp_path / "build"
    done = subprocess.run(
        [
            "cmake",
            "-S",
            tmp_path / "project",
            "-B",
            build,
            f"-DCMAKE_INSTALL_PREFIX={tmp_path}/installed",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "options of AbsMath:" in done.stdout
    lines = [line.removeprefix("-- ") for line in done.stdout.splitlines()]
    libraries = ("op_host_aclnn: ", "optiling: ", "opsproto: ")
    sources = dict(line.split(": ", 1) for line in lines if line.startswith(libraries))
    named = {
        name: sorted(Path(file).name for file in text.split(";"))
        for name, text in sources.items()
    }
    # What calls the operator is generated from each source of the first, which therefore only defines it.
    assert named == {
        "op_host_aclnn": ["abs_math.cpp"],
        "optiling": ["abs_math.cpp", "helper.cpp"],
        "opsproto": ["abs_math.cpp", "helper.cpp"],
    }
    subprocess.run(
        ["cmake", "-P", build / "answer/0/cmake_install.cmake"],
        check=True,
        capture_output=True,
    )
    dynamic = tmp_path / "installed" / "impl" / "dynamic"
    assert {path.relative_to(dynamic).as_posix() for path in dynamic.rglob("*.*")} == {
        path.removeprefix("op_kernel/")
        for path in files
        if path.startswith("op_kernel/")
    }
    unregistered = {
        path: text.replace("OP_ADD", "NO_ADD") for path, text in files.items()
    }
    with pytest.raises(InvalidInput, match="0 host files register it"):
        export_answer_folder(SPEC, Candidate(unregistered))


def test_questions_of_an_imported_task_are_a_candidate_to_start_from(
    tmp_path: Path,
) -> None:
    import_benchmark(DATA / "importers" / "npukernelbench", tmp_path)
    candidate = read_candidate(tmp_path / "HalveAdd" / "question")
    spec = load_operator(tmp_path / "HalveAdd")
    assert set(candidate.files) == {"op_host/halve_add.cpp", "op_kernel/halve_add.cpp"}
    assert (
        read_six_strings(export_six_strings(spec, candidate, ()), "answer").files
        == candidate.files
    )
