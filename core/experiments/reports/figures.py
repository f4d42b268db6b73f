"""The figures of a report as static SVG whose text stays text, equal for equal numbers.

Drawn with matplotlib: it knows error bars and hatches, gives the same figure as PDF for a paper, and needs
neither a browser nor a display. Imported when a report is written, and by nothing else.
"""

from __future__ import annotations

import io
import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.experiments.reports.report import ArmFigures, Figure
from core.experiments.running.trials import Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Okabe and Ito's colours, which people with any colour vision tell apart; hatches for print.
_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#666666",
    "#F0E442",
)
_HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
_FASTER, _SLOWER = "#009E73", "#D55E00"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sage",
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": "#333333",
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "hatch.linewidth": 0.6,
}
_LABEL: Any = {
    "boxstyle": "square,pad=0.15",
    "facecolor": "white",
    "edgecolor": "none",
    "alpha": 0.85,
}
_TEXT = "#333333"
_PAPER = "#ffffff"
_WIDTH = 7.2  # inches
_SHORT_NAME = 20  # characters, of which four stand beside each other in a legend
_BARS_AT_AN_END = 75  # two of them are more than the 104 operators of the catalogue


def rates_figure(arms: Sequence[ArmFigures]) -> str:
    """CR, ER, ER by level and Fast 1.0 of every arm as bars, with their intervals."""
    return _svg(_rates(arms), 3.2)


def _rates(arms: Sequence[ArmFigures]) -> Callable[[Canvas], None]:
    names = [arm.name for arm in arms]
    levels = sorted(
        {level for arm in arms for level in arm.execution_rate_by_level} - {"0"}
    )
    columns = ["CR", "ER", *(f"ER L{level}" for level in levels), "Fast 1.0"]

    def values(arm: ArmFigures) -> list[Figure | None]:
        by_level = [arm.execution_rate_by_level.get(level) for level in levels]
        return [arm.compilation_rate, arm.execution_rate, *by_level, arm.fast]

    def draw(canvas: Canvas) -> None:
        axes = canvas.add_subplot()
        width = 0.8 / max(1, len(arms))
        for number, arm in enumerate(arms):
            places = [
                column + (number - (len(arms) - 1) / 2) * width
                for column in range(len(columns))
            ]
            figures = values(arm)
            heights = [
                100 * f.value if f and f.value is not None else 0.0 for f in figures
            ]
            axes.bar(
                places,
                heights,
                width * 0.92,
                label=names[number],
                color=_COLOURS[number % len(_COLOURS)],
                hatch=_HATCHES[number % len(_HATCHES)],
                edgecolor=_PAPER,
                linewidth=0.5,
                yerr=_errors(figures),
                error_kw={"elinewidth": 0.8, "ecolor": _TEXT, "capsize": 2},
            )
            for place, height, figure in zip(places, heights, figures, strict=True):
                text = (
                    "n/a" if figure is None or figure.value is None else f"{height:.0f}"
                )
                axes.annotate(
                    text,
                    (place, 0),
                    (0, 2),
                    textcoords="offset points",
                    ha="center",
                    fontsize=7,
                    bbox=_LABEL,
                )
        axes.set_xticks(range(len(columns)), columns)
        axes.set_ylim(0, 105)
        axes.set_ylabel("%")
        beside = 4 if max(map(len, names)) <= _SHORT_NAME else 2
        canvas.legend(
            loc="outside upper center", ncols=min(beside, len(arms)), frameon=False
        )

    return draw


def speedups_figure(trials: Sequence[Trial], title: str) -> str:
    """One bar an operator: the best kernel against torch_npu where it was timed, else against the first one.

    Repeats of an operator are the median; of very many operators those at both ends are
    drawn. Empty where nothing was timed.
    """
    against = any(trial.t_reference for trial in trials)
    ratios = speedups_of(trials, against=against)
    if not ratios:
        return ""
    bars = sorted((ratio, name) for name, ratio in ratios.items())
    if len(bars) > 2 * _BARS_AT_AN_END:
        all_bars = len(bars)
        bars = [*bars[:_BARS_AT_AN_END], *bars[-_BARS_AT_AN_END:]]
        ends = f"the {_BARS_AT_AN_END} smallest and largest of {all_bars:,}"
        title = f"{title}: {ends}"

    def draw(canvas: Canvas) -> None:
        axes = canvas.add_subplot()
        logs = [math.log2(ratio) for ratio, _ in bars]
        colours = [_FASTER if value >= 0 else _SLOWER for value in logs]
        axes.barh(range(len(bars)), logs, color=colours, height=0.7)
        for place, (ratio, _) in enumerate(bars):
            _label_bar(axes, ratio, place)
        axes.axvline(0, color="#333333", linewidth=0.8, linestyle="--")
        axes.set_yticks(range(len(bars)), [name for _, name in bars])
        axes.margins(x=0.15)
        axes.set_xlabel(_axis(against=against))
        axes.set_title(title, loc="left", fontsize=9)

    return _svg(draw, 0.9 + 0.22 * len(bars))


def speedups_of(trials: Sequence[Trial], *, against: bool) -> dict[str, float]:
    """Operator -> speed-up of its best kernel, the median of its repeats; none where nothing was timed.

    Args:
        trials: Of one arm with one backbone.
        against: Over torch_npu instead of the first correct kernel.
    """
    ratios: dict[str, list[float]] = {}
    for trial in trials:
        ratio = trial.result.reference_speedup if against else trial.result.self_speedup
        if trial.counts and trial.complete and trial.correct and ratio:
            ratios.setdefault(trial.operator, []).append(ratio)
    return {name: statistics.median(values) for name, values in ratios.items()}


def paired_figure(speedups: Mapping[str, Mapping[str, float]], *, against: bool) -> str:
    """The speed-ups of several backbones beside each other, for every operator one of them solved.

    Args:
        speedups: Backbone -> operator -> speed-up.
        against: Over torch_npu instead of the first correct kernel.
    """
    names = sorted({name for by_name in speedups.values() for name in by_name})
    order = sorted(
        names, key=lambda name: max(s[name] for s in speedups.values() if name in s)
    )
    height = 0.8 / len(speedups)

    def draw(canvas: Canvas) -> None:
        axes = canvas.add_subplot()
        for number, (backbone, by_name) in enumerate(speedups.items()):
            solved = [name for name in order if name in by_name]
            places = [order.index(name) - number * height for name in solved]
            logs = [math.log2(by_name[name]) for name in solved]
            axes.barh(
                places,
                logs,
                height * 0.92,
                label=backbone,
                color=_COLOURS[number % len(_COLOURS)],
                hatch=_HATCHES[number % len(_HATCHES)],
                edgecolor=_PAPER,
                linewidth=0.5,
            )
            for place, name in zip(places, solved, strict=True):
                _label_bar(axes, by_name[name], place)
        axes.axvline(0, color="#333333", linewidth=0.8, linestyle="--")
        middle = (len(speedups) - 1) / 2 * height
        axes.set_yticks([place - middle for place in range(len(order))], order)
        axes.margins(x=0.15)
        axes.set_xlabel(_axis(against=against))
        canvas.legend(loc="outside upper center", ncols=4, frameon=False)

    return _svg(draw, 1.2 + 0.22 * len(order) * len(speedups))


def _label_bar(axes: Axes, ratio: float, place: float) -> None:
    """Write a speed-up at the end of its bar, which reaches to log2 of it."""
    end = math.log2(ratio)
    axes.annotate(
        f"{ratio:.2f}×",
        (end, place),
        (3 if end >= 0 else -3, 0),
        textcoords="offset points",
        va="center",
        ha="left" if end >= 0 else "right",
        fontsize=7,
    )


def _axis(*, against: bool) -> str:
    return f"log2({'T_torch' if against else 'T_first'} / T_best)"


def _errors(figures: Sequence[Figure | None]) -> list[list[float]]:
    low, high = [], []
    for figure in figures:
        value, interval = (figure.value, figure.interval) if figure else (None, None)
        has_interval = value is not None and interval is not None
        low.append(max(0.0, 100 * (value - interval.low)) if has_interval else 0.0)  # type: ignore[operator, union-attr]
        high.append(max(0.0, 100 * (interval.high - value)) if has_interval else 0.0)  # type: ignore[operator, union-attr]
    return [low, high]


def _svg(draw: Any, height: float) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    with rc_context(_STYLE):
        canvas = Canvas(figsize=(_WIDTH, height), layout="constrained")
        draw(canvas)
        out = io.StringIO()
        canvas.savefig(
            out,
            format="svg",
            metadata={"Date": None, "Creator": None},
            transparent=True,
        )
    text = out.getvalue()
    return re.sub(
        r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL
    )
