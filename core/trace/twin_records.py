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
    PIPES,
    QUEUE,
    WAITING,
    Integers,
    Lane,
    Place,
    Trace,
    core_order,
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
    return _chunks(data[:used], chunks, max(at_once, 1)), clock_mhz, dropped


def _unpacked(packed: str) -> bytes:
    try:
        inflate = zlib.decompressobj()
        data = inflate.decompress(base64.b64decode(packed, validate=True), MOST_BYTES)
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
    _require(at + form.size <= len(data), "data", f"{len(data)} bytes, cut off")
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
        end = at + (site_bytes + 7) // 8 * 8 + records * RECORD.itemsize
        _require(
            end <= len(data) and 0 <= total < _MOST_CYCLES,
            "core",
            (slot, records, total),
        )
        sites = _sites(data[at : at + site_bytes])
        rows = np.frombuffer(data, RECORD, records, end - records * RECORD.itemsize)
        _check(rows, len(sites))
        # Blocks beyond the hardware's cores run when a core before them is done.
        core = slot % at_once
        start = began.setdefault(slot, free.get(core, 0.0))
        _require(start < _MOST_CYCLES, "core", (slot, start))
        free[core] = max(free.get(core, 0.0), start + total)
        kind = "cubecore" if cube else "veccore"
        chunks.append(Chunk(slot, f"core{ai_core}.{kind}{unit}", sites, rows, start))
        at = end
    return chunks


def _sites(text: bytes) -> tuple[tuple[str, str, int], ...]:
    lines = text.decode("utf-8", "replace").split("\n")[:-1]
    rows = [line.split("\t") for line in lines]
    complete = all(len(row) == 3 and _LINE.fullmatch(row[2]) for row in rows)
    _require(complete, "sites", text[:80])
    return tuple((call, file, abs(int(line))) for call, file, line in rows)


def _check(rows: NDArray[np.void], sites: int) -> None:
    times = np.stack([rows["start"], rows["cycles"], rows["stalled"]])
    sane = bool((np.isfinite(times) & (times >= 0) & (times < _MOST_CYCLES)).all())
    in_range = (
        (rows["site"] < sites)
        & (rows["pipe"] < len(_PIPE_NAMES))
        & (rows["kind"] <= WROTE)
    )
    _require(
        sane and bool(in_range.all()), "records", "times, sites or pipes out of range"
    )


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
    table = np.concatenate(parts, axis=1) if parts else np.zeros((7, 0), dtype=np.int64)
    order = np.lexsort((table[1], table[0]))
    # Where each slice went, for the arrows, which name slices before sorting.
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    lane, start, end, stalled, size, name, place = table[:, order]
    # Cycles are rounded to float32, so that an end may pass the next start by a little.
    same_lane = lane[1:] == lane[:-1]
    end[:-1] = np.where(same_lane, np.minimum(end[:-1], start[1:]), end[:-1])
    source, target, kind = _arrows(chunks, numbered, bases)
    source, target = rank[source], rank[target]
    by_time = np.argsort(start[target], kind="stable")
    first = np.searchsorted(lane, np.arange(len(lanes) + 1)).astype(np.int64)
    return Trace(
        lanes=tuple(lanes),
        first=first,
        start=start,
        end=np.maximum(end, start),
        cycles=np.concatenate(cycles)[order] if cycles else np.zeros(0),
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
        place_of_site.append(places.setdefault(Place(file, line), len(places)))
    site = rows["site"]
    # A pause has a pipe too, but is drawn in the lane `WAITING`.
    pipes = (*_PIPE_NAMES, WAITING)
    lane_of_pipe = np.array([lanes.get(Lane(chunk.core, pipe), 0) for pipe in pipes])
    pipe = np.where(rows["kind"] == PAUSE, len(_PIPE_NAMES), rows["pipe"])
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
    return np.floor(cycles * (1e3 / clock_mhz)).astype(np.int64)


def _lanes(chunks: list[Chunk]) -> dict[Lane, int]:
    """Number of every lane that holds something: by core, cube core first, then as `PIPES` lists."""
    lanes: set[Lane] = set()
    for chunk in chunks:
        work = chunk.records[chunk.records["kind"] == WORK]
        lanes |= {
            Lane(chunk.core, _PIPE_NAMES[pipe]) for pipe in np.unique(work["pipe"])
        }
        if (chunk.records["kind"] == PAUSE).any():
            lanes.add(Lane(chunk.core, WAITING))
    order = sorted(
        lanes, key=lambda lane: (core_order(lane.core), PIPES.index(lane.pipe))
    )
    return {lane: number for number, lane in enumerate(order)}


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
            own, at = own[at < len(followers)], at[at < len(followers)]
            source = _sources(rows[own], numbers, bases)
            has_source = source >= 0
            sources.append(source[has_source])
            targets.append(numbers.number[followers[at[has_source]]])
            of_queue = queued[rows["site"][own]]
            kind = np.where(of_queue, FLOWS.index(QUEUE), FLOWS.index(FLAG))
            # `extra` names the other core, where the wait was for one.
            of_core = rows["extra"][own] > 0
            kind = np.where(of_core, FLOWS.index(CORE), kind)
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
    for extra in np.unique(waits["extra"]):
        here = np.flatnonzero(waits["extra"] == extra)
        other = own if extra == 0 else bases.get(int(extra) - 1)
        if other is None:
            continue
        link = waits["link"][here].astype(np.int64) - 1
        linked = (link >= 0) & (link < len(other.number))
        linked[linked] &= other.is_slice[link[linked]]
        sources[here[linked]] = other.number[link[linked]]
    return sources
