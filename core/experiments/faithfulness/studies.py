"""The faithfulness studies of an experiment: which rounds of which cells, how far they are, what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.experiments.faithfulness.analysis import (
    ALTERED,
    Faithfulness,
    Outcome,
    TestedAdoption,
    Trial,
    analysed,
    declared_adoption,
    planned_trials,
    recorded_rounds,
    tested_adoptions,
)
from core.experiments.faithfulness.live import usable_rounds
from core.experiments.faithfulness.outcomes import read_outcomes
from core.experiments.plans.cells import Cell, Progress
from core.experiments.running.folder import Experiment
from core.experiments.statistics import rank_correlation
from core.memory.replay.credit import Denied, replay_credit
from core.memory.replay.fixed_bank import MASKED, write_fixed_bank
from core.private import private_folder
from core.workspace import Workspace


@dataclass(frozen=True)
class MaskedItem:
    """An item some of whose adoptions were put to the test.

    Attributes:
        uid: Of the item.
        title: Of the item.
        tested: Episodes whose adoption of it was tested.
        upheld: Those whose rounds needed it.
        declared: u, from adoption as it was declared.
        masked: u, from the adoptions that were upheld or not tested.
    """

    uid: str
    title: str
    tested: int
    upheld: int
    declared: float
    masked: float


@dataclass(frozen=True)
class MaskedCredit:
    """Credit from masked replays beside credit from declared adoption, over the same episodes.

    Attributes:
        adoptions: Declared ones, an item and an episode each.
        tested: Those put to the test.
        upheld: Those of them whose rounds needed the item.
        items: Those with a tested adoption, by how much their u differs.
        rho: Rank correlation of both utilities over these items; None: not defined.
    """

    adoptions: int
    tested: int
    upheld: int
    items: tuple[MaskedItem, ...]
    rho: float | None


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
        credit: What the masked replays among them give the items.
    """

    cell: str
    trials: int
    left_out: int
    tokens: int | None
    faithfulness: Faithfulness
    outcomes: tuple[Outcome, ...]
    credit: MaskedCredit


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
    conditions = () if plan.items_only else ALTERED
    trials = planned_trials(
        usable, plan.rounds, plan.repeats, experiment.plan.seed, conditions
    )
    return trials, len(left_out)


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
        credit = masked_credit(workspace, outcomes)
    tokens = [outcome.tokens for outcome in outcomes]
    total = None if None in tokens else sum(filter(None, tokens))
    return CellStudy(
        cell.label, len(trials), left_out, total, analysis, outcomes, credit
    )


def masked_credit(workspace: Workspace, outcomes: Sequence[Outcome]) -> MaskedCredit:
    """What masked replays give the items of a memory, beside what their declared adoption gave them."""
    tested = tested_adoptions(outcomes, recorded_rounds(workspace))
    utilities = {
        row.uid: row
        for row in replay_credit(workspace, _denied(tested), credit_rule="atu")
    }
    declared = declared_adoption(workspace)
    items = []
    for uid in dict.fromkeys(adoption.item for adoption in tested):
        mine = [adoption for adoption in tested if adoption.item == uid]
        if uid not in utilities or uid not in declared:
            continue
        items.append(
            MaskedItem(
                uid,
                declared[uid].title,
                len(mine),
                sum(adoption.is_upheld for adoption in mine),
                utilities[uid].stored,
                utilities[uid].replayed,
            )
        )
    items.sort(key=lambda item: (-abs(item.declared - item.masked), item.uid))
    adoptions = {
        (recorded.episode, item)
        for recorded in recorded_rounds(workspace)
        for item in recorded.adopted
    }
    return MaskedCredit(
        len(adoptions),
        len(tested),
        sum(adoption.is_upheld for adoption in tested),
        tuple(items),
        rank_correlation(
            [item.declared for item in items], [item.masked for item in items]
        ),
    )


def write_masked_memories(experiment: Experiment, cell: Cell) -> bool:
    """Write what the finished study of a cell makes of its memory, for the arms that read it so.

    Returns:
        Whether one was written that was not there.
    """
    readers = [
        reader
        for reader in experiment.cells
        if reader.arm.ranking == MASKED and experiment.donor(reader) == cell.label
    ]
    targets = {experiment.frozen(reader) for reader in readers}
    missing = [target for target in targets if target and not target.exists()]
    if not missing:
        return False
    outcomes = read_outcomes(study_file(experiment, cell))
    with Workspace.open_readonly(experiment.workspace(cell)) as workspace:
        tested = tested_adoptions(outcomes, recorded_rounds(workspace))
        for target in missing:
            private_folder(target.parent, ours=True)
            write_fixed_bank(workspace, target, MASKED, _denied(tested))
    return True


def _denied(tested: Sequence[TestedAdoption]) -> Denied:
    """The adoptions without which the rounds did as well."""
    denied: dict[str, set[str]] = {}
    for adoption in tested:
        if not adoption.is_upheld:
            denied.setdefault(adoption.episode, set()).add(adoption.item)
    return denied
