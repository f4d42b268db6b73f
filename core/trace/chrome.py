"""A trace as a file: Chrome trace JSON for Perfetto, MindStudio Insight and the window's timeline.

Fields are those of `msprof op simulator`, with what keeps Perfetto from losing slices and arrows: whole
nanoseconds, whole-number ids, arrows at the starts of their slices. docs/trace.md tells both.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from json import dumps
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from core.errors import InvalidInput
from core.outside import read_file, unpacked
from core.trace.columns import (
    FLOWS,
    PIPES,
    Counter,
    Integers,
    Lane,
    Place,
    Reals,
    Trace,
    core_order,
    pipe_order,
)
from core.trace.vendor import FLAGS, QUEUED, Event, LaneNames, in_rows

_COLOURS = {
    "SCALAR": "startup",
    "FLOWCTRL": "cq_build_passed",
    "MTE1": "thread_state_running",
    "MTE2": "thread_state_iowait",
    "MTE3": "rail_response",
    "VECTOR": "cq_build_failed",
    "CUBE": "background_memory_dump",
    "FIXP": "thread_state_unknown",
}
# Slices before a time among which that of a flag is looked for.
_NEAR = 16


def write_trace(trace: Trace, path: Path) -> None:
    """Write `trace`; a name that ends in `.gz` gives a compressed file, which Perfetto alone opens.

    Raises:
        OSError: The file cannot be written.
    """
    facts = dumps({name: str(value) for name, value in trace.facts.items()})
    head = '{"schemaVersion":2,"displayTimeUnit":"ns","profilingType":"op","otherData":'
    with _opened(path) as file:
        file.write(f'{head}{facts},"traceEvents":[\n')
        events = _events(trace)
        file.write(next(events, ""))
        file.writelines(",\n" + event for event in events)
        file.write("\n]}\n")


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "wt", 3, encoding="utf-8")
    return path.open("w", encoding="utf-8")


def _events(trace: Trace) -> Iterator[str]:
    yield from _order(trace)
    yield from _slices(trace)
    yield from _arrows(trace)
    for counter in trace.counters:
        yield from _changes(counter)


def _changes(counter: Counter) -> Iterator[str]:
    # Text is put together without a dict for each event: a trace has hundred thousands.
    core, name, series = map(dumps, (counter.core, counter.name, counter.series))
    head = f'{{"ph":"C","pid":{core},"name":{name},"args":{{{series}:'
    times, values = counter.time.tolist(), counter.value.tolist()
    for time, value in zip(times, values, strict=True):
        yield f'{head}{value}}},"ts":{_us(time)}}}'


def _order(trace: Trace) -> Iterator[str]:
    """Where viewers put cores and pipes."""
    cores = list(dict.fromkeys(lane.core for lane in trace.lanes))
    for number, core in enumerate(cores):
        yield _sorting("process_sort_index", core, "", number)
    for lane, number in zip(trace.lanes, _numbers(trace), strict=True):
        yield _sorting("thread_sort_index", lane.core, lane.pipe, number)


def _numbers(trace: Trace) -> list[int]:
    """Where viewers put lanes: pipes in our order, further rows of one below it, others last."""
    pipes = sorted({*PIPES, *(lane.pipe for lane in trace.lanes)}, key=pipe_order)
    return [pipes.index(lane.pipe) for lane in trace.lanes]


def _sorting(name: str, core: str, pipe: str, number: int) -> str:
    return dumps(
        {
            "ph": "M",
            "name": name,
            "pid": core,
            "tid": pipe,
            "args": {"sort_index": number},
        }
    )


def _us(ns: int) -> str:
    """Microseconds with exactly the digits of whole nanoseconds."""
    return f"{ns // 1000}.{ns % 1000:03d}"


def _slices(trace: Trace) -> Iterator[str]:
    """An event for every slice, lane by lane."""
    names = [dumps(name) for name in trace.names]
    codes = [dumps(str(place)) for place in trace.places]
    columns = (
        trace.start,
        trace.end,
        trace.cycles,
        trace.stalled,
        trace.size,
        trace.name,
        trace.place,
    )
    for number, lane in enumerate(trace.lanes):
        own = trace.of_lane(number)
        colour = _COLOURS.get(lane.pipe.partition(" ")[0], _COLOURS["FIXP"])
        tail = f'"pid":{dumps(lane.core)},"tid":{dumps(lane.pipe)},"cname":"{colour}",'
        rows = zip(*(column[own].tolist() for column in columns), strict=True)
        for start, end, cycles, stalled, size, name, place in rows:
            # Arguments are text, as msprof has them.
            stall = f'","stalled_ns":"{stalled}' if stalled else ""
            transfer = f'","process_bytes":"{size}' if size else ""
            times = f'"ts":{_us(start)},"dur":{_us(end - start)}'
            args = f'"cycles":"{cycles:.9g}{stall}{transfer}","code":{codes[place]}'
            yield f'{{"ph":"X","name":{names[name]},{times},{tail}"args":{{{args}}}}}'


def _arrows(trace: Trace) -> Iterator[str]:
    """Two events for every arrow: where it begins, and where it ends."""
    # Core and pipe of each lane as JSON text, quotes included.
    lane_texts = [(dumps(lane.core), dumps(lane.pipe)) for lane in trace.lanes]
    starts, lanes = trace.start.tolist(), trace.lane.tolist()
    rows = zip(
        trace.flow_from.tolist(),
        trace.flow_to.tolist(),
        trace.flow_kind.tolist(),
        strict=True,
    )
    for number, (source, target, kind) in enumerate(rows, start=1):
        from_core, from_pipe = lane_texts[lanes[source]]
        to_core, to_pipe = lane_texts[lanes[target]]
        category = f"{from_pipe[:-1]}To{to_pipe[1:]}"
        what = f'"id":{number},"name":"{FLOWS[kind]}","cat":{category}'
        begin, end = _us(starts[source]), _us(starts[target])
        yield f'{{"ph":"s",{what},"pid":{from_core},"tid":{from_pipe},"ts":{begin}}}'
        yield f'{{"ph":"t",{what},"pid":{to_core},"tid":{to_pipe},"ts":{end}}}'


class _File(msgspec.Struct, frozen=True):
    events: list[Event] = msgspec.field(name="traceEvents")
    facts: dict[str, Any] = msgspec.field(default_factory=dict, name="otherData")


def load_trace(path: Path) -> Trace:
    """Read a trace that `write_trace` wrote, or the `trace.json` of `msprof op simulator`.

    Raises:
        InvalidInput: The file cannot be read or holds no slices.
    """
    try:
        data = unpacked(path) if path.suffix == ".gz" else read_file(path)
        file = msgspec.json.decode(data, type=_File)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise InvalidInput(
            str(path), "trace", str(error), "Make it with `sage evaluate --trace FILE`."
        ) from error
    lanes = LaneNames(file.events, path)
    slices = _spans(file.events, lanes)
    if not slices:
        raise InvalidInput(
            str(path), "traceEvents", "there is no slice (X, or B and E) in it"
        )
    return _trace(slices, file.events, file.facts, lanes)


# Number of the lane, start and end in ns, name, args.
_Span = tuple[int, int, int, str, dict[str, Any]]


def _spans(events: list[Event], lanes: LaneNames) -> list[_Span]:
    """Slices of X events and of pairs of B and E; a B without an end is left out."""
    spans: list[_Span] = []
    open_events: dict[int, list[Event]] = {}
    for event in events:
        if event.ph == "X" and event.name not in QUEUED:
            lane = lanes.of(event.pid, event.tid)
            start, end = _ns(event.ts), _ns(event.ts + event.dur)
            spans.append((lane, start, end, event.name, event.args))
        elif event.ph == "B":
            lane = lanes.of(event.pid, event.tid)
            open_events.setdefault(lane, []).append(event)
        elif event.ph == "E":
            lane = lanes.of(event.pid, event.tid)
            if open_events.get(lane):
                # Slices of a lane are nested: an end belongs to the last begin.
                first = open_events[lane].pop()
                start, end = _ns(first.ts), _ns(event.ts)
                spans.append((lane, start, end, first.name, first.args))
    return spans


def _ns(us: float) -> int:
    return round(us * 1e3)


def _trace(
    spans: list[_Span], events: list[Event], facts: Mapping[str, Any], lanes: LaneNames
) -> Trace:
    lane = np.array([span[0] for span in spans], dtype=np.int64)
    start = np.array([span[1] for span in spans], dtype=np.int64)
    order = np.lexsort((start, lane))
    spans, lane, start = [spans[at] for at in order.tolist()], lane[order], start[order]
    end = np.array([span[2] for span in spans], dtype=np.int64)
    flows = _flows(events, lanes, lane, start, spans)
    used, order, first = _rows(lanes.lanes, lane, start, end)
    spans, start, end = [spans[at] for at in order.tolist()], start[order], end[order]
    # Arrows name slices as they stood before the rows were told apart.
    place_of = np.argsort(order)
    flows[:, :2] = place_of[flows[:, :2]]
    by_target = np.argsort(start[flows[:, 1]], kind="stable")
    source, target, kind = flows[by_target].T
    names: dict[str, int] = {}
    name_numbers = [names.setdefault(span[3], len(names)) for span in spans]
    places: dict[Place, int] = {}
    place_numbers = [places.setdefault(_place(span[4]), len(places)) for span in spans]
    clock = _number(facts.get("clock_mhz"), 0.0)
    return Trace(
        lanes=used,
        first=first,
        start=start,
        end=end,
        cycles=_cycles(spans, clock),
        stalled=_whole(spans, "stalled_ns"),
        size=_whole(spans, "process_bytes"),
        name=np.array(name_numbers, dtype=np.int64),
        place=np.array(place_numbers, dtype=np.int64),
        names=tuple(names),
        places=tuple(places),
        flow_from=source,
        flow_to=target,
        flow_kind=kind,
        counters=_counters(events),
        facts=_facts(facts),
    )


def _rows(
    lanes: Sequence[Lane], lane: Integers, start: Integers, end: Integers
) -> tuple[tuple[Lane, ...], Integers, Integers]:
    """Lanes in which no slice overlaps another, the order of the slices by them, and the first of each.

    Args:
        lanes: By number.
        lane: [slices] number of each, ascending.
        start: [slices] ns, ascending within a lane.
        end: [slices] ns; cut where an end overlaps by a rounding.
    """
    row = np.zeros(len(lane), dtype=np.int64)
    for number in np.unique(lane).tolist():
        own = slice(*np.searchsorted(lane, (number, number + 1)).tolist())
        if (start[own][1:] < end[own][:-1]).any():
            ends = end[own].tolist()
            row[own] = in_rows(start[own].tolist(), ends)
            end[own] = ends
    keys, track_of = np.unique(np.stack([lane, row]), axis=1, return_inverse=True)
    row_lanes = [_row_lane(lanes[at], below) for at, below in keys.T.tolist()]

    def rank(at: int) -> tuple[tuple[tuple[int, ...], str], tuple[int, str, int]]:
        return core_order(row_lanes[at].core), pipe_order(row_lanes[at].pipe)

    ranks = sorted(range(len(row_lanes)), key=rank)
    track_of = np.argsort(ranks)[track_of.reshape(-1)]
    order = np.lexsort((start, track_of)).astype(np.int64)
    lane_numbers = np.arange(len(row_lanes) + 1)
    first = np.searchsorted(track_of[order], lane_numbers).astype(np.int64)
    return tuple(row_lanes[at] for at in ranks), order, first


def _row_lane(lane: Lane, below: int) -> Lane:
    """The lane of a row: the first has the pipe's own name, further ones a number."""
    return Lane(lane.core, f"{lane.pipe} {below + 1}") if below else lane


def _facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they were before they were written as text."""
    return {name: _number(value, value) for name, value in facts.items()}


def _number(value: Any, otherwise: Any) -> Any:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return otherwise
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


def _cycles(spans: list[_Span], clock_mhz: float) -> Reals:
    """Cycles of the file, else from the times where a clock is known."""
    cycles = []
    for _lane, start, end, _name, args in spans:
        from_times = (end - start) * clock_mhz / 1e3
        cycles.append(float(_number(args.get("cycles"), from_times)))
    return np.array(cycles)


def _whole(spans: list[_Span], name: str) -> Integers:
    return np.array(
        [int(_number(span[4].get(name), 0)) for span in spans], dtype=np.int64
    )


def _place(args: Mapping[str, Any]) -> Place:
    """The innermost line of `code`, where msprof has a whole call stack."""
    code = str(args.get("code", "")).strip().split("\n")[-1]
    file, _, line = code.rpartition(":")
    return Place(file, int(line)) if file and line.isdigit() else Place(code, 0)


def _flows(
    events: list[Event],
    lanes: LaneNames,
    lane: Integers,
    start: Integers,
    spans: Sequence[_Span],
) -> Integers:
    """[arrows, 3] slices from and to, kind: of events s, t and f of one id.

    What lacks an end, or a slice there, is left out. The slices are by lane and start.
    """
    first = np.searchsorted(lane, np.arange(len(lanes.lanes) + 1)).tolist()
    chains: dict[str | int, list[tuple[float, int, str]]] = {}
    for event in events:
        if event.ph not in ("s", "t", "f"):
            continue
        number = lanes.of(event.pid, event.tid)
        # A lane that only arrows name has no slices to begin at.
        if number + 1 >= len(first):
            continue
        low, ns = first[number], _ns(event.ts)
        starts = start[low : first[number + 1]]
        at = low + int(np.searchsorted(starts, ns, "right")) - 1
        if at >= low:
            end = (event.ts, _flag(spans, low, at, ns), event.name)
            chains.setdefault(event.id, []).append(end)
    flows: list[tuple[int, int, int]] = []
    for chain in chains.values():
        for (_, source, name), (_, target, _) in pairwise(chain):
            kind = FLOWS.index(name if name in FLOWS else "flag")
            flows.append((source, target, kind))
    return np.array(flows, dtype=np.int64).reshape(-1, 3)


def _flag(spans: Sequence[_Span], low: int, at: int, ns: int) -> int:
    """The slice of a flag that lasts until `ns`, as msprof draws its arrows; `at` where none does."""
    for number in range(at, max(low, at - _NEAR) - 1, -1):
        _lane, start, end, name, _args = spans[number]
        # One nanosecond more: both times are rounded.
        if name in FLAGS and start <= ns <= end + 1:
            return number
    return at


def _counters(events: list[Event]) -> tuple[Counter, ...]:
    tracks: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for event in events:
        if event.ph == "C":
            for series, value in event.args.items():
                track = (str(event.pid), event.name, series)
                change = (_ns(event.ts), int(_number(value, 0)))
                tracks.setdefault(track, []).append(change)
    counters = []
    for track, changes in tracks.items():
        times, values = np.array(changes, dtype=np.int64).reshape(-1, 2).T
        counters.append(Counter(*track, times, values))
    return tuple(counters)
