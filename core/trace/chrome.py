"""A trace as a file: Chrome trace JSON for Perfetto, MindStudio Insight and the window's timeline.

Fields are those of `msprof op simulator`, with what keeps Perfetto from losing slices and arrows: whole
nanoseconds, whole-number ids, arrows at the starts of their slices. docs/trace.md tells both.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from json import dumps
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import numpy as np

from core.errors import InvalidInput
from core.outside import read_file, unpacked
from core.trace.columns import (
    FLAG,
    FLOWS,
    PIPES,
    Counter,
    Integers,
    Lane,
    Place,
    Reals,
    Trace,
    lane_order,
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
# Integers up to here are exact in a float, and so in JSON.
_EXACT_INTEGERS = 1 << 53


def write_trace(trace: Trace, path: Path) -> None:
    """Write `trace`; a name that ends in `.gz` gives a compressed file, which Perfetto alone opens.

    Raises:
        OSError: The file cannot be written.
    """
    fact_texts = {name: str(value) for name, value in trace.facts.items()}
    head = '{"schemaVersion":2,"displayTimeUnit":"ns","profilingType":"op","otherData":'
    with _opened(path) as file:
        file.write(f'{head}{dumps(fact_texts)},"traceEvents":[\n')
        events = _events(trace)
        # JSON allows no comma after the last entry: each but the first brings its own.
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
    """An event for every change of a counter."""
    # Text is put together without a dict for each event: a trace has hundred thousands.
    core = dumps(counter.core)
    name = dumps(counter.name)
    series = dumps(counter.series)
    head = f'{{"ph":"C","pid":{core},"name":{name},"args":{{{series}:'
    times = counter.time.tolist()
    values = counter.value.tolist()
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
    pipes = {lane.pipe for lane in trace.lanes}
    in_order = sorted(pipes.union(PIPES), key=pipe_order)
    return [in_order.index(lane.pipe) for lane in trace.lanes]


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
        # `MTE2 2`, the second row of a pipe, has the pipe's colour.
        pipe_name = lane.pipe.partition(" ")[0]
        colour = _COLOURS.get(pipe_name, _COLOURS["FIXP"])
        core, pipe = dumps(lane.core), dumps(lane.pipe)
        lane_text = f'"pid":{core},"tid":{pipe},"cname":"{colour}"'
        own_columns = [column[own].tolist() for column in columns]
        for row in zip(*own_columns, strict=True):
            start, end, cycles, stalled, size, name, place = row
            times = f'"ts":{_us(start)},"dur":{_us(end - start)}'
            # Arguments are text, as msprof has them.
            args = f'"cycles":"{cycles:.9g}"'
            if stalled:
                args += f',"stalled_ns":"{stalled}"'
            if size:
                args += f',"process_bytes":"{size}"'
            args += f',"code":{codes[place]}'
            head = f'"ph":"X","name":{names[name]},{times}'
            yield f'{{{head},{lane_text},"args":{{{args}}}}}'


def _arrows(trace: Trace) -> Iterator[str]:
    """Two events for every arrow: where it begins, and where it ends."""
    # Core and pipe of each lane as JSON text, quotes included.
    cores = [dumps(lane.core) for lane in trace.lanes]
    pipes = [dumps(lane.pipe) for lane in trace.lanes]
    starts = trace.start.tolist()
    lane_of_slice = trace.lane.tolist()
    rows = zip(
        trace.flow_from.tolist(),
        trace.flow_to.tolist(),
        trace.flow_kind.tolist(),
        strict=True,
    )
    for number, (source, target, kind) in enumerate(rows, start=1):
        from_lane = lane_of_slice[source]
        to_lane = lane_of_slice[target]
        # `"MTE2ToVECTOR"`, of two texts that have their quotes already.
        from_pipe_open = pipes[from_lane][:-1]
        to_pipe_close = pipes[to_lane][1:]
        category = f"{from_pipe_open}To{to_pipe_close}"
        arrow = f'"id":{number},"name":"{FLOWS[kind]}","cat":{category}'
        begin_and_end = (
            ("s", from_lane, source),
            ("t", to_lane, target),
        )
        for phase, lane, at in begin_and_end:
            where = f'"pid":{cores[lane]},"tid":{pipes[lane]}'
            time = _us(starts[at])
            yield f'{{"ph":"{phase}",{arrow},{where},"ts":{time}}}'


class _File(msgspec.Struct, frozen=True):
    events: list[Event] = msgspec.field(name="traceEvents")
    facts: dict[str, Any] = msgspec.field(
        default_factory=dict[str, Any], name="otherData"
    )


def load_trace(path: Path) -> Trace:
    """Read a trace that `write_trace` wrote, or the `trace.json` of `msprof op simulator`.

    Raises:
        InvalidInput: The file cannot be read or holds no slices.
    """
    read = unpacked if path.suffix == ".gz" else read_file
    try:
        file = msgspec.json.decode(read(path), type=_File)
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


class _Span(NamedTuple):
    """A slice as the file has it: number of its lane, times in ns."""

    lane: int
    start: int
    end: int
    name: str
    args: dict[str, Any]


def _spans(events: list[Event], lanes: LaneNames) -> list[_Span]:
    """Slices of X events and of pairs of B and E; a B without an end is left out."""
    spans: list[_Span] = []
    open_events: dict[int, list[Event]] = {}
    for event in events:
        if event.ph == "X" and event.name not in QUEUED:
            lane = lanes.of(event.pid, event.tid)
            start = _ns(event.ts)
            end = _ns(event.ts + event.dur)
            spans.append(_Span(lane, start, end, event.name, event.args))
        elif event.ph == "B":
            lane = lanes.of(event.pid, event.tid)
            open_events.setdefault(lane, []).append(event)
        elif event.ph == "E":
            lane = lanes.of(event.pid, event.tid)
            if open_events.get(lane):
                # Slices of a lane are nested: an end belongs to the last begin.
                first = open_events[lane].pop()
                start, end = _ns(first.ts), _ns(event.ts)
                spans.append(_Span(lane, start, end, first.name, first.args))
    return spans


def _ns(us: float) -> int:
    return round(us * 1e3)


def _integers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, dtype=np.int64)


def _trace(
    spans: list[_Span],
    events: list[Event],
    facts: Mapping[str, Any],
    lanes: LaneNames,
) -> Trace:
    """The columns of the slices, which are sorted twice: arrows need them by lane, `Trace` by row."""
    spans = sorted(spans, key=lambda span: (span.lane, span.start))
    lane = _integers(span.lane for span in spans)
    start = _integers(span.start for span in spans)
    end = _integers(span.end for span in spans)
    flows = _flows(events, lanes, lane, start, spans)
    row_lanes, order, first = _rows(lanes.lanes, lane, start, end)
    spans = [spans[at] for at in order.tolist()]
    start = start[order]
    end = end[order]
    # Arrows name slices as they stood before the rows were told apart.
    place_in_rows = np.argsort(order)
    source = place_in_rows[flows[:, 0]]
    target = place_in_rows[flows[:, 1]]
    by_target = np.argsort(start[target], kind="stable")
    names: dict[str, int] = {}
    places: dict[Place, int] = {}
    name_numbers: list[int] = []
    place_numbers: list[int] = []
    for span in spans:
        name_numbers.append(names.setdefault(span.name, len(names)))
        place = _place(span.args)
        place_numbers.append(places.setdefault(place, len(places)))
    clock = _number(facts.get("clock_mhz"), 0.0)
    return Trace(
        lanes=row_lanes,
        first=first,
        start=start,
        end=end,
        cycles=_cycles(spans, clock),
        stalled=_whole(spans, "stalled_ns"),
        size=_whole(spans, "process_bytes"),
        name=_integers(name_numbers),
        place=_integers(place_numbers),
        names=tuple(names),
        places=tuple(places),
        flow_from=source[by_target],
        flow_to=target[by_target],
        flow_kind=flows[by_target, 2],
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
        low, high = np.searchsorted(lane, (number, number + 1)).tolist()
        starts = start[low:high]
        ends = end[low:high]
        overlaps = starts[1:] < ends[:-1]
        if overlaps.any():
            cut_ends = ends.tolist()
            row[low:high] = in_rows(starts.tolist(), cut_ends)
            end[low:high] = cut_ends
    lane_and_row = np.stack([lane, row])
    keys, key_of_slice = np.unique(lane_and_row, axis=1, return_inverse=True)
    row_lanes: list[Lane] = []
    for lane_number, row_number in keys.T.tolist():
        row_lanes.append(_row_lane(lanes[lane_number], row_number))
    ranks = sorted(
        range(len(row_lanes)),
        key=lambda at: lane_order(row_lanes[at]),
    )
    rank_of_key = np.argsort(ranks)
    rank_of_slice = rank_of_key[key_of_slice.reshape(-1)]
    order = np.lexsort((start, rank_of_slice)).astype(np.int64)
    lane_numbers = np.arange(len(row_lanes) + 1)
    first = np.searchsorted(rank_of_slice[order], lane_numbers)
    in_order = tuple(row_lanes[at] for at in ranks)
    return in_order, order, first.astype(np.int64)


def _row_lane(lane: Lane, row: int) -> Lane:
    """The lane of a row: the first has the pipe's own name, further ones a number."""
    if row == 0:
        return lane
    return Lane(lane.core, f"{lane.pipe} {row + 1}")


def _facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as they were before they were written as text."""
    values = {}
    for name, text in facts.items():
        values[name] = _number(text, text)
    return values


def _number(value: Any, otherwise: Any) -> Any:
    """A number of text, whole where it is one; `otherwise` for what is no number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return otherwise
    is_exact = number.is_integer() and abs(number) < _EXACT_INTEGERS
    return int(number) if is_exact else number


def _cycles(spans: list[_Span], clock_mhz: float) -> Reals:
    """Cycles of the file, else from the times where a clock is known."""
    cycles: list[float] = []
    for span in spans:
        # Nanoseconds at a clock in MHz.
        from_times = (span.end - span.start) * clock_mhz / 1e3
        number = _number(span.args.get("cycles"), from_times)
        cycles.append(float(number))
    return np.array(cycles)


def _whole(spans: list[_Span], name: str) -> Integers:
    """[slices] the whole number that each has as argument `name`, 0 without one."""
    numbers = [_number(span.args.get(name), 0) for span in spans]
    return _integers(map(int, numbers))


def _place(args: Mapping[str, Any]) -> Place:
    """The innermost line of `code`, where msprof has a whole call stack."""
    stack = str(args.get("code", "")).strip()
    code = stack.split("\n")[-1]
    file, _, line = code.rpartition(":")
    if file and line.isdigit():
        return Place(file, int(line))
    return Place(code, 0)


class _ArrowEnd(NamedTuple):
    """One event of an arrow: number of the slice it stands at, name of its kind."""

    at: int
    name: str


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
    lane_numbers = np.arange(len(lanes.lanes) + 1)
    first = np.searchsorted(lane, lane_numbers).tolist()
    chains: dict[str | int, list[_ArrowEnd]] = {}
    for event in events:
        if event.ph not in ("s", "t", "f"):
            continue
        number = lanes.of(event.pid, event.tid)
        # A lane that only arrows name has no slices to begin at.
        if number + 1 >= len(first):
            continue
        low, high = first[number], first[number + 1]
        ns = _ns(event.ts)
        begun = int(np.searchsorted(start[low:high], ns, "right"))
        if begun == 0:
            continue
        of_flag = _flag(spans, low, low + begun - 1, ns)
        chain = chains.setdefault(event.id, [])
        chain.append(_ArrowEnd(of_flag, event.name))
    flows: list[tuple[int, int, int]] = []
    for chain in chains.values():
        for source, target in pairwise(chain):
            name = source.name if source.name in FLOWS else FLAG
            flows.append((source.at, target.at, FLOWS.index(name)))
    table = np.array(flows, dtype=np.int64)
    return table.reshape(-1, 3)


def _flag(spans: Sequence[_Span], low: int, at: int, ns: int) -> int:
    """The slice of a flag that lasts until `ns`, as msprof draws its arrows; `at` where none does."""
    last_to_try = max(low, at - _NEAR)
    for number in range(at, last_to_try - 1, -1):
        span = spans[number]
        # One nanosecond more: both times are rounded.
        if span.name in FLAGS and span.start <= ns <= span.end + 1:
            return number
    return at


# Core, name and series of a counter.
_Track = tuple[str, str, str]


def _counters(events: list[Event]) -> tuple[Counter, ...]:
    """Counters from events C, one for each core, name and series."""
    changes_of: dict[_Track, list[tuple[int, int]]] = {}
    for event in events:
        if event.ph != "C":
            continue
        for series, value in event.args.items():
            track = (str(event.pid), event.name, series)
            number = int(_number(value, 0))
            changes = changes_of.setdefault(track, [])
            changes.append((_ns(event.ts), number))
    counters = []
    for track, changes in changes_of.items():
        times, values = np.array(changes, dtype=np.int64).T
        counters.append(Counter(*track, times, values))
    return tuple(counters)
