"""The micro kernels: two operators of ours, judged like any candidate; each latency is a measurement."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from core.errors import SageError
from core.evaluation.candidate_folder import read_candidate_for
from core.evaluation.port import Evaluator, Progress
from core.evaluation.records import Evaluation, VerdictClass
from core.operators.loader import load_operator

_OPERATORS = ("vector", "matrix")


@dataclass(frozen=True)
class Measurements:
    """What an evaluator said of the micro kernels.

    Attributes:
        microseconds: By name of the micro kernel.
        left_out: Those without a latency -> why.
        facts: What was judged with, e.g. the version of CANN.
    """

    microseconds: Mapping[str, float]
    left_out: Mapping[str, str]
    facts: Mapping[str, str]


async def measure(
    evaluator: Evaluator, progress: Progress, only: Collection[str] | None = None
) -> Measurements:
    """Evaluate the micro kernels, or `only` those named.

    Raises:
        SageError: They could not be built, or the environment failed.
    """
    microseconds: dict[str, float] = {}
    left_out: dict[str, str] = {}
    facts: dict[str, str] = {}
    folder = Path(str(resources.files("resources") / "calibration"))
    for name in _OPERATORS:
        operator = load_operator(folder / name)
        candidate = read_candidate_for(operator, folder / name)
        if only is not None:
            cases = tuple(case for case in operator.cases if case.name in only)
            operator = replace(operator, cases=cases)
        if not operator.cases:
            continue
        evaluation = await evaluator.evaluate(operator, candidate, progress)
        _check(evaluation)
        facts |= evaluation.facts
        names = {case.name for case in operator.cases}
        for case in evaluation.cases:
            if case.case not in names:
                continue  # the same with other numbers, which CANN's judge adds untimed
            us = case.latency.value if case.latency is not None else 0.0
            if case.status == "pass" and us > 0:
                microseconds[case.case] = us
            else:
                left_out[case.case] = case.detail or case.status
    return Measurements(microseconds, left_out, facts)


def _check(evaluation: Evaluation) -> None:
    """Refuse an evaluation that measured nothing; a single kernel may fail."""
    if evaluation.verdict is not VerdictClass.VOID and evaluation.build.ok:
        return
    raise SageError(
        "The micro kernels of {operator} could not be measured: {cause}.",
        "`sage host check` says what the host lacks. An earlier calibration stays.",
        operator=evaluation.operator,
        cause=(evaluation.cause or evaluation.build.cause).rstrip("."),
    )
