"""Reading operator.toml: what is understood, and that every fault names file, field and value."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.operators.catalogue import (
    UnknownOperator,
    find_operator,
    operator_names,
    resolve_operator,
)
from core.operators.loader import load_operator
from core.operators.spec import DecidingRule, DType, InputSpec, snake_case

MINIMAL = """
format = 1
name = "ScaleShift"
level = 2
category = "Math"
summary = "y = x * factor + bias"

[[input]]
name = "x"
dtypes = ["float32", "float16"]
[[input]]
name = "bias"
dtypes = ["float32", "float32"]
optional = true

[[output]]
name = "y"
dtypes = ["float32", "float16"]

[[attribute]]
name = "factor"
type = "float"
default = 2
[[attribute]]
name = "axes"
type = "int_list"
default = [0, 1]

[[case]]
name = "tail"
dtype = ["float32", "float16"]
[case.inputs]
x = { shape = [3, 5], fill = "uniform(-1,1.5e2)" }
bias = { shape = [5], layout = "strided" }

[[case]]
name = "hidden"
dtype = "float16"
hidden = true
timed = false
big = true
seed = 7
attributes = { factor = -0.5, axes = [] }
inputs.x = { shape = [], fill = "special" }
"""


def write(
    folder: Path,
    text: str = MINIMAL,
    reference: str = "def reference(x, bias=None): ...\n",
) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "operator.toml").write_text(text, encoding="utf-8")
    (folder / "reference.py").write_text(reference, encoding="utf-8")
    return folder


def test_everything_the_format_says_arrives(tmp_path: Path) -> None:
    spec = load_operator(write(tmp_path / "ScaleShift"))
    assert (spec.name, spec.snake_name, spec.level) == ("ScaleShift", "scale_shift", 2)
    assert spec.rule is DecidingRule.CATALOGUE
    assert [tensor.optional for tensor in spec.inputs] == [False, True]
    assert [case.name for case in spec.cases] == [
        "tail-float32",
        "tail-float16",
        "hidden",
    ]
    tail = spec.cases[1]
    assert tail.inputs["x"] == InputSpec((3, 5), DType.FLOAT16, "uniform(-1,1.5e2)")
    assert tail.inputs["bias"].dtype is DType.FLOAT32
    assert tail.inputs["bias"].layout == "strided"
    assert tail.attributes == {"factor": 2.0, "axes": (0, 1)}
    assert isinstance(tail.attributes["factor"], float)
    hidden = spec.cases[2]
    assert (hidden.hidden, hidden.timed, hidden.big, hidden.seed) == (
        True,
        False,
        True,
        7,
    )
    assert hidden.attributes == {"factor": -0.5, "axes": ()}
    assert set(hidden.inputs) == {"x"}


def test_seeds_differ_by_case_and_do_not_change_between_runs(tmp_path: Path) -> None:
    spec = load_operator(write(tmp_path / "ScaleShift"))
    assert spec.cases[0].seed != spec.cases[1].seed
    assert (
        spec.cases[0].seed == load_operator(write(tmp_path / "elsewhere")).cases[0].seed
    )


def test_digest_covers_both_files(tmp_path: Path) -> None:
    first = load_operator(write(tmp_path / "a")).digest
    assert (
        first
        != load_operator(
            write(tmp_path / "b", MINIMAL.replace("level = 2", "level = 3"))
        ).digest
    )
    assert (
        first
        != load_operator(
            write(tmp_path / "c", reference="def reference(x): return x\n")
        ).digest
    )


@pytest.mark.parametrize(
    ("old", "new", "field", "problem"),
    [
        ("format = 1", "format = 9", "format", "9 is not supported"),
        (
            'name = "ScaleShift"',
            'name = "scale shift"',
            "name",
            "'scale shift' is not a PascalCase",
        ),
        ("level = 2", "level = 4", "level", "4 is not between 0 and 3"),
        ("level = 2", 'level = "2"', "level", "expected int, found '2'"),
        ("level = 2", "level = true", "level", "expected int, found True"),
        ('category = "Math"', 'category = " "', "category", "is empty"),
        ('summary = "y = x * factor + bias"', "", "summary", "is missing"),
        (
            'category = "Math"',
            'category = "Math"\ncolour = "red"',
            "colour",
            "is not a known key",
        ),
        (
            'category = "Math"',
            'category = "Math"\nrule = "loose"',
            "rule",
            "'loose' is not one of",
        ),
        (
            'dtypes = ["float32", "float16"]',
            'dtypes = ["float32", "fp16"]',
            "input[0].dtypes[1]",
            "'fp16'",
        ),
        (
            'dtypes = ["float32", "float32"]',
            'dtypes = ["int8", "int8", "int8"]',
            "input[0].dtypes",
            "has 2",
        ),
        (
            'dtypes = ["float32", "float16"]',
            "dtypes = []",
            "input[0].dtypes",
            "is empty",
        ),
        (
            'name = "hidden"\ndtype = "float16"',
            'name = "hidden"\ndtype = "float16"\nrow = { m = 1 }',
            "case[1].dtype",
            "is not a known key",
        ),
        ('name = "bias"', 'name = "x"', "input", "'x' is used twice"),
        (
            'type = "float"',
            'type = "double"',
            "attribute[0].type",
            "'double' is not one of",
        ),
        (
            "default = 2",
            'default = "two"',
            "attribute[0].default",
            "expected float, found 'two'",
        ),
        (
            "default = [0, 1]",
            "default = 0",
            "attribute[1].default",
            "expected int_list, found 0",
        ),
        (
            "default = 2\n",
            "",
            "case[0].attributes.factor",
            "is missing and has no default",
        ),
        ("axes = [] }", "axis = 1 }", "case[1].attributes.axis", "is not an attribute"),
        (
            'name = "hidden"',
            'name = "tail-float32"',
            "case",
            "'tail-float32' is used twice",
        ),
        (
            "hidden = true",
            'hidden = "yes"',
            "case[1].hidden",
            "expected bool, found 'yes'",
        ),
        (
            "shape = [3, 5]",
            "shape = [3, -5]",
            "case[0].inputs.x.shape",
            "-5 is not a dimension",
        ),
        (
            "shape = [3, 5]",
            "shape = [3, 5.0]",
            "case[0].inputs.x.shape",
            "5.0 is not a dimension",
        ),
        ("shape = [3, 5], ", "", "case[0].inputs.x.shape", "is missing"),
        (
            "uniform(-1,1.5e2)",
            "uniform(2,1)",
            "case[0].inputs.x.fill",
            "is an empty range",
        ),
        (
            "uniform(-1,1.5e2)",
            "gauss",
            "case[0].inputs.x.fill",
            "'gauss' is not a known fill",
        ),
        (
            '"strided"',
            '"diagonal"',
            "case[0].inputs.bias.layout",
            "'diagonal' is not one of",
        ),
        (
            '"strided"',
            '"transposed"',
            "case[0].inputs.bias.layout",
            "no two dimensions",
        ),
        (
            '"strided" }',
            '"strided", count = 2 }',
            "case[0].inputs.bias.count",
            "2 does not fit",
        ),
        ("bias = { shape", "bios = { shape", "case[0].inputs.bios", "is not an input"),
        ("inputs.x = {", "inputs.bias = {", "case[1].inputs.x", "is missing"),
        (
            'dtype = "float16"',
            'dtype = "bfloat16"',
            "case[1].inputs.dtype",
            "x: bfloat16",
        ),
        (
            "hidden = true\ntimed = false",
            "timed = 0",
            "case[1].timed",
            "expected bool, found 0",
        ),
    ],
)
def test_faults_name_file_field_and_value(
    tmp_path: Path, old: str, new: str, field: str, problem: str
) -> None:
    assert old in MINIMAL
    folder = write(tmp_path / "ScaleShift", MINIMAL.replace(old, new, 1))
    with pytest.raises(InvalidInput) as caught:
        load_operator(folder)
    assert caught.value.source == str(folder / "operator.toml")
    assert caught.value.field == field
    assert problem in str(caught.value.problem)


def test_a_case_of_an_imported_task_keeps_what_it_holds(tmp_path: Path) -> None:
    case = """
[[case]]
name = "imported"
row = { m = 128 }
holds = ["special_values"]
"""
    spec = load_operator(write(tmp_path / "ScaleShift", MINIMAL + case))
    assert spec.cases[-1].row == {"m": 128}
    assert spec.cases[-1].holds == ("special_values",)


def test_an_operator_whose_cases_cannot_rank_candidates_is_refused(
    tmp_path: Path,
) -> None:
    only_hidden = MINIMAL.replace(
        'dtype = ["float32", "float16"]\n[case', "hidden = true\ndtype = []\n[case"
    )
    untimed = MINIMAL.replace('name = "tail"', 'name = "tail"\ntimed = false')
    with pytest.raises(InvalidInput, match="no visible case is timed"):
        load_operator(write(tmp_path / "a", untimed))
    with pytest.raises(InvalidInput, match=r"case\[0\].inputs.x.dtype: is missing"):
        load_operator(write(tmp_path / "b", only_hidden))


def test_broken_toml_and_missing_files_say_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is not valid TOML"):
        load_operator(write(tmp_path / "a", "name = "))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=r"operator\.toml: file: cannot be read"):
        load_operator(tmp_path / "empty")
    half = write(tmp_path / "half")
    (half / "reference.py").unlink()
    with pytest.raises(InvalidInput, match=r"reference\.py: file: cannot be read"):
        load_operator(half)


def test_user_folders_are_found_beside_the_catalogue(tmp_path: Path) -> None:
    folder = write(tmp_path / "ScaleShift")
    assert operator_names(tmp_path) == ("ScaleShift",)
    assert find_operator(str(tmp_path), "ScaleShift").folder == folder
    assert find_operator(str(folder), "ScaleShift").folder == folder
    assert resolve_operator(str(folder)).name == "ScaleShift"
    assert resolve_operator("AbsMath").name == "AbsMath"
    with pytest.raises(UnknownOperator, match="'Nonsense' is not there"):
        find_operator("catalogue", "Nonsense")
    with pytest.raises(
        UnknownOperator, match=r"'Other' is not there\. Available: ScaleShift\."
    ):
        find_operator(str(tmp_path), "Other")


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("AbsMath", "abs_math"),
        ("RmsNorm", "rms_norm"),
        ("GeGluV2", "ge_glu_v2"),
        ("MSELoss", "mse_loss"),
    ],
)
def test_entry_names_follow_msopgen(name: str, snake: str) -> None:
    assert snake_case(name) == snake
