"""CR, ER, Fast1.0 and S_self as in the paper; numbers of different origin are never mixed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import InvalidInput
from core.evaluation.metrics import OperatorResult, metrics

SOLVED = OperatorResult(
    "A",
    1,
    compiled=True,
    correct=True,
    t_first=20.0,
    t_best=10.0,
    t_reference=15.0,
    origin="live, measured",
)
MISSED = replace(SOLVED, correct=False, t_first=None, t_best=None)
RESULTS = (
    SOLVED,
    replace(SOLVED, operator="B", level=2, t_first=30.0, t_best=20.0),
    replace(SOLVED, operator="C", level=2, t_first=40.0, t_best=10.0),
    replace(MISSED, operator="D", level=2),
    replace(MISSED, operator="E", level=3, compiled=False),
)


def test_the_paper_definitions() -> None:
    found = metrics(RESULTS)
    assert (found.n, found.solved) == (5, 3)
    assert found.compilation_rate == pytest.approx(0.8)
    assert found.execution_rate == pytest.approx(0.6)
    assert found.execution_rate_by_level == {1: 1.0, 2: pytest.approx(2 / 3), 3: 0.0}
    assert found.fast == pytest.approx(2 / 3), (
        "over solved operators: A and C beat 15 us, B does not"
    )
    assert found.self_speedup == pytest.approx(2.0), "median of 2, 1.5 and 4"
    assert found.reference_speedup == pytest.approx(1.5), "median of 1.5, 0.75 and 1.5"


def test_an_operator_without_a_reference_leaves_only_itself_out_of_fast() -> None:
    found = metrics((*RESULTS, replace(SOLVED, operator="F", t_reference=None)))
    assert (found.solved, found.with_reference) == (4, 3)
    assert (found.fast, found.reference_speedup) == (
        pytest.approx(2 / 3),
        pytest.approx(1.5),
    )
    none = metrics([replace(SOLVED, t_reference=None)])
    assert (none.fast, none.reference_speedup, none.with_reference) == (None, None, 0)


def test_ranges_stand_beside_the_medians() -> None:
    found = metrics(RESULTS)
    assert found.self_speedup_range == (pytest.approx(1.5), pytest.approx(4.0))
    assert found.reference_speedup_range == (pytest.approx(0.75), pytest.approx(1.5))


def test_an_interrupted_operator_stays_in_the_denominator_and_its_latencies_wait() -> (
    None
):
    found = metrics((*RESULTS, replace(MISSED, operator="F", incomplete=True)))
    assert (found.n, found.solved, found.incomplete) == (6, 3, 1)
    assert found.execution_rate == pytest.approx(0.5)
    faster = replace(
        SOLVED, operator="F", t_best=1.0, t_reference=None, incomplete=True
    )
    found = metrics((*RESULTS, faster))
    assert (found.n, found.solved) == (6, 4), "it has a correct kernel"
    assert found.self_speedup == pytest.approx(2.0), "but T_best is not known yet"
    assert found.fast == pytest.approx(2 / 3)


def test_an_empty_set_has_no_rates() -> None:
    assert metrics(()).execution_rate is None


def test_origins_and_operators_are_not_mixed() -> None:
    with pytest.raises(InvalidInput, match="aggregated"):
        metrics((SOLVED, replace(SOLVED, operator="B", origin="scripted, modelled")))
    with pytest.raises(InvalidInput, match="more than once"):
        metrics((SOLVED, SOLVED))
