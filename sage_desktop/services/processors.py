"""Ceilings of the processors the CPU twin models, by the name a latency carries."""

from __future__ import annotations

import importlib.resources
from functools import cache

from core.evaluation.roofline import Ceilings
from remote.judge.building.processors import Processor, Processors, parsed_processors


@cache
def _table() -> Processors:
    return parsed_processors(
        (importlib.resources.files("resources") / "twin/processors.toml").read_text(
            "utf-8"
        )
    )


def modelled_processors() -> tuple[Processor, ...]:
    """Every processor with numbers."""
    return tuple(_table().modelled.values())


def modelled_processor(device: str) -> Ceilings | None:
    """Ceilings of `Ascend910B1` or `Ascend910B1 model`; None for a processor without numbers."""
    processor = _table().modelled.get(device.partition(" ")[0]) if device else None
    if processor is None:
        return None
    return Ceilings.of(
        processor.name,
        cube_cores=processor.cube_cores,
        vector_cores=processor.vector_cores,
        clock_mhz=processor.clock_mhz,
        hbm_bytes_per_s=processor.hbm_bytes_per_s,
        l2_bytes_per_s=processor.l2_bytes_per_s,
    )
