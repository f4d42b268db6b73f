"""The tolerance the task states is the one the judge applies."""

from __future__ import annotations

import ast
import random
import re

import pytest
import torch

from core.agent.prompt.task_text import task_text
from core.operators.catalogue import (
    catalogue_folder,
    catalogue_operator,
    operator_names,
)
from core.operators.importers.model_file import TOLERANCES, Tolerance
from core.operators.importers.task import MEAN_TOLERANCE
from core.operators.spec import DecidingRule, DType, judged_by_paper
from core.operators.tolerance import tolerance
from remote.judge.comparing.error_statistics import compare, ulp_distance

pytestmark = pytest.mark.outside

RULES = [rule for rule in DecidingRule if rule is not DecidingRule.CHECKER]
DTYPES = [
    DType.FLOAT32,
    DType.FLOAT16,
    DType.BFLOAT16,
    DType.INT8,
    DType.INT32,
    DType.INT64,
    DType.BOOL,
]
ADAPTERS = catalogue_folder().parent / "importers"


def accepts(text: str, expected: torch.Tensor, actual: torch.Tensor) -> bool:
    """What a reader of the text would say of one element."""
    error = abs(float(actual.double() - expected.double()))
    relative = error / (abs(float(expected)) + 1e-7)
    ulps = float(ulp_distance(expected, actual))

    def holds(part: str) -> bool:
        number = float(re.search(r"[\d.]+", part.partition("<=")[2] or part).group())  # type: ignore[union-attr]
        if part.startswith("absolute"):
            return error <= number
        if part.startswith("relative"):
            return relative <= number
        return (ulps if "last place" in part else error) <= number

    if text == "exact":
        return error == 0
    if " and " in text:
        return all(holds(part) for part in text.split(" and "))
    return any(holds(part) for part in text.split(" or "))


@pytest.mark.parametrize(
    ("rule", "dtype"), [(rule, dtype) for rule in RULES for dtype in DTYPES]
)
def test_the_text_and_the_judge_agree_on_elements_near_the_limits(
    rule: DecidingRule, dtype: DType
) -> None:
    chance, kind = random.Random(f"{rule} {dtype}"), getattr(torch, dtype.value)
    text = tolerance(rule, dtype)
    verdicts = set()
    for _ in range(400):
        value = chance.uniform(-3, 3) * 10 ** chance.randint(-5, 2)
        expected = torch.tensor([value]).to(kind)
        step = chance.choice(
            [0.0, 5e-5, 9e-5, 5e-4, 9e-4, 1.1e-3, 4e-3, 0.02, 1.0, 1.0, 2.0, 3.0]
        )
        if dtype is DType.BOOL:
            expected, step = torch.tensor([chance.random() < 0.5]), -float(expected)
        actual = (
            expected.double() + step * chance.choice([1.0, max(abs(value), 1e-6)])
        ).to(kind)
        said = compare("y", expected, actual, rule.value).passed
        assert accepts(text, expected[0], actual[0]) is said, (text, expected, actual)
        verdicts.add(said)
    of_flags = (
        dtype is DType.BOOL and rule is DecidingRule.ULP
    )  # which no operator asks for
    assert verdicts == {True, False} or of_flags, (
        "the trial reaches both sides of the limit"
    )


def test_every_output_dtype_of_the_catalogue_has_its_numbers() -> None:
    for name in operator_names():
        operator = catalogue_operator(name)
        text = task_text(operator, 12, "", "this computer").partition("\nTolerance")[2]
        assert re.search(r"\d|exact|description", text), name
        if operator.rule is DecidingRule.CHECKER:
            assert re.search(r"Checker: .*(\d|exactly)", operator.summary, re.DOTALL), (
                name
            )
            continue
        for dtype in {
            dtype.value for output in operator.outputs for dtype in output.dtypes
        }:
            assert re.search(
                rf"^- .*\b{dtype}\b.*: .*(\d|exact)", text, re.MULTILINE
            ), (name, dtype)


def constant(adapter: str, name: str) -> str:
    tree = ast.parse((ADAPTERS / adapter).read_text(encoding="utf-8"))
    node = next(
        n
        for n in tree.body
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name
    )
    return ast.unparse(node.value)


def test_the_rules_of_benchmarks_are_stated_in_their_own_numbers() -> None:
    mean = constant("cann_bench.py", "MEAN_LIMIT")
    assert mean == constant("model_task.py", "MEAN")
    for dtype, power in re.findall(r"torch\.(\w+): 2\.0 \*\* -(\d+)", mean):
        assert f"- {dtype}: mean < 2^-{power} " in MEAN_TOLERANCE
        assert (
            f"- {dtype}: mean < 2^-{power} " in TOLERANCES[Tolerance.MEAN_AND_LARGEST]
        )
    close = float(constant("model_task.py", "CLOSE"))
    assert (
        f"1e-{round(-torch.log10(torch.tensor(close)).item())}"
        in TOLERANCES[Tolerance.CLOSE]
    )


@pytest.mark.parametrize("name", operator_names())
def test_a_task_under_the_paper_s_rule_names_no_other_one(name: str) -> None:
    operator = judged_by_paper(catalogue_operator(name))
    text = task_text(operator, 12, "", "this computer")
    assert not re.findall(r"[Jj]udged by the `?(?!paper)\w+`? rule", text)
