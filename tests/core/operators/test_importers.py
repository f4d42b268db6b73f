"""Importers of public benchmarks: whole checkouts in, faults named, no task code run, no answer read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.operators.importers import (
    FolderKind,
    detect,
    import_benchmark,
    read_benchmark,
)
from core.operators.importers.cpp_source import parse_binding, parse_operator_definition
from core.operators.importers.npukernelbench import plan_call, read_cases
from core.operators.loader import load_operator
from core.operators.spec import DecidingRule, DType
from remote.operator_check import check_operators

FIXTURES = Path(__file__).parents[2] / "data" / "importers"
KINDS = {
    "npukernelbench": FolderKind.NPUKERNELBENCH,
    "multikernelbench": FolderKind.MULTIKERNELBENCH,
    "cannbench": FolderKind.CANN_BENCH,
    "kernelbench": FolderKind.KERNELBENCH,
}
COUNTS = {
    "npukernelbench": (2, 5),
    "multikernelbench": (2, 4),
    "cannbench": (1, 3),
    "kernelbench": (2, 2),
}


class Opened:
    """Files opened while `active`; an audit hook cannot be taken out again."""

    active = False
    paths: list[str] = []  # noqa: RUF012 - one process, one list


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if Opened.active and event == "open" and isinstance(arguments[0], str | Path):
        Opened.paths.append(str(arguments[0]))


sys.addaudithook(_watch)


@pytest.fixture
def opened() -> Iterator[list[str]]:
    Opened.paths.clear()
    Opened.active = True
    yield Opened.paths
    Opened.active = False


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the NPUKernelBench fixture that a test may break."""
    return Path(
        shutil.copytree(FIXTURES / "npukernelbench", tmp_path / "npukernelbench")
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_checkout_is_recognised_from_its_top_and_from_inside(name: str) -> None:
    root = FIXTURES / name
    inside = min(
        (path for path in root.rglob("*") if path.is_dir()),
        key=lambda path: len(path.parts),
    )
    assert detect(root).kind is KINDS[name]
    assert detect(inside).kind is KINDS[name]


def test_a_folder_that_is_no_benchmark_says_what_is_known(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a benchmark checkout") as raised:
        read_benchmark(tmp_path)
    assert "NPUKernelBench" in str(raised.value.remedy)


@pytest.mark.system
@pytest.mark.outside
def test_checkouts_become_operators_whose_cases_all_run(
    tmp_path: Path, build_cache: Path
) -> None:
    specs = []
    for name, counts in COUNTS.items():
        report, folders = import_benchmark(FIXTURES / name, tmp_path / name)
        assert report.faults == ()
        assert (len(report.tasks), report.case_count) == counts
        assert [folder.name for folder in folders] == [
            task.name for task in report.tasks
        ]
        specs += [load_operator(folder) for folder in folders]
    # The child process runs inputs, model and checker of every case that is not too big.
    for spec, check in zip(specs, check_operators(specs, build_cache), strict=True):
        assert check.problems == (), spec.name
        assert check.cases == sum(not case.big for case in spec.cases) > 0


def test_nothing_of_the_task_runs_here_and_the_answer_stays_closed(
    opened: list[str], tmp_path: Path
) -> None:
    before = set(sys.modules)
    report, folders = import_benchmark(FIXTURES / "npukernelbench", tmp_path)
    assert any(path.endswith("module.py") for path in opened), (
        "the hook sees what is read"
    )
    assert not any("answer" in Path(path).parts for path in opened)
    assert not {name.split(".")[0] for name in set(sys.modules) - before} & {
        "torch_npu",
        "kernel_gen_ops",
    }
    half, shift = report.tasks
    assert (half.expert_answer, shift.expert_answer) == (True, False)
    texts = [
        path.read_text()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    ]
    assert not any("must never be read" in text for text in texts)


def test_the_interface_comes_from_the_operator_definition(tmp_path: Path) -> None:
    _, folders = import_benchmark(FIXTURES / "npukernelbench", tmp_path)
    half, shift = (load_operator(folder) for folder in folders)
    assert [tensor.name for tensor in half.inputs] == ["x1", "x2"]
    assert half.inputs[0].dtypes == (DType.FLOAT32, DType.FLOAT16)
    assert (half.level, half.category, half.rule) == (1, "Math", DecidingRule.BENCHMARK)
    # complex128 is no type of the interface: the signature that needs it is left out.
    assert [tensor.dtypes for tensor in (*shift.inputs, *shift.outputs)] == [
        (DType.FLOAT32,)
    ] * 4
    assert [(a.name, a.type, a.default) for a in shift.attributes] == [
        ("shift", "float", 0.5),
        ("axes", "int_list", (0, 1)),
    ]
    assert shift.rule is DecidingRule.CHECKER
    rows = [case.row for case in shift.cases]
    assert rows[0] == {
        "rows": 3,
        "columns": 9,
        "shift": 1.0,
        "tolerance": 0.001,
        "additional": True,
    }
    assert [case.big for case in half.cases] == [False, False, True]


def test_arguments_of_the_kernel_are_found_through_the_binding(tmp_path: Path) -> None:
    """The second task hands arguments over in another order, through a second function, one as a list."""
    _, folders = import_benchmark(FIXTURES / "npukernelbench", tmp_path)
    plan = json.loads((folders[1] / "task" / "binding.json").read_text())
    assert [(row["name"], row["parameter"]) for row in plan["inputs"]] == [
        ("x", 1),
        ("gamma", 2),
    ]
    assert [(row["name"], row["parameter"]) for row in plan["attributes"]] == [
        ("shift", 0),
        ("axes", 3),
    ]
    assert [(row["name"], row["returned"]) for row in plan["outputs"]] == [
        ("y", 0),
        ("total", 1),
    ]
    assert plan["returns_list"], "its model returns both in a list"
    half = json.loads((folders[0] / "task" / "binding.json").read_text())
    assert not half["returns_list"], "its model returns a tensor"


def test_digit_leading_names_and_files_of_cases(tmp_path: Path) -> None:
    report, folders = import_benchmark(FIXTURES / "multikernelbench", tmp_path)
    rows = next(task for task in report.tasks if task.identifier.endswith("7_add_rows"))
    assert (rows.name, rows.benchmark) == ("AddRows", "MKB-NPU 101")
    assert [(case.row["group"], case.big) for case in rows.cases] == [
        (0, False),
        (1, False),
        (2, True),
    ]
    spec = load_operator(tmp_path / "AddRows")
    assert [(tensor.name, tensor.optional) for tensor in spec.inputs] == [
        ("x", False),
        ("bias", True),
    ]
    assert [(a.name, a.type) for a in spec.attributes] == [("repeats", "int_list")]
    relu = load_operator(tmp_path / "ScaledRelu")
    assert [(a.name, a.type) for a in relu.attributes] == [("alpha", "float")]
    assert len(folders) == 2


def test_a_model_with_layers_gets_its_parameters_as_an_input(tmp_path: Path) -> None:
    import_benchmark(FIXTURES / "kernelbench", tmp_path)
    linear = load_operator(tmp_path / "LinearReLU")
    assert [(tensor.name, tensor.is_list) for tensor in linear.inputs] == [
        ("x", False),
        ("parameters", True),
    ]
    assert [
        tensor.name for tensor in load_operator(tmp_path / "ScaledSum").outputs
    ] == ["out0", "out1"]


def test_cann_bench_baselines_say_whether_they_are_measured(tmp_path: Path) -> None:
    report, folders = import_benchmark(FIXTURES / "cannbench", tmp_path)
    assert report.tasks[0].baselines == {"case-1": (7.5, True), "case-2": (10.0, False)}
    origin = json.loads((folders[0] / "import.json").read_text())
    assert origin["baselines_us"]["case-2"] == {
        "value": 10.0,
        "origin": "derived or capped",
    }
    spec = load_operator(folders[0])
    assert [(tensor.is_list, tensor.optional) for tensor in spec.inputs] == [
        (False, False),
        (True, False),
        (False, True),
    ]


BREAKAGES = {
    "validation/test_cases.csv": (
        (
            "case_id;input_shape;dtype\n0;[4, 33];float32\n1;[7];float16;9\n",
            "row 3",
            "4 cells",
        ),
        (
            "case_id;input_shape;dtype\n0;[4, 33;float32\n",
            "row 2, column input_shape",
            "is not a literal",
        ),
        ("shape;dtype\n[4];float32\n", "row 1", "case_id"),
        (
            "case_id;dtype\n0;float32\n0;float32\n",
            "column case_id",
            "'0' is used twice",
        ),
    ),
    "validation/module.py": (
        ("class Model:\n    def forward(self): ...\n", "class ModelNew", "not defined"),
        ("def broken(:\n", "line 1", "not valid Python"),
    ),
    "validation/prepare_inputs.py": (
        ("def get_inputs(param, device=None): ...\n", "function get_init_inputs", ""),
    ),
    "validation/pybind.cpp": (
        ("int main() { return 0; }\n", "m.def", "no function is bound"),
    ),
    "question/op_host/halve_add.cpp": (
        ("// nothing\n", "OpDef", "no class derived from OpDef"),
    ),
    "api_desc.md": ((None, "file", "is missing"),),
}


@pytest.mark.parametrize(
    ("file", "text", "field", "problem"),
    [
        (file, *breakage)
        for file, breakages in BREAKAGES.items()
        for breakage in breakages
    ],
)
def test_a_broken_task_is_named_by_file_and_field_and_the_others_come_in(
    checkout: Path,
    tmp_path: Path,
    file: str,
    text: str | None,
    field: str,
    problem: str,
) -> None:
    path = checkout / "tasks/level1/Math/HalveAdd" / file
    path.unlink() if text is None else path.write_text(text)
    report, folders = import_benchmark(checkout, tmp_path / "operators")
    assert [folder.name for folder in folders] == ["ShiftScaleV2"]
    (fault,) = report.faults
    assert fault.task == "npukb/L1/Math/HalveAdd"
    assert fault.file == f"tasks/level1/Math/HalveAdd/{file}"
    assert field in fault.field
    assert problem in fault.problem
    assert sorted(path.name for path in (tmp_path / "operators").iterdir()) == [
        "ShiftScaleV2"
    ]


def test_broken_files_of_the_other_formats_are_named_too(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FIXTURES, tmp_path / "all"))
    cases = root / "cannbench/tasks/level1/mix_add/cases.yaml"
    cases.write_text("cases:\n- {case_id: 1, dtype: [float16]}\n")
    (fault,) = read_benchmark(root / "cannbench").faults
    assert (fault.file.endswith("cases.yaml"), fault.field) == (
        True,
        "cases[0].input_shape",
    )
    cases.write_text("cases: [\n")
    assert "line" in read_benchmark(root / "cannbench").faults[0].field
    lines = root / "multikernelbench/reference/npukernelbench_level1/7_add_rows.json"
    lines.write_text('{"inputs": []}\nnot json\n')
    (fault,) = read_benchmark(root / "multikernelbench").faults
    assert (fault.file.endswith("7_add_rows.json"), fault.field) == (True, "line 2")
    model = root / "kernelbench/KernelBench/level1/3_Scaled_sum_.py"
    model.write_text("class Model:\n    def forward(self, x):\n        return x\n")
    (fault,) = read_benchmark(root / "kernelbench").faults
    assert fault.field == "function get_inputs"


def test_importing_again_replaces_and_never_touches_what_is_no_import(
    tmp_path: Path,
) -> None:
    import_benchmark(FIXTURES / "kernelbench", tmp_path, only=["ScaledSum"])
    assert [path.name for path in tmp_path.iterdir()] == ["ScaledSum"]
    first = load_operator(tmp_path / "ScaledSum").digest
    import_benchmark(FIXTURES / "kernelbench", tmp_path)
    assert load_operator(tmp_path / "ScaledSum").digest == first
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "LinearReLU",
        "ScaledSum",
    ]
    (tmp_path / "ScaledSum" / "import.json").unlink()
    (tmp_path / "ScaledSum" / "notes.txt").write_text("mine")
    report, folders = import_benchmark(FIXTURES / "kernelbench", tmp_path)
    assert "not an imported task" in report.faults[0].problem
    assert [folder.name for folder in folders] == ["LinearReLU"]
    assert (tmp_path / "ScaledSum" / "notes.txt").read_text() == "mine"
    with pytest.raises(InvalidInput, match="'Nothing' is not among the 2 tasks"):
        import_benchmark(FIXTURES / "kernelbench", tmp_path, only=["Nothing"])


def test_columns_are_typed_as_a_whole() -> None:
    text = "case_id;a;b;c;d;e\n0;1;1;true;[1, 2];1e-3\n1;2.0;x;False;[3];2\n"
    rows = [dict(case.row) for case in read_cases(text, "cases.csv")]
    assert rows == [
        {"a": 1, "b": "1", "c": True, "d": "[1, 2]", "e": 0.001},
        {"a": 2, "b": "x", "c": False, "d": "[3]", "e": 2.0},
    ]
    assert isinstance(rows[1]["a"], int)


SCALARS = """inline ge::DataType ScalarOf(ge::DataType dtype) {
    switch(dtype) {
        case ge::DT_FLOAT16: case ge::DT_FLOAT:
            return ge::DT_FLOAT;
        case ge::DT_INT32:
            return ge::DT_INT64;
        default:
            return ge::DT_UNDEFINED;
    }
}
namespace ops { class B : public OpDef { public: explicit B(const char* name) : OpDef(name) {
    std::vector<ge::DataType> tensors = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32};
    std::vector<ge::DataType> scalars;
    std::for_each(tensors.cbegin(), tensors.cend(),
                  [&scalars](ge::DataType d){scalars.push_back(ScalarOf(d));});
    std::vector<ge::DataType> weights(tensors.size(), ge::DT_FLOAT);
    this->Input("x").ParamType(DYNAMIC).DataType(tensors);
    this->Input("scalars").ScalarList().ParamType(REQUIRED).DataType(scalars);
    this->Input("weight").ParamType(REQUIRED).DataType(weights);
    this->Output("y").ParamType(DYNAMIC).DataType(tensors); } };
    OP_ADD(B); }"""


def test_types_computed_from_others_are_followed() -> None:
    """A task gives int32 scalars for int32 tensors where the operator takes them as int64."""
    definition = parse_operator_definition(SCALARS, "b.cpp")
    assert [tensor.types for tensor in definition.inputs] == [
        ("DT_FLOAT16", "DT_FLOAT", "DT_INT32"),
        ("DT_FLOAT", "DT_FLOAT", "DT_INT64"),
        ("DT_FLOAT",),
    ]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("int64", "int"),
        ("int64_t", "int"),
        ("Int", "int"),
        ("INT", "int"),
        ("ListInt", "int_list"),
        ("listInt", "int_list"),
        ("ListFloat", "float_list"),
        ("List[int]", "int_list"),
        ("int[]", "int_list"),
        ("BOOL", "bool"),
        ("String", "str"),
        ("Tensor", "int_list"),
    ],
)
def test_attribute_types_of_cann_bench_in_every_spelling(
    tmp_path: Path, written: str, kind: str
) -> None:
    root = Path(shutil.copytree(FIXTURES / "cannbench", tmp_path / "cannbench"))
    proto = root / "tasks/level1/mix_add/proto.yaml"
    proto.write_text(proto.read_text().replace('"List[int]"', f'"{written}"'))
    (task,) = read_benchmark(root).tasks
    assert [(a.name, a.type) for a in task.attributes] == [
        ("scale", "float"),
        ("taps", kind),
    ]


def test_an_attribute_type_nobody_knows_is_a_fault_and_no_text(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FIXTURES / "cannbench", tmp_path / "cannbench"))
    proto = root / "tasks/level1/mix_add/proto.yaml"
    proto.write_text(proto.read_text().replace('"List[int]"', "Matrix"))
    (fault,) = read_benchmark(root).faults
    assert (fault.field, "'Matrix' is not one of" in fault.problem) == (
        "operator.attrs[1].type",
        True,
    )


def test_definitions_and_bindings_in_other_styles() -> None:
    definition = parse_operator_definition(
        """namespace ops { class A2 : public OpDef { public: explicit A2(const char* name) : OpDef(name) {
        std::vector<ge::DataType> list = {ge::DT_FLOAT16, ge::DT_BF16};
        this->Input("x").ParamType(DYNAMIC).DataType(list).AutoContiguous();
        this->Input("s").ParamType(OPTIONAL).DataType(computed);
        this->Output("x").ParamType(DYNAMIC).DataType(list);
        this->Attr("mode").AttrType(OPTIONAL).String("a,b"); this->Attr("n").Int(); } };
        OP_ADD(A2, None); }""",
        "a2.cpp",
    )
    assert [(t.name, t.types, t.optional, t.dynamic) for t in definition.inputs] == [
        ("x", ("DT_FLOAT16", "DT_BF16"), False, True),
        ("s", (), True, False),
    ]
    assert [(a.name, a.kind, a.default) for a in definition.attributes] == [
        ("mode", "str", '"a,b"'),
        ("n", "int", ""),
    ]
    binding = parse_binding(
        """std::vector<at::Tensor> f(std::vector<at::Tensor> &x, c10::optional<at::Tensor> s,
                                     const std::string &m) {
        at::TensorList in = at::TensorList(x); std::vector<at::Tensor> out;
        for (const auto &t : x) { out.push_back(torch::empty_like(t)); }
        at::TensorList result = at::TensorList(out);
        at::Tensor scale = s.has_value() ? s.value() : at::Tensor(); const char *mode = m.c_str();
        int64_t n = -1;
        EXEC_NPU_CMD(aclnnA2, in, scale, mode, n, result); return out; }
        PYBIND11_MODULE(k, m) { m.def("f", &f); }""",
        "pybind.cpp",
    )
    assert [source.parameter for source in binding.sources] == [0, 1, 2, -1, -1]
    assert binding.sources[3].constant == "-1"
    assert binding.returned == (4,)


def test_lists_are_followed_into_the_loops_that_fill_them() -> None:
    binding = parse_binding(
        """std::vector<at::Tensor> f(std::vector<at::Tensor> grads, at::Tensor &numbers, at::Tensor found) {
        std::vector<at::Scalar> scalars;
        auto accessor = numbers.accessor<float, 1>();
        for (int i = 0; i < numbers.size(0); i++) { scalars.push_back(at::Scalar(accessor[i])); }
        at::TensorList list = at::TensorList(grads); at::ArrayRef<at::Scalar> scalar_list(scalars);
        EXEC_NPU_CMD(aclnnB, list, scalar_list, found);
        std::vector<at::Tensor> ret; ret.reserve(list.size() + 1);
        for (const auto& g : list) ret.emplace_back(g);
        ret.emplace_back(found); return ret; }
        PYBIND11_MODULE(k, m) { m.def("f", &f); }""",
        "pybind.cpp",
    )
    assert [source.parameter for source in binding.sources] == [0, 1, 2]
    assert binding.returned == (0, 2)


def test_importing_needs_neither_torch_nor_yaml_until_it_reads_yaml() -> None:
    code = "import core.operators.importers, sys; print({'torch', 'yaml'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_a_binding_that_calls_an_operator_of_cann_is_read_in_the_order_of_that_one() -> (
    None
):
    host = """
class ErrorGrad : public OpDef {
public:
    explicit ErrorGrad(const char* name) : OpDef(name)
    {
        this->Input("predict").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("label").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("dout").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("reduction").AttrType(OPTIONAL).String("mean");
    }
};
OP_ADD(ErrorGrad);
"""
    bound = """
at::Tensor error_grad(at::Tensor grad, at::Tensor x, at::Tensor target, std::string reduction)
{
    at::Tensor out = torch::empty_like(grad);
    int64_t mode = 0;
    if (reduction == "sum") { mode = 2; }
    EXEC_NPU_CMD(aclnnMseLossBackward, grad, x, target, mode, out);
    return out;
}
PYBIND11_MODULE(ops, m) { m.def("error_grad", &error_grad, ""); }
"""
    plan = plan_call(
        parse_operator_definition(host, "h.cpp"), parse_binding(bound, "b.cpp")
    )
    assert {row["name"]: row["parameter"] for row in plan["inputs"]} == {
        "predict": 1,
        "label": 2,
        "dout": 0,
    }
    assert [(row["parameter"], row["constant"]) for row in plan["attributes"]] == [
        (3, "")
    ]
    own = bound.replace("aclnnMseLossBackward", "aclnnCustomOp")
    plan = plan_call(
        parse_operator_definition(host, "h.cpp"), parse_binding(own, "b.cpp")
    )
    assert [row["parameter"] for row in plan["inputs"]] == [0, 1, 2]
