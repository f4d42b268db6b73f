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
    """What draws the bars of `rates_figure`."""
    names = [arm.name for arm in arms]
    every_level = {level for arm in arms for level in arm.execution_rate_by_level}
    # Level 0 is outside of the benchmark.
    levels = sorted(every_level - {"0"})
    level_names = [f"ER L{level}" for level in levels]
    columns = ["CR", "ER", *level_names, "Fast 1.0"]

    def values(arm: ArmFigures) -> list[Figure | None]:
        by_level = [arm.execution_rate_by_level.get(level) for level in levels]
        return [arm.compilation_rate, arm.execution_rate, *by_level, arm.fast]

    def draw(canvas: Canvas) -> None:
        axes = canvas.add_subplot()
        # The bars of a column take 0.8 of its width, around its middle.
        width = 0.8 / max(1, len(arms))
        middle = (len(arms) - 1) / 2
        for number, arm in enumerate(arms):
            offset = (number - middle) * width
            places = [column + offset for column in range(len(columns))]
            figures = values(arm)
            percents = [_percent(figure) for figure in figures]
            heights = [percent or 0.0 for percent in percents]
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
            for place, percent in zip(places, percents, strict=True):
                text = "n/a" if percent is None else f"{percent:.0f}"
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
        longest_name = max(map(len, names))
        beside = 4 if longest_name <= _SHORT_NAME else 2
        canvas.legend(
            loc="outside upper center", ncols=min(beside, len(arms)), frameon=False
        )

    return draw


def _percent(figure: Figure | None) -> float | None:
    if figure is None or figure.value is None:
        return None
    return 100 * figure.value


def speedups_figure(trials: Sequence[Trial], title: str) -> str:
    """One bar an operator: the best kernel against torch_npu where it was timed, else against the first one.

    Repeats of an operator are the median; of very many operators those at both ends are
    drawn. Empty where nothing was timed.
    """
    against = any(trial.t_reference for trial in trials)
    ratios = speedups_of(trials, against=against)
    if not ratios:
        return ""
    slowest_first = sorted(ratios, key=lambda name: (ratios[name], name))
    bars = [(ratios[name], name) for name in slowest_first]
    if len(bars) > 2 * _BARS_AT_AN_END:
        all_bars = len(bars)
        smallest = bars[:_BARS_AT_AN_END]
        largest = bars[-_BARS_AT_AN_END:]
        bars = smallest + largest
        ends = f"the {_BARS_AT_AN_END} smallest and largest of {all_bars:,}"
        title = f"{title}: {ends}"

    def draw(canvas: Canvas) -> None:
        axes = canvas.add_subplot()
        places = range(len(bars))
        # Logarithms: twice as fast reaches as far to one side as half as fast to the other.
        logs = [math.log2(ratio) for ratio, _ in bars]
        colours = [_FASTER if value >= 0 else _SLOWER for value in logs]
        axes.barh(places, logs, color=colours, height=0.7)
        for place, (ratio, _) in enumerate(bars):
            _label_bar(axes, ratio, place)
        axes.axvline(0, color="#333333", linewidth=0.8, linestyle="--")
        names = [name for _, name in bars]
        axes.set_yticks(places, names)
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
        result = trial.result
        ratio = result.reference_speedup if against else result.self_speedup
        is_solved = trial.counts and trial.complete and trial.correct
        if is_solved and ratio:
            ratios.setdefault(trial.operator, []).append(ratio)
    return {name: statistics.median(values) for name, values in ratios.items()}


def paired_figure(speedups: Mapping[str, Mapping[str, float]], *, against: bool) -> str:
    """The speed-ups of several backbones beside each other, for every operator one of them solved.

    Args:
        speedups: Backbone -> operator -> speed-up.
        against: Over torch_npu instead of the first correct kernel.
    """
    best: dict[str, float] = {}
    for by_name in speedups.values():
        for name, speedup in by_name.items():
            best[name] = max(speedup, best.get(name, 0.0))
    # By the best speed-up, and by name where that is equal.
    order = sorted(best, key=lambda name: (best[name], name))
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
        ticks = [place - middle for place in range(len(order))]
        axes.set_yticks(ticks, order)
        axes.margins(x=0.15)
        axes.set_xlabel(_axis(against=against))
        canvas.legend(loc="outside upper center", ncols=4, frameon=False)

    bars_height = 0.22 * len(order) * len(speedups)
    return _svg(draw, 1.2 + bars_height)


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
    other = "T_torch" if against else "T_first"
    return f"log2({other} / T_best)"


def _errors(figures: Sequence[Figure | None]) -> list[list[float]]:
    """How far the interval of each figure reaches below and above it, in percent; 0 without one."""
    low: list[float] = []
    high: list[float] = []
    for figure in figures:
        below = above = 0.0
        if figure and figure.value is not None and figure.interval is not None:
            # Not below 0: a percentile interval need not hold the figure itself.
            below = max(0.0, 100 * (figure.value - figure.interval.low))
            above = max(0.0, 100 * (figure.interval.high - figure.value))
        low.append(below)
        high.append(above)
    return [low, high]


def _svg(draw: Any, height: float) -> str:
    """What `draw` draws on a canvas of `height` inches, from the element `svg` on and without its date."""
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
    document = out.getvalue()
    text = document[document.index("<svg") :]
    return re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
