"""A report as files: one self-contained HTML page, JSON, and CSV tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.analysis.rules import RULES
from core.evaluation.records import origin_words
from core.experiments.faithfulness.studies import CellStudy
from core.experiments.plans.operator_sets import all_chosen
from core.experiments.reports.figures import (
    paired_figure,
    rates_figure,
    speedups_figure,
    speedups_of,
)
from core.experiments.reports.report import ArmFigures, Figure, Pair, Report
from core.experiments.reports.tables import (
    adopted_items_csv,
    arms_csv,
    masked_credit_csv,
    pairs_csv,
    trials_csv,
)
from core.experiments.running.trials import Trial
from core.records_json import to_json
from core.templates import rendered
from core.whole_file import cannot_be_written, write_text

PAGE, DATA = "report.html", "report.json"
_Cells = list[tuple[str, ...]]
_NONE = "n/a"
_ENDS = 10  # items shown at each end of a long list; the CSV has all


@dataclass(frozen=True)
class Cell:
    """A figure, its interval or range below it, and whether it is the best of its model."""

    text: str
    note: str = ""
    best: bool = False


@dataclass(frozen=True)
class Row:
    """One arm with one backbone in the table of results; `begins`: the first of its model."""

    model: str
    title: str
    name: str
    solved: str
    begins: bool
    cells: tuple[Cell, ...]


def write_report(report: Report, folder: Path) -> Path:
    """Write `report.html`, `report.json`, `arms.csv`, `pairs.csv` and `trials.csv`; returns the page.

    `adopted_items.csv` and `masked_credit.csv` come with them where rounds were played again.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_be_written(folder, error.strerror or str(error)) from error
    files = {
        DATA: to_json(report),
        "trials.csv": trials_csv(report.trials),
        "arms.csv": arms_csv(report.arms),
        "pairs.csv": pairs_csv(report.pairs),
        PAGE: as_page(report),
    }
    if report.studies:
        files["adopted_items.csv"] = adopted_items_csv(report.studies)
        files["masked_credit.csv"] = masked_credit_csv(report.studies)
    for name, text in files.items():
        write_text(folder / name, text)
    return folder / PAGE


def as_page(report: Report) -> str:
    """The page: no script, nothing loaded from elsewhere."""
    levels = sorted(
        {level for arm in report.arms for level in arm.execution_rate_by_level}
    )
    origins = sorted({origin_words(trial.origin) for trial in report.trials} - {""})
    return rendered(
        "report/experiment.html",
        report=report,
        levels=levels,
        rows=result_rows(report.arms, levels, ranked=not report.unranked),
        pairs=[pair_cells(pair) for pair in report.pairs],
        figures=figures_of(report.arms, report.trials, report.bars, report.beside),
        trials=[trial for trial in report.trials if trial.reported],
        origins=origins,
        origin_words=origin_words,
        number=_number,
        rules=RULES,
        by_rule=[(arm.name, rule_cells(arm)) for arm in report.arms],
        studies=[
            (study, *study_cells(study), credit_cells(study))
            for study in report.studies
        ],
    )


def rule_cells(arm: ArmFigures) -> list[Cell]:
    """ER as it was judged, and as each of `RULES` would have judged the same kernels."""
    figures = [
        arm.execution_rate,
        *(arm.execution_rate_by_rule[rule] for rule in RULES),
    ]
    return [_share(arm, (), lambda _arm, of=figure: of) for figure in figures]


def pair_cells(pair: Pair) -> tuple[str, ...]:
    """A pair as a table shows it."""
    speed = pair.speed
    return (
        pair.first,
        pair.second,
        str(pair.operators),
        "same" if pair.same_inputs else "different",
        _signed(pair.difference),
        str(pair.correctness.only_first),
        str(pair.correctness.only_second),
        _p(pair.correctness.p, pair.p_correctness),
        str(speed.n) if speed else _NONE,
        _number(speed.ratio if speed else None),
        _p(speed.p if speed else None, pair.p_speed),
    )


def study_cells(study: CellStudy) -> tuple[_Cells, _Cells, _Cells]:
    """A study as three tables show it: conditions, items with largest and smallest effect, agreement."""
    faithfulness = study.faithfulness
    conditions: _Cells = [
        (
            entry.condition.value,
            str(entry.rounds),
            _percent(entry.original),
            _percent(entry.altered),
            _points(entry.effect, entry.interval),
            _number(entry.p, 3),
            _percent(entry.adoption),
            str(entry.nothing_to_judge),
        )
        for entry in faithfulness.conditions
    ]
    ends = (
        faithfulness.items
        if len(faithfulness.items) <= 2 * _ENDS
        else (*faithfulness.items[:_ENDS], *faithfulness.items[-_ENDS:])
    )
    items: _Cells = [
        (
            entry.declared.uid,
            entry.declared.title,
            f"{entry.declared.u:+.3f}",
            f"{entry.declared.adopted} of {entry.declared.retrieved}",
            str(entry.occasions),
            _points(entry.effect, entry.interval),
        )
        for entry in ends
    ]
    agreement: _Cells = [
        (
            entry.of,
            str(entry.items),
            _NONE if entry.rho is None else f"{entry.rho:+.2f}",
            _NONE
            if entry.interval is None
            else f"{entry.interval[0]:+.2f} … {entry.interval[1]:+.2f}",
        )
        for entry in faithfulness.agreement
    ]
    return conditions, items, agreement


def credit_cells(study: CellStudy) -> _Cells:
    """The items whose utility masked replays change most, as a table shows them."""
    return [
        (
            item.uid,
            item.title,
            f"{item.upheld} of {item.tested}",
            f"{item.declared:+.3f}",
            f"{item.masked:+.3f}",
            f"{item.masked - item.declared:+.3f}",
        )
        for item in study.credit.items[: 2 * _ENDS]
    ]


_OVER_TORCH = "Speed-up over torch_npu by operator, {arm}; latencies are {origin}"
_OVER_FIRST = (
    "Speed-up over the first correct kernel by operator, {arm}; latencies are {origin}"
)


_BESIDE = (
    "Speed-up over {over} by operator, {arm} with {backbones} beside each other; {medians}; "
    "latencies are {origin}"
)


def figures_of(
    arms: Sequence[ArmFigures],
    trials: Sequence[Trial],
    bars: Sequence[str] = (),
    beside: Sequence[str] = (),
) -> list[tuple[str, str]]:
    """Titles and SVGs of the rates of all arms, and of the speed-ups of each.

    Args:
        arms: In the order of the tables.
        trials: Their rows.
        bars: Names and sets of the operators whose speed-ups are drawn; empty: all.
        beside: Arms whose backbones are drawn beside each other as well.
    """
    if not arms:
        return []
    operator_names = {name for _, name in all_chosen(bars)}
    trials = [
        trial
        for trial in trials
        if not operator_names or trial.operator in operator_names
    ]
    figures: list[tuple[str, str]] = [
        (
            "Compilation rate, execution rate and Fast 1.0 of every arm, in percent",
            rates_figure(arms),
        )
    ]
    for arm in arms:
        rows = [
            trial
            for trial in trials
            if (trial.arm, trial.backbone) == (arm.arm, arm.backbone)
        ]
        if svg := speedups_figure(rows, arm.name):
            against = any(trial.t_reference for trial in rows)
            over = _OVER_TORCH if against else _OVER_FIRST
            title = over.format(arm=arm.name, origin=origin_words(arm.origin))
            figures.append((title, svg))
    for name in beside:
        figures += _beside([arm for arm in arms if arm.arm == name], trials)
    return figures


def _beside(
    arms: Sequence[ArmFigures], trials: Sequence[Trial]
) -> list[tuple[str, str]]:
    """Title and SVG of one arm's backbones beside each other; none where fewer than two have speed-ups."""
    rows = {
        arm.backbone: [
            trial
            for trial in trials
            if (trial.arm, trial.backbone) == (arm.arm, arm.backbone)
        ]
        for arm in arms
    }
    against = all(any(t.t_reference for t in of_one) for of_one in rows.values())
    speedups = {
        backbone: speedups_of(of_one, against=against)
        for backbone, of_one in rows.items()
    }
    speedups = {
        name: of_operator for name, of_operator in speedups.items() if of_operator
    }
    if len(speedups) < 2:
        return []
    title = _BESIDE.format(
        over="torch_npu" if against else "the first correct kernel",
        arm=arms[0].arm,
        backbones=" and ".join(speedups),
        medians=medians_of_common(speedups),
        origin=" and ".join(sorted({origin_words(arm.origin) for arm in arms})),
    )
    return [(title, paired_figure(speedups, against=against))]


def medians_of_common(speedups: Mapping[str, Mapping[str, float]]) -> str:
    """The medians over the operators that all backbones solved, as the paper compares two.

    Args:
        speedups: Backbone -> operator -> speed-up.
    """
    common = set.intersection(*(set(of_operator) for of_operator in speedups.values()))
    if not common:
        return "no operator was solved by all of them"
    medians = ", ".join(
        f"{backbone} {statistics.median(of_operator[name] for name in common):.2f}×"
        for backbone, of_operator in speedups.items()
    )
    return f"medians over the {len(common)} operators solved by all: {medians}"


def result_rows(
    arms: Sequence[ArmFigures], levels: Sequence[str], *, ranked: bool
) -> list[Row]:
    """The arms as the table of results shows them; `ranked`: the best of a model is marked."""
    rows, before = list[Row](), ""
    for arm in arms:
        group = (
            [other for other in arms if other.backbone == arm.backbone]
            if ranked
            else []
        )
        repeats = len(arm.solved)
        solved = f"{'/'.join(map(str, arm.solved))} of {arm.operators}"
        if repeats > 1:
            solved = f"{solved}, {repeats} repeats"
        cells = [
            _share(arm, group, lambda a, at=level: a.execution_rate_by_level.get(at))
            for level in levels
        ]
        cells += [
            _share(arm, group, lambda a: a.compilation_rate),
            _share(arm, group, lambda a: a.execution_rate),
        ]
        fast = _share(arm, group, lambda a: a.fast)
        cells.append(
            Cell(
                fast.text,
                f"of {'/'.join(map(str, arm.with_reference))}"
                if any(arm.with_reference)
                else "",
                fast.best,
            )
        )
        cells.append(
            _ratio(
                arm.self_speedup,
                arm.self_speedup_range,
                best=_is_best(arm, group, lambda a: a.self_speedup),
            )
        )
        cells.append(
            _ratio(arm.reference_speedup, arm.reference_speedup_range, best=False)
        )
        model, begins = arm.model or arm.backbone, arm.backbone != before
        rows.append(Row(model, arm.title, arm.name, solved, begins, tuple(cells)))
        before = arm.backbone
    return rows


def _share(arm: ArmFigures, group: Sequence[ArmFigures], of: Any) -> Cell:
    figure: Figure | None = of(arm)
    if figure is None or figure.value is None:
        return Cell(_NONE)
    interval = figure.interval
    note = f"{100 * interval.low:.1f} … {100 * interval.high:.1f}" if interval else ""
    return Cell(f"{100 * figure.value:.1f}", note, _is_best(arm, group, of))


def _is_best(arm: ArmFigures, group: Sequence[ArmFigures], of: Any) -> bool:
    values = [
        figure.value
        for other in group
        if (figure := of(other)) is not None and figure.value is not None
    ]
    mine = of(arm)
    return (
        len(group) > 1
        and mine is not None
        and bool(values)
        and mine.value == max(values)
    )


def _ratio(figure: Figure, span: tuple[float, float] | None, *, best: bool) -> Cell:
    if figure.value is None:
        return Cell(_NONE)
    return Cell(
        f"{figure.value:.2f}×", f"{span[0]:.2f} … {span[1]:.2f}" if span else "", best
    )


def _signed(figure: Figure) -> str:
    if figure.value is None:
        return _NONE
    span = (
        f" ({100 * figure.interval.low:+.1f} … {100 * figure.interval.high:+.1f})"
        if figure.interval
        else ""
    )
    return f"{100 * figure.value:+.1f}{span}"


def _p(value: float | None, holm: float | None) -> str:
    return (
        _NONE
        if value is None
        else f"{value:.3g}" + (f" ({holm:.3g})" if holm is not None else "")
    )


def _number(value: float | None, digits: int = 2) -> str:
    return _NONE if value is None else f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.1f}"


def _points(effect: float, span: tuple[float, float] | None) -> str:
    points = f"{100 * effect:+.1f}"
    return (
        points
        if span is None
        else f"{points} ({100 * span[0]:+.1f} … {100 * span[1]:+.1f})"
    )
