"""The faithfulness studies of an experiment: which rounds of which cells, how far they are, what they say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.experiments.faithfulness.analysis import (
    Faithfulness,
    Outcome,
    Trial,
    analysed,
    declared_adoption,
    planned_trials,
)
from core.experiments.faithfulness.live import usable_rounds
from core.experiments.faithfulness.outcomes import read_outcomes
from core.experiments.plans.cells import Cell, Progress
from core.experiments.running.folder import Experiment
from core.workspace import Workspace


@dataclass(frozen=True)
class CellStudy:
    """What the rounds of one cell gave when they were played again.

    Attributes:
        cell: Its label.
        trials: How many the study has.
        left_out: Rounds whose prompt does not hold their experiences as they are rendered.
        tokens: Of all replies; None where no server told them.
        found: What the outcomes amount to so far.
        outcomes: Those outcomes.
    """

    cell: str
    trials: int
    left_out: int
    tokens: int | None
    found: Faithfulness
    outcomes: tuple[Outcome, ...]


def study_name(cell: Cell) -> str:
    """What progress and reports call it."""
    return f"{cell.label} again"


def study_file(experiment: Experiment, cell: Cell) -> Path:
    """Where its outcomes are; need not be there yet."""
    return experiment.folder / "faithfulness" / f"{cell.label}.jsonl"


def studied_cells(experiment: Experiment) -> tuple[Cell, ...]:
    """Cells whose rounds are played again; none where the plan asks for no study."""
    plan = experiment.plan.faithfulness
    return (
        ()
        if plan is None
        else tuple(cell for cell in experiment.cells if cell.arm.name == plan.arm)
    )


def trials_of(
    experiment: Experiment, workspace: Workspace
) -> tuple[tuple[Trial, ...], int]:
    """The trials of a finished cell, the same ones each time, and how many rounds were left out."""
    plan = experiment.plan.faithfulness
    assert plan is not None
    usable, left_out = usable_rounds(workspace)
    return planned_trials(usable, plan.rounds, plan.repeats, experiment.plan.seed), len(
        left_out
    )


def study_progress(experiment: Experiment, cell: Cell) -> Progress:
    """How far it is: it waits for its cell, and counts trials."""
    if not experiment.is_done(cell.label):
        return Progress("waiting", 0)
    with Workspace.open_readonly(experiment.workspace(cell)) as workspace:
        trials, _ = trials_of(experiment, workspace)
    outcomes = read_outcomes(study_file(experiment, cell))
    void = sum(outcome.success is None for outcome in outcomes)
    judged = len(outcomes) - void
    state = "done" if judged >= len(trials) else "begun" if outcomes else "new"
    spoiled = f"{void} void, because the environment failed; the next run repeats them"
    unusable = "no round can be replayed"
    return Progress(
        state,
        len(trials),
        judged,
        void,
        sum(bool(outcome.success) for outcome in outcomes),
        spoiled if void else "" if trials else unusable,
    )


def read_study(experiment: Experiment, cell: Cell) -> CellStudy | None:
    """What is known of it; None before the first outcome."""
    outcomes = read_outcomes(study_file(experiment, cell))
    if not outcomes:
        return None
    with Workspace.open_readonly(experiment.workspace(cell)) as workspace:
        trials, left_out = trials_of(experiment, workspace)
        analysis = analysed(outcomes, declared_adoption(workspace))
    tokens = [outcome.tokens for outcome in outcomes]
    total = None if None in tokens else sum(filter(None, tokens))
    return CellStudy(cell.label, len(trials), left_out, total, analysis, outcomes)
