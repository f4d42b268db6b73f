"""Exports read back to an equal candidate, and say what they cannot express."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
from core.operators.exporters import (
    export_answer_folder,
    export_direct_launch,
    export_msopgen_project,
    export_six_strings,
    read_answer_folder,
    read_direct_launch,
    read_six_strings,
    write_files,
)
from core.operators.importers import import_benchmark
from core.operators.loader import load_operator

DATA = Path(__file__).parents[2] / "data"
SPEC = catalogue_operator("AbsMath")
CANDIDATE = read_candidate(DATA / "kernels" / "AbsMath")


def test_six_strings_read_back_to_an_equal_candidate() -> None:
    text = export_six_strings(SPEC, CANDIDATE)
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
    assert read_six_strings(export_six_strings(SPEC, candidate), "answer").files == files


def test_what_six_strings_cannot_hold_is_named() -> None:
    extra = Candidate({**CANDIDATE.files, "op_kernel/helpers.h": "#pragma once\n"})
    with pytest.raises(InvalidInput, match=r"op_kernel/helpers.h: has no place"):
        export_six_strings(SPEC, extra)
    taken = dict(CANDIDATE.files)
    taken["op_kernel/abs_math.cpp"] += "\n// AbsMathCustom\n"
    with pytest.raises(InvalidInput, match="AbsMathCustom"):
        export_six_strings(SPEC, Candidate(taken))
    with pytest.raises(InvalidInput, match="kernel_src: is not assigned"):
        read_six_strings("project_json_src = ''\nhost_tiling_src = ''\nhost_operator_src = ''\n", "answer")


def test_bindings_name_attributes_optional_inputs_and_outputs_in_place() -> None:
    gemm = catalogue_operator("Gemm")
    files = {"op_host/gemm.cpp": "class Gemm {};\n", "op_kernel/gemm.cpp": "void gemm() {}\n"}
    text = export_six_strings(gemm, Candidate(files))
    assert "EXEC_NPU_CMD(aclnnGemmCustom, a, b, c, alpha, beta);" in text
    assert "return c;" in text
    quant = catalogue_operator("DequantSwigluClampQuant")
    files = {path.replace("gemm", quant.snake_name): text for path, text in files.items()}
    text = export_six_strings(quant, Candidate(files), {"y": "x"})
    assert "c10::optional<at::Tensor> quant_scale" in text
    assert "at::empty_like(x, x.options().dtype(at::kChar));\n" in text
    assert "if scale has another shape, say so here" in text


def test_answer_folder_reads_back_and_fits_the_benchmark(tmp_path: Path) -> None:
    """Exported into a checkout, the answer is where the benchmark (and our importer) expect one."""
    checkout = Path(shutil.copytree(DATA / "importers" / "npukernelbench", tmp_path / "checkout"))
    task = checkout / "tasks/level2/Norm/ShiftScaleV2"
    write_files(export_answer_folder(SPEC, CANDIDATE), tmp_path / "export")
    shutil.copytree(tmp_path / "export" / "answer", task / "answer")
    assert read_answer_folder(task).files == CANDIDATE.files
    assert read_answer_folder(task / "answer" / "0").files == CANDIDATE.files
    report, _ = import_benchmark(checkout, tmp_path / "operators")
    assert [entry.expert_answer for entry in report.tasks] == [True, True]
    with pytest.raises(InvalidInput, match="is not empty"):
        write_files(export_answer_folder(SPEC, CANDIDATE), tmp_path / "export")


def test_msopgen_project_generates_on_the_machine_it_is_built_on(tmp_path: Path) -> None:
    """The script is run with a stand-in for msopgen that makes the folders and files the real one makes."""
    write_files(export_msopgen_project(SPEC, CANDIDATE), tmp_path / "export")
    description = json.loads((tmp_path / "export" / "abs_math.json").read_text())[0]
    assert description["input_desc"] == [
        {"name": "x", "param_type": "required", "format": ["ND", "ND"], "type": ["float", "fp16"]}
    ]
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "msopgen").write_text(
        "#!/bin/bash\nout=${@: -1}\nmkdir -p $out/op_host $out/op_kernel\n"
        "touch $out/op_host/abs_math_tiling.h $out/op_host/abs_math.cpp $out/op_kernel/abs_math.cpp\n"
        "touch $out/op_host/CMakeLists.txt\nprintf '#!/bin/bash\\nmkdir build_out\\n' > $out/build.sh\n"
        "chmod +x $out/build.sh\necho $@ > $out/arguments\n"
    )
    (tools / "msopgen").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    script = tmp_path / "export" / "create_project.sh"
    subprocess.run([script, tmp_path / "project"], env=environment, check=True, capture_output=True)
    assert read_candidate(tmp_path / "project").files == CANDIDATE.files
    assert (tmp_path / "project" / "op_host" / "CMakeLists.txt").exists()
    assert (tmp_path / "project" / "build_out").is_dir()
    assert "-c ai_core-Ascend910B1 -lan cpp" in (tmp_path / "project" / "arguments").read_text()
    command = [script, tmp_path / "project"]
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "exists already" in again.stderr


def test_direct_launch_takes_direct_launch_sources_only() -> None:
    sources = {"ModelNew.py": "class ModelNew: ...\n", "kernel/relu.cpp": "relu<<<8, nullptr, s>>>(x);\n"}
    text = export_direct_launch("relu", sources, "somebody")
    assert json.loads(text)["entry"] == {"model": "ModelNew.py::ModelNew"}
    assert read_direct_launch(text, "answer.json") == sources
    with pytest.raises(InvalidInput, match="registered operator"):
        export_direct_launch("abs", CANDIDATE.files, "somebody")
    with pytest.raises(InvalidInput, match=r"sources\[0\].path"):
        read_direct_launch('{"sources": [{"path": "../x", "content": ""}]}', "answer.json")


def test_questions_of_an_imported_task_are_a_candidate_to_start_from(tmp_path: Path) -> None:
    import_benchmark(DATA / "importers" / "npukernelbench", tmp_path)
    candidate = read_candidate(tmp_path / "HalveAdd" / "question")
    spec = load_operator(tmp_path / "HalveAdd")
    assert set(candidate.files) == {"op_host/halve_add.cpp", "op_kernel/halve_add.cpp"}
    assert read_six_strings(export_six_strings(spec, candidate), "answer").files == candidate.files
