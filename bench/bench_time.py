"""Modelled beside measured: our plain kernels on the twin, CANN's operators in profiles of real models.

    python bench/bench_time.py [--rows] [--operator NAME] [--picture docs/time.svg]

A profile does not say what lay in L2, so each row is modelled warm and cold. Below 1 MB only warm counts,
beyond 1.2 times the L2 only cold; between them a row is explained when it lies within 1.5 of one of the two
or between them. The baseline is the five-line formula of docs/time.md.
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
    def ratio(self) -> float:
        """Modelled over measured; 1 between warm and cold, else to the nearer of them."""
        return _ratio(self, self.warm.modelled_us, self.cold.modelled_us)

    @property
    def formula_ratio(self) -> float:
        """The same for the formula."""
        warm, cold = (
            _formula_us(self.row, self.moved_bytes, cold=cold) for cold in (False, True)
        )
        return _ratio(self, warm, cold)


def _ratio(comparison: Comparison, warm_us: float, cold_us: float) -> float:
    measured = comparison.row.duration_us
    if comparison.regime != "either":
        return (warm_us if comparison.regime == "warm" else cold_us) / measured
    if warm_us <= measured <= cold_us:
        return 1.0
    nearer = warm_us if measured < warm_us else cold_us
    return nearer / measured


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
        for apart, title in ((False, "used"), (True, "kept apart")):
            group = [c for c in compared if c.row.is_kept_apart == apart]
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
    reports = []
    for cold in (False, True):
        parameters = kernel.cold_parameters if cold else ()
        report = library.run(
            kernel.case,
            inputs,
            outputs,
            parameters or kernel.parameters,
            block_dim=row.cores,
            fast=True,
            cold=cold,
            soc=row.soc,
            time_limit=120,
        )
        assert not report.rules("error"), (row.name, kernel.case, report.findings)
        reports.append(report)
    return Comparison(row, kernel.family, moved, *reports)


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
    """A line: rows, shares within 1.5 and 2, median and farthest ratio."""
    if not ratios:
        return f"{title:34} no rows"
    factors = [max(ratio, 1 / ratio) for ratio in ratios]
    close = sum(factor <= 1.5 for factor in factors) / len(factors)
    near = sum(factor <= 2 for factor in factors) / len(factors)
    return (
        f"{title:34} {len(ratios):4} rows  {close:6.1%} within 1.5  {near:6.1%} within 2  "
        f"median {statistics.median(ratios):.2f}  farthest {max(factors):.2f}"
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
    clock = PROCESSORS[c.row.soc].clock_mhz
    nearer = c.cold if c.regime == "cold" else c.warm
    core = max(nearer.cores, key=lambda core: core["total"])
    pipes = " ".join(
        f"{pipe} {core[pipe] / clock:.2f}/{c.row.pipes_us[pipe]:.2f}"
        for pipe in ("vector", "mte2", "mte3")
    )
    mark = "apart" if c.row.is_kept_apart else ""
    print(
        f"{c.ratio:5.2f} {c.regime:6} {c.moved_bytes:>11} {c.row.cores:3} measured {c.row.duration_us:8.2f} "
        f"warm {c.warm.modelled_us:8.2f} cold {c.cold.modelled_us:8.2f} formula {c.formula_ratio:5.2f} "
        f"{pipes} {c.row.name} {mark}"
    )


def _print_summaries(compared: Sequence[Comparison]) -> None:
    for apart in (False, True):
        group = [c for c in compared if c.row.is_kept_apart == apart]
        print("rows kept apart" if apart else "rows the constants were chosen with")
        simple = [c for c in group if c.family == ELEMENT_WISE]
        for regime in ("warm", "either", "cold"):
            some = [c for c in simple if c.regime == regime]
            print(" ", summary(f"{ELEMENT_WISE}, {regime}", [c.ratio for c in some]))
            print(" ", summary("  formula", [c.formula_ratio for c in some]))
        for size in ("< 3 µs", "3–10", "10–50", "> 50"):
            some = [c for c in simple if size_class(c) == size and c.regime != "either"]
            print(" ", summary(f"one regime, {size}", [c.ratio for c in some]))
        for family in sorted({c.family for c in group} - {ELEMENT_WISE}):
            some = [c for c in group if c.family == family]
            print(" ", summary(family, [c.ratio for c in some]))
    print(summary("all", [c.ratio for c in compared]))
    print_ranges(compared)


if __name__ == "__main__":
    main()
