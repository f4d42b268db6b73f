"""Arms of several experiments compared: the same tests, refused where the numbers do not belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import SageError
from core.experiments.plans.plan import arm_name
from core.experiments.reports.report import Pair, corrected, pair, report_on
from core.experiments.running.folder import Experiment
from core.experiments.running.trials import Trial


@dataclass(frozen=True)
class Side:
    """One arm of an experiment, with its rows."""

    name: str
    trials: tuple[Trial, ...]
    unranked: str


def side(experiment: Experiment, arm: str, backbone: str = "") -> Side:
    """The rows of an arm.

    Raises:
        SageError: There is no such arm, or it was run with several backbones and none is named.
    """
    experiment.plan.arm(arm)
    report = report_on(experiment)
    rows = [
        trial
        for trial in report.trials
        if trial.arm == arm and backbone in {"", trial.backbone}
    ]
    backbones = sorted({trial.backbone for trial in rows})
    if len(backbones) != 1:
        raise SageError(
            "The arm {arm} of {folder} has results of {found}.",
            f"Name one: {arm_name(arm, 'BACKBONE')}." if backbones else "Run it first.",
            arm=arm,
            folder=experiment.folder,
            found=", ".join(backbones) or "no backbone",
        )
    return Side(
        f"{experiment.folder.name}:{arm_name(arm, backbones[0])}",
        tuple(rows),
        report.unranked,
    )


def compared(first: Side, others: Sequence[Side], seed: int = 0) -> tuple[Pair, ...]:
    """Test the first side against each of the others.

    Raises:
        SageError: One of them ranks nothing, or they were judged otherwise.
    """
    for one in (first, *others):
        if one.unranked:
            raise SageError(
                "{one} is not compared: {unranked}", one=one.name, unranked=one.unranked
            )
    for other in others:
        for name, what in (("judge", "judged by"), ("rule", "judged under the rule")):
            kinds = [
                sorted({_key(trial, name) for trial in one.trials})
                for one in (first, other)
            ]
            if kinds[0] != kinds[1]:
                raise SageError(
                    "{first} was {what} {kinds}, {other} {other_kinds}.",
                    "Figures of different evaluators are not compared.",
                    first=first.name,
                    what=what,
                    kinds=", ".join(kinds[0]),
                    other=other.name,
                    other_kinds=", ".join(kinds[1]),
                )
        if not {trial.operator for trial in first.trials} & {
            trial.operator for trial in other.trials
        }:
            raise SageError(
                "{first} and {other} have no operator in common.",
                first=first.name,
                other=other.name,
            )
    return corrected(
        [
            pair(first.trials, other.trials, seed, (first.name, other.name))
            for other in others
        ]
    )


def _key(trial: Trial, name: str) -> str:
    if name == "rule":
        return "paper" if "rule=paper" in trial.method else "of the operator"
    return str(getattr(trial, name))
