"""Fitting constants to noisy latencies of a small model with known constants."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Collection, Mapping

import pytest

from remote.calibration.fit import CONSTANTS, Fit, fit
from remote.calibration.record import MOST_SPREAD
from remote.judge.building.processors import processors
from tests.remote.helpers import TWIN

SHIPPED = processors(TWIN / "processors.toml").modelled["Ascend910B4"].constants
START, STEP = "vector.start_cycles", "vector.full_speed"
HIDDEN = {START: 60.0, STEP: 0.6, "launch.fixed_us": 1.4}
SIZES = (1, 4, 16, 64, 256, 1024, 4096)


async def model(
    constants: Mapping[str, float], names: Collection[str]
) -> Mapping[str, float]:
    """A launch, and a start and steps for each of so many instructions."""
    every = {**SHIPPED, **constants}

    def us(name: str) -> float:
        instructions, size = map(int, name.split("x"))
        cycles = every[START] + size / every[STEP]
        return every["launch.fixed_us"] + instructions * cycles / 1650

    return {name: us(name) for name in names}


def fitted(noise: float, outlier: float = 1.0) -> Fit:
    """The fit to latencies of a model with the hidden constants."""
    names = [f"{count}x{size}" for count in (1, 8, 64) for size in SIZES]
    chance = random.Random(1)

    async def work() -> Fit:
        exact = await model(HIDDEN, names)
        measured = {
            name: us * math.exp(chance.gauss(0, noise)) for name, us in exact.items()
        }
        measured[names[-1]] *= outlier
        return await fit(measured, model, SHIPPED, lambda _line: None)

    return asyncio.run(work())


@pytest.mark.parametrize(("noise", "outlier"), [(0.0, 1.0), (0.03, 1.0), (0.03, 3.0)])
def test_hidden_constants_are_found_again_whatever_one_kernel_says(
    noise: float, outlier: float
) -> None:
    found = fitted(noise, outlier)
    for name, value in HIDDEN.items():
        assert found.constants[name] == pytest.approx(value, rel=0.1)
        assert found.spreads[name] < 0.1


def test_what_no_kernel_speaks_of_keeps_its_shipped_value() -> None:
    found = fitted(0.03)
    for name in set(CONSTANTS) - set(HIDDEN):
        assert found.constants[name] == SHIPPED[name]
        assert found.spreads[name] > MOST_SPREAD
