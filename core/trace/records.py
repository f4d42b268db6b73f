"""What the CPU twin records of a launch, one chunk a core. `twin/core/trace.h` documents it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RECORD = np.dtype(
    [
        ("start", "f8"),
        ("cycles", "f4"),
        ("stalled", "f4"),
        ("bytes", "u4"),
        ("link", "u4"),
        ("site", "u4"),
        ("kind", "u1"),
        ("pipe", "u1"),
        ("extra", "u2"),
    ]
)
# Kinds of records, as TraceKind numbers them.
WORK, PAUSE, WAIT, BUFFER, TAKEN = range(5)
RELEASED, WROTE = 7, 8


@dataclass(frozen=True)
class Chunk:
    """The records of one core.

    Attributes:
        slot: Number of the core in the launch.
        core: Its name.
        sites: Call, file and line of each call site.
        records: What it did, as `RECORD`.
        began: When it began, cycles: after those that ran before it on the same hardware.
    """

    slot: int
    core: str
    sites: tuple[tuple[str, str, int], ...]
    records: NDArray[np.void]
    began: float
