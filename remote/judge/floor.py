"""The time below which no launch can be: what it costs to start, and to move its results.

The kernel program keeps the clock in the process the candidate runs in, so its time is tamper-evident, not
unforgeable: a time under this floor shows that somebody changed it. Counted are only bytes that must be
written; how much of an input a kernel reads can depend on the data. The numbers are those of the twin's
`processors.toml`.
"""

from __future__ import annotations

from .processors import Processor

_CORES_OF_A_BLOCK = 3  # at most, in a mixed kernel: one cube core and two vector cores
_ROUNDING = 0.999


def floor_us(on: Processor, block_dim: int, result_bytes: int) -> float:
    """Microseconds that `block_dim` blocks need at least to start and write `result_bytes`."""
    active = min(block_dim, on.vector_cores)
    share = (active - 1) / (on.vector_cores - 1)
    launch = on.launch_one_us + (on.launch_all_us - on.launch_one_us) * share
    bandwidth = min(on.hbm_bytes_per_s, active * _CORES_OF_A_BLOCK * on.core_bytes_per_s)
    return _ROUNDING * (launch + 1e6 * result_bytes / bandwidth)
