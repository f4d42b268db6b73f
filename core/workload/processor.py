"""The processor a profile was made on, which no profile names: cycles tell it.

Cycles over (time x cores) are the clock, and the most cores that keep it are those it
has. With the wrong processor what is recoverable is up to five times too large.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.workload.launches import Counters

_LONG_US = 3.0  # shorter ones are rounded too much to tell a clock
_TOLERANCE = 0.015  # of the clock


@dataclass(frozen=True)
class Processor:
    """What the ranking needs of a processor; numbers of `resources/twin/processors.toml`.

    Attributes:
        hbm_bytes_per_s: Nominal.
        hbm_reached: Part of it that kernels reach.
        small: Lowest and highest of measured over modelled time of launch and entry.
        between: The same of what comes from L2.
    """

    name: str
    cube_cores: int
    vector_cores: int
    clock_mhz: float
    hbm_bytes_per_s: float
    hbm_reached: float
    l2_bytes_per_s: float
    l2_bytes: int
    launch_fixed_us: float
    launch_per_core_us: float
    entry_us: float
    entry_per_core_us: float
    small: tuple[float, float]
    between: tuple[float, float]

    def start_us(self, cores: int) -> float:
        """Microseconds of launch and entry of `cores` cores."""
        launch_us = self.launch_fixed_us + self.launch_per_core_us * cores
        return launch_us + self.entry_us + self.entry_per_core_us * (cores - 1)

    @property
    def numbers(self) -> tuple[object, ...]:
        """All but the name: processors that agree in them give the same ranking."""
        values = dict(vars(self))
        del values["name"]
        return tuple(values.values())


@dataclass(frozen=True)
class Sample:
    """Cycles of one launch: its cores, and what clock they make."""

    is_cube: bool
    blocks: int
    megahertz: float


def sample_of(core: str, blocks: int, counters: Counters) -> Sample | None:
    """What a launch says of the clock; None where it says nothing."""
    is_cube = core in ("AI_CORE", "MIX_AIC")
    if core not in ("AI_CORE", "MIX_AIC", "AI_VECTOR_CORE") or blocks < 1:
        return None
    time_text, cycle_text = counters[:2] if is_cube else counters[2:]
    try:
        time_us, cycles = float(time_text), float(cycle_text)
    except ValueError:
        return None
    if time_us < _LONG_US or cycles <= 0:
        return None
    return Sample(is_cube, blocks, cycles / (time_us * blocks))


def recognised(
    samples: Iterable[Sample], processors: Sequence[Processor]
) -> tuple[Processor, ...]:
    """The processors whose clock and cores the samples have; several where they are alike.

    A launch may have more blocks than there are cores; its cycles then make another
    clock, so it counts for nothing.
    """
    listed = list(samples)
    scores: list[tuple[int, Processor]] = []
    for processor in processors:
        of_clock = [
            sample
            for sample in listed
            if abs(sample.megahertz / processor.clock_mhz - 1) < _TOLERANCE
        ]
        cubes = max((s.blocks for s in of_clock if s.is_cube), default=0)
        vectors = max((s.blocks for s in of_clock if not s.is_cube), default=0)
        fits = cubes <= processor.cube_cores and vectors <= processor.vector_cores
        is_whole = cubes == processor.cube_cores or vectors == processor.vector_cores
        if of_clock and fits and is_whole:
            scores.append((len(of_clock), processor))
    most = max((score for score, _ in scores), default=0)
    return tuple(processor for score, processor in scores if score == most)
