"""Which timed cases of the catalogue are bound by work, and on which side of L2 they lie."""

from __future__ import annotations

import pytest

from bench.case_bounds import LAUNCH_US, ON, bounds
from core.operators.catalogue import catalogue_operator, operator_names

pytestmark = pytest.mark.outside

WORK = 2.0  # times launch and entry
BEYOND = (
    1.2  # times the capacity of L2: nothing of such data is there before the launch
)
MOST_SHARE = 0.8  # of the sum of microseconds, for one case
NAMES = operator_names()

# Categories whose operators meet tensors beyond L2 in large models.
STREAMING = {
    "Activation",
    "Comparison",
    "Condition",
    "Foreach",
    "Index",
    "Linalg",
    "Loss",
    "Mask",
    "Math",
    "Norm",
    "Optim",
    "Quant",
    "Reduce",
    "Rope",
    "TensorCreation",
    "TensorMove",
}
RECORDED = "its cases are those of the recorded demonstration"
# Why an operator of these categories has no timed case beyond L2, as far as its bounds tell.
WITHIN_L2 = {
    "Arange": "positions of a sequence: some megabytes at most",
    "Less": RECORDED,
    "MaskedSelectV3": RECORDED,
    "ScatterList": "a step of decoding writes a small part of its cache",
    "Swish": RECORDED,
}
# Why no timed case of an operator is bound by work, as far as its bounds tell.
LIGHT = {
    "MoeDistDispatchMulExp": "sorts its tokens, which no bound counts",
}


def test_a_timed_case_of_every_operator_is_bound_by_work() -> None:
    heaviest = {name: max(b.work_us for b in bounds(name)) for name in NAMES}
    light = {name for name, us in heaviest.items() if us < WORK * LAUNCH_US}
    assert light == set(LIGHT)


def test_every_operator_has_a_timed_case_within_l2() -> None:
    least = {name: min(b.moved_bytes for b in bounds(name)) for name in NAMES}
    assert [name for name in NAMES if least[name] > ON.l2_bytes] == []


def test_operators_that_stream_have_a_timed_case_beyond_l2() -> None:
    without = {
        name
        for name in NAMES
        if catalogue_operator(name).category in STREAMING
        and max(b.moved_bytes for b in bounds(name)) < BEYOND * ON.l2_bytes
    }
    assert without == set(WITHIN_L2)


def test_no_case_decides_the_sum_of_an_operator_alone() -> None:
    """Of the cases that the twin runs; those marked big run on a card, by themselves."""
    alone = {}
    for name in NAMES:
        times = [bound.total_us for bound in bounds(name) if not bound.big]
        if max(times) >= MOST_SHARE * sum(times):
            alone[name] = max(times) / sum(times)
    assert alone == {}
