"""What each line of source costs, and what it waits for: from a trace, for the gutter of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import FLOWS, WAITING, Integers, Place, Reals, Trace


@dataclass(frozen=True, slots=True)
class Wait:
    """What a line waited for.

    Attributes:
        ns: How long, on the core where the line waits longest.
        kind: One of `FLOWS`; empty where the trace does not say what ended the wait.
        call: The API call that had to end.
        place: Where it stands, None without `kind`.
        pipe: That it ran on.
    """

    ns: int
    kind: str = ""
    call: str = ""
    place: Place | None = None
    pipe: str = ""


@dataclass(frozen=True, slots=True)
class LineCost:
    """One line of source.

    Attributes:
        ns: How long the pipes of one core worked for it, on the core where that is longest. Pipes work at
            the same time, so that lines add up to more than the launch.
        cycles: The same before rounding.
        pipe: Which of them worked longest.
        calls: The API calls on it.
        stalled_ns: How long pipes stood still before it, on the core where that is longest.
        waits: What for, the longest first.
    """

    ns: float
    cycles: float
    pipe: str
    calls: tuple[str, ...]
    stalled_ns: int = 0
    waits: tuple[Wait, ...] = ()


def line_costs(trace: Trace) -> Mapping[Place, LineCost]:
    """The cost of every line of `trace` that did something or waited, the most expensive first."""
    if not len(trace.start):
        return {}
    cores, core_of_lane = _numbered([lane.core for lane in trace.lanes])
    pipes, pipe_of_lane = _numbered([lane.pipe for lane in trace.lanes])
    core = core_of_lane[trace.lane]
    pipe = pipe_of_lane[trace.lane]
    is_waiting_pipe = np.array([name == WAITING for name in pipes])
    is_wait = is_waiting_pipe[pipe]
    length = trace.end - trace.start
    # [slices]: a slice of waiting works for no cycle and stalls all of its length.
    work = np.where(is_wait, 0.0, trace.cycles)
    work_ns = np.where(is_wait, 0, length)
    stall = trace.stalled + np.where(is_wait, length, 0)
    # Sums by place and core.
    place_count = len(trace.places)
    shape = place_count, len(cores)
    cycles = _by(trace.place, core, work, *shape)
    spent = _by(trace.place, core, work_ns, *shape)
    stalled = _by(trace.place, core, stall, *shape)
    # Sums by place and pipe.
    worked = _by(trace.place, pipe, work, place_count, len(pipes))
    busiest_pipe = worked.argmax(axis=1)
    # Of the cores that share the work the slowest decides when the launch ends.
    busiest = cycles.argmax(axis=1)
    stillest = stalled.argmax(axis=1)
    on_stillest = (stall > 0) & (core == stillest[trace.place])
    waits_by_place = _waits(trace, np.flatnonzero(on_stillest), stall)
    calls = _calls(trace)
    clock = float(trace.facts.get("clock_mhz") or 0.0)
    costs: dict[Place, LineCost] = {}
    most_cycles = cycles.max(axis=1, initial=0.0)
    most_expensive_first = np.argsort(-most_cycles, kind="stable")
    for number in most_expensive_first.tolist():
        busy = float(cycles[number, busiest[number]])
        still = int(stalled[number, stillest[number]])
        if not busy and not still:
            continue
        # By the clock, in MHz, where the file tells it: times of slices are whole nanoseconds.
        ns = busy * 1e3 / clock if clock else float(spent[number].max())
        costs[trace.places[number]] = LineCost(
            ns=ns,
            cycles=busy,
            pipe=pipes[int(busiest_pipe[number])],
            calls=tuple(calls[number]),
            stalled_ns=still,
            waits=tuple(waits_by_place.get(number, ())),
        )
    return costs


def _numbered(names: list[str]) -> tuple[tuple[str, ...], Integers]:
    """The different names, in the order they come, and [names] the number of each among them."""
    numbers: dict[str, int] = {}
    number_of_name = [numbers.setdefault(name, len(numbers)) for name in names]
    return tuple(numbers), np.array(number_of_name, dtype=np.int64)


def _calls(trace: Trace) -> dict[int, list[str]]:
    """Number of each place -> the calls that stand there."""
    calls: dict[int, list[str]] = {}
    count = len(trace.names)
    # One number for place and name: `unique` of one column is much faster than of two.
    pairs = np.unique(trace.place * count + trace.name)
    for pair in pairs.tolist():
        place, name = divmod(pair, count)
        calls.setdefault(place, []).append(trace.names[name])
    return calls


def _by(
    place: Integers,
    group: Integers,
    weight: NDArray[np.generic],
    places: int,
    groups: int,
) -> Reals:
    """[places, groups] sums of `weight`."""
    cell = place * groups + group
    weights = weight.astype(np.float64)
    summed = np.bincount(cell, weights, places * groups)
    return summed.astype(np.float64).reshape(places, groups)


# Place that waits; kind of the arrow that ended the wait; place, name and pipe of the slice it came from.
_Cause = tuple[int, int, int, int, str]


def _waits(trace: Trace, slices: Integers, stall: Integers) -> dict[int, list[Wait]]:
    """What ended the waits before these slices, by place, the longest first.

    Args:
        trace: Of the launch.
        slices: [waits] numbers of slices.
        stall: [all slices] ns before each.
    """
    arrow = _last_arrows(trace)[slices]
    has_arrow = arrow >= 0
    source = np.zeros(len(slices), dtype=np.int64)
    source[has_arrow] = trace.flow_from[arrow[has_arrow]]
    # -1 where the trace does not say what ended the wait.
    kind = np.full(len(slices), -1, dtype=np.int64)
    kind[has_arrow] = trace.flow_kind[arrow[has_arrow]]
    keys = np.stack(
        [
            trace.place[slices],
            kind,
            np.where(has_arrow, trace.place[source], -1),
            np.where(has_arrow, trace.name[source], -1),
            np.where(has_arrow, trace.lane[source], -1),
        ]
    )
    # Cores wait for the same thing on pipes of the same name: their waits add up.
    total: Counter[_Cause] = Counter()
    times = stall[slices].tolist()
    for key, ns in zip(keys.T.tolist(), times, strict=True):
        place, flow, at, name, lane = key
        pipe = trace.lanes[lane].pipe if lane >= 0 else ""
        total[place, flow, at, name, pipe] += int(ns)
    waits: dict[int, list[Wait]] = {}
    for cause, ns in total.most_common():
        place, flow, at, name, pipe = cause
        wait = Wait(ns)
        if flow >= 0:
            call = trace.names[name]
            wait = Wait(ns, FLOWS[flow], call, trace.places[at], pipe)
        waits.setdefault(place, []).append(wait)
    return waits


def _last_arrows(trace: Trace) -> Integers:
    """[slices] the arrow into each whose source ended last, which is what it waited for; -1 for none."""
    last = np.full(len(trace.start), -1, dtype=np.int64)
    source_ends = trace.end[trace.flow_from]
    order = np.argsort(source_ends, kind="stable")
    # Of several arrows into one slice the assignment keeps the last in this order.
    last[trace.flow_to[order]] = order
    return last
