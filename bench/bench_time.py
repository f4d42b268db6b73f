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
        warm = _pipes_us(self.row, self.warm)
        cold = _pipes_us(self.row, self.cold)
        if self.regime != "either":
            warm = cold = _pipes_us(self.row, self.nearer)
        ratios = {}
        for pipe, measured_us in self.row.pipes_us.items():
            # A profile's busy time below the limit is rounded too much to compare.
            if pipe not in PIPES or measured_us < LEAST_PIPE_US or warm[pipe] <= 0:
                continue
            least_us, most_us = sorted((warm[pipe], cold[pipe]))
            ratios[pipe] = _ratio(measured_us, least_us, most_us)
        return ratios

    @property
    def series(self) -> str:
        """Operator, processor and data types: what differs by size alone."""
        tensors = (*self.row.inputs, *self.row.outputs)
        dtypes = ",".join(tensor.dtype for tensor in tensors)
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
        warm_us = _formula_us(self.row, self.moved_bytes, cold=False)
        cold_us = _formula_us(self.row, self.moved_bytes, cold=True)
        least_us = cold_us if self.regime == "cold" else warm_us
        most_us = warm_us if self.regime == "warm" else cold_us
        return _ratio(self.row.duration_us, least_us, most_us)


def _pipes_us(row: Row, report: Report) -> dict[str, float]:
    """Busy time of each pipe of the core that takes longest, in microseconds."""
    core = max(report.cores, key=lambda core: core["total"])
    clock = PROCESSORS[row.soc].clock_mhz
    return {pipe: core[pipe] / clock for pipe in PIPES}


def _ratio(measured_us: float, least_us: float, most_us: float) -> float:
    """1 for what lies between the two, else modelled over measured of the nearer."""
    if least_us <= measured_us <= most_us:
        return 1.0
    nearer_us = least_us if measured_us < least_us else most_us
    return nearer_us / measured_us


def _formula_us(row: Row, moved_bytes: int, *, cold: bool) -> float:
    """The five lines of docs/time.md, nothing of it fitted.

    Rates are bytes a µs: those of the memory, or those of so many cores.
    """
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
    for field in fields(uncertainty):
        if getattr(uncertainty, field.name) == factors:
            return field.name
    raise LookupError(f"no range of the time model has the factors {factors}")


def print_ranges(compared: Sequence[Comparison]) -> None:
    """By regime: percentiles of measured / modelled, and how many rows lie inside the stored range."""
    uncertainty = next(iter(PROCESSORS.values())).uncertainty
    print("measured / modelled, and rows inside the stored range")
    for field in fields(uncertainty):
        low, high = getattr(uncertainty, field.name)
        of_regime = [each for each in compared if regime_of(each) == field.name]
        line = f"  {field.name:8} {low:.2f} to {high:.2f}"
        for is_held_out, title in ((False, "used"), (True, "kept apart")):
            group = [each for each in of_regime if each.row.is_held_out == is_held_out]
            factors = [1 / each.ratio for each in group]
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
    moved_bytes = _moved_bytes(row, kernel)

    def run(parameters: tuple[float, ...], *, cold: bool) -> Report:
        report = library.run(
            kernel.case,
            inputs,
            outputs,
            parameters,
            block_dim=row.cores,
            fast=True,
            cold=cold,
            soc=row.soc,
            time_limit=120,
        )
        assert not report.rules("error"), (row.name, kernel.case, report.findings)
        return report

    # The better of its tilings counts: CANN's kernel has one that suits the shape.
    ways = ((kernel.parameters, kernel.cold_parameters), *kernel.tilings)
    comparisons = []
    for parameters, cold_parameters in ways:
        warm = run(parameters, cold=False)
        cold = run(cold_parameters or parameters, cold=True)
        comparisons.append(Comparison(row, kernel.family, moved_bytes, warm, cold))
    return min(comparisons, key=lambda each: each.nearer.modelled_us)


def _moved_bytes(row: Row, kernel: StandIn) -> int:
    """Bytes from and to global memory that the operator cannot do without."""
    if kernel.case.startswith("gather/"):
        # Of the table it reads as many rows as it writes.
        return 2 * _bytes_of(row.outputs[0])
    tensors = (*row.inputs, *row.outputs) if kernel.inputs else row.outputs
    return sum(_bytes_of(tensor) for tensor in tensors)


def _bytes_of(tensor: Tensor) -> int:
    return tensor.elements * _BYTES[tensor.dtype]


def _tensor(tensor: Tensor, row: Row) -> torch.Tensor:
    """Data of a shape: indices that lie in the table, ones everywhere else."""
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
    for limit, name in ((3, "< 3 µs"), (10, "3–10"), (50, "10–50")):
        if us < limit:
            return name
    return "> 50"


def summary(title: str, ratios: Sequence[float]) -> str:
    """A line: rows, shares within 1.5 and 2, median ratio, mean and farthest factor."""
    if not ratios:
        return f"{title:34} no rows"
    factors = [max(ratio, 1 / ratio) for ratio in ratios]
    close = sum(factor <= 1.5 for factor in factors) / len(factors)
    near = sum(factor <= 2 for factor in factors) / len(factors)
    typical = statistics.geometric_mean(factors)
    parts = (
        f"{title:34} {len(ratios):4} rows",
        f"{close:6.1%} within 1.5",
        f"{near:6.1%} within 2",
        f"median {statistics.median(ratios):.2f}",
        f"typically off by {typical:.2f}",
        f"farthest {max(factors):.2f}",
    )
    return "  ".join(parts)


def draw(compared: Sequence[Comparison], path: Path) -> None:
    """Modelled over measured on logarithmic axes; between warm and cold a row is drawn as a line."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "time"  # the same file from the same rows
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 6))
    families = sorted({each.family for each in compared})
    for family, colour in zip(families, ("C0", "C1", "C2", "C3"), strict=False):
        group = [each for each in compared if each.family == family]
        for each in group:
            if each.regime == "either":
                across = [each.row.duration_us] * 2
                down = (each.warm.modelled_us, each.cold.modelled_us)
                axes.plot(across, down, color=colour, alpha=0.3, lw=1)
        measured = [each.row.duration_us for each in group]
        nearest = [each.ratio * each.row.duration_us for each in group]
        label = f"{family} ({len(group)})"
        axes.scatter(measured, nearest, s=12, color=colour, label=label)
    # The diagonal is a perfect model, the dotted lines are off by 1.5.
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
    names = [f"{name} {count}" for name, count in sorted(left_out.items())]
    print("rows no kernel of ours stands for:", ", ".join(names))


def _print_row(comparison: Comparison) -> None:
    """Everything about a row in a line, times in µs, of the pipes modelled/measured."""
    row = comparison.row
    busy = _pipes_us(row, comparison.nearer)
    pipes = [f"{pipe} {busy[pipe]:.2f}/{row.pipes_us[pipe]:.2f}" for pipe in PIPES]
    parts = (
        f"{comparison.ratio:5.2f} {comparison.regime:6}",
        f"{comparison.moved_bytes:>11} {row.cores:3}",
        f"measured {row.duration_us:8.2f}",
        f"warm {comparison.warm.modelled_us:8.2f}",
        f"cold {comparison.cold.modelled_us:8.2f}",
        f"formula {comparison.formula_ratio:5.2f}",
        *pipes,
        row.name,
        "apart" if row.is_held_out else "",
    )
    print(" ".join(parts))


def _print_group(
    title: str, group: Sequence[Comparison], *, formula: bool = False
) -> None:
    """The summary of some rows; below it that of the formula."""
    print(" ", summary(title, [each.ratio for each in group]))
    if formula:
        print(" ", summary("  formula", [each.formula_ratio for each in group]))


def _print_summaries(compared: Sequence[Comparison]) -> None:
    for is_held_out, title in (
        (False, "rows the constants were chosen with"),
        (True, "rows kept apart"),
    ):
        print(title)
        group = [each for each in compared if each.row.is_held_out == is_held_out]
        _print_classes(group)
    print(summary("all", [each.ratio for each in compared]))
    print_ranges(compared)
    _print_pipes(compared)
    _print_order(compared)


def _print_classes(group: Sequence[Comparison]) -> None:
    """Summaries by regime and size of element-wise operators, and of each other family."""
    simple = [each for each in group if each.family == ELEMENT_WISE]
    for regime in ("warm", "either", "cold"):
        of_regime = [each for each in simple if each.regime == regime]
        _print_group(f"{ELEMENT_WISE}, {regime}", of_regime, formula=True)
    slow = [each for each in simple if each.regime == "cold" and not each.beats_hbm]
    _print_group("  cold, none beyond HBM", slow, formula=True)
    one_regime = [each for each in simple if each.regime != "either"]
    for size in ("< 3 µs", "3–10", "10–50", "> 50"):
        of_size = [each for each in one_regime if size_class(each) == size]
        _print_group(f"one regime, {size}", of_size)
    for family in sorted({each.family for each in group} - {ELEMENT_WISE}):
        _print_group(family, [each for each in group if each.family == family])


def _print_pipes(compared: Sequence[Comparison]) -> None:
    """Median of modelled over measured busy time, by what kind of kernel and how much it moves."""
    print("busy time of the pipes, modelled over measured, median (rows)")
    classes: dict[str, list[Comparison]] = {}
    for each in compared:
        is_small = each.family == ELEMENT_WISE and each.regime == "warm"
        size = ", below 1 MB" if is_small else ""
        classes.setdefault(each.family + size, []).append(each)
    for name, group in sorted(classes.items()):
        parts = []
        for pipe in PIPES:
            of_rows = [each.pipe_ratios for each in group]
            ratios = [ratios[pipe] for ratios in of_rows if pipe in ratios]
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
    for each in compared:
        by_name.setdefault(each.series, []).append(each)
    with_sizes = []
    for series in by_name.values():
        ordered = sorted(series, key=lambda each: each.moved_bytes)
        if ordered[0].moved_bytes < ordered[-1].moved_bytes:
            with_sizes.append(ordered)
    return with_sizes


def _print_order(compared: Sequence[Comparison]) -> None:
    pairs = disorder(compared)
    total = len(_series(compared))
    broken = len({small.series for small, _large in pairs})
    print(f"order by size kept in {total - broken} of {total} series")
    for small, large in pairs:
        print(
            f"  {small.row.duration_us} µs modelled {small.range_us[0]:.2f} before "
            f"{large.row.duration_us} µs modelled {large.range_us[1]:.2f}: "
            f"{small.row.name}, {large.row.name}"
        )


if __name__ == "__main__":
    main()
