"""Which case of a candidate is run once more with its cores in other processes."""

from __future__ import annotations

from core.evaluation.records import PipeTimes
from core.operators.spec import InputSpec, TestCase
from remote.judge.cases.other_processes import case_to_regroup
from remote.judge.cases.outcome import CaseOutcome, make_row
from remote.judge.running.answers import Launch


def test_a_large_product_is_drawn_as_often_as_its_time_counts() -> None:
    """Hidden exchange of cores gains most where most time goes, whatever the twin takes for it."""
    took = {"small": (10.0, 1e6), "large": (90.0, 2e10)}
    cases = [TestCase(name, {"a": InputSpec((8, 8), "float32")}) for name in took]
    outcomes = [
        CaseOutcome(make_row(case, "pass", ""), launch=launch(*took[case.name]))
        for case in cases
    ]
    drawn = [case_to_regroup(cases, outcomes, str(seed)) for seed in range(300)]
    assert 0.85 < drawn.count("large") / len(drawn) < 0.95


def launch(modelled_us: float, products: float) -> Launch:
    cores = tuple(
        PipeTimes(core, 1000.0, unit="aic", cube_ops=products / 2) for core in range(2)
    )
    return Launch(
        completed=True,
        unmodelled=False,
        bound="",
        printed="",
        cores=cores,
        clock_mhz=1850.0,
        launch_us=2.0,
        modelled_us=modelled_us,
    )
