"""The raw rows of an experiment: one result of one operator in one cell, with what tells it from others."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, replace

from core.agent.run.journal import Journal
from core.agent.run.limits import Limits, Meter
from core.analysis.results import RunResults, read_runs
from core.analysis.rules import RULES, rules_met
from core.evaluation.metrics import OperatorResult
from core.evaluation.secret_seeds import inputs_digest
from core.experiments.plans.cells import Cell
from core.experiments.running.folder import Experiment
from core.models.port import RECORDINGS, ModelOrigin
from core.same_fields import record_of
from core.workspace import Workspace


@dataclass(frozen=True)
class Trial:
    """One row of `trials.csv`; latencies are in microseconds.

    Attributes:
        arm: Name in the plan.
        backbone: Name in the plan.
        repeat: From 1 on.
        operator: Name.
        level: Difficulty, 0 outside the benchmark.
        reported: Whether it stands in the tables.
        complete: Whether it came to its end; one that was interrupted may continue.
        confined: Whether all its kernels were judged in a sandbox; otherwise it is in no figure.
        compiled: Whether a candidate built.
        correct: Whether one passed.
        paper: Whether one passes under the paper's rule, whichever decided.
        benchmark: Likewise under the benchmark's own.
        ulp: Likewise under 2 units in the last place.
        t_first: Of the first correct kernel.
        t_best: Of the best one.
        t_reference: Of torch_npu on the same device.
        reference_of: What that timed: the call a user would replace, or `reference.py` and why.
        origin: measured, modelled or replayed; empty where nothing was timed.
        method: Method, and what was chosen differently from the paper.
        model: Who wrote the kernels.
        model_origin: live, recorded, scripted or manual.
        judge: Host, toolchain and processor.
        inputs: Digest of what the seeds of all inputs were mixed with; empty: the published ones.
        memory: sha256 of what the memory began with, or of the frozen memory that was read.
        rounds: Used.
        model_calls: Replies.
        tokens: Of prompts and replies; None where no model is asked: a replay, the stand-in. So are cost and seconds.
        tokens_estimated: Whether some were counted here because no server told them.
        cost: At the prices given; None without prices.
        seconds: Of model and judge.
        trajectory: Uid in the cell's workspace.
    """

    arm: str
    backbone: str
    repeat: int
    operator: str
    level: int
    reported: bool
    complete: bool
    confined: bool
    compiled: bool
    correct: bool
    paper: bool
    benchmark: bool
    ulp: bool
    t_first: float | None
    t_best: float | None
    t_reference: float | None
    reference_of: str
    origin: str
    method: str
    model: str
    model_origin: str
    judge: str
    inputs: str
    memory: str
    rounds: int
    model_calls: int
    tokens: int | None
    tokens_estimated: bool
    cost: float | None
    seconds: float | None
    trajectory: str

    @property
    def counts(self) -> bool:
        """Whether it is in the figures."""
        return self.reported and self.confined

    @property
    def result(self) -> OperatorResult:
        """What the paper's metrics take."""
        return record_of(
            OperatorResult, self, origin=self.arm, incomplete=not self.complete
        )


_ASK_NO_MODEL = RECORDINGS | {ModelOrigin.STAND_IN}
# Differ from run to run of the same thing.
NOT_FIGURES = frozenset({"seconds", "trajectory"})


@dataclass(frozen=True)
class MemoryState:
    """The memory of a cell as it is now, all residents together; of a frozen one, that which is read.

    Attributes:
        experiences: Items that may be retrieved or are resident.
        retrieved: Those retrieved in an episode.
        adopted: Those adopted in one.
        useful: Those of positive utility.
        validated: Those past the gates, residents included.
        residents: Rules in hot memory.
        tokens: Of the rules in hot memory.
        frozen: sha256 of the frozen memory; empty where the memory is the cell's own.
        is_unchanged: Whether the frozen memory still has that sha256; None without one.
    """

    cell: str
    experiences: int
    retrieved: int
    adopted: int
    useful: int
    validated: int
    residents: int
    tokens: int
    frozen: str = ""
    is_unchanged: bool | None = None


_ROUNDS = """
SELECT t.rounds_used, t.latency_origin, count(c.id),
  coalesce(sum(c.id IS NOT NULL AND (c.prompt_tokens IS NULL OR c.completion_tokens IS NULL)), 0)
FROM trajectory t LEFT JOIN model_call c ON c.trajectory_uid = t.uid WHERE t.uid = ?
"""
_MEMORY = """
SELECT count(*) AS experiences, coalesce(sum(n_ret > 0), 0) AS retrieved,
  coalesce(sum(n_ado > 0), 0) AS adopted, coalesce(sum(u_m > 0), 0) AS useful,
  coalesce(sum(sigma <> 'normal'), 0) AS validated, coalesce(sum(hot_region), 0) AS residents,
  coalesce(sum(hot_region * L_m), 0) AS tokens
FROM item WHERE state = 'active'
"""


_JUDGED = """
SELECT t.operator, r.candidate, r.verdict = 'fail-build', count(*)
FROM round r JOIN trajectory t ON t.uid = r.trajectory_uid JOIN queue_entry q ON q.id = t.queue_id
WHERE q.label = ? AND r.verdict NOT IN ('', 'void') GROUP BY 1, 2, 3
"""


def judged_kernels(experiment: Experiment) -> tuple[int, int]:
    """(rounds with a verdict, different kernels with different inputs among them) of all cells so far."""
    rounds, kernels = 0, set[tuple[str, str, str]]()
    for cell in experiment.cells:
        path = experiment.workspace(cell)
        if not path.is_file():
            continue
        with Workspace.open_readonly(path) as workspace:
            inputs = inputs_digest(workspace)
            for operator, kernel, unbuilt, count in workspace.db.execute(
                _JUDGED, (cell.label,)
            ):
                rounds += count
                # What does not build meets no input.
                kernels.add((operator, kernel, "" if unbuilt else inputs))
    return rounds, len(kernels)


def read_trials(experiment: Experiment, cell: Cell) -> tuple[Trial, ...]:
    """The rows of a cell so far, by operator; none before it was begun."""
    path = experiment.workspace(cell)
    if not path.is_file():
        return ()
    plan, trials = experiment.plan, list[Trial]()
    with Workspace.open_readonly(path) as workspace:
        prices = experiment.prices(workspace)
        for run in read_runs(workspace.db, at_rest=True):
            if run.kind.label != cell.label or run.kind.edited:
                continue
            for trial in trials_of(
                workspace, run, (cell.arm.name, cell.backbone, cell.repeat), prices
            ):
                reported = cell.arm.is_reported and plan.is_told(trial.operator)
                trials.append(replace(trial, reported=reported))
    return tuple(sorted(trials, key=lambda trial: (trial.operator, trial.trajectory)))


def trials_of(
    workspace: Workspace,
    run: RunResults,
    named: tuple[str, str, int],
    prices: tuple[float, float, float],
    only: Collection[str] | None = None,
) -> Iterator[Trial]:
    """The rows of one run, those that count nowhere included.

    Args:
        workspace: Of the run; reading is enough.
        run: As `read_runs` found it.
        named: Arm, backbone and repeat.
        prices: Of a million prompt, cached and reply tokens; all 0 where they are not known.
        only: Uids of the trajectories wanted; None for all.
    """
    arm, backbone, repeat = named
    limits = Limits(
        price_input=prices[0], price_cached=prices[1], price_output=prices[2]
    )
    meter, inputs = Meter(limits, Journal(workspace)), inputs_digest(workspace)
    for result in (*run.results, *run.left_out):
        if only is not None and result.trajectory not in only:
            continue
        spent = (
            None
            if run.kind.model_origin in _ASK_NO_MODEL
            else meter.spent(result.trajectory)
        )
        rounds, origin, calls, untold = workspace.db.execute(
            _ROUNDS, (result.trajectory,)
        ).fetchone()
        met = rules_met(workspace.db, result.trajectory)
        yield record_of(
            Trial,
            {**vars(run.kind), **vars(result)},
            arm=arm,
            backbone=backbone,
            repeat=repeat,
            reported=not run.kind.edited,  # what a person wrote says nothing about the method
            complete=not result.incomplete,
            confined=result.operator not in run.unconfined,
            origin=origin,
            **{rule: rule in met for rule in RULES},
            inputs=inputs,
            rounds=rounds,
            model_calls=calls,
            tokens=spent.tokens if spent else None,
            tokens_estimated=bool(spent and untold),
            cost=spent.cost if spent and any(prices) else None,
            seconds=spent.seconds if spent else None,
        )


def read_memory(experiment: Experiment, cell: Cell) -> MemoryState | None:
    """The memory of a cell, None before it was begun."""
    path, frozen = experiment.workspace(cell), experiment.frozen(cell)
    if not path.is_file():
        return None
    claimed = ""
    if frozen is not None:
        with Workspace.open_readonly(path) as run:
            claimed = run.meta("frozen_memory")
    with (
        Workspace.open_frozen(frozen)
        if frozen
        else Workspace.open_readonly(path) as workspace
    ):
        counts = dict(workspace.db.execute(_MEMORY).fetchone())
        same = workspace.digest() == claimed if frozen else None
    return MemoryState(cell.label, **counts, frozen=claimed, is_unchanged=same)


def figures_digest(trials: tuple[Trial, ...]) -> str:
    """sha256 over every row without clocks and random names: equal for a run that was never interrupted."""
    names = [entry.name for entry in fields(Trial) if entry.name not in NOT_FIGURES]
    lines = sorted(repr([getattr(trial, name) for name in names]) for trial in trials)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
