"""The processors of `processors.toml`: how CANN names them, and the numbers of those the CPU twin models."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_CORES_OF_A_BLOCK = 3  # at most, in a mixed kernel: one cube core and two vector cores
_ROUNDING = 0.999
_HEADER = """\
// Made of processors.toml; see there for the sources of the numbers.
#pragma once

#include <cstdint>

namespace twin {{

/// One processor the twin can model.
struct Soc {{
    const char* name;
    const char* compute_unit;  ///< as OpAICoreConfig and CMake name its series
    uint32_t cube_cores;
    uint32_t vector_cores;
    double clock_mhz;
    double hbm_bytes_per_s;
    double l2_bytes_per_s;
    uint64_t l2_bytes;
    uint64_t hbm_bytes;
}};

constexpr Soc kSocs[] = {{
{rows}
}};

constexpr int kTimeModel = {model};

// Of one vector core, bytes per second, and the part of the nominal rate of HBM that kernels reach.
constexpr double kCoreHbmBytesPerS = {memory.core_hbm_bytes_per_s!r};
constexpr double kCoreL2BytesPerS = {memory.core_l2_bytes_per_s!r};
constexpr double kHbmReached = {memory.hbm_reached!r};

// Launch, in microseconds.
constexpr double kLaunchFixedUs = {launch.fixed_us!r};
constexpr double kLaunchPerCoreUs = {launch.per_core_us!r};
constexpr double kEntryUs = {launch.entry_us!r};
constexpr double kEntryPerCoreUs = {launch.entry_per_core_us!r};

}}  // namespace twin
"""


@dataclass(frozen=True)
class Family:
    """Processors that are built for alike.

    Attributes:
        versions: Pattern of their whole names.
        glob: The same as a pattern of the shell.
        compute_unit: What CMake takes, e.g. `ascend910b`.
        architecture: What bisheng takes, e.g. `dav-2201`.
    """

    versions: str
    glob: str
    compute_unit: str
    architecture: str


@dataclass(frozen=True)
class MemoryRates:
    """What one vector core reaches, in bytes per second, and the part of HBM's nominal rate that kernels reach."""

    core_hbm_bytes_per_s: float
    core_l2_bytes_per_s: float
    hbm_reached: float


@dataclass(frozen=True)
class LaunchCost:
    """What a launch costs beside its work, in microseconds; see `processors.toml`."""

    fixed_us: float
    per_core_us: float
    entry_us: float
    entry_per_core_us: float

    def total_us(self, cores: int) -> float:
        """Launch and entry of `cores` cores."""
        return (
            self.fixed_us
            + self.per_core_us * cores
            + self.entry_us
            + self.entry_per_core_us * (cores - 1)
        )


@dataclass(frozen=True)
class Processor:
    """What the twin models: cores, clock in MHz, bytes per second, capacities in bytes.

    `time_model` is the version of the model: times of two versions are never compared.
    """

    name: str
    family: Family
    cube_cores: int
    vector_cores: int
    clock_mhz: float
    hbm_bytes_per_s: float
    l2_bytes_per_s: float
    l2_bytes: int
    hbm_bytes: int
    memory: MemoryRates
    launch: LaunchCost
    time_model: int

    def floor_us(self, block_dim: int, result_bytes: int) -> float:
        """Microseconds that `block_dim` blocks need at least to start and write `result_bytes`.

        The kernel program keeps the clock in the process the candidate runs in, so its time is
        tamper-evident, not unforgeable: a time under this floor shows that it was changed. Counted are
        only bytes that must be written; how much of an input a kernel reads can depend on the data.
        """
        active = min(block_dim, self.vector_cores)
        of_cores = active * _CORES_OF_A_BLOCK * self.memory.core_l2_bytes_per_s
        bandwidth = min(self.l2_bytes_per_s, of_cores)
        launch_us = self.launch.total_us(active)
        return _ROUNDING * (launch_us + 1e6 * result_bytes / bandwidth)


@dataclass(frozen=True)
class Processors:
    """The whole table; of the families the first whose pattern fits a name counts."""

    families: tuple[Family, ...]
    modelled: Mapping[str, Processor]

    def family(self, name: str) -> Family | None:
        """What a processor of that name belongs to; None for a name that no family has."""
        return next(
            (family for family in self.families if re.fullmatch(family.versions, name)),
            None,
        )

    def header(self) -> str:
        """The table in C++, for the headers of the twin."""
        rows = [
            f'    {{"{one.name}", "{one.family.compute_unit}", {one.cube_cores}, {one.vector_cores}, '
            f"{one.clock_mhz!r}, {one.hbm_bytes_per_s!r}, {one.l2_bytes_per_s!r}, {one.l2_bytes}ull, "
            f"{one.hbm_bytes}ull}},"
            for one in self.modelled.values()
        ]
        any_one = next(iter(self.modelled.values()))
        return _HEADER.format(
            rows="\n".join(rows),
            model=any_one.time_model,
            memory=any_one.memory,
            launch=any_one.launch,
        )


@cache
def processors(table: Path) -> Processors:
    """The processors of the TOML file `table`, read once."""
    return parsed_processors(table.read_text(encoding="utf-8"))


def parsed_processors(text: str) -> Processors:
    """The processors of a TOML text.

    Raises:
        ValueError: A modelled processor belongs to no family.
    """
    table = tomllib.loads(text)
    known = Processors(tuple(Family(**row) for row in table["family"]), {})
    return Processors(
        known.families,
        {row["name"]: _processor(table, row, known) for row in table["processor"]},
    )


def _processor(
    table: Mapping[str, Any], row: Mapping[str, Any], known: Processors
) -> Processor:
    family = known.family(row["name"])
    if family is None:
        raise ValueError(
            f"processors.toml: no family has a pattern for {row['name']!r}; add one"
        )
    return Processor(
        row["name"],
        family,
        row["cube_cores"],
        row["vector_cores"],
        float(row["clock_mhz"]),
        row["hbm_bytes_per_s"],
        row["l2_bytes_per_s"],
        row["l2_mib"] << 20,
        row["hbm_gib"] << 30,
        MemoryRates(**table["memory"]),
        LaunchCost(**table["launch"]),
        table["time_model"],
    )
