"""Workloads for window and command line: processors, and a row of the ranking in words. No Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.errors import SageError
from core.text import Text
from core.workload.processor import Processor
from core.workload.ranking import RankedOperator, Worth, rank
from core.workload.records import Workload
from core.workload.work import Known
from sage_desktop.services.places import data_dir
from sage_desktop.services.processors import modelled_processors

_MS = 1000.0  # microseconds
_UNKNOWN = {
    Known.PRODUCTS: Text("work unknown: products only"),
    Known.BYTES: Text("work unknown: bytes only"),
}


@cache
def known_processors() -> tuple[Processor, ...]:
    """Every processor the time model has numbers of."""
    processors = []
    for one in modelled_processors():
        constants = one.constants
        processors.append(
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
    return tuple(processors)


def workload_folder() -> Path:
    """Where imported workloads are kept."""
    return data_dir() / "workloads"


def processor_of(workload: Workload, part: str = "") -> Processor:
    """The processor to rank a workload against.

    Raises:
        SageError: There is no processor `part`; or `part` is empty, and counters do not
            tell it or tell several that differ.
    """
    by_name = {processor.name: processor for processor in known_processors()}
    if part and part not in by_name:
        raise SageError(
            "There is no processor {part!r}.",
            "Known are: {names}.",
            part=part,
            names=", ".join(by_name),
        )
    names = (part,) if part else workload.parts
    alike = alike_processors(names)
    if not alike:
        raise SageError(
            "The profile {name} does not tell the processor it was made on.",
            "Import it again with --part, and one of {names}.",
            name=workload.name,
            names=", ".join(names or by_name),
        )
    return alike[0]


def lacks_processor(workload: Workload) -> bool:
    """Whether a person has to name the processor before the workload can be ranked."""
    return not alike_processors(workload.parts)


def alike_processors(names: Sequence[str]) -> list[Processor]:
    """The modelled ones of these names; none where their numbers differ."""
    # Parts with the same numbers rank alike, so the profile need not tell which it was.
    processors = [one for one in known_processors() if one.name in names]
    is_alike = len({processor.numbers for processor in processors}) <= 1
    return processors if is_alike else []


def ranked(workload: Workload, part: str = "") -> tuple[RankedOperator, ...]:
    """The operators of a workload, see `core.workload.ranking.rank`.

    Raises:
        SageError: As `processor_of`.
    """
    return rank(workload, processor_of(workload, part))


def default_name(path: Path) -> str:
    """What a workload is called after the path it was read from."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", path.resolve().stem).strip("-._")
    return plain[:80] or "profile"


def saving_text(row: RankedOperator) -> Text:
    """What could be saved in a step: numbers of milliseconds, the unit left to the column.

    `1.20 to 1.50`; `at most 1.50` where the work is known in part, `?` where it is not known.
    """
    low, high = f"{row.low_us / _MS:.2f}", f"{row.high_us / _MS:.2f}"
    return _interval_text(row.known, low, high)


def gain_text(row: RankedOperator) -> Text:
    """The same as a part of the step."""
    low, high = row.gain
    return _interval_text(row.known, f"{low:.1%}", f"{high:.1%}")


def _interval_text(certainty: Known, low: str, high: str) -> Text:
    if certainty is Known.NOTHING:
        return Text("?")
    if certainty is Known.WHOLE:
        return Text("{low} to {high}", low=low, high=high)
    return Text("at most {high}", high=high)


def remark(row: RankedOperator) -> Text:
    """What to do with an operator, and why."""
    if row.worth is Worth.UNKNOWN:
        return _UNKNOWN.get(row.known, Text(str(row.worth)))
    if row.worth is Worth.SERVED and row.floor_us is not None:
        share = f"{row.floor_us / row.time_us:.0%}"
        return Text("little is sure, floor {share}", share=share)
    return Text(str(row.worth))
