"""Which operators are worth a kernel: the time that could be saved, as an interval.

Of a signature, with t its median and n its calls in a step:

    fast floor   launch and entry of one core, tensors in L2, cube at its peak
    sure floor   launch and entry of the cores it used, tensors in HBM at the rate that
                 kernels reach, products at the share of the peak that CANN's reach
    high end     n (t - fast floor): no kernel saves more
    low end      n (t - sure floor), times the share of its time directly after which
                 the device began something else: the rest may turn into waiting

Where work is not known the low end is 0 and the high end says what bytes alone leave.
Rates are those of the time model, see docs/time.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.workload.processor import Processor
from core.workload.records import Group, Workload
from core.workload.work import Known, Work, work_of

PRODUCTS_REACHED = 0.86  # of the cube's peak: CANN's MatMulV3 of 4096 x 1024 x 2048
LEAST_GAIN = 0.005  # of a step: below it an operator is not worth a kernel
NEAR_FLOOR = 0.8  # of its time: what CANN serves so well is left alone


class Worth(StrEnum):
    """What a person should do with an operator."""

    WORTH = "worth a look"
    HOST_CPU = "runs on the AI CPU"
    UNKNOWN = "work unknown"
    NO_SHAPES = "no shapes"
    SERVED = "CANN is near the floor"
    SMALL = "not worth it"


@dataclass(frozen=True)
class Floor:
    """Of a launch, in microseconds: what no kernel undercuts, and what one can count on."""

    fast_us: float
    sure_us: float
    known: Known


@dataclass(frozen=True)
class RankedOperator:
    """An operator with all its signatures, in a step.

    Attributes:
        operator: CANN's type.
        groups: Its signatures, the longest first.
        calls: Of all of them.
        time_us: Of all of them.
        low_us: What one can count on saving.
        high_us: What no kernel saves more than.
        floor_us: The sure floor of all calls; None where work is not known.
        known: How much of the work is known, of the signature of which least is.
        exposed: Share of the time directly after which the device began something else;
            None where the profile has no start times.
        share: Of the computing of a step.
        gain: The part of a step that the two ends of the saving are.
        worth: What to do with it.
    """

    operator: str
    groups: tuple[Group, ...]
    calls: float
    time_us: float
    low_us: float
    high_us: float
    floor_us: float | None
    known: Known
    exposed: float | None
    share: float
    gain: tuple[float, float]
    worth: Worth


def floor_of(group: Group, processor: Processor) -> Floor:
    """What a launch of this signature takes at least."""
    work = work_of(group)
    if work.known is Known.NOTHING:
        return Floor(0.0, 0.0, work.known)
    cores = max(1, min(group.blocks or 1, processor.vector_cores))
    slack, strain = processor.small
    fast_us = slack * processor.start_us(1)
    sure_us = strain * processor.start_us(cores)
    fast_us += max(_fast_copy_us(work, processor), _cube_us(work, processor, fast=True))
    reached = processor.hbm_bytes_per_s * processor.hbm_reached
    sure_copy_us = 1e6 * work.bytes / reached
    sure_us += max(sure_copy_us, _cube_us(work, processor, fast=False))
    return Floor(fast_us, max(fast_us, sure_us), work.known)


def _fast_copy_us(work: Work, processor: Processor) -> float:
    """What fits L2 is there; the rest comes at the nominal rate of HBM."""
    of_l2 = min(work.bytes, processor.l2_bytes)
    of_hbm = work.bytes - of_l2
    of_l2_s = processor.between[0] * of_l2 / processor.l2_bytes_per_s
    return 1e6 * (of_l2_s + of_hbm / processor.hbm_bytes_per_s)


def _cube_us(work: Work, processor: Processor, *, fast: bool) -> float:
    operations = work.least_operations if fast else work.operations
    peak = work.operation_rate * processor.cube_cores * processor.clock_mhz  # a µs
    return operations / (peak * (1.0 if fast else PRODUCTS_REACHED))


def rank(workload: Workload, processor: Processor) -> tuple[RankedOperator, ...]:
    """Every operator that computes, what a person should look at first.

    By what to do with them, in the order of `Worth`; among equals by the low end of what
    they could save, then by the high end. Communication is not among them. The order of
    rows in the profile does not matter.
    """
    names = dict.fromkeys(group.operator for group in workload.groups)
    ranked = [_ranked(workload, name, processor) for name in names]
    worths = list(Worth)

    def order(one: RankedOperator) -> tuple[int, float, float, str]:
        return worths.index(one.worth), -one.low_us, -one.high_us, one.operator

    return tuple(sorted(ranked, key=order))


def _ranked(workload: Workload, name: str, processor: Processor) -> RankedOperator:
    groups = workload.of_operator(name)
    floors = [floor_of(group, processor) for group in groups]
    low_us = high_us = floor_us = 0.0
    for group, floor in zip(groups, floors, strict=True):
        high_us += group.calls * max(0.0, group.median_us - floor.fast_us)
        floor_us += group.calls * min(floor.sure_us, group.median_us)
        if floor.known is Known.WHOLE:
            exposed = 1.0 if group.exposed is None else group.exposed
            saved_us = max(0.0, group.median_us - floor.sure_us)
            low_us += group.calls * saved_us * exposed
    known = _least([floor.known for floor in floors])
    time_us = sum(group.step_us for group in groups)
    whole_us = workload.step_us or workload.computing_us
    gain = (_part(low_us, whole_us), _part(high_us, whole_us))
    is_known = known is Known.WHOLE
    return RankedOperator(
        operator=name,
        groups=groups,
        calls=sum(group.calls for group in groups),
        time_us=time_us,
        low_us=low_us,
        high_us=high_us,
        floor_us=floor_us if is_known else None,
        known=known,
        exposed=_exposed(groups),
        share=_part(time_us, workload.computing_us),
        gain=gain,
        worth=_worth(groups, known, gain[1], _part(floor_us, time_us)),
    )


def _least(known: Sequence[Known]) -> Known:
    order = list(Known)
    return max(known, key=order.index)


def _part(value: float, whole: float) -> float:
    return value / whole if whole else 0.0


def _exposed(groups: Sequence[Group]) -> float | None:
    shares = [group.exposed for group in groups]
    if None in shares:
        return None
    time_us = sum(group.step_us for group in groups)
    exposed_us = sum(group.step_us * (group.exposed or 0.0) for group in groups)
    return _part(exposed_us, time_us)


def _worth(
    groups: Sequence[Group], known: Known, most_gain: float, served: float
) -> Worth:
    if most_gain < LEAST_GAIN:
        return Worth.SMALL
    time_us = sum(group.step_us for group in groups)
    host_us = sum(group.step_us for group in groups if group.core == "AI_CPU")
    if host_us > time_us / 2:
        return Worth.HOST_CPU
    if known is Known.NOTHING:
        return Worth.NO_SHAPES
    if known is not Known.WHOLE:
        return Worth.UNKNOWN
    return Worth.SERVED if served >= NEAR_FLOOR else Worth.WORTH
