"""A host behind a real SSH server whose twin has hidden constants: calibration must find them again.

No device is here. The host judges the micro kernels with the CPU twin under constants that nothing on this side
sees, and 3 % of noise are added to each latency.
"""

from __future__ import annotations

import asyncio
import math
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from core.errors import InvalidInput, SageError
from core.evaluation.port import Evaluator, Progress
from core.evaluation.records import (
    TIME_MODEL,
    Candidate,
    CaseResult,
    Evaluation,
    Latency,
    VerdictClass,
)
from core.operators.spec import OperatorSpec
from remote.calibration.calibrate import calibrate
from remote.calibration.fit import CONSTANTS
from remote.calibration.folder import CalibrationFolder
from remote.calibration.record import Calibration
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.registry import HostRegistry
from remote.judge.building.processors import processors
from remote.toolchains.twin import TwinToolchain
from sage_desktop.services import wiring
from tests.remote.calibration.test_folder import calibration
from tests.remote.helpers import TWIN, candidate, operator
from tests.remote.sshd import ALIAS, Sshd

PART = "Ascend910B4"
TABLE = processors(TWIN / "processors.toml")
NAMES = frozenset(TABLE.modelled[PART].constants)
NOISE = 0.03
HIDDEN = {
    "launch.fixed_us": 0.9,
    "launch.per_core_us": 0.08,
    "launch.entry_us": 0.7,
    "launch.entry_per_core_us": 0.03,
    "memory.core_hbm_bytes_per_s": 55e9,
    "memory.hbm_reached": 0.7,
    "memory.core_l2_bytes_per_s": 90e9,
    "l2_bytes_per_s": 2.6e12,
    "memory.copy_latency_ns": 160.0,
    "memory.copy_issue_cycles": 60.0,
    "vector.start_cycles": 48.0,
    "vector.issue_cycles": 20.0,
    "vector.full_speed": 0.8,
    "vector.two_source_speed": 1.3,
    "vector.slow_speed": 0.6,
    "vector.cast_speed": 1.2,
    "vector.reduce_speed": 0.8,
    "scalar.local_cycles": 35.0,
    "scalar.cached_cycles": 18.0,
    "scalar.global_cycles": 200.0,
    "matrix.start_cycles": 24.0,
    "matrix.step_cycles": 1.25,
}


def twin(cache: Path, constants: Mapping[str, float]) -> TwinToolchain:
    return TwinToolchain(
        cache.resolve(), TWIN, PART, fast=True, schedules=0, constants=constants
    )


@dataclass
class Device(Evaluator):
    """A host as a device would be: latencies with noise; it may fail from some evaluation on."""

    inner: HostEvaluator
    fails_from: int = 99
    evaluations: int = 0
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    @property
    def label(self) -> str:
        return self.inner.label

    @property
    def soc(self) -> str:
        return self.inner.soc

    @property
    def cann(self) -> str:
        return "8.5.1"

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        self.evaluations += 1
        evaluation = await self.inner.evaluate(operator, candidate, progress, ticket)
        if self.evaluations >= self.fails_from:
            return replace(evaluation, verdict=VerdictClass.VOID, cause="cable pulled")
        return replace(evaluation, cases=tuple(map(self._noisy, evaluation.cases)))

    def _noisy(self, case: CaseResult) -> CaseResult:
        assert case.latency is not None, (case.case, case.status, case.detail)
        us = case.latency.value * math.exp(self.chance.gauss(0, NOISE))
        return replace(case, latency=replace(case.latency, value=us))

    async def close(self) -> None:
        await self.inner.close()


@pytest.fixture
def hosts(
    sshd: Sshd, tmp_path: Path, build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HostRegistry]:
    """The user's hosts, one of them behind the SSH server."""
    monkeypatch.setenv("SAGE_SSH_CONFIG", str(sshd.config))
    base = tmp_path / "base"
    base.mkdir()
    (base / "cache").symlink_to(build_cache)
    registry = HostRegistry(tmp_path)
    registry.change(ALIAS, python=sys.executable, base=str(base))
    return registry


def calibrated(
    registry: HostRegistry, cache: Path, fails_from: int = 99
) -> Calibration:
    device = Device(
        HostEvaluator(registry.host(ALIAS), twin(cache, HIDDEN)), fails_from
    )
    near = LocalHost(1)

    def model_of(_part: str, constants: Mapping[str, float]) -> Evaluator:
        return HostEvaluator(near, twin(cache, constants))

    async def work() -> Calibration:
        try:
            return await calibrate(ALIAS, device, model_of, TABLE, print)
        finally:
            await device.close()
            await near.close()

    return asyncio.run(work())


@pytest.mark.slow
def test_hidden_constants_of_a_host_are_found_again(
    hosts: HostRegistry, build_cache: Path
) -> None:
    found = calibrated(hosts, build_cache)
    assert (found.host, found.part, found.cann) == (ALIAS, PART, "8.5.1")
    assert not found.left_out
    assert set(found.values) == set(CONSTANTS) == set(HIDDEN)
    ratios = {name: value / HIDDEN[name] for name, value in found.values.items()}
    assert {
        name: ratio for name, ratio in ratios.items() if not 0.9 < ratio < 1.1
    } == {}
    for kernel in found.kernels:
        assert kernel.calibrated_us == pytest.approx(kernel.measured_us, rel=0.1)


@pytest.mark.system
def test_a_host_that_fails_in_the_middle_leaves_the_calibration_it_had(
    hosts: HostRegistry, build_cache: Path, tmp_path: Path
) -> None:
    folder = CalibrationFolder(tmp_path / "calibrations", NAMES)
    path = folder.keep(calibration(ALIAS, 0.9))
    before = path.read_bytes()
    with pytest.raises(SageError, match="CalibrateMatrix could not be measured: cable"):
        folder.keep(calibrated(hosts, build_cache, fails_from=2))
    assert path.read_bytes() == before
    assert folder.of(ALIAS) == calibration(ALIAS, 0.9)


@pytest.mark.system
def test_the_twin_of_a_host_takes_its_constants(
    build_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SAGE_CACHE_DIR", str(build_cache))
    spec = operator()
    short = tuple(case for case in spec.cases if case.name == "feature-map-float32")

    def latency(soc: str = "") -> Latency:
        async def work() -> Evaluation:
            async with wiring.judge("local", "twin", soc) as evaluator:
                only = replace(spec, cases=short)
                return await evaluator.evaluate(only, candidate(), print)

        evaluation = asyncio.run(work())
        assert evaluation.latency is not None, evaluation.cause
        return evaluation.latency

    shipped = latency(PART)
    wiring.calibrations().keep(calibration("lab8", 5.45))
    assert latency(PART) == shipped
    wiring.calibrations().keep(calibration("local", 1.45))
    own = latency()
    assert own.device == f"{PART} model calibrated local 2026-11-24"
    assert own.value == pytest.approx(shipped.value - 0.48 + 1.45)
    assert own.stored_origin != shipped.stored_origin
    again = replace(calibration("local", 1.45), date="2026-11-25")
    wiring.calibrations().keep(again)
    assert latency().stored_origin == own.stored_origin, "the same constants"
    wiring.calibrations().keep(calibration("local", 1.5))
    assert latency().stored_origin not in {own.stored_origin, shipped.stored_origin}
    assert latency("Ascend910B1").device == "Ascend910B1 model"


def test_two_hosts_keep_their_own_twin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    for host, fixed_us in (("lab7", 0.9), ("lab8", 1.5)):
        wiring.calibrations().keep(calibration(host, fixed_us))
    old = replace(calibration("lab9", 3.0), time_model=TIME_MODEL - 1)
    wiring.calibrations().keep(old)
    for host in ("lab7", "lab8"):
        assert wiring.evaluator_for(host, "twin").label == (
            f"{host} · CPU twin (modelled {PART}, calibrated {host} 2026-11-24)"
        )
    shipped = "CPU twin (modelled Ascend910B1)"
    assert wiring.evaluator_for("lab9", "twin").label == f"lab9 · {shipped}"
    assert shipped in wiring.evaluator_for("lab7,lab8", "twin").label


def test_a_constant_the_twin_does_not_have_is_named(build_cache: Path) -> None:
    toolchain = twin(build_cache, {})
    with pytest.raises(InvalidInput, match=r"'launch\.moon' is no constant"):
        replace(toolchain, constants={"launch.moon": 1.0})
