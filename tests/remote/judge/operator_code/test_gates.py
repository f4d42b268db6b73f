"""The quality gates find what is wrong with an operator; a sound one passes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.operators.catalogue import catalogue_folder
from core.operators.loader import load_operator
from core.operators.spec import OperatorSpec
from core.operators.template import create_operator
from remote.judge.inputs.reference_module import as_called
from remote.operator_check import OperatorCheck, check_operators
from remote.toolchains.twin.toolchain import describe_operator

RESULT = "return scale * x + offset"
DTYPES = 'dtypes = ["float32", "float16"]'
FAULTS = {  # name of the operator -> file, what is replaced, by what, words of the problem
    "Unread": (
        "reference.py",
        RESULT,
        "return scale * x",
        "input offset has no influence",
    ),
    "Constant": (
        "reference.py",
        RESULT,
        "return 0 * x.nan_to_num() + 4",
        "output y is 4 everywhere",
    ),
    "Raising": ("reference.py", RESULT, "return y", "fails on case aligned-float32"),
    "TwoResults": (
        "reference.py",
        RESULT,
        "return x, offset",
        "2 results where the interface has 1",
    ),
    "Unfair": (
        "reference.py",
        RESULT,
        "return (x + 1e9) - 1e9 + scale * offset",
        "float32 arithmetic fails",
    ),
    "Read": (
        "reference.py",
        "def ",
        "UNREAD = ('x',)\n\n\ndef ",
        "input x matters although",
    ),
    "Varying": (
        "reference.py",
        "def ",
        "CONSTANT = True\n\n\ndef ",
        "output y varies although",
    ),
    "WrongDtype": (
        "reference.py",
        "def ",
        "def OUTPUT_DTYPES(dtypes):\n    return ('int32',)\n\n\ndef ",
        "is not a dtype signature",
    ),
    "Tiny": (
        "reference.py",
        RESULT,
        "return 1e-6 * (scale * x + offset)",
        "y (float32) with the signs of its smaller half flipped passes",
    ),
    "NoChecker": (
        "operator.toml",
        'rule = "mixed"',
        'rule = "checker"',
        "defines no function `check`",
    ),
    "SameClass": (
        "operator.toml",
        "[7919]",
        "[8, 128]",
        "hidden-prime-length-float32 has the shape class",
    ),
    "NoEmpty": (
        "operator.toml",
        "[3, 0, 5",
        "[3, 1, 5",
        "no case has an empty tensor, and",
    ),
    "Excused": (
        "operator.toml",
        "deny = []",
        'lacks.non_contiguous = "no need"',
        "case non-contiguous has an input that is not contiguous although",
    ),
    "Unseen": (
        "operator.toml",
        '[9, 20], layout = "transposed"',
        "[9, 20]",
        "only hidden cases have an input that is not contiguous (such as hidden-non-contiguous-float32)",
    ),
    "Planted": (
        "reference.py",
        "def ",
        "def make_inputs(inputs, case, generator):\n    inputs['x'].log_()\n    return inputs\n\n\ndef ",
        "case aligned-float32 has infinities or NaN, which neither its inputs nor `holds` say",
    ),
    "LostLayout": (
        "reference.py",
        "def ",
        "def make_inputs(inputs, case, generator):\n    return inputs | {'x': inputs['x'] + 1}\n\n\ndef ",
        "`make_inputs` loses the transposed layout of x",
    ),
    "Untested": (
        "operator.toml",
        DTYPES,
        DTYPES[:-1] + ', "bfloat16"]',
        "input x is bfloat16 in no case",
    ),
}


def changed(parent: Path, name: str, file: str, old: str, new: str) -> OperatorSpec:
    folder = create_operator(name, parent).folder
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    return load_operator(folder)


BLIND = """

def check(expected, actual, inputs, attributes):
    return "" if actual[0].shape == expected[0].shape else "another shape"
"""


@pytest.fixture(scope="module")
def answers(
    tmp_path_factory: pytest.TempPathFactory, build_cache: Path
) -> dict[str, OperatorCheck]:
    parent = tmp_path_factory.mktemp("operators")
    specs = [
        changed(parent, "Broken", "reference.py", RESULT, "import os; os._exit(3)")
    ]
    specs += [create_operator("Sound", parent)]
    specs += [changed(parent, name, *fault[:3]) for name, fault in FAULTS.items()]
    blind = changed(
        parent, "Blind", "operator.toml", 'rule = "mixed"', 'rule = "checker"'
    )
    reference = blind.folder / "reference.py"
    reference.write_text(reference.read_text() + BLIND)
    specs += [
        load_operator(blind.folder),
        load_operator(catalogue_folder() / "ScatterList"),
    ]
    return {row.name: row for row in check_operators(specs, build_cache)}


@pytest.mark.system
def test_the_template_is_a_sound_operator(answers: dict[str, OperatorCheck]) -> None:
    row = answers["Sound"]
    assert row.problems == ()
    assert (row.cases, row.skipped) == (17, 1)
    assert row.seconds > 0


@pytest.mark.parametrize("name", FAULTS)
def test_a_gate_names_what_is_wrong(
    name: str, answers: dict[str, OperatorCheck]
) -> None:
    assert any(FAULTS[name][3] in problem for problem in answers[name].problems), (
        answers[name].problems
    )


def test_a_checker_gets_a_list_of_one_tensor_as_a_list() -> None:
    operator = describe_operator(load_operator(catalogue_folder() / "ScatterList"))
    (name, *_) = [tensor.name for tensor in operator.inputs if tensor.is_list]
    one = torch.ones(2)
    assert as_called(operator, {name: [one], "other": [one]}) == {
        name: [one],
        "other": one,
    }


def test_answers_that_cost_nothing_are_given_to_every_case(
    answers: dict[str, OperatorCheck],
) -> None:
    """Users of a public benchmark found zeros to pass its tasks: the checker looked at too little."""
    accepting, sound = answers["Blind"], answers["ScatterList"]
    starts = [
        problem.partition(": every case accepts it")[0]
        for problem in accepting.problems
    ]
    copies = ["a copy of x passes", "a copy of offset passes"]
    near = [
        f"y ({dtype}) with the {what} passes"
        for dtype, digits in (("float32", "float16"), ("float16", "bfloat16"))
        for what in (f"digits of {digits}", "signs of its smaller half flipped")
    ]
    assert starts == [
        "zeros passes",
        "a constant passes",
        *copies,
        "output y may be anything",
        *near,
    ]
    assert "aligned-float32" in accepting.problems[0]
    # NaN and unwritten elements are wrong before the checker is asked.
    assert not any("NaN" in weak or "unwritten" in weak for weak in accepting.weak)
    assert sound.problems == ()
    assert "an unwritten output passes case nothing-written" in sound.weak


def test_a_reference_that_ends_its_process_is_named(
    answers: dict[str, OperatorCheck],
) -> None:
    """Those after it are checked all the same."""
    assert next(iter(answers)) == "Broken"
    assert answers["Broken"].problems == (
        "The code of Broken ended its process (its gates): exit code 3.",
    )
    assert answers["Sound"].problems == ()
