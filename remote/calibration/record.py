"""What a calibration found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.evaluation.records import TIME_MODEL

FORMAT = 1
MOST_SPREAD = 0.3  # a constant known worse than that keeps its shipped value


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
    def label(self) -> str:
        """Whose constants they are, as a modelled latency names it, e.g. `lab7 2026-11-24`."""
        return f"{self.host} {self.date}"
