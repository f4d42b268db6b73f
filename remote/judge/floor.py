"""The time below which no launch can be: what it costs to start, and to move its results.

The kernel program keeps the clock in the process the candidate runs in, so its time is tamper-evident, not
unforgeable: a time under this floor shows that somebody changed it. Counted are only bytes that must be
written; how much of an input a kernel reads can depend on the data. The numbers are those of the twin's
`soc_data.h`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_CORES_OF_A_BLOCK = 3  # at most, in a mixed kernel: one cube core and two vector cores
_ROUNDING = 0.999


@dataclass(frozen=True)
class Processor:
    """Numbers of a modelled processor: vector cores, bytes per second, microseconds of a launch."""

    cores: int
    memory_bytes_per_s: float
    core_bytes_per_s: float
    launch_one_us: float
    launch_all_us: float

    def floor_us(self, block_dim: int, result_bytes: int) -> float:
        """Microseconds that `block_dim` blocks need at least to start and write `result_bytes`."""
        active = min(block_dim, self.cores)
        share = (active - 1) / (self.cores - 1)
        launch = self.launch_one_us + (self.launch_all_us - self.launch_one_us) * share
        bandwidth = min(self.memory_bytes_per_s, active * _CORES_OF_A_BLOCK * self.core_bytes_per_s)
        return _ROUNDING * (launch + 1e6 * result_bytes / bandwidth)


@cache
def processor(table: Path, soc: str) -> Processor:
    """The processor `soc` of the table in `soc_data.h`."""
    text = table.read_text(encoding="utf-8")
    row = re.search(rf'\{{"{re.escape(soc)}", (.*?)\}}', text)
    if row is None:
        raise KeyError(soc)
    numbers = row[1].split(", ")
    costs = dict(re.findall(r"constexpr double (kLaunch\w+Us) = ([\d.]+);", text))
    return Processor(
        int(numbers[1]), float(numbers[3]), float(numbers[4]), float(costs["kLaunchOneCoreUs"]),
        float(costs["kLaunchAllCoresUs"]),
    )  # fmt: skip
