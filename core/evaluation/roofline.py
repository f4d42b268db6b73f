"""Where a kernel stands under the ceilings of its processor: operations a second over operations a byte.

operations   lanes vector instructions worked on, or multiplications and additions of the cube: of the unit
             that needs the longer for them at its best rate (fp16)
bytes        what copies carried from and to global memory, L2 included: a point may stand above HBM's line
time         the latency of the slowest timed case without the cost of the launch, which no ceiling knows of

(Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009.)
"""

from __future__ import annotations

from dataclasses import dataclass

from core.evaluation.records import CaseResult, Evaluation, LatencyOrigin, PipeProfile

# Lanes a cycle and core: `kFullRate` of the twin, throughput table of the guide.
VECTOR_LANES = {
    "fp16": 128,
    "fp32": 64,
}
# Operations a cycle and core: fractals of 16 x 16 x 16, fp32 at a quarter.
CUBE_OPS = {
    "fp16": 8192,
    "fp32": 2048,
}


@dataclass(frozen=True)
class Ceilings:
    """What a processor can do at most. Rates are operations a second."""

    processor: str
    hbm_bytes_per_s: float
    l2_bytes_per_s: float
    vector: dict[str, float]
    cube: dict[str, float]

    @staticmethod
    def of(
        processor: str,
        *,
        cube_cores: int,
        vector_cores: int,
        clock_mhz: float,
        hbm_bytes_per_s: float,
        l2_bytes_per_s: float,
    ) -> Ceilings:
        """From the numbers of a processor."""
        hertz = clock_mhz * 1e6
        return Ceilings(
            processor,
            hbm_bytes_per_s,
            l2_bytes_per_s,
            {
                name: lanes * vector_cores * hertz
                for name, lanes in VECTOR_LANES.items()
            },
            {name: ops * cube_cores * hertz for name, ops in CUBE_OPS.items()},
        )

    def peak(self, unit: str) -> float:
        """The highest ceiling of `vector` or `cube`."""
        return max((self.cube if unit == "cube" else self.vector).values())

    def roof(self, unit: str, intensity: float) -> float:
        """Operations a second that are possible at so many operations a byte from HBM."""
        return min(self.peak(unit), intensity * self.hbm_bytes_per_s)


@dataclass(frozen=True)
class RooflinePoint:
    """One round.

    Attributes:
        round: Its number.
        case: Slowest timed visible case, whose launch is counted.
        unit: `vector` or `cube`: the unit whose operations are counted.
        operations: Of that unit.
        bytes: From and to global memory.
        time_us: Without the cost of the launch.
        origin: Of the time, as stored: measured, or modelled by a time model.
        counted: Of bytes and operations, which the twin counts also where a device tells the time.
    """

    round: int
    case: str
    unit: str
    operations: float
    bytes: float
    time_us: float
    origin: str
    counted: LatencyOrigin

    @property
    def is_timed_elsewhere(self) -> bool:
        """Whether a device tells the time and the twin what was moved and computed."""
        return self.origin.partition("-")[0] != self.counted

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.operations / self.bytes

    @property
    def performance(self) -> float:
        """Operations a second."""
        return self.operations / (self.time_us * 1e-6)

    def bound(self, ceilings: Ceilings) -> str:
        """Which ceiling is lowest at this intensity: `bandwidth`, `vector` or `cube`."""
        under = self.intensity * ceilings.hbm_bytes_per_s < ceilings.peak(self.unit)
        return "bandwidth" if under else self.unit

    def share(self, ceilings: Ceilings) -> float:
        """Share of the lowest ceiling; above 1 where most bytes come from L2."""
        return self.performance / ceilings.roof(self.unit, self.intensity)


def slowest_timed(evaluation: Evaluation) -> CaseResult | None:
    """The visible case that took longest, whose launch a profile of the evaluation is of."""
    timed = [case for case in evaluation.cases if case.is_timed]
    return max(
        timed,
        key=lambda case: case.latency.value if case.latency else 0.0,
        default=None,
    )


def tells_work(profile: PipeProfile | None) -> bool:
    """Whether a profile says what was moved and computed."""
    return profile is not None and any(
        (core.gm_read or core.gm_written) and (core.vector_ops or core.cube_ops)
        for core in profile.cores
    )


def only_moves(profile: PipeProfile | None) -> bool:
    """Whether a profile tells of data that was moved and of nothing that was computed, as of a gather."""
    moved = profile is not None and any(
        core.gm_read or core.gm_written for core in profile.cores
    )
    return moved and not tells_work(profile)


def roofline_point(
    number: int,
    evaluation: Evaluation,
    ceilings: Ceilings,
    counts: PipeProfile | None = None,
) -> RooflinePoint | None:
    """The point of a round; None where no profile says what was moved and computed.

    Args:
        number: Of the round.
        evaluation: Its times, and by default its counts.
        ceilings: Of the processor that was timed.
        counts: Of the same kernel on the same case, where the evaluation has none: a device counts nothing.
    """
    profile, slowest = counts or evaluation.profile, slowest_timed(evaluation)
    if profile is None or slowest is None or slowest.latency is None:
        return None
    moved = sum(core.gm_read + core.gm_written for core in profile.cores)
    work = {
        "vector": sum(core.vector_ops for core in profile.cores),
        "cube": sum(core.cube_ops for core in profile.cores),
    }
    latency = slowest.latency
    time = latency.value - (latency.launch or 0.0)
    unit = max(work, key=lambda name: work[name] / ceilings.peak(name))
    if moved <= 0 or work[unit] <= 0 or time <= 0:
        return None
    return RooflinePoint(
        number,
        slowest.case,
        unit,
        work[unit],
        moved,
        time,
        latency.stored_origin,
        profile.origin,
    )
