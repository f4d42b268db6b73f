"""The micro kernels of a calibration through CANN's build, package and calls; CANN itself is the stand-in."""

from __future__ import annotations

import asyncio

import pytest

from remote.calibration.micro_kernels import Measurements, measure
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.toolchains.cann import CannToolchain

FEW = {"empty-on-2", "short-chain-float16", "one-fractal"}


@pytest.mark.slow
def test_micro_kernels_are_built_and_timed_by_cann(toolchain: CannToolchain) -> None:
    async def work() -> Measurements:
        evaluator = HostEvaluator(LocalHost(1), toolchain)
        try:
            return await measure(evaluator, print, FEW)
        finally:
            await evaluator.close()

    measured = asyncio.run(work())
    assert set(measured.microseconds) == FEW
    assert all(us > 0 for us in measured.microseconds.values())
    assert measured.left_out == {}
    assert measured.facts["cann"]
