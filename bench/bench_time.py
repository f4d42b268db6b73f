"""Modelled beside measured: our plain kernels on the twin, CANN's operators in profiles of real models.

    python bench/bench_time.py [--rows] [--operator NAME] [--picture docs/time.svg]

A profile does not say what lay in L2, so each row is modelled warm and cold. Below 1 MB only warm data count,
beyond 1.2 times the L2 only cold ones; between them a row is explained when it lies within 1.5 of one of the
two or between them. What it does say is how often a kernel was called: a single call is a first launch, whose
code is nowhere near, and the median of two lies half way between a first launch and a later one. The baseline
is the five-line formula of docs/time.md.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.time_rows import ELEMENT_WISE, PRODUCTS, Row, StandIn, Tensor, rows, stand_in
from remote.judge.building.processors import processors
from tests.twin.harness import Library, Report, build

MEGABYTE = 1 << 20
PIPES = ("vector", "mte2", "mte3", "cube")
LEAST_PIPE_US = 0.05  # below it a profile's busy time has one digit
CLEARLY = 1.1  # measured times closer than this have no order
PROCESSORS = processors(
    Path(__file__).parents[1] / "resources" / "twin" / "processors.toml"
).modelled
_BYTES = {"float": 4, "half": 2, "bfloat16": 2, "int32": 4, "int64": 8, "uint8": 1}
_TORCH = {
    "float": torch.float32,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "int32": torch.int32,
    "int64": torch.int64,
    "uint8": torch.uint8,
}


@dataclass(frozen=True)
class Comparison:
    """A row with what the twin and the formula say of it, in microseconds."""

    row: Row
    family: str
    moved_bytes: int
    warm: Report
    cold: Report

    @property
    def regime(self) -> str:
        """Which of the two can be compared: `warm`, `cold`, or `either` between 1 MB and what fits L2."""
        if self.moved_bytes < MEGABYTE:
            return "warm"
        beyond = self.moved_bytes > 1.2 * PROCESSORS[self.row.soc].l2_bytes
        return "cold" if beyond else "either"

    @property
    def one_regime_us(self) -> float:
        """What the model says where one regime alone counts: of a first launch, later ones, or one of each.

        Below 1 MB it makes next to no difference where the data lie, and beyond L2 they are not there at a
        later launch either. So the warm and the cold launch differ by what a first launch costs.
        """
        first, later = self.cold.modelled_us, self.warm.modelled_us
        if self.row.calls > 2:
            return later
        return first if self.row.calls == 1 else (first + later) / 2

    @property
    def nearer(self) -> Report:
        """The report whose pipes the row is compared with; between warm and cold the one it is closer to."""
        if self.regime != "either":
            return self.warm if self.regime == "warm" else self.cold
        measured = self.row.duration_us
        above_warm = measured / self.warm.modelled_us
        below_cold = self.cold.modelled_us / measured
        return self.warm if above_warm <= below_cold else self.cold

    @property
    def range_us(self) -> tuple[float, float]:
        """Least and most that the model says of the row: between warm and cold where it may be either."""
        if self.regime != "either":
            return self.one_regime_us, self.one_regime_us
        return self.warm.modelled_us, self.cold.modelled_us

    @property
    def pipe_ratios(self) -> dict[str, float]:
        """Modelled over measured busy time of each pipe that both know, on the core that takes longest.

        As for the whole time, a pipe between its warm and its cold time is met where the row may be either.
        """
        warm, cold = _pipes_us(self.row, self.warm), _pipes_us(self.row, self.cold)
        if self.regime != "either":
            warm = cold = _pipes_us(self.row, self.nearer)
        return {
            pipe: _ratio(measured, *sorted((warm[pipe], cold[pipe])))
            for pipe, measured in self.row.pipes_us.items()
            if pipe in PIPES and warm[pipe] > 0 and measured >= LEAST_PIPE_US
        }

    @property
    def series(self) -> str:
        """Operator, processor and data types: what differs by size alone."""
        dtypes = ",".join(t.dtype for t in (*self.row.inputs, *self.row.outputs))
        return f"{self.row.operator} {self.row.soc} {dtypes}"

    @property
    def ratio(self) -> float:
        """Modelled over measured; 1 between warm and cold, else to the nearer of them."""
        least, most = self.range_us
        return _ratio(self.row.duration_us, least, most)

    @property
    def beats_hbm(self) -> bool:
        """Whether the row took less than its bytes at HBM's nominal rate, so that L2 gave or kept a part."""
        nominal = PROCESSORS[self.row.soc].hbm_bytes_per_s / 1e6
        return self.row.duration_us < self.moved_bytes / nominal

    @property
    def formula_ratio(self) -> float:
        """The same for the formula, which knows no first launch."""
        warm, cold = (
            _formula_us(self.row, self.moved_bytes, cold=cold) for cold in (False, True)
        )
        least = cold if self.regime == "cold" else warm
        most = warm if self.regime == "warm" else cold
        return _ratio(self.row.duration_us, least, most)


def _pipes_us(row: Row, report: Report) -> dict[str, float]:
    """Busy time of each pipe of the core that takes longest, in microseconds."""
    core = max(report.cores, key=lambda core: core["total"])
    clock = PROCESSORS[row.soc].clock_mhz
    return {pipe: core[pipe] / clock for pipe in PIPES}


def _ratio(measured_us: float, least_us: float, most_us: float) -> float:
    """1 for what lies between the two, else modelled over measured of the nearer."""
    if least_us <= measured_us <= most_us:
        return 1.0
    return (least_us if measured_us < least_us else most_us) / measured_us


def _formula_us(row: Row, moved_bytes: int, *, cold: bool) -> float:
    """The five lines of docs/time.md, nothing of it fitted."""
    wide = PROCESSORS[row.soc].vector_cores == 48
    if cold:
        rate = min(1.32e6 if wide else 0.62e6, 0.085e6 * row.cores)
    else:
        rate = min(5.0e6 if wide else 3.4e6, 0.11e6 * row.cores)
    spread = 0.9 if row.cores > 8 else 0.0
    return 0.45 + 0.055 * row.cores + 0.75 + spread + moved_bytes / rate


def regime_of(comparison: Comparison) -> str:
    """Name of the range in `[uncertainty]` of processors.toml that the row belongs to."""
    modelled_us = comparison.ratio * comparison.row.duration_us
    uncertainty = PROCESSORS[comparison.row.soc].uncertainty
    factors = uncertainty.factors(
        modelled_us,
        from_hbm=comparison.regime == "cold",
        is_product=comparison.family == PRODUCTS,
    )
    names = (field.name for field in fields(uncertainty))
    return next(name for name in names if getattr(uncertainty, name) == factors)


def print_ranges(compared: Sequence[Comparison]) -> None:
    """By regime: percentiles of measured / modelled, and how many rows lie inside the stored range."""
    uncertainty = next(iter(PROCESSORS.values())).uncertainty
    print("measured / modelled, and rows inside the stored range")
    for field in fields(uncertainty):
        low, high = getattr(uncertainty, field.name)
        line = f"  {field.name:8} {low:.2f} to {high:.2f}"
        for is_held_out, title in ((False, "used"), (True, "kept apart")):
            group = [c for c in compared if c.row.is_held_out == is_held_out]
            factors = [1 / c.ratio for c in group if regime_of(c) == field.name]
            inside = sum(low <= factor <= high for factor in factors)
            line += f"; {title} {inside} of {len(factors)}"
            if len(factors) > 1:
                tenths = statistics.quantiles(factors, n=10, method="inclusive")
                line += f" ({tenths[0]:.2f} to {tenths[-1]:.2f})"
        print(line)


def libraries() -> list[Library]:
    """The test kernels that stand for operators, compiled."""
    return [build("time"), build("model")]


def compare(built: Sequence[Library], row: Row, kernel: StandIn) -> Comparison:
    """Run the kernel that stands for a row, warm and cold."""
    library = next(each for each in built if each.has(kernel.case))
    inputs = [_tensor(tensor, row) for tensor in kernel.inputs]
    outputs = [_tensor(tensor, row) for tensor in kernel.outputs]
    moved = sum(t.elements * _BYTES[t.dtype] for t in (*row.inputs, *row.outputs))
    if not kernel.inputs:
        moved = sum(t.elements * _BYTES[t.dtype] for t in row.outputs)
    if kernel.case.startswith("gather/"):
        moved = 2 * row.outputs[0].elements * _BYTES[row.outputs[0].dtype]
    ways = ((kernel.parameters, kernel.cold_parameters), *kernel.tilings)
    runs = []
    for parameters, cold_parameters in ways:
        reports = []
        for cold in (False, True):
            report = library.run(
                kernel.case,
                inputs,
                outputs,
                (cold_parameters if cold else ()) or parameters,
                block_dim=row.cores,
                fast=True,
                cold=cold,
                soc=row.soc,
                time_limit=120,
            )
            assert not report.rules("error"), (row.name, kernel.case, report.findings)
            reports.append(report)
        runs.append(Comparison(row, kernel.family, moved, *reports))
    return min(runs, key=lambda run: run.nearer.modelled_us)


def _tensor(tensor: Tensor, row: Row) -> torch.Tensor:
    elements = max(1, tensor.elements)
    if tensor.dtype in {"int32", "int64"} and row.operator == "GatherV2":
        highest = row.inputs[0].shape[0]
        generator = torch.Generator().manual_seed(0)
        return torch.randint(
            highest, (elements,), generator=generator, dtype=_TORCH[tensor.dtype]
        )
    return torch.ones(elements, dtype=_TORCH[tensor.dtype])


def size_class(comparison: Comparison) -> str:
    """By measured time."""
    us = comparison.row.duration_us
    return "< 3 µs" if us < 3 else "3–10" if us < 10 else "10–50" if us < 50 else "> 50"


def summary(title: str, ratios: Sequence[float]) -> str:
    """A line: rows, shares within 1.5 and 2, median ratio, mean and farthest factor."""
    if not ratios:
        return f"{title:34} no rows"
    factors = [max(ratio, 1 / ratio) for ratio in ratios]
    close = sum(factor <= 1.5 for factor in factors) / len(factors)
    near = sum(factor <= 2 for factor in factors) / len(factors)
    typical = statistics.geometric_mean(factors)
    return (
        f"{title:34} {len(ratios):4} rows  {close:6.1%} within 1.5  {near:6.1%} within 2  "
        f"median {statistics.median(ratios):.2f}  typically off by {typical:.2f}  farthest {max(factors):.2f}"
    )


def draw(compared: Sequence[Comparison], path: Path) -> None:
    """Modelled over measured on logarithmic axes; between warm and cold a row is drawn as a line."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "time"  # the same file from the same rows
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 6))
    colours = dict(
        zip(
            sorted({c.family for c in compared}), ["C0", "C1", "C2", "C3"], strict=False
        )
    )
    for family, colour in colours.items():
        some = [c for c in compared if c.family == family]
        for c in some:
            if c.regime == "either":
                ends = (c.warm.modelled_us, c.cold.modelled_us)
                axes.plot([c.row.duration_us] * 2, ends, color=colour, alpha=0.3, lw=1)
        nearest = [c.ratio * c.row.duration_us for c in some]
        measured = [c.row.duration_us for c in some]
        axes.scatter(
            measured, nearest, s=12, color=colour, label=f"{family} ({len(some)})"
        )
    ends = (0.8, 4000)
    for factor, style in ((1.0, "-"), (1.5, ":"), (1 / 1.5, ":")):
        line = [end * factor for end in ends]
        axes.plot(ends, line, style, color="grey", lw=0.8)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    axes.set_xlabel("measured on Ascend 910B2 and 910B4, CANN's operators, µs")
    axes.set_ylabel("modelled by the CPU twin, plain kernels of ours, µs")
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print the table and what it comes to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--operator", default="", help="only rows of this operator")
    parser.add_argument("--picture", type=Path, help="draw all rows into this SVG file")
    arguments = parser.parse_args()
    built = libraries()
    compared: list[Comparison] = []
    left_out: Counter[str] = Counter()
    for row in rows():
        kernel = stand_in(row)
        if arguments.operator and row.operator != arguments.operator:
            continue
        if kernel is None or not any(each.has(kernel.case) for each in built):
            left_out[kernel.case if kernel else row.operator] += 1
            continue
        compared.append(compare(built, row, kernel))
        if arguments.rows:
            _print_row(compared[-1])
    _print_summaries(compared)
    if arguments.picture:
        draw(compared, arguments.picture)
    names = (f"{name} {count}" for name, count in sorted(left_out.items()))
    print("rows no kernel of ours stands for:", ", ".join(names))


def _print_row(c: Comparison) -> None:
    busy = _pipes_us(c.row, c.nearer)
    pipes = " ".join(
        f"{pipe} {busy[pipe]:.2f}/{c.row.pipes_us[pipe]:.2f}" for pipe in PIPES
    )
    mark = "apart" if c.row.is_held_out else ""
    print(
        f"{c.ratio:5.2f} {c.regime:6} {c.moved_bytes:>11} {c.row.cores:3} measured {c.row.duration_us:8.2f} "
        f"warm {c.warm.modelled_us:8.2f} cold {c.cold.modelled_us:8.2f} formula {c.formula_ratio:5.2f} "
        f"{pipes} {c.row.name} {mark}"
    )


def _print_summaries(compared: Sequence[Comparison]) -> None:
    for is_held_out in (False, True):
        group = [c for c in compared if c.row.is_held_out == is_held_out]
        print(
            "rows kept apart" if is_held_out else "rows the constants were chosen with"
        )
        simple = [c for c in group if c.family == ELEMENT_WISE]
        for regime in ("warm", "either", "cold"):
            some = [c for c in simple if c.regime == regime]
            print(" ", summary(f"{ELEMENT_WISE}, {regime}", [c.ratio for c in some]))
            print(" ", summary("  formula", [c.formula_ratio for c in some]))
        slow = [c for c in simple if c.regime == "cold" and not c.beats_hbm]
        print(" ", summary("  cold, none beyond HBM", [c.ratio for c in slow]))
        print(" ", summary("  formula", [c.formula_ratio for c in slow]))
        for size in ("< 3 µs", "3–10", "10–50", "> 50"):
            some = [c for c in simple if size_class(c) == size and c.regime != "either"]
            print(" ", summary(f"one regime, {size}", [c.ratio for c in some]))
        for family in sorted({c.family for c in group} - {ELEMENT_WISE}):
            some = [c for c in group if c.family == family]
            print(" ", summary(family, [c.ratio for c in some]))
    print(summary("all", [c.ratio for c in compared]))
    print_ranges(compared)
    _print_pipes(compared)
    _print_order(compared)


def _print_pipes(compared: Sequence[Comparison]) -> None:
    """Median of modelled over measured busy time, by what kind of kernel and how much it moves."""
    print("busy time of the pipes, modelled over measured, median (rows)")
    classes: dict[str, list[Comparison]] = {}
    for c in compared:
        few = c.family == ELEMENT_WISE and c.regime == "warm"
        size = ", below 1 MB" if few else ""
        classes.setdefault(c.family + size, []).append(c)
    for name, group in sorted(classes.items()):
        parts = []
        for pipe in PIPES:
            ratios = [c.pipe_ratios[pipe] for c in group if pipe in c.pipe_ratios]
            if ratios:
                parts.append(f"{pipe} {statistics.median(ratios):.2f} ({len(ratios)})")
        print(f"  {name:34}", "  ".join(parts))


def disorder(compared: Sequence[Comparison]) -> list[tuple[Comparison, Comparison]]:
    """Pairs of one series that the model puts the other way round: first the smaller, in measured time too.

    Where a row may be warm or cold, only what neither explains is out of order.
    """
    pairs = []
    for series in _series(compared):
        for at, small in enumerate(series):
            for large in series[at + 1 :]:
                grows = small.moved_bytes < large.moved_bytes
                slower = large.row.duration_us > CLEARLY * small.row.duration_us
                swapped = small.range_us[0] > large.range_us[1]
                if grows and slower and swapped:
                    pairs.append((small, large))
    return pairs


def _series(compared: Sequence[Comparison]) -> list[list[Comparison]]:
    """Rows of one series by size, where there are several sizes."""
    by_name: dict[str, list[Comparison]] = {}
    for c in compared:
        by_name.setdefault(c.series, []).append(c)
    ordered = [
        sorted(series, key=lambda c: c.moved_bytes) for series in by_name.values()
    ]
    return [s for s in ordered if s[0].moved_bytes < s[-1].moved_bytes]


def _print_order(compared: Sequence[Comparison]) -> None:
    pairs = disorder(compared)
    ordered_count = len(_series(compared)) - len({small.series for small, _ in pairs})
    print(f"order by size kept in {ordered_count} of {len(_series(compared))} series")
    for small, large in pairs:
        print(
            f"  {small.row.duration_us} µs modelled {small.range_us[0]:.2f} before "
            f"{large.row.duration_us} µs modelled {large.range_us[1]:.2f}: "
            f"{small.row.name}, {large.row.name}"
        )


if __name__ == "__main__":
    main()
