"""`sage host …` as a person types it, with slips of the pen."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remote.calibration.record import CalibratedConstant
from sage_desktop.cli import main
from sage_desktop.commands.host import render_calibration
from sage_desktop.services.wiring import calibrations, registry
from tests.remote.calibration.test_folder import calibration


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    return tmp_path


def sage(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["host", *arguments])
    assert result.exit_code == code, result.output
    return result


def test_settings_are_told_in_words() -> None:
    assert sage("add", "lab7").stdout == "lab7: added, everything as usual\n"
    said = sage("add", "lab7", "--python", "/opt/python", "--devices", "0, 2").stdout
    assert said == "lab7: python '/opt/python', devices (0, 2)\n"
    assert "lab7" in sage("list").stdout


def test_a_device_is_taken_out_of_quarantine(folder: Path) -> None:
    sage("add", "lab7")
    registry(folder).quarantined("lab7").put("npu3", "no heartbeat")
    said = sage("check", "lab7", "--release", "npu3").stdout
    assert said == "npu3 of lab7 is used again\n"
    again = sage("check", "lab7", "--release", "npu3").stdout
    assert again == "npu3 of lab7 was not in quarantine\n"


def test_the_list_says_who_owns_the_devices() -> None:
    sage("add", "lab7")
    sage("add", "site", "--scheduler", "slurm", "--partition", "npu")
    head, _, *rows = sage("list").stdout.splitlines()
    assert "scheduler" in head
    assert [row.split()[-3] for row in rows] == ["none", "npu"]
    assert "slurm npu" in rows[1]


@pytest.mark.parametrize("devices", ["a,b", "-1", "0,1.5"])
def test_what_is_no_device_is_named(devices: str, folder: Path) -> None:
    assert (
        "is no device number"
        in sage("add", "lab7", f"--devices={devices}", code=2).stderr
    )
    assert not (folder / "hosts.toml").exists()


@pytest.mark.parametrize("name", ["bad name", "lab7;rm", "lab7,lab8", "local", ""])
def test_what_can_be_no_host_is_refused(name: str, folder: Path) -> None:
    assert "is not a name of a remote host" in sage("add", "--", name, code=2).stderr
    assert not (folder / "hosts.toml").exists()


def test_a_file_edited_by_hand_is_refused_with_its_place(folder: Path) -> None:
    (folder / "hosts.toml").write_text('[hosts.lab7]\nslots = "many"\n')
    assert (
        "hosts.toml: hosts.lab7.slots: Expected `int`, got `str`"
        in sage("list", code=2).stderr
    )
    (folder / "hosts.toml").write_text("[hosts.lab7]\ndevices = [-3]\n")
    said = sage("list", code=2).stderr
    assert (
        "hosts.toml: hosts.lab7.devices: -3 is not a device. Change it in that file."
        in said
    )


def test_a_closed_port_says_what_to_look_at(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text("Host closed\n  HostName 127.0.0.1\n  Port 1\n")
    monkeypatch.setenv("SAGE_SSH_CONFIG", str(config))
    said = sage("check", "closed", code=1).stdout
    assert "127.0.0.1:1) cannot be reached: Connection refused." in said
    assert "Check address and port" in said


def test_the_list_says_whose_twin_was_calibrated(folder: Path) -> None:
    sage("add", "lab7")
    sage("add", "lab8")
    calibrations().keep(calibration("lab8", 0.9))
    _, _, lab7, lab8 = sage("list").stdout.splitlines()
    assert lab7.endswith("as shipped")
    assert lab8.endswith("calibrated 2026-11-24 (Ascend910B4)")
    path = calibrations().path("lab8")
    path.write_text(path.read_text().replace("0.9", "-0.9"))
    assert "constants[0].calibrated: -0.9 is not above 0" in sage("list", code=2).stderr


def test_a_calibration_is_shown_as_a_table_that_says_what_it_is_worth() -> None:
    made = calibration("lab8", 0.9)
    unknown = CalibratedConstant("scalar.local_cycles", 25, 25, 0.9)
    shown = render_calibration(replace(made, constants=(*made.constants, unknown)))
    assert "has never met hardware" in shown
    assert re.search(r"launch\.fixed_us +0\.45 +0\.9 +±2%", shown)
    assert re.search(r"scalar\.local_cycles +25 +25 +±90% +not determined", shown)
    assert re.search(r"empty-on-1 +2 +0\.65 +0\.99", shown)


@pytest.mark.system
def test_a_host_that_cannot_be_reached_leaves_the_calibration_it_had(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = folder / "ssh_config"
    config.write_text("Host gone\n  HostName 127.0.0.1\n  Port 9\n")
    monkeypatch.setenv("SAGE_SSH_CONFIG", str(config))
    path = calibrations().keep(calibration("gone", 0.9))
    before = path.read_bytes()
    assert "gone" in sage("calibrate", "gone", code=2).stderr
    assert path.read_bytes() == before
