"""A wheel project as a user builds it, without an NPU: four operators, references in place of their kernels."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from core.exporters.kernel import ExportedKernel
from core.operators.loader import load_operator
from core.whole_file import write_files
from sage_desktop.services.kernel_export import export_kernels

OPERATORS = Path(__file__).parents[1] / "data" / "own_operators"


def exported(name: str) -> ExportedKernel:
    spec = load_operator(OPERATORS / name)
    places = (f"op_host/{spec.snake_name}.cpp", f"op_kernel/{spec.snake_name}.cpp")
    return ExportedKernel(spec, Candidate(dict.fromkeys(places, "")), "a test")


def test_schemas_and_rules_of_four_operators_are_those_of_their_definitions() -> None:
    names = sorted(folder.name for folder in OPERATORS.iterdir())
    made = export_kernels([exported(name) for name in names], "torch", "four")
    assert made.notes == ()
    library = made.files["csrc/library.cpp"]
    schemas = re.findall(r'library\.def\("(.*)"\)', library)
    assert schemas == [
        (
            "moe_softmax_topk_gate(Tensor logits, *, int k, bool renormalize=True) "
            "-> (Tensor weights, Tensor expert_ids)"
        ),
        (
            "reshape_and_cache_paged(Tensor key, Tensor value, Tensor(a!) key_cache, "
            "Tensor(b!) value_cache, Tensor slot_mapping) -> ()"
        ),
        (
            "rope_interleaved_cached(Tensor positions, Tensor query, Tensor key, "
            "Tensor cos_sin_cache) -> (Tensor query_out, Tensor key_out)"
        ),
        "silu_mul_quant(Tensor x) -> (Tensor y, Tensor scale)",
    ]
    outputs = made.files["csrc/outputs_silu_mul_quant.h"]
    assert "return joined(leading(x, 1), Shape{(size_of(x, -1) / " in outputs
    assert "return at::kChar;" in outputs
    readme = made.files["README.md"]
    assert "| moe_softmax_topk_gate: expert_ids | [*logits.shape[:-1], k] |" in readme
    assert "each explains all computed cases of its operator without" in readme


def test_the_readme_of_one_operator_begins_with_what_a_caller_must_know() -> None:
    readme = export_kernels([exported("SiluMulQuant")], "torch").files["README.md"]
    without = readme.partition("## Without an NPU: schemas, shapes and tests")[2]
    without, _, call = without.partition("## Call\n\n")
    assert "SAGE_WITHOUT_NPU=1 pip wheel" in without
    assert 'torch.empty([4, 512], dtype=torch.float16, device="meta")' in without
    assert "python -m pytest tests" in without
    assert call.startswith("There is no backward")
    assert "On an NPU both exports above have to be in the environment" in call
    assert "cases of the operator without exception" in call


@pytest.mark.slow  # quicker: the test above, and `core/exporters/test_output_rules.py`
def test_the_wheel_is_built_and_its_own_tests_pass_on_the_cpu(tmp_path: Path) -> None:
    project = tmp_path / "project"
    names = [folder.name for folder in OPERATORS.iterdir()]
    made = export_kernels([exported(name) for name in names], "torch", "four")
    write_files(made.files, project)
    environment = {**os.environ, "SAGE_WITHOUT_NPU": "1", "MAX_JOBS": "1"}
    build = [sys.executable, "setup.py", "-q", "bdist_wheel", "-d", "dist"]
    subprocess.run(build, cwd=project, env=environment, check=True, timeout=900)
    (wheel,) = (project / "dist").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    environment["PYTHONPATH"] = str(tmp_path / "installed")
    call = "import four, torch; four.silu_mul_quant(torch.ones(2, 8))"
    refused = subprocess.run(
        [sys.executable, "-c", call],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "four::silu_mul_quant computes on an NPU alone" in refused.stderr
    own = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(
        own,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    cases = sum(len(exported(name).spec.cases) for name in names)
    # results, Meta and opcheck of every case; graphs and the second device need an NPU
    assert f"{3 * cases} passed, {cases + 1} skipped" in done.stdout
