"""Tasks of public benchmarks on the CPU twin: their own inputs, model and checker, no NPU."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from core.evaluation.records import Candidate
from core.operators.importers import import_benchmark
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec, TensorSpec, TestCase
from remote.judge.inputs.reference_module import run_row
from remote.judge.inputs.reference_results import round_results
from remote.judge.judge import Judge
from remote.judge.operator_code.stand_in import check_precision
from remote.operator_check import check_operators
from remote.toolchains.twin.toolchain import describe_operator
from tests.remote.helpers import (
    ROOT,
    candidate,
    edited,
    job,
    judge_job,
    operator,
    toy_operator,
)

CHECKOUT = ROOT / "tests" / "data" / "importers" / "npukernelbench"
KERNEL = "op_kernel/halve_add.cpp"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> OperatorSpec:
    folder = tmp_path_factory.mktemp("operators")
    import_benchmark(CHECKOUT, folder, only=["HalveAdd"])
    return load_operator(folder / "HalveAdd")


@pytest.mark.system
def test_a_kernel_passes_the_cases_of_an_imported_task(
    judge: Judge, task: OperatorSpec, build_cache: Path
) -> None:
    result = judge_job(judge, job(task, candidate("HalveAdd"), build_cache))
    assert result["verdict"] == "pass", result["cause"]
    rows = {row["case"]: row for row in result["cases"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "case-0": "pass",
        "case-1": "pass",
        "case-2": "skipped",
    }
    assert (rows["case-0"]["dtype"], rows["case-1"]["dtype"]) == ("float32", "float16")
    # All verdicts are kept; the benchmark's own rule decides.
    assert rows["case-1"]["verdicts"]["deciding"] == "benchmark"
    assert rows["case-1"]["verdicts"]["ulp"]
    assert rows["case-0"]["latency"]["origin"] == "modelled"


@pytest.mark.system
def test_a_wrong_kernel_fails_an_imported_task(
    judge: Judge, task: OperatorSpec, build_cache: Path
) -> None:
    files = dict(candidate("HalveAdd").files)
    assert "Muls(sum, sum, 0.5f, count);" in files[KERNEL]
    files[KERNEL] = files[KERNEL].replace(
        "Muls(sum, sum, 0.5f, count);", "Muls(sum, sum, 0.51f, count);"
    )
    result = judge_job(judge, job(task, Candidate(files), build_cache))
    assert result["verdict"] == "fail-result"
    statuses = {row["case"]: row["status"] for row in result["cases"]}
    assert (statuses["case-0"], statuses["case-1"]) == ("pass", "wrong-result")


def with_rows(tmp_path: Path, *rows: str) -> OperatorSpec:
    """HalveAdd of the fixture checkout, with these rows in place of its own."""
    checkout = Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))
    (table,) = checkout.glob("tasks/*/*/HalveAdd/validation/test_cases.csv")
    table.write_text("\n".join(["case_id;input_shape;dtype", *rows]) + "\n")
    import_benchmark(checkout, tmp_path / "operators", only=["HalveAdd"])
    return load_operator(tmp_path / "operators" / "HalveAdd")


@pytest.mark.system
def test_a_case_that_cannot_be_had_here_is_left_out_and_says_why(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    task = with_rows(
        tmp_path, "0;[2, 5];uint16", "1;[4, 33];float32", "2;[3, 5];float128"
    )
    result = judge_job(judge, job(task, candidate("HalveAdd"), build_cache))
    assert result["verdict"] == "pass", result["cause"]
    first, second, third = result["cases"]
    assert (first["status"], first["detail"]) == (
        "skipped",
        "x1 has the type uint16, which the CPU twin lacks",
    )
    assert second["status"] == "pass"
    assert third["status"] == "skipped"
    assert third["detail"].startswith("the task's own code fails here: ")
    none = with_rows(tmp_path / "none", "0;[2, 5];uint16")
    result = judge_job(judge, job(none, candidate("HalveAdd"), build_cache))
    assert result["verdict"] == "void"
    assert "case-0: x1 has the type uint16" in result["cause"]


@pytest.mark.system
def test_a_case_the_tasks_own_interface_cannot_take_is_not_held_against_the_kernel(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    task = with_rows(tmp_path, "0;[4, 33];float32", "1;[3, 5];bfloat16")
    result = judge_job(judge, job(task, candidate("HalveAdd"), build_cache))
    assert result["verdict"] == "pass", result["cause"]
    first, second = result["cases"]
    assert (first["status"], second["status"]) == ("pass", "skipped")
    assert "the task's own interface has no such signature" in second["detail"]
    assert "x1=bfloat16" in second["detail"]
    # A type the task does have must be in the kernel's definition too.
    files = dict(candidate("HalveAdd").files)
    files["op_host/halve_add.cpp"] = files["op_host/halve_add.cpp"].replace(
        "DT_FLOAT16", "DT_FLOAT"
    )
    halves = with_rows(tmp_path / "halves", "0;[4, 33];float16")
    result = judge_job(judge, job(halves, Candidate(files), build_cache))
    assert result["verdict"] == "fail-run"
    assert "dtype-support" in result["cause"]


@pytest.mark.system
def test_a_dtype_the_task_asks_for_and_the_kernel_does_not_offer_fails(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    """Tasks of the `class Model` kind declare no dtypes: what their cases have is what is asked."""
    task = with_rows(tmp_path, "0;[4, 33];float32", "1;[3, 5];float16").folder
    specification = task / "operator.toml"
    text = specification.read_text()
    assert text.count('dtypes = ["float32", "float16"]') == 3
    specification.write_text(
        text.replace('dtypes = ["float32", "float16"]', "dtypes = []")
    )
    files = dict(candidate("HalveAdd").files)
    files["op_host/halve_add.cpp"] = files["op_host/halve_add.cpp"].replace(
        "DT_FLOAT16", "DT_FLOAT"
    )
    result = judge_job(judge, job(load_operator(task), Candidate(files), build_cache))
    assert [row["status"] for row in result["cases"]] == ["pass", "run-error"]
    assert result["verdict"] == "fail-run"
    assert "x1=float16" in result["cause"]
    none = judge_job(
        judge, job(load_operator(task), Candidate(files), build_cache, ["case-1"])
    )
    assert none["verdict"] == "fail-run", "void is for faults of the environment"


@pytest.mark.system
def test_integers_can_be_drawn_like_on_an_npu(
    tmp_path: Path, build_cache: Path
) -> None:
    (row,) = check_operators([with_rows(tmp_path, "0;[40, 33];int32")], build_cache)
    # The benchmark draws them with randn; what is left to say is that the interface has no int32.
    assert row.problems == (
        "case case-0: (x1: int32, x2: int32, y: int32) is not a dtype signature of the interface",
    )


def test_inputs_take_the_types_of_the_signature_they_fit_best() -> None:
    def tensor(name: str, *dtypes: str) -> dict[str, object]:
        return {"name": name, "dtypes": list(dtypes)}

    operator = toy_operator(
        outputs=[tensor("y", "float32", "float16")],
        inputs=[
            tensor("x", "float32", "float16"),
            tensor("value", "float32"),
            tensor("mask", "uint8"),
        ],
    )
    given = {
        "x": torch.ones(3).half(),
        "value": torch.tensor([0.5]).double(),
        "mask": torch.tensor([True]),
    }
    module = SimpleNamespace(evaluate=lambda row, seed: (given, {}, [given["x"]]))
    made = run_row(operator, TestCase("case-0", {}, row={"n": 3}), module).inputs  # type: ignore[arg-type]
    assert {name: tensors[0].logical.dtype for name, tensors in made.items()} == {
        "x": torch.float16,
        "value": torch.float32,
        "mask": torch.uint8,
    }
    given["x"] = given[
        "x"
    ].long()  # fits no signature: nothing can be said about the others
    made = run_row(operator, TestCase("case-0", {}, row={"n": 3}), module).inputs  # type: ignore[arg-type]
    assert made["value"][0].logical.dtype == torch.float64


def test_a_model_may_work_in_a_wider_type_than_the_kernel(tmp_path: Path) -> None:
    task = with_rows(tmp_path, "0;[2, 5];float32")
    spec = replace(describe_operator(task), inputs=(), outputs=(TensorSpec("y", ()),))
    for wide, kept in (
        (torch.complex128, torch.complex64),
        (torch.float64, torch.float32),
    ):
        module = SimpleNamespace(
            evaluate=lambda row, seed, wide=wide: ({}, {}, [torch.ones(3, dtype=wide)])
        )
        row = run_row(spec, TestCase("case-0", {}, row={"n": 3}), module)  # type: ignore[arg-type]
        ((_, result),) = round_results(
            spec, row.inputs, row.attributes, row.results, module
        )  # type: ignore[arg-type]
        assert result.dtype == kept


SCALE = """        this->Output("scale")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND});
"""
INFER = """
namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
    if (context->GetComputeNodeOutputNum() != 2) { return GRAPH_FAILED; }
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    context->GetOutputShape(1)->AppendDim(1);
    return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {"""
CHECKED = """    if (context->GetOutputShape(1)->GetStorageShape().GetShapeSize() != 1) {
        return ge::GRAPH_FAILED;
    }
    return ge::GRAPH_SUCCESS;"""


@pytest.mark.system
def test_an_output_the_benchmark_does_not_look_at_has_the_shape_the_operator_infers(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    """Its room is a guess as large as an input; op_host may insist on the shape it infers itself."""
    checkout = Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))
    (folder,) = checkout.glob("tasks/*/*/HalveAdd")
    core = "        this->AICore().SetTiling"
    for path, old, new in (
        (folder / "question" / "op_host" / "halve_add.cpp", core, SCALE + core),
        (
            folder / "validation" / "pybind.cpp",
            "second, result)",
            "second, result, torch::empty({1}))",
        ),
    ):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
    import_benchmark(checkout, tmp_path / "operators", only=["HalveAdd"])
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    files = dict(candidate("HalveAdd").files)
    for name, old, new in (
        (
            "op_host/halve_add.cpp",
            core,
            SCALE + "        this->SetInferShape(ge::InferShape);\n" + core,
        ),
        ("op_host/halve_add.cpp", "\nnamespace ops {", INFER),
        ("op_host/halve_add.cpp", "    return ge::GRAPH_SUCCESS;", CHECKED),
        (
            KERNEL,
            "GM_ADDR y, GM_ADDR workspace",
            "GM_ADDR y, GM_ADDR scale, GM_ADDR workspace",
        ),
    ):
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    result = judge_job(judge, job(task, Candidate(files), build_cache))
    assert result["verdict"] == "pass", result["cause"]
    assert "infer-shape" not in {finding["rule"] for finding in result["findings"]}


@pytest.mark.system
def test_complex_numbers_are_handed_over_and_compared_by_their_parts(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    """A kernel that averages floats in pairs is right for complex numbers too."""
    checkout = Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))
    (folder,) = checkout.glob("tasks/*/*/HalveAdd")
    host = folder / "question" / "op_host" / "halve_add.cpp"
    host.write_text(host.read_text().replace("DT_FLOAT16", "DT_COMPLEX64"))
    model = folder / "validation" / "module.py"
    model.write_text(model.read_text().replace(".float()", ""))
    table = folder / "validation" / "test_cases.csv"
    table.write_text("case_id;input_shape;dtype\n0;[5, 33];complex64\n")
    import_benchmark(checkout, tmp_path / "operators", only=["HalveAdd"])
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    files = {
        path: text.replace("DT_FLOAT16", "DT_COMPLEX64")
        for path, text in candidate("HalveAdd").files.items()
    }
    size = (
        "GetShapeSize());",
        "GetShapeSize()) * (width == 4 ? 1 : 2);\n    width = 4;",
    )
    files["op_host/halve_add.cpp"] = files["op_host/halve_add.cpp"].replace(*size)
    for name in ("X1", "X2", "Y"):
        files[KERNEL] = files[KERNEL].replace(f"DTYPE_{name}", "float")
    result = judge_job(judge, job(task, Candidate(files), build_cache))
    assert result["verdict"] == "pass", result["cause"]
    assert result["cases"][0]["dtype"] == "complex64"
    files[KERNEL] = files[KERNEL].replace(
        "static_cast<float>(0.5f)", "static_cast<float>(0.6f)"
    )
    wrong = judge_job(judge, job(task, Candidate(files), build_cache))
    assert wrong["verdict"] == "fail-result"
    assert "of 330 elements are wrong" in wrong["cause"]


def test_the_default_rule_of_the_benchmark() -> None:
    ones = torch.ones(3)
    passed, absolute, relative = check_precision(
        ones, ones + torch.tensor([0.0, 0.0005, 0.0]), 1e-3, 1e-3
    )
    assert passed == 1
    assert absolute.tolist() == pytest.approx([0, 0.0005, 0], abs=1e-6)
    assert relative.tolist() == pytest.approx([0, 0.0005, 0], abs=1e-6)
    # Only one of the two limits is exceeded: that is no failure.
    assert check_precision(1000 * ones, 1000 * ones + 0.5, 1e-3, 1e-3)[0] == 1
    assert check_precision([ones], [ones + 0.01], 1e-3, 1e-3)[0] == 0
    assert check_precision(ones / 0, ones / 0, 1e-3, 1e-3)[0] == 0
    assert check_precision(ones.bool(), ones.bool(), 1e-3, 1e-3)[0] == 1


UNSCALE = """
def unscale(grads, found):
    listed = TensorList(grads)
    npu_call(listed, found)
    back = vector()
    for grad in list(listed):
        back.emplace_back(grad)
    back.emplace_back(found)
    return back
"""
FLAT_LIST = {
    "prepare_inputs": """
import torch
def get_inputs(param, device=None): return ([torch.ones(2, 3), torch.full((4,), 2.0)], torch.zeros(1))
def get_init_inputs(param, device=None): return []
def custom_check_precision(param, wanted, got):
    return all(a.dtype == b.dtype and bool((a == b).all()) for a, b in zip(wanted, got)), None, None
""",
    "module": """
import kernel_gen_ops, torch
class Model(torch.nn.Module):
    def forward(self, grads, found): return [torch.concat([g.flatten() * 3 for g in grads]), found + 1]
class ModelNew(torch.nn.Module):
    def forward(self, grads, found): return kernel_gen_ops.unscale(grads, found)
""",
}


def test_a_list_that_changed_and_comes_back_as_one_tensor_is_a_list_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "task").mkdir()
    for name, text in FLAT_LIST.items():
        (tmp_path / "task" / f"{name}.py").write_text(text)
    members = [("grads", True, 0), ("found", False, 1)]
    inputs = [
        {
            "name": name,
            "types": ["float32"],
            "list": many,
            "parameter": at,
            "constant": "",
            "optional": False,
        }
        for name, many, at in members
    ]
    outputs = [
        {
            "name": name,
            "types": ["float32"],
            "list": many,
            "returned": at,
            "argument": at,
        }
        for name, many, at in members
    ]
    binding = {
        "obstacle": "",
        "inputs": inputs,
        "attributes": [],
        "outputs": outputs,
        "unseen": [],
    }
    (tmp_path / "task" / "binding.json").write_text(json.dumps(binding))
    importers = ROOT / "resources" / "importers"
    adapter = shutil.copy(importers / "npukernelbench.py", tmp_path / "adapter.py")
    shutil.copy(importers / "npukernelbench_binding.py", tmp_path / "task" / "rooms.py")
    monkeypatch.setitem(sys.modules, "kernel_gen_ops", None)
    evaluated = runpy.run_path(str(adapter))["evaluate"]({}, 0)
    grads, found = evaluated[2]
    assert [tensor.tolist() for tensor in grads] == [[[3.0] * 3] * 2, [6.0] * 4]
    assert found.tolist() == [1.0]
    # The binding hands back each tensor of the list; for the model they are one.
    binding |= {"function": "unscale", "python": UNSCALE}
    (tmp_path / "task" / "binding.json").write_text(json.dumps(binding))
    adapter_functions = runpy.run_path(str(adapter))
    grads, found = adapter_functions["evaluate"]({}, 0)[2]
    assert [tensor.tolist() for tensor in grads] == [[[3.0] * 3] * 2, [6.0] * 4]
    assert (found.device.type, found.tolist()) == ("cpu", [1.0])
    # An output the call leaves unwritten is nothing the benchmark's checker could take.
    assert adapter_functions["check_row"]((*grads, None), (*grads, found), {}) == ""


ONE_BY_ONE = {
    "module": "class Model: pass\nclass ModelNew: pass\n",
    "prepare_inputs": """
def custom_check_precision(param, outputs, outputs_new):
    few = [2 * int((a != b).sum()) < a.numel() for a, b in zip(outputs, outputs_new)]
    return all(few), None, None
""",
}


def test_a_checker_takes_outputs_one_by_one_as_the_model_returns_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of one row is wrong, which is little of the tensor: a tensor in place of a list is taken row by row."""
    (tmp_path / "task").mkdir()
    for name, text in ONE_BY_ONE.items():
        (tmp_path / "task" / f"{name}.py").write_text(text)
    importers = ROOT / "resources" / "importers"
    adapter = shutil.copy(importers / "npukernelbench.py", tmp_path / "adapter.py")
    shutil.copy(importers / "npukernelbench_binding.py", tmp_path / "task" / "rooms.py")
    monkeypatch.setitem(sys.modules, "kernel_gen_ops", None)
    reference = torch.zeros(4, 8)
    result = reference.clone()
    result[1, :4] = 1
    outputs = [{"name": "y", "types": ["float32"], "list": False, "returned": 0}]
    objections = {}
    for returns_list in (True, False):
        plan = {"returns_list": returns_list, "outputs": outputs}
        (tmp_path / "task" / "binding.json").write_text(json.dumps(plan))
        check = runpy.run_path(str(adapter))["check_row"]
        objections[returns_list] = check((reference,), (result,), {})
    assert objections[True] == ""
    assert "rejects" in objections[False]


@pytest.mark.slow
def test_cases_too_large_for_the_twin_run_when_asked(
    build_cache: Path, tmp_path: Path
) -> None:
    task = with_rows(tmp_path, "0;[4, 33];float32", "1;[2, 5];float32").folder
    assert task is not None
    text = (task / "operator.toml").read_text()
    (task / "operator.toml").write_text(
        text.replace('name = "case-1"', 'name = "case-1"\nbig = true')
    )
    environment = {
        **os.environ,
        "SAGE_CACHE_DIR": str(build_cache),
        "PYTHONPATH": str(ROOT),
    }
    command = [
        sys.executable,
        "-m",
        "sage_desktop.cli",
        "evaluate",
        "--json",
        "--operator",
        str(task),
    ]
    command += ["--candidate", str(ROOT / "tests" / "data" / "kernels" / "HalveAdd")]
    for more, second in (([], "skipped"), (["--big"], "pass")):
        done = subprocess.run(
            [*command, *more],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        assert [case["status"] for case in json.loads(done.stdout)["cases"]] == [
            "pass",
            second,
        ]


BINDING = """\
at::Tensor custom_pybind_api(at::Tensor &first, at::Tensor &second)
{
    at::Tensor result = torch::zeros({first.numel() + 100}, first.options());
    EXEC_NPU_CMD(aclnnCustomOp, first, second, result);
    return result.narrow(0, 0, first.numel()).view(first.sizes());
}
PYBIND11_MODULE(kernel_gen_ops, m) { m.def("custom_pybind_api", &custom_pybind_api, ""); }
"""


@pytest.mark.system
def test_a_kernel_gets_the_output_the_tasks_binding_makes(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    checkout = Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))
    (binding,) = checkout.glob("tasks/*/*/HalveAdd/validation/pybind.cpp")
    binding.write_text(BINDING)
    import_benchmark(checkout, tmp_path / "operators", only=["HalveAdd"])
    files = dict(candidate("HalveAdd").files)
    host = "op_host/halve_add.cpp"
    opening = (
        files[host].index("{", files[host].index("static ge::graphStatus TilingFunc("))
        + 1
    )
    size = "context->GetOutputShape(0)->GetStorageShape().GetShapeSize()"
    room = f" if ({size} != 4 * 33 + 100) return ge::GRAPH_FAILED;"
    files[host] = files[host][:opening] + room + files[host][opening:]
    # It adds to what the output holds, which is right only because that is zero.
    assert "DataCopyPad(yGm" in files[KERNEL]
    files[KERNEL] = files[KERNEL].replace(
        "DataCopyPad(yGm", "SetAtomicAdd<DTYPE_Y>(); DataCopyPad(yGm"
    )
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    result = judge_job(judge, job(task, Candidate(files), build_cache, ["case-0"]))
    assert (result["verdict"], result["cause"]) == ("pass", "")


CHECKER = """

def custom_check_precision(row, wanted, got):
    assert (wanted.dtype, got.dtype) == (torch.float32, torch.float16)
    unrounded = bool((wanted != wanted.half()).any())
    return unrounded and bool(((wanted - got).abs() <= wanted.abs() / 2048).all()), None, None
"""


def test_a_tasks_checker_gets_its_models_result_as_it_is(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    checkout = Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))
    (folder,) = checkout.glob("tasks/*/*/HalveAdd/validation")
    prepare, model = folder / "prepare_inputs.py", folder / "module.py"
    prepare.write_text(prepare.read_text() + CHECKER)
    assert ".to(x1.dtype)" in model.read_text()
    model.write_text(model.read_text().replace(".to(x1.dtype)", ""))
    import_benchmark(checkout, tmp_path / "operators", only=["HalveAdd"])
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    result = judge_job(judge, job(task, candidate("HalveAdd"), build_cache, ["case-1"]))
    assert (result["verdict"], result["cause"]) == ("pass", "")
    # It accepts the result, so nobody asks which elements are not those of the rounded reference.
    assert [entry["map"] for entry in result["cases"][0]["statistics"]] == [None]


ATTRIBUTES = """
import torch

def evaluate(row, seed):
    x = torch.arange(-20.0, 20.0)
    dim = {"seven": 7, "left out": None, "no value": torch.float32, "hole": [1, None]}[row["dim"]]
    return {"x": x}, {"dim": dim}, (x.abs(),)
"""


@pytest.mark.system
def test_a_value_no_attribute_has_spoils_its_case_only_and_none_means_the_default(
    judge: Judge, build_cache: Path
) -> None:
    host = "op_host/abs_math.cpp"
    kernel = edited(
        (
            host,
            "this->SetInferShape",
            'this->Attr("dim").AttrType(OPTIONAL).Int(7); this->SetInferShape',
        ),
        (
            host,
            "    return ge::GRAPH_SUCCESS;",
            "    return *context->GetAttrs()->GetInt(0) == 7 ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;",
        ),
    )
    payload = job(operator(), kernel, build_cache, ["short-tail-float32"])
    payload["operator"] |= {
        "reference_source": ATTRIBUTES,
        "digest": "attributes-of-rows",
        "rule": "catalogue",
        "attributes": [{"name": "dim", "type": "int"}],
    }
    rows = ("seven", "left out", "no value", "hole")
    payload["cases"] = [
        {"name": dim, "row": {"dim": dim}, "inputs": {}, "seed": 0, "timed": False}
        for dim in rows
    ]
    result = judge_job(judge, payload)
    assert result["verdict"] == "pass", result["cause"]
    statuses = {row["case"]: row["status"] for row in result["cases"]}
    assert statuses == {
        "seven": "pass",
        "left out": "pass",
        "no value": "skipped",
        "hole": "skipped",
    }
    for row in result["cases"][2:]:
        assert "the attribute dim is" in row["detail"]
