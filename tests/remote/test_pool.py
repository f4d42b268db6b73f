"""Several hosts share the work; what a lost one held is done elsewhere, once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.evaluation.port import STOPPING
from core.evaluation.records import VerdictClass
from remote.connection.channel import Channel, Opening
from remote.connection.faults import ChannelFault
from remote.connection.timeouts import Timing
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.detached import DetachedHost, HostSettings
from remote.pool import PoolEvaluator
from tests.remote.helpers import TWIN, candidate, operator, wait_until
from tests.remote.machines import Bench, far, near
from tests.remote.no_op import NoOp, no_op_judge, ran
from tests.remote.proxy import Proxy
from tests.remote.sshd import Sshd

PATIENT = Timing(
    first_pause=0.02, longest_pause=0.2
)  # a line that breaks is noticed, a slow one is not cut
pytestmark = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="the job server runs on Linux"
)


def host_of(name: str, bench: Bench, folder: Path) -> DetachedHost:
    """A host whose judge waits while `closed` lies in the folder of its name."""
    (folder / name).mkdir(exist_ok=True)
    settings = HostSettings(
        python=no_op_judge(folder / name), locks=str(folder / f"locks-{name}"), slots=1
    )
    return DetachedHost(name, name, bench.connection(PATIENT), settings)


def on(host: DetachedHost | LocalHost, folder: Path) -> HostEvaluator:
    return HostEvaluator(host, NoOp(folder, TWIN, on_device=False))


def quiet(_line: str) -> None:
    """Progress nobody reads."""


@pytest.mark.system
def test_work_of_a_lost_host_is_done_elsewhere_and_ended_there_when_it_is_back(
    sshd: Sshd, tmp_path: Path
) -> None:
    proxy = Proxy(sshd.port)
    sshd.write_client(proxy.port)
    first, second = near(tmp_path / "near"), far(tmp_path / "far", sshd)

    def nobody(_opening: Opening) -> Channel:
        raise ChannelFault("Nobody answers.")

    async def work() -> None:
        gone = host_of("gone", Bench(tmp_path / "nowhere", nobody), tmp_path)
        away, here = host_of("away", second, tmp_path), host_of("here", first, tmp_path)
        (tmp_path / "away" / "closed").touch()
        pool = PoolEvaluator(
            [on(host, tmp_path) for host in (gone, away, here)], grace_s=0.5
        )
        try:
            await away.connect()
            lines: list[str] = []
            held = asyncio.ensure_future(
                pool.evaluate(operator(), candidate(), lines.append)
            )
            await wait_until(lambda: "began" in lines or held.done())
            assert not held.done(), held.result()
            assert (
                [line for line in lines if "another host" in line]
                == [
                    "gone is out of reach. The work goes to another host."  # it was never there
                ]
            )
            more = (
                pool.evaluate(operator(), candidate(), quiet, f"t/{n}")
                for n in range(2)
            )
            assert [one.host for one in await asyncio.gather(*more)] == ["here", "here"]
            here.connection.cut()  # a line that breaks while nobody asks anything: work is given to that host
            proxy.black_hole = True
            proxy.cut()
            found = await held
            assert "away is out of reach. The work goes to another host." in lines
            assert (found.verdict, found.host) == (VerdictClass.PASS, "here")
            proxy.black_hole = False
            proxy.cut()
            while {job["state"] for job in await away.machine.jobs()} & {
                "running",
                "waiting",
            }:
                await asyncio.sleep(0.05)
        finally:
            await pool.close()

    try:
        asyncio.run(asyncio.wait_for(work(), 60))
        assert [len(ran(tmp_path / name)) for name in ("gone", "away", "here")] == [
            0,
            1,
            3,
        ]
    finally:
        proxy.close()
        sshd.write_client(sshd.port)
        first.end_all()
        second.end_all()


def test_an_evaluation_left_behind_is_continued_on_the_host_that_has_it(
    tmp_path: Path,
) -> None:
    bench = near(tmp_path / "base")

    async def leave() -> None:
        evaluator = on(host_of("keeps", bench, tmp_path), tmp_path)
        (tmp_path / "keeps" / "closed").touch()
        lines: list[str] = []
        task = asyncio.ensure_future(
            evaluator.evaluate(operator(), candidate(), lines.append, "t/1")
        )
        await wait_until(lambda: "began" in lines or task.done())
        assert not task.done(), task.result()
        task.cancel(STOPPING)
        await asyncio.gather(task, return_exceptions=True)
        await evaluator.close()

    async def take_up() -> None:
        keeps = host_of("keeps", bench, tmp_path)
        pool = PoolEvaluator([on(LocalHost(1), tmp_path), on(keeps, tmp_path)])
        try:
            task = asyncio.ensure_future(
                pool.evaluate(operator(), candidate(), quiet, "t/1")
            )
            (tmp_path / "keeps" / "closed").unlink()
            found = await task
            assert (found.host, found.verdict) == ("keeps", VerdictClass.PASS)
            assert len(await keeps.machine.jobs()) == 1
        finally:
            await pool.close()

    try:
        asyncio.run(leave())
        asyncio.run(take_up())
        assert len(ran(tmp_path / "keeps")) == 1
    finally:
        bench.end_all()
