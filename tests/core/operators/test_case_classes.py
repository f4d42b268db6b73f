"""No hidden case comes as a surprise: the task names each of its classes and a visible case shows it."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import ModuleType

import pytest
import torch

from core.agent.prompt.round_prompt import ContextBuilder, RoundView, TaskView
from core.method.objective import Objective
from core.operators.catalogue import (
    catalogue_folder,
    catalogue_operator,
    operator_names,
)
from core.operators.spec import DType, OperatorSpec, TestCase
from remote.judge.inputs.reference_module import case_inputs
from remote.toolchains.twin.toolchain import describe_operator

pytestmark = pytest.mark.outside

NAMES = operator_names()
WORDS = {
    "non-contiguous": "- non-contiguous inputs",
    "zero-size": "- zero-size tensors",
    "rank-0": "- rank-0 tensors",
    "special": "- special values",
}


@cache
def reference_module(name: str) -> ModuleType:
    found = importlib.util.spec_from_file_location(
        name, catalogue_folder() / name / "reference.py"
    )
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def exercised(operator: OperatorSpec, case: TestCase) -> set[str]:
    """What the tensors that the judge makes for a case are; read from them, not from the case's text."""
    described = describe_operator(operator)
    made = case_inputs(
        described,
        case,
        reference_module(operator.name),
    )
    found = {
        f"no {tensor.name}" for tensor in operator.inputs if tensor.name not in made
    }
    for name, tensors in made.items():
        for tensor in tensors:
            values = tensor.logical
            found.add(f"{name} {str(values.dtype).removeprefix('torch.')}")
            found |= {"non-contiguous"} if tensor.strides else set()
            found |= {"zero-size"} if not values.numel() else set()
            found |= {"rank-0"} if not values.dim() else set()
            if values.is_floating_point() and not bool(torch.isfinite(values).all()):
                found.add("special")
    return found


def by_size(cases: Iterator[TestCase]) -> list[TestCase]:
    return sorted(
        cases,
        key=lambda case: sum(len(str(spec.shape)) for spec in case.inputs.values()),
    )


def prompt_of(operator: OperatorSpec) -> str:
    view = TaskView(operator, Objective.CORR, 12, "this computer", "")
    prompt = ContextBuilder().candidate(view, RoundView(), "", ())
    return prompt.messages[-1].content


def announced(text: str, what: str) -> bool:
    if what.startswith("no "):
        line = next(
            (
                line
                for line in text.splitlines()
                if line.startswith("- absent optional")
            ),
            "",
        )
        return f"`{what.removeprefix('no ')}`" in line
    if what in WORDS:
        return WORDS[what] in text
    name, dtype = what.split(" ")
    line = next(
        (line for line in text.splitlines() if line.startswith("- dtypes:")), ""
    )
    entry = next((part for part in line.split(", ") if f"`{name}`" in part), "")
    return dtype in entry.split(" ")[-1].split("|")


@pytest.mark.system
@pytest.mark.parametrize("part", range(4))
def test_every_class_of_a_hidden_case_is_announced_and_has_a_visible_case(
    part: int,
) -> None:
    for name in NAMES[part::4]:
        operator = catalogue_operator(name)
        small = [case for case in operator.cases if not case.big]
        wanted = set().union(
            *(exercised(operator, case) for case in small if case.hidden)
        )
        text = prompt_of(operator)
        assert [what for what in sorted(wanted) if not announced(text, what)] == [], (
            name
        )
        for case in by_size(case for case in small if not case.hidden):
            if not wanted:
                break
            wanted -= exercised(operator, case)
        assert wanted == set(), f"{name}: no visible case has {wanted}"


@pytest.mark.parametrize("name", NAMES)
def test_the_task_keeps_shapes_names_and_seeds_of_hidden_cases(name: str) -> None:
    operator = catalogue_operator(name)
    text = prompt_of(operator).partition("What the cases exercise")[2]
    visible = {
        str(list(s.shape))
        for c in operator.cases
        if not c.hidden
        for s in c.inputs.values()
    }
    for case in operator.cases:
        if case.hidden:
            assert case.name not in text
            assert str(case.seed) not in text
            for spec in case.inputs.values():
                shape = str(list(spec.shape))
                assert shape in visible or len(shape) < 4 or shape not in text


def test_a_class_whose_visible_cases_are_taken_away_is_missed_whichever_it_is() -> None:
    from core.operators.case_classes import ClassKind, classes_of, unseen_classes

    chance = random.Random(16)
    for name in chance.sample(NAMES, 25):
        operator = catalogue_operator(name)
        assert unseen_classes(operator) == (), name
        hidden = {
            c
            for case in operator.cases
            if case.hidden
            for c in classes_of(operator, case)
        }
        lost = chance.choice(sorted(hidden, key=repr))
        left = [
            case
            for case in operator.cases
            if case.hidden or lost not in classes_of(operator, case)
        ]
        fewer = replace(operator, cases=tuple(left))
        assert lost in unseen_classes(fewer), (name, lost)
        if lost.kind not in {ClassKind.PRESENT, ClassKind.DTYPE}:
            assert "(in hidden cases only)" in prompt_of(fewer), (name, lost)


def test_a_visible_case_shows_layout_fill_and_what_is_absent() -> None:
    text = prompt_of(catalogue_operator("DequantSwigluQuant"))
    line = next(
        line for line in text.splitlines() if line.startswith("- non-contiguous:")
    )
    assert "x [9, 90] bfloat16 transposed" in line
    assert "without weight_scale" in line
    special = prompt_of(catalogue_operator("Sqrt"))
    assert "- special-float32: x [5, 111] float32 special" in special
    assert (
        "Visible cases (values of a standard normal distribution where no others are named):"
        in special
    )


def test_an_output_that_is_an_input_changed_in_place_is_announced() -> None:
    """How both reach the kernel stood nowhere; a reader of BatchNormV3 looked for it in vain."""
    names = [
        n
        for n in NAMES
        if {t.name for t in catalogue_operator(n).inputs}
        & {t.name for t in catalogue_operator(n).outputs}
    ]
    assert {"Eye", "BatchNormV3"} < set(names)
    for name in names:
        operator = catalogue_operator(name)
        lines = prompt_of(operator).partition("Outputs:")[2].splitlines()
        for tensor in operator.outputs:
            line = next(line for line in lines if line.startswith(f"- {tensor.name}:"))
            assert ("in place" in line) == (
                tensor.name in {entry.name for entry in operator.inputs}
            ), (
                name,
                line,
            )


def test_how_lists_are_declared_and_which_dtypes_go_together_is_said() -> None:
    text = prompt_of(catalogue_operator("ForeachAddList"))
    assert (
        "Inputs (entry i of every list of dtypes belongs together):\n- x1: float16|float32|"
        in text
    )
    assert text.count("`ParamType(DYNAMIC)`, `ListTensorDesc` in the kernel") == 3
    assert "belongs together" not in prompt_of(catalogue_operator("BatchedMatmul"))


def test_parameters_of_an_imported_case_are_shown() -> None:
    operator = catalogue_operator("Swish")
    case = TestCase("row-0", {}, row={"m": 128, "dtype": DType.FLOAT16.value})
    text = prompt_of(replace(operator, cases=(case,), files=("task/module.py",)))
    assert "- row-0: m=128, dtype=float16 (timed)" in text
    assert "The task's own code makes the inputs" in text
