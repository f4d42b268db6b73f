"""Workloads for window and command line: the processors they are ranked against. No Qt."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from core.errors import SageError
from core.workload.processor import Processor
from core.workload.ranking import RankedOperator, rank
from core.workload.records import Workload
from sage_desktop.services.places import data_dir
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


def workload_folder() -> Path:
    """Where imported workloads are kept."""
    return data_dir() / "workloads"


def processor_of(workload: Workload, part: str = "") -> Processor:
    """The processor to rank a workload against.

    Raises:
        SageError: Counters do not tell it, or tell several that differ, and nobody named
            one.
    """
    known = {processor.name: processor for processor in known_processors()}
    if part and part not in known:
        raise SageError(
            "There is no processor {part!r}.",
            "Known are: {names}.",
            part=part,
            names=", ".join(known),
        )
    names = (part,) if part else workload.parts
    fitting = [known[name] for name in names if name in known]
    if len({processor.numbers for processor in fitting}) != 1:
        raise SageError(
            "{name}: the profile does not tell the processor it was made on.",
            "Name it: sage workload rank --part, one of {names}.",
            name=workload.name,
            names=", ".join(names or known),
        )
    return fitting[0]


def ranked(workload: Workload, part: str = "") -> tuple[RankedOperator, ...]:
    """The operators of a workload, see `core.workload.ranking.rank`."""
    return rank(workload, processor_of(workload, part))
