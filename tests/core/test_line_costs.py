"""What a line costs is told of the core where it costs most, and what it waited for is named."""

from __future__ import annotations

import numpy as np

from core.trace.columns import Lane, Place, Trace
from core.trace.lines import Wait, line_costs

COPY, ADD, SYNC = (Place("op_kernel/k.cpp", line) for line in (10, 20, 30))


def integers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def two_cores() -> Trace:
    """Each copies and adds; the second copies longer; the first one's scalar unit waits for a barrier."""
    lanes = (
        Lane("core0.veccore0", "FLOWCTRL"),
        Lane("core0.veccore0", "MTE2"),
        Lane("core0.veccore0", "VECTOR"),
        Lane("core0.veccore1", "MTE2"),
        Lane("core0.veccore1", "VECTOR"),
    )
    start, end = integers(60, 0, 40, 0, 90), integers(100, 40, 60, 90, 110)
    return Trace(
        lanes,
        np.arange(6, dtype=np.int64),
        start,
        end,
        (end - start) * 2.0,
        integers(0, 0, 40, 0, 90),
        integers(0, 512, 0, 512, 0),
        integers(2, 0, 1, 0, 1),
        integers(2, 0, 1, 0, 1),
        ("DataCopy", "Add", "SyncAll"),
        (COPY, ADD, SYNC),
        integers(1, 3, 3),
        integers(2, 4, 0),
        integers(0, 0, 2),
        (),
        {"clock_mhz": 2000},
    )


def test_a_line_costs_what_it_costs_on_the_core_where_that_is_most() -> None:
    costs = line_costs(two_cores())
    assert list(costs) == [COPY, ADD, SYNC], "the most expensive first"
    assert (costs[COPY].ns, costs[COPY].cycles, costs[COPY].pipe) == (
        90.0,
        180.0,
        "MTE2",
    )
    assert costs[COPY].calls == ("DataCopy",)
    assert costs[ADD].ns == 20.0, "not the sum of both cores"


def test_a_stall_names_what_it_waited_for() -> None:
    costs = line_costs(two_cores())
    assert costs[ADD].stalled_ns == 90
    assert costs[ADD].waits == (Wait(90, "queue", "DataCopy", COPY, "MTE2"),)
    assert (costs[SYNC].ns, costs[SYNC].stalled_ns) == (0.0, 40), "waiting is no work"
    assert costs[SYNC].waits == (Wait(40, "core", "DataCopy", COPY, "MTE2"),)
    assert costs[COPY].waits == ()


def test_a_wait_nothing_explains_is_still_told() -> None:
    trace = two_cores()
    trace.stalled[1] = 7
    assert line_costs(trace)[COPY].waits == (Wait(7),)
    trace.stalled[3] = 9
    assert line_costs(trace)[COPY].waits == (Wait(9),), (
        "of the core where it waits longest alone"
    )


def test_a_trace_without_anything_costs_nothing() -> None:
    none = integers()
    assert not line_costs(
        Trace(
            (),
            integers(0),
            none,
            none,
            np.zeros(0),
            none,
            none,
            none,
            none,
            (),
            (),
            none,
            none,
            none,
        )
    )
