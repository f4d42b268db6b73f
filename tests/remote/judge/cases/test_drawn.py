"""Inputs follow from the text of the candidate: what an earlier round was told is of no use to another text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.evaluation.records import Candidate
from core.operators.catalogue import catalogue_operator
from core.operators.spec import OperatorSpec, TestCase
from remote.judge.inputs.drawn_inputs import drawn_case, further_cases, text_key
from remote.judge.inputs.fills import make_inputs
from remote.judge.judge import Judge
from tests.remote.helpers import KERNEL, edited, job, judge_job, operator
from tests.remote.judge.cases.test_doing_nothing import halving, task

TIMED, UNTIMED = "feature-map-float32", "short-tail-float32"


def case_of(spec: OperatorSpec, name: str) -> TestCase:
    return next(case for case in spec.cases if case.name == name)


def numbers(case: TestCase, text: Mapping[str, str]) -> torch.Tensor:
    drawn = drawn_case(case, text_key(text))
    return make_inputs("AbsMath", drawn)["x"][0].logical


def cause(judge: Judge, cache: Path, spec: OperatorSpec, kernel: Candidate) -> str:
    names = [case.name for case in spec.cases if case.name in (TIMED, "case-0")]
    result = judge_job(judge, job(spec, kernel, cache, names))
    assert result["verdict"] == "fail-result", result["cause"]
    return str(result["cause"])


def test_a_wrong_kernel_is_told_the_same_twice_and_something_else_after_an_edit(
    judge: Judge, build_cache: Path
) -> None:
    wrong = ("Abs(y, x, count);", "Abs(y, x, count); Adds(y, y, DTYPE_X(1), count);")
    first = edited((KERNEL, *wrong))
    told = cause(judge, build_cache, operator(), first)
    assert "expected" in told
    assert told == cause(judge, build_cache, operator(), first)
    second = edited((KERNEL, wrong[0], f"{wrong[1]} // again"))
    assert told != cause(judge, build_cache, operator(), second)


def test_inputs_of_a_task_follow_from_the_text_as_well(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    spec = task(tmp_path, checker="")
    wrong = "op.Process(); if (GetBlockIdx() == 0) ((__gm__ float*)y)[0] = 9;"
    told = cause(judge, build_cache, spec, halving(wrong))
    assert told == cause(judge, build_cache, spec, halving(wrong))
    assert told != cause(judge, build_cache, spec, halving(f"{wrong} // again"))


@pytest.mark.parametrize(
    "other",
    [
        {"a.h": "1", "b.h": "2 "},
        {"a.h": "12", "b.h": ""},
        {"a.h": "1", "c.h": "2"},
        {"a.h": "1", "b.h": "2", "read.me": ""},
    ],
)
def test_whatever_an_edit_is_it_draws_other_inputs(other: dict[str, str]) -> None:
    text = {"a.h": "1", "b.h": "2"}
    assert text_key(text) == text_key(dict(reversed(text.items())))
    assert text_key(text) != text_key(other)
    case = case_of(operator(), UNTIMED)
    assert not torch.equal(numbers(case, text), numbers(case, other))
    assert torch.equal(numbers(case, text), numbers(case, text))
    secret = replace(case, seed=case.seed + 1)
    assert not torch.equal(numbers(case, text), numbers(secret, text))


def test_how_much_is_to_be_done_is_no_matter_of_luck() -> None:
    """Groups, lengths and places are the same for each text."""
    case = case_of(catalogue_operator("GroupedMatmulSliceM"), "bulk")
    drawn = drawn_case(case, "key", is_elsewhere=True)
    assert drawn.seed == case.seed
    assert drawn.inputs["groupList"] == case.inputs["groupList"]
    assert drawn.inputs["a"] != case.inputs["a"]


def test_ranges_are_drawn_within_those_of_the_case() -> None:
    case = case_of(catalogue_operator("GroupNormSwish"), "bulk")
    fills = set()
    for key in "abc":
        drawn = drawn_case(case, key, is_elsewhere=True)
        low, high = map(float, re.findall(r"[-\d.]+", drawn.inputs["x"].fill)[-2:])
        assert -1 <= low < 0
        assert 2 < high <= 3
        fills.add(drawn.inputs["x"].fill)
        assert drawn.inputs["x"].all_shapes == case.inputs["x"].all_shapes
    assert len(fills) == 3


def test_far_numbers_are_those_of_a_case_with_the_same_dtypes() -> None:
    spec = operator()
    case = case_of(spec, TIMED)
    (other, *_) = further_cases(case, spec.cases)
    assert other.inputs["x"].dtype == case.inputs["x"].dtype
    drawn = drawn_case(case, "key", other, is_elsewhere=True)
    assert drawn.inputs["x"].fill.endswith(other.inputs["x"].fill)
    assert "normal(" in drawn.inputs["x"].fill


def test_hidden_cases_stay_as_they_were_given(judge: Judge, build_cache: Path) -> None:
    """Nobody is told anything of them, so that their data need not be made for each text."""
    spec = operator()
    hidden = next(case for case in spec.cases if case.hidden and not case.big)

    def statistics(kernel: Candidate) -> tuple[object, object]:
        payload = job(spec, kernel, build_cache, [hidden.name, UNTIMED])
        rows = {row["case"]: row for row in judge_job(judge, payload)["cases"]}
        return rows[hidden.name]["statistics"], rows[UNTIMED]["statistics"]

    wrong = ("Abs(y, x, count);", "Abs(y, x, count); Adds(y, y, DTYPE_X(1), count);")
    before = statistics(edited((KERNEL, *wrong)))
    after = statistics(edited((KERNEL, wrong[0], f"{wrong[1]} // again")))
    assert before[0] == after[0]
    assert before[1] != after[1]
