"""Devices: reading npu-smi, choosing what to lease, and leases around the commands that need a device."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from remote.connection.faults import HostFault
from remote.hosts.cards import Cards
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.doctor import Health, examine
from remote.hosts.npu_smi import NpuProcess, read_npu_smi
from remote.hosts.port import JobRequest
from tests.remote.machines import QUICK, near, shell, to_the_end

A2 = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.2.0                   Version: 25.2.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 6     910B3               | OK            | 91.0        36                0    / 0             |
| 0                         | 0000:41:00.0  | 0           0    / 0          3401 / 65536         |
+===========================+===============+====================================================+
| 7     910B3               | Alarm         | 95.4        37                0    / 0             |
| 0                         | 0000:42:00.0  | 12          0    / 0          3400 / 65536|
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 7                                                            |
+===========================+===============+====================================================+
| 6       0                 | 1333928       |                          | 37709                   |
| 6       0                 | 1333929       | python3 -m x             | 12                      |
+===========================+===============+====================================================+
[WARNING]The driver package may not be completely installed
"""
A3 = """\
| npu-smi 25.3.rc1                 Version: 25.3.rc1                                             |
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     Ascend910           | OK            | 166.9       38                0    / 0             |
| 0     0                   | 0000:9D:00.0  | 0           0    / 0          46536/ 65536         |
+------------------------------------------------------------------------------------------------+
| 0     Ascend910           | OK            | -           37                0    / 0             |
| 1     1                   | 0000:9F:00.0  | 0           0    / 0          46084/ 65536         |
+===========================+===============+====================================================+
| 1     Ascend910           | OK            | 160.0       38                0    / 0             |
| 0     2                   | 0000:A1:00.0  | 0           0    / 0          100  / 65536         |
+------------------------------------------------------------------------------------------------+
| 1     Ascend910           | OK            | -           37                0    / 0             |
| 1     3                   | 0000:A3:00.0  | 0           0    / 0          100  / 65536         |
+===========================+===============+====================================================+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
| 0       1                 | 77            | train                    | 45000                   |
"""


def test_a_910b_table_with_an_unnamed_process() -> None:
    table = read_npu_smi(A2)
    assert table.version == "25.2.0"
    first, second = table.devices
    assert (first.device, first.card, first.soc, first.memory_mb) == (
        0,
        6,
        "Ascend910B3",
        (3401, 65536),
    )
    assert first.processes == (
        NpuProcess(1333928, "", 37709),
        NpuProcess(1333929, "python3 -m x", 12),
    )
    assert (second.device, second.card, second.health, second.busy_percent) == (
        1,
        7,
        "Alarm",
        12,
    )


def test_a_warning_is_no_alarm_and_a_container_shows_one_more_number_of_a_process() -> (
    None
):
    text = A2.replace("Alarm", "Warning").replace(
        "| 1333929       |", "| 1333929 | 41    |"
    )
    table = read_npu_smi(text)
    assert table.devices[1].health == "Warning"
    assert Cards(table).why_not(Cards(table).units()[1]) == ""
    assert table.devices[0].processes[1] == NpuProcess(1333929, "python3 -m x", 12)


def test_a_table_that_breaks_off_keeps_what_it_shows_and_says_what_is_missing() -> None:
    table = read_npu_smi(A2[: A2.index("| 0                         | 0000:42")])
    assert [npu.card for npu in table.devices] == [6]
    assert table.problem == "the second line of NPU 7 is missing"


def test_a_910c_has_two_dies_on_a_card() -> None:
    table = read_npu_smi(A3)
    assert [(npu.device, npu.card, npu.chip) for npu in table.devices] == [
        (0, 0, 0),
        (1, 0, 1),
        (2, 1, 0),
        (3, 1, 1),
    ]
    assert table.cards == {0: (0, 1), 1: (2, 3)}
    assert table.devices[1].processes == (NpuProcess(77, "train", 45000),)
    assert table.devices[1].soc == "Ascend910"


@pytest.mark.parametrize(
    "text", ["", "dcmi module initialize failed. ret is -8005", "+---+\n"]
)
def test_no_table_says_why(text: str) -> None:
    table = read_npu_smi(text)
    assert table.devices == ()
    assert text.strip("+-\n") in table.problem
    assert table.problem


def test_unhealthy_devices_and_those_of_others_are_not_leased() -> None:
    cards = Cards(read_npu_smi(A2))
    assert cards.usable() == ()
    assert [cards.why_not(unit) for unit in cards.units()] == [
        "device 0 is used by process 1333928 (37709 MB)",
        "device 1 reports Alarm",
    ]
    little = Cards(read_npu_smi(A2.replace("| 37709 ", "| 511   ")))
    assert [unit.name for unit in little.usable()] == ["npu0"]


def test_whole_cards_and_dies() -> None:
    table = read_npu_smi(A3)
    assert [unit.wish for unit in Cards(table).usable()] == [
        "npu0=0",
        "npu2=2",
        "npu3=3",
    ]
    whole = Cards(table, whole_cards=True)
    assert [unit.wish for unit in whole.units()] == ["card0=0+1", "card1=2+3"]
    assert [unit.name for unit in whole.usable()] == ["card1"], (
        "a stranger is on one die of card 0"
    )
    assert [
        unit.wish for unit in Cards(table, allowed=[0, 2, 3], whole_cards=True).units()
    ] == ["card1=2+3"]


def test_the_judge_gets_a_command_that_borrows_a_device_only_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "bin" / "npu-smi"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!/bin/sh\ncat {tmp_path}/table\n")
    stand_in.chmod(0o755)
    (tmp_path / "table").write_text(A3)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
    bench = near(tmp_path / "base")
    settings = HostSettings(
        python=sys.executable, locks=str(tmp_path / "locks"), devices=(2,)
    )

    async def work() -> None:
        host = DetachedHost("lab", "lab", bench.connection(QUICK), settings)
        try:
            await host.connect()
            spec = await host._spec(JobRequest("j1", {}, 30.0, needs_device=True))
            borrow = json.loads(spec.env["SAGE_LEASE"])
            script = (
                "import json,os,subprocess,sys;"
                "subprocess.run([*json.loads(os.environ['SAGE_LEASE']), *sys.argv[1:]], check=True)"
            )
            show = "echo $SAGE_DEVICE $ASCEND_RT_VISIBLE_DEVICES"
            job = shell("", "j2")
            await host.machine.start(
                type(job)(
                    "j2",
                    [sys.executable, "-c", script, "sh", "-c", show],
                    30.0,
                    env=dict(spec.env),
                )
            )
            view, output = await to_the_end(host.machine, "j2")
            assert (view.facts["code"], output) == (0, b"npu2 2\n")
            assert "npu2=2" in borrow
            host.quarantined.put("npu2", "wedged")
            with pytest.raises(
                HostFault, match=r"No device of lab can be used: npu2: wedged"
            ) as fault:
                await host._spec(JobRequest("j3", {}, 30.0, needs_device=True))
            assert fault.value.kind == "no-device"
            (tmp_path / "table").write_text("dcmi module initialize failed\n")
            with pytest.raises(HostFault, match=r"lab has no NPU: .*dcmi"):
                await host.cards()
        finally:
            await host.close()

    asyncio.run(work())
    bench.end_all()


def test_the_doctor_says_what_is_missing_and_how_to_mend_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smi = tmp_path / "npu-smi"
    smi.write_text(f"#!/bin/sh\ncat <<'E'\n{A2}E\n")
    smi.chmod(0o755)
    python = tmp_path / "python"
    plain = subprocess.run(
        ["which", "python3"], capture_output=True, text=True, check=True
    ).stdout.strip()
    python.write_text(f'#!/bin/sh\nexec {plain} -I -S "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "locks").write_text("a file in the way")
    bench = near(tmp_path / "base")

    async def work() -> None:
        settings = HostSettings(python=str(python), locks=str(tmp_path / "locks"))
        host = DetachedHost("lab", "lab", bench.connection(QUICK), settings)
        try:
            diagnosis = await examine(host, {"address": "me@lab"})
        finally:
            await host.close()
        found = {check.subject: check for check in diagnosis.checks}
        assert not diagnosis.works
        assert "has no torch" in str(found["Python"].found)
        assert "--python" in str(found["Python"].fix)
        assert found["lock folder"].health is Health.FAULT
        assert "me@lab" in str(found["connection"].found)
        assert len(diagnosis.npus.devices) == 2
        assert any(
            "device 1 reports Alarm" in str(check.found) for check in diagnosis.checks
        )

    asyncio.run(work())


def test_the_doctor_of_a_host_that_cannot_be_reached(tmp_path: Path) -> None:
    def closed(_opening: object) -> object:
        raise ConnectionRefusedError("Connection refused")

    async def work() -> None:
        bench = near(tmp_path / "base")
        bench.open_channel = closed  # type: ignore[assignment]
        host = DetachedHost("lab", "lab", bench.connection(QUICK))
        try:
            diagnosis = await examine(host, {})
        finally:
            await host.close()
        assert [check.health for check in diagnosis.checks] == [Health.FAULT]
        assert "Connection refused" in str(diagnosis.checks[0].found)

    asyncio.run(work())
