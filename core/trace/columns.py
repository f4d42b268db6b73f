"""A trace as columns: slices by lane and start, arrows between them, counters. docs/trace.md describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

# Pipes as msprof calls them, in the order they are shown. FLOWCTRL holds the time the scalar unit waits.
PIPES = ("SCALAR", "FLOWCTRL", "MTE2", "MTE1", "CUBE", "FIXP", "VECTOR", "MTE3")
WAITING = "FLOWCTRL"  # its slices are no work
# Slices of msprof that are no work either.
WAITS = frozenset({"WAIT_FLAG", "WAIT_INTRA_BLOCK", "wait_event"})
# Kinds of arrows: TQue, SetFlag or barrier, other core.
QUEUE, FLAG, CORE = FLOWS = (
    "queue",
    "flag",
    "core",
)


@dataclass(frozen=True, slots=True)
class Lane:
    """One pipe of one core, as msprof names both: `core0.veccore1`, `MTE2`."""

    core: str
    pipe: str

    def __str__(self) -> str:
        return f"{self.core} {self.pipe}"


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the candidate's source; line 0 where it is not known."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def core_order(core: str) -> tuple[tuple[int, ...], str]:
    """Sorts cores by number, and the cube core of an AI core before its vector cores."""
    return tuple(int(number) for number in re.findall(r"\d+", core)[:1]), core


def pipe_order(pipe: str) -> tuple[int, str, int]:
    """Sorts pipes as `PIPES`, others behind, and the further rows of one (`MTE2 2`) behind its first."""
    name, _, row = pipe.partition(" ")
    return (
        PIPES.index(name) if name in PIPES else len(PIPES),
        name,
        int(row) if row.isdigit() else 0,
    )


def lane_order(lane: Lane) -> tuple[object, object]:
    """Sorts lanes as viewers draw them: by core, then by pipe."""
    return core_order(lane.core), pipe_order(lane.pipe)


@dataclass(frozen=True, eq=False, slots=True)
class Counter:
    """A value over time, e.g. the bytes of one buffer of a queue in use.

    Attributes:
        core: As in `Lane`.
        name: What is counted, e.g. `UB VECIN queue, line 20`, or `UB` for all of a memory.
        series: One of several values that add up, e.g. `buffer 1`.
        time: When it changes, ns, ascending.
        value: What it is from then on, bytes.
    """

    core: str
    name: str
    series: str
    time: Integers
    value: Integers


@dataclass(frozen=True, eq=False)
class Trace:
    """All of a launch. Times are whole ns since its first core began; slices of a lane never overlap.

    Attributes:
        lanes: Pipes that did something, by core.
        first: [lanes + 1] first slice of every lane; slices are sorted by lane, then start.
        start: [slices] ns.
        end: [slices] ns; equal to the start where a slice is shorter than the clock tells.
        cycles: [slices] the same before rounding, in cycles of the core.
        stalled: [slices] ns before the start in which the pipe was free and only waited for a flag or queue.
        size: [slices] bytes moved, 0 where nothing is.
        name: [slices] number in `names`: the API call.
        place: [slices] number in `places`: where it stands.
        names: API calls.
        places: Lines of source.
        flow_from: [arrows] slice that had to end; sorted by the start of the target.
        flow_to: [arrows] slice that waited.
        flow_kind: [arrows] number in `FLOWS`.
        counters: Occupancy of on-chip memories, the whole of each first.
        facts: What was traced, as far as known: `clock_mhz`, `launch_us` (cost of the launch, which no slice
            shows), `kernel_us` (the slowest core, to the end of the latency of its last result), `operator`,
            `case`, `kernel` (digest), `judged by`, `dropped` (records without room).
    """

    lanes: tuple[Lane, ...]
    first: Integers
    start: Integers
    end: Integers
    cycles: Reals
    stalled: Integers
    size: Integers
    name: Integers
    place: Integers
    names: tuple[str, ...]
    places: tuple[Place, ...]
    flow_from: Integers
    flow_to: Integers
    flow_kind: Integers
    counters: tuple[Counter, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def length_ns(self) -> int:
        """When the last slice ends."""
        return int(self.end.max(initial=0))

    @property
    def kernel_ns(self) -> int:
        """How long the slowest core took; no slice shows the latency of its last result."""
        kernel_us = float(self.facts.get("kernel_us") or 0.0)
        return max(self.length_ns, round(1e3 * kernel_us))

    @property
    def lane(self) -> Integers:
        """[slices] number of the lane each lies on."""
        return np.repeat(np.arange(len(self.lanes)), np.diff(self.first))

    @property
    def waiting(self) -> NDArray[np.bool_]:
        """[slices] whether a slice of msprof is no work: its pipe stood still."""
        return np.array([name in WAITS for name in (*self.names, "")], dtype=bool)[
            self.name
        ]

    def of_lane(self, lane: int) -> slice:
        """The slices of a lane."""
        return slice(int(self.first[lane]), int(self.first[lane + 1]))

    def busy_ns(self, lane: int) -> int:
        """How long a lane worked."""
        own = self.of_lane(lane)
        return int((self.end[own] - self.start[own]).sum())

    def busy_cycles(self, lane: int) -> float:
        """How long a lane worked, in cycles: the number the report gives for its pipe."""
        return float(self.cycles[self.of_lane(lane)].sum())

    def cycles_by_place(self) -> Reals:
        """[places] cycles that pipes worked for each line of source, waiting left out."""
        works = np.array([lane.pipe != WAITING for lane in self.lanes], dtype=bool)[
            self.lane
        ]
        weights = np.where(works & ~self.waiting, self.cycles, 0.0)
        return np.bincount(self.place, weights, len(self.places)).astype(np.float64)
