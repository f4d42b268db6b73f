"""A report as files: one self-contained HTML page, JSON, and CSV tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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
    origins = {origin_words(trial.origin) for trial in report.trials}
    studies = []
    for study in report.studies:
        conditions, items, agreement = study_cells(study)
        studies.append((study, conditions, items, agreement, credit_cells(study)))
    return rendered(
        "report/experiment.html",
        report=report,
        levels=levels,
        rows=result_rows(report.arms, levels, ranked=not report.unranked),
        pairs=[pair_cells(pair) for pair in report.pairs],
        figures=figures_of(report.arms, report.trials, report.bars, report.beside),
        trials=[trial for trial in report.trials if trial.reported],
        origins=sorted(origins - {""}),
        origin_words=origin_words,
        number=_number,
        rules=RULES,
        by_rule=[(arm.name, rule_cells(arm)) for arm in report.arms],
        studies=studies,
    )


def rule_cells(arm: ArmFigures) -> list[Cell]:
    """ER as it was judged, and as each of `RULES` would have judged the same kernels."""
    by_rule = [arm.execution_rate_by_rule[rule] for rule in RULES]
    return [_share_cell(figure) for figure in (arm.execution_rate, *by_rule)]


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
    ends = faithfulness.items
    if len(ends) > 2 * _ENDS:
        ends = (*ends[:_ENDS], *ends[-_ENDS:])
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
            _NONE if entry.interval is None else _span(entry.interval, "+.2f"),
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
    if operator_names:
        trials = [trial for trial in trials if trial.operator in operator_names]
    title = "Compilation rate, execution rate and Fast 1.0 of every arm, in percent"
    figures = [(title, rates_figure(arms))]
    for arm in arms:
        rows = _trials_of(arm, trials)
        svg = speedups_figure(rows, arm.name)
        if svg:
            against = any(trial.t_reference for trial in rows)
            over = _OVER_TORCH if against else _OVER_FIRST
            origin = origin_words(arm.origin)
            figures.append((over.format(arm=arm.name, origin=origin), svg))
    for name in beside:
        of_name = [arm for arm in arms if arm.arm == name]
        figures += _beside(of_name, trials)
    return figures


def _trials_of(arm: ArmFigures, trials: Sequence[Trial]) -> list[Trial]:
    """The trials of an arm with one backbone."""
    key = (arm.arm, arm.backbone)
    return [trial for trial in trials if (trial.arm, trial.backbone) == key]


def _beside(
    arms: Sequence[ArmFigures], trials: Sequence[Trial]
) -> list[tuple[str, str]]:
    """Title and SVG of one arm's backbones beside each other; none where fewer than two have speed-ups."""
    rows = {arm.backbone: _trials_of(arm, trials) for arm in arms}
    # Over torch_npu only where it was timed for every backbone: bars beside each other share a scale.
    against = True
    for of_backbone in rows.values():
        against = against and any(trial.t_reference for trial in of_backbone)
    speedups = {}
    for backbone, of_backbone in rows.items():
        by_operator = speedups_of(of_backbone, against=against)
        if by_operator:
            speedups[backbone] = by_operator
    if len(speedups) < 2:
        return []
    origins = {origin_words(arm.origin) for arm in arms}
    title = _BESIDE.format(
        over="torch_npu" if against else "the first correct kernel",
        arm=arms[0].arm,
        backbones=" and ".join(speedups),
        medians=medians_of_common(speedups),
        origin=" and ".join(sorted(origins)),
    )
    return [(title, paired_figure(speedups, against=against))]


def medians_of_common(speedups: Mapping[str, Mapping[str, float]]) -> str:
    """The medians over the operators that all backbones solved, as the paper compares two.

    Args:
        speedups: Backbone -> operator -> speed-up.
    """
    solved = [set(by_operator) for by_operator in speedups.values()]
    common = set.intersection(*solved)
    if not common:
        return "no operator was solved by all of them"
    texts = []
    for backbone, by_operator in speedups.items():
        median = statistics.median(by_operator[name] for name in common)
        texts.append(f"{backbone} {median:.2f}×")
    medians = ", ".join(texts)
    return f"medians over the {len(common)} operators solved by all: {medians}"


def result_rows(
    arms: Sequence[ArmFigures], levels: Sequence[str], *, ranked: bool
) -> list[Row]:
    """The arms as the table of results shows them; `ranked`: the best of a model is marked."""
    rows: list[Row] = []
    backbone_before = ""
    for arm in arms:
        group: list[ArmFigures] = []
        if ranked:
            group = [other for other in arms if other.backbone == arm.backbone]
        row = Row(
            model=arm.model or arm.backbone,
            title=arm.title,
            name=arm.name,
            solved=_solved_text(arm),
            begins=arm.backbone != backbone_before,
            cells=_result_cells(arm, group, levels),
        )
        rows.append(row)
        backbone_before = arm.backbone
    return rows


def _solved_text(arm: ArmFigures) -> str:
    """`57/60 of 88, 2 repeats`."""
    by_repeat = "/".join(map(str, arm.solved))
    text = f"{by_repeat} of {arm.operators}"
    repeats = len(arm.solved)
    return f"{text}, {repeats} repeats" if repeats > 1 else text


def _result_cells(
    arm: ArmFigures, group: Sequence[ArmFigures], levels: Sequence[str]
) -> tuple[Cell, ...]:
    """ER by level, CR, ER, Fast 1.0, speed-ups over the first kernel and over torch_npu.

    Args:
        arm: Whose row it is.
        group: The arms of its model, of which the best is marked; empty where none is.
        levels: The columns of ER by level.
    """
    cells = []
    for level in levels:
        rates = [other.execution_rate_by_level.get(level) for other in group]
        rate = arm.execution_rate_by_level.get(level)
        cells.append(_share_cell(rate, rates))
    compilation_rates = [other.compilation_rate for other in group]
    cells.append(_share_cell(arm.compilation_rate, compilation_rates))
    execution_rates = [other.execution_rate for other in group]
    cells.append(_share_cell(arm.execution_rate, execution_rates))
    fast = _share_cell(arm.fast, [other.fast for other in group])
    timed = "/".join(map(str, arm.with_reference))
    # It is a share of the operators whose torch_npu was timed, so its note says how many.
    note = f"of {timed}" if any(arm.with_reference) else ""
    cells.append(replace(fast, note=note))
    is_fastest = _is_best(arm.self_speedup, [other.self_speedup for other in group])
    cells.append(_ratio(arm.self_speedup, arm.self_speedup_range, best=is_fastest))
    cells.append(_ratio(arm.reference_speedup, arm.reference_speedup_range, best=False))
    return tuple(cells)


def _share_cell(figure: Figure | None, of_group: Sequence[Figure | None] = ()) -> Cell:
    """A share in percent, marked where it is the best of `of_group`."""
    if figure is None or figure.value is None:
        return Cell(_NONE)
    note = ""
    if figure.interval:
        low, high = 100 * figure.interval.low, 100 * figure.interval.high
        note = _span((low, high), ".1f")
    return Cell(_percent(figure.value), note, _is_best(figure, of_group))


def _is_best(figure: Figure, of_group: Sequence[Figure | None]) -> bool:
    values = [other.value for other in of_group if other and other.value is not None]
    return len(of_group) > 1 and bool(values) and figure.value == max(values)


def _ratio(figure: Figure, span: tuple[float, float] | None, *, best: bool) -> Cell:
    if figure.value is None:
        return Cell(_NONE)
    note = _span(span, ".2f") if span else ""
    return Cell(f"{figure.value:.2f}×", note, best)


def _span(ends: tuple[float, float], form: str) -> str:
    low, high = ends
    return f"{low:{form}} … {high:{form}}"


def _signed(figure: Figure) -> str:
    if figure.value is None:
        return _NONE
    interval = figure.interval
    ends = (interval.low, interval.high) if interval else None
    return _points(figure.value, ends)


def _p(value: float | None, holm: float | None) -> str:
    """A p value, and in brackets what Holm's correction makes of it."""
    if value is None:
        return _NONE
    text = f"{value:.3g}"
    if holm is not None:
        text += f" ({holm:.3g})"
    return text


def _number(value: float | None, digits: int = 2) -> str:
    if value is None:
        return _NONE
    return f"{value:.{digits}f}"


def _percent(value: float | None) -> str:
    if value is None:
        return _NONE
    return f"{100 * value:.1f}"


def _points(effect: float, span: tuple[float, float] | None) -> str:
    """A difference in percentage points, with its interval."""
    points = f"{100 * effect:+.1f}"
    if span is None:
        return points
    low, high = 100 * span[0], 100 * span[1]
    interval = _span((low, high), "+.1f")
    return f"{points} ({interval})"
