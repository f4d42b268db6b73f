"""Calibrations as they are kept: one for each host, checked when they are read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from core.evaluation.records import TIME_MODEL
from remote.calibration.folder import CalibrationFolder
from remote.calibration.record import CalibratedConstant, Calibration, MicroKernel
from remote.judge.building.processors import processors
from tests.remote.helpers import TWIN

TABLE = processors(TWIN / "processors.toml")
NAMES = frozenset(TABLE.modelled["Ascend910B4"].constants)


def calibration(host: str, fixed_us: float) -> Calibration:
    return Calibration(
        host=host,
        part="Ascend910B4",
        cann="8.5.1",
        date="2026-11-24",
        time_model=TIME_MODEL,
        constants=(CalibratedConstant("launch.fixed_us", 0.45, fixed_us, 0.02),),
        kernels=(MicroKernel("empty-on-1", 2.0, 1.3, 1.98),),
    )


@pytest.fixture
def folder(tmp_path: Path) -> CalibrationFolder:
    return CalibrationFolder(tmp_path / "calibrations", NAMES)


def test_two_hosts_keep_their_own(folder: CalibrationFolder) -> None:
    for host, fixed_us in (("lab7", 0.9), ("user@[::1]:22", 1.5)):
        path = folder.keep(calibration(host, fixed_us))
        assert path.with_suffix(".svg").read_text().startswith("<?xml")
    for host, fixed_us in (("lab7", 0.9), ("user@[::1]:22", 1.5)):
        assert folder.of(host) == calibration(host, fixed_us)
    assert folder.of("lab8") is None


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("constants", 0, "calibrated"), -1.0, "constants[0].calibrated: -1.0"),
        (("constants", 0, "name"), "launch.moon", "constants[0].name: 'launch.moon'"),
        (("constants", 0, "spread"), "wide", "constants[0].spread"),
        (("format",), 9, "format: 9"),
        (("part",), None, "part"),
    ],
)
def test_a_damaged_file_is_named_with_field_and_value(
    folder: CalibrationFolder, place: tuple[Any, ...], value: object, said: str
) -> None:
    path = folder.keep(calibration("lab7", 0.9))
    table = json.loads(path.read_text())
    *way, last = place
    inside = table
    for step in way:
        inside = inside[step]
    inside[last] = value
    path.write_text(json.dumps(table))
    with pytest.raises(InvalidInput) as fault:
        folder.of("lab7")
    assert str(path) in str(fault.value)
    assert said in str(fault.value)
    assert "sage host calibrate" in str(fault.value.remedy)


def test_the_ranges_are_what_the_fit_left_where_enough_latencies_tell() -> None:
    factors = [0.8, 0.9, 0.9, 1.0, 1.0, 1.0, 1.1, 1.1, 1.2, 1.3]
    spread = tuple(
        MicroKernel(f"empty-{n}", 2.0 * factor, 1.3, 2.0)
        for n, factor in enumerate(factors)
    )
    exact = tuple(MicroKernel(f"add-{n}", 9.0, 7.0, 9.0) for n in range(10))
    few = (MicroKernel("copy-beyond-l2", 300.0, 200.0, 200.0),)
    made = replace(calibration("lab7", 0.9), kernels=spread + exact + few)
    assert set(made.ranges) == {"small", "between"}
    low, high = made.ranges["small"]
    assert 0.8 < low < 0.9
    assert 1.2 < high < 1.3
    assert made.ranges["between"] == (0.95, 1.05)
    assert calibration("lab7", 0.9).ranges == {}
