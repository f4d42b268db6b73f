"""Named operator sets: the paper's, in its order, and the same words everywhere."""

from __future__ import annotations

import pytest

from core.errors import SageError
from core.experiments.plans.operator_sets import (
    all_chosen,
    chosen_operators,
    operator_set,
)
from core.operators.catalogue import catalogue_operator

SIZES = {
    "npukernelbench": 88,
    "xccl": 16,
    "l1": 20,
    "l2": 50,
    "l3": 18,
    "l2-fixed-25": 25,
}


def test_the_sets_are_those_of_the_paper() -> None:
    assert [len(operator_set(name)) for name in SIZES] == list(SIZES.values())
    for name, level in (
        ("l1", 1),
        ("l2", 2),
        ("l3", 3),
        ("xccl", 0),
        ("l2-fixed-25", 2),
    ):
        assert {
            catalogue_operator(operator).level for operator in operator_set(name)
        } == {level}
    assert sorted((*operator_set("npukernelbench"), *operator_set("xccl"))) == sorted(
        operator_set("all")
    )
    spread = {catalogue_operator(name).category for name in operator_set("l2-fixed-25")}
    assert spread == {catalogue_operator(name).category for name in operator_set("l2")}


def test_levels_and_the_error_text_agree() -> None:
    assert sorted(name for _, name in chosen_operators("level:0")) == sorted(
        operator_set("xccl")
    )
    with pytest.raises(SageError, match=r"0 .outside the benchmark., 1, 2 and 3"):
        chosen_operators("level:7")
    with pytest.raises(SageError, match="'l4' is not there"):
        chosen_operators("l4")


def test_what_is_named_twice_is_run_once() -> None:
    assert [name for _, name in all_chosen(["Less", " l1", "less"])] == [
        "Less",
        "Equal",
        *operator_set("l1")[2:],
    ]
