"""What a calibration found."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.evaluation.records import TIME_MODEL
from remote.judge.building.processors import SMALL_US

FORMAT = 1
MOST_SPREAD = 0.3  # a constant known worse than that keeps its shipped value
BEYOND_L2 = "beyond-l2"  # in the names of copies that do not fit L2
_FEWEST = 8  # latencies of a regime from which a range is taken
_LEAST_RANGE = 0.05  # to either side, as the shipped ranges


@dataclass(frozen=True)
class CalibratedConstant:
    """One constant of the twin, before and after; `spread` is its standard deviation over its value."""

    name: str
    shipped: float
    calibrated: float
    spread: float

    @property
    def is_determined(self) -> bool:
        """Whether the micro kernels say enough of it; else the shipped value stays."""
        return self.spread <= MOST_SPREAD


@dataclass(frozen=True)
class MicroKernel:
    """Latencies of a micro kernel in microseconds: measured, modelled before and after."""

    name: str
    measured_us: float
    shipped_us: float
    calibrated_us: float


@dataclass(frozen=True)
class Calibration:
    """What one calibration of one host found.

    Attributes:
        part: Processor, e.g. `Ascend910B4`.
        cann: Version of CANN.
        date: Day, e.g. `2026-11-24`.
        time_model: Version of the twin's model that was fitted; constants of another one mean nothing.
        left_out: Micro kernels without a latency -> why.
    """

    host: str
    part: str
    cann: str
    date: str
    time_model: int
    constants: tuple[CalibratedConstant, ...]
    kernels: tuple[MicroKernel, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def is_current(self) -> bool:
        """Whether the twin that ships has the time model that was fitted."""
        return self.time_model == TIME_MODEL

    @property
    def values(self) -> dict[str, float]:
        """Constants of the calibrated twin, by name."""
        return {constant.name: constant.calibrated for constant in self.constants}

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest of measured over modelled time that the fit left, by regime of `Uncertainty`.

        Without the lowest and the highest tenth, as the ranges that ship. What 22 constants were fitted to
        lies closer to them than what they were not: the logarithms are widened by the degrees of freedom. A
        regime of few micro kernels has no range of its own.
        """
        determined = sum(constant.is_determined for constant in self.constants)
        freedom = len(self.kernels) - determined
        if freedom < _FEWEST:
            return {}
        widening = math.sqrt(len(self.kernels) / freedom)
        residuals: dict[str, list[float]] = {}
        for kernel in self.kernels:
            apart = math.log(kernel.measured_us / kernel.calibrated_us)
            residuals.setdefault(_regime(kernel), []).append(widening * apart)
        return {
            regime: _range(values)
            for regime, values in residuals.items()
            if len(values) >= _FEWEST
        }

    @property
    def label(self) -> str:
        """Whose constants they are, as a modelled latency names it, e.g. `lab7 2026-11-24`."""
        return f"{self.host} {self.date}"


def _regime(kernel: MicroKernel) -> str:
    """The field of `Uncertainty` that a micro kernel tells of; none of them is a matrix product by the library."""
    if BEYOND_L2 in kernel.name:
        return "hbm"
    return "small" if kernel.calibrated_us < SMALL_US else "between"


def _range(logarithms: Sequence[float]) -> tuple[float, float]:
    tenths = statistics.quantiles(logarithms, n=10, method="inclusive")
    low, high = math.exp(tenths[0]), math.exp(tenths[-1])
    return min(low, 1 - _LEAST_RANGE), max(high, 1 + _LEAST_RANGE)
