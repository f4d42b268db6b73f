"""An unhealthy device: its fault is no fault of the kernel, the work goes to another one, and it is put in quarantine.

npu-smi, the judge and task-submit are stand-ins written here (there is no NPU); job server, leases, jobs and
evaluator are real.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evaluation.records import Candidate, VerdictClass
from core.operators.spec import OperatorSpec
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.port import JobRequest
from remote.hosts.quarantine import DeviceQuarantine
from remote.toolchains.port import NO_PROBE, Probe
from remote.toolchains.twin import TwinToolchain
from tests.remote.helpers import TWIN, candidate, operator
from tests.remote.machines import QUICK, Bench, near
from tests.remote.test_cards import A3

JUDGE = """#!{python}
import json, os, subprocess, sys
if "keep" in sys.argv:
    sys.exit(0)
borrow = json.loads(os.environ["SAGE_LEASE"])
show = ["sh", "-c", "echo $SAGE_DEVICE $ASCEND_RT_VISIBLE_DEVICES $(basename $PWD)"]
unit, visible, folder = subprocess.run([*borrow, *show], stdout=-1, text=True, check=True).stdout.split()
unhealthy = unit in {unhealthy!r}
cause = "507018 while the device was initialised" if unhealthy else f"ran on {{visible}} in {{folder}}"
evaluation = {{"candidate": "", "operator": "AbsMath", "verdict": "void" if unhealthy else "pass",
              "cause": cause, "build": {{"ok": True}}}}
result = {{"evaluation": evaluation, "devices": [{{"unit": unit, "fault": "507018" if unhealthy else ""}}]}}
open(sys.argv[-1], "w").write(json.dumps(result))
"""
QUEUE = """#!/bin/sh
# --device auto --device-num 1 --run LINE, in another folder and with another environment
[ "$1 $2 $3 $4 $5" = "--device auto --device-num 1 --run" ] || exit 64
cd / && exec env -i PATH="$PATH" TASK_DEVICE=7 sh -c "$6"
"""


@dataclass(frozen=True)
class NpuToolchain(TwinToolchain):
    """Asks for a device, as the toolchain of CANN will."""

    def request(
        self, operator: OperatorSpec, candidate: Candidate, probe: Probe = NO_PROBE
    ) -> JobRequest:
        return replace(super().request(operator, candidate, probe), needs_device=True)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    place(tmp_path / "bin" / "npu-smi", f"#!/bin/sh\ncat {tmp_path}/table\n")
    (tmp_path / "table").write_text(A3)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return near(tmp_path / "base")


def place(path: Path, script: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(script)
    path.chmod(0o755)
    return path


def judge(folder: Path, *unhealthy: str) -> str:
    return str(
        place(
            folder / "bin" / "judge",
            JUDGE.format(python=sys.executable, unhealthy=unhealthy),
        )
    )


def evaluate(
    bench: Bench, tmp_path: Path, settings: HostSettings, *tickets: str
) -> tuple[list[str], list[str]]:
    """Causes of the evaluations, one after another, and everything that was said meanwhile."""
    lines: list[str] = []

    async def work() -> list[str]:
        aside = DeviceQuarantine("lab", tmp_path / "aside.json")
        host = DetachedHost("lab", "lab", bench.connection(QUICK), settings, aside)
        evaluator = HostEvaluator(host, NpuToolchain(tmp_path / "cache", TWIN))
        try:
            found = [
                await evaluator.evaluate(operator(), candidate(), lines.append, ticket)
                for ticket in tickets
            ]
        finally:
            await evaluator.close()
        assert {one.verdict for one in found} <= {VerdictClass.PASS, VerdictClass.VOID}
        return [f"{one.verdict}: {one.cause}" for one in found]

    try:
        return asyncio.run(work()), lines
    finally:
        bench.end_all()


@pytest.mark.system
@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)
def test_work_of_an_unhealthy_device_is_done_on_another_and_it_is_quarantined(
    bench: Bench, tmp_path: Path
) -> None:
    settings = HostSettings(
        python=judge(tmp_path, "npu2"), locks=str(tmp_path / "locks"), devices=(2,)
    )
    causes, lines = evaluate(bench, tmp_path, settings, "t/1", "t/2")
    assert causes[0].startswith("void: "), "there is no other device"
    assert "No device of lab can be used: npu2: 2 faults in a row: 507018" in causes[1]
    assert "npu2 of lab failed: 507018. It will run again." in lines
    assert "npu2 of lab is excluded: 507018" in lines

    settings = replace(settings, devices=(2, 3))
    causes, _ = evaluate(bench, tmp_path, settings, "t/3")
    assert causes == ["pass: ran on 3 in work"], (
        "another start of the application remembers"
    )
    assert DeviceQuarantine("lab", tmp_path / "aside.json").release("npu2")
    assert DeviceQuarantine("lab", tmp_path / "aside.json").units() == {}


@pytest.mark.system
@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)
def test_a_site_that_hands_out_devices_itself_is_asked(
    bench: Bench, tmp_path: Path
) -> None:
    place(tmp_path / "bin" / "task-submit", QUEUE)
    settings = HostSettings(python=judge(tmp_path), locks=str(tmp_path / "locks"))
    assert evaluate(bench, tmp_path, settings, "t/1")[0] == ["pass: ran on 7 in work"]
    ours = replace(settings, borrow="locks", devices=(3,))
    assert evaluate(bench, tmp_path, ours, "t/2")[0] == ["pass: ran on 3 in work"]


def test_one_fault_is_forgiven_and_work_in_between_is_remembered() -> None:
    aside = DeviceQuarantine("lab")
    assert [
        aside.note("npu0", fault) for fault in ("wedged", "", "wedged", "wedged")
    ] == [
        False,
        False,
        False,
        True,
    ]
    assert aside.units() == {"npu0": "2 faults in a row: wedged"}
    assert aside.release("npu0")
    assert not aside.release("npu0")


def test_hosts_do_not_mix_and_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "aside.json"
    DeviceQuarantine("lab7", file).put("npu0", "wedged")
    assert DeviceQuarantine("lab8", file).units() == {}
    assert json.loads(file.read_text()) == {"lab7": {"npu0": "wedged"}}
    file.write_text("{")
    with pytest.raises(InvalidInput, match=r"aside\.json"):
        DeviceQuarantine("lab7", file).units()
