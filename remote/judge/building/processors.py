"""The processors of `processors.toml`: how CANN names them, and the numbers of those the CPU twin models."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

L2_BYTES_PER_S = "l2_bytes_per_s"  # the one constant that differs between processors
_CONSTANTS = ("memory", "launch", "vector", "scalar", "matrix")  # tables of the others
_HEADER = """\
// Made of processors.toml; see there for the sources of the numbers.
#pragma once

#include <cstdint>
#include <string>

namespace twin {{

/// One processor the twin can model. A calibrated host's launches replace constants of a copy.
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
{fields}

    /// The constant of that name in processors.toml; nullptr where there is none.
    double* constant(const std::string& key) {{
{lookups}
        return nullptr;
    }}
}};

constexpr Soc kSocs[] = {{
{rows}
}};

constexpr int kTimeModel = {model};

}}  // namespace twin
"""


Ranges = Mapping[str, tuple[float, float]]
"""Regime, a field of `Uncertainty` -> lowest and highest factor."""

SMALL_US = 3.0  # below it launch and entry decide
BEYOND_L2 = 1.2  # times its capacity: of more data nothing stays in L2


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
class Uncertainty:
    """Lowest and highest factor between a measured and a modelled time; see `processors.toml`.

    Attributes:
        small: Of work that is modelled to take less than `SMALL_US`.
        between: Of work from L2 that takes longer.
        hbm: Of work whose tensors do not fit L2, or are not there.
        product: Of matrix products.
    """

    small: tuple[float, float]
    between: tuple[float, float]
    hbm: tuple[float, float]
    product: tuple[float, float]

    def factors(
        self, modelled_us: float, *, from_hbm: bool, is_product: bool
    ) -> tuple[float, float]:
        """The factors of a launch of that modelled time."""
        if is_product:
            return self.product
        if from_hbm:
            return self.hbm
        return self.small if modelled_us < SMALL_US else self.between


@dataclass(frozen=True)
class Processor:
    """What the twin models: cores, clock in MHz, bytes per second, capacities in bytes.

    `time_model` is the version of the model: times of two versions are never compared.
    `constants` are those a calibration may replace, by their names in `processors.toml`.
    `calibration` tells its constants and ranges from all others; empty for those that ship.
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
    constants: Mapping[str, float]
    time_model: int
    uncertainty: Uncertainty
    calibration: str = ""

    def calibrated(self, measured: Mapping[str, float], ranges: Ranges) -> Processor:
        """The same with constants that were measured on a card, by name, and the ranges that their fit left."""
        if not measured:
            return self
        constants = {**self.constants, **measured}
        return replace(
            self,
            constants=constants,
            l2_bytes_per_s=constants[L2_BYTES_PER_S],
            uncertainty=replace(self.uncertainty, **ranges),
            calibration=calibration_digest(measured, ranges),
        )

    def start_us(self, cores: int) -> float:
        """Microseconds of launch and entry of `cores` cores."""
        constants = self.constants
        launch_us = (
            constants["launch.fixed_us"] + constants["launch.per_core_us"] * cores
        )
        per_further_us = constants["launch.entry_per_core_us"]
        return launch_us + constants["launch.entry_us"] + per_further_us * (cores - 1)


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

    def one_of(self, names: Sequence[str]) -> str:
        """The modelled one of these names; the first where several have the same numbers.

        Empty where none is modelled, or several differ.
        """
        listed = [one for name, one in self.modelled.items() if name in names]
        alike = {repr(replace(one, name="")) for one in listed}
        return listed[0].name if len(alike) == 1 else ""

    def header(self) -> str:
        """The table in C++, for the headers of the twin."""
        rows = [
            f'    {{"{one.name}", "{one.family.compute_unit}", {one.cube_cores}, {one.vector_cores}, '
            f"{one.clock_mhz!r}, {one.hbm_bytes_per_s!r}, {one.l2_bytes_per_s!r}, {one.l2_bytes}ull, "
            f"{one.hbm_bytes}ull}},"
            for one in self.modelled.values()
        ]
        any_one = next(iter(self.modelled.values()))
        shared = dict(any_one.constants)
        del shared[L2_BYTES_PER_S]
        fields = [
            f"    double {_field(name)} = {value!r};" for name, value in shared.items()
        ]
        lookups = [
            f'        if (key == "{name}") return &{_field(name)};'
            for name in (L2_BYTES_PER_S, *shared)
        ]
        return _HEADER.format(
            rows="\n".join(rows),
            model=any_one.time_model,
            fields="\n".join(fields),
            lookups="\n".join(lookups),
        )


def calibration_digest(measured: Mapping[str, float], ranges: Ranges) -> str:
    """What tells a calibration from every other: eight digits of its constants and ranges."""
    text = repr((sorted(measured.items()), sorted(ranges.items())))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _field(constant: str) -> str:
    """The member of `Soc` that holds a constant."""
    return constant.replace(".", "_")


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
    families = Processors(tuple(Family(**row) for row in table["family"]), {})
    return Processors(
        families.families,
        {row["name"]: _processor(table, row, families) for row in table["processor"]},
    )


def _processor(
    table: Mapping[str, Any], row: Mapping[str, Any], known: Processors
) -> Processor:
    family = known.family(row["name"])
    if family is None:
        raise ValueError(
            f"processors.toml: no family has a pattern for {row['name']!r}; add one"
        )
    shared = {
        f"{group}.{name}": float(value)
        for group in _CONSTANTS
        for name, value in table[group].items()
    }
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
        {L2_BYTES_PER_S: row[L2_BYTES_PER_S], **shared},
        table["time_model"],
        Uncertainty(
            **{name: tuple(pair) for name, pair in table["uncertainty"].items()}
        ),
    )
