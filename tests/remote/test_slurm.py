"""A host whose devices belong to Slurm: a real Slurm behind a real sshd on loopback; the judge stands in."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import InvalidInput
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from remote.connection.connection import Connection
from remote.connection.job_server_program import job_server_program
from remote.connection.ssh import SshSettings, ssh_channel
from remote.connection.timeouts import Timing
from remote.evaluator import HostEvaluator
from remote.hosts.detached import DetachedHost, HostSettings
from remote.hosts.doctor import Diagnosis, Health, examine
from remote.hosts.registry import HostRegistry
from remote.hosts.slurm import SiteSettings, device_map_of, waits
from remote.job_server.slurm.allocated import NoDevice, devices_of
from remote.job_server.slurm.squeue import read_rows
from tests.remote.helpers import TWIN, candidate, operator, wait_until
from tests.remote.machines import QUICK
from tests.remote.no_op import NoOp, no_op_judge, ran
from tests.remote.slurm_site import SlurmSite, missing, slurm_site
from tests.remote.sshd import ALIAS, Sshd, start_sshd

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@dataclass
class Site:
    """The site as a user reaches it."""

    slurm: SlurmSite
    sshd: Sshd
    folder: Path
    patience_s: float = 60.0

    def settings(self, **values: Any) -> HostSettings:
        values = {
            "partition": "npu",
            "gres": "gpu:1",
            "device_map": "env:SLURM_JOB_GPUS",
            **values,
        }
        return HostSettings(
            python=no_op_judge(self.folder), scheduler="slurm", **values
        )

    def host(self, timing: Timing = QUICK, **values: Any) -> DetachedHost:
        settings = self.settings(**values)
        ssh = SshSettings(self.folder / "own_known_hosts", config=self.sshd.config)
        pythons = (sys.executable, "python3")
        opened = ssh_channel(
            ALIAS, ssh, job_server_program(), str(self.folder / "base"), pythons
        )
        return DetachedHost(
            "site", "site", Connection("site", opened, timing), settings
        )

    async def on(
        self,
        work: Callable[[HostEvaluator], Coroutine[Any, Any, Any]],
        on_device: bool = True,
        **values: Any,
    ) -> Any:
        """Do something with an evaluator on the site and let go of it."""
        evaluator = HostEvaluator(
            self.host(**values), NoOp(self.folder, TWIN, on_device=on_device)
        )
        try:
            return await asyncio.wait_for(work(evaluator), self.patience_s)
        finally:
            await evaluator.close()

    def use(
        self, work: Callable[[HostEvaluator], Coroutine[Any, Any, Any]], **values: Any
    ) -> Any:
        return asyncio.run(self.on(work, **values))

    def close(self) -> None:
        """From now on judges wait."""
        (self.folder / "closed").touch()

    def open(self) -> None:
        (self.folder / "closed").unlink(missing_ok=True)

    def ran(self) -> list[str]:
        return ran(self.folder)

    def queue(self, state: str = "RUNNING,PENDING") -> list[str]:
        return self.slurm.ask("squeue", "-h", "-r", "-t", state, "-o", "%i").split()


@pytest.fixture(scope="module")
def slurm() -> Iterator[SlurmSite]:
    with slurm_site(devices=4) as running:
        yield running


@pytest.fixture(scope="module")
def login(slurm: SlurmSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    variable = f"SLURM_CONF={slurm.environment['SLURM_CONF']}"
    server = start_sshd(tmp_path_factory.mktemp("login"), f"SetEnv {variable}")
    yield server
    server.stop()


@pytest.fixture
def site(slurm: SlurmSite, login: Sshd, tmp_path: Path) -> Iterator[Site]:
    made = Site(slurm, login, tmp_path)
    slurm.until_usable()
    yield made
    made.open()
    if made.queue():
        slurm.ask(
            "scancel", "--quiet", *{job.partition("_")[0] for job in made.queue()}
        )


def asked(
    evaluator: HostEvaluator, ticket: str, lines: list[str]
) -> asyncio.Task[Evaluation]:
    return asyncio.ensure_future(
        evaluator.evaluate(operator(), candidate(), lines.append, ticket)
    )


@pytest.mark.system
def test_evaluations_share_arrays_and_cards_and_outlive_line_and_scancel(
    site: Site,
) -> None:
    site.close()
    lines: list[list[str]] = [[] for _ in range(8)]

    async def work(evaluator: HostEvaluator) -> list[Evaluation]:
        tasks = [
            asked(evaluator, f"t/{number}", said) for number, said in enumerate(lines)
        ]
        await wait_until(lambda: sum("began" in said for said in lines) == 4)
        site.sshd.drop()
        places = ["next in line", "1 before it", "2 before it", "3 before it"]

        def told() -> list[str]:
            return sorted(
                said[-1].rpartition("· ")[2]
                for said in lines
                if said and "began" not in said
            )

        await wait_until(lambda: told() == sorted(places))  # asked on a new line
        reasons = {
            said[-1].removeprefix("Waits for Slurm: ").partition(" ·")[0]
            for said in lines
        }
        assert {"began", "Resources"} <= reasons <= {"began", "Resources", "Priority"}
        assert len({job.partition("_")[0] for job in site.queue()}) < 8, (
            "several to an array"
        )
        listed = [
            waits(job.get("reason"), job.get("ahead"))
            for job in await evaluator.host.machine.jobs()
        ]
        assert sorted(
            filter(None, (words.rpartition("· ")[2] for words in listed))
        ) == sorted(places)
        site.slurm.ask("scancel", site.queue("RUNNING")[0])
        again = "Somebody ended the job with scancel. It will run again."
        await wait_until(lambda: sum(again in said for said in lines) == 1)
        site.open()
        return await asyncio.gather(*tasks)

    found = site.use(work)
    assert {one.verdict for one in found} == {VerdictClass.PASS}
    places = Counter(one.cause for one in found)
    assert len(places) == 4, "a card each"
    assert {re.sub(r"npu(\d),\1$", "npuN,N", place) for place in places} == {
        "on npu01:npuN,N"
    }
    assert sum("run again" in line for said in lines for line in said) == 1, lines
    assert sorted(Counter(site.ran()).values()) == [1] * 9, "no job ran twice"


@pytest.mark.slow
def test_what_others_end_is_judged_again_and_what_we_end_is_ended(site: Site) -> None:
    """Scancel of a running and of a waiting job, preemption, a failed node; then the person's own cancel."""
    site.close()

    async def work(evaluator: HostEvaluator) -> list[Evaluation]:
        lines: list[list[str]] = [[] for _ in range(5)]
        tasks = [
            asked(evaluator, f"t/{number}", said) for number, said in enumerate(lines)
        ]
        await wait_until(
            lambda: len(site.queue("RUNNING")) == 4 and len(site.queue("PENDING")) == 1
        )
        site.slurm.ask("scancel", site.queue("RUNNING")[0])
        site.slurm.ask("scancel", site.queue("PENDING")[0])
        await wait_until(
            lambda: (
                sum(any("run again" in line for line in said) for said in lines) == 2
            )
        )
        script = site.folder / "urgent"
        script.write_text("#!/bin/sh\nsleep 0.2\n")
        site.slurm.ask(
            "sbatch", "-p", "urgent", "--gres=gpu:4", "-o", "/dev/null", str(script)
        )
        assert (
            sum(
                "with scancel. It will run again." in line
                for said in lines
                for line in said
            )
            == 2
        )
        await wait_until(
            lambda: sum("was preempted" in " ".join(said) for said in lines) >= 3
        )
        await wait_until(lambda: len(site.queue("RUNNING")) == 4)
        site.slurm.ask(
            "scontrol", "update", "nodename=npu01", "state=down", "reason=test"
        )
        await wait_until(
            lambda: (
                sum("node of the job failed" in " ".join(said) for said in lines) >= 3
            )
        )
        site.slurm.ask("scontrol", "update", "nodename=npu01", "state=resume")
        site.open()
        found = await asyncio.gather(*tasks)
        site.close()
        held = [asked(evaluator, f"u/{number}", []) for number in range(6)]
        await wait_until(
            lambda: len(site.queue("RUNNING")) == 4 and len(site.queue("PENDING")) == 2
        )
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)
        await wait_until(lambda: not site.queue())
        return found

    found = site.use(work)
    assert [one.verdict for one in found] == [VerdictClass.PASS] * 5


@pytest.mark.slow
def test_a_controller_that_is_away_loses_nothing(site: Site) -> None:
    site.close()

    async def work(evaluator: HostEvaluator) -> list[Evaluation]:
        lines: list[list[str]] = [[] for _ in range(6)]
        tasks = [
            asked(evaluator, f"t/{number}", said)
            for number, said in enumerate(lines[:5])
        ]
        await wait_until(lambda: sum("began" in said for said in lines) == 4)
        # Killed before it saved what runs, Slurm 22.05 starts that again and drains the node: not our fault.
        began = time.time()
        site.slurm.ask(
            "scontrol",
            "update",
            f"jobid={site.queue('PENDING')[0]}",
            "comment=to be saved",
        )
        await wait_until(lambda: site.slurm.saved_at() > began)
        site.slurm.kill("slurmctld")
        tasks.append(asked(evaluator, "t/5", lines[5]))  # submitted to nobody
        site.open()
        await wait_until(lambda: sum(task.done() for task in tasks) == 4)
        site.slurm.launch("slurmctld")
        return await asyncio.gather(*tasks)

    found = site.use(work)
    assert [one.verdict for one in found] == [VerdictClass.PASS] * 6
    assert set(Counter(site.ran()).values()) == {1}, "nothing ran twice"


@pytest.mark.system
def test_builds_take_no_card_and_no_job_is_given_a_device_that_is_not_its_own(
    site: Site,
) -> None:
    broken = Candidate({**candidate().files, "op_kernel/broken.cpp": "broken"})

    async def build(evaluator: HostEvaluator) -> list[Evaluation]:
        kernels = (candidate(), broken)
        return await asyncio.gather(
            *(
                evaluator.evaluate(operator(), kernel, lambda _line: None, "t/1")
                for kernel in kernels
            )
        )

    async def one(evaluator: HostEvaluator) -> Evaluation:
        return await asked(evaluator, uuid.uuid4().hex, [])

    async def look(evaluator: HostEvaluator) -> Diagnosis:
        host = evaluator.host
        host.settings = replace(host.settings, python=sys.executable)
        return await examine(host, {})

    async def work() -> tuple[Any, ...]:
        return await asyncio.gather(
            site.on(build, cpu_partition="cpu"),
            site.on(one, device_map="env:NO_SUCH_VARIABLE"),
            site.on(one, device_map="scontrol"),
            site.on(one, partition="nowhere"),
            site.on(one, on_device=False, gres="", device_map=""),
            site.on(look, cpu_partition="nowhere"),
        )

    (good, bad), unmapped, mapped, refused, on_cpu, seen = asyncio.run(work())
    assert (good.verdict, bad.verdict, bad.cause) == (
        VerdictClass.PASS,
        VerdictClass.FAIL_BUILD,
        "broken",
    )
    noted = [
        line.split()[1:] for line in (site.folder / "ran").read_text().splitlines()
    ]
    assert sorted(noted) == [["built.json", "cpu"]] * 2 + [["result.json", "npu"]] * 4
    assert (
        "NO_SUCH_VARIABLE is '' in a job of this site, which names no device"
        in unmapped.cause
    )
    assert mapped.cause.startswith("on npu01:npu")
    assert refused.verdict is VerdictClass.VOID
    assert "invalid partition specified: nowhere" in refused.cause
    assert on_cpu.cause == "on none"
    partitions = [check for check in seen.checks if check.subject == "Slurm"]
    assert [check.health for check in partitions] == [Health.OK, Health.FAULT]
    assert "npu* up, 1 nodes" in str(partitions[0].found)
    assert "gpu:4" in str(partitions[0].found)
    assert "sinfo" in str(partitions[1].fix)


def test_the_settings_of_a_site_are_complete_or_refused(tmp_path: Path) -> None:
    registry = HostRegistry(tmp_path)
    given = {"scheduler": "slurm", "partition": "npu", "gres": "npu:1"}
    with pytest.raises(
        InvalidInput, match=r"none is ever guessed.*--device-map env:SLURM_JOB_GPUS"
    ):
        registry.change("site", **given)
    with pytest.raises(InvalidInput, match="'0' is not a mapping"):
        registry.change("site", **given, device_map="0")
    with pytest.raises(InvalidInput, match="without a scheduler"):
        registry.change("site", gres="npu:1", device_map="scontrol")
    with pytest.raises(InvalidInput, match="'x;reboot' is not an option"):
        registry.change("site", **given, device_map="scontrol", sbatch="x;reboot")
    for limit in ("0:20", "4", "00:04:59", "0-0:4"):
        with pytest.raises(InvalidInput, match="compiles the twin"):
            registry.change(
                "site", **given, device_map="scontrol", sbatch=f"--time={limit}"
            )
    for limit in ("5", "05:00", "1:00:00", "1-0", "0-0:5:0", "UNLIMITED"):
        registry.change(
            "site", **given, device_map="scontrol", sbatch=f"--time={limit}"
        )
    registry.change(
        "site",
        **given,
        device_map="env:ASCEND_RT_VISIBLE_DEVICES",
        sbatch="--account=a",
    )
    assert registry.settings()["site"].device_map == "env:ASCEND_RT_VISIBLE_DEVICES"


def test_others_in_the_queue_count_and_reasons_may_hold_anything() -> None:
    """What squeue prints, with a job name of somebody else that holds the separator."""
    rows = read_rows(
        "7|PENDING|90|npu|Resources|a|b\n8_0|PENDING|10|npu|Priority|sage-1\n"
        "8_1|PENDING|10|npu|ReqNodeNotAvail, UnavailableNodes:n1|sage-1\n9|PENDING|99|cpu|Priority|c\n"
        "8_2|RUNNING|10|npu|None|sage-1\n6|PENDING|95|npu|JobHeldUser|d\n"
    )
    assert [
        (rows["sage-1", index].reason, rows["sage-1", index].ahead) for index in "012"
    ] == [
        ("Priority", 1),
        ("ReqNodeNotAvail, UnavailableNodes:n1", 2),
        ("", None),
    ]


@pytest.mark.slow
def test_two_hundred_evaluations_each_answered_once(site: Site) -> None:
    """With a line cut, a scancel from outside and slurmctld restarted in between."""
    answers: Counter[str] = Counter()

    async def work(evaluator: HostEvaluator) -> None:
        async def one(number: int) -> None:
            found = await asked(evaluator, f"t/{number}", [])
            assert found.verdict is VerdictClass.PASS, found.cause
            answers[f"t/{number}"] += 1

        tasks = [asyncio.ensure_future(one(number)) for number in range(200)]
        await wait_until(lambda: len(answers) >= 20)
        site.sshd.drop()
        await wait_until(lambda: len(answers) >= 50)
        for job in (*site.queue("RUNNING")[:2], *site.queue("PENDING")[:5]):
            site.slurm.ask("scancel", job)
        await wait_until(lambda: len(answers) >= 80)
        # Killed outright, Slurm 22.05 goes on calling jobs running that it had not saved: no fault of ours.
        site.slurm.kill("slurmctld", signal.SIGTERM)
        await wait_until(lambda: len(answers) >= 82)
        site.slurm.launch("slurmctld")
        await asyncio.gather(*tasks)

    replace(site, patience_s=600.0).use(work)
    assert len(answers) == 200
    assert set(answers.values()) == {1}
    assert set(Counter(site.ran()).values()) == {1}, "no job ran twice"


@pytest.mark.parametrize(
    ("gres", "shown", "devices"),
    [
        (
            "gpu:2,nic:1",
            "JOB_GRES=gpu:2,nic:1 Nodes=n CPU_IDs=1 GRES=gpu:2(IDX:0-1),nic:1(IDX:3)",
            "0,1",
        ),
        (
            "gres/npu:1",
            "JOB_GRES=nic:1,npu:1 Nodes=n GRES=nic:1(IDX:3),npu:1(IDX:2) X=1",
            "2",
        ),
        (
            "npu:3",
            "Nodes=n GRES=xnpu:1(IDX:9),npu:a:1(IDX:7),npu:b:3(IDX:0,2-3) X=1",
            "0,2,3,7",
        ),
        ("", "Nodes=n GRES=npu:1(IDX:5) X=1", "5"),
        ("", "Nodes=n GRES=npu:1(IDX:5),nic:1(IDX:5) X=1", ""),
        ("npu:1", "Nodes=n GRES=npu(CNT:1),nic:1(IDX:0)", ""),
        ("npu:1", "Nodes=n GRES=npu:1(IDX:0) Nodes=m GRES=npu:1(IDX:1)", ""),
    ],
)
def test_scontrol_tells_the_indices_of_the_devices_gres_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gres: str, shown: str, devices: str
) -> None:
    """A stand-in prints what scontrol of Slurm 22.05 prints of jobs with several kinds of gres."""
    place = tmp_path / "scontrol"
    place.write_text(f"#!/bin/sh\necho '{shown}'\n")
    place.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    mapping = device_map_of(SiteSettings("slurm", gres=gres, device_map="scontrol"))
    if devices:
        assert devices_of(mapping, {"SLURM_JOB_ID": "7"}) == devices
    else:
        with pytest.raises(
            NoDevice, match=r"no device indices of gres (npu|.none set.) for job 7"
        ):
            devices_of(mapping, {"SLURM_JOB_ID": "7"})
