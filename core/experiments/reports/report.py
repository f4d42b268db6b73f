"""The figures of an experiment from its raw rows: what the paper's tables hold, with intervals and tests.

With several repeats a figure is the mean over repeats of the paper's figure of each; intervals draw
operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

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
    read_memory,
    read_trials,
)
from core.experiments.statistics import (
    Interval,
    McNemar,
    Table,
    Wilcoxon,
    holm,
    interval,
    known,
    mcnemar,
    mean_median,
    mean_rate,
    wilcoxon,
)
from core.models.port import RECORDINGS
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
        fast: Fast_1.0 over `with_reference`.
        with_reference: Solved operators with a reference latency, by repeat.
        self_speedup: S_self, the median.
        self_speedup_range: Smallest and largest T_first / T_best.
        reference_speedup: Median of T_ref / T_best.
        reference_speedup_range: Smallest and largest.
        tokens: Of all rows; None for replays.
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
    """Two arms over the operators both have a result for.

    Attributes:
        first: Name of the arm the plan compares others with.
        second: Name of the other.
        operators: Operators of both.
        difference: ER of first minus ER of second, with its paired interval.
        correctness: Exact McNemar.
        speed: Wilcoxon over the operators both solved; None where latencies are of different origin.
        p_correctness: `correctness.p` after Holm over the pairs of the report.
        p_speed: `speed.p` likewise.
    """

    first: str
    second: str
    operators: int
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
    """

    name: str
    title: str
    paper: str
    question: str
    cold_start: str
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


def report_on(experiment: Experiment) -> Report:
    """Compute every figure of an experiment as far as it is."""
    plan = experiment.plan
    trials = tuple(
        trial for cell in experiment.cells for trial in read_trials(experiment, cell)
    )
    progress = {cell.label: experiment.progress(cell) for cell in experiment.cells}
    studied = studied_cells(experiment)
    progress |= {study_name(cell): study_progress(experiment, cell) for cell in studied}
    memory = [
        state
        for cell in experiment.cells
        if (state := read_memory(experiment, cell)) is not None
    ]
    groups = {
        (arm.name, backbone.name): [
            t for t in trials if (t.arm, t.backbone) == (arm.name, backbone.name)
        ]
        for backbone in plan.backbones
        for arm in plan.arms
        if arm.is_reported
    }
    arms = tuple(
        arm_figures(rows, plan.arm(name).label, plan.seed)
        for (name, _), rows in groups.items()
        if _told(rows)
    )
    unranked = _why_unranked(arms, progress)
    pairs: tuple[Pair, ...] = ()
    if not unranked and plan.against:
        pairs = corrected(
            [
                pair(groups[plan.against, backbone], rows, plan.seed)
                for (name, backbone), rows in groups.items()
                if name != plan.against
                and _common(rows, groups.get((plan.against, backbone), []))
            ]
        )
    return record_of(
        Report,
        plan,
        cold_start=experiment.record.cold_start,
        experiences=experiment.record.experiences,
        watermarks=watermarks(trials, progress),
        unranked=unranked,
        arms=arms,
        pairs=pairs,
        progress=progress,
        memory=tuple(memory),
        trials=trials,
        figures_sha256=figures_digest(trials),
        notes=trust_notes(trials, memory, progress),
        studies=tuple(
            study
            for cell in studied
            if (study := read_study(experiment, cell)) is not None
        ),
    )


def arm_figures(trials: Sequence[Trial], title: str, seed: int) -> ArmFigures:
    """The figures of the rows of one arm with one backbone."""
    rows = _told(trials)
    first = rows[0]
    repeats = sorted({row.repeat for row in rows})
    by_repeat = [
        metrics([row.result for row in rows if row.repeat == repeat])
        for repeat in repeats
    ]
    operators, levels = (
        sorted({row.operator for row in rows}),
        sorted({row.level for row in rows}),
    )

    def figure(
        value: Callable[[Trial], float | None],
        told: Callable[[Metrics], float | None],
        mean: Callable[[Table], Table] = mean_rate,
        level: int | None = None,
    ) -> Figure:
        names = [
            name
            for name in operators
            if level is None or level in {r.level for r in rows if r.operator == name}
        ]
        table = _table(rows, repeats, names, value)
        return Figure(
            known(mean(table)), interval(table, mean, seed), tuple(map(told, by_repeat))
        )

    def at_level(level: int) -> Figure:
        return figure(
            lambda row: float(row.correct),
            lambda m: m.execution_rate_by_level.get(level),
            level=level,
        )

    def fast(row: Trial) -> float | None:
        ratio = _final(row).reference_speedup
        return None if ratio is None else float(ratio > 1.0)

    selves = [ratio for row in rows if (ratio := _final(row).self_speedup) is not None]
    references = [
        ratio for row in rows if (ratio := _final(row).reference_speedup) is not None
    ]
    kinds = {name: sorted({getattr(row, name) for row in rows} - {""}) for name in _KEY}
    return ArmFigures(
        arm=first.arm,
        title=title,
        backbone=first.backbone,
        **{
            name: values[0] if len(values) == 1 else " + ".join(values)
            for name, values in kinds.items()
        },
        memories=tuple(
            dict.fromkeys(
                row.memory for row in sorted(rows, key=lambda row: row.repeat)
            )
        ),
        operators=len(operators),
        solved=tuple(found.solved for found in by_repeat),
        incomplete=sum(not row.complete for row in rows),
        unconfined=sum(not row.confined for row in trials),
        compilation_rate=figure(
            lambda row: float(row.compiled), lambda m: m.compilation_rate
        ),
        execution_rate=figure(
            lambda row: float(row.correct), lambda m: m.execution_rate
        ),
        execution_rate_by_level={str(level): at_level(level) for level in levels},
        fast=figure(fast, lambda m: m.fast),
        with_reference=tuple(found.with_reference for found in by_repeat),
        self_speedup=figure(
            lambda row: _final(row).self_speedup, lambda m: m.self_speedup, mean_median
        ),
        self_speedup_range=(min(selves), max(selves)) if selves else None,
        reference_speedup=figure(
            lambda row: _final(row).reference_speedup,
            lambda m: m.reference_speedup,
            mean_median,
        ),
        reference_speedup_range=(min(references), max(references))
        if references
        else None,
        tokens=_total([row.tokens for row in rows]),
        tokens_estimated=any(row.tokens_estimated for row in rows),
        cost=_total([row.cost for row in rows]),
        seconds=_total([row.seconds for row in rows]),
        is_mixed=any(len(values) > 1 for values in kinds.values()),
    )


def pair(
    first: Sequence[Trial],
    second: Sequence[Trial],
    seed: int,
    names: tuple[str, str] | None = None,
) -> Pair:
    """Compare two arms over the operators both have rows of."""
    one, two = _told(first), _told(second)
    operators = sorted(_common(one, two))
    repeats = sorted({row.repeat for row in one} & {row.repeat for row in two})
    correct = [
        _table(rows, repeats, operators, lambda row: float(row.correct))
        for rows in (one, two)
    ]
    best = [
        _table(rows, repeats, operators, lambda row: _final(row).t_best)
        for rows in (one, two)
    ]
    difference = correct[0] - correct[1]
    clocks = {row.origin for row in (*one, *two)} - {""}
    return Pair(
        *(
            names
            or (
                arm_name(one[0].arm, one[0].backbone),
                arm_name(two[0].arm, two[0].backbone),
            )
        ),
        operators=len(operators),
        difference=Figure(
            known(mean_rate(difference)),
            interval(difference, mean_rate, seed),
            tuple(known(mean_rate(row[None])) for row in difference),
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


def _told(rows: Sequence[Trial]) -> list[Trial]:
    return [row for row in rows if row.counts]


def _common(first: Sequence[Trial], second: Sequence[Trial]) -> set[str]:
    """Operators that count in both."""
    return {row.operator for row in _told(first)} & {
        row.operator for row in _told(second)
    }


def _total(values: Sequence[Number | None]) -> Number | None:
    known_ones = [value for value in values if value is not None]
    return sum(known_ones[1:], start=known_ones[0]) if known_ones else None


def _final(row: Trial) -> OperatorResult:
    """A row for its latencies, which count when it is correct and at its end."""
    result = row.result
    return (
        result
        if row.correct and row.complete
        else replace(result, t_first=None, t_best=None, t_reference=None)
    )


def _table(
    rows: Sequence[Trial],
    repeats: Sequence[int],
    operators: Sequence[str],
    value: Callable[[Trial], float | None],
) -> Table:
    table = np.full((len(repeats), len(operators)), np.nan)
    at = {name: column for column, name in enumerate(operators)}
    for row in rows:
        number = value(row)
        if number is not None and row.operator in at and row.repeat in repeats:
            table[repeats.index(row.repeat), at[row.operator]] = number
    return table


def _why_unranked(arms: Sequence[ArmFigures], progress: dict[str, Progress]) -> str:
    if any(arm.model_origin in RECORDINGS for arm in arms):
        return (
            "The kernels come from a recording, and every arm replays the same ones. A "
            "replay shows that the experiment runs and what each memory makes of the same "
            "traces; it cannot show that one method is better than another."
        )
    if unfinished := [
        label for label, cell in progress.items() if cell.state not in {"done", "given"}
    ]:
        named = ", ".join(unfinished[:_NAMED])
        more = len(unfinished) - _NAMED
        if more > 0:
            named += f" and {more} more"
        return f"{len(unfinished)} of {len(progress)} runs are not finished: {named}."
    if mixed := [arm.name for arm in arms if arm.is_mixed]:
        return f"The rows of {mixed[0]} differ in method, model, evaluator or clock."
    if len({arm.judge for arm in arms}) > 1:
        return "The arms were evaluated in different ways."
    return ""
