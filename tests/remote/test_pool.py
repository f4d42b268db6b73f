"""Several hosts share the work; what a lost one held is done elsewhere, once."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from core.evaluation.port import STOPPING
from core.evaluation.records import VerdictClass
from remote.connection.channel import Channel, Opening
from remote.connection.faults import ChannelFault
from remote.connection.reconnecting import Timing
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.detached import DetachedHost, HostSettings
from remote.pool import PoolEvaluator
from remote.toolchains.twin import TwinToolchain
from tests.remote.helpers import KERNEL, TWIN, candidate, edited
from tests.remote.machines import QUICK, Bench, far, near
from tests.remote.proxy import Proxy
from tests.remote.sshd import Sshd
from tests.remote.test_evaluator import SHORT, endless, quiet

WRONG = edited((KERNEL, "Abs(y, x, count);", "Muls(y, x, (DTYPE_X)2, count);"))


def host_of(name: str, bench: Bench, folder: Path, build_cache: Path, timing: Timing = QUICK) -> DetachedHost:
    bench.base.mkdir(exist_ok=True)
    build_cache.mkdir(parents=True, exist_ok=True)
    if not (bench.base / "cache").exists():
        (bench.base / "cache").symlink_to(build_cache)
    settings = HostSettings(python=sys.executable, locks=str(folder / f"locks-{name}"), slots=1)
    return DetachedHost(name, name, bench.connection(timing), settings)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the job server runs on Linux")
def test_work_of_a_lost_host_is_done_elsewhere_and_ended_there_when_it_is_back(
    sshd: Sshd, tmp_path: Path, build_cache: Path
) -> None:
    proxy = Proxy(sshd.port)
    sshd.write_client(proxy.port)
    twin = TwinToolchain(build_cache, TWIN, kernel_time_limit_s=60)
    first, second = near(tmp_path / "near"), far(tmp_path / "far", sshd)

    def nobody(_opening: Opening) -> Channel:
        raise ChannelFault("Nobody answers.")

    async def work() -> None:
        gone = host_of("gone", Bench(tmp_path / "gone", nobody), tmp_path, build_cache)
        away = host_of("away", second, tmp_path, build_cache)
        here = host_of("here", first, tmp_path, build_cache)
        pool = PoolEvaluator([HostEvaluator(host, twin) for host in (gone, away, here)], grace_s=0.5)
        try:
            await away.connect()
            lines: list[str] = []
            hanging = asyncio.ensure_future(pool.evaluate(SHORT, endless(), lines.append))
            while not any(line.startswith("compiled") or "already" in line for line in lines):
                assert not hanging.done(), hanging.result()
                await asyncio.sleep(0.05)
            found = await asyncio.gather(
                *(
                    pool.evaluate(SHORT, kernel, quiet, f"t/{n}")
                    for n, kernel in enumerate((candidate(), WRONG), 2)
                )
            )
            assert [(e.verdict, e.host) for e in found] == [
                (VerdictClass.PASS, "here"),
                (VerdictClass.FAIL_RESULT, "here"),
            ]
            assert [line for line in lines if "another host" in line] == [
                "gone is out of reach. The work goes to another host."  # it was never there
            ]
            here.connection.cut()  # a line that breaks while nobody asks anything: work is given to that host
            proxy.black_hole = True
            while "away is out of reach. The work goes to another host." not in lines:
                assert not hanging.done(), (hanging.result(), lines)
                await asyncio.sleep(0.05)
            proxy.black_hole = False
            proxy.cut()
            while {job["state"] for job in await away.machine.jobs()} & {"running", "waiting"}:
                await asyncio.sleep(0.1)
            hanging.cancel()
            await asyncio.gather(hanging, return_exceptions=True)
            assert not {job["state"] for job in await here.machine.jobs()} & {"running", "waiting"}
        finally:
            await pool.close()

    try:
        asyncio.run(asyncio.wait_for(work(), 300))
    finally:
        proxy.close()
        sshd.write_client(sshd.port)
        first.end_all()
        second.end_all()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="the job server runs on Linux")
def test_an_evaluation_left_behind_is_continued_on_the_host_that_has_it(
    tmp_path: Path, build_cache: Path
) -> None:
    twin = TwinToolchain(build_cache, TWIN, kernel_time_limit_s=3)
    bench = near(tmp_path / "base")

    async def leave() -> None:
        evaluator = HostEvaluator(host_of("keeps", bench, tmp_path, build_cache), twin)
        lines: list[str] = []
        task = asyncio.ensure_future(evaluator.evaluate(SHORT, endless(), lines.append, "t/1"))
        while not lines:
            assert not task.done(), task.result()
            await asyncio.sleep(0.05)
        task.cancel(STOPPING)
        await asyncio.gather(task, return_exceptions=True)
        await evaluator.close()

    async def take_up() -> None:
        keeps = host_of("keeps", bench, tmp_path, build_cache)
        pool = PoolEvaluator([HostEvaluator(LocalHost(1), twin), HostEvaluator(keeps, twin)])
        try:
            found = await pool.evaluate(SHORT, endless(), quiet, "t/1")
            assert (found.host, found.verdict) == ("keeps", VerdictClass.FAIL_RUN)
            assert len(await keeps.machine.jobs()) == 1
        finally:
            await pool.close()

    asyncio.run(leave())
    asyncio.run(take_up())
    bench.end_all()
