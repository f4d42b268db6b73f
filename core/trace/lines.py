"""What each line of source costs, and what it waits for: from a trace, for the gutter of a comparison."""

from __future__ import annotations

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
    names = tuple(dict.fromkeys(lane.core for lane in trace.lanes))
    pipes = tuple(dict.fromkeys(lane.pipe for lane in trace.lanes))
    core = np.array([names.index(lane.core) for lane in trace.lanes], dtype=np.int64)[
        trace.lane
    ]
    pipe = np.array([pipes.index(lane.pipe) for lane in trace.lanes], dtype=np.int64)[
        trace.lane
    ]
    waits = np.array([name == WAITING for name in pipes], dtype=bool)[pipe]
    length = trace.end - trace.start
    cycles = _by(
        trace.place,
        core,
        np.where(waits, 0.0, trace.cycles),
        len(trace.places),
        len(names),
    )
    spent = _by(
        trace.place, core, np.where(waits, 0, length), len(trace.places), len(names)
    )
    stood = trace.stalled + np.where(waits, length, 0)
    stalled = _by(trace.place, core, stood, len(trace.places), len(names))
    worked = _by(
        trace.place,
        pipe,
        np.where(waits, 0.0, trace.cycles),
        len(trace.places),
        len(pipes),
    )
    busiest, stillest = cycles.argmax(axis=1), stalled.argmax(axis=1)
    waits_by_place = _waits(
        trace, np.flatnonzero((stood > 0) & (core == stillest[trace.place])), stood
    )
    calls: dict[int, list[str]] = {}
    for pair in np.unique(trace.place * len(trace.names) + trace.name).tolist():
        calls.setdefault(pair // len(trace.names), []).append(
            trace.names[pair % len(trace.names)]
        )
    clock = float(trace.facts.get("clock_mhz") or 0.0)
    costs: dict[Place, LineCost] = {}
    for number in np.argsort(-cycles.max(axis=1, initial=0.0), kind="stable").tolist():
        busy, still = (
            float(cycles[number, busiest[number]]),
            int(stalled[number, stillest[number]]),
        )
        if not busy and not still:
            continue
        costs[trace.places[number]] = LineCost(
            ns=busy * 1e3 / clock if clock else float(spent[number].max()),
            cycles=busy,
            pipe=pipes[int(worked[number].argmax())],
            calls=tuple(calls[number]),
            stalled_ns=still,
            waits=tuple(waits_by_place.get(number, ())),
        )
    return costs


def _by(
    place: Integers,
    group: Integers,
    weight: NDArray[np.generic],
    places: int,
    groups: int,
) -> Reals:
    """[places, groups] sums of `weight`."""
    summed = np.bincount(
        place * groups + group, weight.astype(np.float64), places * groups
    )
    return summed.astype(np.float64).reshape(places, groups)


def _waits(trace: Trace, slices: Integers, stood: Integers) -> dict[int, list[Wait]]:
    """What ended the waits before these slices, by place, the longest first."""
    last = np.full(
        len(trace.start), -1, dtype=np.int64
    )  # of the arrows into a slice: the one whose source
    order = np.argsort(
        trace.end[trace.flow_from], kind="stable"
    )  # ended last is what it waited for
    last[trace.flow_to[order]] = order
    arrow = last[slices]
    there = arrow >= 0
    source, kind = (
        np.zeros(len(slices), dtype=np.int64),
        np.full(len(slices), -1, dtype=np.int64),
    )
    source[there], kind[there] = (
        trace.flow_from[arrow[there]],
        trace.flow_kind[arrow[there]],
    )
    lane = trace.lane
    keys = np.stack(
        [
            trace.place[slices],
            kind,
            np.where(there, trace.place[source], -1),
            np.where(there, trace.name[source], -1),
            np.where(there, lane[source], -1),
        ]
    )
    total: dict[tuple[int, int, int, int, str], int] = {}
    for (place, flow, at, name, on), ns in zip(
        keys.T.tolist(), stood[slices].tolist(), strict=True
    ):
        key = place, flow, at, name, trace.lanes[on].pipe if on >= 0 else ""
        total[key] = total.get(key, 0) + int(ns)
    waits: dict[int, list[Wait]] = {}
    for (place, flow, at, name, pipe), ns in sorted(
        total.items(), key=lambda entry: -entry[1]
    ):
        wait = (
            Wait(ns)
            if flow < 0
            else Wait(ns, FLOWS[flow], trace.names[name], trace.places[at], pipe)
        )
        waits.setdefault(place, []).append(wait)
    return waits
