"""A package that leaves: the steps of the judge as a project, built by the stand-ins of `test_project`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evaluation.records import Candidate
from core.exporters.kernel import ExportedKernel, vendor_name
from core.operators.catalogue import catalogue_operator
from core.operators.importers import import_benchmark
from core.operators.interface_json import interface_json
from core.operators.loader import load_operator
from core.whole_file import write_files
from remote.toolchains.cann.exported import package_project
from tests.remote.cann.test_project import MSOPGEN, needs_cmake
from tests.remote.cann.test_project import bare as bare  # noqa: PLC0414 - fixtures
from tests.remote.cann.test_project import cann as cann  # noqa: PLC0414 - fixtures

DATA = Path(__file__).parents[2] / "data"


def kernel(name: str, snake: str, helper: str = "") -> ExportedKernel:
    files = {
        f"op_host/{snake}.cpp": f"int {snake}_host;\n",
        f"op_kernel/{snake}.cpp": f"int {snake}_kernel;\n",
    }
    files |= {"op_kernel/helper.h": helper} if helper else {}
    return ExportedKernel(catalogue_operator(name), Candidate(files), "a test")


KERNELS = (kernel("AbsMath", "abs_math"), kernel("CosMath", "cos_math"))


def built(
    folder: Path, cann: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    write_files(package_project(KERNELS, "my_ops", "Ascend910B3"), folder)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    environment["ASCEND_HOME_PATH"] = str(cann)
    script = f"source {cann}/set_env.sh && {folder}/build.sh {' '.join(arguments)}"
    return subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )


def with_products(cann: Path, script: str) -> None:
    """What the stand-in installs, for two operators."""
    path = cann / script
    second = (
        'touch "$into/kernel/AbsMath_0123.o" "$into/kernel/CosMath_45.o" '
        '"$into/op_api/include/aclnn_cos_math.h"'
    )
    first = 'touch "$into/kernel/AbsMath_0123.o"'
    path.write_text(path.read_text().replace(first, second))


@needs_cmake
def test_two_operators_are_built_into_one_package_and_installed(
    tmp_path: Path, bare: Path
) -> None:
    with_products(bare, "stand-in-build")
    target = tmp_path / "installed"
    done = built(tmp_path / "package", bare, f"--install-path={target}")
    assert done.returncode == 0, done.stdout + done.stderr
    library = target / "vendors/my_ops/op_api/lib/libcust_opapi.so"
    assert library.is_file()
    assert f"ASCEND_CUSTOM_OPP_PATH={target}/vendors/my_ops" in done.stdout


@needs_cmake
def test_a_product_that_is_missing_is_named(tmp_path: Path, bare: Path) -> None:
    done = built(tmp_path / "package", bare)
    assert done.returncode == 1
    assert "aclnn_cos_math.h" in done.stderr


def test_msopgen_is_given_one_operator_after_another(
    tmp_path: Path, cann: Path
) -> None:
    appending = MSOPGEN.replace("parents=True", "parents=True, exist_ok='-m' in given")
    note = '(project / "names").open("a").write(interface["op"] + " ")\n'
    (cann / "msopgen").write_text(appending + note)
    with_products(cann, "build.sh")
    done = built(tmp_path / "package", cann)
    assert done.returncode == 0, done.stdout + done.stderr
    project = tmp_path / "package/project"
    assert (project / "names").read_text() == "AbsMath CosMath "
    kernels = {path.name for path in (project / "op_kernel").glob("*.cpp")}
    assert kernels == {"abs_math.cpp", "cos_math.cpp"}


def test_files_of_one_name_that_differ_are_refused() -> None:
    pair = (
        kernel("AbsMath", "abs_math", "int a;\n"),
        kernel("CosMath", "cos_math", "int b;\n"),
    )
    with pytest.raises(InvalidInput, match=r"op_kernel/helper.h: is another file"):
        package_project(pair, "my_ops", "")


def test_every_package_has_a_name_of_its_own() -> None:
    names = {vendor_name(KERNELS), vendor_name(KERNELS[:1]), vendor_name(KERNELS[1:])}
    assert len(names) == 3
    assert vendor_name(KERNELS[::-1]) == vendor_name(KERNELS)
    with pytest.raises(InvalidInput, match="My Ops"):
        vendor_name(KERNELS, "My Ops")
    with pytest.raises(InvalidInput, match="named twice"):
        vendor_name((KERNELS[0], KERNELS[0]))


OPDEF = """
class ScaledSum : public OpDef {
    explicit ScaledSum(const char* name) : OpDef(name) {
        this->Input("a").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_FLOAT});
        this->Output("out0").ParamType(REQUIRED).DataType({ge::DT_BF16, ge::DT_FLOAT});
    }
};
OP_ADD(ScaledSum);
"""


def test_dtypes_an_imported_task_does_not_name_are_those_of_the_kernel(
    tmp_path: Path,
) -> None:
    _, folders = import_benchmark(DATA / "importers" / "kernelbench", tmp_path)
    spec = load_operator(next(f for f in folders if "caled" in f.name))
    assert not spec.inputs[0].dtypes
    sources = {"op_host/scaled_sum.cpp": OPDEF.replace("ScaledSum", spec.name)}
    (row,) = json.loads(interface_json(spec, spec.name, sources))
    x = row["input_desc"][0]
    assert (x["type"], x["format"]) == (["bf16", "float"], ["ND", "ND"])
    assert row["output_desc"][0]["type"] == ["bf16", "float"]
    (unread,) = json.loads(interface_json(spec, spec.name, {}))
    assert all(tensor["type"] for tensor in unread["input_desc"])
