"""Whether the answer of a kernel's process agrees with itself and with the model.

The process in which a candidate runs writes rows and times. What these say of each other
is known: a report in which they disagree was written by somebody else.
"""

from __future__ import annotations

from remote.judge.building.processors import Processor
from remote.judge.running.answers import Launch

_NEARLY = 1e-6  # relative; times travel with all their digits
_RAW_BYTES = (
    256  # written through pointers without a row that counts them (`soc_data.h`)
)
_SCALAR_BYTES = 8  # that a store of the scalar unit, a cycle at least, can write


def contradiction(
    launch: Launch, blocks: int, must_write: int, processor: Processor
) -> str:
    """What of a launch that completed cannot be; empty when all agrees.

    Args:
        launch: What the kernel's process says.
        blocks: How many blocks op_host asked for.
        must_write: Bytes of the results.
        processor: The modelled one.
    """
    group, rest = divmod(len(launch.cores), max(1, blocks))
    if rest or group not in (1, 2, 3):  # of a cube core with its vector cores
        return f"speaks of {len(launch.cores)} cores for {blocks} blocks"
    if launch.unmodelled:
        return ""
    cubes = any(core.unit == "aic" for core in launch.cores)
    at_once = processor.cube_cores if cubes else processor.vector_cores
    active = min(blocks, at_once) * group
    start_us = processor.launch_us(active)
    if abs(launch.launch_us - start_us) > _NEARLY * start_us:
        return f"claims a launch of {launch.launch_us:.3g} us, which takes {start_us:.3g} us"
    if abs(launch.clock_mhz - processor.clock_mhz) > _NEARLY * processor.clock_mhz:
        return f"claims a clock of {launch.clock_mhz:g} MHz"
    # Blocks beyond the cores follow others on the same core.
    totals = [
        sum(core.total_cycles for core in launch.cores[place::active])
        for place in range(active)
    ]
    least_us = launch.launch_us + max(totals) / launch.clock_mhz
    if launch.modelled_us < least_us * (1 - _NEARLY):
        return f"claims {launch.modelled_us:.3g} us, its cores took {least_us:.3g} us"
    copied = sum(core.gm_written for core in launch.cores)
    stored = _SCALAR_BYTES * sum(core.total_cycles for core in launch.cores)
    if copied + stored + _RAW_BYTES < must_write:
        return f"claims to have written {copied:.0f} of {must_write} bytes"
    return ""
