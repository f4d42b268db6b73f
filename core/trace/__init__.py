"""What every pipe of a simulated kernel did and when: columns, their file, how full memories were.

Example:
    >>> trace = load_trace(Path("abs.json"))
    >>> [str(lane) for lane in trace.lanes][:2]
    ['core0.veccore0 SCALAR', 'core0.veccore0 MTE2']
    >>> trace.busy_ns(1)
    812
"""

from core.trace.chrome import load_trace, write_trace
from core.trace.columns import Counter, Lane, Place, Trace
from core.trace.twin_records import trace_of
from core.trace.writes import Writes, writes_of

__all__ = [
    "Counter",
    "Lane",
    "Place",
    "Trace",
    "Writes",
    "load_trace",
    "trace_of",
    "write_trace",
    "writes_of",
]
