"""What the traces of `msprof op simulator` have that ours do not: numbered lanes, overlaps, waits as slices.

Read in the source of msopprof (`core_timeline_visualizer.cpp`, `subcore_timeline_visualizer.cpp`): the trace
of all cores names cores and pipes in `pid` and `tid`; that of one core numbers them, names the pipes in
events M and itself by its folder. Instructions of one pipe overlap. `cache_time` and `ccu_time` are the time
before an instruction in which it was fetched and queued: no work of the pipe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import msgspec

from core.trace.columns import WAITS, Lane

QUEUED = frozenset({"cache_time", "ccu_time"})
# Slices at which arrows begin and end.
FLAGS = WAITS | {"SET_FLAG", "SET_INTRA_BLOCK", "set_event"}
_ROUNDING_NS = 1  # of a time as a 32-bit number of microseconds


class Event(msgspec.Struct, frozen=True):
    """One event of a file. Those of `msprof op simulator` have the same fields, ids as text among them."""

    ph: str
    name: str = ""
    pid: str | int = ""
    tid: str | int = ""
    ts: float = 0.0
    dur: float = 0.0
    id: str | int = ""
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class LaneNames:
    """Numbers lanes by what `pid` and `tid` are called.

    That is what they are; where they are numbers, the core of the folder and the pipe an event M names.
    Threads of such a pipe are what overlaps, which `in_rows` tells apart.

    Args:
        events: Of the file.
        path: The file; `.../core0.veccore0/trace.json` is that of a core.

    Attributes:
        lanes: By number, in the order they were met.
    """

    def __init__(self, events: Iterable[Event], path: Path) -> None:
        self.lanes: list[Lane] = []
        self._pipes = {
            str(event.pid): str(event.args.get("name", event.pid))
            for event in events
            if event.ph == "M"
            and event.name == "process_name"
            and str(event.pid).isdigit()
        }
        self._core = (
            path.parent.name
            if "core" in path.parent.name
            else path.name.partition(".")[0]
        )
        self._known: dict[tuple[str | int, str | int], int] = {}

    def of(self, pid: str | int, tid: str | int) -> int:
        """The number of a lane."""
        number = self._known.get((pid, tid))
        if number is None:
            pipe = self._pipes.get(str(pid))
            lane = (
                Lane(self._core, pipe) if pipe is not None else Lane(str(pid), str(tid))
            )
            if lane not in self.lanes:
                self.lanes.append(lane)
            number = self._known[pid, tid] = self.lanes.index(lane)
        return number


def in_rows(starts: Sequence[int], ends: list[int]) -> list[int]:
    """Which row of its lane each slice stands in, so that none overlaps another: 0 for the first.

    Ends that overlap the next start by a rounding are cut in place.

    Args:
        starts: ns, ascending.
        ends: ns; changed.
    """
    rows = [0] * len(starts)
    last: list[int] = []  # slice that is last in each row
    working: list[tuple[int, int]] = []  # (end, row) of rows that are not free yet
    free: list[int] = []
    for number, start in enumerate(starts):
        while working and working[0][0] <= start + _ROUNDING_NS:
            heappush(free, heappop(working)[1])
        if free:
            row = heappop(free)
            before = last[row]
            ends[before] = max(min(ends[before], start), starts[before])
            last[row] = number
        else:
            row = len(last)
            last.append(number)
        rows[number] = row
        heappush(working, (ends[number], row))
    return rows
