"""Workloads for window and command line: the processors they are ranked against. No Qt."""

from __future__ import annotations

from functools import cache

from core.workload.processor import Processor
from sage_desktop.services.processors import modelled_processors


@cache
def known_processors() -> tuple[Processor, ...]:
    """Every processor the time model has numbers of."""
    known = []
    for one in modelled_processors():
        constants = one.constants
        known.append(
            Processor(
                name=one.name,
                cube_cores=one.cube_cores,
                vector_cores=one.vector_cores,
                clock_mhz=one.clock_mhz,
                hbm_bytes_per_s=one.hbm_bytes_per_s,
                hbm_reached=constants["memory.hbm_reached"],
                l2_bytes_per_s=one.l2_bytes_per_s,
                l2_bytes=one.l2_bytes,
                launch_fixed_us=constants["launch.fixed_us"],
                launch_per_core_us=constants["launch.per_core_us"],
                entry_us=constants["launch.entry_us"],
                entry_per_core_us=constants["launch.entry_per_core_us"],
                small=one.uncertainty.small,
                between=one.uncertainty.between,
            )
        )
    return tuple(known)
