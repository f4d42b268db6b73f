"""A trace as a file: Chrome trace JSON for Perfetto, MindStudio Insight and the window's timeline.

Fields are those of `msprof op simulator`, with what keeps Perfetto from losing slices and arrows: whole
nanoseconds, whole-number ids, arrows at the starts of their slices. docs/trace.md tells both.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from json import dumps
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from core.errors import InvalidInput
from core.trace.columns import FLOWS, PIPES, Counter, Integers, Lane, Place, Reals, Trace, core_order

_COLOURS = {
    "SCALAR": "startup", "FLOWCTRL": "cq_build_passed", "MTE1": "thread_state_running",
    "MTE2": "thread_state_iowait", "MTE3": "rail_response", "VECTOR": "cq_build_failed",
    "CUBE": "background_memory_dump", "FIXP": "thread_state_unknown",
}  # fmt: skip
_AT_ONCE = 20_000  # events joined into one write


def write_trace(trace: Trace, path: Path) -> None:
    """Write `trace`; a name that ends in `.gz` gives a compressed file, which Perfetto alone opens.

    Raises:
        OSError: The file cannot be written.
    """
    facts = dumps({name: str(value) for name, value in trace.facts.items()})
    head = '{"schemaVersion":2,"displayTimeUnit":"ns","profilingType":"op","otherData":'
    with _opened(path) as file:
        file.write(f'{head}{facts},"traceEvents":[\n')
        before = ""
        for part in _parts(_events(trace)):
            file.write(before + part)
            before = ",\n"
        file.write("\n]}\n")


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "wt", 3, encoding="utf-8")
    return path.open("w", encoding="utf-8")


def _parts(events: Iterator[str]) -> Iterator[str]:
    waiting: list[str] = []
    for event in events:
        waiting.append(event)
        if len(waiting) == _AT_ONCE:
            yield ",\n".join(waiting)
            waiting.clear()
    if waiting:
        yield ",\n".join(waiting)


def _events(trace: Trace) -> Iterator[str]:
    yield from _order(trace)
    yield from _slices(trace)
    yield from _arrows(trace)
    for counter in trace.counters:
        head = f'{{"ph":"C","pid":{dumps(counter.core)},"name":{dumps(counter.name)},'
        head += f'"args":{{{dumps(counter.series)}:'
        for time, value in zip(counter.time.tolist(), counter.value.tolist(), strict=True):
            yield f'{head}{value}}},"ts":{_us(time)}}}'


def _order(trace: Trace) -> Iterator[str]:
    """Where viewers put cores and pipes."""
    cores = list(dict.fromkeys(lane.core for lane in trace.lanes))
    for number, core in enumerate(cores):
        yield _sorting("process_sort_index", core, "", number)
    for lane in trace.lanes:
        yield _sorting("thread_sort_index", lane.core, lane.pipe, PIPES.index(lane.pipe))


def _sorting(name: str, core: str, pipe: str, number: int) -> str:
    return dumps({"ph": "M", "name": name, "pid": core, "tid": pipe, "args": {"sort_index": number}})


def _us(ns: int) -> str:
    """Microseconds with exactly the digits of whole nanoseconds."""
    return f"{ns // 1000}.{ns % 1000:03d}"


def _slices(trace: Trace) -> Iterator[str]:
    names = [dumps(name) for name in trace.names]
    codes = [dumps(str(place)) for place in trace.places]
    columns = (trace.start, trace.end, trace.cycles, trace.stalled, trace.size, trace.name, trace.place)
    for number, lane in enumerate(trace.lanes):
        own = trace.of_lane(number)
        tail = f'"pid":{dumps(lane.core)},"tid":"{lane.pipe}","cname":"{_COLOURS[lane.pipe]}",'
        for start, end, cycles, stalled, size, name, place in zip(
            *(column[own].tolist() for column in columns), strict=True
        ):
            waited = f'","stalled_ns":"{stalled}' if stalled else ""
            moved = f'","process_bytes":"{size}' if size else ""
            yield (
                f'{{"ph":"X","name":{names[name]},"ts":{_us(start)},"dur":{_us(end - start)},{tail}'
                f'"args":{{"cycles":"{cycles:.9g}{waited}{moved}","code":{codes[place]}}}}}'
            )


def _arrows(trace: Trace) -> Iterator[str]:
    lane, ends = trace.lane, [(dumps(lane.core), lane.pipe) for lane in trace.lanes]
    starts, lanes = trace.start.tolist(), lane.tolist()
    rows = zip(trace.flow_from.tolist(), trace.flow_to.tolist(), trace.flow_kind.tolist(), strict=True)
    for number, (source, target, kind) in enumerate(rows, start=1):
        (one, pipe), (other, to) = ends[lanes[source]], ends[lanes[target]]
        what = f'"id":{number},"name":"{FLOWS[kind]}","cat":"{pipe}To{to}"'
        yield f'{{"ph":"s",{what},"pid":{one},"tid":"{pipe}","ts":{_us(starts[source])}}}'
        yield f'{{"ph":"t",{what},"pid":{other},"tid":"{to}","ts":{_us(starts[target])}}}'


class _Event(msgspec.Struct, frozen=True):
    """One event of a file. Those of `msprof op simulator` have the same fields, ids as text among them."""

    ph: str
    name: str = ""
    pid: str | int = ""
    tid: str | int = ""
    ts: float = 0.0
    dur: float = 0.0
    id: str | int = ""
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class _File(msgspec.Struct, frozen=True):
    events: list[_Event] = msgspec.field(name="traceEvents")
    facts: dict[str, Any] = msgspec.field(default_factory=dict, name="otherData")


def load_trace(path: Path) -> Trace:
    """Read a trace that `write_trace` wrote, or the `trace.json` of `msprof op simulator`.

    Raises:
        InvalidInput: The file cannot be read or holds no slices.
    """
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        file = msgspec.json.decode(data, type=_File)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise InvalidInput(
            str(path), "trace", str(error), "Make it with `sage evaluate --trace FILE`."
        ) from error
    slices = _spans(file.events)
    if not slices:
        raise InvalidInput(str(path), "traceEvents", "there is no slice (X, or B and E) in it")
    return _trace(slices, file.events, file.facts)


_Span = tuple[Lane, int, int, str, dict[str, Any]]  # lane, start and end in ns, name, args


def _spans(events: list[_Event]) -> list[_Span]:
    """Slices of X events and of pairs of B and E; a B without an end is left out."""
    found: list[_Span] = []
    begun: dict[Lane, list[_Event]] = {}
    for event in events:
        if event.ph == "X":
            start, end = event.ts * 1e3, (event.ts + event.dur) * 1e3
            found.append(
                (Lane(str(event.pid), str(event.tid)), round(start), round(end), event.name, event.args)
            )
        elif event.ph == "B":
            begun.setdefault(Lane(str(event.pid), str(event.tid)), []).append(event)
        elif event.ph == "E" and begun.get(lane := Lane(str(event.pid), str(event.tid))):
            first = begun[lane].pop()
            found.append((lane, round(first.ts * 1e3), round(event.ts * 1e3), first.name, first.args))
    return found


def _trace(spans: list[_Span], events: list[_Event], facts: Mapping[str, Any]) -> Trace:
    used = sorted(
        {span[0] for span in spans}, key=lambda lane: (core_order(lane.core), _rank(lane.pipe), lane.pipe)
    )
    number = {lane: place for place, lane in enumerate(used)}
    lane = np.array([number[span[0]] for span in spans], dtype=np.int64)
    start = np.array([span[1] for span in spans], dtype=np.int64)
    order = np.lexsort((start, lane))
    spans, lane, start = [spans[at] for at in order.tolist()], lane[order], start[order]
    names: dict[str, int] = {}
    places: dict[Place, int] = {}
    first = np.searchsorted(lane, np.arange(len(used) + 1)).astype(np.int64)
    clock = _number(facts.get("clock_mhz"), 0.0)
    end = np.array([span[2] for span in spans], dtype=np.int64)
    source, target, kind = _flows(events, number, first, start)
    return Trace(
        lanes=tuple(used), first=first, start=start, end=end,
        cycles=_cycles(spans, clock), stalled=_whole(spans, "stalled_ns"),
        size=_whole(spans, "process_bytes"),
        name=np.array([names.setdefault(span[3], len(names)) for span in spans], dtype=np.int64),
        place=np.array([places.setdefault(_place(span[4]), len(places)) for span in spans], dtype=np.int64),
        names=tuple(names), places=tuple(places), flow_from=source, flow_to=target, flow_kind=kind,
        counters=_counters(events), facts=_facts(facts),
    )  # fmt: skip


def _rank(pipe: str) -> int:
    return PIPES.index(pipe) if pipe in PIPES else len(PIPES)


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
    """Cycles as told, else from the times where a clock is known."""
    return np.array(
        [float(_number(span[4].get("cycles"), (span[2] - span[1]) * clock_mhz / 1e3)) for span in spans]
    )


def _whole(spans: list[_Span], name: str) -> Integers:
    return np.array([int(_number(span[4].get(name), 0)) for span in spans], dtype=np.int64)


def _place(args: Mapping[str, Any]) -> Place:
    """The innermost line of `code`, where msprof has a whole call stack."""
    code = str(args.get("code", "")).strip().split("\n")[-1]
    file, _, line = code.rpartition(":")
    return Place(file, int(line)) if file and line.isdigit() else Place(code, 0)


def _flows(
    events: list[_Event], lanes: Mapping[Lane, int], first: Integers, start: Integers
) -> tuple[Integers, Integers, Integers]:
    """Arrows from events s, t and f of one id; what lacks an end, or a slice there, is left out."""
    chains: dict[str | int, list[tuple[float, int, str]]] = {}
    for event in events:
        if event.ph not in ("s", "t", "f"):
            continue
        lane = lanes.get(Lane(str(event.pid), str(event.tid)), -1)
        if lane < 0:
            continue
        low, high = int(first[lane]), int(first[lane + 1])
        at = low + int(np.searchsorted(start[low:high], round(event.ts * 1e3), "right")) - 1
        if at >= low:
            chains.setdefault(event.id, []).append((event.ts, at, event.name))
    found = [
        (one[1], other[1], FLOWS.index(one[2]) if one[2] in FLOWS else FLOWS.index("flag"))
        for chain in chains.values() for one, other in pairwise(chain)
    ]  # fmt: skip
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    table = table[np.argsort(start[table[:, 1]], kind="stable")]
    return table[:, 0], table[:, 1], table[:, 2]


def _counters(events: list[_Event]) -> tuple[Counter, ...]:
    found: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for event in events:
        if event.ph == "C":
            for series, value in event.args.items():
                track = (str(event.pid), event.name, series)
                found.setdefault(track, []).append((round(event.ts * 1e3), int(_number(value, 0))))
    return tuple(
        Counter(*track, *np.array(changes, dtype=np.int64).reshape(-1, 2).T)
        for track, changes in found.items()
    )
