"""Workloads for window and command line: processors, and a row of the ranking in words. No Qt."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from core.errors import SageError
from core.workload.processor import Processor
from core.workload.ranking import RankedOperator, Worth, rank
from core.workload.records import Workload
from core.workload.work import Known
from sage_desktop.services.places import data_dir
from sage_desktop.services.processors import modelled_processors

_MS = 1000.0  # microseconds


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


def default_name(path: Path) -> str:
    """What a workload is called after the path it was read from."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", path.resolve().stem).strip("-._")
    return plain[:80] or "profile"


def saving_text(row: RankedOperator) -> str:
    """What could be saved in a step, in milliseconds; an upper bound where work is unknown."""
    high = f"{row.high_us / _MS:.2f}"
    if row.known is Known.NOTHING:
        return "?"
    if row.known is Known.WHOLE:
        return f"{row.low_us / _MS:.2f} to {high}"
    return f"at most {high}"


def gain_text(row: RankedOperator) -> str:
    """The same as a part of the step."""
    low, high = row.gain
    if row.known is Known.NOTHING:
        return "?"
    return f"{low:.1%} to {high:.1%}" if row.known is Known.WHOLE else f"to {high:.1%}"


def remark(row: RankedOperator) -> str:
    """What to do with an operator, and why."""
    if row.worth is Worth.UNKNOWN:
        return f"work unknown: {row.known}"
    if row.worth is Worth.SERVED and row.floor_us is not None:
        return f"CANN near the floor, {row.floor_us / row.time_us:.0%}"
    return str(row.worth)
