"""How full the on-chip memories of a core were over time, by queue and buffer.

A buffer of a queue is in use from the moment its producer may write it (AllocTensor) until its consumer is
done with it (FreeTensor); a TBuf from InitBuffer until another buffer takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from core.errors import InvalidInput
from core.trace.columns import Counter
from core.trace.records import BUFFER, RELEASED, TAKEN, Chunk

# Bytes; `twin/soc_data.h` has the same numbers and where they come from. Records name memories by position.
MEMORY_BYTES: Mapping[str, int] = {
    "UB": 196_608,
    "L1": 524_288,
    "L0A": 65_536,
    "L0B": 65_536,
    "L0C": 131_072,
    "BT": 1024,
    "FB": 2048,
}
MEMORIES = tuple(MEMORY_BYTES)
_MOST_BUFFERS = 1 << 16  # of a core: it makes its own again when it resets its TPipe
_MOST_AT_ONCE = 256  # a TPipe has 64


# Time in cycles, bytes: more (+) or fewer (-) in use from then on.
_Change = tuple[float, int]


@dataclass
class _Buffer:
    memory: str
    name: str  # of the queue or TBuf it belongs to
    series: str
    begin: int  # bytes from the start of the memory
    size: int
    queued: bool
    changes: list[_Change] = field(default_factory=list)
    users: int = 0  # how often it is in use just now

    @property
    def open(self) -> bool:
        return self.size > 0 and self.users > 0

    def turn(self, time: float, by: int) -> None:
        """It is taken (1) or given back (-1)."""
        self.changes.append((time, by * self.size))
        self.users += by


def occupancy(core: Chunk, clock_mhz: float) -> list[Counter]:
    """Counters of one core: every memory as a whole, then its queues and buffers.

    Raises:
        InvalidInput: It announces more buffers than a kernel can have.
    """
    buffers = _buffers(core)
    counters: list[Counter] = []
    for memory in MEMORIES:
        # By name and series; the first is the memory as a whole.
        tracks: dict[tuple[str, str], list[_Change]] = {(memory, "in use"): []}
        for buffer in buffers:
            if buffer.memory == memory and buffer.changes:
                own = tracks.setdefault((buffer.name, buffer.series), [])
                own += buffer.changes
                tracks[memory, "in use"] += buffer.changes
        for (name, series), changes in tracks.items():
            if changes:
                counter = _counter(
                    core.core, name, series, changes, core.began, clock_mhz
                )
                counters.append(counter)
    return counters


def _buffers(core: Chunk) -> list[_Buffer]:
    """Every buffer with the times it was taken and given back; numbers that were not announced are passed over."""
    buffers: dict[int, _Buffer] = {}
    in_use: list[_Buffer] = []
    announced = 0
    rows = core.records[core.records["kind"] >= BUFFER]
    fields = ("start", "bytes", "kind", "site", "link", "extra", "cycles")
    columns = [rows[name].tolist() for name in fields]
    for row in zip(*columns, strict=True):
        # A record of a buffer keeps its offset in the field for cycles.
        start, size, kind, site, link, extra, offset = row
        # `extra` is the memory + 256 x the buffer's number in its queue.
        if kind == BUFFER and extra % 256 < len(MEMORIES):
            role, _, line = core.sites[site]
            queued = role not in {"TBuf", "TBufPool"}
            memory = MEMORIES[extra % 256]
            name = f"{memory} {role}"
            if line:
                name += f", line {line}"
            series = f"buffer {extra // 256}"
            buffer = _Buffer(memory, name, series, int(offset), size, queued)
            in_use = [other for other in in_use if other.open]
            _end_of_overlaid(buffer, in_use, start)
            announced += 1
            if announced > _MOST_BUFFERS or len(in_use) > _MOST_AT_ONCE:
                raise InvalidInput(
                    "trace of the CPU twin",
                    "buffers",
                    "{core} has {count}, {open} of them in use at once",
                    core=core.core,
                    count=announced,
                    open=len(in_use),
                )
            if role == "TBuf":
                buffer.turn(start, 1)
                in_use.append(buffer)
            buffers[link] = buffer
        elif link in buffers and kind == TAKEN:
            if not buffers[link].open:
                in_use.append(buffers[link])
            buffers[link].turn(start, 1)
        elif link in buffers and kind == RELEASED and buffers[link].open:
            buffers[link].turn(start, -1)
    return list(buffers.values())


def _end_of_overlaid(buffer: _Buffer, in_use: Iterable[_Buffer], time: float) -> None:
    """A buffer at the place of an older one ends it: its TPipe was reset."""
    for other in in_use:
        overlaps = (
            other.begin < buffer.begin + buffer.size
            and buffer.begin < other.begin + other.size
        )
        if other.memory == buffer.memory and overlaps:
            last_change, _by = other.changes[-1]
            other.turn(max(time, last_change), -1)


def _counter(
    core: str,
    name: str,
    series: str,
    changes: list[_Change],
    began: float,
    clock_mhz: float,
) -> Counter:
    """Values over time from changes; those of one nanosecond count together."""
    changes = sorted(changes)
    cycles = np.array([time for time, _ in changes]) + began
    ns_per_cycle = 1e3 / clock_mhz
    when = np.floor(cycles * ns_per_cycle).astype(np.int64)
    steps = np.array([step for _, step in changes], dtype=np.int64)
    value = np.cumsum(steps)
    # The last of each nanosecond, and of those only where the value changed.
    is_last = np.append(when[1:] != when[:-1], True)
    when = when[is_last]
    value = value[is_last]
    is_new = np.append(True, value[1:] != value[:-1])
    return Counter(core, name, series, when[is_new], value[is_new])
