"""From the records of the CPU twin to columns. The records are documented in `twin/core/trace.h`.

They come out of a process the candidate's code ran in, so nothing in them is believed before it is checked:
sizes, numbers of cores, sites, buffers and records, line numbers, and times, whose nanoseconds have to fit.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidInput
from core.trace.columns import (
    CORE,
    FLAG,
    FLOWS,
    QUEUE,
    WAITING,
    Integers,
    Lane,
    Place,
    Trace,
    lane_order,
)
from core.trace.occupancy import occupancy
from core.trace.records import PAUSE, RECORD, WAIT, WORK, WROTE, Chunk

MAGIC = b"SAGETRC1"
MOST_BYTES = 64 << 20  # of a trace, unpacked: what a launch has room for
_HEADER = struct.Struct("=8sQQdII")
_CHUNK = struct.Struct("=IIIIIIQQd")
_MOST_CYCLES = 1e15  # at a megahertz 10^18 ns, of the 9.2 * 10^18 a column holds
_CLOCK = (1.0, 1e5)  # MHz
_MOST_CHUNKS = 1 << 16  # cores of a launch, blocks beyond the hardware's included
_LINE = re.compile(r"-?[0-9]{1,9}")
_PIPE_NAMES = ("SCALAR", "VECTOR", "CUBE", "MTE1", "MTE2", "MTE3", "FIXP")
_QUEUE_CALLS = {"AllocTensor", "EnQue", "DeQue", "FreeTensor"}


def trace_of(packed: str, facts: Mapping[str, Any] | None = None) -> Trace:
    """The trace in an attachment of the judge.

    Args:
        packed: The text of the attachment.
        facts: What is known of the launch, for `Trace.facts`.

    Raises:
        InvalidInput: It has another form.
    """
    chunks, clock_mhz, dropped = _read(packed)
    all_facts = {"clock_mhz": clock_mhz, "dropped": dropped, **(facts or {})}
    return _columns(chunks, clock_mhz, all_facts)


def chunks_in(packed: str) -> list[Chunk]:
    """The records of every core in an attachment of the judge; raises InvalidInput for another form."""
    return _read(packed)[0]


def _read(packed: str) -> tuple[list[Chunk], float, int]:
    """Records by core, clock in MHz, how many records had no room."""
    data = _unpacked(packed)
    magic, used, dropped, clock_mhz, chunks, at_once = _unpack(_HEADER, data, 0)
    _require(magic == MAGIC, "magic", magic)
    consistent = (
        used <= len(data)
        and _CLOCK[0] <= clock_mhz <= _CLOCK[1]
        and chunks <= _MOST_CHUNKS
    )
    _require(consistent, "head", (used, clock_mhz, chunks))
    records = _chunks(data[:used], chunks, max(at_once, 1))
    return records, clock_mhz, dropped


def _unpacked(packed: str) -> bytes:
    # No more than `MOST_BYTES` are ever made: a small text could hold gigabytes.
    inflate = zlib.decompressobj()
    try:
        compressed = base64.b64decode(packed, validate=True)
        data = inflate.decompress(compressed, MOST_BYTES)
    except (ValueError, binascii.Error, zlib.error) as error:
        raise InvalidInput("trace of the CPU twin", "data", str(error)) from error
    _require(not inflate.unconsumed_tail, "data", f"more than {MOST_BYTES} bytes")
    return data


def _require(condition: bool, what: str, value: object) -> None:
    if not condition:
        raise InvalidInput(
            "trace of the CPU twin", what, "cannot be {value}", value=repr(value)
        )


def _unpack(form: struct.Struct, data: bytes, at: int) -> tuple[Any, ...]:
    is_complete = at + form.size <= len(data)
    _require(is_complete, "data", f"{len(data)} bytes, cut off")
    return form.unpack_from(data, at)


def _chunks(data: bytes, count: int, at_once: int) -> list[Chunk]:
    """The records of every core, with the cycle at which each core began.

    Args:
        data: The trace, unpacked.
        count: How many cores it says it has.
        at_once: Cores of the hardware: further blocks wait for one of them.
    """
    chunks: list[Chunk] = []
    # By physical core: cycles at which it is free again.
    free: dict[int, float] = {}
    # By slot: a cube core may have a second chunk, for products of others.
    began: dict[int, float] = {}
    at = _HEADER.size
    for _ in range(count):
        slot, cube, ai_core, unit, _block, site_bytes, records, _dropped, total = (
            _unpack(_CHUNK, data, at)
        )
        at += _CHUNK.size
        # The text of the sites is padded to whole words of 8 bytes.
        first_record = at + (site_bytes + 7) // 8 * 8
        end = first_record + records * RECORD.itemsize
        fits = end <= len(data) and 0 <= total < _MOST_CYCLES
        _require(fits, "core", (slot, records, total))
        sites = _sites(data[at : at + site_bytes])
        rows = np.frombuffer(data, RECORD, records, first_record)
        _check(rows, len(sites))
        # Blocks beyond the hardware's cores run when a core before them is done.
        core = slot % at_once
        core_free = free.get(core, 0.0)
        start = began.setdefault(slot, core_free)
        _require(start < _MOST_CYCLES, "core", (slot, start))
        free[core] = max(core_free, start + total)
        kind = "cubecore" if cube else "veccore"
        name = f"core{ai_core}.{kind}{unit}"
        chunks.append(Chunk(slot, name, sites, rows, start))
        at = end
    return chunks


def _sites(text: bytes) -> tuple[tuple[str, str, int], ...]:
    """Call, file and line of every site: a row each, its columns between tabs."""
    lines = text.decode("utf-8", "replace").split("\n")[:-1]
    rows = [line.split("\t") for line in lines]
    for row in rows:
        is_site = len(row) == 3 and _LINE.fullmatch(row[2]) is not None
        _require(is_site, "sites", text[:80])
    # The twin makes the line of a call through a pointer negative: the call came after it.
    return tuple((call, file, abs(int(line))) for call, file, line in rows)


def _check(rows: NDArray[np.void], sites: int) -> None:
    """Refuse records whose numbers could not be used as times and indices; `sites`: how many there are."""
    times = np.stack([rows["start"], rows["cycles"], rows["stalled"]])
    # NaN and infinity fail the comparisons too.
    are_times = (times >= 0) & (times < _MOST_CYCLES)
    in_range = (
        (rows["site"] < sites)
        & (rows["pipe"] < len(_PIPE_NAMES))
        & (rows["kind"] <= WROTE)
    )
    is_sane = bool(are_times.all()) and bool(in_range.all())
    _require(is_sane, "records", "times, sites or pipes out of range")


def _columns(chunks: list[Chunk], clock_mhz: float, facts: Mapping[str, Any]) -> Trace:
    """Sort the records of all cores into lanes."""
    names: dict[str, int] = {}
    places: dict[Place, int] = {}
    lanes = _lanes(chunks)
    parts: list[NDArray[np.int64]] = []
    cycles: list[NDArray[np.float64]] = []
    base = 0
    numbered: list[_Numbers] = []
    bases: dict[int, _Numbers] = {}  # by slot
    for chunk in chunks:
        rows = chunk.records[chunk.records["kind"] <= PAUSE]
        numbers = _Numbers(base, chunk.records["kind"])
        bases.setdefault(chunk.slot, numbers)
        numbered.append(numbers)
        base += len(rows)
        parts.append(_part(chunk, rows, clock_mhz, lanes, names, places))
        cycles.append(rows["cycles"].astype(np.float64))
    # A launch that recorded nothing has seven columns too.
    no_slices = np.zeros((7, 0), dtype=np.int64)
    table = np.concatenate([no_slices, *parts], axis=1)
    all_cycles = np.concatenate([np.zeros(0), *cycles])
    order = np.lexsort((table[1], table[0]))
    # Where each slice went, for the arrows, which name slices before sorting.
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    lane, start, end, stalled, size, name, place = table[:, order]
    # Cycles are rounded to float32, so that an end may pass the next start by a little.
    same_lane = lane[1:] == lane[:-1]
    end_before_next = np.minimum(end[:-1], start[1:])
    end[:-1] = np.where(same_lane, end_before_next, end[:-1])
    source, target, kind = _arrows(chunks, numbered, bases)
    source = rank[source]
    target = rank[target]
    by_time = np.argsort(start[target], kind="stable")
    lane_numbers = np.arange(len(lanes) + 1)
    first = np.searchsorted(lane, lane_numbers)
    return Trace(
        lanes=tuple(lanes),
        first=first.astype(np.int64),
        start=start,
        end=np.maximum(end, start),
        cycles=all_cycles[order],
        stalled=stalled,
        size=size,
        name=name,
        place=place,
        names=tuple(names),
        places=tuple(places),
        flow_from=source[by_time],
        flow_to=target[by_time],
        flow_kind=kind[by_time],
        counters=tuple(one for chunk in chunks for one in occupancy(chunk, clock_mhz)),
        facts=dict(facts),
    )


def _part(
    chunk: Chunk,
    rows: NDArray[np.void],
    clock_mhz: float,
    lanes: Mapping[Lane, int],
    names: dict[str, int],
    places: dict[Place, int],
) -> Integers:
    """[7, slices] lane, start, end and stall in ns, bytes, name and place of a core's slices.

    Args:
        chunk: The core's records.
        rows: Those of them that are slices.
        clock_mhz: Of the core.
        lanes: Number of each lane.
        names: Number of each call; those of the core are added.
        places: Number of each line; those of the core are added.
    """
    name_of_site: list[int] = []
    place_of_site: list[int] = []
    for call, file, line in chunk.sites:
        name_of_site.append(names.setdefault(call, len(names)))
        place = Place(file, line)
        place_of_site.append(places.setdefault(place, len(places)))
    site = rows["site"]
    # A pause has a pipe too, but is drawn in the lane `WAITING`: the number behind those of the pipes.
    own_lanes = [Lane(chunk.core, pipe) for pipe in (*_PIPE_NAMES, WAITING)]
    lane_of_pipe = np.array([lanes.get(lane, 0) for lane in own_lanes])
    is_pause = rows["kind"] == PAUSE
    pipe = np.where(is_pause, len(_PIPE_NAMES), rows["pipe"])
    begin = rows["start"] + chunk.began
    begin_ns = _ns(begin, clock_mhz)
    return np.stack(
        [
            lane_of_pipe[pipe],
            begin_ns,
            _ns(begin + rows["cycles"], clock_mhz),
            begin_ns - _ns(begin - rows["stalled"], clock_mhz),
            rows["bytes"].astype(np.int64),
            np.array(name_of_site, dtype=np.int64)[site],
            np.array(place_of_site, dtype=np.int64)[site],
        ]
    )


def _ns(cycles: NDArray[np.float64], clock_mhz: float) -> Integers:
    """Whole nanoseconds, rounded down: equal times stay equal, and slices that touch do not overlap."""
    ns_per_cycle = 1e3 / clock_mhz
    return np.floor(cycles * ns_per_cycle).astype(np.int64)


def _lanes(chunks: list[Chunk]) -> dict[Lane, int]:
    """Number of every lane that holds something: by core, cube core first, then as `PIPES` lists."""
    lanes: set[Lane] = set()
    for chunk in chunks:
        kinds = chunk.records["kind"]
        work = chunk.records[kinds == WORK]
        for pipe in np.unique(work["pipe"]):
            lanes.add(Lane(chunk.core, _PIPE_NAMES[pipe]))
        if (kinds == PAUSE).any():
            lanes.add(Lane(chunk.core, WAITING))
    in_order = sorted(lanes, key=lane_order)
    return {lane: number for number, lane in enumerate(in_order)}


class _Numbers:
    """Which slice, before sorting, each record of a chunk is.

    Args:
        base: Number of its first slice.
        kinds: Of its records.
    """

    def __init__(self, base: int, kinds: NDArray[np.uint8]) -> None:
        self.is_slice = kinds <= PAUSE
        # Of the slice at or before each record.
        self.number = base - 1 + np.cumsum(self.is_slice)


def _arrows(
    chunks: list[Chunk], numbered: list[_Numbers], bases: Mapping[int, _Numbers]
) -> tuple[Integers, Integers, Integers]:
    """Source and target slice, before sorting, and kind of every arrow.

    A wait names the record it waits for; the next slice of its pipe is what waited. One that nothing follows,
    or whose source was dropped, is no arrow.
    """
    sources, targets, kinds = [], [], []
    for chunk, numbers in zip(chunks, numbered, strict=True):
        rows = chunk.records
        slices = np.flatnonzero(numbers.is_slice)
        waits = np.flatnonzero(rows["kind"] == WAIT)
        is_queue = [call in _QUEUE_CALLS for call, _, _ in chunk.sites]
        queued = np.array(is_queue, dtype=bool)
        for pipe in np.unique(rows["pipe"][waits]):
            own = waits[rows["pipe"][waits] == pipe]
            followers = slices[rows["pipe"][slices] == pipe]
            at = np.searchsorted(followers, own)
            is_followed = at < len(followers)
            own = own[is_followed]
            follower = followers[at[is_followed]]
            source = _sources(rows[own], numbers, bases)
            has_source = source >= 0
            sources.append(source[has_source])
            targets.append(numbers.number[follower[has_source]])
            kind = np.full(len(own), FLOWS.index(FLAG))
            kind[queued[rows["site"][own]]] = FLOWS.index(QUEUE)
            # `extra` names the other core, where the wait was for one.
            kind[rows["extra"][own] > 0] = FLOWS.index(CORE)
            kinds.append(kind[has_source])
    empty = [np.zeros(0, dtype=np.int64)]
    return (
        np.concatenate(sources or empty),
        np.concatenate(targets or empty),
        np.concatenate(kinds or empty).astype(np.int64),
    )


def _sources(
    waits: NDArray[np.void], own: _Numbers, bases: Mapping[int, _Numbers]
) -> Integers:
    """The slice each wait names, -1 where there is none."""
    sources = np.full(len(waits), -1, dtype=np.int64)
    # `extra`: 0 for a wait within the core, else 1 + the slot of the other one.
    for extra in np.unique(waits["extra"]).tolist():
        here = np.flatnonzero(waits["extra"] == extra)
        other = own if extra == 0 else bases.get(extra - 1)
        if other is None:
            continue
        # `link`: 1 + the number of a record there, 0 for none.
        link = waits["link"][here].astype(np.int64) - 1
        linked = (link >= 0) & (link < len(other.number))
        linked[linked] &= other.is_slice[link[linked]]
        sources[here[linked]] = other.number[link[linked]]
    return sources
