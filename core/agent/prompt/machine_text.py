"""The processor in numbers, one page, as the time model of the twin has them (docs/time.md)."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import resources

from core.agent.prompt import templates


@cache
def machine_text(soc: str, *, cube: bool = False) -> str:
    """Rates, launch and cost of instructions of a processor.

    Empty where the time model has no such processor.

    Args:
        soc: Model, e.g. `Ascend910B1`.
        cube: With what copies and products of cube cores cost.
    """
    source = resources.files("resources") / "twin" / "processors.toml"
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    processors = {row["name"]: row for row in table["processor"]}
    row = processors.get(soc)
    if row is None:
        return ""
    memory, launch = table["memory"], table["launch"]
    vector, scalar = table["vector"], table["scalar"]
    hbm = row["hbm_bytes_per_s"] * memory["hbm_reached"]
    cores = row["vector_cores"]
    page = templates.fill(
        "machine",
        soc=soc,
        clock=row["clock_mhz"],
        cubes=row["cube_cores"],
        vectors=cores,
        l2_mib=row["l2_mib"],
        l2=f"{row['l2_bytes_per_s'] / 1e12:.1f}",
        l2_core=f"{memory['core_l2_bytes_per_s'] / 1e9:.0f}",
        hbm=f"{hbm / 1e12:.2f}",
        hbm_core=f"{memory['core_hbm_bytes_per_s'] / 1e9:.0f}",
        saturate=math.ceil(hbm / memory["core_hbm_bytes_per_s"]),
        fixed=launch["fixed_us"],
        per_core=launch["per_core_us"],
        entry=launch["entry_us"],
        entry_per_core=launch["entry_per_core_us"],
        all_cores=f"{_start_us(launch, cores):.1f}",
        one_core=f"{_start_us(launch, 1):.1f}",
        copy_ns=memory["copy_latency_ns"],
        copy_issue=memory["copy_issue_cycles"],
        start=vector["start_cycles"],
        issue=vector["issue_cycles"],
        local=scalar["local_cycles"],
        cached=scalar["cached_cycles"],
        missing=scalar["global_cycles"],
    )
    if cube:
        page += "\n" + templates.prompt("machine_cube")
    return page


def _start_us(launch: dict[str, float], cores: int) -> float:
    """Microseconds before the first instruction of a launch on some cores."""
    fixed = launch["fixed_us"] + launch["entry_us"]
    all_cores = launch["per_core_us"] * cores
    further_cores = launch["entry_per_core_us"] * (cores - 1)
    return fixed + all_cores + further_cores
