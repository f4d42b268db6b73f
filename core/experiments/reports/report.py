"""The figures of an experiment from its raw rows: what the paper's tables hold, with intervals and tests.

With several repeats a figure is the mean over repeats of the paper's figure of each; intervals draw
operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import TypeVar

import numpy as np

from core.analysis.rules import RULES
from core.evaluation.metrics import Metrics, OperatorResult, metrics
from core.experiments.faithfulness.studies import (
    CellStudy,
    read_study,
    studied_cells,
    study_name,
    study_progress,
)
from core.experiments.plans.cells import Progress
from core.experiments.plans.plan import arm_name
from core.experiments.reports.trust import trust_notes, watermarks
from core.experiments.running.folder import Experiment
from core.experiments.running.trials import (
    MemoryState,
    Trial,
    figures_digest,
    judged_kernels,
    read_memory,
    read_trials,
)
from core.experiments.statistics import (
    Interval,
    McNemar,
    Table,
    Wilcoxon,
    defined,
    holm,
    interval,
    mcnemar,
    mean_median,
    mean_rate,
    wilcoxon,
)
from core.models.port import RECORDINGS
from core.replay.standin import STAND_IN
from core.same_fields import record_of

_NAMED = 4  # unfinished runs that a sentence names
Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Figure:
    """A number of a table; None is shown as n/a.

    Attributes:
        value: Mean over repeats.
        interval: 95 %, over operators; None where there are fewer than two.
        by_repeat: The paper's figure of each repeat.
    """

    value: float | None
    interval: Interval | None
    by_repeat: tuple[float | None, ...]


@dataclass(frozen=True)
class ArmFigures:
    """One arm with one backbone; the row of a table.

    Attributes:
        arm: Name in the plan.
        title: For people.
        backbone: Name in the plan.
        method: As stored with its trajectories; several only when `is_mixed`.
        model: Who wrote the kernels.
        model_origin: live, recorded, scripted or manual.
        judge: Host, toolchain, processor.
        origin: Where latencies come from.
        memories: sha256 of what the memory of each repeat began with, or of the one it read.
        operators: How many have a result.
        solved: By repeat.
        incomplete: Rows that were interrupted; they count in CR and ER with what they have so far.
        unconfined: Rows that were judged without a sandbox and count nowhere.
        compilation_rate: CR.
        execution_rate: ER.
        execution_rate_by_level: Level -> ER.
        execution_rate_by_rule: paper, benchmark and ulp -> ER, had that rule judged the same kernels.
        fast: Fast_1.0 over `with_reference`.
        with_reference: Solved operators with a reference latency, by repeat.
        self_speedup: S_self, the median.
        self_speedup_range: Smallest and largest T_first / T_best.
        reference_speedup: Median of T_ref / T_best.
        reference_speedup_range: Smallest and largest.
        tokens: Of all rows; None for replays and the stand-in.
        tokens_estimated: Whether some were counted here.
        cost: Of all rows, None where no price is known.
        seconds: Of model and judge.
        is_mixed: Whether its rows differ in method, model, judge or clock.
    """

    arm: str
    title: str
    backbone: str
    method: str
    model: str
    model_origin: str
    judge: str
    origin: str
    memories: tuple[str, ...]
    operators: int
    solved: tuple[int, ...]
    incomplete: int
    unconfined: int
    compilation_rate: Figure
    execution_rate: Figure
    execution_rate_by_level: dict[str, Figure]
    execution_rate_by_rule: dict[str, Figure]
    fast: Figure
    with_reference: tuple[int, ...]
    self_speedup: Figure
    self_speedup_range: tuple[float, float] | None
    reference_speedup: Figure
    reference_speedup_range: tuple[float, float] | None
    tokens: int | None
    tokens_estimated: bool
    cost: float | None
    seconds: float | None
    is_mixed: bool

    @property
    def name(self) -> str:
        """ARM@BACKBONE, as everywhere."""
        return arm_name(self.arm, self.backbone)


@dataclass(frozen=True)
class Pair:
    """Two arms over the operators both have a result for, repeat by repeat.

    Attributes:
        first: Name of the arm the plan compares others with.
        second: Name of the other.
        operators: Operators of both.
        same_inputs: Whether every operator was judged with the same inputs in both, in every repeat.
        difference: ER of first minus ER of second, with its paired interval.
        correctness: Exact McNemar.
        speed: Wilcoxon over the operators both solved; None where latencies are of different origin.
        p_correctness: `correctness.p` after Holm over the pairs of the report.
        p_speed: `speed.p` likewise.
    """

    first: str
    second: str
    operators: int
    same_inputs: bool
    difference: Figure
    correctness: McNemar
    speed: Wilcoxon | None
    p_correctness: float | None = None
    p_speed: float | None = None


@dataclass(frozen=True)
class Report:
    """Everything a report shows, for JSON and for the page.

    Attributes:
        name: Of the plan.
        title: Of the plan.
        paper: The table or figure of the paper it stands for.
        question: What it answers.
        cold_start: sha256 of the memory every arm begins with.
        texts: sha256 of prompts, skills, references and operators every arm is run with; empty: not kept.
        experiences: How many that holds.
        watermarks: What a reader must not overlook; `replayed` is one.
        unranked: Why no arm is said to be better than another; empty where the tests are meaningful.
        arms: Rows of the tables.
        pairs: Tests; none while `unranked` says why.
        progress: Cell -> how far it is.
        memory: The memory of every cell now.
        trials: Raw rows.
        figures_sha256: Over the raw rows without clocks and random names.
        notes: Trust lines, and what a reader has to know.
        studies: Whether adoption is true, of every cell whose rounds were played again.
        bars: Operators whose speed-ups are drawn; empty: all.
        beside: Arms whose backbones are drawn beside each other.
    """

    name: str
    title: str
    paper: str
    question: str
    cold_start: str
    texts: str
    experiences: int
    watermarks: tuple[str, ...]
    unranked: str
    arms: tuple[ArmFigures, ...]
    pairs: tuple[Pair, ...]
    progress: dict[str, Progress]
    memory: tuple[MemoryState, ...]
    trials: tuple[Trial, ...]
    figures_sha256: str
    notes: tuple[str, ...] = field(default_factory=tuple)
    studies: tuple[CellStudy, ...] = ()
    bars: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


# (arm, backbone) -> its rows.
_Groups = dict[tuple[str, str], list[Trial]]


def report_on(experiment: Experiment) -> Report:
    """Compute every figure of an experiment as far as it is."""
    plan = experiment.plan
    trials = tuple(
        trial for cell in experiment.cells for trial in read_trials(experiment, cell)
    )
    progress = {cell.label: experiment.progress(cell) for cell in experiment.cells}
    studied = studied_cells(experiment)
    progress |= {study_name(cell): study_progress(experiment, cell) for cell in studied}
    memories = [read_memory(experiment, cell) for cell in experiment.cells]
    memory = [state for state in memories if state is not None]
    groups: _Groups = {}
    for backbone, arm in product(plan.backbones, plan.arms):
        if arm.is_reported:
            groups[arm.name, backbone.name] = []
    for trial in trials:
        key = (trial.arm, trial.backbone)
        if key in groups:
            groups[key].append(trial)
    arms = tuple(
        arm_figures(rows, plan.arm(name).label, plan.seed)
        for (name, _), rows in groups.items()
        if _counting(rows)
    )
    unranked = _why_unranked(arms, progress)
    pairs: tuple[Pair, ...] = ()
    if not unranked and plan.against:
        pairs = _pairs_against(plan.against, groups, plan.seed)
    studies = [read_study(experiment, cell) for cell in studied]
    return record_of(
        Report,
        plan,
        cold_start=experiment.record.cold_start,
        texts=experiment.record.texts,
        experiences=experiment.record.experiences,
        watermarks=watermarks(trials, progress),
        unranked=unranked,
        arms=arms,
        pairs=pairs,
        progress=progress,
        memory=tuple(memory),
        trials=trials,
        figures_sha256=figures_digest(trials),
        notes=(*trust_notes(trials, memory, progress), *_reuse_notes(experiment)),
        studies=tuple(study for study in studies if study is not None),
    )


def _pairs_against(against: str, groups: _Groups, seed: int) -> tuple[Pair, ...]:
    """Every other arm beside the arm `against` of its backbone, where both have rows of an operator."""
    pairs = []
    for (name, backbone), rows in groups.items():
        of_against = groups.get((against, backbone), [])
        if name != against and _common(rows, of_against):
            pairs.append(pair(of_against, rows, seed))
    return corrected(pairs)


def _reuse_notes(experiment: Experiment) -> tuple[str, ...]:
    """How many rounds of the stand-in share an evaluation; none where every round has its own."""
    if {backbone.profile for backbone in experiment.plan.backbones} != {STAND_IN}:
        return ()
    rounds, kernels = judged_kernels(experiment)
    return (_REUSE.format(rounds=rounds, kernels=kernels),) if rounds else ()


_REUSE = (
    "{rounds} rounds have a verdict; they hold {kernels} different kernels with different inputs. Each of these "
    "is judged once, and its evaluation stands in all arms of a repeat, whose inputs are the same; one that does "
    "not build meets no inputs and stands in all repeats."
)


def arm_figures(trials: Sequence[Trial], title: str, seed: int) -> ArmFigures:
    """The figures of the rows of one arm with one backbone."""
    arm = _ArmRows(_counting(trials), seed)
    rows = arm.rows
    by_repeat = arm.by_repeat
    kinds: dict[str, list[str]] = {}
    for name in _KEY:
        values = {getattr(row, name) for row in rows}
        kinds[name] = sorted(values - {""})
    levels = sorted({row.level for row in rows})
    by_repeat_rows = sorted(rows, key=lambda row: row.repeat)
    memories = [row.memory for row in by_repeat_rows]
    return ArmFigures(
        arm=rows[0].arm,
        title=title,
        backbone=rows[0].backbone,
        **{name: " + ".join(values) for name, values in kinds.items()},
        memories=tuple(dict.fromkeys(memories)),
        operators=len(arm.operators),
        solved=tuple(repeat.solved for repeat in by_repeat),
        incomplete=sum(not row.complete for row in rows),
        unconfined=sum(not row.confined for row in trials),
        compilation_rate=arm.figure(
            lambda row: float(row.compiled), lambda repeat: repeat.compilation_rate
        ),
        execution_rate=arm.figure(_correct, lambda repeat: repeat.execution_rate),
        execution_rate_by_level={
            str(level): arm.execution_rate(level) for level in levels
        },
        execution_rate_by_rule={rule: arm.execution_rate_under(rule) for rule in RULES},
        fast=arm.figure(_fast, lambda repeat: repeat.fast),
        with_reference=tuple(repeat.with_reference for repeat in by_repeat),
        self_speedup=arm.figure(
            _self_speedup, lambda repeat: repeat.self_speedup, mean_median
        ),
        self_speedup_range=_range(map(_self_speedup, rows)),
        reference_speedup=arm.figure(
            _reference_speedup, lambda repeat: repeat.reference_speedup, mean_median
        ),
        reference_speedup_range=_range(map(_reference_speedup, rows)),
        tokens=_total([row.tokens for row in rows]),
        tokens_estimated=any(row.tokens_estimated for row in rows),
        cost=_total([row.cost for row in rows]),
        seconds=_total([row.seconds for row in rows]),
        is_mixed=any(len(values) > 1 for values in kinds.values()),
    )


class _ArmRows:
    """The rows of one arm with one backbone, and a figure of any number each of them has.

    Attributes:
        rows: All of them.
        operators: Names, sorted.
        repeats: Numbers, ascending.
        by_repeat: Metrics of each repeat.
    """

    def __init__(self, rows: Sequence[Trial], seed: int) -> None:
        self.rows = rows
        self.operators = sorted({row.operator for row in rows})
        self.repeats = sorted({row.repeat for row in rows})
        self.by_repeat = [self._metrics(repeat) for repeat in self.repeats]
        self._seed = seed

    def _metrics(self, repeat: int) -> Metrics:
        return metrics([row.result for row in self.rows if row.repeat == repeat])

    def figure(
        self,
        value: Callable[[Trial], float | None],
        of_repeat: Callable[[Metrics], float | None],
        mean: Callable[[Table], Table] = mean_rate,
        operators: Sequence[str] | None = None,
    ) -> Figure:
        """A figure over operators and repeats.

        Args:
            value: Of a row; None where it has none.
            of_repeat: The same figure of one repeat's metrics.
            mean: How values become one number.
            operators: Only these.
        """
        names = self.operators if operators is None else operators
        table = _table(self.rows, self.repeats, names, value)
        return Figure(
            defined(mean(table)),
            interval(table, mean, self._seed),
            tuple(map(of_repeat, self.by_repeat)),
        )

    def execution_rate(self, level: int) -> Figure:
        """The share of operators of one level that were solved."""
        of_level = {row.operator for row in self.rows if row.level == level}
        return self.figure(
            _correct,
            lambda repeat: repeat.execution_rate_by_level.get(level),
            operators=sorted(of_level),
        )

    def execution_rate_under(self, rule: str) -> Figure:
        """The share of operators with a kernel that passes under a rule, whichever decided."""
        value = partial(_passes, rule=rule)
        table = _table(self.rows, self.repeats, self.operators, value)
        return Figure(
            defined(mean_rate(table)),
            interval(table, mean_rate, self._seed),
            tuple(defined(mean_rate(row[None])) for row in table),
        )


def _passes(row: Trial, rule: str) -> float:
    return float(getattr(row, rule))


def _correct(row: Trial) -> float:
    return float(row.correct)


def _best_latency(row: Trial) -> float | None:
    return _final(row).t_best


def _self_speedup(row: Trial) -> float | None:
    return _final(row).self_speedup


def _reference_speedup(row: Trial) -> float | None:
    return _final(row).reference_speedup


def _fast(row: Trial) -> float | None:
    """1 where the best kernel beats the reference; None where there is no reference."""
    ratio = _reference_speedup(row)
    return None if ratio is None else float(ratio > 1.0)


def _range(values: Iterable[float | None]) -> tuple[float, float] | None:
    """Smallest and largest value; None without any."""
    numbers = [value for value in values if value is not None]
    return (min(numbers), max(numbers)) if numbers else None


def pair(
    first: Sequence[Trial],
    second: Sequence[Trial],
    seed: int,
    names: tuple[str, str] | None = None,
) -> Pair:
    """Compare two arms over the operators both have rows of."""
    one = _counting(first)
    two = _counting(second)
    operators = sorted(_common(one, two))
    repeats_of_one = {row.repeat for row in one}
    repeats_of_two = {row.repeat for row in two}
    repeats = sorted(repeats_of_one & repeats_of_two)
    # [repeats, operators] of both arms.
    correct = [_table(rows, repeats, operators, _correct) for rows in (one, two)]
    best = [_table(rows, repeats, operators, _best_latency) for rows in (one, two)]
    difference = correct[0] - correct[1]
    # Latencies of different clocks are not compared.
    clocks = {row.origin for row in (*one, *two)} - {""}
    inputs_of_one = _inputs(one, operators, repeats)
    inputs_of_two = _inputs(two, operators, repeats)
    if names is None:
        names = (
            arm_name(one[0].arm, one[0].backbone),
            arm_name(two[0].arm, two[0].backbone),
        )
    return Pair(
        *names,
        operators=len(operators),
        same_inputs=inputs_of_one == inputs_of_two,
        difference=Figure(
            defined(mean_rate(difference)),
            interval(difference, mean_rate, seed),
            tuple(defined(mean_rate(row[None])) for row in difference),
        ),
        correctness=mcnemar(*correct),
        speed=wilcoxon(*best) if len(clocks) == 1 else None,
    )


def corrected(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs of one table with p values that hold for all of them together."""
    correctness = holm([one.correctness.p for one in pairs])
    speed = holm([one.speed.p if one.speed else None for one in pairs])
    return tuple(
        replace(one, p_correctness=p, p_speed=q)
        for one, p, q in zip(pairs, correctness, speed, strict=True)
    )


_KEY = ("method", "model", "model_origin", "judge", "origin")


def _counting(rows: Sequence[Trial]) -> list[Trial]:
    return [row for row in rows if row.counts]


def _common(first: Sequence[Trial], second: Sequence[Trial]) -> set[str]:
    """Operators that count in both."""
    return {row.operator for row in _counting(first)} & {
        row.operator for row in _counting(second)
    }


def _inputs(
    rows: Sequence[Trial], operators: Sequence[str], repeats: Sequence[int]
) -> set[tuple[str, int, str]]:
    """Operator, repeat and digest of the inputs of the rows that are compared."""
    return {
        (row.operator, row.repeat, row.inputs)
        for row in rows
        if row.operator in operators and row.repeat in repeats
    }


def _total(values: Sequence[Number | None]) -> Number | None:
    """The sum of what is known; None where nothing is."""
    listed = [value for value in values if value is not None]
    if not listed:
        return None
    first, *rest = listed
    return sum(rest, start=first)


def _final(row: Trial) -> OperatorResult:
    """A row for its latencies, which count when it is correct and at its end."""
    if row.correct and row.complete:
        return row.result
    return replace(row.result, t_first=None, t_best=None, t_reference=None)


def _table(
    rows: Sequence[Trial],
    repeats: Sequence[int],
    operators: Sequence[str],
    value: Callable[[Trial], float | None],
) -> Table:
    """[repeats, operators] a number of each row; NaN where there is no row, or it has no such number."""
    shape = (len(repeats), len(operators))
    table = np.full(shape, np.nan)
    line_of = {repeat: line for line, repeat in enumerate(repeats)}
    column_of = {name: column for column, name in enumerate(operators)}
    for row in rows:
        line = line_of.get(row.repeat)
        column = column_of.get(row.operator)
        number = value(row)
        if number is not None and line is not None and column is not None:
            table[line, column] = number
    return table


def _why_unranked(arms: Sequence[ArmFigures], progress: dict[str, Progress]) -> str:
    """Why no arm may be said to be better than another; empty where nothing stands against it."""
    if any(arm.model_origin in RECORDINGS for arm in arms):
        return (
            "The kernels come from a recording, and every arm replays the same ones. A "
            "replay shows that the experiment runs and what each memory makes of the same "
            "traces; it cannot show that one method is better than another."
        )
    finished = {"done", "given"}
    unfinished = [label for label in progress if progress[label].state not in finished]
    if unfinished:
        count = len(unfinished)
        named = ", ".join(unfinished[:_NAMED])
        more = count - _NAMED
        if more > 0:
            named += f" and {more} more"
        return f"{count} of {len(progress)} runs are not finished: {named}."
    mixed = [arm.name for arm in arms if arm.is_mixed]
    if mixed:
        return f"The rows of {mixed[0]} differ in method, model, evaluator or clock."
    if len({arm.judge for arm in arms}) > 1:
        return "The arms were evaluated in different ways."
    return ""
