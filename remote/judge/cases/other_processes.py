"""Cores that hand values on where no core of a device can: in memory of the process they run in.

Which blocks run in which of the kernel's processes is drawn for each run. A core that takes a number from
another one in its process, where it is there, pays for it elsewhere when others run beside it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from core.operators.spec import TestCase
from remote.judge.cases.one_case import launched_again
from remote.judge.cases.outcome import CaseOutcome, CaseTask
from remote.judge.running.answers import Launch

_RULE = "shared-process"
_COMPLAINT = (
    "what a core costs depends on which others run in its process: cores hand values on outside of global "
    "memory, which no device has"
)


def case_to_regroup(
    cases: Sequence[TestCase], outcomes: Sequence[CaseOutcome], seed: str
) -> str:
    """Name of the timed case that is run once more; empty for none.

    It is drawn in proportion to its latency: so much a kernel gains there by cores that cost too little.

    Args:
        cases: Of the evaluation.
        outcomes: Theirs, in the same order.
        seed: What no candidate knows before it is built.
    """
    weights: dict[str, float] = {}
    for case, outcome in zip(cases, outcomes, strict=True):
        launch = outcome.launch
        if launch is None or not case.timed or outcome.row.status != "pass":
            continue
        if len(launch.cores) > 1:
            weights[case.name] = launch.modelled_us
    if not weights:
        return ""
    chance = random.Random(seed)
    return chance.choices(list(weights), list(weights.values()))[0]


def try_other_processes(outcome: CaseOutcome, task: CaseTask) -> None:
    """Run a case that passed with its cores in other processes; it fails where a core costs something else.

    Raises:
        EnvironmentFault: The machine failed, not the candidate.
        Cancelled: The job was cancelled.
    """
    settings = replace(task.settings, regrouped=True, trace=False)
    other = launched_again(replace(task, settings=settings))
    if _costs(other) != _costs(outcome.launch):
        outcome.findings.append(task.finding(_RULE, _COMPLAINT))
        outcome.fail(task.case, "run-error", _COMPLAINT)


def _costs(launch: Launch | None) -> list[tuple[str, int, float]]:
    """Cycles of each core, to a part of a cycle."""
    cores = () if launch is None else launch.cores
    return [(core.unit, core.core, round(core.total_cycles, 3)) for core in cores]
